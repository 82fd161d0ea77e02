#!/usr/bin/env python3
"""Budgets for `recompute auto(BYTES)`, from what keeping everything takes down to 1.1 times what one node needs.

    bench/budgets.py                          # 200 budgets for each network of TABLE, a quarter of an hour
    bench/budgets.py --budgets 20 vgg16 my.nn # fewer, of these
    bench/budgets.py --target cuda --markdown # for the other target; as the table of bench/README.md

Each budget must be kept, none may be refused, and a smaller one may never give a larger arena.

What one node needs is computed here, from the text of the graph after its last pass, and shares nothing with the
planner: the bytes of all that a node of the training step reads and writes, each storage once, its workspace, and what
nothing can make again (inputs, gradients, what a node makes beside its first output) while it is still to be read.
That is a bound from below: making again what a node reads may need more than the node itself.

The exit status is 1 if a budget was refused, exceeded, or gave more than a larger one.
"""
import argparse
import json
import os
import re
import resource
import subprocess
import sys

from memory import TOP, find

TABLE = ["alexnet", "vgg16", "resnet18", "resnet50", "googlenet", "densenet121", "mobilenet", "mobilenet_v2",
         "unet512", "vit_b16"]
WIDTH = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "u32": 4, "f16": 2, "bf16": 2, "i16": 2, "u8": 1, "i8": 1}


# ---- plans ----

class Network:
    def __init__(self, stowage, target, path):
        self.command = [stowage, "plan", f"--target={target}", "--objective=memory", "--threads=2"]
        self.name = os.path.basename(path).removesuffix(".nn")
        self.folder = os.path.dirname(path)
        self.text = re.sub(r"(?m)\brecompute +[^\s}]+", "", open(path).read())

    def run(self, recompute, *options):
        """What stowage says of the network with that setting, or its error."""
        text = re.sub(r"(?m)^(train\s*\{)", rf"\1 recompute {recompute} ", self.text, count=1)
        done = subprocess.run([*self.command, *options, "-"], input=text,
                              text=True, capture_output=True, cwd=self.folder)
        return done.stdout, done.stderr + done.stdout if done.returncode else ""

    def plan(self, recompute):
        out, error = self.run(recompute, "--format=json")
        return (None, error) if error else (json.loads(out), "")


# ---- what one node needs ----

def bytes_of(dtype, dims, batch, alignment):
    size = WIDTH[dtype]
    for d in filter(None, (d.strip() for d in dims.split(","))):
        if "B" in d and "+" in d:       # u8[65536 + 9408 B]
            fixed, each = d.split("+")
            size *= int(fixed) + int(each.replace("B", "")) * batch
        else:
            size *= batch if d == "B" else int(d)
    return -(-size // alignment) * alignment


class Graph:
    """The training step, or the validation step, as the text of the IR has it."""

    tensor = re.compile(r"(%\d+) (\w+)\[([^\]]*)\] ?([\w-]*)")

    def __init__(self, text, alignment, which):
        self.root, self.size, self.lasting = {}, {}, set()
        self.node = []                  # (reads, writes, workspace, phase)
        graph = re.search(rf"(?ms)^graph {which} batch (\d+).*?(?=^graph |\Z)", text)
        self.trains = which == "train"
        self.batch, self.alignment = int(graph[1]), alignment
        for line in text[:text.index("\ngraph ")].splitlines():
            m = self.tensor.search(line)
            if m and not line.startswith("graph"):
                self.lasting.add(m[1])
        for line in graph[0].splitlines()[1:]:
            self.read_line(line)

    def add(self, text):
        m = self.tensor.search(text)
        if not m:
            return None
        over = re.search(r" over (%\d+)", text)
        self.root[m[1]] = self.root.get(over[1], over[1]) if over else m[1]
        self.size[m[1]] = bytes_of(m[2], m[3], self.batch, self.alignment)
        return m[1]

    def read_line(self, line):
        names = re.sub(r'"[^"]*"', "", line)
        if re.match(r"\s+(input|target|sample)\b", names):
            self.add(names)
            return
        m = re.match(r"\s+(%.*?) = \w+\(([^)]*)\) ", names)
        if not m:
            return
        writes = [t for t in map(self.add, re.split(r", (?=%|_)", m[1])) if t]
        reads = re.findall(r"%\d+", m[2])
        work = re.search(r" using (%\d+ \w+\[[^\]]*\])", names)
        size = self.size[self.add(work[1])] if work else 0
        phase = "forward" if re.search(r"\} forward", names) else "backward"
        self.node.append((reads, writes, size, phase))

    def roots(self, tensors):
        return {self.root.get(t, t) for t in tensors} - self.lasting

    def least(self):
        """Bytes, beside what lasts, below which no step with these nodes in this order can be. In validation nothing is
        made again."""
        again = {self.root[w[0]] for _, w, _, phase in self.node if phase == "forward" and w and self.trains}
        first, last = {}, {}
        for t in set(self.root.values()) - self.lasting:
            if not any(t in self.roots(w) for _, w, _, _ in self.node):
                first[t] = 0
        for i, (reads, writes, _, _) in enumerate(self.node):
            for t in self.roots(reads + writes):
                first.setdefault(t, i)
                last[t] = i
        most = 0
        for i, (reads, writes, work, _) in enumerate(self.node):
            used = self.roots(reads + writes)
            idle = {t for t in last if first[t] < i < last[t] and t not in again} - used
            most = max(most, work + sum(self.size[t] for t in used | idle))
        return most


# ---- the sweep ----

def sweep(network, count, times):
    whole, error = network.plan("none")
    if not whole:
        sys.exit(f"{network.name}: {error}")
    text, _ = network.run("none", "--dump-after=inplace")
    persistent = whole["persistent_bytes"]
    need = max(Graph(text, whole["alignment"], which).least() for which in ("train", "validate")
               if f"\ngraph {which} " in text)
    top, low = whole["arena_bytes"], persistent + int(times * need)
    forward = max(1, whole["forward"]["multiply_adds"])
    rows = []
    for i in range(count):
        budget = top - (top - low) * i // max(1, count - 1)
        planned, error = network.plan(f"auto({budget}B)")
        if not planned and "recompute" not in error:
            sys.exit(f"{network.name}: {error}")
        rows.append((budget, planned and planned["arena_bytes"],
                     planned and planned["repeated"]["multiply_adds"] / forward,
                     re.findall(r"smallest arena found takes [^(]*\(([\d,]+) B\)", error)))
    return top, persistent, need, rows


def judge(rows):
    """Budgets that were refused, exceeded, or gave more than a larger one."""
    refused = [r for r in rows if r[1] is None]
    exceeded = [r for r in rows if r[1] is not None and r[1] > r[0]]
    rising, least = [], None
    for r in rows:
        if r[1] is None:
            continue
        if least is not None and r[1] > least:
            rising.append(r)
        least = r[1] if least is None else min(least, r[1])
    return refused, exceeded, rising


def extra_at(rows, top, persistent, share):
    """Extra multiply-adds of the largest budget at or below that share of what can be saved from."""
    for budget, arena, extra, _ in rows:
        if budget - persistent <= share * (top - persistent):
            return "refused" if arena is None else f"{100 * extra:.1f} %"
    return ""


def report(args, name, top, persistent, need, rows, seconds):
    refused, exceeded, rising = judge(rows)
    cells = [name, f"{(top - persistent) / 2**20:,.0f}", f"{100 * need / (top - persistent):.1f} %",
             *[extra_at(rows, top, persistent, s / 100) for s in args.shares],
             f"{100 * rows[-1][2]:.1f} %" if rows[-1][1] else "refused",
             len(refused), len(exceeded), len(rising), f"{seconds:.0f}"]
    print(("| " + " | ".join(map(str, cells)) + " |") if args.markdown else "\t".join(map(str, cells)), flush=True)
    for what, list_ in ("refused", refused), ("exceeded", exceeded), ("more than a larger one", rising):
        for budget, arena, _, found in list_[:args.show]:
            print(f"# {name}: budget {budget} {what}: {arena or ' '.join(found)}", flush=True)
    if args.verbose:
        for budget, arena, extra, _ in rows:
            print(f"#   {100 * (budget - persistent) / (top - persistent):5.1f} %  {budget}  {arena}  "
                  f"{'' if extra is None else f'{100 * extra:.2f} %'}", flush=True)
    return len(refused) + len(exceeded) + len(rising)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("network", nargs="*", default=TABLE)
    p.add_argument("--stowage", default=os.environ.get("STOWAGE", os.path.join(TOP, "stowage")))
    p.add_argument("--target", default="c")
    p.add_argument("--budgets", type=int, default=200)
    p.add_argument("--least", type=float, default=1.1, help="times what one node needs, the smallest budget")
    p.add_argument("--shares", type=lambda s: [int(x) for x in s.split(",")], default=[75, 50, 40, 30],
                   help="of what keeping everything takes, in percent: columns of the table")
    p.add_argument("--show", type=int, default=3, help="of each kind of failure, so many")
    p.add_argument("--markdown", action="store_true")
    p.add_argument("--verbose", action="store_true", help="every budget")
    args = p.parse_args()
    head = ["network", "MiB", "one node", *[f"extra at {s} %" for s in args.shares],
            f"at {args.least} nodes", "refused", "exceeded", "rising", "s"]
    print(("| " + " | ".join(head) + " |\n|" + "---|" * len(head)) if args.markdown else "\t".join(head))
    failures = 0
    for name in args.network:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        network = Network(os.path.abspath(args.stowage), args.target, find(name))
        result = sweep(network, args.budgets, args.least)
        failures += report(args, network.name, *result,
                           resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
