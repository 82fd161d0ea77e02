"""Models as people write them, with torch alone: each function of MODELS returns a module and what it is given."""
import math

import torch
import torch.nn.functional as F
from torch import nn

SAMPLES, VOCABULARY, LENGTH, WIDTH = 4, 99, 12, 32


def words():
    return torch.randint(0, VOCABULARY, (SAMPLES, LENGTH))


# ---- transformers ----

class BertLayer(nn.Module):
    """Attention taken apart, norms behind."""
    def __init__(self, width, heads, inner):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=1e-12), nn.LayerNorm(width, eps=1e-12)
        self.dropout = nn.Dropout(0.1)

    def split(self, x):
        return x.view(x.shape[0], x.shape[1], self.heads, -1).permute(0, 2, 1, 3)

    def forward(self, x, mask):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        weights = self.dropout(F.softmax(torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.shape[-1]) + mask, dim=-1))
        seen = torch.matmul(weights, v).permute(0, 2, 1, 3).contiguous()
        x = self.norm1(x + self.dropout(self.out(seen.view(seen.shape[0], seen.shape[1], -1))))
        return self.norm2(x + self.dropout(self.down(F.gelu(self.up(x)))))


class Bert(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(VOCABULARY, WIDTH, padding_idx=0), nn.Embedding(LENGTH, WIDTH)
        self.types, self.norm = nn.Embedding(2, WIDTH), nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList([BertLayer(WIDTH, 4, 64) for _ in range(2)])
        self.pooler, self.classifier = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 3)
        self.register_buffer("position_ids", torch.arange(LENGTH).unsqueeze(0))

    def forward(self, ids, mask):
        hidden = (1.0 - mask[:, None, None, :].float()) * -10000.0
        x = self.norm(self.words(ids) + self.places(self.position_ids[:, :ids.shape[1]]) + self.types(torch.zeros_like(ids)))
        for layer in self.layers:
            x = layer(x, hidden)
        return self.classifier(torch.tanh(self.pooler(x[:, 0])))


def bert():
    mask = torch.ones(SAMPLES, LENGTH, dtype=torch.int64)
    mask[0, 7:] = 0
    return Bert(), (words(), mask)


class GptBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), nn.Dropout(0.1))
        self.register_buffer("bias", torch.tril(torch.ones(LENGTH, LENGTH)).view(1, 1, LENGTH, LENGTH))

    def forward(self, x):
        b, t, c = x.size()
        q, k, v = (y.view(b, t, self.heads, c // self.heads).transpose(1, 2) for y in self.c_attn(self.ln_1(x)).split(c, dim=2))
        weights = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        weights = F.softmax(weights.masked_fill(self.bias[:, :, :t, :t] == 0, float("-inf")), dim=-1)
        x = x + self.c_proj((weights @ v).transpose(1, 2).contiguous().view(b, t, c))
        return x + self.mlp(self.ln_2(x))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.h, self.ln_f = nn.ModuleList([GptBlock(WIDTH, 4) for _ in range(2)]), nn.LayerNorm(WIDTH)
        self.lm_head = nn.Linear(WIDTH, VOCABULARY, bias=False)
        self.wte.weight = self.lm_head.weight

    def forward(self, ids):
        x = self.wte(ids) + self.wpe(torch.arange(0, ids.size(1), dtype=torch.long))
        for block in self.h:
            x = block(x)
        return self.lm_head(self.ln_f(x))


class RMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5))


class LlamaBlock(nn.Module):
    """Rotary positions, and heads of keys that several of queries share."""
    def __init__(self, width, heads, shared):
        super().__init__()
        self.heads, self.shared, each = heads, shared, width // heads
        self.q, self.o = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.k, self.v = nn.Linear(width, shared * each, bias=False), nn.Linear(width, shared * each, bias=False)
        self.norm1, self.norm2 = RMSNorm(width), RMSNorm(width)
        self.gate, self.up = nn.Linear(width, 2 * width, bias=False), nn.Linear(width, 2 * width, bias=False)
        self.down = nn.Linear(2 * width, width, bias=False)
        angles = torch.outer(torch.arange(LENGTH).float(), 1 / 10000 ** (torch.arange(0, each, 2).float() / each))
        angles = torch.cat([angles, angles], -1)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def turned(self, x):
        a, b = x.chunk(2, -1)
        return x * self.cos + torch.cat([-b, a], -1) * self.sin

    def forward(self, x):
        b, t, c = x.shape
        y, each, times = self.norm1(x), c // self.heads, self.heads // self.shared
        q = self.turned(self.q(y).view(b, t, self.heads, each).transpose(1, 2))
        k = self.turned(self.k(y).view(b, t, self.shared, each).transpose(1, 2)).repeat_interleave(times, 1)
        v = self.v(y).view(b, t, self.shared, each).transpose(1, 2).repeat_interleave(times, 1)
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(seen.transpose(1, 2).reshape(b, t, c))
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.norm = nn.Embedding(VOCABULARY, WIDTH), RMSNorm(WIDTH)
        self.layers = nn.ModuleList([LlamaBlock(WIDTH, 4, 2) for _ in range(2)])
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, ids):
        x = self.words(ids)
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


# ---- images ----

def double(inner, outer, groups):
    """Two convolutions, each with a norm: of the batch, or of groups of channels."""
    def norm():
        return nn.GroupNorm(groups, outer) if groups else nn.BatchNorm2d(outer)
    return nn.Sequential(nn.Conv2d(inner, outer, 3, padding=1, bias=False), norm(), nn.ReLU(inplace=True),
                         nn.Conv2d(outer, outer, 3, padding=1, bias=False), norm(), nn.ReLU(inplace=True))


class Up(nn.Module):
    def __init__(self, inner, outer, groups):
        super().__init__()
        self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True) if groups else \
            nn.ConvTranspose2d(inner, outer, 2, stride=2)
        self.conv = double(inner + outer if groups else 2 * outer, outer, groups)

    def forward(self, x, skip):
        x = self.up(x)
        dy, dx = skip.size(2) - x.size(2), skip.size(3) - x.size(3)
        return self.conv(torch.cat([skip, F.pad(x, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2])], 1))


class UNet(nn.Module):
    def __init__(self, groups):
        super().__init__()
        widths = [8, 16, 32]
        self.first = double(3, widths[0], groups)
        self.downs = nn.ModuleList([nn.Sequential(nn.MaxPool2d(2), double(a, b, groups)) for a, b in zip(widths, widths[1:])])
        self.ups = nn.ModuleList([Up(b, a, groups) for a, b in reversed(list(zip(widths, widths[1:])))])
        self.last = nn.Conv2d(widths[0], 2, 1)

    def forward(self, x):
        seen = [self.first(x)]
        for down in self.downs:
            seen.append(down(seen[-1]))
        x = seen.pop()
        for up in self.ups:
            x = up(x, seen.pop())
        return self.last(x)


class Mixer(nn.Module):
    def __init__(self, places=16):
        super().__init__()
        self.patch, self.norm1, self.norm2 = nn.Conv2d(3, WIDTH, 8, 8), nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.places = nn.Sequential(nn.Linear(places, 32), nn.GELU(), nn.Linear(32, places))
        self.channels, self.head = nn.Sequential(nn.Linear(WIDTH, 64), nn.GELU(), nn.Linear(64, WIDTH)), nn.Linear(WIDTH, 5)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = x + self.places(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return self.head((x + self.channels(self.norm2(x))).mean(1))


class Digits(nn.Module):
    """As PyTorch's example of MNIST ends: a log of a softmax."""
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2, self.fc1, self.fc2 = nn.Conv2d(1, 8, 3), nn.Conv2d(8, 16, 3), nn.Linear(576, 32), nn.Linear(32, 10)
        self.dropout1, self.dropout2 = nn.Dropout(0.25), nn.Dropout(0.5)

    def forward(self, x):
        x = self.dropout1(F.max_pool2d(F.relu(self.conv2(F.relu(self.conv1(x)))), 2))
        x = self.dropout2(F.relu(self.fc1(torch.flatten(x, 1))))
        return F.log_softmax(self.fc2(x), dim=1)


class Pixels(nn.Module):
    """Pixels become channels and back; features are of length 1, and a norm is each channel's own."""
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2, self.norm = nn.Conv2d(12, 16, 3, padding=1), nn.Conv2d(16, 12, 3, padding=1), nn.InstanceNorm2d(16)

    def forward(self, x):
        y = F.normalize(self.norm(self.conv1(F.pixel_unshuffle(x, 2))), dim=1)
        return x + F.pixel_shuffle(self.conv2(y), 2)


# ---- others ----

class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.head = nn.Embedding(VOCABULARY, 16), nn.Linear(24, 3)
        self.convs = nn.ModuleList([nn.Conv1d(16, 8, k) for k in (3, 4, 5)])

    def forward(self, ids):
        x = self.words(ids).transpose(1, 2)
        return self.head(torch.cat([F.relu(conv(x)).max(2)[0] for conv in self.convs], 1))


class Factors(nn.Module):
    def __init__(self):
        super().__init__()
        self.factors, self.alone = nn.Embedding(VOCABULARY, 8), nn.Embedding(VOCABULARY, 1)
        self.deep = nn.Sequential(nn.Linear(8 * LENGTH, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, ids):
        v = self.factors(ids)
        pairs = 0.5 * (v.sum(1) ** 2 - (v ** 2).sum(1)).sum(1, keepdim=True)
        return torch.sigmoid(self.alone(ids).sum(1) + pairs + self.deep(v.flatten(1)))


class Pair(nn.Module):
    """One tower of two pictures."""
    def __init__(self):
        super().__init__()
        self.tower = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 12, 3),
                                   nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(48, 16))
        self.head = nn.Linear(48, 3)

    def forward(self, a, b):
        x, y = F.normalize(self.tower(a), dim=1), F.normalize(self.tower(b), dim=1)
        return self.head(torch.cat([torch.abs(x - y), x * y, (x - y) ** 2], 1))


class Padded(nn.Module):
    """Which words are padding is seen by their numbers."""
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(VOCABULARY, 16, padding_idx=0), nn.Parameter(torch.randn(1, LENGTH, 16))
        self.attention, self.norm, self.head = nn.MultiheadAttention(16, 4, batch_first=True), nn.LayerNorm(16), nn.Linear(16, 5)

    def forward(self, ids):
        hidden = ids == 0
        x = self.words(ids) + self.places
        y, _ = self.attention(x, x, x, key_padding_mask=hidden, need_weights=False)
        x, kept = self.norm(x + y), (~hidden).unsqueeze(-1).float()
        return self.head((x * kept).sum(1) / kept.sum(1).clamp(min=1))


def padded():
    ids = torch.randint(1, VOCABULARY, (SAMPLES, LENGTH))
    ids[0, 6:], ids[1, 9:] = 0, 0
    return Padded(), (ids,)


class Queries(nn.Module):
    """Queries that are trained, of a sequence."""
    def __init__(self):
        super().__init__()
        self.queries, self.states = nn.Parameter(torch.randn(3, 12)), nn.GRU(6, 12, batch_first=True, num_layers=2)
        self.attention, self.head = nn.MultiheadAttention(12, 3, batch_first=True), nn.Linear(36, 4)
        self.conv = nn.Conv1d(12, 24, 3, padding=2, dilation=2)

    def forward(self, x):
        x, _ = self.states(x)
        x = F.glu(self.conv(x.transpose(1, 2)), dim=1).transpose(1, 2)
        y, _ = self.attention(self.queries.unsqueeze(0).expand(x.shape[0], -1, -1), x, x)
        return self.head(y.flatten(1))


class Masked(nn.Module):
    """An encoder with a mask of order, which is kept beside the weights, and one of padding."""
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
        self.words, self.layers = nn.Embedding(VOCABULARY, 16), nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.classes = nn.Linear(16, 5)
        self.register_buffer("order", nn.Transformer.generate_square_subsequent_mask(LENGTH))

    def forward(self, ids):
        x = self.layers(self.words(ids), mask=self.order, src_key_padding_mask=ids == 0).mean(1)
        return self.classes(F.normalize(x, dim=-1))


MODELS = {
    "masked": lambda: (Masked(), padded()[1]),
    "pair": lambda: (Pair(), (torch.randn(SAMPLES, 3, 20, 20), torch.randn(SAMPLES, 3, 20, 20))),
    "padded": padded,
    "queries": lambda: (Queries(), (torch.randn(SAMPLES, 9, 6),)),
    "bert": bert,
    "gpt": lambda: (Gpt(), (words(),)),
    "llama": lambda: (Llama(), (words(),)),
    "unet": lambda: (UNet(0), (torch.randn(SAMPLES, 3, 32, 32),)),
    "unet of groups": lambda: (UNet(4), (torch.randn(SAMPLES, 3, 32, 32),)),
    "mixer": lambda: (Mixer(), (torch.randn(SAMPLES, 3, 32, 32),)),
    "digits": lambda: (Digits(), (torch.randn(SAMPLES, 1, 16, 16),)),
    "pixels": lambda: (Pixels(), (torch.randn(SAMPLES, 3, 16, 16),)),
    "words": lambda: (Words(), (words(),)),
    "factors": lambda: (Factors(), (words(),)),
}
