#!/usr/bin/env python3
"""Budgets for `recompute auto(BYTES)`, from what keeping everything takes down to 1.1 times what one node needs.

    bench/budgets.py                          # 200 budgets for each network of TABLE, half an hour
    bench/budgets.py --budgets 20 vgg16 my.nn # fewer, of these
    bench/budgets.py --target cuda --markdown # for the other target; as the table of bench/README.md

Each budget must be kept, none may be refused, and a smaller one may never give a larger arena. One that gives less
extra work than a larger one is shown, too ("easier"): the larger one did not find what it could have. Work is counted as
the search counts it: multiply-adds, and a quarter of the bytes that are read and written. The table has the former alone.

What one node needs is computed here, from the text of the graph after its last pass, and shares nothing with the
planner: the bytes of all that a node of the training step reads and writes, each storage once, its workspace, and what
nothing can make again (inputs, gradients, what a node makes beside its first output) while it is still to be read.
That is a bound from below, and making again what a node reads may need more than the node itself. So the table has a
second one: each tensor that a node of backward reads has been there since the node before it, beside what that needs, or is
made in between, beside the gradients that are there by then; and what makes it reads others, of which the same is true. No
budget below that is asked for.

The exit status is 1 if a budget was refused, exceeded, or gave more than a larger one.
"""
import argparse
import json
import math
import os
import re
import resource
import subprocess
import sys

from memory import TOP, find

TABLE = ["alexnet", "vgg16", "resnet18", "resnet50", "googlenet", "densenet121", "mobilenet", "mobilenet_v2",
         "unet512", "vit_b16"]
TRAFFIC = 0.25      # multiply-adds that a byte read or written is worth: src/schedule/recompute_impl.h
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

    def lives(self):
        """When each storage is used first and last; who writes it; what each node uses; what can be made again."""
        self.used = [self.roots(reads + writes) for reads, writes, _, _ in self.node]
        self.first, self.last, self.writers = {}, {}, {}
        for i, (_, writes, _, _) in enumerate(self.node):
            for t in self.roots(writes):
                self.writers.setdefault(t, []).append(i)
        for t in set(self.root.values()) - self.lasting - set(self.writers):
            self.first[t] = 0
        for i, used in enumerate(self.used):
            for t in used:
                self.first.setdefault(t, i)
                self.last[t] = i
        # in validation nothing is
        self.again = {self.root[w[0]] for _, w, _, phase in self.node if phase == "forward" and w and self.trains}

    def beside(self, i, others):
        """Bytes of a node and of others."""
        return self.node[i][2] + sum(self.size[t] for t in self.used[i] | others)

    def least(self):
        """Bytes, beside what lasts, below which no step with these nodes in this order can be: of one node, and where
        what it reads is made again."""
        self.lives()
        one = []
        for i in range(len(self.node)):
            one.append(self.beside(i, {t for t in self.last if self.first[t] < i < self.last[t] and t not in self.again}))
        most = max(one)
        for i, (reads, _, _, phase) in enumerate(self.node):
            if i and phase != "forward":
                there = {t for t in self.last if self.first[t] < i <= self.last[t] and t not in self.again}
                known = {}
                for t in self.roots(reads) & self.again:
                    if self.first[t] < i:
                        most = max(most, self.least_for(t, i, one[i - 1], there, known))
        return max(one), most

    def least_for(self, t, i, before, there, known):
        """The same for a storage to be there when node I begins: it was during the node before, which needs BEFORE, or is
        made since then, beside what is THERE."""
        if t in known:
            return known[t]
        known[t] = 0                    # what is changed in place asks for itself
        kept = before + (0 if t in self.used[i - 1] else self.size[t])
        made = []
        for u in self.writers[t]:
            if self.node[u][3] != "forward":
                made.append(0)          # written in backward: nothing is known of it
                continue
            others = self.roots(self.node[u][0]) & self.again - {t}
            made.append(max([self.beside(u, there)] + [self.least_for(s, i, before, there, known) for s in others]))
        known[t] = min(kept, *made)
        return known[t]


# ---- the sweep ----

def sweep(network, count, times):
    whole, error = network.plan("none")
    if not whole:
        sys.exit(f"{network.name}: {error}")
    text, _ = network.run("none", "--dump-after=inplace")
    persistent = whole["persistent_bytes"]
    bounds = [Graph(text, whole["alignment"], which).least() for which in ("train", "validate")
              if f"\ngraph {which} " in text]
    need, least = (max(column) for column in zip(*bounds))
    top, low = whole["arena_bytes"], persistent + max(int(times * need), least)
    forward = max(1, whole["forward"]["multiply_adds"])
    rows = []
    for i in range(count):
        budget = top - (top - low) * i // max(1, count - 1)
        planned, error = network.plan(f"auto({budget}B)")
        if not planned and "recompute" not in error:
            sys.exit(f"{network.name}: {error}")
        again = planned and planned["repeated"]
        rows.append((budget, planned and planned["arena_bytes"],
                     planned and again["multiply_adds"] / forward,
                     planned and (again["multiply_adds"] + TRAFFIC * again["bytes_moved"]) / forward,
                     re.findall(r"smallest arena found takes [^(]*\(([\d,]+) B\)", error)))
    return top, persistent, need, least, rows


def judge(rows):
    """Budgets that were refused, exceeded, gave a larger arena than a larger one, or less extra work."""
    refused = [r for r in rows if r[1] is None]
    exceeded = [r for r in rows if r[1] is not None and r[1] > r[0]]
    rising, easier = [], []
    least, most = math.inf, 0
    for r in rows:
        if r[1] is None:
            continue
        if r[1] > least:
            rising.append(r)
        if r[3] < most:
            easier.append(r)
        least, most = min(least, r[1]), max(most, r[3])
    return refused, exceeded, rising, easier


def extra_at(rows, top, persistent, share):
    """Extra multiply-adds of the largest budget at or below that share of what can be saved from."""
    for budget, arena, extra, _, _ in rows:
        if budget - persistent <= share * (top - persistent):
            return "refused" if arena is None else f"{100 * extra:.1f} %"
    return ""


def report(args, name, top, persistent, need, least, rows, seconds):
    refused, exceeded, rising, easier = judge(rows)
    cells = [name, f"{(top - persistent) / 2**20:,.0f}", f"{100 * need / (top - persistent):.1f} %",
             f"{least / need:.3f}",
             *[extra_at(rows, top, persistent, s / 100) for s in args.shares],
             f"{100 * rows[-1][2]:.1f} %" if rows[-1][1] else "refused",
             len(refused), len(exceeded), len(rising), len(easier), f"{seconds:.0f}"]
    print(("| " + " | ".join(map(str, cells)) + " |") if args.markdown else "\t".join(map(str, cells)), flush=True)
    for what, list_ in (("refused", refused), ("exceeded", exceeded), ("more than a larger one", rising),
                        ("less extra work than a larger one", easier)):
        for budget, arena, extra, work, found in list_[:args.show]:
            print(f"# {name}: budget {budget} {what}: {arena or ' '.join(found)}"
                  f"{'' if extra is None else f', {100 * extra:.2f} % extra, {100 * work:.2f} % with traffic'}", flush=True)
    if args.verbose:
        for budget, arena, extra, work, _ in rows:
            print(f"#   {100 * (budget - persistent) / (top - persistent):5.1f} %  {budget}  {arena}  "
                  f"{'' if extra is None else f'{100 * extra:.2f} %  {100 * work:.2f} %'}", flush=True)
    return len(refused) + len(exceeded) + len(rising)


def main():
    sys.setrecursionlimit(100000)       # as deep as a network
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
    head = ["network", "MiB", "one node", "making again / it", *[f"extra at {s} %" for s in args.shares],
            "at the least", "refused", "exceeded", "rising", "easier", "s"]
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
