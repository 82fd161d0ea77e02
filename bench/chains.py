#!/usr/bin/env python3
"""Chains of 8 to 12 layers at random, within budgets: is as little made again as can be? It needs numpy.

    bench/chains.py                     # 129 chains, an hour
    bench/chains.py 0:8 1000:1008       # these seeds; from 1000 on sizes are nearly one
    bench/chains.py --verbose 31        # every budget of one

The program they are held against shares nothing with the planner but the text of the step that `recompute none` plans:
dynamic programming over all sets of what is there before each node, where each tensor of forward may be made again any
number of times until weights change. It counts multiply-adds alone, in the order of nodes that is planned and in that
without the pass `order`. A plan in yet another order may take less.

Budgets are 90 to 30 % of the transient bytes, in steps of 5, as far as the program has a plan.

The exit status is 1 if a budget was refused that the program keeps.
"""
import argparse
import json
import math
import os
import random
import re
import subprocess
import sys

import numpy

from budgets import Graph
from memory import TOP

TABLE = ["0:65", "1000:1064"]
IN_PLACE = {"pointwise", "batchnorm", "batchnorm_then", "norm_formula", "dropout", "softmax"}
LOSSES = {"cross_entropy", "cross_entropy_with_grad", "mse", "mse_with_grad"}
MOST_BITS = 15


# ---- chains ----

class Chain:
    """The text of a network, drawn by a seed."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.even = seed >= 1000        # sizes are nearly one
        self.layers = []
        n = self.r.randint(8, 12)
        kind = self.r.choice(["conv", "conv", "conv", "dense", "mixed"])
        self.side = self.r.choice([16, 24, 32])
        channels = self.r.choice([3, 4, 8])
        self.flat = kind == "dense"
        batch = self.r.choice([512, 2048, 4096] if self.flat else [16, 32, 64])
        last = self.r.randint(2, 4) if kind == "mixed" else 0      # so many layers at the end are dense
        shape = f"f32[{self.r.choice([64, 128, 256])}]" if self.flat else f"f32[{channels}, {self.side}, {self.side}]"
        self.active = True              # an activation or the input, so a layer with weights follows
        self.draw(n, n - last if last else None)
        tail = "" if self.flat else " -> global_avgpool -> flatten"
        self.text = (f"network n {{ input x : {shape} target t : class[10]\n y = x -> {' -> '.join(self.layers)}{tail}"
                     f" -> dense(10)\n loss cross_entropy(y, t) }}\n"
                     f"train {{ batch {batch} optimizer sgd(lr=0.1) RECOMPUTE }}\n")

    def draw(self, n, dense_from):
        drawn = 0
        while drawn < n:
            if not self.flat and dense_from is not None and drawn >= dense_from:
                if self.side > 8:
                    self.layers.append("maxpool(2)")
                    self.side //= 2
                    drawn += 1
                self.layers.append("flatten")
                self.flat = self.active = True
                continue
            drawn += self.layer()

    def layer(self):
        kind = self.r.random()
        if self.active or kind < 0.5:
            self.layers.append(self.dense() if self.flat else self.conv())
            self.active = False
        elif kind < 0.8 or self.flat:
            self.layers.append(self.r.choice(["relu", "relu", "tanh", "sigmoid", "gelu"]))
            self.active = True
        elif kind < 0.92:
            self.layers.append("batchnorm")
            self.active = False
        elif self.side > 8:
            self.layers.append(self.r.choice(["maxpool(2)", "avgpool(2)"]))
            self.side //= 2
            self.active = True
        else:
            return 0
        return 1

    def dense(self):
        return f"dense({self.r.choice([256, 256, 512] if self.even else [64, 128, 256, 512, 1024])})"

    def conv(self):
        kernel = self.r.choice([1, 3, 3, 5])
        stride = 2 if self.side > 8 and self.r.random() < 0.12 else 1
        channels = self.r.choice([16, 16, 16, 24] if self.even else [8, 12, 16, 24, 32, 48])
        self.side //= stride
        return (f"conv({channels}, {kernel}, pad={kernel // 2}{f', stride={stride}' if stride > 1 else ''}"
                f"{', bias=false' if self.r.random() < .3 else ''})")


# ---- the program ----

class Event:
    """A node, in its turn or again: sets of bits, and the bytes it takes beside what is there."""

    def __init__(self, reads, makes, bytes_, over, macs=0, before=0):
        self.reads, self.makes, self.bytes, self.over, self.macs, self.before = reads, makes, bytes_, over, macs, before


class Program(Graph):
    def __init__(self, text, alignment):
        super().__init__(text, alignment, "train")
        self.lives()
        graph = re.search(r"(?ms)^graph train batch.*?(?=^graph |\Z)", text)[0]
        for t in re.findall(r"(?m)^  (?:result \w+|loss) (%\d+)", text):   # read after the step
            if self.root.get(t, t) in self.last:
                self.last[self.root.get(t, t)] = len(self.node) - 1
        self.op = re.findall(r"(?m)^\s+%.*? = (\w+)\(", re.sub(r'"[^"]*"', "", graph))
        assert len(self.op) == len(self.node)
        self.shape = {m[1]: [self.batch if d.strip() == "B" else int(d) for d in m[2].split(",") if d.strip()]
                      for m in re.finditer(r"(%\d+) \w+\[([^\]+]*)\]", text)}
        self.find_bits()
        self.find_events()

    def find_bits(self):
        """First outputs of forward, but for the loss and what is small."""
        self.maker = {}
        for i, (_, writes, _, phase) in enumerate(self.node):
            if phase == "forward" and writes and self.root[writes[0]] == writes[0] and self.op[i] not in LOSSES \
                    and writes[0] not in self.lasting:
                self.maker[writes[0]] = i
        largest = max(self.size[t] for t in self.maker)
        self.free = [t for t in self.maker if self.size[t] * 2000 > largest]
        self.bit = {t: 1 << k for k, t in enumerate(self.free)}

    def macs(self, i):
        reads, writes, _, phase = self.node[i]
        if phase == "forward" and re.match(r"conv|dense", self.op[i]):
            return math.prod(self.shape[writes[0]]) * math.prod(self.shape[reads[1]][1:])
        return 0

    def over(self, i):
        """The bit on which the node's output may lie, if nobody else reads that any more."""
        reads, writes, _, _ = self.node[i]
        for t in reads if self.op[i] in IN_PLACE and writes else ():
            if self.root.get(t, t) in self.bit and self.size[self.root[t]] == self.size.get(writes[0]):
                return self.bit[self.root[t]]
        return 0

    def bits(self, tensors):
        return sum(self.bit.get(t, 0) for t in self.roots(tensors))

    def changes_at(self, reads):
        """The node of backward at which a weight that is read is updated; it can be made again until then."""
        weights = {self.root.get(t, t) for t in reads} & self.lasting
        return min([j for j, (_, writes, _, phase) in enumerate(self.node) if phase != "forward" and
                    weights & {self.root.get(t, t) for t in writes}], default=len(self.node))

    def find_events(self):
        during, self.between = [0] * (len(self.node) + 1), [0] * (len(self.node) + 1)
        for t in set(self.root.values()) - self.lasting - set(self.free) & set(self.last):
            for i in range(self.first[t], self.last[t] + 1):
                during[i] += self.size[t]
                self.between[i] += self.size[t] if i > self.first[t] else 0
        self.own = []
        for i, (reads, writes, work, _) in enumerate(self.node):
            makes = self.bits([t for t in writes if self.first.get(self.root.get(t, t)) == i])
            self.own.append(Event(self.bits(reads) & ~makes, makes, during[i] + work, self.over(i)))
        self.again = []
        for t in self.free:
            i = self.maker[t]
            reads, writes, work, _ = self.node[i]
            others = sum(self.size[w] for w in writes[1:] if self.root.get(w) == w and w not in self.lasting)
            self.again.append(Event(self.bits(reads), self.bit[t], work + others, self.over(i), self.macs(i),
                                    self.changes_at(reads)))

    def best(self, room):
        """The least multiply-adds made again within so many transient bytes; infinite where there is no way."""
        sets = numpy.arange(1 << len(self.free))
        size = sum(numpy.where(sets >> b & 1, self.size[t], 0) for b, t in enumerate(self.free))
        cost = numpy.full(len(sets), numpy.inf)
        cost[0] = 0
        for i, event in enumerate(self.own):
            self.settle(i, cost, sets, size, room)
            after = numpy.full(len(sets), numpy.inf)
            made = sum(self.size[t] for t in self.free if self.bit[t] & event.makes)
            there = (sets & event.makes) == event.makes
            self.run(event, cost, after, sets, size + event.bytes + numpy.where(there, 0, made), size + event.bytes, room)
            cost = after
        return cost.min()

    def settle(self, i, cost, sets, size, room):
        """Before a node, what is there goes, and what is not is made again, until nothing is cheaper."""
        while True:
            before = cost.copy()
            for b in range(len(self.free)):
                halves = cost.reshape(-1, 2, 1 << b)
                numpy.minimum(halves[:, 0], halves[:, 1], out=halves[:, 0])
            for b, event in enumerate(self.again if self.node[i][3] != "forward" else ()):
                if i <= event.before:
                    bytes_ = size + self.between[i] + event.bytes
                    self.run(event, cost, cost, sets, bytes_ + self.size[self.free[b]], bytes_, room)
            if numpy.array_equal(before, cost):
                return

    @staticmethod
    def run(event, cost, after, sets, bytes_, bytes_over, room):
        """The event from all sets that have what it reads, beside them or over one of them."""
        ready = (sets & event.reads) == event.reads
        fits = sets[ready & (bytes_ <= room)]
        numpy.minimum.at(after, fits | event.makes, cost[fits] + event.macs)
        if event.over and event.makes:
            fits = sets[ready & ((sets & event.makes) == 0) & (bytes_over <= room)]
            numpy.minimum.at(after, (fits & ~event.over) | event.makes, cost[fits] + event.macs)


# ---- against plans ----

class Planner:
    def __init__(self, stowage, text):
        self.command = [stowage, "plan", "--target=c", "--objective=memory", "--threads=2"]
        self.text = text

    def run(self, recompute, *options):
        return subprocess.run([*self.command, *options, "-"], text=True, capture_output=True,
                              input=self.text.replace("RECOMPUTE", f"recompute {recompute}"))

    def plan(self, recompute):
        done = self.run(recompute, "--format=json")
        return None if done.returncode else json.loads(done.stdout)

    def programs(self, alignment):
        found = (Program(self.run("none", "--dump-after=inplace", *o).stdout, alignment) for o in ((), ("--without=order",)))
        return [p for p in found if len(p.free) <= MOST_BITS]


def compare(args, seed):
    """Of a chain's budgets: (multiply-adds of the plan or None, those of the program, those of forward)."""
    planner = Planner(args.stowage, Chain(seed).text)
    whole = planner.plan("none")
    persistent, top = whole["persistent_bytes"], whole["arena_bytes"]
    forward = whole["forward"]["multiply_adds"]
    programs = planner.programs(whole["alignment"])
    rows = []
    for share in range(90, 25, -5):
        room = (top - persistent) * share // 100
        least = min([p.best(room) for p in programs], default=math.inf)
        if math.isinf(least):
            continue
        plan = planner.plan(f"auto({persistent + room}B)")
        made = plan and plan["repeated"]["multiply_adds"]
        rows.append((made, least, forward))
        if args.verbose or made is None or made > least:
            print(f"# {seed}: {share} %, {persistent + room} B: {made} of {least:.0f} multiply-adds again, "
                  f"{'refused' if made is None else f'{(forward + made) / (forward + least):.4f}'}", flush=True)
    return rows


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("seeds", nargs="*", default=TABLE, help="FIRST:END, or one")
    p.add_argument("--stowage", default=os.environ.get("STOWAGE", os.path.join(TOP, "stowage")))
    p.add_argument("--verbose", action="store_true", help="every budget")
    args = p.parse_args()
    rows, chains = [], 0
    for first, _, end in (s.partition(":") for s in args.seeds):
        for seed in range(int(first), int(end or int(first) + 1)):
            rows += compare(args, seed)
            chains += 1
    kept = [r for r in rows if r[0] is not None]
    least = sum(made <= at_least for made, at_least, _ in kept)
    worst = max(((forward + made) / (forward + at_least) for made, at_least, forward in kept), default=1)
    print(f"{chains} chains, {len(rows)} budgets: {len(rows) - len(kept)} refused, {least} at the least or below "
          f"({100 * least / max(1, len(rows)):.1f} %), the worst {worst:.4f} times it")
    sys.exit(len(kept) < len(rows))


if __name__ == "__main__":
    main()
