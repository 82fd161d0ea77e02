#!/usr/bin/env python3
"""Places the buffers of the packing instances, and plans ever longer chains of layers.

    bench/packing.py [--stowage ./stowage] [--minimalloc PROGRAM] [--timeout 60] [--nodes 1000,...] [CSV...]

Each instance named NAME.CAPACITY.csv is first asked whether it fits its capacity, by Stowage and,
where its program is given or found, by minimalloc (github.com/google/minimalloc); then for the
smallest arena. Times are wall clock of the whole process, one core each. Traces of more than 10,000
buffers are placed once more with all sizes odd, and so is what two and three such make together.
Then specs of 1,000,
10,000 and 100,000 operators, in blocks of five with a skip, are planned.
"""
import argparse
import csv
import glob
import gzip
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
parser.add_argument("instances", nargs="*", metavar="CSV",
                    default=sorted(glob.glob(f"{HERE}/../tests/packing/*.csv*")))
parser.add_argument("--stowage", default="./stowage")
parser.add_argument("--minimalloc", default=shutil.which("minimalloc"))
parser.add_argument("--timeout", type=int, default=60)
parser.add_argument("--nodes", default="1000,10000,99980")
args = parser.parse_args()


def timed(command):
    start = time.time()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=args.timeout + 30)
    except subprocess.TimeoutExpired:
        return None, time.time() - start
    return done, time.time() - start


def number(report, name):
    found = re.search(rf"^  {name} +([\d,]+) B", report, re.M)
    return int(found.group(1).replace(",", "")) if found else None


def instance(path, folder):
    name = re.sub(r"\.gz$", "", os.path.basename(path))
    if path.endswith(".gz"):
        with gzip.open(path) as packed, open(f"{folder}/{name}", "wb") as plain:
            shutil.copyfileobj(packed, plain)
        path = f"{folder}/{name}"
    capacity = re.search(r"\.(\d+)\.csv$", name)
    ours = theirs = "-"
    if capacity:
        done, seconds = timed([args.stowage, "plan", "--buffers", path, "--capacity",
                               capacity.group(1)])
        ours = f"{seconds:.3f}" if done and done.returncode == 0 else "none found"
        if args.minimalloc:
            done, seconds = timed([args.minimalloc, f"--capacity={capacity.group(1)}",
                                   f"--input={path}", f"--output={folder}/out.csv",
                                   f"--timeout={args.timeout}s"])
            theirs = f"{seconds:.3f}" if done and done.returncode == 0 else "none found"
    done, seconds = timed([args.stowage, "plan", "--buffers", path])
    if not done or done.returncode:
        sys.exit(f"bench: {path}: {done.stderr if done else 'too long'}")
    report = done.stdout
    buffers = re.search(r"buffers +([\d,]+)$", report, re.M).group(1)
    bound, arena = number(report, "lower bound"), number(report, "arena")
    print(f"| {name} | {buffers} | {bound:,} | {ours} | {theirs} | {arena:,} | "
          f"{arena / max(bound, 1):.4f} | {'yes' if 'proved optimal' in report and 'not proved' not in report else 'no'} | "
          f"{seconds:.2f} |", flush=True)


def odd(rows, chance):
    return [(a, b, int(size * chance.uniform(0.5, 1.5)) + 1) for a, b, size in rows]


def variants(path, folder):
    with (gzip.open(path, "rt") if path.endswith(".gz") else open(path)) as f:
        rows = [tuple(int(row[key]) for key in ("lower", "upper", "size"))
                for row in csv.DictReader(f)]
    if len(rows) < 10000:
        return
    end = max(upper for _, upper, _ in rows)
    chance = random.Random(1)
    mirrored = [(end - b, end - a, size) for a, b, size in rows]
    shifted = [[(a + k * end // 3, b + k * end // 3, size) for a, b, size in odd(rows, chance)]
               for k in range(3)]
    for name, made in (("odd", odd(rows, chance)),
                       ("odd and mirrored", odd(rows, chance) + odd(mirrored, chance)),
                       ("three odd, shifted", sum(shifted, []))):
        made_path = f"{folder}/{re.sub('.csv.*', '', os.path.basename(path))}, {name}.csv"
        with open(made_path, "w") as f:
            f.write("id,lower,upper,size\n")
            f.writelines(f"{i},{a},{b},{size}\n" for i, (a, b, size) in enumerate(made))
        instance(made_path, folder)


def chain(nodes, folder):
    path = f"{folder}/chain{nodes}.nn"
    blocks = nodes // 5
    with open(path, "w") as f:
        f.write("network chain {\n  input x : f32[8, 16, 16]\n  target t : class[10]\n"
                "  y0 = x -> conv(8, 3, pad=1)\n")
        for i in range(blocks):
            f.write(f"  y{i + 1} = (y{i} -> conv(8, 3, pad=1) -> relu -> conv(8, 3, pad=1)) + y{i}"
                    " -> relu\n")
        f.write(f"  z = y{blocks} -> flatten -> dense(10)\n  loss cross_entropy(z, t)\n}}\n"
                "train { batch 4  data synthetic(64) }\n")
    start = time.time()
    process = subprocess.Popen([args.stowage, "plan", "-j", "2", "--target", "c", "--operators", str(2 * nodes), path],
                               stdout=subprocess.PIPE, text=True)
    report = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"bench: {path} could not be planned")
    ratio = re.search(r"arena / bound = ([\d.]+)", report).group(1)
    print(f"| {nodes:,} | {ratio} | {time.time() - start:.2f} | "
          f"{usage.ru_utime + usage.ru_stime:.2f} | {usage.ru_maxrss // 1024} |", flush=True)


if not args.minimalloc:
    print("SKIPPED minimalloc: no program of that name here; build it and give --minimalloc\n")
print("| instance | buffers | lower bound | fits? ours, s | minimalloc, s | smallest arena | / bound "
      "| proved | s |\n|---|---|---|---|---|---|---|---|---|")
with tempfile.TemporaryDirectory() as folder:
    for path in args.instances:
        instance(path, folder)
        variants(path, folder)
    print("\n| operators | arena / bound | wall s | CPU s | MiB |\n|---|---|---|---|---|")
    for nodes in args.nodes.split(","):
        chain(int(nodes), folder)
