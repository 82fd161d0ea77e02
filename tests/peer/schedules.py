#!/usr/bin/env python3
"""Learning rates of a program's updates against PyTorch's schedulers, to the nine digits
that are logged.

A program with each schedule logs twenty updates. Prints TAP.
"""
import json
import math
import os
import subprocess
import sys
import tempfile

import torch
from torch.optim import lr_scheduler as by

STOWAGE = os.environ.get("STOWAGE", "./stowage")
UPDATES, EPOCH, RATE = 20, 5, 0.5
SPEC = """network net {
  input  x : f32[2]
  target t : f32[1]
  loss mse(x -> dense(1), t)
}
train { batch 1  epochs %d  optimizer sgd(lr=0.5)  schedule %s  data synthetic(samples=5) }
"""


def warm(scheduler, updates):
    """In PyTorch's words: rises to the full rate in so many updates, then SCHEDULER takes over."""
    return lambda o: by.SequentialLR(o, [by.LambdaLR(o, lambda k: (k + 1) / updates), scheduler(o)], [updates])


def cosine(o, length=UPDATES, floor=0.0):
    return by.CosineAnnealingLR(o, length, eta_min=floor * RATE)


SCHEDULES = {
    "constant": lambda o: by.ConstantLR(o, 1),
    "step(every=1 epochs, gamma=0.3)": lambda o: by.StepLR(o, EPOCH, 0.3),
    "step(at=(3 steps, 11 steps), gamma=0.3)": lambda o: by.MultiStepLR(o, [3, 11], 0.3),
    "step(at=2 epochs)": lambda o: by.MultiStepLR(o, [2 * EPOCH], 0.1),
    "cosine(floor=0.1)": lambda o: cosine(o, floor=0.1),
    "cosine(warmup=1 epochs)": warm(lambda o: cosine(o, UPDATES - EPOCH), EPOCH),
    "linear(floor=0.25)": lambda o: by.LinearLR(o, 1, 0.25, UPDATES),
    "polynomial(power=2.5)": lambda o: by.PolynomialLR(o, UPDATES, 2.5),
    "inverse_sqrt(warmup=4 steps)": lambda o: by.LambdaLR(     # Vaswani and others, 2017
        o, lambda k: min((k + 1) / 4, math.sqrt(4 / (k + 1)))),
    "onecycle": lambda o: by.OneCycleLR(o, RATE, UPDATES),
    "onecycle(rise=0.5, start=0.1, floor=0.01)": lambda o: by.OneCycleLR(
        o, RATE, UPDATES, pct_start=0.5, div_factor=10, final_div_factor=10),
}


def plateau(o):
    return by.ReduceLROnPlateau(o, factor=0.3, patience=1, threshold=0.2, cooldown=1, min_lr=0.02 * RATE)


def ours(schedule, folder):
    spec, log = os.path.join(folder, "net.nn"), os.path.join(folder, "log")
    with open(spec, "w") as f:
        f.write(SPEC % (16 if "plateau" in schedule else UPDATES // EPOCH, schedule))
    subprocess.run([STOWAGE, "emit", "--target", "c", "-o", folder + "/", spec], check=True, stdout=subprocess.DEVNULL)
    program = os.path.join(folder, "net")
    subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-O0", "-w", "-pthread", "-o", program,
                    program + ".c", "-lm"], check=True)
    subprocess.run([program, "--log", log], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(log) as f:
        lines = [json.loads(line) for line in f]
    os.remove(log)
    return [[line[what] for line in lines if line["event"] == event]
            for event, what in (("update", "lr"), ("epoch", "loss"))]


def theirs(make, losses):
    o = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=RATE)
    scheduler, rates = make(o), []
    for _ in range(len(losses) * EPOCH):
        rates.append(o.param_groups[0]["lr"])
        o.step()
        if make is not plateau:
            scheduler.step()
        elif len(rates) % EPOCH == 0:
            scheduler.step(losses[len(rates) // EPOCH - 1])
    return rates


SCHEDULES["plateau(gamma=0.3, patience=1, threshold=0.2, cooldown=1, floor=0.02)"] = plateau


def main():
    print(f"1..{len(SCHEDULES)}")
    with tempfile.TemporaryDirectory() as folder:
        for k, (name, make) in enumerate(SCHEDULES.items(), 1):
            mine, losses = ours(name, folder)
            should = theirs(make, losses)
            good = len(mine) == len(should) and all(math.isclose(a, b, rel_tol=1e-8) for a, b in zip(mine, should))
            print(f"{'ok' if good else 'not ok'} {k} - schedule {name}", flush=True)
            if not good:
                print("".join(f"# {a} {b}\n" for a, b in zip(mine, should)))


if __name__ == "__main__":
    sys.exit(main())
