#!/usr/bin/env python3
"""What each technique of the planner saves, against PyTorch eager: a table of peaks.

    bench/memory.py                              # the networks of TABLE
    bench/memory.py resnet50:64 my.nn:16         # these, at these batches
    bench/memory.py --markdown                   # as the table of bench/README.md

Both sides count alike: the largest sum of bytes of tensors alive at one time in a training step
with momentum SGD, without workspaces and without rounding. PyTorch's side is the simulator of
`stowage plan` (pytorch_eager_bytes), which bench/eager.py holds against PyTorch itself. Ours is
read from the plan's buffers. The first row is the plan with every optional pass left out; then they
are added one by one: in-place first, since PyTorch does that too, the others in the order in which
they run. Which there are, stowage is asked.

`missing it` is what the last row would lose if that technique alone were left out: several save the
same bytes, so the order in which they are added decides whose share those are.

`again` is the work done a second time: multiply-adds and bytes written by repeated nodes, as shares
of those of one forward pass. `arena` is what the program allocates, workspaces included.
"""
import argparse
import json
import os
import subprocess
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
TABLE = ["resnet50:64", "vgg16:32", "unet:4", "unet512:4", "mobilenet:64", "mobilenet_v2:64",
         "resnet18:64", "alexnet:128"]
# percent below PyTorch that exact rewrites are to reach
MARKS = {"resnet50:64": 18, "vgg16:32": 35, "unet:4": 18, "unet512:4": 35}
MIB = 1 << 20


def find(name):
    for path in (name, f"specs/{name}.nn", f"bench/memory/{name}.nn"):
        path = path if os.path.isabs(path) else os.path.join(TOP, path)
        if os.path.isfile(path):
            return path
    sys.exit(f"{sys.argv[0]}: there is no network '{name}' in specs or bench/memory")


def as_baseline(path):
    """The spec with the baseline's step: momentum SGD without decay, and no accumulation."""
    lines = open(path).read().splitlines()
    lines = [line for line in lines if line.split()[:1] != ["accumulate"]]
    lines = ["  optimizer sgd(lr=0.01, momentum=0.9)" if line.split()[:1] == ["optimizer"] else line
             for line in lines]
    return "\n".join(lines) + "\n"


def plan(stowage, text, batch, without=()):
    done = subprocess.run(
        [stowage, "plan", "--format=json", "--target=cuda", "--objective=memory", f"--batch={batch}",
         *[f"--without={name}" for name in without], "-"],
        input=text, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit(done.stderr + done.stdout)
    return json.loads(done.stdout)


def optional_passes(stowage):
    """From the message about a pass that does not exist, in the order of the table."""
    said = subprocess.run([stowage, "plan", "--without=?", os.devnull], text=True,
                          stderr=subprocess.PIPE).stderr
    _, found, names = said.partition("these can: ")
    if not found:
        sys.exit(f"{stowage} does not say which passes can be left out:\n{said}")
    return sorted(names.splitlines()[0].split(", "), key=lambda name: name != "inplace")


def peak(planned):
    """The largest sum of bytes alive at one instant of the train graph, workspaces left out."""
    change = [0] * (planned["instants"] + 2)
    for b in planned["buffers"]:
        if b["kind"] != "workspace":
            change[b["first"]] += b["bytes"]
            change[b["last"] + 1] -= b["bytes"]
    live = most = 0
    for c in change:
        live += c
        most = max(most, live)
    return most


def rows_of(stowage, case):
    """PyTorch's peak, and a row (technique, peak, plan, peak without it alone) for each step."""
    name, _, batch = case.rpartition(":")
    text, optional = as_baseline(find(name)), optional_passes(stowage)
    rows = []
    for i in range(len(optional) + 1):
        p = plan(stowage, text, batch, optional[i:])
        missing = peak(plan(stowage, text, batch, optional[i - 1:i])) if i else None
        rows.append((f"+ {optional[i - 1]}" if i else "no optional pass", peak(p), p, missing))
    return rows[0][2]["pytorch_eager_bytes"], rows


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def again(p):
    return " / ".join(share(p["repeated"][work], p["forward"][work])
                      for work in ("multiply_adds", "bytes_written"))


def show(case, theirs, rows):
    name, _, batch = case.rpartition(":")
    print(f"\n{name}, batch {batch}")
    print(f"  {'PyTorch eager':26}{theirs / MIB:12,.1f} MiB")
    before, end = theirs, rows[-1][1]
    for technique, bytes_, p, missing in rows:
        lost = f"  missing it {share(missing - end, theirs):>7}" if missing else " " * 20
        print(f"  {technique:26}{bytes_ / MIB:12,.1f} MiB  below PyTorch "
              f"{share(theirs - bytes_, theirs):>7}  of it {share(before - bytes_, theirs):>7}"
              f"{lost}  again {again(p)}")
        before = bytes_
    print(f"  {'arena, with workspaces':26}{rows[-1][2]['arena_bytes'] / MIB:12,.1f} MiB  "
          f"arena / bound {rows[-1][2]['arena_bytes'] / rows[-1][2]['lower_bound_bytes']:.4f}")
    if case in MARKS:
        reached = 100 * (theirs - before) / theirs
        print(f"  mark: {MARKS[case]} % - {'reached' if reached >= MARKS[case] else 'NOT REACHED'}")


def markdown(results):
    techniques = [technique for technique, *_ in results[0][2]]
    print("| network | PyTorch MiB | " + " | ".join(techniques) + " | again |")
    print("|---|---|" + "---|" * (len(techniques) + 1))
    for case, theirs, rows in results:
        print(f"| {case.replace(':', ' b')} | {theirs / MIB:,.0f} | "
              + " | ".join(share(theirs - b, theirs) for _, b, *_ in rows)
              + f" | {again(rows[-1][2])} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cases", nargs="*", default=TABLE, metavar="NETWORK:BATCH")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--stowage", default=os.environ.get("STOWAGE",
                                                            os.path.join(TOP, "stowage")))
    args = parser.parse_args()
    results = []
    for case in args.cases:
        theirs, rows = rows_of(args.stowage, case)
        results.append((case, theirs, rows))
        if not args.markdown:
            show(case, theirs, rows)
    if args.markdown:
        markdown(results)


if __name__ == "__main__":
    main()
