"""What bench/gpu.sh looks at, part by part, the most important first.

A part makes items. An item has a name, the builds that it needs, and a function that returns its row:
a verdict (ok, FAILED, SKIPPED, measured), a text, and figures. Rows are kept by the item's name, so
that a later call goes on where this one ended.
"""
import hashlib
import json
import os
import queue
import re
import subprocess
import sys
import tempfile
import threading

from gpu_machine import HERE, Watch, capture, last_line

BLOCK = 2 << 20         # what cudaMalloc hands out
PROCESS_SHARE, PROCESS_BYTES = 0.02, 64 << 20   # how far a forecast of a process may be off


class Item:
    def __init__(self, part, name, run, builds=(), group=None, together=False, seconds=10):
        self.part, self.name, self.run, self.builds = part, name, run, builds
        self.group = group          # rows of a group are one line of the table
        self.together = together    # may run beside others
        self.seconds = seconds      # about
        self.id = f"{part}/{name}"


def row(verdict, text, **figures):
    return {"verdict": verdict, "text": text, **figures}


def check(good, text, **figures):
    return row("ok" if good else "FAILED", text, **figures)


class Failure(Exception):
    """A program that should have run has not."""


# ---- comparisons ----

class Workers:
    """Processes that compare (gpu_worker.py). One that ends is replaced by the next that is needed."""

    def __init__(self, peer, n):
        self.peer, self.idle, self.n = peer, queue.Queue(), n
        for _ in range(n):
            self.idle.put(None)

    def start(self):
        log = tempfile.NamedTemporaryFile("w", prefix="gpu-worker.", delete=False)
        process = subprocess.Popen([sys.executable, os.path.join(HERE, "gpu_worker.py")], text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                                   env={**os.environ, "PEER": self.peer})
        log.close()
        process.log = log.name
        return process

    def ask(self, **job):
        worker = self.idle.get() or self.start()
        timer = threading.Timer(300, worker.kill)
        timer.start()
        try:
            worker.stdin.write(json.dumps(job) + "\n")
            worker.stdin.flush()
            answer = worker.stdout.readline()
        except BrokenPipeError:
            answer = ""
        timer.cancel()
        if answer:
            self.idle.put(worker)
            return json.loads(answer)
        worker.kill()
        worker.wait()
        said = open(worker.log).read().strip().splitlines() or ["it ended without a word"]
        self.close_one(worker)
        self.idle.put(None)
        raise Failure(said[-1])

    @staticmethod
    def close_one(worker):
        worker.stdin.close()
        worker.stdout.close()
        worker.wait()
        os.remove(worker.log)

    def close(self):
        """Ends those that wait: each holds memory of the device. The next that is asked begins anew."""
        for _ in range(self.n):
            worker = self.idle.get()
            if worker:
                self.close_one(worker)
            self.idle.put(None)


LIMITS = {"operator_off": {"f32": 1e-5, "f64": 1e-10, "tf32": 2e-3, "bf16": 1e-2, "f16": 1e-2},
          "steps_off": {"f32": 1e-4, "bf16": 1e-2, "f16": 1e-2}}


def compared(part, how, kind, precisions, variants):
    """Every case of a kind against PyTorch: with the libraries, and where that is another program with kernels of our own
    alone."""
    def items(run):
        for variant in variants:
            for precision in precisions:
                for case in run.cases(kind, precision):
                    if not variant or case["libraries"]:
                        yield item(run, case, variant)

    def item(run, case, variant):
        limit = LIMITS[how][case["precision"]]
        built = (case, "library" + ("-own" if variant else ""))

        def look():
            if not run.machine.torch:
                return row("SKIPPED", "no PyTorch with NumPy: NOTHING WAS COMPARED")
            path = run.built(*built)
            said = run.workers.ask(library=path, graph=os.path.join(os.path.dirname(path), "graph.ir"),
                                   how=how, precision={"tf32": "f32", "f64": "f32"}.get(
                                       case["precision"], case["precision"]))
            return check(said["off"] <= limit, f"{said['off']:.2g} ({said['where']}), limit {limit:g}",
                         off=said["off"], where=said["where"], limit=limit)
        what = "operators" if kind == "ops" else "losses of five steps"
        group = f"{what}, {case['precision']}, {run.machine.variants()[variant]}"
        return Item(part, f"{case['id']}{'-' + variant if variant else ''}", look, [built], group,
                    together=True, seconds=2)
    return items


# ---- programs ----

def ran(run, case, *options, kind="program", program=None, timeout=300, status=0):
    """Runs a program; returns the records of its log, and what it printed. What it measures of engines is kept beside it."""
    path = program or run.built(case, kind)
    log = f"{path}.{threading.get_ident()}.jsonl"
    if os.path.exists(log):
        os.remove(log)
    data = ("--data", run.data(case["data"])) if case.get("data") else ()
    done = capture(path, "--log", log, *data, *options, timeout=run.time(timeout),
                   cwd=os.path.dirname(path), env=dict(run.machine.environment or os.environ, XDG_CACHE_HOME=os.path.dirname(path)))
    if done.returncode != status:
        raise Failure(last_line(done))
    records = []
    if os.path.exists(log):
        records = [json.loads(line) for line in open(log)]
        os.remove(log)
    return records, done.stdout


def losses(records):
    return [r["loss"] for r in records if r["event"] == "update"]


def memory(run):
    """Planned against measured: the arena by the program's own count, the process by the driver's."""
    for case in run.cases("steps", "f32") + [c for c in run.cases("speed") if c["main"]]:
        yield Item("memory", case["id"], lambda case=case: one_memory(run, case), [(case, "program")],
                   seconds=8)


def one_memory(run, case):
    ran(run, case, "--quiet", "--steps", "1")    # which measures engines, whose code stays loaded: the next has theirs alone
    with Watch(run.machine.nvml) as watch:
        records, _ = ran(run, case, "--quiet", "--steps", "10")
    end = records[-1]
    planned, measured, growth = (end[k + "_bytes"] for k in ("planned", "measured", "growth"))
    block = BLOCK if run.machine.device == "cuda" else 2 * os.sysconf("SC_PAGESIZE")
    # an arena below a block may share one that the context already has
    good = planned == case["arena_bytes"] and (measured >= planned or planned < BLOCK) and \
        measured < planned + block and growth == 0
    figures = {"planned": planned, "measured": measured, "growth": growth, "forecast": None,
               "process": watch.taken()}
    text = f"arena {planned} planned, {measured} measured, {growth} more in 10 steps"
    for item in ("code", "samples", "before", "pinned"):
        if item + "_bytes" in end:
            figures[item] = end[item + "_bytes"]
            text += f"; {item} {end[item + '_bytes'] / 2**20:.0f} MiB"
    if watch.taken() is not None:
        forecast = planned + sum(r["bytes"] for r in run.manifest["reserve"]) + end.get("samples_bytes", 0)
        off = watch.taken() - forecast
        figures["forecast"] = forecast
        figures["context"] = watch.taken() - measured - end.get("code_bytes", 0) - end.get("samples_bytes", 0)
        good = good and abs(off) <= max(PROCESS_SHARE * forecast, PROCESS_BYTES)
        text += f"; process {watch.taken() / 2**20:.0f} MiB, forecast {forecast / 2**20:.0f} " \
            f"({off / 2**20:+.0f}), of it context {figures['context'] / 2**20:.0f}"
    elif run.machine.device == "cuda":
        text += "; no NVML: THE PROCESS WAS NOT MEASURED"
    return check(good, text, **figures)


def same_bits(run):
    for precision in ("f32", "bf16"):
        for case in run.cases("steps", precision):
            yield Item("bits", case["id"], lambda case=case: one_bits(run, case), [(case, "program")],
                       together=True, seconds=9)


def one_bits(run, case):
    saved, logs = [], []
    for k, seed in enumerate(("1", "1", "2")):
        file = run.built(case, "program") + f".bits-{k}"
        logs.append(losses(ran(run, case, "--quiet", "--steps", "10", "--save", file, "--seed", seed)[0]))
        saved.append(hashlib.sha256(open(file, "rb").read()).hexdigest()[:16])
        os.remove(file)
    good = saved[0] == saved[1] and logs[0] == logs[1] and len(logs[0]) == 10
    text = f"checkpoints {saved[0]} and {saved[1]} after 10 updates; with another seed {saved[2]}"
    return check(good and saved[2] != saved[0], text, checkpoints=saved)


def sanitized(run):
    for build in ("program", "program-own"):
        for case in run.cases("steps", "f32"):
            for tool in TOOLS if case["spec"] in ("lenet5", "resnet8") else ():
                yield Item("sanitizer", f"{tool}, {case['spec']}{build[len('program'):]}",
                           lambda case=case, tool=tool, build=build: one_sanitized(run, case, tool, build),
                           [(case, build)], together=True, seconds=60)


# what compute-sanitizer says where a machine, a virtual one mostly, does not let it work
NO_SANITIZER = ("Device not supported", "Unable to find injection library", "nable to launch",
                "The driver version is insufficient", "No attachable process")
TOOLS = ("memcheck", "racecheck", "synccheck")


def one_sanitized(run, case, tool, build):
    if not run.machine.sanitizer:
        return row("SKIPPED", "no compute-sanitizer: RACES AND BAD ACCESSES WERE NOT LOOKED FOR")
    # a library asks the driver for entry points that may be missing, which is no error of a program
    # that looks at the answer of every call
    calls = ("--report-api-errors", "no") if tool == "memcheck" else ()
    done = capture(run.machine.sanitizer, "--tool", tool, *calls, "--error-exitcode", "3",
                   run.built(case, build), "--steps", "2", "--quiet", timeout=run.time(300),
                   env=run.machine.environment)
    lines = [w.strip("= ") for w in done.stdout.splitlines()]
    refused = [w for w in lines if any(text in w for text in NO_SANITIZER)]
    if refused:
        return row("SKIPPED", f"compute-sanitizer does not work here ({refused[0]}): RACES AND BAD ACCESSES "
                   "WERE NOT LOOKED FOR")
    # the summary, then which kernels it is about: a library's are not ours
    complaint = r"^(Error: |Warning: )?(Invalid|Race|Potential|Barrier|Divergent)|\bat .*\+0x"
    told = [w for w in lines if "SUMMARY" in w] + list(dict.fromkeys(
        w for w in lines if re.search(complaint, w)))[:4]
    return check(done.returncode == 0 and any("SUMMARY" in w for w in lines),
                 "; ".join(told) or last_line(done))


def largest(run):
    """The batch that `stowage fit` names runs; `stowage lint` names one more, and that refuses to train."""
    for case in run.cases("largest"):
        yield Item("largest", case["id"], lambda case=case: one_largest(run, case), [(case, "program")],
                   seconds=40)


def one_largest(run, case):
    card = run.machine.memory_bytes
    if run.machine.device == "cuda" and (not card or abs(card - case["memory_bytes"]) > 0.03 * card):
        return row("SKIPPED", f"prepared for a card of {case['memory_bytes']} bytes, and this one has "
                   f"{card}: prepare with --device NAME")
    if not case["more"]:
        records, _ = ran(run, case, "--quiet", "--steps", "1", timeout=500)
        return check(case["lint_status"] == 0 and len(losses(records)) == 1,
                     f"batch {case['batch']}, {case['arena_bytes']} bytes: runs", batch=case["batch"])
    named = case["lint_status"] == 1
    lint = "named by stowage lint" if named else "NOT named by stowage lint"
    try:
        text = ran(run, case, "--quiet", "--steps", "1", timeout=500, status=2)[1]
    except Failure as e:
        return check(False, f"batch {case['batch']}, {case['arena_bytes']} bytes: {lint}, but the "
                     f"program runs, or ends otherwise ({e}): less is reserved than was forecast")
    said = [w for w in text.splitlines() if "the plan needs" in w]
    return check(bool(said) and named,
                 f"batch {case['batch']}: {lint}; {(said or ['refused otherwise'])[0]}",
                 batch=case["batch"])


def engines(run):
    for case in run.cases("speed"):
        if case["main"] and case["precision"] != "tf32":
            yield Item("engines", case["id"], lambda case=case: one_profile(run, case),
                       [(case, "program")], seconds=10)


def profile(text):
    """The nodes and the convolutions of what a program prints for --profile."""
    nodes = [(float(s), float(p), n) for s, p, n in
             re.findall(r"^ *([\d.]+) +([\d.]+)%  (?!all nodes)(.+)$", text, re.M)]
    ran_by = [dict(zip(("kind", "batch", "from", "to", "chosen", "workspace", "engine"), m)) for m in
              re.findall(r"^(forward|input|weight) +(\d+)  (\S+) +(\S+) +(before|here|kept|measured|own) *(\d*) *(.*)$",
                         text, re.M)]
    return nodes, ran_by


def one_profile(run, case):
    """Who ran the convolutions, and where the time of a captured step goes."""
    nodes, ran_by = profile(ran(run, case, "--quiet", "--steps", "3", "--profile")[1])
    count = {c: sum(e["chosen"] == c for e in ran_by) for c in ("before", "here", "kept", "measured", "own")}
    top = "; ".join(f"{p:.0f} % {n}" for _, p, n in nodes[:4])
    return row("measured", f"convolutions: {count['before']} by engines recorded at emission, "
               f"{count['here']} asked for here, {count['measured']} measured at start, {count['kept']} as measured before, "
               f"{count['own']} by our kernels; of the time {top}",
               engines=ran_by, nodes=nodes[:40])


def against_c(run):
    for case in run.cases("steps", "f32"):
        yield Item("against C", case["id"], lambda case=case: one_against_c(run, case),
                   [(case, "program"), (case, "c")], seconds=15)
        yield Item("poisoned", case["id"], lambda case=case: one_poisoned(run, case),
                   [(case, "program"), (case, "check")], seconds=8)


def one_against_c(run, case):
    gpu = losses(ran(run, case, "--quiet", "--steps", "20")[0])
    cpu = losses(ran(run, case, "--quiet", "--steps", "20", program=run.built(case, "c"))[0])
    off = max(abs(a - b) / max(abs(b), 1e-6) for a, b in zip(gpu, cpu))
    return check(len(gpu) == len(cpu) == 20 and off <= 1e-3, f"losses of 20 updates within {off:.2g} of "
                 "the C program's", off=off)


def one_poisoned(run, case):
    gpu = losses(ran(run, case, "--quiet", "--steps", "20")[0])
    poisoned = losses(ran(run, case, "--quiet", "--steps", "20", kind="check")[0])
    return check(gpu == poisoned and len(gpu) == 20, "the same losses where a buffer is NaN outside its "
                 "lifetime" if gpu == poisoned else f"other losses: {poisoned[:3]} for {gpu[:3]}")


def kernels(run):
    for case in run.cases("speed", "bf16"):
        if case["main"]:
            yield Item("kernels", case["id"], lambda case=case: one_nsys(run, case), [(case, "program")],
                       seconds=20)


def one_nsys(run, case):
    """Where a step's time goes, kernel by kernel, where Nsight Systems is."""
    if not run.machine.nsys:
        return row("SKIPPED", "no nsys: --profile has the time by node (engines)")
    path = run.built(case, "program")
    done = capture(run.machine.nsys, "profile", "-t", "cuda", "--cuda-graph-trace=node", "-f", "true", "-o",
                   path, path, "--quiet", "--steps", "20", "--data", run.data(case["data"]), timeout=run.time(120),
                   env=run.machine.environment)
    table = capture(run.machine.nsys, "stats", "-q", "--report", "cuda_gpu_kern_sum", "--format", "csv",
                    path + ".nsys-rep", timeout=120)
    rows = re.findall(r'^([\d.]+),(\d+),.*?,"?([^",]{1,80})[^,]*"?$', table.stdout, re.M)
    if done.returncode or table.returncode or not rows:
        return row("SKIPPED", "nsys made no report: " + last_line(done if done.returncode else table))
    return row("measured", "; ".join(f"{p} % {n}" for p, _, n in rows[:4]), kernels=rows[:40])


def device(run):
    """How cuDNN sees the card: for src/emit/engines.c."""
    def look():
        found = run.machine.describe()
        if isinstance(found, str):
            return row("SKIPPED", found)
        return row("measured", f"cuDNN {found['cudnn']}: {json.dumps(found['device'])}", **found)
    yield Item("device", "as cuDNN describes it", look)


PARTS = [
    ("device", device),
    ("operators", compared("operators", "operator_off", "ops", ("f32",), ("",))),
    ("steps", compared("steps", "steps_off", "steps", ("f32", "bf16", "f16"), ("",))),
    ("memory", memory),
    ("bits", same_bits),
    ("sanitizer", sanitized),
    ("largest", largest),
    ("speed", None),        # gpu_speed.py
    ("engines", engines),
    ("narrow", compared("narrow", "operator_off", "ops", ("bf16", "f16", "tf32"), ("",))),
    ("own", compared("own", "operator_off", "ops", ("f32", "bf16", "f16", "tf32"), ("own",))),
    ("own-steps", compared("own-steps", "steps_off", "steps", ("f32", "bf16", "f16"), ("own",))),
    ("c", against_c),
    ("f64", compared("f64", "operator_off", "ops", ("f64",), ("",))),
    ("kernels", kernels),
    ("passes", None),       # gpu_speed.py
]
