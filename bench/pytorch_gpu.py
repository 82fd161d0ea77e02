"""Trains one network with PyTorch on the GPU and prints samples/s and peak memory as JSON.

    pytorch_gpu.py NETWORK --mode eager|compile --seconds S

Full f32 (TF32 off), channels_last, cuDNN's fastest algorithms. As in the emitted programs, each
batch lies in pinned memory of the host and is copied in the step.
"""
import argparse
import json
import time

import torch
import torch.nn.functional as F

import models

parser = argparse.ArgumentParser()
parser.add_argument("network", choices=models.NETWORKS)
parser.add_argument("--mode", choices=("eager", "compile"), default="eager")
parser.add_argument("--seconds", type=float, default=3)
args = parser.parse_args()

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
torch.backends.cudnn.benchmark = True
torch.manual_seed(0)
make, shape, classes, batch, optimizer = models.NETWORKS[args.network]
model = make().cuda().to(memory_format=torch.channels_last)
data = [torch.randn(batch, *shape).contiguous(memory_format=torch.channels_last).pin_memory()
        for _ in range(8)]
labels = [torch.randint(classes, (batch,)).pin_memory() for _ in range(8)]
update = optimizer(model.parameters())
run = torch.compile(model) if args.mode == "compile" else model


def step(i):
    x = data[i % 8].cuda(non_blocking=True)
    y = labels[i % 8].cuda(non_blocking=True)
    update.zero_grad(set_to_none=True)
    loss = F.cross_entropy(run(x), y)
    loss.backward()
    update.step()
    return loss


for i in range(20):
    step(i)
torch.cuda.synchronize()
torch.cuda.reset_peak_memory_stats()
start, steps = time.perf_counter(), 0
while time.perf_counter() - start < args.seconds:
    for _ in range(16):
        loss = step(steps)
        steps += 1
    torch.cuda.synchronize()
elapsed = time.perf_counter() - start
print(json.dumps({"samples_per_s": steps * batch / elapsed,
                  "allocated": torch.cuda.max_memory_allocated(),
                  "reserved": torch.cuda.max_memory_reserved(), "loss": float(loss.detach())}))
