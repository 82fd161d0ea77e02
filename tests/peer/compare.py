#!/usr/bin/env python3
"""Emitted programs against PyTorch: in f64, or those of 16 bits against the same in PyTorch.

    compare.py [--target cuda] [--precision bf16|f16] ops [SPEC...]
        forward values and gradients of one step: |a - b| / |b| <= 1e-5, in 16 bits <= 1e-2, or no further from
        f64 than four roundings (1.6e-2 in bf16), or twice as far as PyTorch in 16 bits is
    compare.py [--target cuda] [--precision bf16|f16] steps SPEC...
        losses of five training steps from the same weights, and what sgd made of these: to 1e-4;
        in 16 bits the losses alone, to 1e-2

Prints TAP. bench/gpu.py asks the same of programs emitted elsewhere. Exits with 77 (skipped) where PyTorch is absent.
"""
import argparse
import collections
import glob
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
try:
    import numpy
    import torch
except ImportError as absent:
    print(f"1..0 # SKIP {absent.name} is not installed: NOTHING WAS COMPARED WITH PYTORCH")
    sys.exit(0)
sys.path.insert(0, HERE)
import ir           # noqa: E402
import operators    # noqa: E402
import optimizers   # noqa: E402
import oracle       # noqa: E402
from differences import worst       # noqa: E402
from program import STOWAGE, options_of, program_of     # noqa: E402

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)


def graph_text(spec, target="c", options=()):
    return subprocess.run([STOWAGE, "plan", *options_of(target), "--dump-after=phases", *options, spec],
                          check=True, capture_output=True, text=True).stdout


NARROW = {"bf16": torch.bfloat16, "f16": torch.float16}
LOSS_SCALE = 64         # of f16: no gradient of these specs overflows


def cast(x, precision):
    """As PyTorch is to compute with it: f64, or what the program computes in."""
    return x.to(NARROW[precision]) if precision in NARROW else x


def random_inputs(graph, batch, precision="f32"):
    """Values away from 0 and from ties, so that no kink lies between f32 and f64."""
    values = {}
    for number in graph.inputs:
        t = graph.tensors[number]
        shape = ([batch] if t.batched else []) + t.dims
        if t.classes:
            values[number] = torch.randint(t.classes, shape)
            for n in graph.nodes:       # PyTorch's targets may not be the blank
                if n.op == "ctc" and n.ins[1] == number:
                    values[number] = (values[number] + (values[number] == n.attrs["blank"])) % t.classes
        elif t.dtype == "u8":
            values[number] = torch.randint(256, shape)
        else:
            x = torch.rand(shape) * 2 - 1
            values[number] = cast((x + 0.05 * torch.sign(x)).to(torch.float32).double(), precision)
    return values


def load(graph, program, values):
    """Puts inputs into the program, but those that metrics alone read: training has none of them."""
    for number in graph.inputs:
        v = values[number]
        if program.has(graph.tensors[number].name):
            program.set(graph.tensors[number].name, (v.float() if v.is_floating_point() else v).numpy())


def spread_weights(graph, program):
    """A weight that starts at 1, or a bias at 0, hides what it does; so those which start alike do not."""
    for number in graph.persistent:
        t = graph.tensors[number]
        if t.kind != "parameter":
            continue
        x = program.get(t.name).astype(numpy.float64)
        if x.size and (x == x.flat[0]).all():
            x = x + 0.3 * numpy.sin(1.7 * numpy.arange(1, x.size + 1)).reshape(x.shape)
            program.set(t.name, x.astype(numpy.float32))


def set_loss_scale(program):
    """What gradients are multiplied by: 1, or in f16 what is put in place of the first scale."""
    for e in program.entries:
        if e.kind == b"optimizer" and e.name.endswith(b".scale") and not e.graph:
            program.set(e.name.decode(), numpy.full(1, LOSS_SCALE))
            return LOSS_SCALE
    return 1


def off(mine, theirs):
    theirs = theirs.detach().double().numpy()
    norm = numpy.linalg.norm(theirs)
    mine = mine.astype(numpy.float64).reshape(theirs.shape)
    return numpy.linalg.norm(mine - theirs) / norm if norm > 1e-30 else numpy.linalg.norm(mine)


def changed_off(mine, theirs, start):
    """The same of what changed; a change far below the value is mostly the rounding of f32."""
    norm = numpy.linalg.norm
    return norm(mine.astype(numpy.float64) - theirs) / (norm(theirs - start) + 1e-3 * norm(start))


def in_precision(spec, folder, precision):
    """The spec with another precision in place of f64: the kernels people run."""
    text = open(spec).read()
    if "precision f64" in text:
        text = text.replace("precision f64", f"precision {precision}")
    elif precision != "f32":
        text = text.replace("train {", f"train {{\n  precision {precision}", 1)
        assert "precision" in text, spec
    path = os.path.join(folder, os.path.basename(spec))
    open(path, "w").write(text)
    return path


INPUT_GRADIENTS = ["--input-gradients"]


class Unseen(Exception):
    """What dropout drops shows in nothing that is stored."""


def one_operator(spec, target, precision="f32"):
    with tempfile.TemporaryDirectory() as folder:
        for read in glob.glob(spec[:-len(".nn")] + ".*"):
            shutil.copy(read, folder)       # what it reads, too
        spec = in_precision(spec, folder, precision)
        graph = ir.Graph(graph_text(spec, target, INPUT_GRADIENTS))
        try:
            if any(n.op == "attend" and n.attrs["dropout"] for n in graph.nodes):
                raise Unseen
            return operator_off(graph, program_of(spec, target, INPUT_GRADIENTS), precision)
        except Unseen:
            return 0.0, None


def operator_off(graph, program, precision="f32"):
    """The largest deviation of any tensor of one step, and which it was."""
    batch = program.batch = int(graph.settings["batch"])
    graph.nodes = graph.for_loss()
    torch.manual_seed(1)            # whatever was compared before
    values = random_inputs(graph, batch, precision)
    load(graph, program, values)
    if precision not in NARROW:     # there, more of them would lie within a rounding of relu's kink
        spread_weights(graph, program)
    scale = set_loss_scale(program)
    for number in graph.persistent:
        t = graph.tensors[number]
        values[number] = torch.from_numpy(program.get(t.name).astype(numpy.float64))
        if precision in NARROW:
            values[number] = values[number].to(NARROW[precision] if t.dtype == precision else torch.float32)
    leaves = [n for n in graph.persistent if graph.tensors[n].kind == "parameter"]
    leaves += [n for n in graph.inputs
               if graph.tensors[n].kind == "input" and values[n].is_floating_point()]
    for n in leaves:
        values[n] = values[n].requires_grad_()
    program.train_step(batch, 0.0)
    follow_draws(graph, program)
    start = {n: v.detach().clone() for n, v in values.items()}
    oracle.run(graph, values)
    values[graph.loss].backward()
    exact = None
    found = []
    times = collections.Counter(graph.tensors[n].name for n in values)
    for number, v in values.items():
        name = graph.tensors[number].name
        if times[name] > 1:         # of a layer that is applied twice, in an order of the program's choice
            continue
        pairs = [(name, v)] if number not in leaves and name in program.made else []
        if number in leaves:
            label = name + ".grad"
            if label not in program.made:   # a parameter that is its operator's value
                label = name.removesuffix(".weight") + ".grad"
            pairs = [(label, v.grad)]
        for label, theirs in pairs:
            if theirs is None:
                continue
            mine = program.made[label].astype(numpy.float64)
            mine = mine / scale if label.endswith(".grad") else mine
            far = off(mine, theirs)
            if precision in NARROW and far > 1e-2:
                exact = exact or in_f64(graph, start, leaves)
                best = exact[number].grad if number in leaves else exact[number]
                least = max(2 * off(theirs.detach().double().numpy(), best), 2 * torch.finfo(NARROW[precision]).eps)
                far = far if off(mine, best) > least else 1e-2
            found.append((far, label))
    return worst(found or [(0.0, "nothing")])


def in_f64(graph, start, leaves):
    """The same step without roundings, to tell those that add up from what is wrong."""
    for t in graph.tensors.values():
        t.dtype = "f64" if t.dtype in NARROW else t.dtype
    values = {n: v.double() if v.is_floating_point() else v for n, v in start.items()}
    for n in leaves:
        values[n].requires_grad_()
    oracle.run(graph, values)
    values[graph.loss].backward()
    return values


def follow_draws(graph, program):
    """Which elements dropout drops, and what noise is, is the program's choice; PyTorch follows it."""
    def drawn(n):
        name = graph.tensors[n.outs[0]].name
        if name not in program.made:    # joined with its reader
            raise Unseen
        return torch.from_numpy(program.made[name])

    def dropout(n, x):
        return x * (drawn(n) != 0) / (1 - n.attrs["rate"]) if n.attrs["rate"] > 0 else x

    def noise(n):
        return drawn(n).to(n.dtype).reshape(n.shape)
    operators.OPERATORS.update(dropout=dropout, normal=noise, uniform=noise)


def five_steps(spec, target, precision="f32"):
    with tempfile.TemporaryDirectory() as folder:
        if precision != "f32":
            spec = in_precision(spec, folder, precision)
        graph = ir.Graph(graph_text(spec, target))
        graph.updates = ir.updates(graph_text(spec, target, ["--dump-after=update"]))
        return steps_off(graph, program_of(spec, target), precision)


def master_of(graph, number, program):
    """The f32 copy of a weight that is kept in 16 bits; what is updated."""
    name = graph.tensors[number].name
    if any(e.name.decode() == name + ".master" for e in program.entries):
        return name + ".master"
    return name


def steps_off(graph, program, precision="f32", steps=5, weight_off=changed_off):
    """The largest deviation of a loss in some training steps, or of what they changed a weight by (WEIGHT_OFF),
    and where that was."""
    torch.manual_seed(1)            # whatever was compared before
    parts = int(graph.settings["accumulate"])
    batch = program.batch = int(graph.settings["batch"]) // parts
    weights = {n: torch.from_numpy(program.get(master_of(graph, n, program)).astype(numpy.float64))
               for n in graph.persistent}
    if precision in NARROW:
        weights = {n: w.float() for n, w in weights.items()}
    trained = [n for n in weights if graph.tensors[n].kind == "parameter" and
               not graph.tensors[n].frozen]
    start = {n: weights[n].clone() for n in trained}
    set_loss_scale(program)
    for n in trained:
        weights[n] = weights[n].requires_grad_()
    update = optimizers.optimizer(graph, [{"params": [weights[n]], **{name: x for name, x in graph.updates.get(n, {}).items() if name in (
        "lr", "weight_decay")}} for n in trained])
    clip = float(graph.settings["clip"])
    loss_name = graph.tensors[graph.loss].name
    keep, averages = float(graph.settings.get("ema", 0)), {n: w.clone() for n, w in start.items()}
    found = []
    parted = [(i, graph.tensors[i].name) for _, i, _ in graph.results if parts == 1]
    for step in range(1, steps + 1):
        mine = theirs = 0.0
        update.zero_grad()
        for part in range(parts):
            values = random_inputs(graph, batch, precision)
            load(graph, program, values)
            program.train_step(batch, graph.optimizer[1]["lr"], step, part, parts)
            mine += float(program.made[loss_name]) / parts
            values.update({n: cast(w, precision) if graph.tensors[n].kind == "parameter" else w
                           for n, w in weights.items()})
            oracle.run(graph, values)
            (values[graph.loss] / parts).backward()
            theirs += float(values[graph.loss].detach()) / parts
        if parts > 1:
            program.update_step(graph.optimizer[1]["lr"], step)
        if clip:
            torch.nn.utils.clip_grad_norm_([weights[n] for n in trained], clip)
        update.step()
        averages = {n: keep * a + (1 - keep) * weights[n].detach() for n, a in averages.items()}
        found.append((abs(mine - theirs) / max(1e-12, abs(theirs)), loss_name))
        for number, name in parted:
            if name in program.made and number in values:
                part, other = float(program.made[name]), float(values[number].detach())
                found.append((abs(part - other) / max(1e-12, abs(other)), name))
        print(f'# step {step}: {mine:.7f} {theirs:.7f}')
    if not graph.optimizer[0].startswith("adam") and precision not in NARROW:     # those divide by gradients near 0
        for n in trained:
            name = graph.tensors[n].name
            found.append((weight_off(program.get(name), weights[n].detach().numpy(), start[n].numpy()), name))
            if keep:
                found.append((changed_off(program.get(name + ".average"), averages[n].numpy(), start[n].numpy()), name))
    return worst(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--target", choices=("c", "cuda"), default="c")
    parser.add_argument("--precision", choices=("f32", *NARROW), default="f32")
    parser.add_argument("mode", choices=("ops", "steps"))
    parser.add_argument("specs", nargs="*")
    args = parser.parse_args()
    mode, specs = args.mode, args.specs
    if mode == "ops" and not specs:
        specs = sorted(glob.glob(os.path.join(HERE, "..", "ops", "*.nn")))
    check, limit = (one_operator, 1e-5) if mode == "ops" else (five_steps, 1e-4)
    limit = 1e-2 if args.precision in NARROW else limit
    print(f"1..{len(specs)}")
    in_precision_said = f" in {args.precision}" if args.precision != "f32" else ""
    failed = 0
    for k, spec in enumerate(specs, 1):
        name = os.path.basename(spec)[:-3]
        try:
            furthest, where = check(spec, args.target, args.precision)
            good = furthest <= limit
        except Exception as e:      # one broken spec must not hide the others
            furthest, where, good = float("nan"), f"{type(e).__name__}: {e}", False
        failed += not good
        said = f"{furthest:.2g} ({where})" if where else "not compared # SKIP what dropout drops is not stored"
        print(f"{'ok' if good else 'not ok'} {k} - {mode} {name}{in_precision_said}: {said}", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
