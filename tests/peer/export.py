"""Networks exported to ONNX, with random weights, beside the emitted C program.

    export.py FOLDER [NAME ...]      reports in TAP; with names, these networks alone
"""
import os
import re
import shutil
import subprocess
import sys

import numpy

import computes
import tap
from exporting import extents, graph, load, named, prepared, random_weights, run_onnx, save
from tap import result, skip

top = os.path.abspath(os.environ["top_srcdir"])
work = sys.argv[1]
stowage = os.environ["STOWAGE"]

# what is run without EXTENDED: an operator of each kind, and small networks
QUICK = ["activations", "adaptive_avgpool", "arithmetic", "attend-causal", "attend-relative", "attend-groups", "attend-windows",
         "conv_transpose-odd", "groupnorm", "gru-lengths", "from_file", "layernorm-axes", "local-strided", "lstm-layers", "match", "matmul-turned",
         "nms", "pad-axes", "pad-modes", "reductions", "roi_align-levels", "roi_masks", "roi_pool", "rope", "scan", "slice", "split", "take",
         "upsample-between",
         "digits", "digit_rows", "lenet5", "pointnet", "resnet20"]
# every network of specs/, and what is replaced in it, so that it is smaller, of the same operators
PICTURES = (r"800, 1344", "128, 192")
SPECS = {**dict.fromkeys("""
alexnet bert_base c3d chars convnext_tiny dcgan deepspeech2 densenet121 diffusion_unet digit_gan digit_rows
digits efficientnet_b0 googlenet gpt2 gru headlines inception_v3 lenet5 local_merge local_merge_dense lstm mobilenet_v2 mobilenet_v3
pointnet resnet152 resnet18 resnet20 resnet50 ssd300_vgg16 swin_t t5_small unet vae vgg16 vit_b16 wavenet
""".split(), ()), "clouds": ((r"1400, 2100", "136, 148"),), "deeplabv3_resnet50": ((r"480, 480", "97, 97"),),
         "unet3d": ((r"116, 132, 132", "92, 92, 100"), (r"28, 44, 44", "4, 4, 12")),
         "fasterrcnn_resnet50": (PICTURES,), "maskrcnn_resnet50": (PICTURES,), "retinanet_resnet50": (PICTURES,),
         "fastrcnn_vgg16": ((r"608, 1008", "128, 192"), (r"2000, 4", "300, 4")), "yolov3": ((r"416, 416", "96, 160"),),
         "dlrm": ((r"(class\[|table\()\d{4,}", r"\g<1>900"),),
         "tinyllama": ((r"window = 2048", "window = 24"), (r"22 \* llama\(32, 4, 5632\)", "2 * llama(8, 2, 96)"), (r"\b2048\b", "64"),
                       (r"\b32000\b", "96"))}
# of T5 products of queries and keys are not scaled: with more, ONNX Runtime's own optimizations move outputs by a hundredth; detectors
# find boxes that are some
GAIN = {"t5_small": 0.3, **dict.fromkeys(("fasterrcnn_resnet50", "fastrcnn_vgg16", "maskrcnn_resnet50", "retinanet_resnet50",
                                          "ssd300_vgg16", "yolov3"), 0.7)}
# what no other network has, which comes back too
MORE = {
    "triangles": """network triangles {
  input  x : f32[5, 7]
  target t : f32[95]
  f = x -> flatten
  y = concat(f -> take(tril_index((5, 7), diagonal=1)), f -> take(triu_index((5, 7), diagonal=-2)),
             f -> take(triu_index((5, 7), diagonal=2)), f -> take(tril_index((5, 7), diagonal=-3)),
             f -> take(tril_index((7, 5))))
  loss mse(y, t)
}
""",
    "computed_weights": """network computed_weights {
  input  x : f32[7, 5]
  input  s : f32[12]
  target t : f32[7, 20]
  v = hidden: parameter((24, 6), init=normal(0.3))
  w = (gains: parameter((24, 1), init=ones)) * (v -> l2norm(axis=1))
  u = second: parameter((12, 6), init=normal(0.3))
  y = lstm(x, s -> slice(axis=0, stop=6), s -> slice(axis=0, start=6), hidden=6, weight_hh_l0=w)
  z = gru(y, hidden=4, weight_ih_l0=tanh(u), bidirectional=true)
  q = concat(y, z, z -> rnn(6, nonlinearity=relu), axis=1)
  loss mse(q, t)
}
""",
}
# what importing our own export makes the same graph of, with EXTENDED; some are smaller, as SPECS says
SAME = list(SPECS)
# other graphs, which compute the same
AGAIN = ["attend-relative", "attend-windows"]
# whose weights lie in a file of their own, once
APART = ["lenet5", "resnet18"]
# what they predict is made of random numbers, which no two programs draw alike: so they are run once as they are, and once with
# inputs of these extents in place of what they draw
RANDOM = {"dcgan": [("normal((latent, 1, 1))", "latent, 1, 1")], "digit_gan": [("normal(shape=16)", "16")],
          "diffusion_unet": [("uniform(high=steps, shape=1)", "1"), ("normal(image)", "3, 32, 32")], "noise": [],
          "vae": [("normal(mean)", "latent")]}


def smaller(name, text):
    for old, new in SPECS.get(name, ()):
        text, count = re.subn(old, new, text)
        assert count, f"{name} has no {old}"
    return text


def given(name, text):
    """The network with inputs in place of what it draws."""
    for k, (draws, dims) in enumerate(RANDOM[name]):
        assert text.count(draws) == 1, f"{name} has no {draws}"
        text = re.sub(r"(?m)^network \w+ \{\n", rf"\g<0>  input drawn{k} : f32[{dims}]\n", text.replace(draws, f"drawn{k}"))
    return text


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


def predicted(folder, names=("",)):
    """Of each name what the program predicts; "" is what the first loss reads."""
    with open(folder + "/w.safetensors", "rb") as f:
        weights = ["--weights", "w.safetensors", "--strict"] if b"shape" in f.read(4096) else []
    wanted = [w for name in names for w in ("--predict", f"{name}=out.{name}.npy" if name else "out..npy")]
    done = subprocess.run(["./net", "--quiet", *weights, *wanted], cwd=folder, capture_output=True, text=True)
    if " are free" in done.stderr:
        raise MemoryError(done.stderr.strip())
    assert done.returncode == 0, done.stderr or done.returncode
    return [numpy.load(f"{folder}/out.{name}.npy") for name in names]


def exported(folder, *options):
    done = subprocess.run([stowage, "export", *options, "-o", folder + "/net.onnx", folder + "/net.nn", folder + "/w.safetensors"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr or done.returncode
    return done.stderr


def boxes_of(shape, draw, side=24):
    """Two corners in order; two alike, one from the right to the left, one without an area."""
    ends = side * draw.random(shape, numpy.float32).reshape(*shape[:-1], 2, 2)
    made = numpy.concatenate([ends.min(-2), ends.max(-2)], -1)
    n = shape[-2]
    made[:, n // 2] = made[:, 0]
    made[0, 2] = made[0, 2, [2, 1, 0, 3]]
    made[1, 1] = 0
    return made


def inputs_of(inputs, draw):
    made, side = {}, max((extents(i[2])[-1] for i in inputs if i[4] == "image"), default=24)
    for _, dtype, dims, classes, name in inputs:
        shape = [2] + extents(dims)
        made[name] = (boxes_of(shape, draw, side) if name in ("boxes", "proposals") and dtype == "f32" else
                      draw.integers(0, int(classes or 2), shape).astype(numpy.int32) if dtype == "i32" else
                      draw.integers(0, 256, shape).astype(numpy.uint8) if dtype == "u8" else
                      draw.standard_normal(shape, numpy.float32))
    return made


def folder_of(name, text, level):
    folder = os.path.join(work, name)
    os.makedirs(folder, exist_ok=True)
    for file in re.findall(r'"([^"]*)"', text):
        if os.path.exists(f"{top}/tests/ops/{file}"):
            shutil.copy(f"{top}/tests/ops/{file}", folder)
    build(folder, text, level)
    draw = numpy.random.default_rng(5)
    weights, inputs = graph(folder + "/net.nn")
    save(folder + "/w.safetensors", random_weights(weights, draw, GAIN.get(name, 1.5)))
    data = inputs_of(inputs, draw)
    save(folder + "/data.safetensors", data)
    return folder, data


def comes_back(name, path):
    """Imported from its own export, it is the same graph, with the same weights where they were: those that the prediction needs."""
    text = smaller(name, open(path).read())
    folder, _ = folder_of(name, prepared(text), None)
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
    want, = run_onnx(folder + "/net.onnx", data).values()
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
    have, = predicted(again)
    error = numpy.abs(have - want.reshape(have.shape)).max() / numpy.abs(want).max()
    result(error < 1e-5, f"{name}, imported from its own export, has the same outputs", f"{error:g} of the largest")


def apart(name, path):
    """Weights in a file of their own give the same."""
    folder, data = folder_of(name, prepared(open(path).read()), None)
    exported(folder)
    inside, = run_onnx(folder + "/net.onnx", data).values()
    exported(folder, "--external-data")
    size = os.path.getsize(folder + "/net.onnx.data")
    outside, = run_onnx(folder + "/net.onnx", data).values()
    result(size > 100000 and (outside == inside).all(),
           f"{name} has the same outputs with its weights apart", f"{size} bytes")


def spec(name, path):
    with open(path) as f:
        text = smaller(name, f.read())
    if name in RANDOM:
        folder, data = folder_of(name, prepared(text), None)
        exported(folder)
        got = run_onnx(folder + "/net.onnx", data)
        result(all(numpy.isfinite(v).all() for v in got.values()), f"{name} runs", got)
        if not RANDOM[name]:
            return
        text = given(name, text)
    folder, data = folder_of(name, prepared(text), "-O0" if "/ops/" in path else "-O1")
    said = exported(folder)
    got = run_onnx(folder + "/net.onnx", data)
    names = named(text)
    if names:
        result(list(got)[-len(names):] == names, f"{name} has the outputs that its spec names", f"{list(got)}, {names}")
    same(folder, name, got, names, said)


def in_order(got, want):
    """What is found by ONNX Runtime as the program has it: of rows with scores that are alike to 1e-5 either may be first."""
    for i, (mine, theirs) in enumerate(zip(got["found.sure"], want["found.sure"])):
        left, order = list(range(len(mine))), []
        for score, what, box in zip(theirs, want["found.what"][i], want["found"][i]):
            order.append(min(left, key=lambda j: numpy.abs(got["found"][i][j] - box).max() +
                             1e9 * (abs(mine[j] - score) > 1e-5 or got["found.what"][i][j] != what)))
            left.remove(order[-1])
        for rows in got.values():
            rows[i] = rows[i][order]


def same(folder, name, got, names, said):
    """Each output, which goes by one of the names or is what the first loss reads."""
    wanted = dict(zip(got, predicted(folder, [output if output in names else "" for output in got])))
    if "found" in got:
        in_order(got, wanted)
    for output, want in wanted.items():
        size = numpy.abs(want).max()
        error = numpy.abs(got[output].reshape(want.shape) - want).max() / size if size > 0 else numpy.inf
        result(error < 1e-5 and size > 1e-3, f"{name}, {output} in ONNX Runtime is what --predict writes",
               f"{error:g} of the largest number, {size:g}\n{said}")
        print(f"# {name}, {output}: {error:g}; {said.strip()}")


ODD = """network odd {
  input  raw    : f32[12, 4]
  input  scores : f32[12]
  input  groups : class[3, 12]
  input  x      : f32[5, 9, 11]
  input  y      : f32[5, 5, 6]
  target t      : f32[12]

  # what is below -90 becomes no number
  boxes  = where(raw < -90, log(raw), raw)
  sure   = where(scores < -90, log(scores), scores)
  order  = (top_k(sure, 9)) -> cast
  rows   = (nms(boxes, sure, 7, 0.3)) -> cast
  apart  = (nms(boxes, sure, groups, 9, 0.1)) -> cast
  boxed  = raw -> take(nms(boxes, sure, 7, 0.3))
  near   = anchors((6, 11), 4, (0.5, 1, 2), map=(5, 6))
  plain  = (match(boxes, near, high=0.4, low=0.2)) -> cast
  forced = (match(boxes, near, high=0.6, low=0.2, force=true)) -> cast
  each   = (match(boxes, near, high=0.6, each=true)) -> cast
  own    = (match(boxes, boxes, high=0.6, force=true)) -> cast
  twos   = roi_align(boxes, x, (2, 3), 1/2)
  many   = roi_align(boxes, x, 3, 1/2, points=0)
  half   = roi_align(boxes, x, 3, 1/2, points=0, aligned=true)
  levels = roi_align(boxes, x, y, 2, (1/2, 1/4), canonical=32)
  most   = roi_pool(boxes, x, (2, 3), 1/2)
  loss mse(scores, t)
}
validate {
  batch 2
  data safetensors("data.safetensors")
  predict order, rows, apart, boxed, plain, forced, each, own, twos, many, half, levels, most
}
"""


def odd():
    """Boxes and scores that are alike, no numbers, without an area, turned, far away and on edges: exactly as here."""
    draw = numpy.random.default_rng(7)
    raw = boxes_of((2, 12, 4), draw)
    raw[0, 3], raw[0, 4, 1], raw[0, 5], raw[1, 7] = -99, -99, [-80, -80, 90, 90], [0, 0, 22, 18]
    raw[:, 9], raw[:, 10] = [4, 4, 12, 12], [12, 4, 20, 12]
    scores = draw.integers(-2, 3, (2, 12)).astype(numpy.float32)
    scores[0, 2] = scores[0, 7] = -99
    data = {"raw": raw, "scores": scores, "groups": draw.integers(0, 3, (2, 12)).astype(numpy.int32),
            "x": draw.standard_normal((2, 5, 9, 11), numpy.float32), "y": draw.standard_normal((2, 5, 5, 6), numpy.float32)}
    folder = os.path.join(work, "odd")
    build(folder, ODD, "-O0")
    save(folder + "/w.safetensors", {})
    save(folder + "/data.safetensors", dict(data, t=numpy.zeros((2, 12), numpy.float32)))
    said = exported(folder)
    got = {k: v for k, v in run_onnx(folder + "/net.onnx", data).items() if k in named(ODD)}
    result(len(got) == 13, "13 outputs of odd boxes", list(got))
    same(folder, "odd boxes", got, named(ODD), said)


def every():
    """Networks by name, and their files."""
    return {f[:-3]: f"{top}/{folder}/{f}" for folder in ("tests/ops", "specs") for f in sorted(os.listdir(top + "/" + folder))
            if f.endswith(".nn")}


def chosen(known):
    """Those that are named, or small ones, or with EXTENDED all."""
    if sys.argv[2:]:
        return sys.argv[2:]
    return list(known) if os.environ.get("EXTENDED") else QUICK


known = every()
here = {name for name, path in known.items() if "/specs/" in path}
result(here == set(SPECS), "every network of specs/ is to be run", here ^ set(SPECS))
wrong = computes.check(work, stowage)
result(not wrong, "graphs are told apart, and not by how they are spelled", "\n".join(wrong))
if not sys.argv[2:]:
    odd()
for name in ("dlrm", "tinyllama") if not sys.argv[2:] else ():
    comes_back(name, f"{top}/specs/{name}.nn")
for name, text in MORE.items() if not sys.argv[2:] else []:
    with open(f"{work}/{name}.nn", "w") as f:
        f.write(text)
    comes_back(name, f"{work}/{name}.nn")
    computes_again(name, f"{work}/{name}.nn")
for name in chosen(known):
    path = known[name]
    for check in [spec] + ([comes_back] if name in SAME else []) + ([apart] if name in APART else []) + (
            [computes_again] if name in AGAIN else []):
        try:
            check(name, path)
        except MemoryError as e:
            skip(f"{name}, {check.__name__}", e)
        except Exception as e:
            result(False, f"{name}, {check.__name__}", f"{type(e).__name__}: {e}")
tap.done()
