"""Models of torchvision, timm, transformers and models.py, begun at random and exported by PyTorch, imported and built for C: the
same number of parameters, the same outputs.

    import.py FOLDER [NAME...]       reports in TAP; what a model's package is missing for is skipped
"""
import os
import re
import subprocess
import sys
import warnings

import numpy
import torch
from torch import nn

import tap
from tap import result, skip
from torch_random import randomise

warnings.filterwarnings("ignore")
work, only = sys.argv[1], sys.argv[2:]
SAMPLES, BATCH, TOLERANCE = 4, 2, 1e-4


# ---- the models: each returns a module and what it is given ----

def image(size):
    return (torch.randn(SAMPLES, 3, size, size),)


def words(vocabulary, length, *more):
    return (torch.randint(0, vocabulary, (SAMPLES, length)), *more)


def vision(name, size=64):
    import torchvision
    return getattr(torchvision.models, name)(weights=None), image(size)


def vision_vit():
    from torchvision.models import VisionTransformer
    return VisionTransformer(image_size=32, patch_size=8, num_layers=3, num_heads=4, hidden_dim=32, mlp_dim=64,
                             num_classes=10), image(32)


def vision_swin():
    from torchvision.models.swin_transformer import SwinTransformer
    return SwinTransformer(patch_size=[4, 4], embed_dim=24, depths=[2, 2], num_heads=[3, 6], window_size=[4, 4],
                           num_classes=10), image(64)


def vision_convnext():
    from torchvision.models.convnext import CNBlockConfig, ConvNeXt
    return ConvNeXt([CNBlockConfig(16, 32, 2), CNBlockConfig(32, None, 2)], num_classes=10), image(32)


def timm_model(name, size, **options):
    import timm
    return timm.create_model(name, pretrained=False, num_classes=10, **options), image(size)


class Logits(nn.Module):
    """What a model of transformers computes first, as one tensor."""
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, *given):
        return self.model(*given)[0]


def hugging(kind, config, given, **options):
    import transformers
    c = getattr(transformers, config)(**options)
    c.use_cache, c.return_dict = False, True
    return Logits(getattr(transformers, kind)(c)), given


SMALL = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64)


def distilbert():
    return hugging("DistilBertForMaskedLM", "DistilBertConfig", words(99, 12), vocab_size=99, dim=32, n_layers=2,
                   n_heads=4, hidden_dim=64, max_position_embeddings=12)


def masked():
    """A mask beside the words: of the first sample the last words are none."""
    mask = torch.ones(SAMPLES, 12, dtype=torch.int64)
    mask[0, 7:] = 0
    return hugging("BertForSequenceClassification", "BertConfig", words(99, 12, mask), vocab_size=99, max_position_embeddings=12,
                   **SMALL)


def gpt2():
    return hugging("GPT2LMHeadModel", "GPT2Config", words(99, 12), vocab_size=99, n_embd=32, n_layer=2, n_head=4,
                   n_positions=12)


def llama():
    return hugging("LlamaForCausalLM", "LlamaConfig", words(99, 12), vocab_size=99, num_key_value_heads=2, max_position_embeddings=12,
                   **SMALL)


def neox():
    return hugging("GPTNeoXForCausalLM", "GPTNeoXConfig", words(99, 12), vocab_size=99, rotary_pct=0.5, max_position_embeddings=12,
                   **SMALL)


class Told(nn.Module):
    """T5's decoder of what its encoder read."""
    def __init__(self):
        super().__init__()
        import transformers
        self.model = transformers.T5ForConditionalGeneration(transformers.T5Config(
            vocab_size=99, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, use_cache=False, dropout_rate=0))

    def forward(self, read, said):
        return self.model(input_ids=read, decoder_input_ids=said, use_cache=False, return_dict=False)[0]


def t5():
    return Told(), (*words(99, 12), *words(99, 9))


def hugging_vit():
    return hugging("ViTForImageClassification", "ViTConfig", image(32), image_size=32, patch_size=8, num_labels=10,
                   **SMALL)


def hugging_convnext():
    return hugging("ConvNextForImageClassification", "ConvNextConfig", image(32), hidden_sizes=[16, 32], depths=[2, 2],
                   num_stages=2, num_labels=10)


def encoder(**options):
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, **options)
    return nn.Sequential(nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), nn.Linear(32, 5)), \
        (torch.randn(SAMPLES, 6, 32),)


def decoder():
    return nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.PReLU(8), nn.Upsample(scale_factor=2, mode="bilinear"), nn.Conv2d(8, 4, 3, 1, 1),
                         nn.PReLU(), nn.Upsample(scale_factor=2), nn.GELU(), nn.Conv2d(4, 2, 1), nn.GELU(approximate="tanh")), \
        image(16)


def taken_apart():
    """What opset 13 has no operators for, which exporters write as what it is made of."""
    class Tanh(nn.Module):
        def forward(self, x):
            return 0.5 * x * (1 + torch.tanh(0.7978845608 * (x + 0.044715 * torch.pow(x, 3))))
    return nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 16), nn.SiLU(), nn.LayerNorm(16, 1e-6, bias=False),
                         nn.GELU(approximate="tanh"), nn.Linear(16, 16), Tanh(), nn.Hardswish(), nn.Linear(16, 4)), \
        (torch.randn(SAMPLES, 8),)


def own(name):
    """Models as people write them, with torch alone (tests/peer/models.py)."""
    import models
    return models.MODELS[name]()


def recurrent(kind, last, **options):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = getattr(nn, kind)(5, 6, batch_first=True, **options)
            self.head = nn.Linear(12 if options.get("bidirectional") else 6, 3)

        def forward(self, x):
            y, state = self.layer(x)
            return self.head(state[-1] if last else y)
    return Net(), (torch.randn(SAMPLES, 7, 5),)


class Letters(nn.Module):
    """Products that formulas of letters say: a dense layer, attention, and sums over the last axes of two."""
    def __init__(self):
        super().__init__()
        self.made = nn.Parameter(torch.randn(8, 3, 4, 6))
        self.rows = nn.Parameter(torch.randn(24, 5))

    def forward(self, x):
        q, k, v = torch.einsum("btc,cnhd->nbthd", x, self.made).unbind(0)
        weights = torch.softmax(torch.einsum("bqhd,bkhd->bhqk", q, k), -1)
        y = torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2)
        return torch.einsum("btc,cd->bdt", y, self.rows) + torch.einsum("bti,bsi->bst", x, x)[:, :5]


class Counted(nn.Module):
    """Classes as ones, and a sinusoid of what is known: numbers that count, and what formulas make of them."""
    def __init__(self):
        super().__init__()
        self.of_class, self.of_place = nn.Linear(7, 16, bias=False), nn.Linear(16, 16)

    def forward(self, x, kind):
        rate = torch.exp(torch.arange(8, dtype=torch.float32) * (-9.21 / 7))
        angle = x.sum(-1, keepdim=True) * rate
        told = self.of_class(nn.functional.one_hot(kind, 7).to(x.dtype))
        return self.of_place(torch.cat((angle.sin(), angle.cos()), -1)) + told


class Rotary(nn.Module):
    """Attention whose queries and keys are turned by their positions: halves as Hugging Face's Llama has them, of a part of each
    head as in GPT-NeoX, or neighbours as in GPT-J; before or after heads are in front. Several heads may share keys and values, those beside each
    other or in turn."""
    def __init__(self, kind, heads=4, width=32, base=10000.0, shared=1, in_turn=False):
        super().__init__()
        self.kind, self.heads, self.d, self.shared, self.in_turn = kind, heads, width // heads, shared, in_turn
        self.qkv, self.out = nn.Linear(width, width + 2 * width // shared), nn.Linear(width, width)
        self.turned = self.d // 2 if kind == "part" else self.d
        self.register_buffer("rate", 1 / base ** (torch.arange(0, self.turned, 2).float() / self.turned), persistent=False)

    def turn(self, x, axis):
        angle = torch.outer(torch.arange(x.shape[axis], dtype=torch.float32), self.rate)
        shape = (angle.shape[0], *[1] * (2 - axis % 4), -1)
        if self.kind == "neighbours":
            cos, sin = angle.cos().view(shape), angle.sin().view(shape)
            a, b = x[..., ::2], x[..., 1::2]
            return torch.stack((a * cos - b * sin, b * cos + a * sin), -1).flatten(-2)
        angle = torch.cat((angle, angle), -1)
        cos, sin = angle.cos().view(shape), angle.sin().view(shape)
        a, b = x[..., :self.turned].chunk(2, -1)
        y = x[..., :self.turned] * cos + torch.cat((-b, a), -1) * sin
        return torch.cat((y, x[..., self.turned:]), -1) if self.turned < self.d else y

    def forward(self, x):
        width = self.heads * self.d
        q, k, v = (part.unflatten(-1, (-1, self.d)) for part in self.qkv(x).split((width, width // self.shared, width // self.shared), -1))
        if self.kind == "neighbours":
            q, k, v = (y.transpose(1, 2) for y in (self.turn(q, 1), self.turn(k, 1), v))
        else:
            q, k, v = (y.transpose(1, 2) for y in (q, k, v))
            q, k = self.turn(q, 2), self.turn(k, 2)
        if self.in_turn:
            k, v = k.repeat(1, self.shared, 1, 1), v.repeat(1, self.shared, 1, 1)
        elif self.shared > 1:
            k, v = (y[:, :, None].expand(-1, -1, self.shared, -1, -1).flatten(1, 2) for y in (k, v))
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).flatten(2))


class Begun(nn.Module):
    """Recurrent layers that begin with states: computed ones, trained ones that all samples share, of both ways; an RNN of relu."""
    def __init__(self):
        super().__init__()
        self.lstm, self.gru = nn.LSTM(5, 6, batch_first=True), nn.GRU(6, 4, batch_first=True, bidirectional=True)
        self.rnn, self.first, self.head = nn.RNN(8, 3, batch_first=True, nonlinearity="relu"), nn.Linear(5, 12), nn.Linear(3, 2)
        self.begin = nn.Parameter(torch.randn(2, 1, 4))

    def forward(self, x):
        h, c = self.first(x[:, 0])[None].split(6, -1)
        y, _ = self.lstm(x, (h.contiguous(), c.contiguous()))
        y, _ = self.gru(y, self.begin.expand(-1, x.shape[0], -1).contiguous())
        y, _ = self.rnn(y)
        return nn.functional.normalize(self.head(y), dim=-1)


class Spread(nn.Module):
    """A pool that makes a map larger, and pixels picked by indices of two axes."""
    def __init__(self):
        super().__init__()
        self.conv, self.pool, self.head = nn.Conv2d(3, 4, 3, stride=2), nn.AdaptiveAvgPool2d((4, 7)), nn.Linear(4 * 31, 5)

    def forward(self, x):
        y = torch.relu(self.conv(x))
        return self.head(torch.cat((self.pool(y).flatten(1), y[:, :, [2, 0, -1], [1, 1, 0]].flatten(1)), 1))


class Framed(nn.Module):
    """Frames around a volume and its channels, which no convolution takes, of constants and of what lies inside."""
    def __init__(self):
        super().__init__()
        self.conv, self.head = nn.Conv3d(2, 3, 2, padding=(1, 1, 2)), nn.Conv3d(5, 4, 3)

    def forward(self, x):
        y = nn.functional.pad(self.conv(x), (2, 2, 2, 2, 1, 1, 1, 1), value=0.5)
        y = nn.functional.pad(self.head(y), (1, 0, 2, 2, 3, 3), mode="replicate").unsqueeze(-1)
        return torch.relu(nn.functional.pad(y, (1, 1, 0, 2, 1, 1, 1, 1, 2, 0)))


class NormedRows(nn.Module):
    """Batch norm of each place's channels, of all samples and places as rows, as LeViT has it."""
    def __init__(self):
        super().__init__()
        self.a, self.norm, self.b = nn.Linear(6, 5), nn.BatchNorm1d(5), nn.Linear(20, 3)

    def forward(self, x):
        y = self.a(x)
        return self.b(torch.tanh(self.norm(y.flatten(0, 1)).reshape_as(y)).flatten(1))


OLD, NEW, OLDER = "the older exporter", "the newer exporter", "the older exporter at opset 13"
BOTH = (OLD, NEW)
MODELS = {
    "resnet18": (BOTH, lambda: vision("resnet18")),
    "squeezenet1_1": (BOTH, lambda: vision("squeezenet1_1")),
    "mobilenet_v2": (BOTH, lambda: vision("mobilenet_v2")),
    "mobilenet_v3_small": (BOTH, lambda: vision("mobilenet_v3_small")),
    "shufflenet_v2_x0_5": (BOTH, lambda: vision("shufflenet_v2_x0_5")),
    "densenet121": ((NEW,), lambda: vision("densenet121")),
    "efficientnet_b0": ((NEW,), lambda: vision("efficientnet_b0")),
    "regnet_y_400mf": ((NEW,), lambda: vision("regnet_y_400mf")),
    "convnext": (BOTH, vision_convnext),
    "vit": (BOTH, vision_vit),
    "swin": (BOTH, vision_swin),
    "timm's vit": (BOTH, lambda: timm_model("vit_tiny_patch16_224", 32, img_size=32, patch_size=8, depth=2)),
    "distilbert": (BOTH, distilbert),
    "bert with a mask": (BOTH, masked),
    "gpt2": (BOTH, gpt2),
    "llama": (BOTH, llama),
    "gpt-neox": (BOTH, neox),
    "t5": (BOTH, t5),
    "transformers' vit": (BOTH, hugging_vit),
    "transformers' convnext": (BOTH, hugging_convnext),
    "encoder": ((OLD,), lambda: encoder(activation="gelu", norm_first=True)),
    "encoder, norms behind": ((NEW,), encoder),
    "lstm": ((OLD,), lambda: recurrent("LSTM", False, bidirectional=True)),
    "gru": ((OLD,), lambda: recurrent("GRU", True)),
    "what is taken apart": ((OLDER,), taken_apart),
    "decoder of images": (BOTH, decoder),
    "norms of rows": (BOTH, lambda: (NormedRows(), (torch.randn(SAMPLES, 4, 6),))),
    "frames around four axes": (BOTH, lambda: (Framed(), (torch.randn(SAMPLES, 2, 4, 5, 4),))),
    "places of a map": ((NEW,), lambda: (Spread(), image(7))),
    "rotary halves": (BOTH, lambda: (Rotary("halves"), (torch.randn(SAMPLES, 9, 32),))),
    "rotary part": (BOTH, lambda: (Rotary("part", base=500.0), (torch.randn(SAMPLES, 9, 32),))),
    "rotary neighbours": (BOTH, lambda: (Rotary("neighbours"), (torch.randn(SAMPLES, 9, 32),))),
    "rotary groups": (BOTH, lambda: (Rotary("halves", shared=2), (torch.randn(SAMPLES, 9, 32),))),
    "heads in turn": (BOTH, lambda: (Rotary("halves", shared=2, in_turn=True), (torch.randn(SAMPLES, 9, 32),))),
    "recurrent layers that begin with states": ((OLD,), lambda: (Begun(), (torch.randn(SAMPLES, 7, 5),))),
    "letters": (BOTH, lambda: (Letters(), (torch.randn(SAMPLES, 6, 8),))),
    "classes and counts": (BOTH, lambda: (Counted(), (torch.randn(SAMPLES, 5), torch.randint(0, 7, (SAMPLES,))))),
    "resnext50_32x4d": ((OLD,), lambda: vision("resnext50_32x4d")),
    "mobilenet_v3_large": ((NEW,), lambda: vision("mobilenet_v3_large")),
    "written bert": (BOTH, lambda: own("bert")),
    "written gpt": (BOTH, lambda: own("gpt")),
    "written llama": (BOTH, lambda: own("llama")),
    "written unet": (BOTH, lambda: own("unet")),
    "written unet of groups": (BOTH, lambda: own("unet of groups")),
    "written mixer": ((NEW,), lambda: own("mixer")),
    "digits by log_softmax": (BOTH, lambda: own("digits")),
    "pixels that become channels": (BOTH, lambda: own("pixels")),
    "convolutions over words": ((OLD,), lambda: own("words")),
    "pair of pictures": (BOTH, lambda: own("pair")),
    "padding by numbers": (BOTH, lambda: own("padded")),
    "masks of order and padding": ((OLD,), lambda: own("masked")),
    "trained queries": (BOTH, lambda: own("queries")),
    "factorisation machine": ((NEW,), lambda: own("factors")),
}
# of whose heads two share keys and values
SHARE_HEADS = ("llama", "rotary groups", "written llama")
# whose attention exporters take apart
ATTEND = ("vit", "timm's vit", "distilbert", "bert with a mask", "gpt2", "transformers' vit", "encoder", "encoder, norms behind",
          "llama", "gpt-neox", "t5", "rotary halves", "rotary part", "rotary neighbours", "rotary groups", "letters", "written bert",
          "written gpt", "written llama", "padding by numbers", "trained queries")


# ---- the ways to a spec and back ----

def export(model, given, exporter, path):
    few = tuple(x[:3] for x in given)
    if exporter != NEW:
        torch.onnx.export(model, few, path, dynamo=False, opset_version=13 if exporter == OLDER else 17, input_names=[f"in{i}" for i in range(len(few))],
                          dynamic_axes={f"in{i}": {0: "batch"} for i in range(len(few))})
        return
    try:
        batch = torch.export.Dim("batch")
        torch.onnx.export(model, few, path, dynamo=True, verbose=False, external_data=False,
                          dynamic_shapes=(tuple({0: batch} for _ in few),) if isinstance(model, Logits) else
                          tuple({0: batch} for _ in few))
    except Exception:    # a model that says its batch itself
        torch.onnx.export(model, few, path, dynamo=True, verbose=False, external_data=False)


def quietly(f, *arguments):
    """Exporters talk; what they say is kept."""
    sys.stdout.flush()
    kept, log = [os.dup(1), os.dup(2)], os.open(os.path.join(work, "export.log"), os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    os.dup2(log, 1)
    os.dup2(log, 2)
    try:
        return f(*arguments)
    finally:
        sys.stdout.flush()
        os.dup2(kept[0], 1)
        os.dup2(kept[1], 2)
        for fd in (*kept, log):
            os.close(fd)


def target(spec):
    """Zeros as the target of a spec has them."""
    kind, inside = re.search(r"target +\w+ +: (\w+)\[([^\]]*)\]", spec).groups()
    extents = [int(x) for x in inside.split(",") if x.strip()]
    return numpy.zeros([SAMPLES] + extents[1:], numpy.int32) if kind == "class" else \
        numpy.zeros([SAMPLES] + extents, numpy.float32)


def build(folder, spec, given):
    files = [f"x{i}.npy" for i in range(len(given))] + ["y.npy"]
    kinds = [numpy.float32 if kind == "f32" else numpy.int32 for kind in re.findall(r"(?m)^  input +\w+ +: (\w+)\[", spec)]
    for f, x in zip(files, [x.numpy().astype(kind) for x, kind in zip(given, kinds)] + [target(spec)]):
        numpy.save(os.path.join(folder, f), x)
    data = "npy(" + ", ".join(f'"{f}"' for f in files) + ")"
    spec = re.sub(r"(?m)^( *data *)synthetic\([^)]*\)", rf"\1{data}", re.sub(r"(?m)^( *batch +)\d+", rf"\g<1>{BATCH}", spec))
    with open(folder + "/net.nn", "w") as f:
        f.write(spec + f"\nvalidate {{ batch {BATCH}  data {data} }}\n")
    subprocess.run([os.environ["STOWAGE"], "emit", "--target", "c", "--threads", "2", "-o", folder + "/", folder + "/net.nn"],
                   check=True, stdout=subprocess.DEVNULL)
    source = [f for f in os.listdir(folder) if f.endswith(".c")][0]
    subprocess.run([*os.environ.get("CC", "cc").split(), "-std=gnu11", "-O1", "-march=native", "-fopenmp-simd", "-pthread", "-w",
                    "-o", folder + "/net", os.path.join(folder, source), "-lm"], check=True)


def numbers_in(path):
    """How many real numbers lie in a file, which has parts of them multiplied out and others left out."""
    import onnx
    graph = onnx.load(path).graph
    tensors = list(graph.initializer) + [a.t for n in graph.node if n.op_type == "Constant" for a in n.attribute if a.name == "value"]
    sizes = [int(numpy.prod(t.dims)) for t in tensors if t.data_type in (1, 10, 11) and ".running_" not in t.name]
    return sum(n for n in sizes if n > 1)


def multiplied_out(model):
    """By how much more numbers are left of tables of relative positions, which exporters write as biases."""
    return sum(m.get_relative_position_bias().numel() - m.relative_position_bias_table.numel() for m in model.modules()
               if hasattr(m, "get_relative_position_bias"))


def parameters(model):
    return sum(p.numel() for p in {id(p): p for p in model.parameters()}.values())


def compare(name, exporter, model, given):
    folder = os.path.join(work, re.sub(r"\W", "_", name) + ("_new" if exporter == NEW else "_old"))
    os.makedirs(folder, exist_ok=True)
    title = f"{name} by {exporter}"
    try:
        quietly(export, model, given, exporter, folder + "/model.onnx")
    except Exception as e:
        return skip(title, f"PyTorch does not export it: {str(e).splitlines()[0] if str(e) else type(e)}")
    done = subprocess.run([os.environ["STOWAGE"], "import", folder + "/model.onnx", "-o", folder + "/spec.nn", "-w",
                           folder + "/w.safetensors"], capture_output=True, text=True)
    if done.returncode != 0:
        return result(False, f"{title} is imported", done.stderr)
    said = done.stderr
    count = int(re.search(r"nodes, ([\d,]+) parameters", said).group(1).replace(",", ""))
    wanted = {parameters(model) + multiplied_out(model), numbers_in(folder + "/model.onnx")}
    result(count in wanted, f"{title} has its parameters, or those that the exporter left", f"{count}, none of {wanted}")
    with open(folder + "/spec.nn") as f:
        spec = f.read()
    laid = subprocess.run([os.environ["STOWAGE"], "fmt", "--check", folder + "/spec.nn"], capture_output=True, text=True)
    result(laid.returncode == 0, f"{title} is laid out", laid.stderr)
    if exporter == OLDER:
        left = re.findall(r"\b(?:erf|tanh|sigmoid|sqrt|pow|mean|div)\b(?!=)", spec)
        result(not left, f"{title} is put together again", f"{left}")
    if name in ATTEND:
        result("attend(" in spec and "softmax" not in spec, f"{title} attends")
    calls = re.findall(r"attend\(([^)]*)\)", spec)
    if name in SHARE_HEADS:
        result(calls and all("kv_heads=2" in c for c in calls), f"{title} has heads that share keys", f"{calls}")
    if name == "t5":    # of two layers each, and what the decoder takes from the encoder
        result((sum("relative=32" in c for c in calls), sum("relative=32" in c and "causal=true" in c for c in calls), len(calls)) == (4, 2, 6),
               f"{title} looks up distances, of which the decoder's are behind", f"{calls}")
    if name.startswith("rotary"):
        result(spec.count("rope(") == 2 and "concat(" not in spec, f"{title} turns queries and keys", spec)
    build(folder, spec, given)
    done = subprocess.run(["./net", "--quiet", "--weights", "w.safetensors", "--strict", "--predict", "out.npy"], cwd=folder,
                          capture_output=True, text=True)
    if done.returncode != 0:
        return result(False, f"{title} runs", done.stderr)
    got = numpy.load(folder + "/out.npy")
    with torch.no_grad():
        want = model(*given).numpy().reshape(got.shape)
    if "log of a softmax at the end is left out" in said:
        got = torch.log_softmax(torch.from_numpy(got), -1).numpy()
    error = numpy.abs(got - want).max() / numpy.abs(want).max()
    result(error < TOLERANCE, f"{title} gives PyTorch's outputs", f"{error:g} of the largest output")


for name in only:
    if name not in MODELS:
        result(False, f"{name} is one of the models")
for name, (exporters, make) in MODELS.items():
    if only and name not in only:
        continue
    torch.manual_seed(1)
    try:
        model, given = make()
    except ImportError as absent:
        skip(name, f"{absent.name} is missing: IT WAS NOT COMPARED")
        continue
    model = randomise(model)
    for exporter in exporters:
        torch.manual_seed(1)
        compare(name, exporter, model, given)
tap.done()
