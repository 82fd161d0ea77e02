#!/usr/bin/env python3
"""The plans of small networks of each kind against the tensors of PyTorch eager: a table.

    bench/tensors.py [--stowage ./stowage] [--markdown] [SPEC...]

PyTorch's side is PyTorch itself: tests/peer/peaks.py runs the network on tensors that have shapes and no elements,
with fused attention and relu in place, and counts the bytes of those alive at once in the second step. Ours is read
from the plan: once as PyTorch is counted, tensors alone, and once as a program takes it, the whole arena with
workspaces and alignment, of the C program with one thread and of the CUDA program with nothing for libraries beyond
what it must have. `repeated` is the multiply-adds that are done a second time in backward, which should be none.
"""
import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tests", "peer")]
import memory       # noqa: E402
import peaks        # noqa: E402

NETWORKS = ["gpt", "vit", "lstm", "mobilenet_v2", "resnet18", "lenet5"]
MOST = 0.8          # of PyTorch's bytes that a plan is to take


def plan(stowage, spec, *options):
    done = subprocess.run([stowage, "plan", *options, spec], text=True, check=True, stdout=subprocess.PIPE)
    return done.stdout


def row(stowage, spec):
    c = json.loads(plan(stowage, spec, "--format=json", "--target=c", "--threads=1"))
    cuda = json.loads(plan(stowage, spec, "--format=json", "--target=cuda"))
    theirs = peaks.peak(peaks.Network(plan(stowage, spec, "--dump-after=phases"), False), False)
    return (theirs, cuda["pytorch_eager_bytes"], memory.peak(c), c["arena_bytes"], cuda["arena_bytes"],
            c["repeated"]["multiply_adds"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("specs", nargs="*", default=[os.path.join(HERE, "specs", f"{n}.nn") for n in NETWORKS])
    parser.add_argument("--stowage", default=peaks.STOWAGE)
    parser.add_argument("--markdown", action="store_true")
    args = parser.parse_args()
    bar = " | " if args.markdown else "  "
    heads = ["network", "PyTorch's tensors", "tensors here", "of PyTorch's", "arena in C", "of PyTorch's", "arena on a GPU",
             "of PyTorch's", "repeated"]
    print(("| " if args.markdown else "") + bar.join(heads) + (" |" if args.markdown else ""))
    if args.markdown:
        print("|---" * len(heads) + "|")
    missed = 0
    for spec in args.specs:
        theirs, forecast, tensors, in_c, on_gpu, repeated = row(args.stowage, spec)
        missed += in_c > MOST * theirs
        cells = [os.path.basename(spec)[:-3], f"{theirs:,}"]
        for bytes_ in (tensors, in_c, on_gpu):
            cells += [f"{bytes_:,}", f"{bytes_ / theirs:.3f}"]
        cells.append(f"{repeated:,}")
        print(("| " if args.markdown else "") + bar.join(cells) + (" |" if args.markdown else ""), flush=True)
        if forecast != theirs:
            print(f"{spec}: the forecast is {forecast}", file=sys.stderr)
    return missed > 0


if __name__ == "__main__":
    sys.exit(main())
