"""A text as LSP 3.17 describes it: lines end with LF, CR LF or CR, and a position is a line and a number of
code units into it. It is written from the specification, and shares nothing with the server."""
import re

LINE_END = re.compile(r"\r\n|\n|\r")


class Text:
    def __init__(self, text, encoding="utf-16"):
        self.text = text
        self.encoding = encoding

    def lines(self):
        """Where each line begins and where its characters end."""
        begin, spans = 0, []
        for end in LINE_END.finditer(self.text):
            spans.append((begin, end.start()))
            begin = end.end()
        spans.append((begin, len(self.text)))
        return spans

    def units(self, character):
        if self.encoding == "utf-8":
            return len(character.encode("utf-8", "surrogatepass"))
        return 2 if ord(character) > 0xffff else 1

    def offset(self, line, character):
        """An index into the text. Past the end of a line it is that end, past the last line that of the text,
        within a character its start."""
        spans = self.lines()
        if line < 0:
            return 0
        if line >= len(spans):
            return len(self.text)
        at, end = spans[line]
        while at < end:
            character -= self.units(self.text[at])
            if character < 0:
                break
            at += 1
        return at

    def position(self, at):
        spans = self.lines()
        line = max(i for i, (begin, _) in enumerate(spans) if begin <= at)
        begin, end = spans[line]
        return {"line": line,
                "character": sum(self.units(c) for c in self.text[begin:min(at, end)])}

    def span(self, begin, end):
        return {"start": self.position(begin), "end": self.position(end)}

    def of_bytes(self, at):
        """The index of a byte of the text."""
        return len(self.text.encode()[:at].decode("utf-8", "ignore"))

    def slice(self, span):
        return self.text[self.offset(**span["start"]):self.offset(**span["end"])]

    def holds(self, span):
        """Are both ends places of the text, in their order?"""
        return all(self.position(self.offset(**p)) == p for p in (span["start"], span["end"])) and \
            self.offset(**span["start"]) <= self.offset(**span["end"])

    def change(self, span, new):
        begin, end = (self.offset(**span[k]) for k in ("start", "end"))
        if end < begin:
            return False
        self.text = self.text[:begin] + new + self.text[end:]
        return True

    def apply(self, edits):
        """TextEdits, all of which speak of the text as it is now and do not overlap."""
        found = sorted(((self.offset(**e["range"]["start"]), self.offset(**e["range"]["end"]), i, e["newText"])
                        for i, e in enumerate(edits)))
        at, parts = 0, []
        for begin, end, _, new in found:
            if begin < at or end < begin:
                raise ValueError(f"edits overlap at {begin}")
            parts += [self.text[at:begin], new]
            at = end
        return "".join([*parts, self.text[at:]])
