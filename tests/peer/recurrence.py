"""Recurrent layers and scans as PyTorch's users write them, for peaks.py: nn.LSTM and its like, which are one call
of cuDNN's, and a loop over steps.

On a CPU PyTorch runs recurrent layers in another way, so what _cudnn_rnn and its backward make (cudnn/RNN.cpp) is
made here by the same calls; their autograd node is PyTorch's own. What cuDNN alone knows is taken at its least: a
reserve of what backward has to read, no scratch memory.
"""
import re

import torch
import torch.nn.utils.rnn as rnn

import eager
import ir

MODES = {"rnn_relu": 0, "rnn_tanh": 1, "lstm": 2, "gru": 3}
KEPT = {0: 0, 1: 0, 2: 5, 3: 4}     # numbers of a step


def packed(x, order, lengths):
    """pack_padded_sequence(), whose lengths are sorted on the host."""
    order = order.clone()
    return rnn.PackedSequence(*torch._VF._pack_padded_sequence(x.index_select(0, order), lengths, True), order)


def cudnn_rnn(x, weight, stride, buffer, hx, cx, mode, hidden, proj, layers, batch_first, dropout, train, both, *_):
    x = x.transpose(0, 1).contiguous() if batch_first else x.contiguous()
    y = x.new_empty(*x.shape[:-1], hidden * (1 + both))
    hy, cy = torch.empty_like(hx), hx.new_empty(0) if cx is None else torch.empty_like(cx)
    kept = (KEPT[mode] * layers + layers - 1) * y.nbytes if train else 0
    reserve = x.new_empty(kept, dtype=torch.uint8)
    return y.transpose_(0, 1) if batch_first else y, hy, cy, reserve, buffer


def gradients_of_data(x, hx, cx, dy, dhy, dcy):
    x, dy = (t.transpose(0, 1) if t.dim() > 2 else t for t in (x, dy))
    copies = x.contiguous(), dy.contiguous(), dhy.contiguous(), dcy if cx is None else dcy.contiguous()
    dx = torch.empty_like(x, memory_format=torch.contiguous_format)
    dhx, dcx = torch.empty_like(hx), cx if cx is None else torch.empty_like(cx)
    del copies
    return dx.transpose_(0, 1) if x.dim() > 2 else dx, dhx, dcx


def gradients_of_weights(x, weight, stride, buffer):
    x = (x.transpose(0, 1) if x.dim() > 2 else x).contiguous()
    dw, at, views = torch.zeros_like(buffer), 0, []
    for w in weight:
        views.append(dw[at:at + w.numel()].view_as(w))
        at += w.numel()
    return views if stride == 4 else [torch.empty_like(w).copy_(v) for w, v in zip(weight, views)]


def cudnn_rnn_backward(x, weight, stride, buffer, hx, cx, y, dy, dhy, dcy, *rest):
    wanted = rest[-1]
    dy = torch.zeros_like(y, memory_format=torch.contiguous_format) if dy is None else dy
    dhy = torch.zeros_like(hx) if dhy is None else dhy
    dcy = torch.zeros_like(cx) if dcy is None and cx is not None else dcy
    dx, dhx, dcx = gradients_of_data(x, hx, cx, dy, dhy, dcy)
    dw = gradients_of_weights(x, weight, stride, buffer) if wanted[3] else [None] * len(weight)
    return dx, dhx, dcx, dw


# What is on the host: of a packed sequence how many samples each step has.
eager.Counter.on_host[torch.ops.aten._pack_padded_sequence.default] = 1

def end(graph, batch, when):
    """Sequences end after their first step, at their last, or each elsewhere: lengths and the order of samples, which are
    sorted on the host."""
    for n in graph.nodes:
        if n.op == "layers" and n.attrs["lengths"] is not None:
            steps = graph.tensors[n.ins[0]].dims[0]
            lengths = torch.linspace(*{"first": (1, 1), "last": (steps, steps), "mixed": (steps, 1)}[when], batch)
            n.attrs["early"] = torch.arange(batch), lengths.round().long()


LIBRARY = torch.library.Library("aten", "IMPL")
for name, function in (("_cudnn_rnn", cudnn_rnn), ("_cudnn_rnn_backward", cudnn_rnn_backward)):
    LIBRARY.impl(name, function, "CPU")
    eager.Counter.made_here[getattr(torch.ops.aten, name).default] = function


def layers(n, x, *rest):
    """nn.RNNBase.forward() with batch_first."""
    a, batch, steps = n.attrs, *x.shape[:2]
    lstm, count = a["cell"] == "lstm", a["layers"] * a["directions"]
    weights, sequence = list(rest[a["states"]:][:len(a["weights"])]), None
    first = [s.reshape(batch, count, -1).transpose(0, 1).contiguous() for s in rest[:a["states"]]]
    if a["lengths"] is not None:
        sequence = packed(x, *a["early"])
        x, first = sequence.data, [s.index_select(1, sequence.sorted_indices) for s in first]
    first = first or [x.new_zeros(count, batch, a["hidden"]) for _ in range(1 + lstm)]
    y, *last = torch.ops.aten._cudnn_rnn(
        x, weights, 4 if a["bias"] else 2, a["buffer"], first[0], first[1] if lstm else None, MODES[a["cell"]],
        a["hidden"], 0, a["layers"], not sequence, a["dropout"], True, a["directions"] == 2,
        sequence.batch_sizes.tolist() if sequence else [], None)[:3]
    del x
    if sequence:
        last = [s.index_select(1, sequence.unsorted_indices) if s.numel() else s for s in last]
        last = [s if want else None for s, want in zip(last, a["wanted"][1:])]
        y = rnn.pad_packed_sequence(sequence._replace(data=y), True, total_length=steps)[0] if a["wanted"][0] else None
    for k in range(2):
        last[k] = last[k].transpose(0, 1).reshape(batch, -1) if a["wanted"][1 + k] else None
    return y, *last


def numbered(graph, like, dims=None):
    """A new tensor of the graph."""
    t = ir.Tensor(like.dtype, "", like.name, "activation")
    t.batched, t.dims = like.batched, like.dims if dims is None else dims
    number = max(graph.tensors) + 1
    graph.tensors[number] = t
    return number


def node(graph, op, ins, outs, attrs, path):
    n = ir.Node(op, ins, outs, attrs, path)
    n.tokens, n.out = False, graph.tensors[outs[0]]
    n.samples = [i is not None and graph.tensors[i].batched for i in ins]
    n.batched = bool(ins) and n.samples[0]
    return n


def whole(graph, parts, read):
    """Of the parts of a recurrent layer one node."""
    by_out = {o: n for n in parts for o in n.outs}
    steps = [n for n in parts if n.op == "recurrent"]
    dense = [by_out[n.ins[0]] for n in steps]
    joined = {n.path.rsplit(".", 1)[1]: n.outs[0] for n in parts if n.op == "concat"}
    given = [by_out[i].ins[0] if i in by_out else i for i in steps[0].ins[1:3] if i is not None]
    weights = [i for d, s in zip(dense, steps) for pair in zip(d.ins[1:], s.ins[4:]) for i in pair]
    outs = [joined[max((w for w in joined if w.startswith("states")), key=lambda w: int(w[8:]))],
            joined.get("last", -1), joined.get("cell", -2)]
    directions = 2 if any(n.path.endswith("_reverse") for n in steps) else 1
    attrs = {"cell": steps[0].attrs["cell"], "bias": steps[0].attrs["bias"], "directions": directions,
             "layers": len(steps) // directions, "states": len(given), "wanted": [o in read for o in outs],
             "hidden": graph.tensors[steps[0].ins[4]].dims[1], "weights": weights,
             "lengths": steps[0].ins[3], "dropout": max([n.attrs["rate"] for n in parts if n.op == "dropout"], default=0.0)}
    return node(graph, "layers", [dense[0].ins[0], *given, *weights, *[i for i in steps[0].ins[3:4] if i is not None]], outs, attrs, steps[0].path)


def unrolled(graph, n):
    """A scan as a loop."""
    a, body, tensors = n.attrs, graph.bodies[n.attrs["cell"]], graph.tensors
    count, made, steps = a["sequences"], [], tensors[n.ins[0]].dims[a["axis"]]
    own = [i for i in body.inputs if tensors[i].kind == "input"][count:]
    parts, state = [], {}
    for k, i in enumerate(body.inputs[:count]):
        parts.append([numbered(graph, tensors[i]) for _ in range(steps)])
        made.append(node(graph, "unbind", [n.ins[k]], parts[k],
                         {"axis": a["axis"] + tensors[n.ins[k]].batched}, n.path))
    for i, k in zip(body.inputs[count:], n.ins[count:]):
        state[i] = k
        if tensors[i].batched and not tensors[k].batched:
            state[i] = numbered(graph, tensors[i])
            made.append(node(graph, "expand", [k], [state[i]], {}, n.path))
    results = [i for _, i, _ in body.results]
    shown = results[:len(results) - len(own) or len(own)]
    stacked = [[None] * steps for _ in shown]
    for t in reversed(range(steps)) if a["reverse"] else range(steps):
        at = {**state, **{i: p[t] for i, p in zip(body.inputs, parts)}}
        for b in body.nodes:
            outs = [numbered(graph, tensors[o]) for o in b.outs]
            made.append(node(graph, b.op, [None if i is None else at.get(i, i) for i in b.ins], outs, b.attrs, b.path))
            made[-1].tokens = b.tokens
            at.update(zip(b.outs, outs))
        for k, i in enumerate(shown):
            stacked[k][t] = at[i]
        state.update(zip(own, [at[i] for i in results[len(results) - len(own):]]))
    for k, i in enumerate(shown):
        made.append(node(graph, "stack", stacked[k], [n.outs[k]],
                         {"axis": a["axis"] + tensors[i].batched}, n.path))
    return made, dict(zip(n.outs[len(shown):], [state[i] for i in own]))


def last_of(i, same):
    while i in same:
        i = same[i]
    return i


def prepare(graph):
    """Puts into the graph what PyTorch's users write in place of its recurrent layers and scans."""
    nodes, same, todo = [], {}, list(graph.nodes)
    while todo:
        n = todo.pop(0)
        n.ins = [last_of(i, same) for i in n.ins]
        if n.op == "scan":
            made, last = unrolled(graph, n)
            same.update(last)
            todo = made + todo
            continue
        nodes.append(n)
    graph.nodes = nodes
    graph.results = [(kind, last_of(i, same), name) for kind, i, name in graph.results]
    for path in {n.path.rsplit(".", 1)[0] for n in nodes if n.op == "recurrent"}:
        parts = [n for n in graph.nodes if re.match(re.escape(path) + r"\.[^.]*$", n.path)]
        read = {i for n in graph.nodes if n not in parts for i in n.ins} | {i for _, i, _ in graph.results}
        at = graph.nodes.index(parts[0])
        graph.nodes[at:at] = [whole(graph, parts, read)]
        graph.nodes = [n for n in graph.nodes if n not in parts]


OPERATORS = {
    "layers": layers,
    "unbind": lambda n, x: x.unbind(n.attrs["axis"]),
    "stack": lambda n, *xs: torch.stack(xs, n.attrs["axis"]),
}
