#!/usr/bin/env python3
"""What stowage plan says of PyTorch eager, against PyTorch, for any spec.

    peaks.py [--fake | --cuda | --lengths] SPEC...

The spec's graph, from its IR text, is run by PyTorch as its users would write it, in the most
economical form: relu and leaky_relu in place, and a sum in place of its first operand, wherever
autograd allows it, and no variable held longer than it is read but the operands of a loss. A first
run with hooks on autograd's saved tensors learns where it does allow it. Then the peak of the second
step is counted as bench/eager.py counts it. It must equal pytorch_eager_bytes (but see
counted_above()). With --fake tensors have shapes without elements, for full sizes; with --cuda they have not
either, and are on device cuda, where PyTorch does some things in one kernel that it does in several on a CPU.
Where sequences end early that is the least: each has one step. With --lengths they end elsewhere, or none does, and
PyTorch's peak lies between the bounds of --as=pytorch. Prints TAP.
"""
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

import torch
import torch.nn.functional as F
import torch._meta_registrations as meta

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "bench")]
import attention    # noqa: E402
import detection    # noqa: E402
import eager        # noqa: E402
import forecast     # noqa: E402
import ir           # noqa: E402
import operators    # noqa: E402
import optimizers   # noqa: E402
import oracle       # noqa: E402
import recurrence   # noqa: E402
from torch._subclasses.fake_tensor import FakeTensorMode     # noqa: E402
from torchvision.ops import roi_pool    # noqa: E402

STOWAGE = os.environ.get("STOWAGE", "./stowage")
LOSSES = ("cross_entropy", "ctc", *operators.ELEMENT_LOSSES)
IN_PLACE = {
    "relu": lambda n, x: torch.relu_(x),
    "leaky_relu": lambda n, x: F.leaky_relu_(x, n.attrs["slope"]),
    "add": lambda n, x, y: x.add_(y),
}


def local(n, x, w, b=None):
    rows = F.unfold(x, n.attrs["kernel"], stride=n.attrs["stride"])     # [B, C*kh*kw, N]
    height = (x.shape[2] - n.attrs["kernel"][0]) // n.attrs["stride"][0] + 1
    y = torch.bmm(w, rows.permute(2, 1, 0)).permute(2, 1, 0)
    y = y.reshape(x.shape[0], w.shape[1], height, -1)
    return y if b is None else y + b


def scale(n, x):
    x = x * n.attrs["factor"] if n.attrs["factor"] != 1 else x
    return x + n.attrs["offset"] if n.attrs["offset"] else x


def attend(n, q, k, v, bias=None):
    """By the kernel that a card has for f32. Grouped keys and values are repeated; a mask is added to the
    bias, as one does who makes it beforehand. Sequences of a sample are samples to it, and a bias is repeated
    for those that have the same."""
    sequences, queries, keys = q.shape[:-2], q.shape[-2], (q if k is None else k).shape[-2]
    if any(n.attrs["grid"]) or n.attrs["relative"]:
        index = torch.zeros(queries, keys, dtype=torch.int64)
        bias = F.embedding(index, bias).permute(2, 0, 1).contiguous()
        del index
    if any(n.attrs["shift"]):
        bias = bias + torch.zeros(*q.shape[-4:-2], 1, queries, keys)
    if n.attrs["alibi"]:                # with what is hidden
        fall = torch.zeros(n.attrs["heads"], queries, keys)
        bias = fall if bias is None else bias + fall
        del fall
    masked = not n.attrs["alibi"] and (n.attrs["window"] or (n.attrs["causal"] and bias is not None))
    mask = torch.zeros(queries, keys) if masked else None
    bias = mask if bias is None else bias if mask is None else bias + mask
    del mask
    plain = ir.Node(n.op, n.ins, n.outs, {**n.attrs, "window": 0, "causal": False, "alibi": False,
                                           "relative": 0, "grid": (0, 0), "shift": (0, 0)}, n.path)
    if q.dim() > 3:
        q, k, v, bias = attention.folded(n, q, k, v, bias, n.samples[3])
    q, k, v, _ = attention.attended(plain, q, k, v)
    heads = q.shape[1]
    k, v = (x if x.shape[1] == heads else x.transpose(1, 2)[:, :, :, None].expand(
        -1, -1, -1, heads // x.shape[1], -1).flatten(2, 3).transpose(1, 2) for x in (k, v))
    if bias is not None:
        if bias.shape[-1] % 8:      # preprocess_mask, in attention.cpp
            bias = F.pad(bias, (0, 8 - bias.shape[-1] % 8))[..., :bias.shape[-1]]
        bias = bias.expand(q.shape[0], heads, -1, -1)
    y = torch.ops.aten._scaled_dot_product_efficient_attention(
        q, k, v, bias, torch.is_grad_enabled(), n.attrs["dropout"], bool(n.attrs["causal"] and bias is None),
        scale=n.attrs["scale"] or None)[0]
    return y.transpose(1, 2).flatten(2).unflatten(0, sequences)


def rope(n, x):
    """Its tables are there before it begins."""
    def tables(n, positions, dims, dtype):
        return tuple(torch.zeros(positions, 1, dims, dtype=dtype) for _ in range(2))
    return attention.rope(n, x, tables)


def cross_entropy(n, x, t, of_class=None, of_label=None):
    if of_label is None:
        return operators.cross_entropy(n, x, t, of_class)
    ignore = n.attrs["ignore"][0] if n.attrs["ignore"] else -100
    loss = F.cross_entropy(operators.class_axis_last(n, x, t), t, of_class, ignore_index=ignore, reduction="none",
                           label_smoothing=n.attrs["smoothing"])
    loss = loss * of_label.reshape(of_label.shape + (1,) * (t.dim() - of_label.dim()))
    return loss.sum() / (t != ignore).sum() if n.attrs["ignore"] else loss.mean()


class LogSoftmax(torch.autograd.Function):
    """With the copy of what lies in another order that its gradient makes inside a kernel."""
    @staticmethod
    def forward(ctx, x):
        y = torch.log_softmax(x, -1)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        dy = dy.contiguous()
        return torch.ops.aten._log_softmax_backward_data(dy, ctx.saved_tensors[0], -1, dy.dtype)


class CardCtc(torch.autograd.Function):
    """What a card's kernels allocate (LossCTC.cu), of samples that have all steps and labels."""
    @staticmethod
    def forward(ctx, x, t):
        steps, batch, _ = x.shape
        on_card = [torch.zeros(batch, dtype=torch.int64) for _ in range(3)]
        ahead, loss = x.new_zeros(batch, steps, 2 * t.shape[1] + 1), x.new_zeros(batch)
        ctx.save_for_backward(x, t, loss, ahead)
        return loss

    @staticmethod
    def backward(ctx, dy):
        x, _, _, ahead = ctx.saved_tensors
        on_card = [torch.zeros(x.shape[1], dtype=torch.int64) for _ in range(3)]
        back = torch.zeros_like(ahead)
        return torch.zeros(x.shape), None


def ctc(n, x, t, lengths, counts):
    batch = x.shape[0]
    loss = CardCtc.apply(LogSoftmax.apply(x).transpose(0, 1), t)
    if n.attrs["zero_infinity"]:
        loss = torch.where(loss == torch.inf, torch.zeros(()), loss)
    if n.attrs["per_label"]:
        loss = loss / torch.zeros(batch).clamp_min(1)
    return loss.mean()


def plain(how, name):
    """With a number as it is, where there is one."""
    return lambda n, *xs: how(xs[0], xs[1] if len(xs) > 1 else n.attrs[name])


def bounded(how, least):
    """A number as a bound is clamp's."""
    return lambda n, *xs: how(*xs) if len(xs) > 1 else \
        torch.clamp(xs[0], *((n.attrs["other"],) if least else (None, n.attrs["other"])))


def where(n, condition, *xs):
    """A comparison is bool, and stays so."""
    condition = condition if condition.dtype == torch.bool else condition != 0
    return torch.where(condition, *(n.attrs[w] if x is None else x for x, w in zip((*xs, None, None), ("yes", "no"))))


PLAIN = {
    "div": plain(torch.div, "by"), "pow": plain(torch.pow, "exponent"), "where": where,
    "maximum": bounded(torch.maximum, True), "minimum": bounded(torch.minimum, False),
    **{name: plain(how, "than") for name, how in (
        ("less", torch.lt), ("less_equal", torch.le), ("greater", torch.gt), ("greater_equal", torch.ge),
        ("equal", torch.eq), ("not_equal", torch.ne))},
}

# What a card's kernel allocates; its autograd node is PyTorch's own.
CARD = torch.library.Library("aten", "IMPL")
CARD.impl("_scaled_dot_product_efficient_attention",
          meta.meta__scaled_dot_product_efficient_attention, "CPU")
CARD.impl("_scaled_dot_product_efficient_attention_backward",
          meta.meta__scaled_dot_product_efficient_backward, "CPU")
# a CPU's keeps a buffer
CARD.impl("log_sigmoid_forward", lambda x: (torch.zeros_like(x), x.new_zeros(0)), "CPU")
CARD.impl("log_sigmoid_backward", lambda dy, x, buffer: torch.zeros_like(x), "CPU")

OPERATORS = {**operators.OPERATORS, **PLAIN, **recurrence.OPERATORS, "attend": attend, "local": local, "scale": scale,
             "rope": rope, "cross_entropy": cross_entropy, "ctc": ctc,
             "max": lambda n, x: x.amax(operators.reduced(n, x), n.attrs["keep"]),
             "min": lambda n, x: x.amin(operators.reduced(n, x), n.attrs["keep"]),
             "avgpool": operators.window_mean, "match": detection.match_in_memory,
             "roi_pool": lambda n, boxes, x: roi_pool(x, list(boxes), n.attrs["size"], n.attrs["scale"]).unflatten(
                 0, boxes.shape[:2]),
             "top_k": lambda n, x: x.topk(n.attrs["k"]).indices,
             "dropout": lambda n, x: eager.cuda_dropout(x, n.attrs["rate"]),
             "embedding": lambda n, ids, w: F.embedding(
                 ids, w, n.attrs["padding"] if n.attrs["padding"] >= 0 else None)}


def with_room(x, *rest):
    """A mean in the storage that was made for all elements, as these losses' kernels return it; without elements
    PyTorch makes room for a number alone."""
    return x.new_empty(x.numel())[0]


WITH_ROOM = {getattr(torch.ops.aten, name).default: with_room for name in (
    "mse_loss", "smooth_l1_loss", "soft_margin_loss", "binary_cross_entropy")}


class Network:
    def __init__(self, text, input_gradients, end="first"):
        self.graph, self.input_gradients = ir.Graph(text), input_gradients
        g = self.graph
        g.nodes.sort(key=lambda n: min(n.outs))     # as the spec has them; they stand as a program runs them
        recurrence.prepare(g)
        self.nodes = g.for_loss()
        needed = {g.loss, *(i for n in self.nodes for i in n.ins)}
        self.inputs = [i for i in g.inputs if i in needed]
        self.last = {}
        for at, n in enumerate(self.nodes):
            for i in n.ins:
                self.last[i] = at
        for n in self.nodes:
            if n.op in LOSSES:
                self.last.update((i, len(self.nodes)) for i in n.ins)
        self.last[g.loss] = len(self.nodes)
        self.batch = int(g.settings["batch"]) // int(g.settings["accumulate"])
        recurrence.end(g, self.batch, end)
        self.dtype = ir.DTYPES[g.settings["precision"]]
        self.updates = {}
        self.in_place = set()       # places of nodes that run in place

    def groups(self, leaves):
        """Parameters that are updated alike are one group."""
        alike = {}
        for i, v in leaves.items():
            own = self.updates.get(i, {})
            own = {name: own[name] for name in ("lr", "weight_decay") if name in own}
            alike.setdefault(tuple(own.items()), {"params": [], **own})["params"].append(v)
        return list(alike.values())

    def stage(self, number):
        t = self.graph.tensors[number]
        shape = ([self.batch] if t.batched else []) + t.dims
        if t.classes:
            return torch.zeros(shape, dtype=torch.int64)
        x = torch.zeros(shape, dtype=ir.DTYPES[t.dtype])
        return x.requires_grad_() if self.input_gradients and t.kind == "input" and \
            x.is_floating_point() else x

    def parts(self):
        """Bytes of what a batch has as many rows of as its data have: none at the least, and here it is filled up."""
        inputs = {n.ins[{"match": 0, "roi_masks": 1}[n.op]] for n in self.nodes if n.op in ("match", "roi_masks")}
        return sum(self.stage(i).nbytes for i in inputs if i in self.inputs)

    def parameters(self):
        """By number, with what its layers count beside them."""
        made, self.counts = {}, []
        frozen = {n.ins[3] for n in self.graph.nodes if n.op == "batchnorm" and n.attrs["frozen"]}
        for i in self.graph.persistent:
            t = self.graph.tensors[i]
            made[i] = torch.zeros(t.dims, dtype=ir.DTYPES[t.dtype])
            if t.kind == "parameter" and not t.frozen:
                made[i].requires_grad_()
            if t.name.endswith("running_mean") and i not in frozen:
                self.counts.append(torch.zeros((), dtype=torch.int64))
        for n in self.nodes:
            if n.op == "layers":
                self.flatten(n, made)
        self.buffers = {n: torch.zeros(n.attrs["positions"], n.attrs["width"])
                        for n in self.nodes if n.op == "sinusoid"}
        self.buffers.update((n, operators.OPERATORS[n.op](n)) for n in self.nodes if n.op in ("tril_index", "triu_index"))
        self.buffers.update((n, torch.ones(len(n.attrs["weights"]))) for n in self.nodes if n.op == "class_weights")
        return made

    def flatten(self, n, made):
        """flatten_parameters(): one storage for all, and for biases that there are not."""
        weights = n.attrs["weights"]
        rows = sum(made[i].shape[0] for i in weights) if not n.attrs["bias"] else 0
        flat = n.attrs["buffer"] = made[weights[0]].new_zeros(sum(made[i].numel() for i in weights) + rows)
        at = 0
        for i in weights:
            made[i] = flat[at:at + made[i].numel()].view(made[i].shape).requires_grad_(made[i].requires_grad)
            at += made[i].numel()

    def forward(self, values, saved=None):
        """Runs on VALUES, dropping each after its last use. SAVED: storages that autograd keeps, as
        they become known; then in_place is worked out."""
        for at, n in enumerate(self.nodes):
            if saved is not None and n.op in IN_PLACE and self.allowed(values, n, at, saved):
                self.in_place.add(at)
            out = self.apply(n, values, at in self.in_place)
            for i in n.ins:
                if i is not None and self.last[i] == at and i in values:
                    del values[i]
            values.update((i, y) for i, y in zip(n.outs, out if isinstance(out, tuple) else (out,))
                          if i in self.last)
            del out
        return values[self.graph.loss]

    def allowed(self, values, n, at, saved):
        x, out = values[n.ins[0]], self.graph.tensors[n.outs[0]]
        shape = ([self.batch] if out.batched else []) + out.dims
        key = x.untyped_storage()._cdata
        others = (i for i, v in values.items() if v.untyped_storage()._cdata == key)
        return list(x.shape) == shape and x._base is None and key not in saved and \
            all(self.last.get(i, -1) <= at for i in others) and \
            n.ins[0] not in self.inputs + self.graph.persistent

    def apply(self, n, values, in_place):
        rank = len(self.graph.tensors[n.outs[0]].dims)
        ins = [None if i is None else oracle.number_of_sample(self.graph, i, values[i], rank) for i in n.ins]
        if n in self.buffers:
            return self.buffers[n]
        if in_place:
            return IN_PLACE[n.op](n, *ins)
        if n.op == "expand":
            return ins[0].expand([self.batch] + n.out.dims)
        if n.op in ("reshape", "crop", "broadcast"):
            one = ir.Graph.__new__(ir.Graph)
            one.tensors, one.nodes, one.inputs = self.graph.tensors, [n], self.inputs
            local_values = {**{i: torch.empty(self.batch, 0) for i in self.inputs}, **dict(zip(n.ins, ins))}
            return oracle.run(one, local_values)[n.outs[0]]
        if n.op == "batchnorm" and n.attrs["frozen"]:       # torchvision's FrozenBatchNorm2d
            weight, bias, mean, variance = (t.reshape(1, -1, *[1] * (ins[0].dim() - 2)) for t in ins[1:])
            scale = weight * (variance + n.attrs["eps"]).rsqrt()
            return ins[0] * scale + (bias - mean * scale)
        if n.op == "batchnorm" and self.graph.tensors[n.ins[3]].frozen:
            return F.batch_norm(ins[0], ins[3], ins[4], ins[1], ins[2], False, 0.1, n.attrs["eps"])
        if not ins:
            oracle.shaped(self.graph, n)
        return OPERATORS[n.op](n, *ins)


def peak(network, real):
    torch.set_default_dtype(network.dtype)
    with contextlib.nullcontext() if real else FakeTensorMode():
        saved = {}      # the storages themselves, so that no other gets an address again

        def note(t):
            saved[t.untyped_storage()._cdata] = t.untyped_storage()
            return t
        values = network.parameters()
        values.update((i, network.stage(i)) for i in network.inputs)
        with torch.autograd.graph.saved_tensors_hooks(note, lambda t: t):
            network.forward(values, saved)
        del values
        with eager.Counter() as counter:
            persistent = network.parameters()
            leaves = {i: v for i, v in persistent.items() if v.requires_grad}
            update = optimizers.optimizer(network.graph, network.groups(leaves), foreach=True) if leaves else None
            for step in range(2):
                counter.peak = 0
                for _ in range(int(network.graph.settings["accumulate"])):
                    batch = {i: network.stage(i) for i in network.inputs}
                    values = {**persistent, **batch}
                    loss = network.forward(values)
                    counter.backward = True
                    loss.backward()
                    counter.backward = False
                if leaves:
                    update.step()
                    update.zero_grad(set_to_none=True)
                del batch, values, loss
        # the step counts, which lie on the host
        counts = 4 * sum("step" in state for state in update.state.values()) if leaves else 0
        return counter.peak - counts


def in_f32(spec, folder):
    """Attention in double precision is another matter."""
    text = open(spec).read()
    if "atten" not in text or "precision f64" not in text:
        return spec
    path = os.path.join(folder, os.path.basename(spec))
    open(path, "w").write(text.replace("precision f64", "precision f32"))
    return path


def counted_above(network):
    """Of grouped heads out of one row, what is split and what is repeated are not told apart; nor, of smoothed
    labels, are those which count known, whose places are made; nor when the weights of a mean are let go in backward."""
    def is_so(n):
        return n.op == "weighted_mean" or (n.op == "cross_entropy" and n.attrs["smoothing"]) or (
            n.op == "attend" and n.ins[1] is None and n.attrs["kv_heads"] not in (0, n.attrs["heads"]))
    return any(map(is_so, network.nodes))


def between(spec):
    """Of sequences that end anywhere."""
    def stowage(*options):
        return subprocess.run([STOWAGE, "plan", *options, spec], check=True, text=True, stdout=subprocess.PIPE).stdout
    said = json.loads(stowage("--as=pytorch", "--format=json", "--without=recompute"))["forecasts"][0]
    theirs = [peak(Network(stowage("--dump-after=phases"), False, end), True) for end in ("mixed", "last")]
    most = said["high_bytes"] - said["blas_bytes"]
    return said["tensor_bytes"] < theirs[0] < theirs[1] < most, \
        f"PyTorch {theirs[0]} and {theirs[1]}, between {said['tensor_bytes']} and {most}"


def main():
    folder = tempfile.mkdtemp()
    specs = [word for word in sys.argv[1:] if word not in ("--fake", "--cuda", "--lengths")]
    real, failed = "--fake" not in sys.argv and "--cuda" not in sys.argv, 0
    if not real:
        eager.Counter.made_here.update(WITH_ROOM)
    if "--cuda" in sys.argv[1:]:
        if "STAND_IN" not in os.environ:
            return forecast.stand_in()
        if torch.version.cuda is None:
            print("1..0 # SKIP this PyTorch knows nothing of CUDA")
            return 0
        torch.set_default_device("cuda")
    print(f"1..{len(specs)}")
    if "--lengths" in sys.argv[1:]:
        for number, (good, text) in enumerate(map(between, specs), 1):
            print(f"{'ok' if good else 'not ok'} {number} - {specs[number - 1]}: {text}", flush=True)
            failed += not good
        return failed > 0
    for number, spec in enumerate(specs, 1):
        plain = in_f32(spec, folder)

        def stowage(*options):
            return subprocess.run([STOWAGE, "plan", *options, plain], check=True, text=True,
                                  stdout=subprocess.PIPE).stdout
        more = ["--input-gradients"] if os.path.basename(os.path.dirname(spec)) == "ops" else []
        ours = json.loads(stowage("--format=json", *more))["pytorch_eager_bytes"]
        network = Network(stowage("--dump-after=phases", *more), bool(more))
        if "groups" in open(plain).read():
            network.updates = ir.updates(stowage("--dump-after=update", *more))
        theirs = peak(network, real)
        ours += network.parts()
        good = ours == theirs or (counted_above(network) and theirs < ours < 1.1 * theirs)
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} - {os.path.basename(spec)}: PyTorch "
              f"{theirs}, simulated {ours}", flush=True)
    shutil.rmtree(folder)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
