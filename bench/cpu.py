#!/usr/bin/env python3
"""Times emitted C programs against PyTorch eager on the CPU: same network, batch, precision and
threads, alternating in one run, so that what the machine does meanwhile hits both alike.

    bench/cpu.py [--stowage ./stowage] [--python python3] [--threads N] [--runs 5] [--cblas] [NETWORK...]

Both have their samples before they begin, PyTorch in memory and the program in files, which it maps: drawing
random numbers, as the specs do by themselves, is no part of training.

PyTorch gets its fastest setting: each layout and thread count is tried first, and the best one is
what Stowage is measured against. Printed: samples/s of each side's fastest run, their ratio,
peak memory, and every setting that could matter.
"""
import argparse
import array
import json
import math
import os
import platform
import re
import struct
import subprocess
import sys
import tempfile
from random import Random

HERE = os.path.dirname(os.path.abspath(__file__))
NETWORKS = {"lenet5": ("lenet5.nn", 2.0), "resnet18": ("resnet18.nn", 6.0), "gpt": ("gpt.nn", 10.0),
            "vit": ("vit.nn", 6.0), "lstm": ("lstm.nn", 3.0), "mobilenet_v2": ("mobilenet_v2.nn", 6.0)}

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
parser.add_argument("networks", nargs="*", default=list(NETWORKS), metavar="NETWORK")
parser.add_argument("--stowage", default="./stowage")
parser.add_argument("--python", default=sys.executable, help="one that has torch")
parser.add_argument("--threads", type=int, default=os.cpu_count())
parser.add_argument("--runs", type=int, default=5)
parser.add_argument("--cblas", action="store_true", help="build the C program with CBLAS=1")
args = parser.parse_args()


def cpu():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def pytorch(network, threads, layout, seconds):
    done = subprocess.run([args.python, f"{HERE}/pytorch_cpu.py", network, "--threads", str(threads),
                           "--layout", layout, "--seconds", str(seconds)],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"bench: PyTorch failed:\n{done.stderr}")
    return json.loads(done.stdout)


def stowage(program, folder):
    log = os.path.join(folder, "log.jsonl")
    if os.path.exists(log):
        os.remove(log)
    with tempfile.TemporaryFile() as null:
        pid = subprocess.Popen([program, "--log", log, "--threads", str(args.threads)], stdout=null,
                               cwd=folder)
        _, status, usage = os.wait4(pid.pid, 0)
    if status:
        sys.exit(f"bench: {program} ended with status {status}")
    records = [json.loads(line) for line in open(log)]
    speed = max(r["samples"] / r["seconds"] for r in records if r["event"] == "epoch")
    return {"samples_per_s": speed, "peak_kib": usage.ru_maxrss}


STAGED = re.compile(r"^\s*(?:input|target)\s+(\w+)\s*:\s*(f32|tokens|class)\[([^\]]*)\]", re.M)
SYNTHETIC = re.compile(r"synthetic\(samples=(\d+)\)")


def write_npy(path, kind, shape, draw):
    """Numbers that repeat after a while, since drawing all of them would take longer than the runs."""
    count = math.prod(shape)
    some = array.array("f" if kind == "f32" else "i", (draw() for _ in range(min(count, 1 << 18)))).tobytes()
    header = f"{{'descr': '<{'f4' if kind == 'f32' else 'i4'}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header.ljust(117).encode() + b"\n")
        for at in range(0, 4 * count, len(some)):
            f.write(some[:4 * count - at])


def with_files(network, folder):
    """The spec, with files of samples in place of those that it would draw."""
    text = open(f"{HERE}/specs/{NETWORKS[network][0]}").read()
    samples, files, random = int(SYNTHETIC.search(text).group(1)), [], Random(1)
    for name, kind, inside in STAGED.findall(text):
        dims = [int(d) for d in re.findall(r"\d+", inside)]
        classes = dims.pop(0) if kind == "class" else dims.pop() if kind == "tokens" else 0
        draw = (lambda classes=classes: random.randrange(classes)) if classes else (lambda: random.gauss(0, 1))
        write_npy(f"{folder}/{name}.npy", kind, [samples, *dims], draw)
        files.append(f'"{name}.npy"')
    path = f"{folder}/{network}.nn"
    with open(path, "w") as f:
        f.write(SYNTHETIC.sub(f"npy({', '.join(files)})", text))
    return path


def build(network, folder):
    command = [args.stowage, "build", "--force", "--target", "c", "--threads", str(args.threads), "-o", folder,
               with_files(network, folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    program = os.path.join(folder, network)
    if args.cblas:
        subprocess.run(["make", "-B", "-C", folder, "CBLAS=1"], check=True, stdout=subprocess.DEVNULL)
    makefile = open(os.path.join(folder, "Makefile")).read()
    flags = re.search(r"^CFLAGS\s*[?:+]?=\s*(.*)$", makefile, re.M)
    return program, flags.group(1) if flags else "?"


print(f"CPU: {cpu()}, {args.threads} threads")
settings = {k: v for k, v in os.environ.items() if k.startswith(("OMP_", "OPENBLAS_", "MKL_", "GOMP_"))}
print("environment:", settings or "no OMP_*, OPENBLAS_*, MKL_* or GOMP_* set")
versions = subprocess.run([args.python, "-c", "import torch; print(torch.__version__); print(torch.__config__.parallel_info())"],
                          capture_output=True, text=True)
if versions.returncode:
    print("SKIPPED: no PyTorch for", args.python)
    sys.exit(77)
print("PyTorch", " ".join(versions.stdout.split("\n")[:1]))
worst = None
for network in args.networks:
    with tempfile.TemporaryDirectory() as folder:
        program, flags = build(network, folder)
        seconds = NETWORKS[network][1]
        tried = {(t, layout): pytorch(network, t, layout, seconds / 2)["samples_per_s"]
                 for t in sorted({1, args.threads}) for layout in ("contiguous", "channels_last")}
        threads, layout = max(tried, key=tried.get)
        ours, theirs = [], []
        for _ in range(args.runs):
            ours.append(stowage(program, folder))
            theirs.append(pytorch(network, threads, layout, seconds))
    a = max(r["samples_per_s"] for r in ours)
    b = max(r["samples_per_s"] for r in theirs)
    m = max(r["peak_kib"] for r in ours) / 1024
    n = min(r["peak_kib"] for r in theirs) / 1024
    print(f"{network}: Stowage {a:.0f} samples/s ({'CBLAS' if args.cblas else 'own products'}, {flags}), "
          f"PyTorch {b:.0f} ({threads} threads, {layout}): ratio {a / b:.2f}; "
          f"peak memory {m:.1f} MiB against {n:.1f} MiB above its import: ratio {m / n:.2f}")
