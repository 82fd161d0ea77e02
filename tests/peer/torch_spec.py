"""Modules of torchvision and of our own, by stowage-torch: their inference programs beside PyTorch.

    torch_spec.py FOLDER [NAME ...]     reports in TAP
"""
import importlib.machinery
import importlib.util
import os
import subprocess
import sys

import numpy
import torch
from torch import nn

import tap
from tap import result, skip
from torch_random import randomise

top = os.path.abspath(os.environ["top_srcdir"])
work = sys.argv[1]
stowage = os.environ["STOWAGE"]
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("stowage_torch", top + "/python/stowage-torch")
stowage_torch = importlib.util.module_from_spec(importlib.util.spec_from_loader("stowage_torch", loader))
loader.exec_module(stowage_torch)


def compare(name, model, x, kinds, take=lambda y: y):
    folder = os.path.join(work, name)
    os.makedirs(folder, exist_ok=True)
    text, weights = stowage_torch.convert(randomise(model, 0.1), [x], kinds, "net")
    with open(folder + "/net.nn", "w") as f:
        f.write(text)
    stowage_torch.save(folder + "/w.safetensors", weights)
    made = sum(t.numel() for t in weights.values())
    theirs = sum(t.numel() for t in {t.data_ptr(): t for k, t in model.state_dict().items()
                                     if not k.endswith("num_batches_tracked")}.values())
    subprocess.run([stowage, "emit", "--infer", "-b", "2", "--target", "c", "--threads", "2", "-o", folder + "/net.c", folder + "/net.nn"],
                   check=True)
    subprocess.run([*os.environ.get("CC", "cc").split(), "-std=gnu11", "-O1", "-march=native", "-fopenmp-simd", "-pthread", "-w", "-o",
                    folder + "/net", folder + "/net.c", "-lm"], check=True)
    raw = (x.to(torch.int32) if x.dtype == torch.int64 else x).numpy().tobytes()
    done = subprocess.run([folder + "/net", folder + "/w.safetensors"], input=raw, capture_output=True)
    with torch.no_grad():
        want = take(model(x)).numpy()
    got = numpy.frombuffer(done.stdout, "<f4")
    good = done.returncode == 0 and got.size == want.size
    error = numpy.abs(got.reshape(want.shape) - want).max() / numpy.abs(want).max() if good else 1
    result(good and error < 1e-4 and made == theirs, f"{name} has PyTorch's outputs and as many numbers",
           f"{error:g} of the largest output; {made} of {theirs} numbers\n{done.stderr.decode()}\n{text}")


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Dropout(0.1), nn.Linear(2 * width, width))

    def forward(self, x):
        return x + self.mlp(self.norm(x))


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.place = nn.Parameter(torch.randn(7, 12))
        self.table = nn.Embedding(20, 12)
        self.layers = nn.Sequential(*(Block(12) for _ in range(3)))
        self.head = nn.Linear(12, 5)

    def forward(self, ids):
        return self.head(self.layers(self.table(ids) + self.place).mean(1))


def ours():
    model = Words()
    compare("words", model, torch.randint(0, 20, (2, 7)), [("ids", "tokens[7, vocab=20]")])
    text, _ = stowage_torch.convert(model, [torch.randint(0, 20, (2, 7))], [("ids", "tokens[7, vocab=20]")])
    result(text.count("\nblock block_") + text.startswith("block block_") == 1 and "_2: block_" in text,
           "modules that are alike are one block, used under their names", text)

    class One(nn.Module):
        def __init__(self):
            super().__init__()
            self.dense = nn.Linear(6, 1)

        def forward(self, x):
            return self.dense(x).squeeze(-1)
    compare("one", One(), torch.randn(2, 6), [("x", "f32[6]")])

    class Odd(nn.Module):
        def forward(self, x):
            return torch.cumsum(x, 1)
    try:
        stowage_torch.convert(Odd(), [torch.randn(2, 4)])
        result(False, "what cannot be expressed is named")
    except stowage_torch.Cannot as e:
        result("cumsum" in str(e), "what cannot be expressed is named", e)


    class Towers(nn.Module):
        """A layer and a module that are used twice, attention of all three kinds, a table that is tied."""
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(20, 12)
            self.block, self.own = Block(12), nn.MultiheadAttention(12, 3, batch_first=True)
            self.turn = nn.Linear(12, 12)
            self.whole = nn.TransformerEncoderLayer(12, 2, 24, batch_first=True, activation="gelu")
            self.head = nn.Linear(12, 20, bias=False)
            self.head.weight = self.table.weight

        def forward(self, ids):
            x = self.whole(self.block(self.table(ids)))
            x = x + self.own(x, x, x, need_weights=False)[0]
            y = self.turn(torch.tanh(self.turn(x)))
            q, k, v = (t.unflatten(-1, (3, 4)).transpose(1, 2) for t in (x, y, x + y))
            x = x + nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)
            z = nn.functional.scaled_dot_product_attention(q[:, 0], k[:, 1], v[:, 2])
            return self.head(x + torch.cat([z, z, z], -1))
    compare("towers", Towers(), torch.randint(0, 20, (2, 7)), [("ids", "tokens[7, vocab=20]")])


def frames():
    class Frames(nn.Module):
        """Frames around some axes, four of them too, in each mode."""
        def __init__(self):
            super().__init__()
            self.conv, self.line = nn.Conv3d(2, 3, 2), nn.Conv1d(3, 4, 3)
            self.mirror, self.edge = nn.ReflectionPad1d((2, 1)), nn.ReplicationPad3d((1, 1, 2, 0, 0, 1))

        def forward(self, x):
            y = nn.functional.pad(self.conv(self.edge(x)), (2, 2, 2, 2, 1, 1, 1, 1), value=0.5)
            y = nn.functional.pad(y, (0, 0, 3, 0), mode="constant").flatten(1).unflatten(1, (3, -1))
            return nn.functional.pad(self.line(self.mirror(y)), (3, 2), mode="circular").flatten(1)
    compare("frames", Frames(), torch.randn(2, 2, 4, 5, 4)[:, :1].repeat(1, 2, 1, 1, 1), [("x", "f32[2, 4, 5, 4]")])

    class Segnet(nn.Module):
        """Two stages down, and up again to where the maxima were; one map has a row that fills no window."""
        def __init__(self):
            super().__init__()
            self.down = nn.ModuleList(nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU())
                                      for i, o in ((3, 8), (8, 12)))
            self.up = nn.ModuleList(nn.Conv2d(i, o, 3, padding=1) for i, o in ((12, 8), (8, 5)))
            self.pool, self.unpool = nn.MaxPool2d(2, 2, return_indices=True), nn.MaxUnpool2d(2, 2)

        def forward(self, x):
            kept = []
            for stage in self.down:
                x = stage(x)
                size = x.shape
                x, k = self.pool(x)
                kept.append((k, size))
            for stage in self.up:
                k, size = kept.pop()
                x = stage(self.unpool(torch.tanh(x), k, output_size=size))
            return x
    compare("segnet", Segnet(), torch.randn(2, 3, 18, 14), [("x", "f32[3, 18, 14]")])


def vision(name):
    import torchvision
    more = {"image_size": 64} if name.startswith("vit") else {"init_weights": False} if name == "googlenet" else {}
    compare(name, getattr(torchvision.models, name)(weights=None, **more), torch.randn(2, 3, 64, 64), [("image", "f32[3, 64, 64]")])


def timm_model(name):
    import timm
    more = {"img_size": 64} if name.startswith(("vit", "deit", "mixer", "resmlp")) else {}
    compare(name, timm.create_model(name, pretrained=False, **more), torch.randn(2, 3, 64, 64), [("image", "f32[3, 64, 64]")])


def hugging_face(name):
    import transformers as t
    ids = torch.randint(0, 100, (2, 9))
    if name == "bert":
        model = t.BertModel(t.BertConfig(vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
                                         max_position_embeddings=16), add_pooling_layer=False)
    elif name == "distilbert":
        model = t.DistilBertModel(t.DistilBertConfig(vocab_size=100, dim=32, n_layers=2, n_heads=4, hidden_dim=64,
                                                     max_position_embeddings=16))
    else:
        model = t.GPT2LMHeadModel(t.GPT2Config(vocab_size=100, n_embd=32, n_layer=2, n_head=4, n_positions=16, use_cache=False))
    compare(name, model, ids, [("ids", "tokens[9, vocab=100]")], lambda y: y[0])


TIMM = ["vit_tiny_patch16_224", "mixer_s16_224", "resmlp_12_224", "convnext_atto", "ghostnet_050", "poolformer_s12"]
HUGGING_FACE = ["bert", "distilbert", "gpt2"]
# a few without EXTENDED
QUICK = ["ours", "frames", "resnet18", "mobilenet_v2", "convnext_atto"] + HUGGING_FACE
REST = ["squeezenet1_1", "efficientnet_b0", "densenet121", "mnasnet0_5", "vit_b_16", "convnext_tiny", "shufflenet_v2_x0_5",
        "regnet_y_400mf"] + [name for name in TIMM if name not in QUICK]

for name in sys.argv[2:] or QUICK + (REST if os.environ.get("EXTENDED") else []):
    try:
        ours() if name == "ours" else frames() if name == "frames" else timm_model(name) if name in TIMM else hugging_face(name) if name in HUGGING_FACE else vision(name)
    except ImportError as e:
        skip(name, e)
    except Exception as e:
        result(False, name, f"{type(e).__name__}: {e}")
tap.done()
