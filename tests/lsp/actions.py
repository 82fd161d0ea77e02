"""What extracting and inlining give: actions.py STOWAGE. In a text, [[ and ]] stand around what is selected."""
import os
import sys
import tempfile

from client import Client, Refused

HEAD = """network n {
  input  x : f32[3, 8, 8]
  target t : f32[4]
"""
TAIL = """  y = h -> flatten -> dense(4)
  loss mse(y, t)
}
"""

# what, text, kind, end of the title or None where nothing is offered, text afterwards
CASES = [
    ("the parts of a repetition, which keep their paths",
     HEAD + "  h = x -> 2 * ([[conv(3, 3, pad=1) -> relu]])\n" + TAIL, "extract", "extract block",
     "block part {\n  out = in -> conv(3, 3, pad=1) -> relu\n}\n\n" + HEAD + "  h = x -> 2 * (part)\n" + TAIL),
    ("what a label names, which keeps its paths",
     HEAD + "  h = x -> body: ([[conv(3, 3, pad=1) -> relu]])\n" + TAIL, "extract", "extract block",
     "block part {\n  out = in -> conv(3, 3, pad=1) -> relu\n}\n\n" + HEAD + "  h = x -> body: (part)\n" + TAIL),
    ("arms, blanks and an arrow around them",
     HEAD + "  h = x -> conv(3, 3)[[ -> batchnorm -> relu ]]-> conv(4, 1)\n" + TAIL, "extract",
     "(weights get other names)",
     "block part {\n  out = in -> batchnorm -> relu\n}\n\n" + HEAD + "  h = x -> conv(3, 3) -> part -> conv(4, 1)\n" +
     TAIL),
    ("an arm without weights",
     HEAD + "  h = x -> conv(3, 3) -> [[relu]] -> conv(4, 1)\n" + TAIL, "extract", "(layers get other paths)",
     "block part {\n  out = in -> relu\n}\n\n" + HEAD + "  h = x -> conv(3, 3) -> part -> conv(4, 1)\n" + TAIL),
    ("what reads parameters of its block",
     "block b(width, size=3) {\n  out = in -> [[conv(width, size)]] -> relu\n}\n\n" + HEAD + "  h = x -> b(4)\n" + TAIL,
     "extract", "(weights get other names)",
     "block part(width, size) {\n  out = in -> conv(width, size)\n}\n\nblock b(width, size=3) {\n"
     "  out = in -> part(width, size) -> relu\n}\n\n" + HEAD + "  h = x -> b(4)\n" + TAIL),
    ("a sum of two tensors",
     HEAD + "  a = x -> conv(3, 1)\n  h = [[a + x]] -> relu\n" + TAIL, "extract", "(layers get other paths)",
     "block part {\n  input a, x\n  out = a + x\n}\n\n" + HEAD + "  a = x -> conv(3, 1)\n  h = part(a, x) -> relu\n" +
     TAIL),
    ("statements, one of which is read behind them",
     HEAD + "  [[a = x -> conv(3, 1)\n  b = a + x]]\n  h = b -> relu\n" + TAIL, "extract",
     "(weights get other names)",
     "block part {\n  a   = in -> conv(3, 1)\n  out = a + in\n}\n\n" + HEAD + "  b = x -> part\n  h = b -> relu\n" + TAIL),
    ("statements, two of which are",
     HEAD + "  [[a = x -> conv(3, 1)\n  b = a + x]]\n  h = b -> relu -> add(a)\n" + TAIL, "extract",
     "(weights get other names)",
     "block part {\n  a   = in -> conv(3, 1)\n  out = a + in\n}\n\n" + HEAD +
     "  b = x -> part\n  h = b -> relu -> add(b.a)\n" + TAIL),
    ("half an arm", HEAD + "  h = x -> co[[nv(3, 3) -> re]]lu\n" + TAIL, "extract", None, None),
    ("a loss", HEAD + "  h = x\n" + TAIL.replace("loss mse(y, t)", "[[loss mse(y, t)]]"), "extract", None, None),
    ("what applies a layer again",
     HEAD + "  g = x -> a: conv(3, 1)\n  h = g -> relu [[-> a]]\n" + TAIL, "extract", None, None),
    ("what no network uses",
     "block b {\n  out = in -> [[relu]]\n}\n" + HEAD + "  h = x\n" + TAIL, "extract", None, None),
    ("a text with an error",
     HEAD + "  h = x -> [[relu]] -> nothing\n" + TAIL, "extract", None, None),
    ("a pipe, so that it is numbered as before",
     "block b(k) { out = in -> conv(k, 1) -> relu }\n\n" + HEAD + "  h = x -> [[]]b(3)\n" + TAIL, "inline",
     "inline block b",
     "block b(k) { out = in -> conv(k, 1) -> relu }\n\n" + HEAD + "  h = x -> 1 * (conv(3, 1) -> relu)\n" + TAIL),
    ("a pipe in a repetition",
     "block b(k) { out = in -> conv(k, 1) -> relu }\n\n" + HEAD + "  h = x -> 2 * [[]]b(1 + 2)\n" + TAIL, "inline",
     "inline block b",
     "block b(k) { out = in -> conv(k, 1) -> relu }\n\n" + HEAD + "  h = x -> 2 * (conv((1 + 2), 1) -> relu)\n" + TAIL),
    ("statements",
     "block b { f = in -> conv(3, 1)  out = f + in }\n\n" + HEAD + "  h = x -> [[]]b -> relu\n  g = h\n" + TAIL, "inline",
     "(weights get other names)",
     "block b { f = in -> conv(3, 1)  out = f + in }\n\n" + HEAD +
     "  f = x -> conv(3, 1)\n  h = f + x -> relu\n  g = h\n" + TAIL),
    ("statements, one of which is read inside",
     "block b { f = in -> conv(3, 1)  out = f + in }\n\n" + HEAD + "  g = x -> [[]]b\n  h = g + g.f\n" + TAIL, "inline",
     "(weights get other names)",
     "block b { f = in -> conv(3, 1)  out = f + in }\n\n" + HEAD +
     "  f = x -> conv(3, 1)\n  g = f + x\n  h = g + f\n" + TAIL),
    ("statements, whose names are taken",
     "block b { x = in -> conv(3, 1)  out = x + in }\n\n" + HEAD + "  h = x -> [[]]b\n" + TAIL, "inline",
     "(weights get other names)",
     "block b { x = in -> conv(3, 1)  out = x + in }\n\n" + HEAD + "  h_x = x -> conv(3, 1)\n  h   = h_x + x\n" + TAIL),
    ("everywhere, at the definition",
     "# gone with it\nblock [[]]b(k) { out = in -> conv(k, 1) -> relu }\n\n" + HEAD + "  g = x -> 2 * b(3)\n  h = g -> tail: b(4)\n" +
     TAIL, "inline", "inline block b everywhere, and remove it",
     HEAD + "  g = x -> 2 * (conv(3, 1) -> relu)\n  h = g -> tail: (conv(4, 1) -> relu)\n" + TAIL),
    ("everywhere, where the second of a name gets a number",
     "block [[]]b(k) { out = in -> conv(k, 1) }\n\n" + HEAD + "  h = x -> a: b(3) -> c: b(4)\n" + TAIL, "inline",
     "and remove it (weights get other names)", HEAD + "  h = x -> a: (conv(3, 1)) -> c: (conv(4, 1))\n" + TAIL),
    ("statements one after the other in a repetition, which keep their paths as labels",
     "block b(k) {\n  f = in -> conv(k, 1) -> relu\n  g = f -> batchnorm -> tanh\n  out = g -> sigmoid\n}\n\n" + HEAD +
     "  h = x -> 2 * [[]]b(5)\n" + TAIL, "inline", "inline block b",
     "block b(k) {\n  f = in -> conv(k, 1) -> relu\n  g = f -> batchnorm -> tanh\n  out = g -> sigmoid\n}\n\n" + HEAD +
     "  h = x -> 2 * (f: (conv(5, 1) -> relu) -> g: (batchnorm -> tanh) -> sigmoid)\n" + TAIL),
    ("statements of one layer each in a repetition",
     "block b {\n  input v\n  f = v -> conv(3, 1)\n  out = f -> relu\n}\n\n" + HEAD + "  h = x -> 2 * [[]]b\n" + TAIL,
     "inline", "(weights get other names)",
     "block b {\n  input v\n  f = v -> conv(3, 1)\n  out = f -> relu\n}\n\n" + HEAD +
     "  h = x -> 2 * (conv(3, 1) -> relu)\n" + TAIL),
    ("statements, one of which is not read, in a repetition",
     "block b { f = in -> conv(3, 1)  g = f -> relu  out = f -> relu }\n\n" + HEAD + "  h = x -> 2 * [[]]b\n" + TAIL,
     "inline", None, None),
    ("statements in a repetition, whose copies' input is read twice",
     "block b { f = in -> conv(3, 1)  out = f + in }\n\n" + HEAD + "  h = x -> 2 * [[]]b\n" + TAIL, "inline", None, None),
    ("a block that uses itself, at its definition",
     "block [[]]b(n) { out = if n == 0 then in -> relu else in -> b(n - 1) }\n\n" + HEAD + "  h = x -> b(2)\n" + TAIL,
     "inline", None, None),
    ("a pipe with a comment, which would go",
     "block b { f = in -> conv(3, 1)  out = f + in }\n\n" + HEAD + "  h = x    # why\n      -> [[]]b\n" + TAIL, "inline",
     None, None),
]


def place(text, at):
    return {"line": text.count("\n", 0, at), "character": at - (text.rfind("\n", 0, at) + 1)}


def offset(text, p):
    return sum(len(l) + 1 for l in text.split("\n")[:p["line"]]) + p["character"]


def attempt(client, address, marked, kind):
    beg, end = marked.index("[["), marked.index("]]") - 2
    text = marked.replace("[[", "").replace("]]", "")
    client.open(address, text)
    actions = client.request("textDocument/codeAction", {
        "textDocument": {"uri": address}, "range": {"start": place(text, beg), "end": place(text, end)},
        "context": {"diagnostics": [], "only": ["refactor." + kind]}})
    if not actions:
        return None, None
    edit, = actions[0]["edit"]["changes"][address]
    return actions[0]["title"], text[:offset(text, edit["range"]["start"])] + edit["newText"] + \
        text[offset(text, edit["range"]["end"]):]


def main():
    folder = os.path.realpath(tempfile.mkdtemp(prefix="actions."))
    client = Client({})
    address = "file://%s/a.nn" % folder
    for n, (what, text, kind, wanted, result) in enumerate(CASES, 1):
        title, found = attempt(client, address, text, kind)
        good = title is None if wanted is None else title is not None and title.endswith(wanted) and \
            "".join(found.split()) == "".join(result.split())
        print("%s %d - %s: %s%s" % ("ok" if good else "not ok", n, kind, what, "" if wanted else ": not offered"))
        if not good:
            print("# %s\n# %s" % (title, (found or "").replace("\n", "\n# ")))
    print("1..%d" % len(CASES))
    client.stop()
    os.rmdir(folder)


main()
