#!/usr/bin/env python3
"""The blocks of std/weights.nn against PyTorch's parametrizations of the same layers, of the same numbers: what they
make, and the gradients of all that is trained and of the inputs, to 1e-5. PyTorch's power iteration begins with ones,
as the block's does, and has come as close. Prints TAP.
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

STEPS = 100
RATE = 64       # a step so long that what rounding takes from a weight is nothing beside it
SPEC = f"""
use "std/weights.nn"
network normed {{
  input x : f32[3, 7]
  input image : f32[4, 6, 6]
  target t : f32[3, 5]
  target map : f32[6, 6, 6]
  by_length = x -> a: weight_norm_dense(5)
  by_largest = x -> b: spectral_norm_dense(5, iterations={STEPS})
  seen = image -> c: weight_norm_conv(6, 3, pad=1, groups=2)
  kept = image -> d: spectral_norm_conv(6, 3, pad=1, iterations={STEPS})
  turned = parameter((4, 6, 3, 3), init=uniform(0.2))
  turned_weight = turned -> g: weight_normed
  made = image -> e: conv_transpose(6, 3, pad=1, weight=turned_weight)
  recurrent = parameter((20, 5), init=uniform(0.4))
  recurrent_weight = recurrent -> h: weight_normed
  read = x -> f: lstm(5, weight_hh_l0=recurrent_weight)
  loss mse(by_length, t)
  loss mse(by_largest, t)
  loss mse(seen, map)
  loss mse(kept, map)
  loss mse(made, map)
  loss mse(read, t)
}}
train {{ batch 4  optimizer sgd(lr=0)  data synthetic(samples=4) }}
"""


def by_length(layer, name="weight"):
    parametrizations.weight_norm(layer, name)
    parts = getattr(layer.parametrizations, name)
    return parts.original0, parts.original1


def by_largest(layer):
    parametrizations.spectral_norm(layer, n_power_iterations=STEPS)
    return layer.parametrizations.weight.original


class Layer:
    """One of PyTorch's, begun with the program's numbers; what it trains, by the program's names."""

    def __init__(self, made, source, target, layer, trained):
        self.made, self.source, self.target, self.layer, self.trained = made, source, target, layer, trained

    def load(self, start):
        for name, p in self.trained.items():
            p.data.copy_(start[name].reshape(p.shape))


def layers():
    """Called within double precision as the default."""
    nn = torch.nn
    a, b, c, d = nn.Linear(7, 5), nn.Linear(7, 5), nn.Conv2d(4, 6, 3, padding=1, groups=2), nn.Conv2d(4, 6, 3, padding=1)
    e, f = nn.ConvTranspose2d(4, 6, 3, padding=1), nn.LSTM(7, 5, batch_first=True)
    out = []
    for path, at, layer, source, target in (("a.dense", "a.normed", a, "x", "t"),
                                            ("c.conv", "c.normed", c, "image", "map")):
        length, direction = by_length(layer)
        where = "direction.parameter.weight" if layer is a else "direction.0.parameter.weight"
        out.append(Layer(path, source, target, layer, {path[:2] + where: direction, path + ".bias": layer.bias,
                                                       at + ".length.parameter.weight": length}))
    out.append(Layer("b.dense", "x", "t", b, {"b.matrix.parameter.weight": by_largest(b), "b.dense.bias": b.bias}))
    out.append(Layer("d.conv", "image", "map", d, {"d.matrix.0.parameter.weight": by_largest(d), "d.conv.bias": d.bias}))
    length, direction = by_length(e)
    out.append(Layer("e", "image", "map", e, {"turned.parameter.weight": direction, "e.bias": e.bias,
                                              "g.length.parameter.weight": length}))
    length, direction = by_length(f, "weight_hh_l0")
    out.append(Layer("f.l0", "x", "t", f, {"recurrent.parameter.weight": direction, "f.bias_ih_l0": f.bias_ih_l0,
                                        "f.bias_hh_l0": f.bias_hh_l0, "f.weight_ih_l0": f.weight_ih_l0,
                                        "h.length.parameter.weight": length}))
    return out


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
    names = [graph.tensors[number].name for number in graph.persistent]
    start = {name: torch.from_numpy(program.get(name).astype(numpy.float64)) for name in names}
    given = {name: values[graph.by_name(name)] for name in ("x", "image", "t", "map")}
    given["x"].requires_grad_()
    given["image"].requires_grad_()
    pairs, total = [], 0
    torch.set_default_dtype(torch.float64)
    for one in layers():
        one.load(start)
        y = one.layer(given[one.source])
        y = y[0] if isinstance(y, tuple) else y
        total = total + torch.nn.functional.mse_loss(y, given[one.target])
        pairs.append((one.made, y))
        pairs += list(one.trained.items())
    total.backward()
    pairs += [("x.grad", given["x"]), ("image.grad", given["image"])]
    program.train_step(4, float(RATE))
    print(f"1..{len(pairs)}")
    failed = 0
    for k, (name, theirs) in enumerate(pairs, 1):
        if name in start:       # what the update took from it
            mine, theirs = (start[name].numpy() - program.get(name)) / RATE, theirs.grad
        else:
            mine, theirs = program.made[name], theirs.grad if name.endswith(".grad") else theirs
        error = compare.off(mine, theirs)
        failed += not error <= 1e-5
        print(f"{'ok' if error <= 1e-5 else 'not ok'} {k} - {name}: {error:.1e}", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
