#!/usr/bin/env python3
"""What only a GPU can show of emitted CUDA programs; bench/gpu.sh is the way to call it.

    gpu.py [--runs N] [--quick] [--only NAME,...]     with ./stowage or $STOWAGE
    gpu.py --prepare DIR                              emits into DIR, which then needs no Stowage
    DIR/gpu.sh [--runs N] [--quick] [--only NAME,...]

--quick leaves out f64 and shortens the timings; --only compiles and compares the specs named. A
part whose tool is absent is skipped, and says so. Environment: STOWAGE, NVCC, CC, SANITIZER.
"""
import argparse
import concurrent.futures
import datetime
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PREPARED = os.path.exists(os.path.join(HERE, "manifest.json"))
PEER = os.path.join(HERE, "peer") if PREPARED else os.path.join(HERE, "..", "tests", "peer")
STEPS = ("lenet5", "resnet8", "decoder")    # tests/peer
SPEED = ("lenet5", "resnet18")              # bench/specs
BLOCK = 2 << 20                             # what cudaMalloc hands out


def capture(*command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


# ---- what is run: emitted sources, and the graphs PyTorch follows ----

def prepare(folder):
    stowage = os.path.abspath(os.environ.get("STOWAGE", "./stowage"))
    if not os.access(stowage, os.X_OK):
        sys.exit(f"gpu.py: {stowage} is not there: build Stowage, or name it by STOWAGE")
    specs = []

    def emit(name, spec, *options, graph=True, c=False):
        out = os.path.join(folder, "programs", name)
        os.makedirs(out, exist_ok=True)
        base = os.path.splitext(os.path.basename(spec))[0]
        subprocess.run([stowage, "emit", "--target", "cuda", *options, "-o", out, spec], check=True,
                       stdout=subprocess.DEVNULL)
        if c:
            os.makedirs(os.path.join(out, "c"), exist_ok=True)
            subprocess.run([stowage, "emit", "--target", "c", *options, "-o", os.path.join(out, "c"),
                            spec], check=True, stdout=subprocess.DEVNULL)
        if graph:
            text = subprocess.run([stowage, "plan", "--target", "cuda", "--dump-after=phases", *options,
                                   spec], check=True, stdout=subprocess.PIPE).stdout
            open(os.path.join(out, "graph.ir"), "wb").write(text)
        program = next(f[:-3] for f in os.listdir(out) if f.endswith(".cu"))
        specs.append({"name": name, "spec": base, "program": program, "kind": name.split("/")[0]})

    with tempfile.TemporaryDirectory() as scratch:
        for spec in sorted(glob.glob(os.path.join(HERE, "..", "tests", "ops", "*.nn"))):
            base, text = os.path.basename(spec)[:-3], open(spec).read()
            for precision in ("f32", "f64"):    # the specs say f64
                os.makedirs(os.path.join(scratch, precision), exist_ok=True)
                path = os.path.join(scratch, precision, base + ".nn")
                open(path, "w").write(text.replace("precision f64", f"precision {precision}"))
                emit(f"ops-{precision}/{base}", path, "--input-gradients")
    for base in STEPS:
        emit(f"steps/{base}", os.path.join(PEER, base + ".nn"), c=True)
    for base in SPEED:
        emit(f"speed/{base}", os.path.join(HERE, "specs", base + ".nn"), graph=False)
    for name in ("gpu.sh", "gpu.py", "pytorch_gpu.py", "models.py"):
        shutil.copy(os.path.join(HERE, name), folder)
    os.makedirs(os.path.join(folder, "peer"), exist_ok=True)
    for name in ("compare.py", "ir.py", "program.py"):
        shutil.copy(os.path.join(PEER, name), os.path.join(folder, "peer"))
    json.dump(specs, open(os.path.join(folder, "manifest.json"), "w"), indent=1)
    return specs


# ---- the machine ----

class Machine:
    def __init__(self):
        found = os.environ.get("NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        self.nvcc = found if shutil.which(found) else None
        self.sanitizer = os.environ.get("SANITIZER") or shutil.which("compute-sanitizer") or \
            (self.nvcc and shutil.which(os.path.join(os.path.dirname(self.nvcc), "compute-sanitizer")))
        self.gpu = self.driver = self.arch = self.torch = self.torch_gpu = None
        if shutil.which("nvidia-smi"):
            rows = capture("nvidia-smi", "--query-gpu=name,driver_version,compute_cap",
                           "--format=csv,noheader")
            if not rows.returncode and rows.stdout.count(",") >= 2:
                self.gpu, self.driver, cap = [w.strip() for w in rows.stdout.splitlines()[0].split(",")]
                self.arch = cap.replace(".", "")
        self.cuda = "absent"
        if self.nvcc:
            release = re.search(r"release ([\w.]+), V([\w.]+)", capture(self.nvcc, "--version").stdout)
            self.cuda = release.group(2) if release else "unknown"
        asked = capture(sys.executable, "-c",
                        "import numpy, torch; print(torch.__version__, int(torch.cuda.is_available()))")
        if not asked.returncode:
            self.torch, self.torch_gpu = asked.stdout.split()[-2], asked.stdout.split()[-1] == "1"

    def archs(self):
        """What to compile for: the card's own, else the oldest and the newest this nvcc knows."""
        if self.arch:
            return [self.arch]
        known = re.findall(r"^sm_(\d+)$", capture(self.nvcc, "--list-gpu-code").stdout, re.M)
        known = [k for k in known if int(k) >= 75] or ["75"]
        return [known[0], known[-1]]

    def lines(self):
        return [f"GPU      {self.gpu or 'NONE'}" + (f", compute capability {self.arch[:-1]}.{self.arch[-1]}"
                                                    if self.arch else ""),
                f"driver   {self.driver or 'none'}", f"CUDA     {self.cuda}",
                f"PyTorch  {self.torch or 'absent'}" + ("" if self.torch_gpu or not self.torch
                                                        else " (sees no GPU)"),
                f"date     {datetime.date.today()}"]


class Report:
    def __init__(self):
        self.rows, self.failed, self.skipped = [], 0, 0

    def row(self, verdict, what, text):
        self.failed += verdict == "FAILED"
        self.skipped += verdict == "SKIPPED"
        line = f"{verdict:8} {what:42} {text}"
        self.rows.append(line)
        print(line, flush=True)

    def check(self, good, what, text):
        self.row("ok" if good else "FAILED", what, text)

    def skip(self, what, why):
        self.row("SKIPPED", what, why)


# ---- the parts ----

def compile_all(m, specs, folder, report):
    """Libraries for what PyTorch is compared with, programs for the rest."""
    arch = [w for a in m.archs() for w in ("-gencode", f"arch=compute_{a},code=sm_{a}")]

    def one(s):
        at = os.path.join(folder, "programs", s["name"])
        source = os.path.join(at, s["program"])
        common = [m.nvcc, "-std=c++17", "-O3", "-Werror", "all-warnings", *arch]
        done = []
        if s["kind"] != "speed":
            done.append(capture(*common, "-DUSE_CUBLASLT", "-DLIBRARY", "-DTRACE", "-shared", "-Xcompiler",
                                "-fPIC", "-o", source + ".so", source + ".cu", "-lcublasLt"))
        if s["kind"] == "ops-f32":      # the tiles of our own, too
            done.append(capture(*common, "-DLIBRARY", "-DTRACE", "-shared", "-Xcompiler", "-fPIC", "-o",
                                source + "-tiles.so", source + ".cu"))
        if s["kind"] in ("speed", "steps"):
            done.append(capture("make", "-B", f"NVCC={m.nvcc}", "ARCH=" + " ".join(m.archs()), cwd=at))
            done.append(capture("make", "-B", f"NVCC={m.nvcc}", "ARCH=" + " ".join(m.archs()), "CHECK=1",
                                cwd=at))
        if s["kind"] == "steps":
            done.append(capture("make", "-B", cwd=os.path.join(at, "c")))
        bad = [d for d in done if d.returncode]
        return s, bad[0].stdout.strip().splitlines()[-3:] if bad else None

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(one, specs))
    bad = [(s, text) for s, text in results if text]
    report.check(not bad, "compile", f"{len(specs) - len(bad)} of {len(specs)} specs for sm_" +
                 ", sm_".join(m.archs()) + ", with and without cuBLASLt")
    for s, text in bad:
        print("   ", s["name"], *text, sep="\n    ")
    return [s for s, text in results if not text]


def compared(folder, s, how, suffix):
    """In a process of its own: a program that breaks the context breaks no other."""
    code = f"""if True:
        import sys
        sys.path.insert(0, {PEER!r})
        import compare, ir, program
        at = {os.path.join(folder, "programs", s["name"])!r}
        off, where = compare.{how}(ir.Graph(open(at + "/graph.ir").read()),
                                   program.Program(at + "/{s['program']}{suffix}.so"))
        print("off", float(off), where)"""
    done = capture(sys.executable, "-c", code)
    found = re.search(r"^off (\S+) (.*)$", done.stdout, re.M)
    if not found:
        return float("nan"), (done.stdout.strip().splitlines() or ["no output"])[-1]
    return float(found.group(1)), found.group(2)


def against_pytorch(m, specs, folder, report):
    parts = [("ops-f32", "", "operators, f32", "operator_off", 1e-5),
             ("ops-f32", "-tiles", "operators, f32, no cuBLASLt", "operator_off", 1e-5),
             ("ops-f64", "", "operators, f64", "operator_off", 1e-10),
             ("steps", "", "five training steps", "steps_off", 1e-4)]
    for kind, suffix, what, how, limit in parts:
        mine = [s for s in specs if s["kind"] == kind]
        if not mine:
            continue
        if not m.torch:
            report.skip(what, "no PyTorch with NumPy: NOTHING WAS COMPARED")
            continue
        worst, bad = (0.0, "nothing"), []
        for s in mine:
            off, where = compared(folder, s, how, suffix)
            if not off <= limit:
                bad.append(f"{s['spec']}: {off:.2g} ({where})")
            elif off >= worst[0]:
                worst = off, f"{s['spec']}: {where}"
        report.check(not bad, what, f"{len(mine) - len(bad)} of {len(mine)} within {limit:g} of PyTorch f64; "
                     f"furthest {worst[0]:.2g} ({worst[1]})")
        for text in bad:
            print("   ", text)


def ran(program, *options, seed=1):
    """The records of a run's log."""
    log = program + ".jsonl"
    if os.path.exists(log):
        os.remove(log)
    done = capture(program, "--quiet", "--log", log, "--seed", str(seed), *options)
    if done.returncode:
        raise RuntimeError(done.stdout.strip().splitlines()[-1:] or [f"status {done.returncode}"])
    return [json.loads(line) for line in open(log)]


def losses(records):
    return [r["loss"] for r in records if r["event"] == "update"]


def against_c(specs, folder, report):
    for s in specs:
        at = os.path.join(folder, "programs", s["name"], "")
        what = f"CUDA against C, {s['spec']}"
        try:
            gpu = losses(ran(at + s["program"], "--steps", "20"))
            check = losses(ran(at + s["program"] + "-check", "--steps", "20"))
            cpu = losses(ran(at + "c/" + s["program"], "--steps", "20"))
        except RuntimeError as e:
            report.row("FAILED", what, str(e))
            continue
        off = max(abs(a - b) / max(abs(b), 1e-6) for a, b in zip(gpu, cpu))
        report.check(len(gpu) == len(cpu) == 20 and off <= 1e-3, what,
                     f"losses of {len(gpu)} updates within {off:.2g}")
        report.check(gpu == check, f"poisoned build, {s['spec']}", "the same losses" if gpu == check
                     else f"other losses: {check[:3]} for {gpu[:3]}")


def sanitized(m, specs, folder, report):
    for s in (s for s in specs if s["spec"] in ("lenet5", "resnet8")):
        for tool in ("memcheck", "racecheck", "synccheck"):
            what = f"{tool}, {s['spec']}"
            if not m.sanitizer:
                report.skip(what, "no compute-sanitizer: RACES WERE NOT LOOKED FOR")
                continue
            done = capture(m.sanitizer, "--tool", tool, "--error-exitcode", "3",
                           os.path.join(folder, "programs", s["name"], s["program"]), "--steps", "2",
                           "--quiet")
            lines = [w for w in done.stdout.splitlines() if "SUMMARY" in w] or done.stdout.splitlines()[-1:]
            report.check(done.returncode == 0, what, "; ".join(w.strip("= ") for w in lines))


def memory(specs, folder, report):
    for s in specs:
        what = f"planned against measured, {s['name']}"
        try:
            end = ran(os.path.join(folder, "programs", s["name"], s["program"]), "--steps", "10")[-1]
        except RuntimeError as e:
            report.row("FAILED", what, str(e))
            continue
        planned, measured, growth = end["planned_bytes"], end["measured_bytes"], end["growth_bytes"]
        # an arena below a block may share one that the context already has
        good = (measured >= planned or planned < BLOCK) and measured < planned + BLOCK and growth == 0
        report.check(good, what, f"{planned} planned, {measured} by cudaMemGetInfo (blocks of 2 MiB), "
                     f"{growth} more in 10 steps")


def same_bits(specs, folder, report):
    for s in specs:
        at = os.path.join(folder, "programs", s["name"], "")
        what, saved, logs = f"same seed, same bits, {s['spec']}", [], []
        try:
            for run, seed in enumerate((1, 1, 2)):
                file = at + f"bits-{run}.safetensors"
                logs.append(losses(ran(at + s["program"], "--steps", "10", "--save", file, seed=seed)))
                saved.append(open(file, "rb").read())
        except (RuntimeError, OSError) as e:
            report.row("FAILED", what, str(e))
            continue
        good = saved[0] == saved[1] and logs[0] == logs[1] and saved[0] != saved[2]
        report.check(good, what, f"checkpoints of {len(saved[0])} bytes after 10 updates" +
                     ("" if good else " DIFFER, or do not depend on the seed"))


def speed(m, specs, folder, report, runs, seconds):
    for s in specs:
        if not m.torch_gpu:
            report.skip(f"speed, {s['spec']}", "no PyTorch that sees the GPU: NO COMPARISON")
        program = os.path.join(folder, "programs", s["name"], s["program"])
        best = {}

        def note(who, result):
            if who not in best or result["samples_per_s"] > best[who]["samples_per_s"]:
                best[who] = result
        try:
            for _ in range(runs):       # in turns, so that what the machine does meanwhile hits all
                records = ran(program)
                rate = max(r["samples"] / r["seconds"] for r in records if r["event"] == "epoch")
                note("Stowage", {"samples_per_s": rate, "allocated": records[-1]["measured_bytes"],
                                 "reserved": records[-1]["measured_bytes"]})
                for mode in ("eager", "compile") if m.torch_gpu else ():
                    done = capture(sys.executable, os.path.join(HERE, "pytorch_gpu.py"), s["spec"],
                                   "--mode", mode, "--seconds", str(seconds))
                    if done.returncode:
                        raise RuntimeError(f"PyTorch {mode}: {done.stdout.strip().splitlines()[-1]}")
                    note("PyTorch " + mode, json.loads(done.stdout.strip().splitlines()[-1]))
        except RuntimeError as e:
            report.row("FAILED", f"speed, {s['spec']}", str(e))
        ours = best.get("Stowage")
        for who, r in best.items():
            ratio = "" if r is ours or not ours else \
                f"; Stowage is {ours['samples_per_s'] / r['samples_per_s']:.2f} x as fast, with " \
                f"{ours['reserved'] / r['reserved']:.2f} x the memory"
            report.row("measured", f"{who}, {s['spec']}", f"{r['samples_per_s']:.0f} samples/s; "
                       f"{r['allocated'] / 1048576:.1f} MiB used, {r['reserved'] / 1048576:.1f} MiB taken"
                       + ratio)


# ---- all of it ----

def run(m, specs, folder, args, report):
    if not m.nvcc:
        report.skip("compile", "no nvcc: NOTHING WAS COMPILED")
        specs = []
    else:
        specs = compile_all(m, specs, folder, report)
    if not m.gpu:
        report.skip("all that runs on a GPU", "no GPU here: THE GPU FIGURES ARE DUE")
        return
    steps = [s for s in specs if s["kind"] == "steps"]
    fast = [s for s in specs if s["kind"] == "speed"]
    against_pytorch(m, specs, folder, report)
    against_c(steps, folder, report)
    sanitized(m, steps, folder, report)
    memory(steps + fast, folder, report)
    same_bits(steps, folder, report)
    speed(m, fast, folder, report, args.runs, 1 if args.quick else 4)


def write(m, report):
    name = re.sub(r"[^A-Za-z0-9]+", "-", m.gpu).strip("-")
    folder = os.path.join(HERE, "results")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"{datetime.date.today()}-{name}.txt")
    with open(path, "w") as f:
        f.write("\n".join(m.lines() + [""] + report.rows) + "\n")
    print("written to", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--prepare", metavar="DIR")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", type=lambda t: t.split(","))
    args = parser.parse_args()
    if args.prepare:
        print(f"{len(prepare(args.prepare))} programs in {args.prepare}; run {args.prepare}/gpu.sh there")
        return 0
    m, report = Machine(), Report()
    print("\n".join(m.lines()), end="\n\n", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = HERE if PREPARED else scratch
        specs = json.load(open(os.path.join(HERE, "manifest.json"))) if PREPARED else prepare(folder)
        specs = [s for s in specs if (not args.only or s["spec"] in args.only) and
                 (not args.quick or s["kind"] != "ops-f64")]
        run(m, specs, folder, args, report)
    print(f"\n{report.failed} failed, {report.skipped} skipped")
    if not m.gpu:
        print("NO GPU: the GPU figures are due; run this on a machine that has one.")
        return 1 if report.failed else 77
    write(m, report)
    return report.failed > 0


sys.exit(main())
