"""What each word and sign of a spec is, read from its text by the rules of stowage(5): the yardstick for
the grammars of editors/. It shares nothing with them, nor with the parser. The words themselves come
from the program's sources, so that a new keyword, unit or setting is missing in every grammar until it
is added there.

    tokens.py FILE        prints LINE COLUMN END CLASS TEXT for each token; columns count bytes from 1
"""
import os
import re
import sys

SOURCE = os.environ.get("top_srcdir", os.path.join(os.path.dirname(__file__), "..", ".."))


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as f:
        return f.read()


def keywords():
    """Spelling -> the name of its token, from the scanner's rules."""
    return dict(re.findall(r'^"(\w+)"\s+return word\(yyextra, TOK_(\w+),', read("grammar/lexer.l"), re.M))


def keyword_classes():
    """Spelling -> class. The grammar declares items and statements in a line each."""
    lines = [line.split()[1:] for line in read("grammar/parser.y").splitlines() if line.startswith("%token USE")
             or line.startswith("%token INPUT")]
    items, statements = lines
    classes = {}
    for text, token in keywords().items():
        if token in items:
            classes[text] = "item"
        elif token in statements:
            classes[text] = "statement"
        else:
            classes[text] = {"TRUE": "boolean", "FALSE": "boolean", "AND": "logical", "OR": "logical",
                             "NOT": "logical", "IF": "conditional", "THEN": "conditional",
                             "ELSE": "conditional"}[token]
    return classes


def units():
    text = read("src/base/size.c")
    names = [re.findall(r'"(\w+)"', re.search(r"%s\[\w*\] = \{(.*?)\}" % table, text, re.S).group(1))
             for table in ("binary", "decimal")]
    largest = int(re.search(r"#define LARGEST_WRITTEN\s+(\d+)", text).group(1))
    return {name for table in names for name in table[:largest + 1]}


def durations():
    return set(re.findall(r'"(\w+)"', re.search(r"durations\[\] = \{(.*?)\}", read("src/syntax/words.c")).group(1)))


def settings():
    """Section -> the keys it may have."""
    keys = {}
    for section, key in re.findall(r'\{ SEC_(\w+), "(\w+)"', read("src/lang/setting_values.c")):
        keys.setdefault(section.lower(), []).append(key)
    return keys


def types():
    text = read("src/lang/types.c")
    return re.findall(r'\{ "(\w+)", TYPE_', text)


WORD = r"[A-Za-z_][A-Za-z0-9_]*"
NUMBER = r"[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][+-]?[0-9]+)?"
TOKEN = re.compile(r"""(?P<blank>\s+)|(?P<comment>\#[^\n]*)|(?P<string>"[^"\n]*")
    |(?P<path>(?:%s|\*)(?:\.(?:[A-Za-z0-9_]+|\*))+)|(?P<word>%s)
    |(?P<size>%s[ \t]*(?:%s)\b)|(?P<number>0[xX][0-9a-fA-F][0-9a-fA-F_]*|%s)
    |(?P<arrow>->)|(?P<comparison>[=!<>]=|[<>])|(?P<arithmetic>[-+*/%%^])|(?P<sign>[(){}\[\],:=])
    """ % (WORD, WORD, NUMBER, "|".join(sorted(units())), NUMBER), re.X)


class Token:
    def __init__(self, kind, text, at):
        self.kind, self.text, self.at, self.what = kind, text, at, None

    @property
    def end(self):
        return self.at + len(self.text)


def scan(text):
    tokens, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise SystemExit("tokens.py: cannot read %r" % text[at:at + 20])
        if match.lastgroup != "blank":
            tokens.append(Token(match.lastgroup, match.group(), at))
        at = match.end()
    return tokens


def classify(text):
    """The tokens of a text without mistakes, comments among them, each with its class in .what"""
    known, lengths = keyword_classes(), durations()
    result = scan(text)
    tokens = [t for t in result if t.kind != "comment"]
    for t in result:
        t.what = t.kind
    where = ["file"]
    head = None         # the item keyword whose brace is awaited
    declares = None     # "names" after input or target, "type" after their colon
    complete = True     # before this token there is a whole value
    for i, t in enumerate(tokens):
        before = tokens[i - 1] if i else None
        after = tokens[i + 1].text if i + 1 < len(tokens) else ""
        here, last = where[-1], before.what if before else None
        value = False
        if t.kind == "sign":
            t.what = {"=": "assignment", ",": "comma", ":": "colon"}.get(t.text, "bracket")
            if t.text in "([":
                where.append("brackets")
            elif t.text == "{":
                where.append("settings" if known.get(head) == "item" and head not in ("block", "network")
                             else "body")
                head = declares = None
                complete = True
                continue
            elif t.text in ")]}":
                where.pop()
                value = True
                if declares == "type" and where[-1] == "body":
                    declares = None
            elif t.text == ":" and declares == "names" and here == "body":
                declares = "type"
        elif t.kind == "arithmetic" and t.text == "*" and here == "settings" and last in ("key", "comma"):
            t.what = "value"
            value = True
        elif t.kind in ("arrow", "comparison", "arithmetic"):
            declares = None
        elif t.kind == "word" and t.text in known and not (here == "brackets" and after == "=" and
                                                           known[t.text] in ("item", "statement")):
            t.what = known[t.text]
            if here == "settings" and t.text == "metric" and complete:
                t.what = "key"
            elif t.what == "item":
                head, declares = t.text, None
            elif t.what == "statement":
                declares = "names" if t.text in ("input", "target") else None
            value = t.what == "boolean"
        elif t.kind == "word":
            value = True
            if here == "file" and last == "item" and head == "param":
                t.what = "definition"
            elif here == "file" and last == "item":
                t.what = head if head in ("block", "network") else "section"
            elif here == "brackets" and after == "=":
                t.what = "argument"
            elif here == "brackets" and t.text in lengths and last == "number":
                t.what = "unit"
            elif here == "body" and after == "=":
                t.what, declares = "definition", None
            elif here == "body" and declares == "names":
                t.what = "declaration"
            elif here == "body" and declares == "type" and last == "colon":
                t.what = "type"
                if after != "[":
                    declares = None
            elif here == "settings" and complete:
                t.what = "key"
                value = False
            elif after == "(":
                t.what = "call"
            elif after == ":":
                t.what = "label"
            elif last == "arrow":
                t.what = "call"
            elif here == "settings" and last in ("key", "comma"):
                t.what = "value"
            elif t.text in ("in", "index"):
                t.what = "special"
            else:
                t.what = "name"
        else:
            value = True
        complete = value
    return result


def rows(text):
    """(line, column, end, class, text), columns in bytes from 1"""
    out = []
    for t in classify(text):
        line = text.count("\n", 0, t.at) + 1
        start = text.rfind("\n", 0, t.at) + 1
        column = len(text[start:t.at].encode()) + 1
        out.append((line, column, column + len(t.text.encode()), t.what, t.text))
    return out


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as spec:
        for row in rows(spec.read()):
            print("\t".join(str(x) for x in row))
