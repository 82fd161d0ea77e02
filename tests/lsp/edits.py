import json
import os
import random
import re
import sys

from client import Client, eventually, uri_of
from findings import difference, lint, said
from tap import case, equal, ok
from text import Text

COUNT = int(sys.argv[1])
FAMILY_ROUNDS = COUNT // 40
PIECES = ["\n", "\r\n", "\r", "\n\n", "\r\r\n", " ", "\t", "x", "dense(8)", " -> relu", "#", "# \u00e9\n", "\u00e9",
          "\u00df", "\u4e2d\u6587", "\U0001f600", "\U0001f600\U0001f601", "\U00010000", "a\u0301", "\u2028", "\x0b", "\x0c",
          "\x85", "\ud83d", "\ude00", "\0", "}", "{", "network n {\n", "  h = x -> dense(3)\n", "train { batch 8 }\r\n", "\ufeff", "\ufffd", ""]
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


def received(text):
    """What a server that has no halves of characters makes of a text that it is sent: two that fit together are
    one, and U+FFFD stands for the others."""
    text = re.sub("[\ud800-\udbff][\udc00-\udfff]", lambda m: m[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


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
        new = SPEC if kind < 0.5 else new
        text.text = received(new)
        return {"text": new}
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
    text.change({"start": start, "end": end}, received(new))
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


def halves():
    """A character that is typed in halves, and what is typed behind it."""
    c = Client()
    uri = uri_of("halves.nn")
    c.open(uri, "# x\n")
    for at, half in ((2, "\ud83d"), (3, "\ude00"), (4, "y")):
        here = {"line": 0, "character": at}
        c.change(uri, {"range": {"start": here, "end": here}, "text": half})
    equal(c.text(uri), "# \ufffd\ufffdyx\n", "what follows a character in halves stands where the editor has it")
    here = {"line": 0, "character": 2}
    c.change(uri, {"range": {"start": here, "end": {"line": 0, "character": 4}}, "text": "\U0001f600"})
    equal(c.text(uri), "# \U0001f600yx\n", "and the halves can be replaced by what they were to be")
    equal(c.request("stowage/text", {"textDocument": {"uri": uri}, "half": "\udc00"})["version"], c.versions[uri],
          "a request with half a character is answered")
    equal(c.stop(), 0, "and the server is well")


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


# Networks that share blocks, with findings in networks, in blocks, in both by the same cause, and fixes.
FAMILY = """block unit(width, rate=0.9) { out = in -> dense(width) -> relu -> dropout(rate) }
block twice(width) {
  h = in -> unit(width)
  out = h -> unit(width, 0.2) -> batchnorm
}
block alone(width) { out = in -> dense(width) -> sigmoid -> sigmoid -> sigmoid -> sigmoid }

network one {
  input  x : f32[64]
  target y : class[10]
  h = x -> twice(32) -> dense(64, bias=true) -> batchnorm -> relu
  loss cross_entropy(h -> dense(10) -> softmax, y)
}
network two {
  input  x : f32[64]
  target y : class[10]
  dead = x -> dense(3)
  h = x -> unit(8) -> dense(5) -> dense(7)
  loss cross_entropy(h -> dense(10), y)   # stowage: allow(softmax-before-cross-entropy) none is there
}

device { memory 2MiB }

network three {
  input  x : f32[3, 32, 32]
  target y : class[10]
  h = x -> local(4, 3) -> relu -> flatten -> alone(20)
  loss cross_entropy(h -> softmax -> dense(10), y)
  metric accuracy(h -> dense(10), y)
}
network four {
  input  x : f32[16]
  target y : f32[1]
  loss mse(x -> alone(4) -> dense(1), y)
}
train { batch 8  optimizer sgd(lr=5)  data synthetic(64) }
"""
KEYS = ["0", "1", "9", "", " ", "\n", "# no\n", "relu -> ", "-> softmax", "dead2 = x -> dense(4)\n", "(", "}", "alone(3) -> ",
        "unit(4) -> ", "twice(4) -> ", "nothing -> ", "two", "\u00e9", "device { memory 1GiB }\n", "block more { out = in -> relu }\n"]


def some_key(rng, text):
    """What is typed mostly within a network or a block; what was broken is often mended."""
    numbers = [m.start() for m in re.finditer(r"[0-9]", text.text)]
    kind = rng.random()
    if kind < 0.3 or not numbers:
        return {"text": FAMILY}
    at = rng.choice(numbers) if kind < 0.8 else rng.randrange(len(text.text) + 1)
    end = min(len(text.text), at + (rng.random() < 0.7))
    return {"range": text.span(at, end), "text": rng.choice(KEYS[:4]) if kind < 0.8 else rng.choice(KEYS)}


def shown(c, uri, text):
    """What whole plans say of it: hints, lenses, and a hover on each network."""
    here = {"textDocument": {"uri": uri}}
    places = [text.position(m.end()) for m in re.finditer(r"(network|block) .", text.text)]
    return [c.request("textDocument/inlayHint", {**here, "range": text.span(0, len(text.text))}),
            c.request("textDocument/codeLens", here),
            [c.request("textDocument/hover", {**here, "position": p}) for p in places]]


def networks_apart():
    """Networks that are as they were are not compiled again, and nobody can tell."""
    rng, wrong, with_errors = random.Random(12), [], 0
    c, fresh = Client(), Client()
    uri, copy = uri_of("family.nn"), Text(FAMILY)
    c.open(uri, FAMILY)
    for k in range(FAMILY_ROUNDS):
        for _ in range(rng.choice([1, 1, 1, 2])):
            change = some_key(rng, copy)
            if "range" in change:
                copy.change(change["range"], change["text"])
            else:
                copy.text = change["text"]
            c.change(uri, change)
        found = said(c.diagnosed(uri))
        with open("family.nn", "wb") as f:
            f.write(copy.text.encode())
        wanted = lint("family.nn")[uri]
        with_errors += any(f[4] == 1 and f[5] in ("syntax", "name", "type", "shape", "value") for f in wanted)
        if found != wanted:
            wrong.append(f"round {k}: {copy.text!r}\n{difference(found, wanted)}")
        if k % 3 == 0:
            other = uri_of("fresh.nn")
            fresh.open(other, copy.text)
            got = want = None

            def alike():
                nonlocal got, want
                got, want = shown(c, uri, copy), shown(fresh, other, copy)
                return json.dumps(got).replace("family.nn", "fresh.nn") == json.dumps(want)

            if not eventually(alike):     # the largest batches come a little later than the rest
                wrong.append(f"round {k}: {copy.text!r}\n{got}\nwanted:\n{want}")
            fresh.close(other)
    ok(not wrong, "what is known of networks that did not change holds", "\n".join(wrong[:3]))
    ok(FAMILY_ROUNDS // 5 < with_errors < FAMILY_ROUNDS * 4 // 5, f"{with_errors} of {FAMILY_ROUNDS} texts with errors")
    c.stop()
    fresh.stop()


for test in (lambda: follow("utf-16", COUNT), lambda: follow("utf-8", COUNT // 2), halves, findings, networks_apart):
    case(test)
