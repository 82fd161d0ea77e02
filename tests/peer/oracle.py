"""Runs a graph of ir.py in PyTorch.

This is the independent oracle of the emitted programs: operators are given their meaning by
PyTorch's own functions, gradients by its autograd, and updates by its optimizers.
"""
import torch

import ir
from operators import OPERATORS, recurrent


def number_of_sample(graph, i, x, rank):
    """A number for each sample goes with all the axes of an operand that has them; an index does not."""
    alone = graph.tensors[i].batched and not graph.tensors[i].dims and x.is_floating_point()
    return x.reshape([-1] + [1] * rank) if alone and rank else x


def shaped(graph, n):
    """For operators that make a tensor of nothing: its shape and type."""
    out, batch = graph.tensors[n.outs[0]], int(graph.settings["batch"]) // int(graph.settings["accumulate"])
    n.batched, n.shape = out.batched, ([batch] if out.batched else []) + out.dims
    n.dtype = ir.dtype_of(out)


def samples_of(graph, operand, values):
    """How many: those of an operand, or of the inputs where it is the same for each."""
    return next(values[i].shape[0] for i in [operand, *graph.inputs] if graph.tensors[i].batched)


def scan(graph, n, values):
    """The cell once for each step: what it makes at all of them, then the states after the last."""
    a, body = n.attrs, graph.bodies[n.attrs["cell"]]
    steps = graph.tensors[n.ins[0]].dims[a["axis"]]
    axes = [a["axis"] + graph.tensors[i].batched for i in n.ins[:a["sequences"]]]
    own = [i for i in body.inputs if graph.tensors[i].kind == "input"][len(axes):]
    around = {i: values[k] for i, k in zip(body.inputs[len(axes):], n.ins[len(axes):])}
    for i, k in zip(own, n.ins[len(axes):]):
        if graph.tensors[i].batched and not graph.tensors[k].batched:
            around[i] = values[k].expand([samples_of(graph, n.ins[0], values)] + graph.tensors[i].dims)
    made = len(body.results) - len(own) or len(own)
    all_steps = [[None] * steps for _ in range(made)]
    for t in reversed(range(steps)) if a["reverse"] else range(steps):
        around.update((i, values[k].select(axis, t)) for i, k, axis in zip(body.inputs, n.ins, axes))
        after = run(body, {**values, **around})
        for k, (_, i, _) in enumerate(body.results[:made]):
            all_steps[k][t] = after[i]
        around.update((i, after[k]) for i, (_, k, _) in zip(own, body.results[-len(own) or len(body.results):]))
    stacked = [torch.stack(y, a["axis"] + graph.tensors[i].batched)
               for y, (_, i, _) in zip(all_steps, body.results)]
    return stacked + [around[i] for i in own]


def run(graph, values):
    """Fills in values (by tensor number) from those of inputs and persistent tensors."""
    for n in graph.nodes:
        out = graph.tensors[n.outs[0]]
        if n.op == "recurrent":
            made = dict(zip(("", ".last", ".cell"), recurrent(
                n, *(None if i is None else values[i] for i in n.ins))))
            values.update((i, made[graph.tensors[i].name[len(n.path):]]) for i in n.outs
                          if graph.tensors[i].name[len(n.path):] in made)
            continue
        if n.op == "scan":
            values.update(zip(n.outs, scan(graph, n, values)))
            continue
        ins = [None if i is None else number_of_sample(graph, i, values[i], len(out.dims)) for i in n.ins]
        if n.op in ("reshape", "crop", "broadcast"):    # their result is fixed by its shape
            want = ([samples_of(graph, n.ins[0], values)] if out.batched else []) + out.dims
            if n.op == "reshape":
                y = ins[0].reshape(want)
            elif n.op == "broadcast":
                y = ins[0].expand(want)
            else:
                top, bottom, left, right = n.attrs["sides"] or (0, 0, 0, 0)
                h, w = ins[0].shape[-2:]
                if n.attrs["sides"]:
                    y = ins[0][..., top:h - bottom, left:w - right]
                else:
                    oh, ow = out.dims[-2:]
                    y = ins[0][..., (h - oh) // 2:(h - oh) // 2 + oh, (w - ow) // 2:(w - ow) // 2 + ow]
        else:
            if not ins:
                shaped(graph, n)
            y = OPERATORS[n.op](n, *ins)
        values.update(zip(n.outs, y if isinstance(y, tuple) else (y,)))
    return values
