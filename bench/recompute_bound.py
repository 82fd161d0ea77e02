#!/usr/bin/env python3
"""A bound from below for what must be made again to stay within a budget: an integer program, which shares nothing with
the planner. It needs scipy.

    bench/recompute_bound.py --bytes 5000000000 resnet50_184.nn     # a spec, or a name of specs/
    bench/recompute_bound.py --bytes 5000000000 --instants 1 net.nn # the first instant alone

The step is that which `recompute none` plans, in its order. At some instants of backward, while a gradient of a layer's
input is made, it is asked only that

    what is there of forward fits beside what lasts and what else is alive then;
    what is read from one instant to the next was there at the former, or is made again in between;
    what is made again is made from what was there, or is made again in between, too;
    what is there at an instant was there at the one before, or was made again in between;
    making it again counts once between two instants;
    what is made again in between, and what a convolution or dense layer makes it from, fit beside all that is there at
    both and not made again.

Before the first instant all that forward made is taken to be there. What else is alive between instants, workspaces, and
tensors of less than a thousandth of the budget are left out. So no plan of this step, in this order and with these
operators, makes less again, whatever it keeps; one in another order might.
"""
import argparse
import math
import os
import re
import sys

from budgets import Graph, Network
from memory import TOP, find


class Step(Graph):
    """The training step, with the multiply-adds of each node of forward."""

    def __init__(self, text, alignment):
        super().__init__(text, alignment, "train")
        self.lives()
        graph = re.search(r"(?ms)^graph train batch.*?(?=^graph |\Z)", text)[0]
        self.op = re.findall(r"(?m)^\s+%.*? = (\w+)\(", re.sub(r'"[^"]*"', "", graph))
        self.shape = {m[1]: [self.batch if d.strip() == "B" else int(d) for d in m[2].split(",") if d.strip()]
                      for m in re.finditer(r"(%\d+) \w+\[([^\]+]*)\]", text)}
        self.forward = sum(phase == "forward" for *_, phase in self.node)
        self.macs = [self.multiply_adds(i) if i < self.forward else 0 for i in range(len(self.node))]

    def multiply_adds(self, i):
        """Of convolutions and dense layers: each element is a product of a row of weights; in a transposed convolution
        each of the input is."""
        reads, writes, _, _ = self.node[i]
        weights = [self.shape[t] for t in reads if t in self.lasting and len(self.shape[t]) > 1]
        if not re.match(r"conv|dense", self.op[i]) or not weights:
            return 0
        each = reads if self.op[i].startswith("conv_transpose") else writes
        return math.prod(self.shape[each[0]]) * math.prod(weights[0][1:])

    def kept(self, least):
        """Storages of forward that backward reads, or from which such are made again, of so many bytes or more."""
        return [t for t in self.again if self.size[t] >= least and self.first[t] < self.forward]

    def beside(self, i, kept):
        """Bytes alive at a node that are none of those: of inputs, and of what backward made by then and is to use."""
        return sum(self.size[t] for t in self.last if t not in kept and self.first[t] <= i <= self.last[t] and
                   (t not in self.writers or self.first[t] >= self.forward))

    def between(self, i, end, kept):
        """The same from one node to another, throughout."""
        return sum(self.size[t] for t in self.last if t not in kept and self.first[t] <= i and end <= self.last[t] and
                   (t not in self.writers or self.first[t] >= self.forward))

    def instants(self, kept, n):
        """Nodes that make a gradient of an input, in their order: those at which most would be alive, were all kept, and
        those at which most is alive that is not kept, half of either."""
        nodes = [i for i in range(self.forward, len(self.node)) if "grad_input" in self.op[i]]
        beside = {i: self.beside(i, set(kept)) for i in nodes}
        alive = {i: beside[i] + sum(self.size[t] for t in kept if self.last[t] >= i) for i in nodes}
        first = sorted(nodes, key=lambda i: -alive[i])[:(n + 1) // 2]
        return sorted(first + sorted(set(nodes) - set(first), key=lambda i: (-beside[i], i))[:n // 2])


class Program:
    """Rows of an integer program over what is there (at each instant) and what is made again (before it)."""

    def __init__(self, step, kept, at, room):
        self.step, self.at, self.kept = step, at, kept
        self.number = {t: k for k, t in enumerate(kept)}
        self.rows, self.low = [], []
        source = {t: self.sources(t) for t in kept}
        for j, i in enumerate(at):
            beside = step.beside(i, set(kept))
            self.add({self.there(t, j): -step.size[t] / room for t in kept}, beside / room - 1)
            for t in step.roots(step.node[i][0]) & set(kept):
                self.add({self.there(t, j): 1}, 1)
        for j in range(len(at) + 1):
            for t in kept:
                if 0 < j < len(at):
                    self.add({self.there(t, j): -1, self.there(t, j - 1): 1, self.made(t, j): 1}, 0)
                for u in source[t] if j else ():
                    self.add({self.there(u, j - 1): 1, self.made(u, j): 1, self.made(t, j): -1}, 0)
                if 0 < j < len(at):
                    self.stays(t, j)
                    self.makes_room(t, j, step, room)
            for i in range(at[j - 1], at[j] if j < len(at) else len(step.node)) if j else ():
                for t in step.roots(step.node[i][0]) & set(kept):
                    self.add({self.there(t, j - 1): 1, self.made(t, j): 1}, 1)

    def stays(self, t, j):
        """What is there at an instant and at the one before, and not made again."""
        self.add({self.stayed(t, j): 1, self.there(t, j - 1): -1, self.there(t, j): -1, self.made(t, j): 1}, -1)

    def makes_room(self, t, j, step, room):
        """To make that again takes room beside what stays."""
        own = {t} | set(self.direct(t))
        row = {self.stayed(u, j): -step.size[u] / room for u in self.kept if u not in own}
        row[self.made(t, j)] = -sum(step.size[u] for u in own) / room
        self.add(row, step.between(self.at[j - 1], self.at[j], set(self.kept)) / room - 1)

    def direct(self, t):
        """What the convolution or dense layer reads that makes a storage, as far as that is in question; what other nodes
        read they might overwrite."""
        if len(self.step.writers[t]) > 1 or not re.match(r"conv|dense", self.step.op[self.step.writers[t][0]]):
            return []
        return self.step.roots(self.step.node[self.step.writers[t][0]][0]) & set(self.number) - {t}

    def sources(self, t):
        """What a storage is made from, through what is too small, or no question: these are made on the way."""
        found, seen, todo = set(), set(), [t]
        while todo:
            for i in self.step.writers[todo.pop()]:
                if i >= self.step.forward:
                    continue
                for u in self.step.roots(self.step.node[i][0]) - {t} - seen:
                    seen.add(u)
                    if u in self.number:
                        found.add(u)
                    elif u in self.step.writers:
                        todo.append(u)
        return found

    def there(self, t, j):
        return 3 * (j * len(self.kept) + self.number[t])

    def made(self, t, j):
        return self.there(t, j) + 1

    def stayed(self, t, j):
        return self.there(t, j) + 2

    def add(self, row, low):
        self.rows.append(row)
        self.low.append(low)

    def solve(self, seconds, relaxed):
        import numpy
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_matrix

        n = 3 * (len(self.at) + 1) * len(self.kept)
        unit = max(self.step.macs)
        cost = numpy.zeros(n)
        for j in range(1, len(self.at) + 1):
            for t in self.kept:
                cost[self.made(t, j)] = sum(self.step.macs[i] for i in self.step.writers[t] if i < self.step.forward) / unit
        entries = [(r, c, x) for r, row in enumerate(self.rows) for c, x in row.items()]
        matrix = csr_matrix(([x for *_, x in entries], ([r for r, *_ in entries], [c for _, c, _ in entries])),
                            shape=(len(self.rows), n))
        done = milp(cost, constraints=LinearConstraint(matrix, self.low), bounds=Bounds(0, 1),
                    integrality=numpy.full(n, not relaxed), options={"time_limit": seconds})
        bound = done.fun if relaxed else getattr(done, "mip_dual_bound", None)
        return done.message, None if bound is None else bound * unit


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("network")
    p.add_argument("--stowage", default=os.environ.get("STOWAGE", os.path.join(TOP, "stowage")))
    p.add_argument("--target", default="c")
    p.add_argument("--bytes", type=int, required=True, help="of the arena")
    p.add_argument("--instants", type=int, default=10)
    p.add_argument("--seconds", type=float, default=300)
    p.add_argument("--relaxed", action="store_true", help="parts of tensors may be kept: a lower bound, and a quick one")
    args = p.parse_args()
    network = Network(os.path.abspath(args.stowage), args.target, find(args.network))
    whole, error = network.plan("none")
    if not whole:
        sys.exit(error)
    text, _ = network.run("none", "--dump-after=workspaces")
    step = Step(text, whole["alignment"])
    kept = step.kept(args.bytes // 1000)
    if sum(step.macs) != whole["forward"]["multiply_adds"]:
        print(f"# {sum(step.macs):,} multiply-adds are known, of {whole['forward']['multiply_adds']:,}", file=sys.stderr)
    at = step.instants(kept, args.instants)
    said, bound = Program(step, kept, at, args.bytes - whole["persistent_bytes"]).solve(args.seconds, args.relaxed)
    share = "?" if bound is None else f"{100 * bound / whole['forward']['multiply_adds']:.2f} %"
    print(f"{network.name}: within {args.bytes:,} B at least {share} of forward's multiply-adds are made again "
          f"({len(kept)} tensors, {len(at)} instants; {said})")


if __name__ == "__main__":
    main()
