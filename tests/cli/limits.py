"""What commands take for specs that ask for as much as a file of a megabyte may, each of one thing very often.

Of what is planned there are as many operators as a file may have (USUAL_OPERATORS, lang/expand.h), or nearly.

    limits.py                 the names of all shapes, and of models to import
    limits.py STOWAGE NAME    runs every command on that shape; fails above the limits

Promised are about two seconds of one processor and 500 MB. A machine that does other things beside needs more time, so
twice that much is allowed; memory is what it is. stowage fit, which plans several batches, has twice as much as others.
"""
import json
import os
import random
import resource
import subprocess
import sys

SECONDS, BYTES = 2, 500_000_000
BUSY = 2
HEAD = "input x : f32[4] target y : class[2]\n"
TRAIN = "train { batch 8  data synthetic(64) }\n"


def net(body, head=HEAD, last="h -> dense(2)"):
    return f"network n {{\n{head}{body}\nloss cross_entropy({last}, y)\n}}\n"


def copies(n, layers):
    return net(f"h = x -> dense(16) -> {n} * ({layers})") + TRAIN


def chain(n, layer, then=""):
    return "\n".join(f"a{i} = {f'a{i - 1}' if i else 'x'} -> {layer(i)}" for i in range(n)) + f"\nh = a{n - 1}{then}"


def lines(n, line):
    return "\n".join(line(i) for i in range(n))


def joined(names, sign=" + "):
    """A sum of them all, a hundred in a line."""
    text, k = "", 0
    while len(names) > 1:
        parts = [names[i:i + 100] for i in range(0, len(names), 100)]
        text += "".join(f"s{k + i} = {sign.join(p)}\n" for i, p in enumerate(parts))
        names = [f"s{k + i}" for i in range(len(parts))]
        k += len(parts)
    return text + f"h = {names[0]}"


def widths(n):
    r = random.Random(1)
    return [1 + r.randrange(64) for _ in range(n)]


IMAGE = "a = x -> reshape(1, 2, 2) -> upsample(16) -> "
BF16 = "train { batch 8  precision bf16  optimizer adam(lr=1e-3)  data synthetic(64) }\nvalidate { data synthetic(64) }\n"
RESIDUAL = "block r { out = in + (in -> dense(16) -> relu -> dense(16)) }\n"
TRANSFORMER = ("block t { m = in + (in -> layernorm -> attention(2) -> dropout(0.1))\n"
               "out = m + (m -> layernorm -> dense(8) -> gelu -> dense(4)) }\n")
NESTED = "".join(f"block b{i} {{ out = in -> 2 * b{i + 1} }}\n" for i in range(12)) + "block b12 { out = in -> dense(4) }\n"


def residual(budget):
    """ResNet-152 within a budget that it can keep, or that none keeps but by hardly anything."""
    return ('use "std/vision.nn"\nnetwork n {\ninput image : f32[3, 224, 224]\ntarget label : class[1000]\n'
            "h = image -> conv(64, 7, stride=2, pad=3, bias=false) -> batchnorm -> relu -> maxpool(3, stride=2, pad=1)\n"
            "  -> 3 * bottleneck(64) -> bottleneck(128, 2) -> 7 * bottleneck(128) -> bottleneck(256, 2)\n"
            "  -> 35 * bottleneck(256) -> bottleneck(512, 2) -> 2 * bottleneck(512) -> global_avgpool -> flatten\n"
            "loss cross_entropy(h -> dense(1000), label)\n}\n"
            f"train {{ batch 32 optimizer sgd(lr=0.1, momentum=0.9) recompute auto({budget}) data synthetic(64) }}\n")


def unet(levels):
    return net("e0 = x -> dense(16)\n" + lines(levels, lambda i: f"e{i + 1} = e{i} -> 2 * (dense(16) -> sigmoid)") +
               f"\nd{levels} = e{levels} -> dense(16)\n" +
               lines(levels, lambda i: f"d{levels - 1 - i} = concat(d{levels - i}, e{levels - 1 - i}) "
                                       "-> 2 * (dense(16) -> sigmoid)") + "\nh = d0")


def settings(text):
    return "train { batch 8  data synthetic(64)  " + text + " }\n"


SHAPES = {
    # layers
    "dense": lambda: net(chain(4990, lambda i: "dense(4)")) + TRAIN,
    "dense-widths": lambda: net(chain(4990, lambda i, w=widths(4990): f"dense({w[i]})")) + TRAIN,
    "dense-batchnorm-gelu": lambda: copies(1660, "dense(16) -> batchnorm -> gelu"),
    "bf16": lambda: net("h = x -> 1660 * (dense(16) -> batchnorm -> gelu)") + BF16,
    "batchnorm": lambda: copies(4990, "batchnorm"),
    "layernorm": lambda: copies(4990, "layernorm"),
    "gelu": lambda: copies(4990, "gelu"),
    "relu-tanh": lambda: copies(2490, "relu -> tanh"),
    "softmax": lambda: copies(4990, "softmax"),
    "dropout": lambda: copies(4990, "dropout(0.1)"),
    "reshape": lambda: net("h = x -> 2490 * (reshape(2, 2) -> flatten)") + TRAIN,
    "conv": lambda: net(IMAGE + "4980 * conv(8, 3, pad=1)\nh = a -> flatten") + TRAIN,
    "conv-widths": lambda: net(chain(4980, lambda i, w=widths(4980): f"conv({8 + w[i] % 4 * 8}, 3, pad=1)" if i else
                                     "reshape(1, 2, 2) -> upsample(16)", " -> flatten")) + TRAIN,
    "conv-batchnorm-relu": lambda: net(IMAGE + "1650 * (conv(8, 3, pad=1) -> batchnorm -> relu)\nh = a -> flatten") + TRAIN,
    "pool": lambda: net(IMAGE + "2490 * (maxpool(2) -> upsample(2))\nh = a -> flatten") + TRAIN,
    "residual": lambda: copies(1240, "r") + RESIDUAL,
    "transformer": lambda: net("h = x -> dense(16) -> reshape(4, 4) -> 300 * t -> flatten") + TRANSFORMER + TRAIN,
    "attention": lambda: net("h = x -> dense(16) -> reshape(4, 4) -> 500 * attention(2) -> flatten") + TRAIN,
    "scans": lambda: net("h = x -> dense(40) -> reshape(10, 4) -> 400 * s -> flatten") + TRAIN +
    "block s { out = (in, zeros(4)) -> scan(b) }\nblock b { input x, h\nout = concat(x, h) -> dense(4) -> tanh }\n",
    "scan-million": lambda: "block b { input x, h\nout = concat(x, h) -> dense(4) -> tanh }\n"
    "network n {\ninput x : f32[1000000, 4]\ntarget y : f32[1000000, 4]\nloss mse((x, zeros(4)) -> scan(b), y)\n}\n" + TRAIN,
    "lstm": lambda: net("h = x -> dense(16) -> reshape(4, 4) -> 800 * lstm(4) -> flatten") + TRAIN,
    "local": lambda: "network n {\ninput x : f32[1, 2, 5000]\ntarget y : f32[1]\n" + lines(600, lambda i:
                                                                  f"a{i} = x -> conv(4, (2, 1)) -> local(1, (1, 1))\n"
                                                                  f"loss mse(a{i} -> flatten -> dense(1), y)") + "\n}\n" +
    TRAIN.replace("batch 8", "batch 32") + "device { memory 10GB }\n",
    # how they hang together
    "branches": lambda: net(lines(4900, lambda i: f"a{i} = x -> dense(4)") + "\nh = concat(" +
                            ", ".join(f"a{i}" for i in range(4900)) + ")") + TRAIN,
    "dense-blocks": lambda: net("h = x -> 300 * d") + "block d { out = concat(in, in -> dense(4) -> relu) }\n" + TRAIN,
    "fan": lambda: net("a = x -> dense(4)\n" + lines(2440, lambda i: f"b{i} = a -> dense(4)") + "\n" +
                       joined([f"b{i}" for i in range(2440)])) + TRAIN,
    "diamonds": lambda: net(lines(1640, lambda i: f"a{i} = (a{i - 1} -> dense(16)) + (a{i - 1} -> dense(16))" if i else
                                  "a0 = x -> dense(16)") + "\nh = a1639") + TRAIN,
    "skips": lambda: net(chain(1640, lambda i: "dense(4) -> relu") + "\n" +
                         lines(800, lambda i: f"k{i} = a{i} + a{1639 - i}") + "\n" +
                         joined([f"k{i}" for i in range(800)]).replace("h = ", "g = "), last="g -> dense(2)") + TRAIN,
    "slices": lambda: net("a = x -> dense(5000)\n" + lines(4900, lambda i: f"b{i} = a[{i}:{i + 1}]") + "\nh = concat(" +
                          ", ".join(f"b{i}" for i in range(4900)) + ")") + TRAIN,
    "sum": lambda: net(joined(["x"] * 4900)) + TRAIN,
    "products": lambda: net(joined([f"{i} * x" for i in range(2440)])) + TRAIN,
    "shared": lambda: net("a0 = x -> l: dense(4)\n" + lines(4900, lambda i: f"a{i + 1} = a{i} -> l") +
                          "\nh = a4900") + TRAIN,
    "shared-norm": lambda: net("a0 = x -> dense(64) -> l: dense(64) -> n: layernorm -> gelu\n" +
                               lines(1200, lambda i: f"a{i + 1} = a{i} -> l -> n -> gelu") + "\nh = a1200") + TRAIN,
    "parameters": lambda: net(lines(2440, lambda i: f"p{i} = parameter(4)") + "\n" +
                              joined(["x"] + [f"p{i}" for i in range(2440)])) + TRAIN,
    "nested": lambda: net("h = x -> b0") + NESTED + TRAIN,
    "recursion": lambda: net("h = x -> b(24)") + TRAIN +
    "block b(n) { out = if n == 0 then in else in -> 199 * dense(4) -> b(n - 1) }\n",
    "inputs": lambda: "network n {\n" + lines(4900, lambda i: f"input x{i} : f32[4]") + "\ntarget y : class[2]\n" +
    "loss cross_entropy(concat(" + ", ".join(f"x{i}" for i in range(4900)) + ") -> dense(2), y)\n}\n" + TRAIN,
    "targets": lambda: "network n {\ninput x : f32[4]\n" + lines(1600, lambda i: f"target t{i} : class[2]\n"
                                                                f"loss cross_entropy(x -> dense(2), t{i})") + "\n}\n" + TRAIN,
    "losses": lambda: "network n {\ninput x : f32[4]\n" + lines(1200, lambda i: f"a{i} = x -> dense(4)\nb{i} = x -> dense(4)\n"
                                                               f"loss mse(a{i}, b{i})") + "\n}\n" + TRAIN,
    "metrics": lambda: net("h = x -> dense(2)\n" + "metric accuracy(h -> dense(2), y)\n" * 2400) + TRAIN,
    "networks": lambda: lines(1200, lambda i: f"network n{i} {{ input x : f32[8] target y : class[4] "
                              "a = x -> dense(8) -> relu -> dense(4) loss cross_entropy(a, y) }") + "\n" + TRAIN,
    "small-networks": lambda: lines(4990, lambda i: f"network n{i} {{ input x : f32[1] h = x -> relu }}") + "\n",
    # settings
    "accumulate": lambda: net("h = x -> 4990 * dense(4)") + settings("optimizer adam(lr=0.001) clip 1.0 accumulate 4"),
    "freeze": lambda: net(chain(4900, lambda i: "dense(4)")) + settings("freeze " + ", ".join(f"a{i}" for i in range(4900))),
    "recompute": lambda: net(chain(4900, lambda i: "dense(4)")) +
    settings("recompute " + ", ".join(f"a{i}" for i in range(4900))),
    "recompute-all": lambda: net(chain(2490, lambda i: "dense(4) -> relu")) + settings("recompute *"),
    "recompute-budget": lambda: net("h = x -> dense(16) -> 2490 * (dense(16) -> sigmoid)") +
    settings(f"recompute auto({2491 * 1088 // 1024 + 4}KiB)"),
    "branches-budget": lambda: net(lines(2400, lambda i: f"a{i} = x -> dense(4) -> sigmoid") + "\nh = concat(" +
                                   ", ".join(f"a{i}" for i in range(2400)) + ")") + settings("recompute auto(1500KiB)"),
    "skips-budget": lambda: SHAPES["skips"]().replace(TRAIN, settings("recompute auto(380KiB)")),
    "unet-budget": lambda: unet(300) + settings("recompute auto(24MiB)").replace("batch 8", "batch 512"),
    "transformer-budget": lambda: net("h = x -> dense(1024) -> reshape(16, 64) -> 300 * t -> flatten") +
    TRANSFORMER.replace("dense(8)", "dense(128)").replace("dense(4)", "dense(64)") + settings("recompute auto(120MiB)"),
    "residual-budget": lambda: residual("1GiB"),
    "residual-least": lambda: residual("700MiB"),
    "residual-thousand": lambda: 'use "std/vision.nn"\nnetwork n {\ninput x : f32[3, 32, 32]\ntarget y : class[10]\n'
    "h = x -> conv(16, 3, pad=1) -> 111 * bottleneck(16) -> bottleneck(32, 2) -> 110 * bottleneck(32) -> bottleneck(64, 2)\n"
    "  -> 110 * bottleneck(64) -> global_avgpool -> flatten\nloss cross_entropy(h -> dense(10), y)\n}\n"
    "train { batch 512  optimizer sgd(lr=0.1, momentum=0.9)  data synthetic(64) }\ndevice { memory 8GiB }\n",
    "small-device": lambda: copies(2490, "dense(16) -> relu") + "device { memory 100KiB }\n",
    # much text, and little to plan
    "unknown-names": lambda: net(lines(30000, lambda i: f"a{i} = zz{i} -> rulu") + "\nh = x") + TRAIN,
    "blocks": lambda: lines(20000, lambda i: f"block b{i} {{ out = in -> relu }}") + "\n" + net("h = x -> dense(8)") + TRAIN,
    "file-parameters": lambda: lines(20000, lambda i: f"param p{i} = {f'p{i - 1} + 1' if i else 1}") + "\n" +
    net("h = x -> dense(8)") + TRAIN,
    "number": lambda: net("h = x -> dense(" + "+".join(["1"] * 50000) + ")") + TRAIN,
    "parentheses": lambda: net("h = " + "(" * 3000 + "x" + ")" * 3000) + TRAIN,
    "data-files": lambda: net("h = x -> dense(8)") +
    "train { batch 8  data csv(" + ", ".join(f'"f{i}.csv"' for i in range(40000)) + ") }\n",
    "trainings": lambda: net("h = x -> dense(8)") + lines(15000, lambda i: f"train t{i} {{ batch 8 data synthetic(64) }}"),
    "devices": lambda: net("h = x -> dense(8)") + TRAIN + lines(30000, lambda i: f"device d{i} {{ memory 1GiB }}"),
    "comments": lambda: net("h = x -> dense(4)") + TRAIN + "# c\n" * 200000,
    # more than may be
    "millions": lambda: net("h = x -> 1000 * (1000 * dense(4))") + TRAIN,
}


# Models, of ONNX and of Keras: what is written of them is what a file may have.


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def number(field, n):
    return varint(field << 3) + varint(n)


def message(field, body):
    body = body.encode() if isinstance(body, str) else body
    return varint(field << 3 | 2) + varint(len(body)) + body


def value(name):
    """Of one sample of four numbers."""
    shape = message(1, number(1, 1)) + message(1, number(1, 4))
    return message(1, name) + message(2, message(1, number(1, 1) + message(2, shape)))


def node(op, ins, out):
    return message(1, b"".join(message(1, i) for i in ins) + message(2, out) + message(4, op))


def weight(name, *shape):
    return message(5, b"".join(number(1, n) for n in shape) + number(2, 1) + message(8, name) +
                   message(9, bytes(4 * (shape[0] * shape[-1] if len(shape) > 1 else shape[0]))))


def onnx(nodes, weights, out):
    graph = b"".join(nodes) + message(2, "n") + b"".join(weights) + message(11, value("x")) + message(12, value(out))
    return number(1, 8) + message(7, graph) + message(8, message(1, "") + number(2, 17))


def before(i, name="a"):
    return f"{name}{i - 1}" if i else "x"


def gemms(n):
    return onnx([node("Gemm", [before(i), f"w{i}", f"b{i}"], f"a{i}") for i in range(n)],
                [weight(f"w{i}", 4, 4) + weight(f"b{i}", 4) for i in range(n)], f"a{n - 1}")


def sums(n):
    nodes = [node("Relu", [before(i)], f"r{i}") + node("Add", [before(i), f"r{i}"], f"a{i}") for i in range(n)]
    return onnx(nodes, [], f"a{n - 1}")


def mirrored(n):
    nodes = [node("Relu", [before(i)], f"a{i}") for i in range(n)]
    nodes += [node("Add", [f"s{i - 1}" if i else f"a{n - 1}", f"a{n - 1 - i}"], f"s{i}") for i in range(n)]
    return onnx(nodes, [], f"s{n - 1}")


def keras(layers, kind="Sequential", **more):
    x = {"class_name": "InputLayer", "name": "x", "inbound_nodes": [],
         "config": {"name": "x", "batch_input_shape": [None, 4], "dtype": "float32"}}
    return json.dumps({"class_name": kind, "config": {"name": "n", "layers": [x] + layers, **more},
                       "keras_version": "2.15.0", "backend": "tensorflow"}).encode()


def layer(kind, name, readers=(), **config):
    reads = [[[r, 0, 0, {}] for r in readers]]
    return {"class_name": kind, "name": name, "config": {"name": name, **config}, "inbound_nodes": reads}


def added(n):
    layers = []
    for i in range(n):
        layers += [layer("Dense", f"d{i}", [before(i)], units=4), layer("Add", f"a{i}", [before(i), f"d{i}"])]
    return keras(layers, "Functional", input_layers=[["x", 0, 0]], output_layers=[[f"a{n - 1}", 0, 0]])


MODELS = {
    "onnx-gemm": lambda: gemms(4900),
    "onnx-relu": lambda: onnx([node("Relu", [before(i)], f"a{i}") for i in range(4900)], [], "a4899"),
    "onnx-sums": lambda: sums(2450),
    "onnx-mirrored": lambda: mirrored(2450),
    "onnx-too-many": lambda: onnx([node("Relu", [before(i)], f"a{i}") for i in range(40000)], [], "a39999"),
    "keras-dense": lambda: keras([layer("Dense", f"a{i}", units=1 + i * 7919 % 64) for i in range(4900)]),
    "keras-batchnorm": lambda: keras([layer("BatchNormalization", f"a{i}") for i in range(4900)]),
    "keras-added": lambda: added(2450),
    "keras-brackets": lambda: b"[" * 900000,
}

COMMANDS = {
    "lint": ["lint", "SPEC"],
    "lint --as": ["lint", "--as", "pytorch", "SPEC"],
    "lint --diff": ["lint", "--unsafe-fixes", "--diff", "SPEC"],
    "plan": ["plan", "SPEC"],
    "emit c": ["emit", "--target", "c", "-o", "-", "SPEC"],
    "emit cuda": ["emit", "--target", "cuda", "-o", "-", "SPEC"],
    "fit": ["fit", "--memory", "1GiB", "SPEC"],
    "fit nowhere": ["fit", "--memory", "100KiB", "SPEC"],
    "fmt": ["fmt", "--check", "SPEC"],
    "autopsy": ["autopsy", "SPEC", "LOG"],
    "lsp": ["lsp"],
}

LOG = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 10.76 GiB "
       "of which 10.00 MiB is free. Including non-PyTorch memory, this process has 10.75 GiB memory in use. Of the "
       "allocated memory 10.20 GiB is allocated by PyTorch, and 50.00 MiB is reserved by PyTorch but unallocated.\n")


def framed(method, number, params):
    body = {"jsonrpc": "2.0", "method": method}
    if number:
        body["id"] = number
    if params is not None:
        body["params"] = params
    data = json.dumps(body).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(data), data)


def speak(child, text):
    """What an editor says that opens the file, waits for findings, looks at it, and ends."""
    uri = "file:///tmp/limits.nn"
    file = {"textDocument": {"uri": uri}}
    place = {**file, "position": {"line": 2, "character": 0}}
    opened = {"textDocument": {"uri": uri, "languageId": "stowage", "version": 1, "text": text}}
    child.stdin.write(framed("initialize", 1, {"processId": None, "rootUri": None, "capabilities": {}}) +
                      framed("initialized", None, {}) + framed("textDocument/didOpen", None, opened))
    child.stdin.flush()
    while (line := child.stdout.readline()).strip():
        child.stdout.readline()
        if b'publishDiagnostics"' in child.stdout.read(int(line.split(b":")[1])):
            break
    child.stdin.write(framed("textDocument/hover", 2, place) + framed("textDocument/documentSymbol", 3, file) +
                      framed("textDocument/semanticTokens/full", 4, file) + framed("textDocument/completion", 5, place) +
                      framed("shutdown", 6, None) + framed("exit", None, None))
    child.stdin.close()
    child.stdout.read()


def run(argv, text):
    """Its status, seconds of processors, and bytes."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (30 * SECONDS, 30 * SECONDS))

    talks = argv[1] == "lsp"
    with open("out", "wb") as out:
        child = subprocess.Popen(argv, stdin=subprocess.PIPE if talks else subprocess.DEVNULL,
                                 stdout=subprocess.PIPE if talks else out, stderr=out, preexec_fn=limit)
        if talks:
            speak(child, text)
        _, status, used = os.wait4(child.pid, 0)
    return os.waitstatus_to_exitcode(status), used.ru_utime, used.ru_maxrss * 1024


def check_import(stowage, name, show):
    data = MODELS[name]()
    assert len(data) < 1_000_000, f"{name}: {len(data)} bytes"
    file = "net.onnx" if name.startswith("onnx") else "net.json"
    with open(file, "wb") as f:
        f.write(data)
    return within(name, "import", run([stowage, "import", "-o", "made.nn", file], ""), BUSY * SECONDS, show)


def within(name, what, taken, allowed, show):
    status, seconds, size = taken
    fine = status in (0, 1, 2) and seconds <= allowed and size <= BYTES
    if show or not fine:
        print(f"{name}: {what}: status {status}, {seconds:.2f} s, {size / 1e6:.0f} MB", flush=True)
    return fine


def check(stowage, name, show):
    if name in MODELS:
        return check_import(stowage, name, show)
    text = SHAPES[name]()
    assert len(text) < 1_000_000, f"{name}: {len(text)} bytes"
    with open("net.nn", "w") as f:
        f.write(text)
    with open("log", "w") as f:
        f.write(LOG)
    good = True
    for what, arguments in COMMANDS.items():
        words = [{"SPEC": "net.nn", "LOG": "log"}.get(w, w) for w in arguments]
        allowed = BUSY * SECONDS * (2 if arguments[0] == "fit" else 1)
        good = within(name, what, run([stowage, *words], text), allowed, show) and good
    return good


if __name__ == "__main__":
    if len(sys.argv) == 1:
        print("\n".join([*SHAPES, *MODELS]))
    else:
        sys.exit(not check(sys.argv[1], sys.argv[2], len(sys.argv) > 3))
