"""What operators mean: PyTorch's own functions, of a node of ir.py and its operands."""
import math

import torch
import torch.nn.functional as F

import attention
import detection
import ir


def sides(p):
    """Numbers before and after each axis, from the last axis on."""
    return [v for i in range(len(p) - 2, -1, -2) for v in p[i:i + 2]]


def of_axes(name, x):
    """That function of PyTorch for so many axes of space."""
    return getattr(F, f"{name}{x.dim() - 2}d")


def framed(x, p, value=0.0):
    """What is padded first, since PyTorch's functions pad both sides alike, and what is left to them."""
    if p[::2] == p[1::2]:
        return x, p[::2]
    return F.pad(x, sides(p), value=value), 0


def padded(n, x):
    """F.pad has constants around any axis, but of the other modes at most three axes, behind two others: so those before
    and after them are one, as views, and others are padded one after the other."""
    at, given, mode = axes_of(n, x), n.attrs["sides"], n.attrs["mode"]
    given = {a: given[2 * k:2 * k + 2] for k, a in enumerate(at)}
    if mode == "constant":
        return F.pad(x, sides([v for i in range(x.dim()) for v in given.get(i, (0, 0))]), value=n.attrs["value"])
    first, last = min(at), max(at)
    if last - first + 1 + (last + 1 < x.dim()) <= 3:
        return padded_span(x, first, last, given, mode)
    for a in at:
        x = padded_span(x, a, a, given, mode)
    return x


def padded_span(x, first, last, given, mode):
    after = [math.prod(x.shape[last + 1:])] if last + 1 < x.dim() else []
    y = x.reshape(1, math.prod(x.shape[:first]), *x.shape[first:last + 1], *after)
    p = [v for i in range(first, last + 1) for v in given.get(i, (0, 0))] + [0, 0] * len(after)
    y = F.pad(y, sides(p), mode)
    return y.reshape(*x.shape[:first], *y.shape[2:3 + last - first], *x.shape[last + 1:])


def conv(n, x, w, b=None):
    a = n.attrs
    x, pad = framed(x, a["pad"])
    return of_axes("conv", x)(x, w, b, a["stride"], pad, a["dilation"], a["groups"])


def conv_transpose(n, x, w, b=None):
    a = n.attrs
    return of_axes("conv_transpose", x)(x, w, b, a["stride"], a["pad"], a["output_pad"], a["groups"],
                                        a["dilation"])


def maxpool(n, x):
    x, pad = framed(x, n.attrs["pad"], -torch.inf)
    return of_axes("max_pool", x)(x, n.attrs["kernel"], n.attrs["stride"], pad, 1, n.attrs["ceil"])


def where_largest(n, x):
    """Of PyTorch's indices, which are of all places of a channel, the cells of windows."""
    rest, cell, each = of_axes("max_pool", x)(x, n.attrs["kernel"], return_indices=True)[1], 0, 1
    for size, kernel in zip(reversed(x.shape[2:]), reversed(n.attrs["kernel"])):
        rest, cell, each = rest // size, cell + rest % size % kernel * each, each * kernel
    return cell.to(torch.uint8)


def max_unpool(n, x, cell):
    """And from there back to its indices."""
    cell, index, each = cell.long(), 0, 1
    for axis, (size, kernel) in reversed(list(enumerate(zip(n.out.dims[1:], n.attrs["kernel"])))):
        first = torch.arange(x.shape[2 + axis]).reshape([-1] + [1] * (x.dim() - 3 - axis)) * kernel
        index, cell, each = index + (first + cell % kernel) * each, cell // kernel, each * size
    return of_axes("max_unpool", x)(x, index, n.attrs["kernel"], output_size=n.out.dims[1:])


def window_mean(n, x):
    a = n.attrs
    x, pad = framed(x, a["pad"])
    return of_axes("avg_pool", x)(x, a["kernel"], a["stride"] or a["kernel"], pad, a["ceil"], a["count_pad"])


def avgpool(n, x):
    """In f32, since PyTorch has it in no other for three axes. A frame that it cannot tell from the input
    does not count where it counts for nothing in another mean."""
    y, p = window_mean(n, wide(x)), n.attrs["pad"]
    if not n.attrs["count_pad"] and p[::2] != p[1::2]:
        y = y / window_mean(n, torch.ones_like(wide(x)))
    return y.to(x.dtype)


def sized(name):
    return lambda n, x: of_axes(name, x)(x, n.attrs.get("size", (1,) * (x.dim() - 2)))


def local(n, x, w, b=None):
    a = n.attrs
    kh, kw = a["kernel"]
    rows = F.unfold(x, (kh, kw), stride=a["stride"])    # [B, C*kh*kw, N]
    y = torch.einsum("bkn,nfk->bfn", rows, w)
    oh = (x.shape[2] - kh) // a["stride"][0] + 1
    y = y.reshape(x.shape[0], w.shape[1], oh, -1)
    return y if b is None else y + b


def wide(x):
    """What losses and normalisation are computed in: f32 where x has 16 bits, as under autocast."""
    return x.float() if x.dtype in (torch.bfloat16, torch.float16) else x


def batchnorm(n, x, gamma, beta, mean, var):
    y = F.batch_norm(wide(x), mean, var, wide(gamma), wide(beta), not n.attrs["frozen"], n.attrs["momentum"],
                     n.attrs["eps"])
    return y.to(x.dtype)


def widened(normalise):
    """As under autocast too: NORMALISE(n, x, weight, bias) is given f32, and its result is rounded."""
    def run(n, x, *weights):
        weights = [wide(w) for w in weights] + [None] * (2 - len(weights))
        return normalise(n, wide(x), *weights).to(x.dtype)
    return run


def rows(n, x):
    return x.shape[-n.attrs["axes"]:]


NORMALISATIONS = {
    "layernorm": lambda n, x, w, b: F.layer_norm(x, rows(n, x), w, b, n.attrs["eps"]),
    "rmsnorm": lambda n, x, w, _: F.rms_norm(x, rows(n, x), w, n.attrs["eps"]),
    "groupnorm": lambda n, x, w, b: F.group_norm(x, n.attrs["groups"], w, b, n.attrs["eps"]),
    "instancenorm": lambda n, x, w, b: F.instance_norm(x, None, None, w, b, True, 0, n.attrs["eps"]),
    "l2norm": lambda n, x, *_: F.normalize(x, dim=axis(n) if n.attrs["axis"] >= 0 else n.attrs["axis"],
                                           eps=n.attrs["eps"]),
}


def crop(n, x, like=None):
    raise NotImplementedError


def upsample(n, x):
    mode = n.attrs["mode"]
    corners = None if mode == "nearest" else n.attrs["corners"]
    if n.attrs.get("size") and any(n.attrs["size"]):
        return F.interpolate(x, size=n.attrs["size"], mode=mode, align_corners=corners)
    return F.interpolate(x, scale_factor=tuple(float(v) for v in n.attrs["factor"]), mode=mode,
                         align_corners=corners)


def class_axis_last(n, x, t):
    """Logits [T, K] with classes in the last axis become [B, K, T], as PyTorch has them. Where both are possible,
    the classes of tokens are last."""
    fits = x.dim() == t.dim() + 1 and x.shape[2:] == t.shape[1:]
    if fits and not (n.tokens and x.shape[1:-1] == t.shape[1:]):
        return x
    return x.movedim(-1, 1)


def cross_entropy(n, x, t, of_class=None, of_label=None):
    a, x = n.attrs, class_axis_last(n, wide(x), t)
    of_class = of_class if of_class is None else of_class.to(x.dtype)
    ignore = a["ignore"][0] if a["ignore"] else -100
    loss = F.cross_entropy(x, t.long(), of_class, ignore_index=ignore, label_smoothing=a["smoothing"],
                           reduction="mean" if of_label is None else "none")
    if of_label is None:
        return loss
    counts = t != ignore
    weights = counts.to(x.dtype) if of_class is None else counts * of_class[(t * counts).long()]
    return (loss * of_label.reshape(of_label.shape + (1,) * (t.dim() - of_label.dim()))).sum() / weights.sum()


def ctc(n, x, t, lengths, counts):
    batch, steps, _ = x.shape
    lengths = torch.full((batch,), t.shape[1]) if lengths is None else lengths.long()
    counts = torch.full((batch,), steps) if counts is None else counts.long()
    loss = F.ctc_loss(F.log_softmax(wide(x), -1).transpose(0, 1), t.long(), counts, lengths, n.attrs["blank"],
                      "mean" if n.attrs["per_label"] else "sum", n.attrs["zero_infinity"])
    return loss if n.attrs["per_label"] else loss / batch


def accuracy(n, x, t):
    best = class_axis_last(n, x, t).topk(n.attrs["top"], 1).indices
    right = (best == t.unsqueeze(1)).any(1).to(x.dtype)
    return right[t != n.attrs["ignore"][0]].mean() if n.attrs["ignore"] else right.mean()


def sinusoid(n):
    a = n.attrs
    angle = (a["first"] + torch.arange(a["positions"], dtype=torch.float64))[:, None] * \
        float(a["base"]) ** (-torch.arange(0, a["width"], 2, dtype=torch.float64) / a["width"])
    pair = torch.stack((angle.sin(), angle.cos()), -1 if a["interleaved"] else 1)
    return pair.flatten(1).to(torch.get_default_dtype())


def embedding(n, ids, w):
    """The row of a token of padding is 0 in PyTorch, and 0 is what it gives here."""
    padding = n.attrs["padding"]
    if padding < 0:
        return F.embedding(ids.long(), w)
    zeros = torch.arange(w.shape[0]).unsqueeze(1) == padding
    return F.embedding(ids.long(), w.masked_fill(zeros, 0), padding)


def backwards(x, lengths):
    """Each sample's steps from its last to its first; those after its end stay where they are."""
    at = torch.arange(x.shape[1]).expand(x.shape[:2])
    at = torch.where(at < lengths[:, None], lengths[:, None] - 1 - at, at)
    return x.gather(1, at[..., None].expand(x.shape))


def recurrent(n, x, h, c, lengths, w, b=None):
    """PyTorch's own layer, whose weights of the input are the identity, since X is their sums already. It has no
    samples of no steps. In 16 bits it rounds each step's every number, which the program does not."""
    if wide(x) is not x:
        return [t.to(x.dtype) for t in recurrent(n, *(
            i if i is None or i is lengths else wide(i) for i in (x, h, c, lengths, w, b)))]
    cell, size = n.attrs["cell"], w.shape[1]
    none = torch.zeros(x.shape[0], size, dtype=x.dtype)
    states = [none if s is None else s for s in ((h, c) if cell == "lstm" else (h,))]
    steps = torch.full(x.shape[:1], x.shape[1]) if lengths is None else lengths.long()
    parameters = [torch.eye(x.shape[2], dtype=x.dtype), w] + \
        ([] if b is None else [torch.zeros_like(b), b])
    packed = torch.nn.utils.rnn.pack_padded_sequence(backwards(x, steps) if n.attrs["reverse"] else x,
                                                     steps.clamp(min=1), True, False)
    first = [s[None].index_select(1, packed.sorted_indices) for s in states]
    y, *last = getattr(torch._VF, cell)(packed.data, packed.batch_sizes, first if cell == "lstm" else first[0],
                                        parameters, b is not None, 1, 0.0, True, False)
    y = torch.nn.utils.rnn.pad_packed_sequence(packed._replace(data=y), True, total_length=x.shape[1])[0]
    y = torch.where(steps[:, None, None] > 0, y, 0)
    last = [torch.where(steps[:, None] > 0, t[0].index_select(0, packed.unsorted_indices), s)
            for t, s in zip(last, states)]
    return [backwards(y, steps) if n.attrs["reverse"] else y] + last


def axis(n):
    a = n.attrs.get("axis", 0)
    return a + 1 if a >= 0 else a


def axes_of(n, x, name="axis"):
    """Axes as PyTorch counts them, from those that the batch is not among."""
    named = n.attrs[name]
    return [a % (x.dim() - n.batched) + n.batched for a in (named if isinstance(named, tuple) else (named,))]


def reduced(n, x):
    return axes_of(n, x) if n.attrs["axis"] else list(range(n.batched, x.dim()))


def extreme(how):
    """Along one axis, so that of equals the first gets the gradient."""
    def run(n, x):
        axes = reduced(n, x)
        rest = [a for a in range(x.dim()) if a not in axes]
        y = how(x.permute(*rest, *axes).flatten(len(rest)), -1).values
        shape = [1 if a in axes else x.shape[a] for a in range(x.dim())]
        return y.reshape(shape) if n.attrs["keep"] else y
    return run


def place(how):
    def run(n, x):
        axes = reduced(n, x)
        rest = [a for a in range(x.dim()) if a not in axes]
        y = how(x.permute(*rest, *axes).flatten(len(rest)), -1)
        return y.reshape([1 if a in axes else x.shape[a] for a in range(x.dim())]) if n.attrs["keep"] else y
    return run


def spread(how):
    return lambda n, x: how(x, reduced(n, x), correction=int(n.attrs["unbiased"]), keepdim=n.attrs["keep"])


def take(n, x, index):
    """By index_select, of what all samples share; else by the samples' numbers and the index along the first axis, and by
    gather, of one index for a whole slice, along others."""
    (a,), index = axes_of(n, x), index.long()
    shared, own = not n.samples[0], n.samples[1]
    if n.op == "gather":
        return x.gather(a, index if own or shared else index.expand(x.shape[0], *index.shape))
    if not own:
        return x.index_select(a, index.flatten()).reshape(*x.shape[:a], *index.shape, *x.shape[a + 1:])
    if shared and a == 0:
        return x.index_select(0, index.flatten()).reshape(*index.shape, *x.shape[1:])
    if shared:
        x, a = x.expand(index.shape[0], *x.shape), a + 1
    if a == 1:
        rows = torch.arange(len(index)).reshape(-1, *(1,) * (index.dim() - 1))
        if not detection.holds_none(index):
            return x[rows, index]
        known = (index >= 0).reshape(*index.shape, *(1,) * (x.dim() - 2))
        return x[rows, index.clamp(min=0)] * known
    at = index.reshape(index.shape[0], *(1,) * (a - 1), -1, *(1,) * (x.dim() - a - 1))
    if detection.holds_none(at):
        y = x.gather(a, at.clamp(min=0).expand(*x.shape[:a], -1, *x.shape[a + 1:])) * (at >= 0)
    else:
        y = x.gather(a, at.expand(*x.shape[:a], -1, *x.shape[a + 1:]))
    return y.reshape(*x.shape[:a], *index.shape[1:], *x.shape[a + 1:])


def triangle_index(upper):
    def run(n):
        rows, columns = (n.attrs["shape"] * 2)[:2]
        i, j = getattr(torch, "triu_indices" if upper else "tril_indices")(rows, columns, n.attrs["diagonal"])
        return i * columns + j
    return run


def unfold(n, x):
    """A line is an image of one row."""
    a, line = n.attrs, x.dim() == 3
    x, pad = framed(x, a["pad"])
    kernel, stride, dilation, pad = (
        (least, *v) if line else v for v, least in ((a["kernel"], 1), (a["stride"], 1), (a["dilation"], 1),
                                                    (pad or (0,) * (2 - line), 0)))
    return F.unfold(x.unsqueeze(2) if line else x, kernel, dilation, pad, stride)


def iota(n):
    a, rank = n.attrs["axis"] % (len(n.shape) - n.batched) + n.batched, len(n.shape)
    y = torch.arange(n.shape[a], dtype=n.dtype).mul_(n.attrs["step"]).add_(n.attrs["start"])
    return y.reshape([-1 if i == a else 1 for i in range(rank)]).expand(n.shape)


def second(n, name, xs):
    """The second operand, or the number that stands for it."""
    return xs[1] if len(xs) > 1 else torch.tensor(float(n.attrs[name]), dtype=xs[0].dtype)


def where(n, c, *xs):
    yes, no = (x if x is not None else torch.tensor(float(n.attrs[name]), dtype=c.dtype)
               for x, name in zip((*xs, None, None), ("yes", "no")))
    return torch.where(c != 0, yes, no)


def compared(how):
    """With a number as it is written: PyTorch rounds that to 16 bits first, where x has these, so that of bf16 it says
    x <= 0.4 of 0.40039."""
    return lambda n, *xs: how(xs[0].double(), second(n, "than", (xs[0].double(), *xs[1:])).double()).to(xs[0].dtype)


def sliced(n, x):
    """An axis at a time; backwards by what is taken forwards."""
    axes, backwards = axes_of(n, x), []
    for k, a in enumerate(axes):
        start, stop, step = ((n.attrs[w] or (None,) * len(axes))[k] for w in ("start", "stop", "step"))
        before_all = stop is not None and stop == -x.shape[a] - 1
        taken = range(x.shape[a])[slice(start, None if before_all else stop, step)]
        low, high = min(taken), max(taken)
        x = x[(slice(None),) * a + (slice(low, high + 1, abs(taken.step)),)]
        if taken.step < 0 and len(taken) > 1:
            backwards.append(a)
    if backwards:
        x = x.flip(backwards)
    for a in sorted(axes_of(n, x, "drop") if n.attrs["drop"] else [], reverse=True):
        x = x.squeeze(a)
    return x


def matmul(n, x, w):
    x, w = (y.transpose(-2, -1) if turned else y
            for y, turned in ((x, n.attrs["transpose_a"]), (w, n.attrs["transpose_b"])))
    return x @ w


def rolled(n, x):
    for shift, a in zip(n.attrs["shift"], axes_of(n, x)):
        x = x.roll(shift, a)
    return x


def split(n, x):
    (a,), parts = axes_of(n, x), n.attrs["parts"]
    return x.chunk(parts[0], a) if len(parts) == 1 else x.split(parts, a)


def focal(a, x, t):
    """torchvision's sigmoid_focal_loss."""
    p, ce = torch.sigmoid(x), F.binary_cross_entropy_with_logits(x, t, reduction="none")
    loss = ce * ((1 - (p * t + (1 - p) * (1 - t))) ** a["gamma"])
    if a["alpha"] >= 0:
        loss = (a["alpha"] * t + (1 - a["alpha"]) * (1 - t)) * loss
    return loss.mean()


def quantile(a, x, t):
    return (torch.where(t > x, a["q"], a["q"] - 1) * (t - x)).mean()


def weighted_mean(n, x, weights):
    x, weights = wide(x), wide(weights)
    return (x * weights).sum() / weights.sum().clamp(min=1e-9)


def element_loss(f):
    return lambda n, x, t: f(n.attrs, wide(x), wide(t.to(x.dtype)))


ELEMENT_LOSSES = {
    "mse": lambda a, x, t: F.mse_loss(x, t), "l1": lambda a, x, t: F.l1_loss(x, t),
    "smooth_l1": lambda a, x, t: F.smooth_l1_loss(x, t, beta=a["beta"]),
    "huber": lambda a, x, t: F.huber_loss(x, t, delta=a["delta"]), "quantile": quantile,
    "poisson_nll": lambda a, x, t: F.poisson_nll_loss(x, t),
    "kl_div": lambda a, x, t: F.kl_div(x, t, reduction="batchmean"),
    "bce": lambda a, x, t: F.binary_cross_entropy(x, t),
    "bce_with_logits": lambda a, x, t: F.binary_cross_entropy_with_logits(
        x, t, pos_weight=None if a["pos_weight"] == 1 else torch.tensor(a["pos_weight"], dtype=x.dtype)),
    "focal": focal, "hinge": lambda a, x, t: F.relu(a["margin"] - t * x).mean(),
    "soft_margin": lambda a, x, t: F.soft_margin_loss(x, t),
}


def kept(n, x):
    """All of it: what a program drops, PyTorch does not."""
    if n.attrs["rate"]:
        raise ValueError(f"{n.path} drops numbers of its own choice")
    return x


OPERATORS = {
    "slice": sliced,
    "permute": lambda n, x: x.permute(*range(n.batched), *axes_of(n, x, "axes")),
    "split": split, "matmul": matmul,
    "transpose": lambda n, x: x.transpose(*axes_of(n, x), *axes_of(n, x, "with")),
    "sum": lambda n, x: x.sum(reduced(n, x), n.attrs["keep"]),
    "mean": lambda n, x: x.mean(reduced(n, x), n.attrs["keep"]),
    "max": extreme(torch.max), "min": extreme(torch.min), "var": spread(torch.var), "std": spread(torch.std),
    "argmax": place(torch.argmax), "argmin": place(torch.argmin),
    "average": lambda n, x: wide(x).mean(),
    "stop_gradient": lambda n, x: x.detach(),
    "zeros": lambda n: torch.zeros(n.shape, dtype=n.dtype), "ones": lambda n: torch.ones(n.shape, dtype=n.dtype),
    "constant": lambda n: torch.full(n.shape, float(n.attrs["value"]), dtype=n.dtype), "iota": iota,
    "tril": lambda n: torch.ones(n.shape, dtype=n.dtype).tril(n.attrs["diagonal"]),
    "triu": lambda n: torch.ones(n.shape, dtype=n.dtype).triu(n.attrs["diagonal"]),
    "unfold": unfold, "take": take, "gather": take, "tril_index": triangle_index(False), "triu_index": triangle_index(True),
    "one_hot": lambda n, ids: F.one_hot(ids.long(), n.out.dims[-1]).to(ir.dtype_of(n.out)),
    "normal": lambda n: torch.empty(n.shape, dtype=n.dtype).normal_(n.attrs["mean"], n.attrs["std"]),
    "uniform": lambda n: torch.empty(n.shape, dtype=n.dtype).uniform_(n.attrs["low"], n.attrs["high"]),
    "exp": lambda n, x: torch.exp(x), "expm1": lambda n, x: torch.expm1(x), "log": lambda n, x: torch.log(x),
    "log1p": lambda n, x: torch.log1p(x), "sqrt": lambda n, x: torch.sqrt(x), "rsqrt": lambda n, x: torch.rsqrt(x),
    "abs": lambda n, x: torch.abs(x), "sign": lambda n, x: torch.sign(x), "sin": lambda n, x: torch.sin(x),
    "cos": lambda n, x: torch.cos(x), "atan": lambda n, x: torch.atan(x), "floor": lambda n, x: torch.floor(x),
    "ceil": lambda n, x: torch.ceil(x), "erf": lambda n, x: torch.erf(x),
    "reciprocal": lambda n, x: n.attrs["of"] / x, "raise": lambda n, x: n.attrs["base"] ** x,
    "clamp": lambda n, x: torch.clamp(x, n.attrs["least"], n.attrs["most"]),
    "softplus": lambda n, x: F.softplus(x, n.attrs["beta"]), "relu6": lambda n, x: F.relu6(x),
    "elu": lambda n, x: F.elu(x, n.attrs["alpha"]), "selu": lambda n, x: F.selu(x),
    "celu": lambda n, x: F.celu(x, n.attrs["alpha"]), "mish": lambda n, x: F.mish(x),
    "hardswish": lambda n, x: F.hardswish(x), "hardsigmoid": lambda n, x: F.hardsigmoid(x),
    "hardtanh": lambda n, x: F.hardtanh(x, n.attrs["least"], n.attrs["most"]),
    "logsigmoid": lambda n, x: F.logsigmoid(x),
    "threshold": lambda n, x: F.threshold(x, n.attrs["bound"], n.attrs["value"]),
    "softsign": lambda n, x: F.softsign(x), "tanhshrink": lambda n, x: F.tanhshrink(x),
    "div": lambda n, *xs: xs[0] / second(n, "by", xs), "pow": lambda n, *xs: xs[0] ** second(n, "exponent", xs),
    "maximum": lambda n, *xs: torch.maximum(xs[0], second(n, "other", xs)),
    "minimum": lambda n, *xs: torch.minimum(xs[0], second(n, "other", xs)),
    "less": compared(torch.lt), "less_equal": compared(torch.le), "greater": compared(torch.gt),
    "greater_equal": compared(torch.ge), "equal": compared(torch.eq), "not_equal": compared(torch.ne),
    "where": where,
    **{name: widened(normalise) for name, normalise in NORMALISATIONS.items()},
    "conv": conv, "conv_transpose": conv_transpose, "local": local, "batchnorm": batchnorm,
    "dense": lambda n, x, w, b=None: F.linear(x, w, b),
    "maxpool": maxpool, "avgpool": avgpool, "argmaxpool": where_largest, "max_unpool": max_unpool,
    "adaptive_maxpool": sized("adaptive_max_pool"), "global_maxpool": sized("adaptive_max_pool"),
    "adaptive_avgpool": sized("adaptive_avg_pool"), "global_avgpool": sized("adaptive_avg_pool"),
    "relu": lambda n, x: F.relu(x),
    "dropout": kept,
    "leaky_relu": lambda n, x: F.leaky_relu(x, n.attrs["slope"]),
    "sigmoid": lambda n, x: torch.sigmoid(x), "tanh": lambda n, x: torch.tanh(x),
    "gelu": lambda n, x: F.gelu(x, approximate="tanh" if n.attrs["tanh"] else "none"),
    "silu": lambda n, x: F.silu(x), "softmax": lambda n, x: F.softmax(x, axis(n)),
    "flatten": lambda n, x: x.flatten(int(n.batched)),
    "pad": padded,
    "roll": rolled, "flip": lambda n, x: x.flip(axes_of(n, x)),
    "repeat": lambda n, x: x.repeat(*(1,) * n.batched, *n.attrs["times"]),
    "pixel_shuffle": lambda n, x: F.pixel_shuffle(x, n.attrs["factor"]),
    "pixel_unshuffle": lambda n, x: F.pixel_unshuffle(x, n.attrs["factor"]),
    "channel_shuffle": lambda n, x: x.unflatten(1, (n.attrs["groups"], -1)).transpose(1, 2).flatten(1, 2),
    "upsample": upsample,
    "concat": lambda n, *xs: torch.cat(xs, axis(n) - (n.attrs.get("axis", 0) >= 0 and not n.batched)),
    "add": lambda n, x, y: x + y, "sub": lambda n, x, y: x - y, "mul": lambda n, x, y: x * y,
    "scale": lambda n, x: x * n.attrs["factor"] + n.attrs["offset"],
    "cast": lambda n, x: x.to(ir.dtype_of(n.out)),
    "attend": attention.attend, "rope": attention.rope, "sinusoid": sinusoid,
    "parameter": lambda n, w: w, "from_file": lambda n, w: w, "class_table": lambda n, w: w, "embedding": embedding,
    "cross_entropy": cross_entropy, "ctc": ctc, "weighted_mean": weighted_mean,
    "class_weights": lambda n: torch.tensor(n.attrs["weights"], dtype=torch.get_default_dtype()), "accuracy": accuracy,
    **{name: element_loss(f) for name, f in ELEMENT_LOSSES.items()},
    **detection.OPERATORS,
}
