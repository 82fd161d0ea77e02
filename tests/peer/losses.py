#!/usr/bin/env python3
"""The blocks of std/losses.nn against PyTorch's losses of the same names, with the program's own weights: to 1e-6.
MONAI's DiceLoss is written out. Prints TAP.
"""
import os
import sys
import tempfile

import numpy
import torch
import torch.nn.functional as F

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compare      # noqa: E402
import ir           # noqa: E402
from program import program_of      # noqa: E402

SPEC = """
use "std/losses.nn"
network losses {
  input x : f32[2, 3, 4]
  input e : f32[5]
  input y : f32[1]
  target t : f32[2, 3, 4]
  p = x -> sigmoid
  a = e -> dense(6)
  b = e -> dense(6)
  c = e -> dense(6)
  loss shared: (p, sigmoid(t)) -> dice
  loss angle: (a, b, y) -> cosine_loss(0.1)
  loss nearer: (a, b, c) -> triplet
  loss paired: (a, b, sigmoid(y)) -> contrastive(2)
}
train { batch 4  optimizer sgd(lr=0.1)  data synthetic(samples=4) }
"""


def main():
    with tempfile.TemporaryDirectory() as folder:
        spec = os.path.join(folder, "net.nn")
        open(spec, "w").write(SPEC)
        graph = ir.Graph(compare.graph_text(spec))
        program = program_of(spec)
    program.batch = 4
    values = compare.random_inputs(graph, 4)
    compare.load(graph, program, values)
    program.train_step(4, 0.0)

    x, t, y, e = (values[graph.by_name(name)] for name in "xtye")

    def dense(name):    # the program need not keep it: a loss may be joined with the product
        weight, bias = (torch.from_numpy(program.get(f"{name}.dense.{part}").astype(numpy.float64))
                        for part in ("weight", "bias"))
        return e @ weight.reshape(6, 5).T + bias.reshape(6)
    a, b, c = (dense(name) for name in "abc")
    p, t, same = x.sigmoid(), t.sigmoid(), y.sigmoid().flatten()
    d = F.pairwise_distance(a, b)
    want = {
        "shared": (1 - (2 * (p * t).sum((2, 3)) + 1e-5) / ((p + t).sum((2, 3)) + 1e-5)).mean(),
        "angle": F.cosine_embedding_loss(a, b, torch.where(y.flatten() > 0, 1., -1.), margin=0.1),
        "nearer": F.triplet_margin_loss(a, b, c),
        "paired": (same * d ** 2 + (1 - same) * F.relu(2 - d) ** 2).mean(),
    }
    print(f"1..{len(want)}")
    failed = 0
    for k, (name, theirs) in enumerate(want.items(), 1):
        mine = float(program.made["loss.average" if k == 1 else f"loss_{k}.average"])
        good = abs(mine - float(theirs)) <= 1e-6 * max(1, abs(float(theirs)))
        failed += not good
        print(f"{'ok' if good else 'not ok'} {k} - {name}: {mine:.7f} {float(theirs):.7f}", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
