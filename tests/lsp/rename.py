"""What renaming gives, and what it refuses: rename.py STOWAGE. In a text, ^ stands before the name."""
import os
import sys
import tempfile

from client import Client, Refused

HEAD = """network n {
  input  x : f32[8]
  target t : f32[4]
"""
BODY = HEAD + """  h = x -> ^dense(8)
  y = h -> last: dense(4)
  loss mse(y, t)
}
"""
LABEL = HEAD + """  h = x -> ^code: dense(8) -> relu
  y = h -> code -> relu -> dense(4)
  loss mse(y, t)
}
"""
TWO = """block p { out = in -> ^a: dense(4) }
block q { out = in -> a: dense(4) }
""" + HEAD + """  y = x -> p -> q -> dense(4)
  loss mse(y, t)
}
train { optimizer sgd(lr=0.1, weight_decay=0.1, no_decay="*.a")  freeze *.a.weight }
"""
OUTER = """param ^w = 4
block b(width) { out = in -> dense(width + w) }
""" + HEAD + """  y = x -> b(2) -> dense(4)
  loss mse(y, t)
}
"""
SECOND = """param ^w = 4
param v = 5
block b { out = in -> dense(w) }
""" + HEAD + """  y = x -> b -> dense(4)
  loss mse(y, t)
}
"""
NETS = """network ^one { input x : f32[4]  target t : f32[4]  y = x -> dense(4)  loss mse(y, t) }
network two { input x : f32[4]  target t : f32[4]  y = x -> dense(4)  loss mse(y, t) }
train one { batch 4 }
validate one { batch 2  data synthetic(8) }
train two { batch 5 }
"""
DATA = """network n {
  input  ^x : f32[8]
  target t : f32[8]
  y = (x) -> dense(8)
  loss fit: mse(y, t)
}
train    { data npy(x="a.npy", t="b.npy", scale=0.5) }
validate { data npy(t="b.npy", x="a.npy") }
"""
UNUSED = """block one { ^deep = in -> dense(3)  out = deep -> relu }
block two { v = in -> one  out = v.deep -> relu }
""" + HEAD + """  y = x -> dense(4)
  loss mse(y, t)
}
"""
WIDTH = """block b(^width, c) { out = in -> dense(width) -> dense(floor(c)) }
""" + HEAD + """  y = x -> b(width=4, c=4)
  loss mse(y, t)
}
"""
INPUTS = """block b { input x, ^far  out = x + (far -> dense(8)) }
""" + HEAD + """  y = b(x, far=x) -> dense(4)
  loss mse(y, t)
}
"""

# text, new name, and what is to come of it: a text with the new name as ^, or what the refusal says
CASES = [
    ("letters", LABEL, "1st", "is no name"),
    ("blanks", LABEL, "a b", "is no name"),
    ("nothing", LABEL, "", "is no name"),
    ("other alphabets", LABEL, "caf\u00e9", "is no name"),
    ("keywords", LABEL, "if", "'if' is a keyword"),
    ("keywords of the file", LABEL, "train", "'train' is a keyword"),
    ("in", LABEL, "in", "has a meaning of its own"),
    ("index", LABEL, "index", "has a meaning of its own"),
    ("out", LABEL, "out", "is what a block gives back"),
    ("a name of the body", LABEL, "y", "'y' is taken: it is defined in line 5"),
    ("an input", LABEL, "x", "'x' is taken: it is defined in line 2"),
    ("an operator that is used behind it", LABEL, "relu", "'relu' would mean something else in line 4"),
    ("a name of the file", SECOND, "v", "'v' is taken: it is defined in line 2"),
    ("a block", SECOND, "b", "'b' is taken"),
    ("what a block has of its own", OUTER, "width", "'width' would mean something else in line 2"),
    ("another network", NETS, "two", "'two' is taken"),
    ("an option of the data", DATA, "scale", "it would bring the error \"scale must be a number"),
    ("no name at all", BODY, "thing", "there is no name here"),
    ("a label, where it is applied again", LABEL, "fresh", LABEL.replace("^code", "^").replace("-> code", "-> ^")),
    ("a label, of two of that name in settings", TWO, "b", TWO.replace("^a: dense", "^: dense").replace(
        'no_decay="*.a"', 'no_decay=("*.^", "*.a")').replace("*.a.weight", "*.^.weight, *.a.weight")),
    ("a network, with its sections", NETS, "net", NETS.replace("^one", "^").replace(" one ", " ^ ")),
    ("an input, with its data", DATA, "image", DATA.replace("^x", "^").replace("(x", "(^").replace(", x=", ", ^=")),
    ("a definition, in a block that is not used", UNUSED, "depth", UNUSED.replace("^deep", "^").replace("deep", "^")),
    ("a parameter, with where it is given", WIDTH, "channels", WIDTH.replace("^width", "^").replace("width", "^")),
    ("an input of a block, with where it is given", INPUTS, "memory", INPUTS.replace("^far", "^").replace("far", "^")),
    ("a parameter, called like an operator that is not used", WIDTH, "relu",
     WIDTH.replace("^width", "^").replace("width", "^")),
    ("a parameter, called like the operator that takes it", WIDTH, "dense",
     WIDTH.replace("^width", "^").replace("width", "^")),
    ("a number of the file, called like the operator that takes it", SECOND, "dense",
     SECOND.replace("^w", "^").replace("(w)", "(^)")),
    ("a parameter, called like a function that is used", WIDTH, "floor",
     WIDTH.replace("^width", "^").replace("width", "^")),
]


def place(text, at):
    return {"line": text.count("\n", 0, at), "character": at - (text.rfind("\n", 0, at) + 1)}


def apply(text, edit, address):
    if list(edit["changes"]) != [address]:
        return "other files change"
    lines = text.split("\n")
    for e in sorted(edit["changes"][address], key=lambda e: (-e["range"]["start"]["line"],
                                                            -e["range"]["start"]["character"])):
        beg, end = e["range"]["start"], e["range"]["end"]
        lines[beg["line"]] = lines[beg["line"]][:beg["character"]] + e["newText"] + \
            lines[end["line"]][end["character"]:]
    return "\n".join(lines)


def attempt(client, address, marked, name):
    text = marked.replace("^", "")
    client.open(address, text)
    at = {"textDocument": {"uri": address}, "position": place(text, marked.index("^"))}
    try:
        edit = client.request("textDocument/rename", {**at, "newName": name})
        return apply(text, edit, address)
    except Refused as e:
        return e.message


def main():
    folder = os.path.realpath(tempfile.mkdtemp(prefix="rename."))
    client = Client({})
    address = "file://%s/a.nn" % folder
    for n, (what, text, name, wanted) in enumerate(CASES, 1):
        found = attempt(client, address, text, name)
        renamed = wanted.count("\n") > 1
        good = found == wanted.replace("^", name) if renamed else wanted in found and found.count("\n") == 0
        print("%s %d - %s %s" % ("ok" if good else "not ok", n, "renamed:" if renamed else "refused:", what))
        if not good:
            print("# it gave\n# %s" % found.replace("\n", "\n# "))
    n = len(CASES)
    out = "block b { ^out = in -> dense(4) }\n"
    for what, text, wanted in (("`out` is known not to be", out, "is what a block gives back"),
                               ("an operator is known not to be", BODY, None)):
        client.open(address, text.replace("^", ""))
        try:
            found = client.request("textDocument/prepareRename", {
                "textDocument": {"uri": address}, "position": place(text, text.index("^"))})
        except Refused as e:
            found = e.message
        n += 1
        good = found is None if wanted is None else isinstance(found, str) and wanted in found
        print("%s %d - %s" % ("ok" if good else "not ok", n, what))
    print("1..%d" % n)
    client.stop()
    os.rmdir(folder)


main()
