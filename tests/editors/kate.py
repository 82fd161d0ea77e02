"""What Kate's highlighter makes of specs: gives each style of a copy of the syntax file a colour of its own, has
kate-syntax-highlighter write HTML, and reads the colours back.

    kate.py SYNTAX FOLDER COLOURS FILE...    FOLDER: where the copy may lie
"""
import html.parser
import os
import re
import subprocess
import sys


class Page(html.parser.HTMLParser):
    def __init__(self, styles):
        super().__init__()
        self.styles, self.stack, self.chars, self.inside = styles, [], [], False

    def handle_starttag(self, tag, attributes):
        if tag == "pre":
            self.inside = True
        elif tag == "span":
            found = re.search(r"(?<!-)color:#([0-9a-f]{6})", dict(attributes).get("style", ""))
            self.stack.append(self.styles.get(found.group(1), "?") if found else "")

    def handle_endtag(self, tag):
        if tag == "pre":
            self.inside = False
        elif tag == "span":
            self.stack.pop()

    def handle_data(self, data):
        if self.inside:
            self.chars += [(c, self.stack[-1] if self.stack else "") for c in data]


def main():
    syntax, folder, out, files = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    with open(syntax, encoding="utf-8") as f:
        text = f.read()
    styles = {}

    def colour(match):
        code = "%06x" % (0x101010 + 7 * len(styles))
        styles[code] = match.group(1)
        return match.group(0) + ' color="#%s"' % code

    text = re.sub(r'<itemData name="(\w+)"', colour, text)
    place = os.path.join(folder, "org.kde.syntax-highlighting", "syntax")
    os.makedirs(place, exist_ok=True)
    with open(os.path.join(place, "stowage.xml"), "w", encoding="utf-8") as f:
        f.write(text)
    environment = dict(os.environ, XDG_DATA_DIRS=folder, XDG_DATA_HOME=folder, QT_QPA_PLATFORM="offscreen")
    with open(out, "w", encoding="utf-8") as rows:
        for file in files:
            page = Page(styles)
            run = subprocess.run(["kate-syntax-highlighter", "-s", "Stowage", file], env=environment,
                                 capture_output=True, check=True)
            said = run.stderr.decode()
            if said.strip():
                raise SystemExit("kate-syntax-highlighter: " + said)
            page.feed(run.stdout.decode())
            with open(file, encoding="utf-8") as f:
                wanted = f.read()
            found = "".join(c for c, _ in page.chars)
            if found.strip("\n") != wanted.strip("\n"):
                raise SystemExit("kate.py: the page of %s has another text" % file)
            skip = len(found) - len(found.lstrip("\n"))
            line, column = 1, 1
            for c, style in page.chars[skip:]:
                if c == "\n":
                    line, column = line + 1, 1
                    continue
                width = len(c.encode())
                rows.write("%s\t%d\t%d\t%d\t%s\n" % (file, line, column, column + width,
                                                    "" if style == "Text" else style))
                column += width


main()
