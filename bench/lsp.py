#!/usr/bin/env python3
"""How long the language server takes: from an edit to its diagnostics, and to figures of whole plans.

    bench/lsp.py [--stowage ./stowage] [--edits 100] [--many 100000] [--instructions]

The texts are made anew, always the same ones: 3,000 lines of blocks and one network, 3,000 lines of 30
networks, the same with a finding in every tenth line, and ResNet-152 as it is in specs/. Each edit is a digit
that is typed behind a layer's first number, or taken away again. The time ends when the diagnostics of that
version have come, or the answer to a hover, which waits for whole plans. The least, the median and the largest
of all edits are printed. --many edits come as fast as the server takes them, and its memory is read before and
after.

--instructions counts those of `stowage lint` on the same texts, by callgrind: a server's analysis is a process
of its own, which does the same.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
parser.add_argument("--stowage", default="./stowage")
parser.add_argument("--edits", type=int, default=100)
parser.add_argument("--many", type=int, default=100_000)
parser.add_argument("--instructions", action="store_true")
args = parser.parse_args()
os.environ["STOWAGE"] = os.path.abspath(args.stowage)
sys.path.insert(0, os.path.join(HERE, "..", "tests", "lsp"))
from client import Client  # noqa: E402


def head(name):
    return [f"network {name} {{", "  input  x : f32[64]", "  target y : class[10]"]


def long_text(lines, findings):
    """Networks of 100 lines each; one in ten lines has a layer that nothing uses."""
    out, k = ["# Made by bench/lsp.py"], 0
    while len(out) < lines - 4:
        out += head(f"net{k}")
        last = "x"
        for i in range(94):
            if findings and i % 10 == 5:
                out.append(f"  dead{i} = {last} -> dense(3)")
            else:
                out.append(f"  h{i} = {last} -> dense(64) -> relu")
                last = f"h{i}"
        out += [f"  loss cross_entropy({last} -> dense(10), y)", "}", ""]
        k += 1
    out += ["train { batch 8  data synthetic(64) }"]
    return "\n".join(out) + "\n"


def library(lines):
    """Blocks of ten lines, and one network, which uses two of them."""
    out, k = ["# Made by bench/lsp.py"], 0
    while len(out) < lines - 10:
        out += [f"# unit {k}: two convolutions beside a shortcut", f"block unit{k}(width, stride=1, rate=0.1) {{",
                "  one  = in  -> conv(width, 3, stride=stride, pad=1, bias=false) -> batchnorm -> relu",
                f"  two  = one -> conv({32 + k % 7} + width, 3, pad=1, bias=false) -> batchnorm",
                f"  skip = if stride != 1 or channels(in) != {32 + k % 7} + width",
                f"         then in -> conv({32 + k % 7} + width, 1, stride=stride, bias=false) -> batchnorm",
                "         else in", "  out  = two + skip -> relu -> dropout(rate)", "}", ""]
        k += 1
    out += ["network net {", "  input  x : f32[3, 32, 32]", "  target y : class[10]",
            "  h = x -> unit1(16) -> unit2(32, stride=2) -> global_avgpool -> flatten",
            "  loss cross_entropy(h -> dense(10), y)", "}", "train { batch 8  data synthetic(64) }"]
    return "\n".join(out) + "\n"


def key(c, uri, place, k):
    """One key: a digit is typed, or taken away again."""
    c.change(uri, {"range": {"start": place, "end": {"line": place["line"], "character": place["character"] + k % 2}},
                   "text": "" if k % 2 else "1"})


def times(text, finish):
    c = Client()
    uri = "untitled:bench.nn"
    lines = text.split("\n")
    layers = [i for i, line in enumerate(lines) if re.search(r"(dense|conv)\([^)]*\d", line)]
    middle = layers[len(layers) // 2]
    digit = re.search(r"(dense|conv)\([^)]*\d", lines[middle])
    place = {"line": middle, "character": digit.end()}
    c.open(uri, text)
    c.diagnosed(uri, 600)
    finish(c, uri, place)
    took = []
    for k in range(args.edits):
        time.sleep(0.01)
        start = time.perf_counter()
        key(c, uri, place, k)
        finish(c, uri, place)
        took.append(1000 * (time.perf_counter() - start))
    c.stop()
    return took


def diagnosed(c, uri, place):
    while c.diagnostics.get(uri, {}).get("version") != c.versions[uri]:
        c.take(600)


def planned(c, uri, place):
    c.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": place}, 600)


def row(what, took):
    print(f"| {what} | {min(took):,.1f} | {statistics.median(took):,.1f} | {max(took):,.1f} |", flush=True)


def status(pid, field):
    with open(f"/proc/{pid}/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith(field + ":"))


def memory(text, count):
    """KiB after a hundredth of the edits and after all of them."""
    c = Client()
    uri = "untitled:bench.nn"
    c.open(uri, text)
    c.diagnosed(uri, 600)
    place, early, start = {"line": len(text.split("\n")) // 2, "character": 3}, None, time.perf_counter()
    for k in range(count):
        key(c, uri, place, k)
        if k % 100 == 0:
            c.settle()
            c.notes.clear()
        if k == count // 100:
            early = status(c.process.pid, "VmHWM"), status(c.process.pid, "VmRSS")
    c.settle()
    took = time.perf_counter() - start
    late = status(c.process.pid, "VmHWM"), status(c.process.pid, "VmRSS")
    c.stop()
    print(f"\n{count:,} edits in {took:.0f} s: VmHWM {early[0]:,} KiB after {count // 100:,}, {late[0]:,} KiB after all; "
          f"VmRSS {early[1]:,} and {late[1]:,} KiB")


def instructions(what, text):
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/a.nn", "w") as f:
            f.write(text)
        run = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", args.stowage,
                              "lint", "-J", "1", "--exit-zero", f"{folder}/a.nn"], capture_output=True, text=True)
    print(f"| {what} | {int(re.search(r'Collected : ([0-9]+)', run.stderr)[1]) / 1e6:,.1f} |", flush=True)


with open(os.path.join(HERE, "..", "specs", "resnet152.nn")) as f:
    RESNET = f.read()
TEXTS = [("3,000 lines of blocks, 298 unused", library(3000)),
         ("3,000 lines, 30 networks", long_text(3000, False)),
         ("the same with 270 findings", long_text(3000, True)),
         ("ResNet-152", RESNET)]
print("| from an edit to | least ms | median ms | largest ms |\n|---|---|---|---|")
for name, text in TEXTS:
    row(f"diagnostics, {name}", times(text, diagnosed))
row("a hover with the whole plan, ResNet-152", times(RESNET, planned))
if args.many:
    memory(TEXTS[0][1], args.many)
if args.instructions:
    print("\n| lint | millions of instructions |\n|---|---|")
    for name, text in TEXTS:
        instructions(name, text)
