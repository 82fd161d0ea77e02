#!/usr/bin/env python3
"""Emitted programs against PyTorch in f64.

    compare.py [--target cuda] ops [SPEC...]
        forward values and gradients of one step: |a - b| / |b| <= 1e-5
    compare.py [--target cuda] steps SPEC...
        losses of five training steps from the same weights, and what sgd made of these: to 1e-4

Prints TAP. bench/gpu.py asks the same of programs emitted elsewhere. Exits with 77 (skipped) where PyTorch is absent.
"""
import argparse
import glob
import os
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
from program import STOWAGE, options_of, program_of     # noqa: E402

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)


def graph_text(spec, target="c", options=()):
    return subprocess.run([STOWAGE, "plan", *options_of(target), "--dump-after=phases", *options, spec],
                          check=True, capture_output=True, text=True).stdout


def random_inputs(graph, batch):
    """Values away from 0 and from ties, so that no kink lies between f32 and f64."""
    values = {}
    for number in graph.inputs:
        t = graph.tensors[number]
        shape = ([batch] if t.batched else []) + t.dims
        if t.classes:
            values[number] = torch.randint(t.classes, shape)
        elif t.dtype == "u8":
            values[number] = torch.randint(256, shape)
        else:
            x = torch.rand(shape) * 2 - 1
            values[number] = (x + 0.05 * torch.sign(x)).to(torch.float32).double()
    return values


def load(graph, program, values):
    """Puts inputs into the program, and the program's starting weights into PyTorch."""
    for number in graph.inputs:
        program.set(graph.tensors[number].name, values[number].numpy())


def off(mine, theirs):
    theirs = theirs.detach().numpy().astype(numpy.float64)
    mine = mine.astype(numpy.float64).reshape(theirs.shape)
    norm = numpy.linalg.norm(theirs)
    return numpy.linalg.norm(mine - theirs) / norm if norm > 1e-30 else numpy.linalg.norm(mine)


def changed_off(mine, theirs, start):
    """The same of what changed; a change far below the value is mostly the rounding of f32."""
    norm = numpy.linalg.norm
    return norm(mine.astype(numpy.float64) - theirs) / (norm(theirs - start) + 1e-3 * norm(start))


def in_f32(spec, folder):
    """The spec with f32 in place of f64: the kernels people run."""
    text = open(spec).read().replace("precision f64", "precision f32")
    path = os.path.join(folder, os.path.basename(spec))
    open(path, "w").write(text)
    return path


INPUT_GRADIENTS = ["--input-gradients"]


def one_operator(spec, target):
    with tempfile.TemporaryDirectory() as folder:
        spec = in_f32(spec, folder)
        graph = ir.Graph(graph_text(spec, target, INPUT_GRADIENTS))
        return operator_off(graph, program_of(spec, target, INPUT_GRADIENTS))


def operator_off(graph, program):
    """The largest deviation of any tensor of one step, and which it was."""
    batch = program.batch = int(graph.settings["batch"])
    values = random_inputs(graph, batch)
    load(graph, program, values)
    for number in graph.persistent:
        t = graph.tensors[number]
        values[number] = torch.from_numpy(program.get(t.name).astype(numpy.float64))
    leaves = [n for n in graph.persistent if graph.tensors[n].kind == "parameter"]
    leaves += [n for n in graph.inputs
               if graph.tensors[n].kind == "input" and values[n].is_floating_point()]
    for n in leaves:
        values[n] = values[n].requires_grad_()
    program.train_step(batch, 0.0)
    if any(n.op == "dropout" and n.attrs["rate"] > 0 for n in graph.nodes):
        apply_mask(graph, program)
    ir.run(graph, values)
    values[graph.loss].backward()
    worst, where = 0.0, "nothing"
    last = {graph.tensors[n].name: n for n in values}   # a shared layer makes its name twice
    for number, v in values.items():
        name = graph.tensors[number].name
        if last[name] != number:
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
            d = off(program.made[label], theirs)
            if d > worst or where == "nothing":
                worst, where = d, label
    return worst, where


def apply_mask(graph, program):
    """Which elements dropout drops is the program's choice; PyTorch follows it."""
    def dropout(n, x):
        y = torch.from_numpy(program.made[graph.tensors[n.outs[0]].name])
        return x * (y != 0) / (1 - n.attrs["rate"])
    ir.OPERATORS["dropout"] = dropout


def optimizer(graph, parameters):
    name, a = graph.optimizer
    if name == "sgd":
        return torch.optim.SGD(parameters, lr=a["lr"], momentum=a["momentum"], nesterov=a["nesterov"],
                               weight_decay=a["weight_decay"])
    kind = torch.optim.AdamW if name == "adamw" else torch.optim.Adam
    return kind(parameters, lr=a["lr"], betas=(a["beta1"], a["beta2"]), eps=a["eps"],
                weight_decay=a["weight_decay"])


def five_steps(spec, target):
    return steps_off(ir.Graph(graph_text(spec, target)), program_of(spec, target))


def steps_off(graph, program):
    """The largest deviation of the loss in five training steps, or of what they changed a weight by,
    and where that was."""
    parts = int(graph.settings["accumulate"])
    batch = program.batch = int(graph.settings["batch"]) // parts
    weights = {n: torch.from_numpy(program.get(graph.tensors[n].name).astype(numpy.float64))
               for n in graph.persistent}
    trained = [n for n in weights if graph.tensors[n].kind == "parameter" and
               not graph.tensors[n].frozen]
    start = {n: weights[n].clone() for n in trained}
    for n in trained:
        weights[n] = weights[n].requires_grad_()
    update = optimizer(graph, [weights[n] for n in trained])
    clip = float(graph.settings["clip"])
    loss_name = graph.tensors[graph.loss].name
    worst = 0.0
    for step in range(1, 6):
        mine = theirs = 0.0
        update.zero_grad()
        for part in range(parts):
            values = random_inputs(graph, batch)
            load(graph, program, values)
            program.train_step(batch, graph.optimizer[1]["lr"], step, part, parts)
            mine += float(program.made[loss_name]) / parts
            values.update(weights)
            ir.run(graph, values)
            (values[graph.loss] / parts).backward()
            theirs += float(values[graph.loss].detach()) / parts
        if parts > 1:
            program.update_step(graph.optimizer[1]["lr"], step)
        if clip:
            torch.nn.utils.clip_grad_norm_([weights[n] for n in trained], clip)
        update.step()
        worst = max(worst, abs(mine - theirs) / max(1e-12, abs(theirs)))
        print(f'# step {step}: {mine:.7f} {theirs:.7f}')
    where = loss_name
    for n in trained:
        name = graph.tensors[n].name
        d = changed_off(program.get(name), weights[n].detach().numpy(), start[n].numpy())
        if graph.optimizer[0] == "sgd" and d > worst:   # adam divides by gradients near 0
            worst, where = d, name
    return worst, where


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--target", choices=("c", "cuda"), default="c")
    parser.add_argument("mode", choices=("ops", "steps"))
    parser.add_argument("specs", nargs="*")
    args = parser.parse_args()
    mode, specs = args.mode, args.specs
    if mode == "ops" and not specs:
        specs = sorted(glob.glob(os.path.join(HERE, "..", "ops", "*.nn")))
    check, limit = (one_operator, 1e-5) if mode == "ops" else (five_steps, 1e-4)
    print(f"1..{len(specs)}")
    failed = 0
    for k, spec in enumerate(specs, 1):
        name = os.path.basename(spec)[:-3]
        try:
            worst, where = check(spec, args.target)
            good = worst <= limit
        except Exception as e:      # one broken spec must not hide the others
            worst, where, good = float("nan"), f"{type(e).__name__}: {e}", False
        failed += not good
        print(f"{'ok' if good else 'not ok'} {k} - {mode} {name}: {worst:.2g} ({where})", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
