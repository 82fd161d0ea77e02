#!/usr/bin/env python3
"""Holds forecasts of other frameworks against figures that people published: bench/reported.md.

    bench/reported.py                   # with ./stowage: each figure, its interval, whether it holds
    bench/reported.py --write           # the same into the tables of reported.md
    bench/reported.py --check           # as a test: do the tables say that?
    bench/reported.py resnet            # rows with that word alone

Every table of reported.md with a column `options` is read; its last two columns are this script's. A
row is a network, the options of `stowage plan`, the framework as --as has it, what the figure is of, and
the figure:

    allocator   the peak that the allocator handed out: between low_bytes and high_bytes
    card        what the card showed: between at_least_bytes and at_most_bytes
    ran         the run went well on a card of that size: at_least_bytes is no more
    died        it ran out of memory there: at_most_bytes is no less

`+ buckets`: several processes trained by DistributedDataParallel, which keeps one more copy of all
gradients; the forecast is of one process, so both ends grow by the parameters' bytes.

A printed figure stands for all that round to it. "GB" in tables of tools that divide by 1000 or 1024,
which none of them says, is either. An interval holds a figure if they overlap; `below` is an interval
that lies wholly below its figure, `above` one wholly above; `yes, wide` is one that holds it, but whose
upper end is more than 1.35 times its lower.
"""
import argparse
import json
import os
import re
import subprocess
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
PAGE = os.path.join(TOP, "bench", "reported.md")
MIB = 1 << 20
WIDE = 1.35


def forecast(options, framework, stowage):
    said = subprocess.run([stowage, "plan", "--as", framework, "--format", "json", "--without",
                           "recompute", *options], cwd=TOP, check=True, text=True,
                          stdout=subprocess.PIPE)
    return json.loads(said.stdout)["forecasts"][0]


def parameters(options, stowage):
    said = subprocess.run([stowage, "plan", "--format", "json", "--without", "recompute", *options],
                          cwd=TOP, check=True, text=True, stdout=subprocess.PIPE)
    return json.loads(said.stdout)["parameters"]


def printed(text):
    """The MiB that round to "5.7 GB", "8344 MiB"."""
    number, unit = text.split()
    digits = len(number.partition(".")[2])
    half = 0.5 / 10 ** digits
    low, high = float(number) - half, float(number) + half
    if unit == "MiB":
        return low, high
    if unit == "GiB":
        return low * 1024, high * 1024
    assert unit == "GB", unit
    return low * 1000, high * 1024


def judge(kind, figure, low, high):
    least, most = printed(figure)
    if kind == "ran":
        return "yes" if low <= most else "above"
    if kind == "died":
        return "yes" if high >= least else "below"
    return "below" if high < least else "above" if low > most else "yes"


def answer(row, stowage):
    options = row["options"].strip("`").split()
    kind, _, extra = row["of"].partition(" + ")
    ours = forecast(options, row["as"], stowage)
    ends = ("low_bytes", "high_bytes") if kind == "allocator" else ("at_least_bytes", "at_most_bytes")
    copies = 4 * parameters(options, stowage) if extra == "buckets" else 0
    low, high = ((ours[end] + copies) / MIB for end in ends)
    return low, high, judge(kind, row["figure"], low, high)


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def tables(lines):
    """Yields (line number, row) of every table that has options."""
    names = None
    for number, line in enumerate(lines):
        if not line.startswith("|"):
            names = None
        elif names is None:
            names = cells(line)
        elif "options" in names and not re.match(r"\|[-|]+$", line):
            yield number, dict(zip(names, cells(line)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--stowage", default=os.environ.get("STOWAGE", os.path.join(TOP, "stowage")))
    args = parser.parse_args()
    lines = open(PAGE, encoding="utf-8").read().split("\n")
    counts = {}
    wide = []
    stale = loose = 0
    for number, row in tables(lines):
        if args.words and not any(word in lines[number] for word in args.words):
            continue
        low, high, verdict = answer(row, os.path.abspath(args.stowage))
        group = "runs" if row["of"] in ("ran", "died") else "figures"
        counts[group, verdict] = counts.get((group, verdict), 0) + 1
        if group == "figures" and high > WIDE * low:
            wide.append(f"{row['network']}: {high / low:.2f}")
            if verdict == "yes":
                verdict, loose = "yes, wide", loose + 1
        interval = f"{low:,.0f} to {high:,.0f}"
        print(f"{row['network']:46}{row['as']:9}{row['of']:20}{row['figure']:>10}  {interval:>18}  "
              f"{high / low:4.2f}  {verdict}", flush=True)
        said = "| " + " | ".join(cells(lines[number])[:-2] + [interval, verdict]) + " |"
        stale += lines[number] != said
        if args.write:
            lines[number] = said
    for group in ("figures", "runs"):
        of = {verdict: n for (g, verdict), n in counts.items() if g == group}
        print(f"\n{group}: {sum(of.values())}, of which hold {of.get('yes', 0)}; wholly below "
              f"{of.get('below', 0)}, wholly above {of.get('above', 0)}")
    print("wider than 1.35: " + (", ".join(wide) or "none") +
          f"; not wider, and hold: {counts.get(('figures', 'yes'), 0) - loose}")
    if args.write:
        open(PAGE, "w", encoding="utf-8").write("\n".join(lines))
    if args.check and stale:
        print(f"\n{stale} rows of reported.md say something else: --write")
    return 1 if args.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
