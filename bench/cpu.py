#!/usr/bin/env python3
"""Times emitted C programs against PyTorch eager on the CPU: same network, batch, precision and
threads, alternating in one run, so that what the machine does meanwhile hits both alike.

    bench/cpu.py [--stowage ./stowage] [--python python3] [--threads N] [--runs 5] [--epochs N] [--cblas]
                 [--setting THREADS/LAYOUT] [--folder FOLDER] [NETWORK...]

Both have their samples before they begin, PyTorch in memory and the program in files, which it maps: drawing
random numbers, as the specs do by themselves, is no part of training.

PyTorch gets its fastest setting: each layout (of networks that see images) and thread count is tried first, for
some updates, and the best one is what Stowage is measured against; --setting names one that is known to be. A process
of it stays for all turns, asleep while the program runs. Printed: samples/s of each side's fastest epoch,
their ratio, peak memory, and every setting that could matter.

With --folder programs are kept, by threads and products, and are not built again if they are there, whatever
Stowage then is: `--runs 0` builds alone.
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
import time
from random import Random

from cpu_peer import PyTorch

HERE = os.path.dirname(os.path.abspath(__file__))
TRIED = 8       # updates, of a setting
NETWORKS = ("lenet5", "resnet18", "gpt", "vit", "lstm", "mobilenet_v2")

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
parser.add_argument("networks", nargs="*", default=NETWORKS, metavar="NETWORK")
parser.add_argument("--stowage", default="./stowage")
parser.add_argument("--python", default=sys.executable, help="one that has torch")
parser.add_argument("--threads", type=int, default=os.cpu_count())
parser.add_argument("--runs", type=int, default=5)
parser.add_argument("--epochs", type=int, help="of a run, instead of the spec's")
parser.add_argument("--setting", help="PyTorch's, instead of trying which is fastest")
parser.add_argument("--folder", help="where programs are kept")
parser.add_argument("--cblas", action="store_true", help="build the C program with CBLAS=1")
args = parser.parse_args()


def cpu():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def fastest(network, updates):
    """The process and the number of threads of PyTorch's fastest setting."""
    if args.setting:
        threads, layout = args.setting.split("/")
        return PyTorch(args.python, network, layout), int(threads)
    images = SYNTHETIC_IMAGES.search(spec(network))
    tried = []
    for layout in ("contiguous", "channels_last")[:2 if images else 1]:
        process = PyTorch(args.python, network, layout)
        for threads in sorted({1, args.threads}):
            speed = process.run(threads, min(updates, TRIED), 1)["samples_per_s"]
            print(f"{network}: PyTorch {threads}/{process.layout}: {speed:.0f} samples/s", flush=True)
            tried.append((speed, threads, process))
    best = max(tried, key=lambda t: t[0])
    for process in {t[2] for t in tried} - {best[2]}:
        process.end()
    return best[2], best[1]


def stowage(program, folder):
    log = os.path.join(folder, "log.jsonl")
    if os.path.exists(log):
        os.remove(log)
    with tempfile.TemporaryFile() as null:
        epochs = ["--epochs", str(args.epochs)] if args.epochs else []
        pid = subprocess.Popen([program, "--log", log, "--threads", str(args.threads), *epochs], stdout=null,
                               cwd=folder)
        _, status, usage = os.wait4(pid.pid, 0)
    if status:
        sys.exit(f"bench: {program} ended with status {status}")
    records = [json.loads(line) for line in open(log)]
    speed = max(r["samples"] / r["seconds"] for r in records if r["event"] == "epoch")
    return {"samples_per_s": speed, "peak_kib": usage.ru_maxrss}


STAGED = re.compile(r"^\s*(?:input|target)\s+(\w+)\s*:\s*(f32|tokens|class)\[([^\]]*)\]", re.M)
SYNTHETIC_IMAGES = re.compile(r"^\s*input\s+\w+\s*:\s*f32\[\d+, *\d+, *\d+\]", re.M)
SYNTHETIC = re.compile(r"synthetic\(samples=(\d+)\)")


def spec(network):
    return open(f"{HERE}/specs/{network}.nn").read()


def number(network, word):
    return int(re.search(rf"\b{word}\s+(\d+)", spec(network)).group(1))


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
    text = spec(network)
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
    program, makefile = os.path.join(folder, network), os.path.join(folder, "Makefile")
    if not os.path.exists(program):
        os.makedirs(folder, exist_ok=True)
        command = [args.stowage, "build", "--force", "--target", "c", "--threads", str(args.threads), "-o", folder,
                   with_files(network, folder)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        if args.cblas:
            subprocess.run(["make", "-B", "-C", folder, "CBLAS=1"], check=True, stdout=subprocess.DEVNULL)
    flags = re.search(r"^CFLAGS\s*[?:+]?=\s*(.*)$", open(makefile).read(), re.M)
    return program, flags.group(1) if flags else "?"


def compare(network, folder):
    program, flags = build(network, folder)
    if not args.runs:
        return
    updates = int(SYNTHETIC.search(spec(network)).group(1)) // number(network, "batch")
    epochs = args.epochs or number(network, "epochs")
    process, threads = fastest(network, updates)
    ours, theirs = [], []
    for _ in range(args.runs):
        ours.append(stowage(program, folder))
        theirs.append(process.run(threads, updates, epochs))
        print(f"{network}: {ours[-1]['samples_per_s']:.1f}, PyTorch {theirs[-1]['samples_per_s']:.1f} samples/s", flush=True)
    process.end()
    a = max(r["samples_per_s"] for r in ours)
    b = max(r["samples_per_s"] for r in theirs)
    m = max(r["peak_kib"] for r in ours) / 1024
    n = theirs[-1]["peak_kib"] / 1024
    print(f"{network}: Stowage {a:.0f} samples/s ({'CBLAS' if args.cblas else 'own products'}, {flags}), "
          f"PyTorch {b:.0f} ({threads} threads, {process.layout}): ratio {a / b:.2f}; "
          f"peak memory {m:.1f} MiB against {n:.1f} MiB above its import: ratio {m / n:.2f}", flush=True)


print(f"CPU: {cpu()}, {args.threads} threads")
settings = {k: v for k, v in os.environ.items() if k.startswith(("OMP_", "OPENBLAS_", "MKL_", "GOMP_"))}
print("environment:", settings or "no OMP_*, OPENBLAS_*, MKL_* or GOMP_* set")
versions = subprocess.run([args.python, "-c", "from importlib.metadata import version; print(version('torch'))"],
                          capture_output=True, text=True)
if versions.returncode:
    print("SKIPPED: no PyTorch for", args.python)
    sys.exit(77)
print("PyTorch", versions.stdout.strip())
for network in args.networks:
    with tempfile.TemporaryDirectory() as folder:
        kept = f"{network}-{args.threads}{'-cblas' if args.cblas else ''}"
        compare(network, os.path.join(os.path.abspath(args.folder or folder), kept))
