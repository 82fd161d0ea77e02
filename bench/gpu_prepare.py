"""Emits all programs that bench/gpu.sh compares, and packs them so that they run without Stowage.

A case is a program: its id, spec and precision, where its source is, and what the plan says of it.
"""
import concurrent.futures
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

import gpu_stages

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
PEER = os.path.join(ROOT, "tests", "peer")
SCRIPTS = ("gpu.sh", "gpu.py", "gpu_prepare.py", "gpu_machine.py", "gpu_parts.py", "gpu_report.py",
           "gpu_speed.py", "gpu_stages.py", "gpu_worker.py", "pytorch_gpu.py", "models.py", "cudnn_device.c")

OPERATORS = ("f32", "bf16", "f16", "tf32", "f64")
STEPS = {"lenet5": ("f32", "bf16", "f16"), "resnet8": ("f32", "bf16", "f16"),
         "decoder": ("f32", "bf16", "f16"), "head": ("f32",), "momentum": ("f32",)}
# network: batches (the first is measured first), optimizer
SPEED = {
    "lenet5": ((64, 1024), "adam(lr=1e-3)"),
    "resnet18": ((256, 64), "sgd(lr=0.01, momentum=0.9, weight_decay=1e-4)"),
    "resnet50": ((128, 32), "sgd(lr=0.01, momentum=0.9, weight_decay=1e-4)"),
    "vgg16": ((64, 16), "sgd(lr=0.01, momentum=0.9, weight_decay=1e-4)"),
    "unet": ((8, 2), "sgd(lr=0.01, momentum=0.9, weight_decay=1e-4)"),
}
SPEED_PRECISIONS = ("bf16", "f32", "tf32")
# what each of these gains is measured on a network that launches rule, and on one that work does
PASSES = ("branches", "bias-gradients", "fuse-activation", "fuse-loss", "fuse-norm", "formula-in-norm",
          "spare", "updates-together")
PASSES_ON = (("lenet5", "f32"), ("resnet50", "bf16"))
LARGEST = ("unet", "vgg16")     # a sample of theirs takes much, so that one more is felt


def stowage():
    program = os.path.abspath(os.environ.get("STOWAGE", os.path.join(ROOT, "stowage")))
    if not os.access(program, os.X_OK):
        sys.exit(f"gpu.py: {program} is not there: build Stowage, or name it by STOWAGE")
    return program


def output(*command, cwd=None):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[:3])} ...: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def card_here(card):
    """The card, as its driver calls it, if Stowage knows it, or None."""
    spec = os.path.join(ROOT, "specs", "lenet5.nn")
    known = subprocess.run([stowage(), "plan", "--no-config", "--format", "json", "--device", card, spec],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    return card if known else None


def for_training(text, batch, precision, optimizer, data, device):
    """The network of a spec alone, to be trained as the comparison wants it."""
    text = re.sub(r"^(train|validate|device)\s*\{[^}]*\}.*\n", "", text, flags=re.M)
    text = re.sub(r"^\s*metric .*\n", "", text, flags=re.M)
    return text + f"train {{\n  batch {batch}\n  precision {precision}\n  epochs 1\n  optimizer " \
        f"{optimizer}\n  data {data}\n}}\n" + (f'device {{ name "{device}" }}\n' if device else "")


def with_precision(text, precision, device):
    """A spec of tests/ops, which says f64, or of tests/peer, which says nothing."""
    if "precision f64" in text:
        text = text.replace("precision f64", f"precision {precision}")
    else:
        text = text.replace("train {", f"train {{\n  precision {precision}", 1)
    return text + (f'device {{ name "{device}" }}\n' if device else "")


def data_files(network):
    kind = {"lenet5": "digits", "unet": "cells"}.get(network, "photos")
    return kind, f'npy("{kind}-x.npy", "{kind}-y.npy")'


def calls_libraries(text):
    """Is a program another one without cuBLASLt and cuDNN? One of C stands for either."""
    return "<cuda_runtime.h>" not in text or "cublasLtMatmul(" in text or "cudnnBackendExecute(" in text


class Preparation:
    def __init__(self, folder, args):
        self.folder, self.target, self.device = os.path.abspath(folder), args.target, args.device
        self.stowage, self.only, self.stage = stowage(), args.only, args.stage
        self.scratch, self.jobs, self.cases = None, [], []

    def wanted(self, spec):
        return not self.only or spec in self.only

    def add(self, id, text, kind, spec, precision, options=(), graph=False, c=False, **facts):
        case = {"id": id, "kind": kind, "spec": spec, "precision": precision, **facts}
        if gpu_stages.keeps(self.stage, case):
            self.jobs.append((id, text, options, graph, c))
            self.cases.append(case)

    def emit(self, job, case):
        id, text, options, graph, c = job
        out = os.path.join(self.folder, "programs", id)
        os.makedirs(out, exist_ok=True)
        at = os.path.join(self.scratch, id)
        os.makedirs(at)
        spec = case["spec"] + ".nn"     # by this name the program knows it, wherever it was made
        open(os.path.join(at, spec), "w").write(text)
        threads = ("--threads", "2")
        for target in (self.target, "c") if c and self.target != "c" else (self.target,):
            to = os.path.join(out, "c") if target != self.target else out
            os.makedirs(to, exist_ok=True)
            output(self.stowage, "emit", "--no-config", "--force", "--target", target,
                   *(threads if target == "c" else ()), *options, "-o", os.path.join(to, ""), spec,
                   cwd=at)
        of_target = ("--no-config", "--target", self.target, *(threads if self.target == "c" else ()))
        if graph:
            open(os.path.join(out, "graph.ir"), "w").write(
                output(self.stowage, "plan", "--dump-after=phases", *of_target, *options, spec, cwd=at))
        plan = json.loads(output(self.stowage, "plan", "--format", "json", *of_target, *options, spec,
                                 cwd=at))
        least = plan["with_least_bytes"] or plan
        case["arena_bytes"] = plan["arena_bytes"]
        case["least_bytes"] = least["arena_bytes"]
        case["pytorch_bytes"] = plan["pytorch_eager_bytes"]
        source = next(f for f in sorted(os.listdir(out)) if f.endswith((".cu", ".c")))
        case["program"] = source.rsplit(".", 1)[0]
        case["libraries"] = calls_libraries(open(os.path.join(out, source)).read())

    def operators(self):
        for path in sorted(glob.glob(os.path.join(ROOT, "tests", "ops", "*.nn"))):
            spec, text = os.path.basename(path)[:-3], open(path).read()
            for precision in OPERATORS if self.wanted(spec) else ():
                self.add(f"ops-{precision}/{spec}", with_precision(text, precision, self.device), "ops",
                         spec, precision, ("--input-gradients",), graph=True)

    def steps(self):
        for spec, precisions in STEPS.items():
            text = open(os.path.join(PEER, spec + ".nn")).read()
            for precision in precisions if self.wanted(spec) else ():
                self.add(f"steps-{precision}/{spec}", with_precision(text, precision, self.device),
                         "steps", spec, precision, graph=True, c=precision == "f32")

    def speed(self):
        for network, (batches, optimizer) in SPEED.items():
            text = open(os.path.join(ROOT, "specs", network + ".nn")).read()
            kind, data = data_files(network)
            for batch in batches if self.wanted(network) else ():
                for precision in SPEED_PRECISIONS:
                    self.add(f"speed/{network}-{precision}-{batch}", for_training(
                        text, batch, precision, optimizer, data, self.device), "speed", network,
                        precision, batch=batch, main=batch == batches[0], data=kind)

    def passes(self):
        """The programs of speed() once more, each without a pass."""
        for network, precision in PASSES_ON:
            (batch, _), optimizer = SPEED[network]
            text = open(os.path.join(ROOT, "specs", network + ".nn")).read()
            kind, data = data_files(network)
            for name in PASSES if self.wanted(network) else ():
                self.add(f"passes/{network}-{name}", for_training(
                    text, batch, precision, optimizer, data, self.device), "passes", network, precision,
                    ("--without", name), data=kind, without=name,
                    beside=f"speed/{network}-{precision}-{batch}")

    def largest(self):
        """The largest batch that fits the device, and one more."""
        for network in LARGEST if self.device else ():
            if not self.wanted(network):
                continue
            text = open(os.path.join(ROOT, "specs", network + ".nn")).read()

            def spec(batch):
                return for_training(text, batch, "f32", SPEED[network][1],
                                    f"synthetic(samples={batch})", self.device)
            path = os.path.join(self.scratch, network + ".nn")
            open(path, "w").write(spec(1))
            fit = json.loads(output(self.stowage, "fit", "--no-config", "--format", "json", "--target",
                                    self.target, path))
            for more in (0, 1):
                batch = fit["batch"] + more
                open(path, "w").write(spec(batch))
                found = subprocess.run([self.stowage, "lint", "--no-config", "--target", self.target,
                                        "--select", "oom,device-reserve", "--fail-on", "warning", path],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
                # for speed a program makes again what it must to fit, and one more would run
                self.add(f"largest/{network}-{batch}", spec(batch), "largest", network, "f32",
                         ("--objective", "memory"), batch=batch, more=more, lint_status=found,
                         memory_bytes=fit["memory_bytes"], limit_bytes=fit["limit_bytes"])

    def reserve(self):
        """What the plan adds to the arena for a process on this card: context and code. The driver's
        share is taken before any process comes."""
        path = os.path.join(self.scratch, "reserve.nn")
        text = open(os.path.join(ROOT, "specs", "lenet5.nn")).read()
        open(path, "w").write(for_training(text, 64, "f32", "sgd(lr=0.01)", "synthetic(samples=64)",
                                           self.device))
        fit = json.loads(output(self.stowage, "fit", "--no-config", "--format", "json", "--target",
                                self.target, *(() if self.device else ("--memory", "16GiB")), path))
        return [r for r in fit["reserve"] if "driver" not in r["what"]]

    def run(self):
        with tempfile.TemporaryDirectory() as self.scratch:
            self.operators()
            self.steps()
            self.speed()
            self.passes()
            self.largest()
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                list(pool.map(self.emit, self.jobs, self.cases))
            return {"target": self.target, "device": self.device, "reserve": self.reserve(),
                    "stowage": output(self.stowage, "--version").split("\n")[0], "cases": self.cases,
                    "digest": digest(self.folder, self.scratch)}


def digest(folder, scratch):
    """What the programs are, wherever their specs lay: results of one set are no results of another."""
    total = hashlib.sha256()
    programs = os.path.join(folder, "programs")
    for at, folders, files in os.walk(programs):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(at, name)
            total.update(os.path.relpath(path, programs).encode() + b"\0")
            total.update(open(path, "rb").read().replace(scratch.encode(), b""))
    return total.hexdigest()[:12]


def prepare(folder, args):
    """Emits into the folder; returns the manifest."""
    os.makedirs(folder, exist_ok=True)
    shutil.rmtree(os.path.join(folder, "programs"), ignore_errors=True)
    return Preparation(folder, args).run()


def pack(folder, manifest):
    """Leaves in the folder what another machine needs: thousands of files with the same kernels in
    each make a small archive."""
    programs = os.path.join(folder, "programs")
    if not os.path.isdir(programs):
        raise SystemExit("gpu.py: --only names no program that is prepared")
    with tarfile.open(os.path.join(folder, "programs.tar.xz"), "w:xz", preset=1) as tar:
        tar.add(programs, "programs")
    shutil.rmtree(programs)
    for name in SCRIPTS:
        shutil.copy(os.path.join(HERE, name), folder)
    os.makedirs(os.path.join(folder, "peer"), exist_ok=True)
    for path in glob.glob(os.path.join(PEER, "*.py")):
        shutil.copy(path, os.path.join(folder, "peer"))
    with open(os.path.join(folder, "manifest.json"), "w") as f:
        json.dump(manifest, f, indent=1)


def unpack(prepared, work):
    """The programs of a prepared folder, in a folder where they can be built."""
    manifest = json.load(open(os.path.join(prepared, "manifest.json")))
    mark = os.path.join(work, "digest")
    if not os.path.exists(mark) or open(mark).read() != manifest["digest"]:
        shutil.rmtree(os.path.join(work, "programs"), ignore_errors=True)
        os.makedirs(work, exist_ok=True)
        with tarfile.open(os.path.join(prepared, "programs.tar.xz")) as tar:
            tar.extractall(work)
        open(mark, "w").write(manifest["digest"])
    return manifest
