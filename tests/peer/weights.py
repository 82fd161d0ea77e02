"""Weights of other programs' models, begun at random, in emitted programs: by the maps of specs/, the same outputs.

    weights.py FOLDER        reports in TAP; what a model's package is missing for is skipped
"""
import json
import os
import re
import struct
import subprocess
import sys

import numpy
import torch

import tap
from tap import result, skip
from torch_random import randomise

top = os.path.abspath(os.environ["top_srcdir"])
work = sys.argv[1]


NAMES = {torch.float32: "F32", torch.float64: "F64", torch.float16: "F16", torch.bfloat16: "BF16", torch.int64: "I64"}


def save(path, state):
    """As safetensors.torch.save_file() does."""
    header, data, at = {"__metadata__": {"format": "pt"}}, [], 0
    for name, t in state.items():
        raw = t.contiguous().view(torch.uint8).numpy().tobytes() if t.dim() else t.reshape(1).view(torch.uint8).numpy().tobytes()
        header[name] = {"dtype": NAMES[t.dtype], "shape": list(t.shape), "data_offsets": [at, at + len(raw)]}
        data.append(raw)
        at += len(raw)
    text = json.dumps(header).encode()
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + b"".join(data))


def build(name, spec, *replace, files='"x.npy", "y.npy"', level="-O0"):
    """The network of a spec, on files x.npy and y.npy, or what else FILES names; its program."""
    folder = os.path.join(work, name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(top, "specs", spec)) as f:
        text = f.read()
    for old, new in replace:
        changed = re.sub(old, new, text)
        assert changed != text, old
        text = changed
    text = re.sub(r"(?m)^( *data *)synthetic\([^)]*\)", rf'\1npy({files})', text)
    text = re.sub(r"(?m)^( *batch +)\d+", r"\g<1>2", re.sub(r"(?m)^( *accumulate .*|device .*)", "", text)) + f'\nvalidate {{ batch 2  data npy({files}) }}\n'
    with open(os.path.join(folder, "net.nn"), "w") as f:
        f.write(text)
    subprocess.run([os.environ["STOWAGE"], "emit", "--target", "c", "--threads", "2", "-o", folder + "/", folder + "/net.nn"],
                   check=True, stdout=subprocess.DEVNULL)
    source = [f for f in os.listdir(folder) if f.endswith(".c")][0]
    subprocess.run([os.environ["CC"], "-std=gnu11", level, "-march=native", "-fopenmp-simd", "-pthread", "-w", "-o",
                    folder + "/net", os.path.join(folder, source), "-lm"], check=True)
    return folder


def run(folder, *options):
    return subprocess.run(["./net", "--quiet", *options], cwd=folder, capture_output=True, text=True)


def outputs(folder, *options):
    done = run(folder, "--predict", "out.npy", *options)
    return (numpy.load(folder + "/out.npy") if done.returncode == 0 else None), done.stderr


def compare(name, folder, want, *options):
    got, said = outputs(folder, *options)
    if got is None:
        return result(False, name, said)
    want = want.detach().numpy().reshape(got.shape)
    error = numpy.abs(got - want).max() / numpy.abs(want).max()
    result(error < 1e-4, name, f"{error:g} of the largest output\n{said}")


def maps(spec):
    return os.path.join(top, "specs", spec)


def resnet18():
    import torchvision
    model = randomise(torchvision.models.resnet18(weights=None))
    folder = build("resnet18", "resnet18.nn", level="-O2")
    x = torch.randn(4, 3, 224, 224)
    numpy.save(folder + "/x.npy", x.numpy())
    numpy.save(folder + "/y.npy", numpy.zeros(4, numpy.int32))
    state = model.state_dict()
    save(folder + "/a.safetensors", state)
    options = ["--weights", "a.safetensors", "--map", maps("resnet18.torchvision.map"), "--strict"]
    compare("torchvision's ResNet-18 gives PyTorch's outputs", folder, model(x), *options)

    for dtype, most in ((torch.bfloat16, "BF16"), (torch.float16, "F16"), (torch.float64, "F64")):
        rounded = {k: v.to(dtype) if v.is_floating_point() else v for k, v in state.items()}
        save(folder + "/b.safetensors", rounded)
        model.load_state_dict({k: v.float() if v.is_floating_point() else v for k, v in rounded.items()})
        compare(f"the same from {most}", folder, model(x), "--weights", "b.safetensors", *options[2:])
    model.load_state_dict(state)

    body = {k: v for k, v in state.items() if not k.startswith("fc.")}
    body["fc.weight"] = torch.zeros(10, 512)
    body["other.weight"] = torch.zeros(3)
    save(folder + "/c.safetensors", body)
    done = run(folder, "--eval", "--weights", "c.safetensors", *options[2:4])
    result(done.returncode == 0 and "100 of 102 weights" in done.stderr and "\n  begun anew: fc.weight, fc.bias" in done.stderr
           and "fc.weight [1000, 512] here, [10, 512] there" in done.stderr and "no use here: other.weight" in done.stderr,
           "what is not there, of another shape or of no use is listed", done.stderr)
    done = run(folder, "--eval", "--weights", "c.safetensors", *options[2:])
    result(done.returncode == 2 and "--strict" in done.stderr, "and refused by --strict", done.stderr)
    head = {k: v for k, v in state.items() if k.startswith("fc.")}
    save(folder + "/d.safetensors", head)
    compare("a head from another file", folder, model(x), "--weights", "c.safetensors", *options[2:4],
            "--weights", "d.safetensors")
    done = run(folder, "--eval", "--weights", "a.safetensors", "--strict")
    result(done.returncode == 2 and done.stderr.count("\n") < 8, "without the map few names fit", done.stderr)
    broken = open(folder + "/a.safetensors", "rb").read()
    for name, text in (("cut", broken[:-5]), ("empty", b""), ("torch.save's", b"PK\3\4" + bytes(60)),
                       ("header", struct.pack("<Q", 1 << 60) + broken[8:]), ("NaN", broken[:-4] + b"\0\0\xc0\x7f")):
        with open(folder + "/e.safetensors", "wb") as f:
            f.write(text)
        done = run(folder, "--eval", "--weights", "e.safetensors", *options[2:])
        result(done.returncode == 2 and "e.safetensors" in done.stderr, f"a broken file is refused: {name}", done.stderr)
    for text in ("conv1.weight\n", "a.* b\n", "a b transported\n", "a b transposed c\n"):
        with open(folder + "/bad.map", "w") as f:
            f.write("# a map\n" + text)
        done = run(folder, "--eval", "--weights", "a.safetensors", "--map", "bad.map")
        result(done.returncode == 2 and "bad.map:2: " in done.stderr, f"a broken map is refused: {text.strip()}", done.stderr)


def gpt2():
    import transformers
    config = transformers.GPT2Config(vocab_size=100, n_positions=16, n_embd=64, n_layer=3, n_head=4)
    torch.manual_seed(3)
    model = randomise(transformers.GPT2LMHeadModel(config))
    folder = build("gpt2", "gpt2.nn", (r"12 \* layer\(768, 12", "3 * layer(64, 4"), (r"\b50257\b", "100"),
                   (r"\b1024\b", "16"), (r"\b768\b", "64"))
    x = torch.randint(0, 100, (4, 16))
    numpy.save(folder + "/x.npy", x.numpy().astype(numpy.int32))
    numpy.save(folder + "/y.npy", x.numpy().astype(numpy.int32))
    save(folder + "/a.safetensors", model.state_dict())
    compare("Hugging Face's GPT-2 gives PyTorch's outputs", folder, model(x).logits, "--weights", "a.safetensors",
            "--map", maps("gpt2.huggingface.map"), "--strict")


def images(folder, spec, whose, model, size):
    x = torch.randn(2, 3, size, size)
    numpy.save(folder + "/x.npy", x.numpy())
    numpy.save(folder + "/y.npy", numpy.zeros(2, numpy.int32))
    save(folder + "/a.safetensors", model.state_dict())
    compare(f"{spec} gives PyTorch's outputs", folder, model(x), "--weights", "a.safetensors", "--map",
            maps(f"{spec}.{whose}.map"), "--strict")


def swin_t():
    """Narrower, and with fewer layers of a stage; the extents and the shifts of all stages are its own."""
    import torchvision
    model = randomise(torchvision.models.SwinTransformer([4, 4], 24, [2, 2, 2, 2], [3, 6, 12, 24], [7, 7],
                                                         num_classes=10))
    with torch.no_grad():
        for name, t in model.named_parameters():
            if "table" in name:
                t.normal_()
    folder = build("swin_t", "swin_t.nn", (r"classes = 1000", "classes = 10"), (r"conv\(96", "conv(24"),
                   (r"layers\(6,", "layers(2,"))
    images(folder, "swin_t", "torchvision", model, 224)


def vit_b16():
    import timm
    model = randomise(timm.models.VisionTransformer(img_size=48, num_classes=10, embed_dim=48, depth=2, num_heads=12))
    with torch.no_grad():
        model.cls_token.normal_()
    folder = build("vit_b16", "vit_b16.nn", (r"classes = 1000", "classes = 10"), (r"\b768\b", "48"), (r"\b224\b", "48"),
                   (r"\b197\b", "10"), (r"12 \* enc", "2 * enc"))
    images(folder, "vit_b16", "timm", model, 48)


def t5_small():
    import transformers
    config = transformers.T5Config(vocab_size=100, d_model=64, d_kv=8, d_ff=256, num_layers=2, num_heads=8)
    torch.manual_seed(4)
    model = randomise(transformers.T5ForConditionalGeneration(config))
    folder = build("t5_small", "t5_small.nn", (r"width = 512", "width = 64"), (r"depth = 6", "depth = 2"),
                   (r"vocab = 32128", "vocab = 100"), (r"read  = 512", "read = 200"), (r"write = 114", "write = 30"),
                   files='"x.npy", "said.npy", "y.npy"')
    x, said = (torch.randint(0, 100, (2, t)) for t in (200, 30))
    for name, ids in (("x", x), ("said", said), ("y", said)):
        numpy.save(f"{folder}/{name}.npy", ids.numpy().astype(numpy.int32))
    save(folder + "/a.safetensors", model.state_dict())
    compare("Hugging Face's T5 gives PyTorch's outputs", folder, model(x, decoder_input_ids=said).logits, "--weights",
            "a.safetensors", "--map", maps("t5_small.huggingface.map"), "--strict")


def deeplabv3_resnet50():
    """In the extended run. With two blocks of each stage: the second has the stage's dilation, the first that of the stage before."""
    if not os.environ.get("EXTENDED"):
        return
    from torchvision.models.segmentation.deeplabv3 import _deeplabv3_resnet
    from torchvision.models.resnet import Bottleneck, ResNet
    body = ResNet(Bottleneck, [2, 2, 2, 2], replace_stride_with_dilation=[False, True, True])
    model = randomise(_deeplabv3_resnet(body, 21, True))
    folder = build("deeplabv3_resnet50", "deeplabv3_resnet50.nn", (r"\b480\b", "49"), (r"3 \* bottleneck\(64", "2 * bottleneck(64"),
                   (r"\) -> \d \*", ") -> 1 *"), level="-O2")
    x = torch.randn(2, 3, 49, 49)
    numpy.save(folder + "/x.npy", x.numpy())
    numpy.save(folder + "/y.npy", numpy.zeros((2, 49, 49), numpy.int32))
    save(folder + "/a.safetensors", model.state_dict())
    compare("torchvision's DeepLabV3 gives PyTorch's outputs", folder, model(x)["out"], "--weights", "a.safetensors", "--map",
            maps("deeplabv3_resnet50.torchvision.map"), "--strict")


for name, needs in ((resnet18, "torchvision"), (gpt2, "transformers"), (swin_t, "torchvision"), (vit_b16, "timm"),
                    (t5_small, "transformers"), (deeplabv3_resnet50, "torchvision")):
    try:
        __import__(needs)
    except ImportError:
        skip(name.__name__, f"no {needs}")
        continue
    name()
tap.done()
