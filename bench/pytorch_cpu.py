"""Trains one network with PyTorch eager on the CPU and prints samples/s and peak memory as JSON.

    pytorch_cpu.py NETWORK --threads N --layout contiguous|channels_last --seconds S
"""
import argparse
import json
import resource
import time

import torch
import torch.nn.functional as F

import models

parser = argparse.ArgumentParser()
parser.add_argument("network", choices=models.NETWORKS)
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--layout", default="contiguous")
parser.add_argument("--seconds", type=float, default=3)
args = parser.parse_args()

torch.set_num_threads(args.threads)
torch.manual_seed(0)
make, shape, classes, batch, optimizer = models.NETWORKS[args.network]
baseline = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model = make()
if isinstance(shape, int):      # of tokens
    data, labels = torch.randint(classes, (2, 8 * batch, shape))
else:
    data, labels = torch.randn(8 * batch, *shape), torch.randint(classes, (8 * batch,))
if args.layout == "channels_last" and data.dim() == 4:
    model = model.to(memory_format=torch.channels_last)
    data = data.contiguous(memory_format=torch.channels_last)
update = optimizer(model.parameters())


def step(i):
    x = data[i % 8 * batch:][:batch]
    y = labels[i % 8 * batch:][:batch].flatten()
    update.zero_grad(set_to_none=True)
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    update.step()
    return loss


for i in range(5):
    step(i)
start, steps = time.perf_counter(), 0
while time.perf_counter() - start < args.seconds:
    for _ in range(4):
        loss = step(steps)
        steps += 1
elapsed = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - baseline
print(json.dumps({"samples_per_s": steps * batch / elapsed, "peak_kib": peak,
                  "loss": float(loss.detach())}))
