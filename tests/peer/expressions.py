#!/usr/bin/env python3
"""Random arithmetic with broadcasting and reductions, the same every time, against PyTorch in f64: values and gradients.

    expressions.py [--precision f32|f64] [--flags FLAGS] [--first SEED] [--write FOLDER] NETWORKS [EXPRESSIONS]

Each network has so many expressions of depth up to 8, over inputs, a dense layer and parameters that are repeated along
axes, and a loss mean(t * y), where y is all of them one after the other. So one compilation does for hundreds, and each is
asked for by itself, by a t that is 0 at all others: its value and the gradients of all inputs and parameters, to 1e-5 in
f32 and 1e-11 in f64, of each gradient's norm or, where terms cancel, of a tenth of what a slope of 1 would give.

What is taken keeps values and slopes of about 1; divisors and what a logarithm, a root or a power is of stay above 1, and
exponents below 1. What is steep all the same, as a standard deviation near 0, may be off by four times what PyTorch is in
f32. Where a kink or a tie is so near that roundings may fall to either side of it, the gradients of that
expression are not compared; more than one in ten such fail.

Prints TAP, one test a network. WRITE leaves the specs in a folder, and compares nothing.
"""
import argparse
import os
import random
import re
import tempfile

import numpy
import torch

import compare
import ir
import operators
import oracle
import tap
from program import Program, compile_library, emit

FULL = (2, 3, 4)
LEAVES = (("x", FULL, True), ("z", FULL, True), ("h", FULL, True), ("s", (2, 1, 1), True), ("row", (2, 1, 4), False),
          ("end", (1, 1, 4), False), ("mid", (1, 3, 1), False), ("one", (1, 1, 1), False))
ONE = ("tanh(%s)", "sigmoid(%s)", "sin(%s)", "cos(%s)", "atan(%s)", "erf(%s)", "softplus(%s)", "exp(-abs(%s))", "log(1.5 + %s * %s)",
       "sqrt(1.2 + %s * %s)", "rsqrt(1.2 + %s * %s)", "log1p(%s * %s)", "expm1(tanh(%s))", "0.7 * %s - 0.2", "1 - %s", "-%s",
       "1 / (1.5 + %s * %s)", "(1.1 + %s * %s) ^ -0.5", "2 ^ tanh(%s)", "(tanh(%s) + 0.3) ^ 2", "(%s -> elu)", "(%s -> mish)",
       "(%s -> silu)", "(%s -> selu)", "(%s -> relu)", "(%s -> leaky_relu(0.2))", "(%s -> gelu)", "(%s -> softsign)", "abs(%s)",
       "clamp(%s, -0.8, 0.9)", "max(%s, -0.4)", "min(%s, 0.6)", "stop_gradient(cos(%s)) * %s")
TWO = ("%s + %s", "%s - %s", "sin(%s) * %s", "tanh(%s) * tanh(%s)", "%s / (1.5 + tanh(%s))", "(1.2 + sigmoid(%s)) ^ tanh(%s)",
       "where(x > 0.3, %s, %s)", "where(s * x <= -0.1, %s, %s)", "(x < z) * %s + %s", "max(%s, sin(%s))", "min(%s, cos(%s))",
       "where(%s > 0.1, x, %s)", "where(%s < %s, h, z)")
REDUCED = ("mean(%s, HOW)", "0.4 * sum(sin(%s), HOW)", "0.3 * sum(tanh(%s) * x, HOW)", "max(sin(%s), HOW)", "min(%s, HOW)",
           "var(tanh(%s), HOW)", "std(sin(%s) + sin(3 * x), HOW)", "var(sin(%s) + x, HOW, unbiased=false)", "mean(%s * z, HOW)")


def union(*shapes):
    """Of what is combined; () goes with all."""
    shapes = [s for s in shapes if s]
    return tuple(max(extents) for extents in zip(*shapes)) if shapes else ()


class Term:
    def __init__(self, text, shape, batched, depth):
        self.text, self.shape, self.batched, self.depth = text, shape, batched, depth

    def to(self, shape):
        """Its text as that of a term of SHAPE, which has to be said where an operation would repeat both of its operands."""
        return self.text if self.shape in ((), shape) else f"broadcast({self.text}, {shape})"


def combined(form, *operands):
    """FORM of one or two terms, and of leaves that it names: a term."""
    named = [Term(*leaf, 0) for leaf in LEAVES if leaf[0] in re.findall(r"\w+", form.replace("%s", ""))]
    batched = any(t.batched for t in (*operands, *named))
    shape = union(*(t.shape for t in (*operands, *named)))
    covered = any(t.shape == shape and t.batched == batched for t in operands) or named and "%s < %s" not in form
    texts = [f"({t.text if covered else t.to(shape)})" for t in operands]
    texts = texts * form.count("%s") if len(operands) == 1 else texts
    return Term(form % tuple(texts), shape, batched, 1 + max(t.depth for t in operands))


def reduced(rng, form, of):
    """FORM of a term along some axes."""
    if form.startswith("var"):		# of more than one element
        of = Term(of.to(FULL), FULL, of.batched, of.depth)
    whole = combined(form.replace("HOW", ""), of)
    axes = rng.choice(((0,), (1,), (2,), (-1,), (0, 1), (1, 2), (0, 2), (0, 1, 2), ()))
    keep = bool(axes) and rng.random() < 0.8
    how = [f"axis={axes[0] if len(axes) == 1 else axes}"] * bool(axes) + ["keep=true"] * keep
    text = form.replace(", HOW", "".join(f", {word}" for word in how)) % f"({of.text})"
    taken = {a % 3 for a in axes or (0, 1, 2)}
    shape = tuple(1 if a in taken else n for a, n in enumerate(whole.shape))
    if len(taken) == 3 and not keep:
        shape = ()
    elif not keep:
        text = f"reshape({text}, {', '.join(map(str, shape))})"
    return Term(text, shape, whole.batched, 1 + of.depth)


def expression(rng, k, lines):
    """Appends statements, and returns the last one's term."""
    terms = [Term(*leaf, 0) for leaf in LEAVES]
    rng.shuffle(terms)
    for step in range(rng.randrange(3, 13)):
        near = [t for t in terms if t.depth < (8 if t.batched else 7)]
        first = terms[-1] if step and terms[-1] in near and rng.random() < 0.6 else rng.choice(near)
        kind = rng.random()
        if kind < 0.4:
            made = combined(rng.choice(ONE), first)
        elif kind < 0.75 or not first.shape:
            made = combined(rng.choice(TWO), *rng.sample((first, rng.choice([t for t in near if t is not first])), 2))
        else:
            made = reduced(rng, rng.choice(REDUCED), first)
        lines.append(f"  e{k}_{step} = {made.text}")
        terms = terms[-6:] + [Term(f"e{k}_{step}", made.shape, made.batched, made.depth)]
    last = terms[-1]
    if not last.batched:	# the batch, at least
        lines.append(f"  e{k}_x = {last.text} * x")
        last = Term(f"e{k}_x", FULL, True, last.depth + 1)
    return last


def numbers(shape):
    return int(numpy.prod(shape))


def network(seed, count, precision):
    """Its text, the number of elements of each expression, and their depths."""
    rng, lines = random.Random(seed), []
    results = [expression(rng, k, lines) for k in range(count)]
    sizes = [numbers(r.shape) for r in results]
    text = "\n".join([f"network random{seed} {{", f"  input  x, z : f32{list(FULL)}", "  input  s : f32[2, 1, 1]",
                      f"  input  t : f32[{sum(sizes)}]",
                      *[f"  {name} = parameter({shape}, init=normal(1))" for name, shape, batched in LEAVES if not batched],
                      "  h = x -> dense(4)", *lines,
                      *[f"  r{k} = reshape({r.text}, {n})" for k, (r, n) in enumerate(zip(results, sizes))],
                      f"  y = concat({', '.join(f'r{k}' for k in range(count))}, axis=0)", "  loss mean(t * y)", "}",
                      f"train {{ batch 2  precision {precision}  optimizer sgd(lr=0)  data synthetic(2) }}", ""])
    return text, sizes, [r.depth for r in results]


# ---- where roundings decide ----

def nearest_two(n, x, largest):
    """How far apart the two are that may be the largest."""
    axes = operators.reduced(n, x)
    rest = [a for a in range(x.dim()) if a not in axes]
    top = (x if largest else -x).permute(*rest, *axes).flatten(len(rest)).sort(-1, True).values
    return (top[..., 0] - top[..., 1]).min() if top.shape[-1] > 1 else numpy.inf


def of_bounds(*names):
    return lambda n, x: min((x - n.attrs[name]).abs().min() for name in names)


def of_zero(n, x):
    return x.abs().min()


def apart(name):
    return lambda n, *xs: (xs[0] - operators.second(n, name, xs)).abs().min()


KINKS = {"max": lambda n, x: nearest_two(n, x, True), "min": lambda n, x: nearest_two(n, x, False), "abs": of_zero, "selu": of_zero,
         "relu": of_zero, "leaky_relu": of_zero, "clamp": of_bounds("least", "most"), "maximum": apart("other"),
         "minimum": apart("other"), "std": lambda n, x: 0.01 * operators.OPERATORS["std"](n, x).min(),
         **dict.fromkeys(("less", "less_equal", "greater", "greater_equal"), apart("than"))}


def needed(graph, tensor):
    """The nodes that make it."""
    wanted, nodes = {tensor}, []
    for n in reversed(graph.nodes):
        if wanted & set(n.outs):
            wanted |= set(n.ins)
            nodes.append(n)
    return nodes


def undecided(graph, nodes, values, near):
    """Does one of them come so near to a kink? Inputs are the same in both."""
    return any(n.op in KINKS and set(n.ins) - set(graph.inputs) and KINKS[n.op](n, *(
        oracle.number_of_sample(graph, i, values[i], len(n.out.dims) if len(n.ins) > 1 else 0) for i in n.ins)) < near for n in nodes)


# ---- one network ----

LIMITS = {"f32": (1e-5, 1e-4), "f64": (1e-11, 1e-10)}		# of deviations; how near a kink is near


def random_values(graph, rng):
    """Of inputs and parameters, for PyTorch: numbers that f32 has."""
    values = {}
    for number in graph.inputs + graph.persistent:
        t = graph.tensors[number]
        shape = ([2] if t.batched else []) + t.dims
        x = rng.uniform(0.05, 1.05, shape) * rng.choice((-1, 1), shape)
        values[number] = torch.from_numpy(x.astype(numpy.float32).astype(numpy.float64)).requires_grad_()
    return values


def label_of(program, name):
    return name + ".grad" if name + ".grad" in program.labels else name.removesuffix(".weight") + ".grad"


def asked(values, part, weights, leaves):
    """What PyTorch makes of mean(t * y), whose elements are t's but for those of one part, and its gradients."""
    value = (weights.to(values[part].dtype) * values[part]).sum()
    grads = torch.autograd.grad(value, [values[i] for i in leaves.values()], allow_unused=True, retain_graph=True)
    return {"value": value.detach().double().numpy(),
            **{label: numpy.zeros(values[i].shape) if g is None else g.double().numpy() for (label, i), g in zip(leaves.items(), grads)}}


def off_by(mine, theirs, least, names):
    return compare.worst((numpy.linalg.norm(mine[name].astype(numpy.float64).reshape(theirs[name].shape) - theirs[name])
                          / max(numpy.linalg.norm(theirs[name]), least), name) for name in names)


class Narrow:
    """The same in PyTorch's f32, once that is wanted."""

    def __init__(self, graph, values):
        self.graph, self.inputs, self.values = graph, values, None

    def off(self, theirs, least, names, part, weights, leaves):
        if self.values is None:
            self.values = {i: v.detach().float().requires_grad_() for i, v in self.inputs.items()}
            torch.set_default_dtype(torch.float32)
            oracle.run(self.graph, self.values)
            torch.set_default_dtype(torch.float64)
        return off_by(asked(self.values, part, weights, leaves), theirs, least, names)[0]


def compared(graph, program, sizes, precision):
    """Of each expression how far its value and its gradients are off, with what was, and how far they may be; and those whose
    gradients do not count."""
    limit, near = LIMITS[precision]
    rng = numpy.random.default_rng(1)
    program.batch = 2
    values = random_values(graph, rng)
    narrow = Narrow(graph, dict(values))
    program.labels = {e.name.decode() for e in program.entries}
    t = graph.by_name("t")
    leaves = {label_of(program, graph.tensors[i].name): i for i in graph.inputs + graph.persistent if i != t}
    loss = graph.tensors[graph.loss].name
    program.keep_only({loss, *leaves})
    oracle.run(graph, values)
    parts = next(n.ins for n in graph.nodes if n.op == "concat")
    plain = {i: v.detach() for i, v in values.items()}
    open_ = {k for k, part in enumerate(parts) if undecided(graph, needed(graph, part), plain, near)}
    rows, first, found = sum(sizes), 0, []
    for k, (part, size) in enumerate(zip(parts, sizes)):
        weights = numpy.zeros((2, rows), numpy.float32)
        weights[:, first:first + size] = rng.uniform(0.5, 1.5, (2, size)) * rng.choice((-1, 1), (2, size))
        w = torch.from_numpy(weights[:, first:first + size].astype(numpy.float64)) / (2 * rows)
        first += size
        for i in graph.inputs + graph.persistent:	# a step leaves others where inputs were
            program.set(graph.tensors[i].name, weights if i == t else values[i].detach().numpy())
        program.train_step(2, 0.0)
        mine, theirs = {**program.made, "value": program.made[loss]}, asked(values, part, w, leaves)
        names, least = ["value"] if k in open_ else list(theirs), 0.1 * float(w.norm())
        off, where = off_by(mine, theirs, least, names)
        most = limit if off <= limit or precision == "f64" else max(
            limit, 4 * narrow.off(theirs, least, names, part, w, leaves))
        found.append((off, where, most))
    return found, open_


def one_network(seed, count, precision, flags):
    text, sizes, depths = network(seed, count, precision)
    with tempfile.TemporaryDirectory() as folder:
        spec = os.path.join(folder, "random.nn")
        with open(spec, "w") as f:
            f.write(text)
        graph = ir.Graph(compare.graph_text(spec, "c", compare.INPUT_GRADIENTS))
        source = emit(spec, folder, "c", compare.INPUT_GRADIENTS)
        program = Program(compile_library(source, os.path.join(folder, "program.so"), flags))
    found, open_ = compared(graph, program, sizes, precision)
    bad = [k for k, (off, _, most) in enumerate(found) if not off <= most]
    steep = sum(off > LIMITS[precision][0] for off, _, _ in found) - len(bad)
    more = []
    for k in bad[:3]:
        more += [f"e{k}: {found[k][0]:.2g} ({found[k][1]})", *[line for line in text.splitlines() if line.startswith(f"  e{k}_")]]
    # of 10,000 6.4 % are: a seventh of 200 is four standard deviations more
    tap.result(not bad and len(open_) <= max(1, count // 7),
               f"{count} random expressions in {precision}, seed {seed}, depths {min(depths)} to {max(depths)}: "
               f"{compare.worst(f[:2] for f in found)[0]:.2g}; {len(open_)} too near a kink, "
               f"{steep} so steep that PyTorch in f32 is off, too", "\n".join([f"{len(bad)} are too far off", *more]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--precision", choices=LIMITS, default="f32")
    parser.add_argument("--flags", help="of the compiler, in place of the usual ones")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--write")
    parser.add_argument("networks", type=int)
    parser.add_argument("expressions", type=int, nargs="?", default=200)
    args = parser.parse_args()
    for seed in range(args.first, args.first + args.networks):
        if args.write:
            with open(os.path.join(args.write, f"random{seed}.nn"), "w") as f:
                f.write(network(seed, args.expressions, args.precision)[0])
            continue
        try:
            one_network(seed, args.expressions, args.precision, args.flags and args.flags.split())
        except Exception as e:      # one broken network must not hide the others
            tap.result(False, f"random expressions, seed {seed}", f"{type(e).__name__}: {e}")
    tap.done()


if __name__ == "__main__":
    main()
