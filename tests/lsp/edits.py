import os
import random
import sys

from client import Client, uri_of
from findings import difference, lint, said
from tap import case, ok
from text import Text

COUNT = int(sys.argv[1])
PIECES = ["\n", "\r\n", "\r", "\n\n", "\r\r\n", " ", "\t", "x", "dense(8)", " -> relu", "#", "# \u00e9\n", "\u00e9",
          "\u00df", "\u4e2d\u6587", "\U0001f600", "\U0001f600\U0001f601", "\U00010000", "a\u0301", "\u2028", "\x0b", "\x0c",
          "\x85", "\0", "}", "{", "network n {\n", "  h = x -> dense(3)\n", "train { batch 8 }\r\n", "\ufeff", "\ufffd", ""]
SPEC = """network net {\r
  input  x : f32[4]
  target y : class[2]   # \U0001f600 \u00e9
  h = x -> dense(8) -> relu\r
  loss cross_entropy(h -> dense(2), y)
}
train { batch 8  data synthetic(64) }
"""


def some_text(rng):
    return "".join(rng.choice(PIECES) for _ in range(rng.choice([0, 1, 1, 1, 2, 3, 8])))


def some_position(rng, text):
    lines = text.lines()
    kind = rng.random()
    if kind < 0.03:     # past all ends, or before them
        return {"line": rng.choice([-1, 0, len(lines) - 1, len(lines), len(lines) + 5, 2**31 - 1]),
                "character": rng.choice([-1, 0, 3, 10**6, 2**31 - 1])}
    line = rng.randrange(len(lines))
    begin, end = lines[line]
    units = sum(text.units(c) for c in text.text[begin:end])
    if kind < 0.1:
        return {"line": line, "character": units + rng.randrange(4)}
    return {"line": line, "character": rng.randint(0, units)}   # within a character too


def some_change(rng, text):
    """A change; it is made to the copy as well, if it makes sense."""
    new = some_text(rng)
    kind = rng.random()
    if kind < 0.01 or len(text.text) > 4000:
        text.text = SPEC if kind < 0.5 else new
        return {"text": text.text}
    if kind < 0.03:     # no change at all
        here = some_position(rng, text)
        return rng.choice([
            {"range": {"start": here, "end": here}},
            {"range": {"start": here, "end": here}, "text": 3},
            {"range": {"start": here}, "text": new},
            {"range": {"start": {"line": "0", "character": 0}, "end": here}, "text": new},
            {"range": {"start": {"line": 0.5, "character": 0}, "end": here}, "text": new},
            {"range": 3, "text": new}, {}, "text"])
    start = some_position(rng, text)
    end = start
    if kind > 0.4:      # near it, mostly
        end = some_position(rng, text)
        if kind < 0.8:
            end = {"line": start["line"] + (kind < 0.5), "character": max(0, start["character"] + rng.randrange(-2, 9))}
    text.change({"start": start, "end": end}, new)
    return {"range": {"start": start, "end": end}, "text": new}


def memory(pid):
    with open(f"/proc/{pid}/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmHWM"))


def follow(encoding, count):
    rng = random.Random(f"{encoding} 1")
    c = Client(encoding=encoding)
    uri, copy, early, files = uri_of("edited.nn"), Text(SPEC, encoding), None, None
    c.open(uri, SPEC)
    done = rounds = 0
    while done < count:
        for _ in range(rng.randrange(1, 20)):
            changes = [some_change(rng, copy) for _ in range(rng.choice([1, 1, 1, 2, 5]))]
            c.change(uri, *changes)
            done += len(changes)
        got = c.text(uri)
        if got != copy.text:
            ok(False, f"{encoding}: the texts agree after {done} changes",
               f"got:    {got!r}\nwanted: {copy.text!r}\nlast: {changes!r}")
            return
        rounds += 1
        c.notes.clear()
        if not early and done > count // 4:
            early, files = memory(c.process.pid), len(os.listdir(f"/proc/{c.process.pid}/fd"))
    ok(True, f"{encoding}: the texts agree after each of {rounds} rounds, {done} changes")
    c.diagnosed(uri)
    late = memory(c.process.pid)
    ok(late - early < 2048, f"{encoding}: memory does not grow", f"{early} KiB, then {late} KiB")
    ok(len(os.listdir(f"/proc/{c.process.pid}/fd")) <= files + 2, f"{encoding}: nor do open files")
    ok(c.stop() == 0 and not c.complaints, f"{encoding}: the server is well", c.complaints)


def findings():
    """What is found after changes is what is found in the text that they make."""
    rng, wrong, errors, clean = random.Random(7), [], 0, 0
    c = Client()
    uri = uri_of("found.nn")
    for k in range(60):
        copy = Text(SPEC)
        c.open(uri, SPEC)
        for _ in range(rng.randrange(1, 4)):
            c.change(uri, some_change(rng, copy))
        found = said(c.diagnosed(uri))
        with open("found.nn", "wb") as f:
            f.write(copy.text.encode())
        wanted = lint("found.nn")[uri]
        if found != wanted:
            wrong.append(f"{copy.text!r}\n{difference(found, wanted)}")
        errors += any(f[4] == 1 for f in wanted)
        clean += not wanted
        c.close(uri)
    ok(not wrong, "findings after changes are those of the text that they make", "\n".join(wrong))
    ok(errors > 10 and clean > 3, f"{errors} texts with errors, {clean} without findings")
    c.stop()


for test in (lambda: follow("utf-16", COUNT), lambda: follow("utf-8", COUNT // 2), findings):
    case(test)
