"""Attention and what places do in it, for operators.py."""
import math

import torch
import torch.nn.functional as F


def buckets(n, queries, keys):
    """T5's _relative_position_bucket, [queries, keys]."""
    a, count = n.attrs, n.attrs["relative"]
    ahead = torch.arange(keys)[None] - torch.arange(queries)[:, None]
    first = 0
    if a["causal"]:
        apart = (-ahead).clamp(min=0)
    else:
        count //= 2
        first, apart = (ahead > 0) * count, ahead.abs()
    exact = count // 2
    far = exact + (torch.log(apart.clamp(min=1) / exact) / math.log(a["max_distance"] / exact)
                   * (count - exact)).long()
    return first + torch.where(apart < exact, apart, far.clamp(max=count - 1))


def places(n):
    """Swin's relative_position_index, [places, places]."""
    high, wide = n.attrs["grid"]
    at = torch.stack(torch.meshgrid(torch.arange(high), torch.arange(wide), indexing="ij")).flatten(1)
    apart = at[:, :, None] - at[:, None, :]
    return (apart[0] + high - 1) * (2 * wide - 1) + apart[1] + wide - 1


def slopes(heads):
    """Those of ALiBi's authors."""
    power = 2 ** int(math.log2(heads))
    found = [2.0 ** (-8 * (h + 1) / power) for h in range(power)]
    return found if power == heads else found + slopes(2 * power)[::2][:heads - power]


def positions(n, queries, keys, bias):
    """What is added to the scores, where it is a rule that makes it of the table BIAS, or of nothing."""
    if any(n.attrs["grid"]) or n.attrs["relative"]:
        index = places(n) if any(n.attrs["grid"]) else buckets(n, queries, keys)
        bias = F.embedding(index, bias).permute(2, 0, 1).contiguous()
    if n.attrs["alibi"]:
        apart = (torch.arange(queries)[:, None] - torch.arange(keys)).abs()
        fall = -torch.tensor(slopes(n.attrs["heads"]))[:, None, None] * apart
        bias = fall if bias is None else bias + fall
    return bias


def seams(n, rows, columns):
    """What torchvision adds to the scores of shifted windows, [rows, columns, 1, places, places]."""
    (high, wide), (down, across) = n.attrs["grid"], n.attrs["shift"]
    part, parts = torch.zeros(rows * high, columns * wide), 0
    for y in ((0, -high), (-high, -down), (-down, None)):
        for x in ((0, -wide), (-wide, -across), (-across, None)):
            part[y[0]:y[1], x[0]:x[1]] = parts
            parts += 1
    part = part.view(rows, high, columns, wide).transpose(1, 2).flatten(2)
    apart = part[..., :, None] != part[..., None, :]
    return torch.zeros(apart.shape).masked_fill(apart, -torch.inf)[:, :, None]


def folded(n, q, k, v, bias, batched):
    """Sequences of a sample become samples, with the bias of each."""
    axes = q.dim() - 3
    if bias is not None and (batched or bias.dim() > 3):
        bias = bias if batched else bias[None]
        bias = bias[(slice(None),) + (None,) * (axes + 4 - bias.dim())]
        bias = bias.expand(q.shape[:-2] + bias.shape[-3:]).flatten(0, axes)
    return (*(x if x is None else x.flatten(0, axes) for x in (q, k, v)), bias)


def attended(n, q, k, v, bias=None):
    """Queries, keys and values by heads, [B, heads, positions, numbers], and what is added to the scores
    but for causal=; None: nothing."""
    heads, kv = n.attrs["heads"], n.attrs["kv_heads"] or n.attrs["heads"]
    bias = positions(n, q.shape[-2], (q if k is None else k).shape[-2], bias)
    if any(n.attrs["shift"]):
        bias = bias + seams(n, *q.shape[-4:-2])
    if q.dim() > 3:
        q, k, v, bias = folded(n, q, k, v, bias, n.samples[3])
    if k is None:
        d = q.shape[-1] // (heads + 2 * kv)
        q, k, v = q.split([heads * d, kv * d, kv * d], -1)
    q, k, v = (x.unflatten(-1, (h, -1)).transpose(1, 2) for x, h in ((q, heads), (k, kv), (v, kv)))
    bias = bias if bias is None else bias.to(q.dtype)
    if n.attrs["window"]:
        near = torch.arange(q.shape[2])[:, None] - torch.arange(k.shape[2])
        hidden = torch.zeros(near.shape, dtype=q.dtype).masked_fill(
            near.abs() >= n.attrs["window"], -torch.inf)
        bias = hidden if bias is None else bias + hidden
    if bias is not None and bias.dim() == 3 and bias.shape[0] == q.shape[0] != heads:
        bias = bias[:, None]                # [B, T, S]
    if n.attrs["causal"] and bias is not None:
        bias = bias.masked_fill(torch.ones(bias.shape[-2:]).triu(1) > 0, -torch.inf)
    return q, k, v, bias


def attend(n, q, k, v, bias=None):
    sequences = q.shape[:-2]
    q, k, v, bias = attended(n, q, k, v, bias)
    y = F.scaled_dot_product_attention(q, k, v, bias, 0.0, n.attrs["causal"] and bias is None,
                                       scale=n.attrs["scale"] or None, enable_gqa=True)
    return y.transpose(1, 2).flatten(2).unflatten(0, sequences)


def turned(x):
    return torch.cat((-x[..., x.shape[-1] // 2:], x[..., :x.shape[-1] // 2]), -1)


def turned_interleaved(x):
    return torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)


def rope_tables(n, positions, dims, dtype):
    """Cosines and sines [positions, 1, dims], made in double precision."""
    a = n.attrs
    place = (a["first"] + torch.arange(positions, dtype=torch.float64)) / a["stretch"]
    angle = place[:, None] * float(a["base"]) ** (-torch.arange(0, dims, 2, dtype=torch.float64) / dims)
    angle = angle.repeat_interleave(2, -1) if a["interleaved"] else torch.cat((angle, angle), -1)
    return angle.cos().to(dtype)[:, None], angle.sin().to(dtype)[:, None]


def rope(n, x, tables=rope_tables):
    """As Hugging Face's models have it: apply_rotary_pos_emb of Llama's, and of GPT-J's."""
    a = n.attrs
    rest = x[..., x.shape[-1] - a["rest"]:]
    heads = x[..., :x.shape[-1] - a["rest"]].unflatten(-1, (a["heads"], -1))
    dims = a["dims"] or heads.shape[-1]
    cos, sin = tables(n, x.shape[-2], dims, x.dtype)
    y = heads[..., :dims]
    y = y * cos + (turned_interleaved if a["interleaved"] else turned)(y) * sin
    if dims < heads.shape[-1]:
        y = torch.cat((y, heads[..., dims:]), -1)
    return torch.cat((y.flatten(-2), rest), -1) if a["rest"] else y.flatten(-2)
