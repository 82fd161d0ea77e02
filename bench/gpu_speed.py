"""The speed of emitted programs, in turns with PyTorch's (the part "speed" of bench/gpu.sh), and with
their own without one pass or another ("passes")."""
import array
import json
import os
import random
import subprocess
import sys
import threading

from gpu_machine import HERE, Watch
from gpu_parts import Failure, Item, ran, row

# What is aimed at, as ratios of samples/s to eager and to the faster of the compiled, and in which precision alone.
TARGETS = {"lenet5": (5, 2, None), "resnet18": (1.2, 1.2, "bf16"), "resnet50": (1.2, 1.2, "bf16"),
           "vgg16": (1.1, 1.1, None), "unet": (1.2, 1.2, "bf16")}
MEMORY_TARGET = 0.75    # of PyTorch eager's allocated peak

# file: shape of a sample, classes, shape of a label, samples
DATA = {"digits": ((1, 28, 28), 10, (), 61440), "photos": ((3, 224, 224), 1000, (), 2048),
        "cells": ((1, 572, 572), 2, (388, 388), 128)}


def product(shape):
    n = 1
    for d in shape:
        n *= d
    return n


def write_npy(path, kind, shape, words):
    """The WORDS over and over, as many as the shape needs."""
    header = f"{{'descr': '<{kind}4', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    left = 4 * product(shape)
    with open(path + ".part", "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
        while left:
            left -= f.write(words[:left])
    os.rename(path + ".part", path)


def make_data(folder, name, part=1.0):
    """Random samples and labels as files: what a program reads should not be made while it is timed."""
    os.makedirs(folder, exist_ok=True)
    shape, classes, label, samples = DATA[name]
    samples = max(int(samples * part), 1)
    if not os.path.exists(os.path.join(folder, name + "-y.npy")):
        dice = random.Random(1)
        numbers = array.array("f", (dice.gauss(0, 1) for _ in range(99991)))
        write_npy(os.path.join(folder, name + "-x.npy"), "f", (samples, *shape), numbers.tobytes())
        numbers = array.array("i", (dice.randrange(classes) for _ in range(9973)))
        write_npy(os.path.join(folder, name + "-y.npy"), "i", (samples, *label), numbers.tobytes())
    return folder


class Peer:
    """PyTorch in a process of its own, warm in each mode, that trains when it is asked."""

    def __init__(self, run, case):
        self.modes = {}
        # what its compiler makes serves the next call as well
        environment = {"TORCHINDUCTOR_CACHE_DIR": os.path.join(run.machine.work, "inductor"), **os.environ}
        self.log = os.path.join(run.machine.work, "pytorch.log")
        self.process = subprocess.Popen(
            [sys.executable, os.path.join(HERE, "pytorch_gpu.py"), case["spec"], "--batch",
             str(case["batch"]), "--precision", case["precision"], "--device", run.machine.torch_device,
             "--modes", ",".join(run.args.modes), "--warm", str(run.args.warm)], text=True,
            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=open(self.log, "w"))
        self.timer = threading.Timer(run.time(540), self.process.kill)
        self.timer.start()
        for _ in run.args.modes:
            said = self.read()
            self.modes[said.pop("mode")] = said

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            said = open(self.log).read().strip().splitlines() or ["it ended without a word"]
            raise Failure("PyTorch: " + said[-1])
        return json.loads(line)

    def train(self, mode, seconds):
        self.process.stdin.write(f"{mode} {seconds}\n")
        self.process.stdin.flush()
        return self.read()["samples_per_s"]

    def close(self):
        self.timer.cancel()
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def rate(records):
    """Samples a second without the first epoch, in which caches fill, where there is another."""
    epochs = [r for r in records if r["event"] == "epoch"]
    last = {}
    for r in epochs:
        last[r["epoch"]] = r
    counted = list(last.values())[1:] or list(last.values())
    return sum(r["samples"] for r in counted) / sum(r["seconds"] for r in counted)


def ours(run, case, epochs):
    limit = ("--batch-limit", str(run.args.batch_limit)) if run.args.batch_limit else ()
    with Watch(run.machine.nvml, every=0.1) as watch:
        records, _ = ran(run, case, "--quiet", "--epochs", str(epochs), *limit)
    return rate(records), records[-1], watch.taken(), records


def met(ratio, target, least=True):
    """"met", or by how much a target is missed, in the words of the table."""
    if target is None:
        return ""
    off = ratio / target - 1
    if off >= 0 if least else off <= 0:
        return "met"
    return f"missed by {abs(off):.0%}"


def speed(run):
    cases = run.cases("speed")
    # bf16 first, then f32; the first batch of each network before the second
    order = {"bf16": 0, "f32": 1, "tf32": 2}
    for case in sorted(cases, key=lambda c: (not c["main"], order[c["precision"]])):
        yield Item("speed", case["id"], lambda case=case: one_speed(run, case), [(case, "program")],
                   seconds=25 + (60 if len(run.args.modes) > 1 else 0))


def epochs_to_measure(run, case):
    """An epoch's length is learnt from a short run, so that each lasts as long as PyTorch's."""
    first, _, _, records = ours(run, case, 2)
    samples = max(r["samples"] for r in records if r["event"] == "epoch")
    return 1 + max(1, min(2000, round(run.args.seconds * first / samples)))


def one_speed(run, case):
    rates, peer = {"Stowage": []}, None
    try:
        epochs = epochs_to_measure(run, case)
        if run.machine.torch_device:
            peer = Peer(run, case)
        for _ in range(run.args.runs):      # in turns, so that what the machine does meanwhile hits all
            speed_of, end, taken, _ = ours(run, case, epochs)
            rates["Stowage"].append(speed_of)
            for mode, said in peer.modes.items() if peer else ():
                if "error" not in said:
                    rates.setdefault(mode, []).append(peer.train(mode, run.args.seconds))
    finally:
        if peer:
            peer.close()
    return judge(case, {who: max(r) for who, r in rates.items()}, end, taken, peer)


def judge(case, best, end, taken, peer):
    """The row of a case from the fastest run of each."""
    eager_target, compiled_target, only = TARGETS[case["spec"]]
    # an arena below a block may share one that the context already has
    arena = max(end["measured_bytes"], end["planned_bytes"])
    if only and case["precision"] != only:
        eager_target = compiled_target = None
    compiled = max((m for m in best if m not in ("Stowage", "eager")), key=best.get, default=None)
    figures = {"network": case["spec"], "batch": case["batch"], "precision": case["precision"],
               "samples_per_s": best, "compiled_mode": compiled, "arena": arena,
               "process": taken, "targets": {}, "peer": peer.modes if peer else {}}
    text = f"{best['Stowage']:.0f} samples/s"
    if "eager" in best:
        ratio = best["Stowage"] / best["eager"]
        figures["eager_ratio"] = ratio
        figures["targets"]["eager"] = [eager_target, met(ratio, eager_target)]
        share = case["least_bytes"] / max(peer.modes["eager"]["allocated"], 1)
        figures["memory_ratio"] = share
        figures["targets"]["memory"] = [MEMORY_TARGET, met(share, MEMORY_TARGET, least=False)]
        text += f", {ratio:.2f} x eager, {share:.2f} of its memory as planned with the fewest bytes"
    if compiled:
        ratio = best["Stowage"] / best[compiled]
        figures["compiled_ratio"] = ratio
        figures["targets"]["compiled"] = [compiled_target, met(ratio, compiled_target)]
        text += f", {ratio:.2f} x torch.compile ({compiled})"
    for mode, said in figures["peer"].items():
        if "error" in said:
            text += f"; PyTorch {mode} failed: {said['error']}"
    if not peer:
        text += "; no PyTorch that sees the GPU: NO COMPARISON"
    return row("measured", text, **figures)


def passes(run):
    whole = {c["id"]: c for c in run.manifest["cases"]}
    for case in run.cases("passes"):
        yield Item("passes", case["id"], lambda case=case: one_pass(run, case, whole[case["beside"]]),
                   [(case, "program"), (whole[case["beside"]], "program")], seconds=25)


def one_pass(run, without, whole):
    """What a pass gains: both programs in turns, and the fastest run of each."""
    epochs = epochs_to_measure(run, whole)
    best = {"with": 0, "without": 0}
    for _ in range(run.args.runs):
        for which, case in (("with", whole), ("without", without)):
            best[which] = max(best[which], ours(run, case, epochs)[0])
    return row("measured", f"{best['with'] / best['without']:.3f} x the samples/s without "
               f"{without['without']} ({best['with']:.0f} to {best['without']:.0f})",
               samples_per_s=best, without=without["without"], network=without["spec"])
