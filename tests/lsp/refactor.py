"""Renames every name of specs, extracts and inlines what there is, and compares the networks by themselves.

    refactor.py STOWAGE KIND HOW SPEC...

KIND is rename, extract or inline; HOW is "all", or a number: every so manyth is tried. A line of TAP a spec.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from client import Client, Refused

stowage = os.path.abspath(sys.argv[1])
WORD = re.compile(r'"[^"\n]*"|#[^\n]*|[A-Za-z_][A-Za-z0-9_]*')
CAPABILITIES = {"general": {"positionEncodings": ["utf-8"]}, "textDocument": {
    "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["refactor"]}}}}}


def files_of(path, seen):
    """The spec and all that it uses."""
    path = os.path.realpath(path)
    if path in seen:
        return seen
    with open(path, encoding="utf-8", errors="replace") as f:
        seen[path] = f.read()
    for used in re.findall(r'^\s*use\s+"([^"]+)"', seen[path], re.M):
        if os.path.exists(os.path.join(os.path.dirname(path), used)):
            files_of(os.path.join(os.path.dirname(path), used), seen)
    return seen


def uri(path):
    return "file://" + path


def position(text, at):
    line = text.count("\n", 0, at)
    return {"line": line, "character": len(text[text.rfind("\n", 0, at) + 1:at].encode())}


def offset(text, p):
    lines = text.split("\n")
    return sum(len(l) + 1 for l in lines[:p["line"]]) + len(lines[p["line"]].encode()[:p["character"]].decode())


def apply(files, edit):
    """The files with a WorkspaceEdit made."""
    new = dict(files)
    for address, edits in edit["changes"].items():
        path = address[len("file://"):]
        text = new[path]
        for e in sorted(edits, key=lambda e: -offset(text, e["range"]["start"])):
            beg, end = offset(text, e["range"]["start"]), offset(text, e["range"]["end"])
            text = text[:beg] + e["newText"] + text[end:]
        new[path] = text
    return new


class Specs:
    """A spec and what it uses, in a folder of their own."""

    def __init__(self, path):
        found = files_of(path, {})
        top = os.path.commonpath([os.path.dirname(p) for p in found])
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="refactor."))
        self.files = {os.path.join(self.folder, os.path.relpath(p, top)): t for p, t in found.items()}
        self.main = os.path.join(self.folder, os.path.relpath(os.path.realpath(path), top))
        self.write(self.files)
        open(os.path.join(self.folder, ".stowage"), "w").close()	# where the project begins
        self.client = None
        self.look_at(self.main)

    def look_at(self, path):
        """That file alone is open."""
        if self.client:
            self.client.process.kill()
            self.client.process.wait()
        self.open, self.version = path, 0
        self.client = Client(CAPABILITIES)
        self.client.open(uri(path), self.files[path])

    def write(self, files):
        for p, t in files.items():
            os.makedirs(os.path.dirname(p), exist_ok=True)
            with open(p, "w", encoding="utf-8") as f:
                f.write(t)

    def show(self, files):
        """The files are these now, on disk and in the editor."""
        self.write(files)
        self.version += 1
        self.client.change(uri(self.open), {"text": files[self.open]})

    def graphs(self, files=None):
        """What each network is planned from, or None where there is an error."""
        if files:
            self.write(files)
        text = (files or self.files)[self.main]
        found = {}
        for n in re.findall(r"^\s*network\s+(\w+)", text, re.M):
            done = subprocess.run([stowage, "plan", "--dump-after=phases", "--network", n, self.main],
                                  capture_output=True, text=True)
            if "error:" in done.stderr or not done.stdout.startswith("module"):
                return None
            lines = done.stdout.splitlines()	# behind the graphs comes the plan, before them the name
            end = max(i for i, l in enumerate(lines) if re.match(r"  (result|loss|%|input|target)|graph ", l))
            found[n] = lines[1:end + 1]
        if files:
            self.write(self.files)
        return found or None

    def close(self):
        self.client.process.kill()
        self.client.process.wait()
        shutil.rmtree(self.folder)

    def at(self, text, where):
        return {"textDocument": {"uri": uri(self.open)}, "position": position(text, where)}


def is_renamed(old, new, name, fresh):
    a, b = old.split("."), new.split(".")
    return len(a) == len(b) and all(
        x == y or re.fullmatch(re.escape(name) + r"(_\d+)?", x) and y == fresh + x[len(name):]
        for x, y in zip(a, b))


def same_but(before, after, equal, lines=True):
    """The first difference of two dumps, names being compared by EQUAL; None: there is none."""
    if before is None or after is None:
        return "there is an error"
    if len(before) != len(after):
        return "there are %d networks" % len(after)
    for x, y in zip(before.values(), after.values()):
        if len(x) != len(y):
            return "%d lines instead of %d" % (len(y), len(x))
        for a, b in zip(x, y):
            if not lines:
                a, b = re.sub(r" @\d+$", "", a), re.sub(r" @\d+$", "", b)
            names = list(zip(re.findall(r'"([^"]*)"', a), re.findall(r'"([^"]*)"', b)))
            if re.sub(r'"[^"]*"', '""', a) != re.sub(r'"[^"]*"', '""', b) or \
               not all(equal(p, q) for p, q in names):
                return "%s\n  became %s" % (a, b)
    return None


def symbols(specs):
    """One place of each name that can be changed."""
    text, c, seen, found = specs.files[specs.open], specs.client, set(), []
    for m in WORD.finditer(text):
        if m[0][0] in '"#':
            continue
        at = specs.at(text, m.start())
        try:
            answer = c.request("textDocument/prepareRename", at)
        except Refused:
            continue
        if not answer or answer["placeholder"] != m[0]:
            continue
        place = str(c.request("textDocument/definition", at))
        if place not in seen:
            seen.add(place)
            found.append((m[0], m.start()))
    return found


def rename_back(specs, name, fresh, renamed):
    """Renames again, as it was."""
    text = renamed[specs.open]
    shift = None
    for m in WORD.finditer(text):	# the first place of the fresh name that is a symbol's
        if m[0] != fresh:
            continue
        at = specs.at(text, m.start())
        if specs.client.request("textDocument/prepareRename", at):
            shift = at
            break
    if not shift:
        return "the new name is nowhere"
    back = apply(renamed, specs.client.request("textDocument/rename", {**shift, "newName": name}))
    return None if back == specs.files else "renamed back it is not what it was"


def try_rename(specs, name, where, before):
    fresh = "fresh_" + name
    text = specs.files[specs.open]
    try:
        edit = specs.client.request("textDocument/rename", {**specs.at(text, where), "newName": fresh})
    except Refused as e:
        return "refused: %s" % e.message
    renamed = apply(specs.files, edit)
    after = specs.graphs(renamed)
    wrong = same_but(before, after, lambda a, b: is_renamed(a, b, name, fresh)) or (
        None if set(after) == {fresh if name == n and n not in after else n for n in before} else
        "the networks are %s" % after.keys())
    if wrong:
        return wrong
    specs.show(renamed)
    try:
        wrong = rename_back(specs, name, fresh, renamed)
    except Refused as e:
        wrong = "refused back: %s" % e.message
    specs.show(specs.files)
    return wrong


def chosen(things, how):
    return things if how == "all" else things[::int(how)]


def rename(specs, how):
    before, tried = specs.graphs(), 0
    if not before:
        return None, 0
    for path in specs.files:
        specs.look_at(path)
        for name, where in chosen(symbols(specs), how):
            tried += 1
            wrong = try_rename(specs, name, where, before)
            if wrong:
                return "%s, '%s' at byte %d: %s" % (os.path.basename(path), name, where, wrong), tried
    return "", tried


KINDS = {"rename": rename}


def main():
    kind, how, n, tried = KINDS[sys.argv[2]], sys.argv[3], 0, 0
    for path in sys.argv[4:]:
        specs = Specs(path)
        try:
            wrong, some = kind(specs, how)
        except Exception as e:	# pylint: disable=broad-except
            wrong, some = "%s: %s" % (type(e).__name__, e), 0
        specs.close()
        if wrong is None:  # it has errors
            continue
        n, tried = n + 1, tried + some
        name = "%s of %s: %d" % (sys.argv[2], os.path.basename(path), some)
        if wrong:
            print("not ok %d - %s\n# %s" % (n, name, wrong.replace("\n", "\n# ")))
        else:
            print("ok %d - %s" % (n, name))
        sys.stdout.flush()
    print("1..%d" % n)
    print("# %d tried" % tried)


main()
