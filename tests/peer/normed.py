#!/usr/bin/env python3
"""The blocks of std/weights.nn against PyTorch's parametrizations of a Linear, of the same numbers: what they make, and
the gradients of all that is trained and of the input, to 1e-5. PyTorch's power iteration begins with ones, as the
block's does, and has come as close. Prints TAP.
"""
import os
import sys
import tempfile

import numpy
import torch
from torch.nn.utils import parametrizations

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compare      # noqa: E402
import ir           # noqa: E402
from program import program_of      # noqa: E402

STEPS = 60
SPEC = f"""
use "std/weights.nn"
network normed {{
  input x : f32[3, 7]
  target t : f32[3, 5]
  by_length = x -> a: weight_norm_dense(5)
  by_largest = x -> b: spectral_norm_dense(5, iterations={STEPS})
  loss mse(by_length, t)
  loss mse(by_largest, t)
}}
train {{ batch 4  optimizer sgd(lr=0)  data synthetic(samples=4) }}
"""


def weight_normed(start):
    layer = parametrizations.weight_norm(torch.nn.Linear(7, 5))
    length, direction = layer.parametrizations.weight.original0, layer.parametrizations.weight.original1
    with torch.no_grad():
        length.copy_(start["a.length"].reshape(5, 1))
        direction.copy_(start["a.direction"])
        layer.bias.copy_(start["a.bias"])
    return layer, {"a.length": length, "a.direction": direction, "a.bias": layer.bias}


def spectral_normed(start):
    layer = torch.nn.Linear(7, 5)
    with torch.no_grad():
        layer.weight.copy_(start["b.matrix"])
        layer.bias.copy_(start["b.bias"])
    parametrizations.spectral_norm(layer, n_power_iterations=STEPS)
    return layer, {"b.matrix": layer.parametrizations.weight.original, "b.bias": layer.bias}


def main():
    options = ["--input-gradients"]
    with tempfile.TemporaryDirectory() as folder:
        spec = os.path.join(folder, "net.nn")
        open(spec, "w").write(SPEC)
        graph = ir.Graph(compare.graph_text(spec, options=options))
        program = program_of(spec, options=options)
    program.batch = 4
    values = compare.random_inputs(graph, 4)
    compare.load(graph, program, values)
    compare.spread_weights(graph, program)
    start = {}
    for number in graph.persistent:
        name = graph.tensors[number].name
        start[name.removesuffix(".parameter.weight")] = torch.from_numpy(program.get(name).astype(numpy.float64))
    x, t = values[graph.by_name("x")].requires_grad_(), values[graph.by_name("t")]
    pairs, total = [], 0
    for name, made in (("a.add", weight_normed), ("b.add", spectral_normed)):
        layer, trained = made(start)
        y = layer(x)
        total = total + torch.nn.functional.mse_loss(y, t)
        pairs.append((name, y))
        pairs += [(f"{name}.parameter.weight", p) for name, p in trained.items()]
    total.backward()
    pairs.append(("x.grad", x))
    program.train_step(4, 1.0)
    print(f"1..{len(pairs)}")
    failed = 0
    for k, (name, theirs) in enumerate(pairs, 1):
        if name.endswith(".weight"):    # what an update with a rate of 1 took from it
            mine, theirs = start[name.removesuffix(".parameter.weight")].numpy() - program.get(name), theirs.grad
        else:
            mine, theirs = program.made[name], theirs.grad if name.endswith(".grad") else theirs
        error = compare.off(mine, theirs)
        failed += not error <= 1e-5
        print(f"{'ok' if error <= 1e-5 else 'not ok'} {k} - {name}: {error:.1e}", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
