#!/usr/bin/env python3
"""How long the linter takes: to start, over many files, over long ones, and over nothing but errors.

    bench/lint.py [--stowage ./stowage] [--ruff ruff] [--runs 7] [--keep FOLDER]

The inputs are made anew, always the same ones: 300 networks of 80 to 100 lines, of seven kinds, no
two alike, each with what trains and validates it and a device; libraries of blocks of up to 20 MB;
100,000 lines with a syntax error each, with a finding each, and with a finding and the comment that
allows it. The least wall time of several runs is printed, since other work on the machine only ever
adds, and the least processor time, user and system.

Where ruff (Python's linter, written in Rust) is found, it checks as many Python files of that length,
and one of 10 MB: with its usual rules and without its cache. It knows no shapes and plans no memory,
but it is what people call fast.
"""
import argparse
import os
import random
import resource
import shutil
import statistics
import subprocess
import tempfile
import time

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
parser.add_argument("--stowage", default="./stowage")
parser.add_argument("--ruff", default=shutil.which("ruff"))
parser.add_argument("--runs", type=int, default=7)
parser.add_argument("--keep", metavar="FOLDER", help="leave the inputs there")
args = parser.parse_args()

FILES = 300
SIZES = (1, 2.5, 5, 10, 20)     # MB
MANY = 100_000


# ---- networks ----
#
# Each kind returns the lines of a spec. They are written as people write them: a layer or a few on a
# line, blocks where something repeats, a comment here and there.

def head(title, rng):
    return [f"# {title}", f"# Variant {rng.randrange(10 ** 6)}, made for bench/lint.py.", ""]


def sections(rng, batch, extra=()):
    optimizer = rng.choice(["adam(lr=1e-3)", "sgd(lr=0.05, momentum=0.9)",
                            "adamw(lr=3e-4, weight_decay=0.01)", "sgd(lr=0.1, momentum=0.9, "
                            "weight_decay=1e-4)"])
    return ["train {", f"  batch     {batch}", f"  epochs    {rng.choice([10, 30, 90])}",
            f"  optimizer {optimizer}", "  schedule  cosine(warmup=2 epochs)", *extra,
            f"  data      synthetic(samples={batch * 40})", "}",
            "validate {", f"  batch {batch}", f"  data  synthetic(samples={batch * 4})", "}",
            "device {", f"  name \"{rng.choice(['RTX 3090', 'RTX 4090', 'A100 80GB'])}\"", "}"]


def classifier(name, size, classes, body, last, channels=3):
    return [f"network {name} {{", f"  input  image : f32[{channels}, {size}, {size}]",
            f"  target label : class[{classes}]", "", *body,
            f"  logits = {last} -> global_avgpool -> flatten -> fc: dense({classes})", "",
            "  loss   cross_entropy(logits, label)", "  metric accuracy(logits, label)", "}"]


def plain(rng, k):
    """One convolution after the other, as VGG has them."""
    lines = head("Plain convolutions, each with batch norm", rng)
    body, last, width, size = [], "image", rng.choice([32, 48, 64]), rng.choice([160, 192, 224])
    for stage in range(5):
        body.append(f"  # stage {stage}: {width} channels")
        for layer in range(rng.choice([3, 4])):
            body += [f"  conv{stage}_{layer} = {last}",
                     f"          -> conv({width}, 3, pad=1, bias=false)",
                     "          -> batchnorm -> relu"]
            last = f"conv{stage}_{layer}"
        body.append(f"  pool{stage} = {last} -> maxpool(2)")
        last, width = f"pool{stage}", min(2 * width, 512)
    return lines + classifier(f"plain_{k}", size, rng.choice([10, 100, 1000]), body, last) + \
        sections(rng, rng.choice([16, 32]))


def residual(rng, k):
    """Residual blocks, basic ones or bottlenecks, each on its own line."""
    lines = head("A residual network with its own number of blocks a stage", rng)
    deep = rng.random() < 0.5
    wide = 4 if deep else 1
    lines += ["param classes = 1000", "",
              "# A projection only where the shape changes.", "block unit(width, stride=1) {"]
    if deep:
        lines += ["  thin = in -> conv(width, 1, bias=false) -> batchnorm -> relu",
                  "  seen = thin -> conv(width, 3, stride=stride, pad=1, bias=false)",
                  "              -> batchnorm -> relu",
                  "  main = seen -> conv(4 * width, 1, bias=false) -> batchnorm"]
    else:
        lines += ["  seen = in -> conv(width, 3, stride=stride, pad=1, bias=false)",
                  "            -> batchnorm -> relu",
                  "  main = seen -> conv(width, 3, pad=1, bias=false) -> batchnorm"]
    lines += [f"  skip = if stride != 1 or channels(in) != {wide} * width",
              f"         then in -> conv({wide} * width, 1, stride=stride, bias=false) -> batchnorm",
              "         else in", "  out  = main + skip -> relu", "}", ""]
    body = ["  stem = image -> conv(64, 7, stride=2, pad=3, bias=false)",
            "               -> batchnorm -> relu", "               -> maxpool(3, stride=2, pad=1)"]
    last = "stem"
    for stage in range(4):
        width = 64 << stage
        body += ["", f"  # {width} channels"]
        for unit in range(rng.choice([3, 4, 5])):
            stride = ", stride=2" if stage and not unit else ""
            body += [f"  unit{stage}_{unit} = {last}", f"          -> unit({width}{stride})"]
            last = f"unit{stage}_{unit}"
    return lines + classifier(f"residual_{k}", 224, "classes", body, last) + \
        sections(rng, rng.choice([16, 32, 64]))


def mobile(rng, k):
    """Depthwise separable convolutions."""
    lines = head("Depthwise convolutions, each with a pointwise one behind it", rng)
    lines += ["param classes = 1000", "",
              "block separable(width, stride=1) {",
              "  deep = in -> conv(channels(in), 3, stride=stride, pad=1, groups=channels(in),",
              "                    bias=false)",
              "            -> batchnorm -> relu",
              "  out  = deep -> conv(width, 1, bias=false)", "              -> batchnorm -> relu",
              "}", ""]
    body = ["  stem = image -> conv(32, 3, stride=2, pad=1, bias=false)",
            "               -> batchnorm -> relu"]
    last, width = "stem", 32
    for layer in range(rng.choice([11, 13, 15])):
        stride = layer in (1, 3, 5, 11)
        width = min(width * (2 if stride or not layer else 1), 1024)
        body += ["", f"  # layer {layer}" + (", half the size" if stride else ""),
                 f"  sep{layer} = {last}",
                 f"        -> separable({width}{', stride=2' if stride else ''})"]
        last = f"sep{layer}"
    return lines + classifier(f"mobile_{k}", 224, "classes", body, last) + \
        sections(rng, rng.choice([32, 64]))


def dense_concat(rng, k):
    """DenseNet: every layer reads all that came before it in its stage."""
    growth = rng.choice([12, 16, 24])
    lines = head("Densely connected stages", rng)
    lines += ["# What is new is put beside all that was there.", "block grow(growth) {",
              "  thin = in -> batchnorm -> relu", "            -> conv(4 * growth, 1, bias=false)",
              "  new  = thin -> batchnorm -> relu",
              "              -> conv(growth, 3, pad=1, bias=false)", "  out  = concat(in, new)",
              "}", "", "block transition {", "  out = in -> batchnorm -> relu",
              "           -> conv(floor(channels(in) / 2), 1, bias=false)",
              "           -> avgpool(2)", "}", ""]
    body, last = ["  stem = image -> conv(32, 3, pad=1, bias=false)"], "stem"
    for stage in range(3):
        body += ["", f"  # stage {stage}"]
        for layer in range(rng.choice([5, 6, 7])):
            body += [f"  grow{stage}_{layer} = {last}", f"           -> grow({growth})"]
            last = f"grow{stage}_{layer}"
        if stage < 2:
            body.append(f"  down{stage} = {last} -> transition")
            last = f"down{stage}"
    body += [f"  final = {last} -> batchnorm -> relu"]
    return lines + classifier(f"dense_{k}", 32, rng.choice([10, 100]), body, "final") + \
        sections(rng, rng.choice([64, 128]))


def unet(rng, k):
    """A U-Net whose levels are written out."""
    depth, width, size = rng.choice([4, 5]), rng.choice([16, 32, 48]), rng.choice([256, 384])
    classes = rng.choice([2, 4, 21])
    lines = head(f"A U-Net of {depth} levels, written out", rng)
    lines += ["block double_conv(width) {",
              "  one = in  -> conv(width, 3, pad=1, bias=false) -> batchnorm -> relu",
              "  out = one -> conv(width, 3, pad=1, bias=false) -> batchnorm -> relu", "}", "",
              f"network unet_{k} {{", f"  input  image : f32[3, {size}, {size}]",
              f"  target cell  : class[{classes}, {size}, {size}]", ""]
    last = "image"
    for level in range(depth):
        lines += ["", f"  # down, level {level}",
                  f"  enc{level}  = {last}", f"         -> double_conv({width << level})",
                  f"  down{level} = enc{level}", "         -> maxpool(2)"]
        last = f"down{level}"
    lines += ["", "  # the bottom", f"  deep = {last}", f"         -> double_conv({width << depth})"]
    last = "deep"
    for level in reversed(range(depth)):
        lines += ["", f"  # up, level {level}",
                  f"  up{level}  = {last}", f"         -> conv_transpose({width << level}, 2, stride=2)",
                  f"  both{level} = concat(enc{level}, up{level})",
                  f"  dec{level} = both{level}", f"         -> double_conv({width << level})"]
        last = f"dec{level}"
    lines += ["", f"  logits = {last} -> head: conv({classes}, 1)", "",
              "  loss   cross_entropy(logits, cell)", "  metric accuracy(logits, cell)", "}"]
    return lines + sections(rng, rng.choice([2, 4, 8]))


def perceptron(rng, k):
    """Dense layers on rows of a table."""
    features, classes = rng.choice([64, 256, 1024]), rng.choice([2, 8, 10])
    lines = head(f"A perceptron on {features} features", rng)
    lines += [f"network mlp_{k} {{", f"  input  row   : f32[{features}]",
              f"  target label : class[{classes}]", ""]
    last, act = "row", rng.choice(["relu", "gelu", "silu"])
    for layer in range(rng.choice([18, 20, 22])):
        width = rng.choice([256, 512, 768])
        lines += [f"  # layer {layer}, {width} wide", f"  hidden{layer} = {last}",
                  f"          -> dense({width}) -> {act}"]
        last = f"hidden{layer}"
    lines += ["", f"  logits = {last} -> dropout(0.2) -> dense({classes})", "",
              "  loss   cross_entropy(logits, label)", "  metric accuracy(logits, label)", "}"]
    return lines + sections(rng, rng.choice([128, 256, 512]))


def autoencoder(rng, k):
    """Down to a code and back, held against its own input."""
    width, size = rng.choice([16, 24, 32]), rng.choice([128, 256])
    depth = rng.choice([5, 6])
    lines = head("A convolutional autoencoder", rng)
    lines += ["block down(width) {", "  out = in -> conv(width, 3, stride=2, pad=1, bias=false)",
              "           -> batchnorm -> silu", "}", "", "block up(width) {",
              "  out = in -> conv_transpose(width, 2, stride=2, bias=false)",
              "           -> batchnorm -> silu", "}", "", f"network auto_{k} {{",
              f"  input image : f32[3, {size}, {size}]", ""]
    last = "image"
    for level in range(depth):
        lines += [f"  # level {level}, {width << level} channels",
                  f"  down{level} = {last} -> down({width << level})",
                  f"  seen{level} = down{level}",
                  f"          -> conv({width << level}, 3, pad=1, bias=false)",
                  "          -> batchnorm -> silu"]
        last = f"seen{level}"
    for level in reversed(range(depth)):
        lines += [f"  up{level}   = {last} -> up({width << level})",
                  f"  made{level} = up{level}",
                  f"          -> conv({width << level}, 3, pad=1, bias=false)",
                  "          -> batchnorm -> silu"]
        last = f"made{level}"
    lines += ["", f"  again = {last} -> picture: conv(3, 1)", "", "  loss mse(again, image)", "}"]
    return lines + sections(rng, rng.choice([16, 32, 64]))


KINDS = [plain, residual, mobile, dense_concat, unet, perceptron, autoencoder]


def network(k):
    return "\n".join(KINDS[k % len(KINDS)](random.Random(1000003 + k), k)) + "\n"


# ---- the other inputs ----

def library(size):
    """Blocks, each of which is like one in a residual network, of SIZE bytes or a little more."""
    rng, parts, n = random.Random(7), [], 0
    while n < size:
        extra, act = rng.choice([32, 64, 96]), rng.choice(["relu", "gelu", "silu"])
        parts.append(f"""# unit {len(parts)}: two convolutions beside a shortcut
block unit{len(parts)}(width, stride=1, rate=0.{rng.randrange(1, 5)}) {{
  one  = in  -> conv(width, 3, stride=stride, pad=1, bias=false) -> batchnorm -> {act}
  two  = one -> conv({extra} + width, 3, pad=1, bias=false) -> batchnorm
  skip = if stride != 1 or channels(in) != {extra} + width
         then in -> conv({extra} + width, 1, stride=stride, bias=false) -> batchnorm
         else in
  out  = two + skip -> {act} -> dropout(rate)
}}

""")
        n += len(parts[-1])
    return "".join(parts)


def python(k, size):
    """Python of about SIZE bytes: small functions of ordinary statements."""
    rng, parts, n = random.Random(k), ['"""Made for bench/lint.py."""\nimport math\n\n'], 0
    while n < size:
        i, a = len(parts), rng.choice(["sin", "cos", "sqrt"])
        parts.append(f"""
def value{i}(width, stride=1, rate=0.{rng.randrange(1, 5)}):
    \"\"\"What unit {i} makes of a width.\"\"\"
    one = [math.{a}(x * stride) for x in range(width)]
    two = {{x: y + {rng.randrange(100)} for x, y in enumerate(one) if y > rate}}
    if stride != 1 or len(two) != width:
        skip = max(two.values(), default=0) / ({rng.randrange(1, 9)} + width)
    else:
        skip = sum(one)
    return skip if skip > rate else len(two)

""")
        n += len(parts[-1])
    return "".join(parts)


def errors():
    lines = "".join(f"  a{i} = = conv(3,\n" for i in range(MANY))
    return f"network x {{\n{lines}}}\n"


def findings(allowed):
    comment = "# stowage: allow(shadowed-name) made for the bench\n" if allowed else ""
    return "param width = 8\n" + "".join(
        f"{comment}block b{i}(width) {{ out = in -> conv(width, 3) }}\n" for i in range(MANY))


def make(folder):
    def write(name, text):
        with open(f"{folder}/{name}", "w") as f:
            f.write(text)

    os.makedirs(f"{folder}/networks")
    os.makedirs(f"{folder}/python")
    for k in range(FILES):
        write(f"networks/n{k:03}.nn", network(k))
        write(f"python/p{k:03}.py", python(k, 2600))
    for size in SIZES:
        write(f"library{size}.nn", library(int(size * 1e6)))
    write("library10.py", python(0, 10_000_000))
    write("errors.nn", errors())
    write("findings.nn", findings(False))
    write("allowed.nn", findings(True))
    for name in ["networks", *(f"library{size}.nn" for size in SIZES)]:
        subprocess.run([args.stowage, "fmt", f"{folder}/{name}"], check=True)


# ---- timing ----

def run(command, runs):
    """The least wall time and the least processor time in seconds; the bytes printed; the status."""
    wall, cpu = [], []
    for _ in range(runs):
        with tempfile.TemporaryFile() as out:
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            status = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT).returncode
            wall.append(time.perf_counter() - start)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
            printed = os.fstat(out.fileno()).st_size
    return min(wall), min(cpu), printed, status


def row(what, command, size=None, runs=None, expect=0):
    wall, cpu, printed, status = run(command, runs or args.runs)
    assert status == expect, f"{command}: status {status}, expected {expect}"
    rate = f"{size / 1e6 / cpu:.1f}" if size else ""
    print(f"| {what} | {1000 * wall:,.1f} | {1000 * cpu:,.1f} | {rate} | {printed:,} |", flush=True)


def table(folder):
    stowage, ruff = args.stowage, args.ruff
    lines = [sum(1 for _ in open(f"{folder}/networks/n{k:03}.nn")) for k in range(FILES)]
    print(f"{FILES} networks of {min(lines)} to {max(lines)} lines, "
          f"{statistics.mean(lines):.0f} on average\n")
    print("| what | wall ms | CPU ms | MB/s of CPU | bytes printed |\n|---|---|---|---|---|")
    row("start: stowage --version", [stowage, "--version"], runs=10 * args.runs)
    row(f"stowage lint, {FILES} networks", [stowage, "lint", f"{folder}/networks"])
    row("the same, -J 1", [stowage, "lint", "-J", "1", f"{folder}/networks"])
    for size in SIZES:
        path = f"{folder}/library{size}.nn"
        row(f"stowage lint, {size} MB", [stowage, "lint", path], os.path.getsize(path))
    for size in SIZES:
        path = f"{folder}/library{size}.nn"
        row(f"stowage fmt --check, {size} MB", [stowage, "fmt", "--check", path],
            os.path.getsize(path))
    row(f"{MANY:,} syntax errors", [stowage, "lint", f"{folder}/errors.nn"], expect=1)
    row(f"{MANY:,} findings", [stowage, "lint", f"{folder}/findings.nn"])
    row(f"{MANY:,} findings, all allowed", [stowage, "lint", f"{folder}/allowed.nn"])
    if not ruff:
        return
    row("start: ruff --version", [ruff, "--version"], runs=10 * args.runs)
    check = [ruff, "check", "--isolated", "--no-cache", "--quiet"]
    row(f"ruff check, {FILES} files", [*check, f"{folder}/python"])
    row("ruff check, 10 MB", [*check, f"{folder}/library10.py"],
        os.path.getsize(f"{folder}/library10.py"))
    row("ruff format --check, 10 MB", [ruff, "format", "--isolated", "--no-cache", "--check",
        "--quiet", f"{folder}/library10.py"], os.path.getsize(f"{folder}/library10.py"), expect=1)


if args.keep:
    make(args.keep)
    table(args.keep)
else:
    with tempfile.TemporaryDirectory() as made:
        make(made)
        table(made)
