"""Trains one network with PyTorch eager on the CPU, as often as a line of standard input asks for it, and prints
samples/s of the fastest epoch and peak memory as JSON.

    pytorch_cpu.py NETWORK --layout contiguous|channels_last

A line is `THREADS UPDATES EPOCHS`: threads, updates of an epoch, epochs.
"""
import argparse
import json
import resource
import sys
import time

import torch
import torch.nn.functional as F

import models

parser = argparse.ArgumentParser()
parser.add_argument("network", choices=models.NETWORKS)
parser.add_argument("--layout", default="contiguous")
args = parser.parse_args()

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


def epoch(updates):
    start = time.perf_counter()
    for i in range(updates):
        loss = step(i)
    loss.item()
    return time.perf_counter() - start


for line in sys.stdin:
    threads, updates, epochs = map(int, line.split())
    torch.set_num_threads(threads)
    epoch(min(updates, 4))
    seconds = min(epoch(updates) for _ in range(epochs))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - baseline
    print(json.dumps({"samples_per_s": updates * batch / seconds, "peak_kib": peak}), flush=True)
