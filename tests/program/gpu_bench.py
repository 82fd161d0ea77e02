"""The parts of bench/gpu.sh that need no GPU: what it makes of figures, of refusals, of old results.

    gpu_bench.py FOLDER         prints TAP; FOLDER is empty and may be written to
"""
import json
import os
import sys
import types

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))
import gpu_machine      # noqa: E402
import gpu_parts        # noqa: E402
import gpu_prepare      # noqa: E402
import gpu_report       # noqa: E402
import gpu_speed        # noqa: E402
import gpu_stages       # noqa: E402

folder, count = sys.argv[1], 0


def same(what, found, wanted):
    global count
    count += 1
    print(f"{'ok' if found == wanted else 'not ok'} {count} - {what}")
    if found != wanted:
        print(f"# found  {found}\n# wanted {wanted}")


def speed_row(network, precision, ours, eager, default, graphs, arena, peak, planned=0):
    peer = types.SimpleNamespace(modes={"eager": {"allocated": peak}, "default": {}, "reduce-overhead": {}})
    case = {"spec": network, "batch": 8, "precision": precision, "least_bytes": planned or arena}
    best = {"Stowage": ours, "eager": eager, "default": default, "reduce-overhead": graphs}
    row = gpu_speed.judge(case, best, {"measured_bytes": arena, "planned_bytes": planned}, arena + 7,
                          peer)
    return {**row, "part": "speed", "group": None}


def targets():
    row = speed_row("resnet50", "bf16", 1100, 1000, 1000, 1250, 60, 100)
    same("ratios are ours to theirs, and to the faster of the compiled",
         (row["eager_ratio"], row["compiled_ratio"], row["compiled_mode"]), (1.1, 0.88, "reduce-overhead"))
    same("what is missed says by how much", row["targets"],
         {"eager": [1.2, "missed by 8%"], "compiled": [1.2, "missed by 27%"], "memory": [0.75, "met"]})
    row = speed_row("resnet50", "f32", 1100, 1000, 1000, 1250, 90, 100)
    same("a residual network's target is of bf16; that of memory, of all", row["targets"],
         {"eager": [None, ""], "compiled": [None, ""], "memory": [0.75, "missed by 20%"]})
    row = speed_row("vgg16", "f32", 1100, 1000, 1000, 1000, 75, 100)
    same("VGG-16's is of every precision", row["targets"], {"eager": [1.1, "met"], "compiled": [1.1, "met"], "memory": [0.75, "met"]})
    row = speed_row("lenet5", "f32", 500, 100, 250, 200, 75, 100)
    same("a target that is just reached is met", [t[1] for t in row["targets"].values()], ["met"] * 3)
    same("memory is judged by the plan of the fewest bytes, whatever the program has",
         speed_row("lenet5", "f32", 500, 100, 250, 200, 300, 100, 80)["memory_ratio"], 0.8)
    cells = next(gpu_report.speed_rows({"x": row}))
    same("the table has both sides, ratio and target", cells[3:10],
         ["500", "100", "5.00", "≥ 5: met", "250 (default)", "2.00", "≥ 2: met"])


def rates():
    epochs = [{"event": "epoch", "epoch": 1, "samples": 10, "seconds": 10.0},
              {"event": "epoch", "epoch": 2, "samples": 10, "seconds": 2.0},
              {"event": "epoch", "epoch": 3, "samples": 30, "seconds": 3.0}, {"event": "end"}]
    same("the first epoch does not count", gpu_speed.rate(epochs), 8.0)
    same("unless it is the only one", gpu_speed.rate(epochs[:1]), 1.0)


PROFILE = """
   seconds   share  node
    0.0600  60.00%  train features.conv: conv_grad_weight
    0.0400  40.00%  train head: dense
    0.1000 100.00%  all nodes

convolutions, as cuDNN 91900 runs them
kind     batch  from                 to                   chosen    workspace  engine
forward     64  3x224x224            64x112x112:7x7       before        16384  34 12=1,20=0 +bias
input       64  64x56x56             64x56x56:3x3         here              0  5
weight      64  32x8x8               32x8x8:3x3           own   
"""


def profiles():
    nodes, engines = gpu_parts.profile(PROFILE)
    same("nodes of --profile", nodes, [(0.06, 60.0, "train features.conv: conv_grad_weight"),
                                       (0.04, 40.0, "train head: dense")])
    same("engines of --profile",
         [(e["kind"], e["chosen"], e["workspace"], e["engine"]) for e in engines],
         [("forward", "before", "16384", "34 12=1,20=0 +bias"), ("input", "here", "0", "5"),
          ("weight", "own", "", "")])


def script(name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write("#!/bin/sh\n" + text)
    os.chmod(path, 0o755)
    return path


def refusals():
    logs = 'while [ "$1" != --log ]; do shift; done; echo \'{"event":"update","loss":1}\' > "$2"\n'
    programs = {"runs": script("runs", logs), "dies": script("dies", "echo oom; exit 2\n"),
                "refuses": script("refuses", "echo 'x: the plan needs 5 bytes (5 B), and only 4'; exit 2\n")}
    machine = types.SimpleNamespace(device="cuda", memory_bytes=1000, environment=None)
    run = types.SimpleNamespace(machine=machine, time=lambda s: s,
                                built=lambda case, what: programs[case["does"]])

    def verdict(does, more, lint_status, memory=1000):
        case = {"does": does, "more": more, "lint_status": lint_status, "batch": 9, "arena_bytes": 5,
                "memory_bytes": memory}
        try:
            return gpu_parts.one_largest(run, case)["verdict"]
        except gpu_parts.Failure:
            return "FAILED"
    same("the largest batch runs", verdict("runs", 0, 0), "ok")
    same("but not if lint says that it does not fit", verdict("runs", 0, 1), "FAILED")
    same("it must not be refused", verdict("refuses", 0, 0), "FAILED")
    same("one more is refused, twice", verdict("refuses", 1, 1), "ok")
    same("it must not run", verdict("runs", 1, 1), "FAILED")
    same("nor die in another way", verdict("dies", 1, 1), "FAILED")
    same("nor be unknown to lint", verdict("refuses", 1, 0), "FAILED")
    same("another card than was prepared for says nothing", verdict("runs", 0, 0, 2000), "SKIPPED")


def sanitizer():
    """What is made of compute-sanitizer's words: of one that cannot work, and of one that finds a race."""
    def verdict(said, status):
        tool = script("sanitizer", f"cat <<'E'\n{said}\nE\nexit {status}\n") if said else None
        machine = types.SimpleNamespace(sanitizer=tool, environment=None)
        run = types.SimpleNamespace(machine=machine, time=lambda s: s, built=lambda case, what: "program")
        row = gpu_parts.one_sanitized(run, {}, "racecheck", "program")
        return row["verdict"], row["text"]
    clean = "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)"
    race = "========= Error: Race reported between Read access at pool_kernel(float *)+0x90 in x.cu:7"
    same("clean", verdict(clean, 0), ("ok", clean.strip("= ")))
    same("a race is named with its kernel", verdict(f"{race}\n{race}\n========= RACECHECK SUMMARY: 2", 3),
         ("FAILED", "RACECHECK SUMMARY: 2; " + race.strip("= ")))
    same("a sanitizer that says nothing has found nothing out", verdict("hello", 0), ("FAILED", "hello"))
    same("a machine where it does not work", verdict(
        "========= Error: Device not supported. Please refer to the documentation", 1)[0], "SKIPPED")
    same("a machine without it", verdict(None, 0)[0], "SKIPPED")


def tools():
    """Libraries in Python's packages, whose files have no plain name, and a compiler without make."""
    site = os.path.join(folder, "site", "nvidia", "cudnn")
    for name in ("include/only_here.h", "lib/libhere.so.9", "lib/libhere_graph.so.9"):
        os.makedirs(os.path.dirname(os.path.join(site, name)), exist_ok=True)
        open(os.path.join(site, name), "w").close()
    sys.path.append(os.path.join(folder, "site"))
    found = gpu_machine.library("only_here.h", "here", "/nowhere")
    same("a library of Python's packages", found,
         (site + "/include", site + "/lib", site + "/lib/libhere.so.9"))
    sys.path.pop()
    nvcc = script("nvcc", 'case $1 in --*) echo sm_90; exit;; esac\necho "$@" > "$0.said"\n'
                  'while [ "$1" != -o ]; do shift; done; : > "$2"\n')
    before = {k: os.environ.get(k) for k in ("NVCC", "PATH")}
    os.environ.update(NVCC=nvcc, PATH="/nowhere:/bin:/usr/bin")
    machine = gpu_machine.Gpu(folder)
    os.environ.update({k: v for k, v in before.items() if v is not None})
    if before["NVCC"] is None:
        del os.environ["NVCC"]
    outs = {machine.build(folder, "lenet", what)[0] for what in
            ("program", "program-own", "check", "library", "library-own")}
    said = open(nvcc + ".said").read().split()
    same("each build is a file of its own", len(outs), 5)
    same("without libraries none is named", [w for w in said if w.startswith(("-DUSE_", "-lcu"))], [])
    machine.blas = machine.dnn = found
    machine.where = machine.library_flags()
    machine.build(folder, "lenet", "program")
    said = open(nvcc + ".said").read().split()
    same("the libraries come after the source, and are found when it runs",
         (said.index("-lcudnn") > said.index(folder + "/lenet.cu"), "-rpath," + site + "/lib" in said,
          os.path.realpath(os.path.join(folder, "libraries", "libcudnn.so")) ==
          os.path.realpath(found[2])), (True, True, True))


def workers():
    pool = gpu_parts.Workers(os.path.join(folder, "absent"), 1)
    for _ in range(2):
        try:
            same("a comparison that breaks is no answer", pool.ask(how="x"), None)
        except gpu_parts.Failure as e:
            same("a comparison that breaks says why", "No module named" in str(e), True)
    pool.idle.get()
    pool.idle.put(pool.start())
    worker = pool.idle.queue[0]
    pool.close()
    same("those that wait are ended, and others may come", (worker.poll() is None, pool.idle.qsize()),
         (False, 1))


def memory():
    """A program's figures against the plan and the driver's count of a process."""
    reserve = [{"bytes": 300 << 20}]

    def verdict(planned, measured, growth, process, arena=None):
        end = {"event": "end", "planned_bytes": planned, "measured_bytes": measured,
               "growth_bytes": growth, "code_bytes": 0, "before_bytes": 0, "pinned_bytes": 0}
        body = f"while [ \"$1\" != --log ]; do shift; done; echo '{json.dumps(end)}' > \"$2\"\n"
        path = script("memory", body)
        used = iter([1000])
        watched = types.SimpleNamespace(read=lambda: types.SimpleNamespace(
            used=next(used, 1000 + process)))
        machine = types.SimpleNamespace(device="cuda", nvml=watched, environment=None)
        run = types.SimpleNamespace(machine=machine, time=lambda s: s, built=lambda case, what: path,
                                    manifest={"reserve": reserve})
        return gpu_parts.one_memory(run, {"arena_bytes": arena or planned})["verdict"]
    gib = 1 << 30
    same("an arena as planned, a process as forecast", verdict(gib, gib, 0, gib + (310 << 20)), "ok")
    same("64 MiB more is near enough", verdict(gib, gib, 0, gib + (364 << 20)), "ok")
    same("65 are not", verdict(gib, gib, 0, gib + (365 << 20)), "FAILED")
    same("65 less neither", verdict(gib, gib, 0, gib + (235 << 20)), "FAILED")
    same("of 10 GiB 2 % is more", verdict(10 * gib, 10 * gib, 0, 10 * gib + (500 << 20)), "ok")
    same("a larger arena", verdict(gib, gib + (2 << 20), 0, gib + (310 << 20)), "FAILED")
    same("a smaller arena", verdict(gib, gib - 1, 0, gib + (310 << 20)), "FAILED")
    same("a plan that is not the program's", verdict(gib, gib, 0, gib + (310 << 20), gib - 256), "FAILED")
    same("a step that allocates", verdict(gib, gib, 1, gib + (310 << 20)), "FAILED")


def of_spec(name, target):
    """A program that is emitted of one of the specs, or of a network that multiplies nothing."""
    spec = os.path.join(gpu_prepare.ROOT, "specs", name + ".nn")
    if not os.path.exists(spec):
        spec = os.path.join(folder, name + ".nn")
        open(spec, "w").write("network moves {\n  input x : f32[4]\n  target t : f32[4]\n  loss mse(x * parameter((4,)), t)\n}\n"
                              "train { batch 2  data synthetic(samples=4) }\n")
    out = os.path.join(folder, f"{name}-{target}")
    gpu_prepare.output(gpu_prepare.stowage(), "emit", "--no-config", "--force", "--target", target, "-o", out, spec)
    return out


def stages():
    named = [name for stage in gpu_stages.STAGES.values() for name in stage]
    same("stages are of parts that there are, each once", (len(named), set(named) - {n for n, _ in gpu_parts.PARTS}),
         (len(set(named)), set()))

    def kept(stage, **case):
        return gpu_stages.keeps(stage, {"kind": "speed", "spec": "vgg16", "main": True, **case})
    same("the first has operators in f32, and no speed",
         [kept("1", kind="ops", precision=p) for p in ("f32", "bf16")] + [kept("1", precision="bf16")],
         [True, False, False])
    same("the second has one batch in 16 bits, and LeNet-5 in f32 too",
         [kept("2", precision=p, spec=s, main=m) for p, s, m in (
             ("bf16", "vgg16", True), ("f32", "vgg16", True), ("f32", "lenet5", True), ("bf16", "vgg16", False))],
         [True, False, True, False])
    run = types.SimpleNamespace(machine=types.SimpleNamespace(variants=lambda: {"": "both", "own": "none"}), cases=lambda *of: [
        {"id": i, "precision": "f32", "libraries": l} for i, l in (("relu", False), ("conv", True))])
    same("what calls no library is built once", [[i.name for i in gpu_parts.compared("own", "operator_off", "ops", ("f32",), (v,))(run)]
                                                 for v in ("", "own")], [["relu", "conv"], ["conv-own"]])
    same("which is seen of its text", [gpu_prepare.calls_libraries(open(of_spec(s, t)).read()) for s, t in (
        ("digits", "cuda"), ("moves", "cuda"), ("moves", "c"))], [True, False, True])
    same("without a stage all is kept", kept(None, precision="tf32", main=False), True)
    same("a card's name, as its driver has it, or none", [gpu_prepare.card_here(n) for n in (
        "NVIDIA A100-SXM4-80GB", "NVIDIA H100 80GB HBM3", "NVIDIA GeForce RTX 3090", "Tesla T4", "Voodoo 2")],
        ["NVIDIA A100-SXM4-80GB", "NVIDIA H100 80GB HBM3", "NVIDIA GeForce RTX 3090", "Tesla T4", None])


def results():
    machine = types.SimpleNamespace(gpu="A card", facts=lambda: {
        "gpu": "A card", "cuda": "13", "driver": "1", "compute_capability": "90", "memory_bytes": 1 << 30,
        "cudnn": "9", "torch": "2", "torch_cudnn": "9"})
    manifest = {"digest": "abc", "stowage": "stowage 0", "device": "H200"}

    def opened():
        return gpu_report.Results(os.path.join(folder, "results"), machine, manifest)
    items = [gpu_parts.Item("p", n, None, group="g") for n in "abcd"]
    first = opened()
    for item, verdict in zip(items, ("ok", "SKIPPED", "FAILED")):
        first.add(item, {"verdict": verdict, "text": "t", "off": 1.0})
    same("a call goes on where the last one ended", [opened().done(i) for i in items],
         [True, False, True, False])
    same("one line a group, and each that fails", [r[:2] for r in gpu_report.grouped(opened().rows)],
         [("FAILED", "g"), ("FAILED", "p/c")])
    facts = machine.facts()
    machine.facts = lambda: {**facts, "driver": "2"}
    second = opened()
    same("on another machine of the kind too", [second.done(i) for i in items], [True, False, True, False])
    second.add(items[3], {"verdict": "ok", "text": "t", "off": 1.0})
    with open(second.base + ".md") as page:
        text = page.read()
    same("a page is there before the end, and names both drivers",
         ("; driver 1, 2\n" in text, "stopped before its end" in text), (True, True))
    machine.facts = lambda: {**facts, "cuda": "14"}
    same("those of another CUDA are not mixed in", [opened().done(i) for i in items], [False] * 4)
    manifest["digest"] = "abd"
    same("those of other programs are another file", opened().rows, {})


def cards():
    """Programs see the second of two cards; the management library has both, by their names."""
    def name(to, device):
        to._obj[:] = range(16)
        return 0

    def handle(of, to):
        asked.append(of)
        to._obj.value = 7
        return of != b"GPU-00010203-0405-0607-0809-0a0b0c0d0e0f"

    def used(device, memory):
        memory._obj.used = 1000 + device.value
        return 0
    asked, real = [], gpu_machine.ctypes.CDLL
    there = {"libcuda.so.1": types.SimpleNamespace(cuInit=lambda flags: 0, cuDeviceGet=lambda to, n: 0, cuDeviceGetUuid_v2=name),
             "libnvidia-ml.so.1": types.SimpleNamespace(nvmlInit_v2=lambda: 0, nvmlDeviceGetHandleByUUID=handle,
                                                        nvmlDeviceGetMemoryInfo=used)}
    gpu_machine.ctypes.CDLL = there.__getitem__
    found = gpu_machine.Nvml().read().used
    gpu_machine.ctypes.CDLL = real
    same("memory is that of the card that programs see", (found, asked),
         (1007, [b"MIG-00010203-0405-0607-0809-0a0b0c0d0e0f", b"GPU-00010203-0405-0607-0809-0a0b0c0d0e0f"]))


targets()
rates()
cards()
profiles()
refusals()
sanitizer()
tools()
workers()
memory()
stages()
results()
same("no NVML here or a number from it", gpu_machine.Nvml().read() is None or
     gpu_machine.Nvml().read().total > 0, True)
print(f"1..{count}")
