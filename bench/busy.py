#!/usr/bin/env python3
"""Times emitted C programs on a busy machine: beside processes that do nothing but run, with all
threads and with one, in turns, so that what else the machine does hits both alike.

    bench/busy.py [--stowage ./stowage] [--beside 0,1,2] [--threads N] [--runs 9] [--updates 64] [NETWORK...]
    bench/busy.py --python python3 ...      # one that has torch: PyTorch eager takes turns, too
    bench/busy.py --old PROGRAM NETWORK     # and so does a program for it that was built before

Printed for each: the median of its runs' samples/s, the quartiles, the processor time of a run, and
the median of its speed against that of one thread in the same turn. A run's start counts, but for
PyTorch, which measures itself.
"""
import argparse
import contextlib
import os
import statistics
import subprocess
import tempfile
import time

from cpu_peer import PyTorch

HERE = os.path.dirname(os.path.abspath(__file__))
LAYOUTS = ("contiguous", "channels_last")      # of PyTorch, whose fastest counts
BATCH = {"lenet5": 64, "resnet18": 16}

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
parser.add_argument("networks", nargs="*", default=list(BATCH), metavar="NETWORK")
parser.add_argument("--stowage", default="./stowage")
parser.add_argument("--beside", default="0,1,2", help="how many processes run beside")
parser.add_argument("--threads", type=int, default=os.cpu_count())
parser.add_argument("--runs", type=int, default=9)
parser.add_argument("--updates", type=int, default=64)
parser.add_argument("--python", help="one that has torch")
parser.add_argument("--old", help="a program to compare with")
args = parser.parse_args()


@contextlib.contextmanager
def busy(n):
    others = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(n)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def program(path, threads, samples):
    """Samples/s and processor seconds of a run."""
    begun = time.monotonic()
    with open(os.devnull, "w") as null:
        run = subprocess.Popen([path, "--quiet", "--steps", str(args.updates), "--threads", str(threads)], stdout=null)
        _, status, usage = os.wait4(run.pid, 0)
    if status:
        raise SystemExit(f"bench: {path} ended with status {status}")
    return samples / (time.monotonic() - begun), usage.ru_utime + usage.ru_stime


def pytorch(peer, threads):
    """Samples/s of as many updates, its start left out."""
    return peer.run(threads, args.updates, 1)["samples_per_s"], float("nan")


for network in args.networks:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([args.stowage, "build", "--target", "c", "--threads", str(args.threads), "-o", folder,
                        f"{HERE}/specs/{network}.nn"], check=True, stdout=subprocess.DEVNULL)
        built, samples = os.path.join(folder, network), BATCH[network] * args.updates
        counts = sorted({1, args.threads})
        each = {f"{t} thread{'s' * (t > 1)}": lambda t=t: program(built, t, samples) for t in counts}
        if args.old:
            each["old"] = lambda: program(args.old, args.threads, samples)
        peers = [PyTorch(args.python, network, layout) for layout in LAYOUTS if args.python]
        each |= {f"PyTorch {t}/{peer.layout}": lambda t=t, peer=peer: pytorch(peer, t) for peer in peers for t in counts}
        for beside in map(int, args.beside.split(",")):
            with busy(beside):
                turns = [{name: run() for name, run in each.items()} for _ in range(args.runs)]
            print(f"{network}, beside {beside}, {args.runs} turns of {args.updates} updates", flush=True)
            for name in each:
                speeds = sorted(turn[name][0] for turn in turns)
                ratio = statistics.median(turn[name][0] / turn["1 thread"][0] for turn in turns)
                print(f"  {name:24} {statistics.median(speeds):9.0f} samples/s "
                      f"({speeds[len(speeds) // 4]:.0f} to {speeds[-1 - len(speeds) // 4]:.0f}), "
                      f"{statistics.median(turn[name][1] for turn in turns):.2f} s, {ratio:.2f}", flush=True)
        for peer in peers:
            peer.end()
