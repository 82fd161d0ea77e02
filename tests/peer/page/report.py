"""The report for people: the ten largest at the peak and the curve, against the JSON.

    report.py SPECS
"""
import os
import re
import subprocess
import sys

import plans

BLOCKS = " ▁▂▃▄▅▆▇█"


def text_of(spec, locale, *options):
    return subprocess.run([plans.STOWAGE, "plan", *options, spec], check=True, text=True,
                          stdout=subprocess.PIPE, encoding="utf-8",
                          env=dict(os.environ, LC_ALL=locale)).stdout


def live_bytes(plan):
    live = [0] * (plan["instants"] + 1)
    for b in plan["buffers"]:
        for at, sign in ((b["first"], 1), (b["last"] + 1, -1)):
            live[at] += sign * -(-b["bytes"] // plan["alignment"]) * plan["alignment"]
    for t in range(1, len(live)):
        live[t] += live[t - 1]
    return live[:-1]


def check_top(name, spec, plan):
    peak = plan["peak"]["instant"]
    alive = sorted((b for b in plan["buffers"] if b["first"] <= peak <= b["last"]),
                   key=lambda b: -b["bytes"])[:10]
    rows = re.findall(r"^ +\S+ \S+ +([\d,]+) B +([\d.]+) %  (?:line (\d+)) +(\S+) +(\S+).*?  "
                      r"(throughout|\d+ to \d+)$", text_of(spec, "C", "--bytes"), re.M)
    have = [(int(r[0].replace(",", "")), r[3], int(r[2]), r[5]) for r in rows]
    want = [(b["bytes"], b["name"], b["line"], "throughout" if b["persistent"] else
             f"{b['first']} to {b['last']}") for b in alive]
    plans.result([h[0] for h in have] == [w[0] for w in want] and
                 all(h in [(b["bytes"], b["name"], b["line"], "throughout" if b["persistent"] else
                            f"{b['first']} to {b['last']}") for b in plan["buffers"]]
                     for h in have), f"{name}: the ten largest at the peak", [have, want])
    shares = [round(100 * w[0] / plan["peak"]["live_bytes"], 1) for w in want]
    plans.result(all(abs(float(r[1]) - s) < 0.11 for r, s in zip(rows, shares)),
                 f"{name}: and their shares", shares)


def check_curve(name, spec, plan):
    live, kept, top = live_bytes(plan), plan["persistent_bytes"], plan["peak"]["live_bytes"]
    lines = re.findall(r"^ .{14}│(.*)$", text_of(spec, "C.UTF-8"), re.M)
    width, wrong = 64, []
    for x in range(width):
        a, b = x * len(live) // width, (x + 1) * len(live) // width
        most = max(live[a:max(b, a + 1)])
        column = [line.ljust(width)[x] for line in reversed(lines)]
        filled = sum(8 if c == "▒" else BLOCKS.index(c) for c in column)
        if abs(filled - most / top * 8 * len(lines)) > (8 if most == kept else 4):
            wrong.append((x, filled, most / top))
    plans.result(len(lines) == 8 and not wrong, f"{name}: the curve, to half a line", wrong)
    plain = text_of(spec, "C")
    plans.result(plain.isascii() and "^ peak" in plain, f"{name}: ASCII in a locale without UTF-8")


def main(specs):
    for name in ("lenet5", "resnet50", "unet"):
        spec = f"{specs}/{name}.nn"
        plan = plans.plan_json(spec)
        check_top(name, spec, plan)
        check_curve(name, spec, plan)
        layers = [line for line in text_of(spec, "C", "--layers").splitlines()
                  if any(line.split()[:2] == [c["name"], c["operator"]] for c in plan["layers"])]
        plans.result(len(layers) == len(plan["layers"]), f"{name}: --layers lists each")
        plans.result(len(text_of(spec, "C").splitlines()) <= 56, f"{name}: about one screen")


main(*sys.argv[1:])
