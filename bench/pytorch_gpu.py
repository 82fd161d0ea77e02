"""Trains one network with PyTorch in several modes, in turns, and says how fast and in what memory.

    pytorch_gpu.py NETWORK --batch N --precision f32|tf32|bf16 --modes eager,default,reduce-overhead

For each mode one line of JSON when it is warm: its peak of memory in the steps after, in which cuDNN no
longer tries algorithms, or why it cannot run. Then each line of input, "MODE SECONDS", makes it train so
long and print {"samples_per_s": ...}.

channels_last, cuDNN's fastest algorithms, autocast for bf16; TF32 is on for tf32 alone. Eager and
compiled models are separate: memory is counted above what the modes before left behind. Each batch
lies in pinned memory of the host and is copied in the step, as in the emitted programs.
"""
import argparse
import contextlib
import json
import resource
import sys
import time

import torch
import torch.nn.functional as F

import models


def prepare(precision, device):
    tf32 = precision == "tf32"
    torch.backends.cuda.matmul.allow_tf32 = tf32
    torch.backends.cudnn.allow_tf32 = tf32
    torch.backends.cudnn.benchmark = True
    torch.manual_seed(0)
    if device == "cpu":     # a rehearsal without a GPU
        torch.set_num_threads(2)


class Memory:
    """Bytes above those at its making: of the device, or resident of a rehearsal's process."""

    def __init__(self, device):
        self.cuda = device == "cuda"
        if self.cuda:
            torch.cuda.synchronize()
            self.allocated, self.reserved = torch.cuda.memory_allocated(), torch.cuda.memory_reserved()
        else:
            self.allocated = self.reserved = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

    def forget(self):
        """The peak so far; what is held stays counted."""
        if self.cuda:
            torch.cuda.reset_peak_memory_stats()

    def peak(self):
        if self.cuda:
            return {"allocated": torch.cuda.max_memory_allocated() - self.allocated,
                    "reserved": torch.cuda.max_memory_reserved() - self.reserved}
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - self.allocated
        return {"allocated": peak, "reserved": peak}


class Trainer:
    def __init__(self, args, mode, data, labels):
        make, _, _, _, optimizer = models.GPU_NETWORKS[args.network]
        self.device, self.batch, self.data, self.labels = args.device, args.batch, data, labels
        model = make().to(args.device).to(memory_format=torch.channels_last)
        self.update = optimizer(model.parameters())
        self.run = model if mode == "eager" else torch.compile(model, mode=mode)
        self.marks = mode == "reduce-overhead"
        self.cast = torch.autocast(args.device, torch.bfloat16) if args.precision == "bf16" else \
            contextlib.nullcontext()
        self.steps = 0

    def step(self):
        i = self.steps % len(self.data)
        self.steps += 1
        x = self.data[i].to(self.device, non_blocking=True)
        y = self.labels[i].to(self.device, non_blocking=True)
        if self.marks:
            torch.compiler.cudagraph_mark_step_begin()
        self.update.zero_grad(set_to_none=True)
        with self.cast:
            loss = F.cross_entropy(self.run(x), y)
        loss.backward()
        self.update.step()
        return loss.detach()

    def wait(self):
        if self.device == "cuda":
            torch.cuda.synchronize()

    def train(self, seconds, at_least=1):
        """At least so many steps. It waits for the device after each sixteen, or where that takes less
        than a tenth of a second, after more: waiting costs a short step too much."""
        start, steps = time.perf_counter(), 0
        turn = min(16, at_least) if self.device == "cpu" else 16
        while steps < at_least or time.perf_counter() - start < seconds:
            before = time.perf_counter()
            for _ in range(turn):
                loss = self.step()
            steps += turn
            self.wait()
            turn *= 2 if time.perf_counter() - before < 0.1 else 1
        elapsed = time.perf_counter() - start
        return {"samples_per_s": steps * self.batch / elapsed, "steps": steps, "loss": float(loss)}


def warm(args, mode, data, labels):
    start, memory = time.perf_counter(), Memory(args.device)
    trainer = Trainer(args, mode, data, labels)
    trainer.train(0, args.warm)
    memory.forget()
    trainer.train(0)
    print(json.dumps({"mode": mode, **memory.peak(), "setup_s": time.perf_counter() - start}), flush=True)
    return trainer


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("network", choices=models.GPU_NETWORKS)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--precision", choices=("f32", "tf32", "bf16"), default="f32")
    parser.add_argument("--modes", type=lambda t: t.split(","), default=["eager"])
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--warm", type=int, default=16, help="steps before anything counts")
    args = parser.parse_args()
    prepare(args.precision, args.device)
    _, shape, classes, label, _ = models.GPU_NETWORKS[args.network]
    pin = (lambda t: t.pin_memory()) if args.device == "cuda" else (lambda t: t)
    data = [pin(torch.randn(args.batch, *shape).contiguous(memory_format=torch.channels_last))
            for _ in range(2)]
    labels = [pin(torch.randint(classes, (args.batch, *label))) for _ in range(2)]
    trainers = {}
    for mode in args.modes:
        try:
            trainers[mode] = warm(args, mode, data, labels)
        except Exception as e:      # the other modes may do
            print(json.dumps({"mode": mode, "error": f"{type(e).__name__}: {e}"[:300]}), flush=True)
    for line in sys.stdin:
        mode, seconds = line.split()
        print(json.dumps(trainers[mode].train(float(seconds))), flush=True)


if __name__ == "__main__":
    main()
