"""Sublime Text reads the grammar of editors/vscode, in another form.

    sublime.py JSON PLIST             are they the same grammar?
    sublime.py --write JSON PLIST     makes the second from the first
"""
import json
import plistlib
import sys


def main():
    write = sys.argv[1] == "--write"
    grammar, plist = sys.argv[-2:]
    with open(grammar, encoding="utf-8") as f:
        wanted = json.load(f)
    if write:
        with open(plist, "wb") as f:
            plistlib.dump(wanted, f, sort_keys=False)
        return 0
    with open(plist, "rb") as f:
        found = plistlib.load(f)
    if found != wanted:
        print("%s is not what sublime.py --write makes of %s" % (plist, grammar))
    return found != wanted


sys.exit(main())
