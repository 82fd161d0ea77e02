"""Networks exported to ONNX, with random weights, beside the emitted C program.

    export.py FOLDER [NAME ...]      reports in TAP; with names, these networks alone
"""
import json
import os
import re
import struct
import subprocess
import sys

import numpy
import onnxruntime

import computes
import tap
from tap import result, skip

top = os.path.abspath(os.environ["top_srcdir"])
work = sys.argv[1]
stowage = os.environ["STOWAGE"]

# what is run without EXTENDED: an operator of each kind, and small networks
QUICK = ["activations", "adaptive_avgpool", "arithmetic", "attend-causal", "attend-relative", "attend-groups", "attend-windows",
         "conv_transpose-odd", "groupnorm", "gru-lengths", "layernorm-axes", "local-strided", "lstm-layers", "matmul-turned",
         "pad-modes", "reductions", "rope", "scan", "slice", "split", "take", "upsample-between",
         "digits", "digit_rows", "lenet5", "pointnet", "resnet20"]
# more than 2 GiB of numbers, with some 10 GiB of memory: by name alone; numbers of files, which are not exported
NONE = ["tinyllama", "dlrm", "from_file"]
# products of queries and keys are not scaled there: with more, ONNX Runtime's own optimizations move outputs by a hundredth
GAIN = {"t5_small": 0.3}
# with fewer steps, which no weight depends on
SHORTER = {"tinyllama": ("param window = 2048", "param window = 16")}
# what importing our own export makes the same graph of
SAME = ["alexnet", "bert_base", "c3d", "clouds", "convnext_tiny", "dcgan", "deeplabv3_resnet50", "deepspeech2",
        "densenet121", "digit_rows", "digits", "efficientnet_b0", "googlenet", "gpt2", "gru", "headlines",
        "inception_v3", "lenet5", "local_merge_dense", "lstm", "mobilenet_v2", "mobilenet_v3", "pointnet", "resnet152",
        "resnet18", "resnet20", "resnet50", "unet", "unet3d", "vae", "vgg16", "vit_b16", "wavenet"]
# other graphs, which compute the same
AGAIN = ["attend-relative", "attend-windows"]
# whose weights lie in a file of their own, once
APART = ["lenet5", "resnet18"]
# what they predict is made of random numbers, which no two programs draw alike
RANDOM = ["dcgan", "diffusion_unet", "digit_gan", "noise", "vae"]


def without(text, word):
    """The text without WORD's argument list, or block, whose brackets may hold others."""
    at = re.search(word, text)
    if not at:
        return text, None
    depth, end = 1, at.end()
    while depth:
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(text[end], 0)
        end += 1
    return text[:at.start()] + text[end:], text[at.start():end]


def prepared(text):
    """A spec that only validates, on a file of tensors, two samples at a time."""
    for word in (r"(?m)^train\s*\{", r"(?m)^validate\s*\{", r"(?m)^device\s[^{\n]*\{"):
        gone = True
        while gone:
            text, gone = without(text, word)
    return text + '\nvalidate { batch 2  data safetensors("data.safetensors") }\n'


def graph(spec):
    """Inputs, and parameters and statistics with how they begin, as the compiler prints them."""
    text = subprocess.run([stowage, "plan", "--target", "c", "--dump-after", "phases", spec], capture_output=True, text=True).stdout
    weights = re.findall(r'(?m)^(?:parameter|statistic) %\d+ \w+\[([^]]*)\] "([^"]*)" (\w+) (\S+)', text)
    inputs = re.findall(r'(?m)^  (input|target) %\d+ (\w+)\[B(?:, )?([^]]*)\](?: (?:classes|vocab) (\d+))? "([^"]*)"', text)
    return weights, dict((i[4], i) for i in inputs).values()


def extents(text):
    return [int(d) for d in text.split(",")] if text.strip() else []


def save(path, tensors):
    names = {"float32": "F32", "int32": "I32", "uint8": "U8"}
    header, at = {}, 0
    for name, t in tensors.items():
        header[name] = {"dtype": names[str(t.dtype)], "shape": list(t.shape), "data_offsets": [at, at + t.nbytes]}
        at += t.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for t in tensors.values():
            f.write(t.tobytes())


def load(path):
    with open(path, "rb") as f:
        header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
        data = f.read()
    return {k: numpy.frombuffer(data[v["data_offsets"][0]:v["data_offsets"][1]], "<f4").reshape(v["shape"])
            for k, v in header.items()}


def random_weights(weights, draw, gain):
    """Of the size that keeps activations near 1; statistics and what scales are not all alike."""
    made = {}
    for dims, name, kind, value in weights:
        shape = extents(dims)
        fan = numpy.prod(shape[1:]) if len(shape) > 1 else 1
        t = draw.standard_normal(shape, numpy.float32)
        if name.endswith("running_var"):
            t = numpy.abs(t) * 0.5 + 0.5
        elif kind == "constant":
            t = float(value) * (1 + 0.2 * t)
        elif len(shape) < 2 or kind == "zeros":
            t = 0.2 * t
        else:
            t = t * numpy.sqrt(gain / fan)
        made[name] = t.astype(numpy.float32)
    return made


def build(folder, text, level):
    os.makedirs(folder, exist_ok=True)
    with open(folder + "/net.nn", "w") as f:
        f.write(text)
    if not level:
        return
    subprocess.run([stowage, "emit", "--input-gradients", "--target", "c", "--threads", "2", "-o", folder + "/net.c",
                    folder + "/net.nn"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*os.environ.get("CC", "cc").split(), "-std=gnu11", level, "-march=native", "-fopenmp-simd", "-pthread", "-w", "-o",
                    folder + "/net", folder + "/net.c", "-lm"], check=True)


def predicted(folder):
    with open(folder + "/w.safetensors", "rb") as f:
        weights = ["--weights", "w.safetensors", "--strict"] if b"shape" in f.read(4096) else []
    done = subprocess.run(["./net", "--quiet", *weights, "--predict", "out.npy"], cwd=folder, capture_output=True, text=True)
    if " are free" in done.stderr:
        raise MemoryError(done.stderr.strip())
    assert done.returncode == 0, done.stderr or done.returncode
    return numpy.load(folder + "/out.npy")


def exported(folder, *options):
    done = subprocess.run([stowage, "export", *options, "-o", folder + "/net.onnx", folder + "/net.nn", folder + "/w.safetensors"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr or done.returncode
    return done.stderr


def inputs_of(inputs, draw):
    made = {}
    for _, dtype, dims, classes, name in inputs:
        shape = [2] + extents(dims)
        made[name] = (draw.integers(0, int(classes or 2), shape).astype(numpy.int32) if dtype == "i32" else
                      draw.integers(0, 256, shape).astype(numpy.uint8) if dtype == "u8" else
                      draw.standard_normal(shape, numpy.float32))
    return made


def run_onnx(path, data):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return session.run(None, {i.name: data[i.name] for i in session.get_inputs()})[0]


def folder_of(name, text, level):
    folder = os.path.join(work, name)
    build(folder, text, level)
    draw = numpy.random.default_rng(5)
    weights, inputs = graph(folder + "/net.nn")
    save(folder + "/w.safetensors", random_weights(weights, draw, GAIN.get(name, 1.5)))
    data = inputs_of(inputs, draw)
    save(folder + "/data.safetensors", data)
    return folder, data


def comes_back(name, path):
    """Imported from its own export, it is the same graph, with the same weights where they were: those that the prediction needs."""
    folder, _ = folder_of(name, prepared(open(path).read()), None)
    exported(folder)
    done = subprocess.run([stowage, "import", folder + "/net.onnx", "-o", folder + "/again.nn", "-w", folder + "/again.safetensors"],
                          capture_output=True, text=True)
    if done.returncode:
        return result(False, f"{name} comes back as the same graph", done.stderr)
    with open(folder + "/again.nn") as f:
        again = prepared(f.read())
    with open(folder + "/again.nn", "w") as f:
        f.write(again)
    weights = load(folder + "/again.safetensors")
    want, _ = computes.computes(stowage, folder + "/net.nn", load(folder + "/w.safetensors"))
    have, needed = computes.computes(stowage, folder + "/again.nn", weights)
    more = sorted(set(weights) - needed)
    result(want and want == have and not more, f"{name} comes back as the same graph", f"more weights: {more}\n{again}")


def computes_again(name, path):
    """Imported from its own export, it has the same outputs."""
    folder, data = folder_of(name, prepared(open(path).read()), None)
    exported(folder)
    want = run_onnx(folder + "/net.onnx", data)
    again = folder + "/again"
    os.makedirs(again, exist_ok=True)
    done = subprocess.run([stowage, "import", "--loss", "mse", folder + "/net.onnx", "-o", again + "/net.nn", "-w", again +
                           "/w.safetensors"], capture_output=True, text=True)
    if done.returncode:
        return result(False, f"{name} is imported from its own export", done.stderr)
    with open(again + "/net.nn") as f:
        text = prepared(f.read())
    build(again, text, "-O1")
    target = [i for i in graph(again + "/net.nn")[1] if i[0] == "target"]
    save(again + "/data.safetensors", dict(data, **{i[4]: numpy.zeros([2] + extents(i[2]), numpy.float32) for i in target}))
    have = predicted(again)
    error = numpy.abs(have - want.reshape(have.shape)).max() / numpy.abs(want).max()
    result(error < 1e-5, f"{name}, imported from its own export, has the same outputs", f"{error:g} of the largest")


def apart(name, path):
    """Weights in a file of their own give the same."""
    folder, data = folder_of(name, prepared(open(path).read()), None)
    exported(folder)
    inside = run_onnx(folder + "/net.onnx", data)
    exported(folder, "--external-data")
    size = os.path.getsize(folder + "/net.onnx.data")
    result(size > 100000 and (run_onnx(folder + "/net.onnx", data) == inside).all(),
           f"{name} has the same outputs with its weights apart", f"{size} bytes")


def spec(name, path):
    with open(path) as f:
        text = f.read().replace(*SHORTER.get(name, ("", "")))
    folder, data = folder_of(name, prepared(text), "-O0" if "/ops/" in path else "-O1")
    said = exported(folder)
    got = run_onnx(folder + "/net.onnx", data)
    if name in RANDOM:
        return result(numpy.isfinite(got).all(), f"{name} runs", got)
    want = predicted(folder)
    size = numpy.abs(want).max()
    error = numpy.abs(got.reshape(want.shape) - want).max() / size
    result(error < 1e-5 and size > 1e-3, f"{name} in ONNX Runtime gives the outputs of --predict",
           f"{error:g} of the largest output, {size:g}\n{said}")
    print(f"# {name}: {error:g}; {said.strip()}")


def chosen():
    """Networks by name, and their files: those that are named, or small ones, or with EXTENDED all."""
    every = {f[:-3]: f"{top}/{folder}/{f}" for folder in ("tests/ops", "specs") for f in sorted(os.listdir(top + "/" + folder))
             if f.endswith(".nn")}
    if sys.argv[2:]:
        return [(name, every[name]) for name in sys.argv[2:]]
    if os.environ.get("EXTENDED"):
        return [(name, path) for name, path in every.items() if name not in NONE]
    return [(name, every[name]) for name in QUICK]


wrong = computes.check(work, stowage)
result(not wrong, "graphs are told apart, and not by how they are spelled", "\n".join(wrong))
for name, path in chosen():
    for check in [spec] + ([comes_back] if name in SAME else []) + ([apart] if name in APART else []) + (
            [computes_again] if name in AGAIN else []):
        try:
            check(name, path)
        except MemoryError as e:
            skip(f"{name}, {check.__name__}", e)
        except Exception as e:
            result(False, f"{name}, {check.__name__}", f"{type(e).__name__}: {e}")
tap.done()
