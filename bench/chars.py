#!/usr/bin/env python3
"""Trains specs/chars.nn with the emitted C program and with PyTorch: the same starting weights, the same windows of
the text in the same order, the same schedule. Prints the loss of the first update, the validation loss after the last,
and the seconds of each.

    bench/chars.py [--stowage ./stowage] [--threads 2] [--epochs 5] [--work FOLDER]    # a Python that has torch
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time

import numpy
import torch
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
SPECS = os.path.join(HERE, "..", "specs")
WINDOW, STRIDE, WIDTH, HEADS, LAYERS, BATCH = 128, 64, 128, 4, 4, 32
RATE, WARMUP, FLOOR = 2e-3, 50, 0.1
MASK = 2 ** 64 - 1


# ---- the program's random numbers (kernels/host/random.c) ----

def mix(x):
    x = x + numpy.uint64(0x9e3779b97f4a7c15)
    x = (x ^ (x >> numpy.uint64(30))) * numpy.uint64(0xbf58476d1ce4e5b9)
    x = (x ^ (x >> numpy.uint64(27))) * numpy.uint64(0x94d049bb133111eb)
    return x ^ (x >> numpy.uint64(31))


def bits(seed, stream, counter):
    """COUNTER is an array."""
    with numpy.errstate(over="ignore"):
        seeded = mix(numpy.array([seed], numpy.uint64)) ^ numpy.uint64(stream)
        return mix(mix(seeded) + counter.astype(numpy.uint64))


def uniform(stream, counter):
    return (bits(0, stream, counter) >> numpy.uint64(11)).astype(numpy.float64) / 2.0 ** 53


def stream_of(name):
    value = 0xcbf29ce484222325
    for c in name.encode():
        value = (value ^ c) * 0x100000001b3 & MASK
    return value


def start(name, shape, kind, by):
    at = numpy.arange(math.prod(shape))
    if kind == "normal":
        u, v = uniform(stream_of(name), 2 * at), uniform(stream_of(name), 2 * at + 1)
        x = by * numpy.sqrt(-2 * numpy.log(1 - u)) * numpy.cos(6.283185307179586477 * v)
    elif kind == "uniform":
        x = by * (2 * uniform(stream_of(name), at) - 1)
    else:
        x = numpy.full(at.shape, by)
    return torch.tensor(x.reshape(shape), dtype=torch.float32, requires_grad=True)


def order(epoch, n):
    """The samples of an epoch: a Feistel network permutes the numbers of an even count of bits."""
    half = 1
    while half < 31 and 1 << 2 * half < n:
        half += 1
    mask = numpy.uint64((1 << half) - 1)
    x, waits = numpy.arange(n).astype(numpy.uint64), numpy.ones(n, bool)
    while waits.any():
        left, right = x[waits] >> numpy.uint64(half), x[waits] & mask
        for r in range(6):
            left, right = right, left ^ (bits(0, epoch * 8 + r, right) & mask)
        x[waits] = left << numpy.uint64(half) | right
        waits = x >= n
    return x.astype(numpy.int64)


# ---- the network, as its users write it ----

def parameters():
    """By name, those without decay apart: [decayed, undecayed]."""
    found = {"letters.weight": start("letters.weight", (128, WIDTH), "normal", 0.02)}

    def dense(name, inputs, units, bias=True):
        bound = 1 / math.sqrt(inputs)
        found[name + ".weight"] = start(name + ".weight", (units, inputs), "uniform", bound)
        if bias:
            found[name + ".bias"] = start(name + ".bias", (units,), "uniform", bound)

    def norm(name):
        found[name + ".weight"] = start(name + ".weight", (WIDTH,), "constant", 1)
        found[name + ".bias"] = start(name + ".bias", (WIDTH,), "constant", 0)
    for i in range(LAYERS):
        norm(f"blocks.{i}.ln_1")
        dense(f"blocks.{i}.attn.in_proj", WIDTH, 3 * WIDTH)
        dense(f"blocks.{i}.attn.out_proj", WIDTH, WIDTH)
        norm(f"blocks.{i}.ln_2")
        dense(f"blocks.{i}.dense", WIDTH, 4 * WIDTH)
        dense(f"blocks.{i}.dense_2", 4 * WIDTH, WIDTH)
    norm("ln")
    dense("head", WIDTH, 128, bias=False)
    return found


def forward(p, ids, cos, sin):
    def linear(x, name):
        return F.linear(x, p[name + ".weight"], p.get(name + ".bias"))

    def norm(x, name):
        return F.layer_norm(x, (WIDTH,), p[name + ".weight"], p[name + ".bias"])

    def rope(x):
        half = x.shape[-1] // 2
        return x * cos + torch.cat((-x[..., half:], x[..., :half]), -1) * sin
    x = F.embedding(ids, p["letters.weight"])
    for i in range(LAYERS):
        qkv = linear(norm(x, f"blocks.{i}.ln_1"), f"blocks.{i}.attn.in_proj")
        q, k, v = (t.unflatten(-1, (HEADS, -1)).transpose(1, 2) for t in qkv.chunk(3, -1))
        y = F.scaled_dot_product_attention(rope(q), rope(k), v, is_causal=True)
        x = x + linear(y.transpose(1, 2).flatten(2), f"blocks.{i}.attn.out_proj")
        y = F.gelu(linear(norm(x, f"blocks.{i}.ln_2"), f"blocks.{i}.dense"), approximate="tanh")
        x = x + linear(y, f"blocks.{i}.dense_2")
    return F.linear(norm(x, "ln"), p["head.weight"])


def rate(update, updates):
    if update <= WARMUP:
        return RATE * update / WARMUP
    part = (update - 1 - WARMUP) / (updates - WARMUP)
    return RATE * (FLOOR + (1 - FLOOR) * 0.5 * (1 + math.cos(math.pi * part)))


def windows(text, stride):
    n = (len(text) - WINDOW - 1) // stride + 1
    at = torch.arange(n)[:, None] * stride + torch.arange(WINDOW)
    return text[at], text[at + 1]


def pytorch(epochs, threads):
    torch.set_num_threads(threads)
    data = open(os.path.join(SPECS, "data", "paradise.txt"), "rb").read()
    text, cut = torch.tensor(list(data)), int(len(data) * 0.9)
    ids, following = windows(text[:cut], STRIDE)
    d = WIDTH // HEADS
    angle = torch.arange(WINDOW, dtype=torch.float64)[:, None] * \
        10000.0 ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    cos, sin = (torch.cat((t, t), -1).float() for t in (angle.cos(), angle.sin()))
    p = parameters()
    kept = [n for n in p if n.endswith(".bias") or ".ln_" in n or n.startswith(("ln.", "letters."))]
    update = torch.optim.AdamW([
        {"params": [p[n] for n in p if n not in kept], "weight_decay": 0.1},
        {"params": [p[n] for n in kept], "weight_decay": 0.0}], lr=RATE, betas=(0.9, 0.99), eps=1e-8)
    begun, done, first = time.perf_counter(), 0, None
    updates = epochs * -(-len(ids) // BATCH)
    for epoch in range(epochs):
        samples = torch.from_numpy(order(epoch, len(ids)))
        for at in range(0, len(ids), BATCH):
            of = samples[at:at + BATCH]
            done += 1
            for group in update.param_groups:
                group["lr"] = rate(done, updates)
            update.zero_grad(set_to_none=True)
            loss = F.cross_entropy(forward(p, ids[of], cos, sin).flatten(0, 1), following[of].flatten())
            loss.backward()
            torch.nn.utils.clip_grad_norm_(p.values(), 1.0)
            update.step()
            first = first or loss.item()
    seconds = time.perf_counter() - begun
    ids, following = windows(text[cut:], WINDOW)
    with torch.no_grad():
        logits = torch.cat([forward(p, x, cos, sin) for x in ids.split(64)])
        loss = F.cross_entropy(logits.flatten(0, 1), following.flatten()).item()
    return {"first": first, "validation": loss, "seconds": seconds}


def stowage(program, epochs, threads, folder):
    log = os.path.join(folder, "chars.jsonl")
    open(log, "w").close()
    begun = time.perf_counter()
    subprocess.run([program, "--quiet", "--epochs", str(epochs), "--threads", str(threads), "--log", log, "--save",
                    os.path.join(folder, "chars.safetensors")], check=True, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - begun
    events = [json.loads(line) for line in open(log)]
    return {"first": next(e["loss"] for e in events if e["event"] == "update"),
            "validation": [e for e in events if e["event"] == "epoch"][-1]["validation_loss"], "seconds": seconds}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--stowage", default="./stowage")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--work", default=tempfile.mkdtemp(), help="where the program is built")
    args = parser.parse_args()
    subprocess.run([args.stowage, "build", "--target", "c", "--threads", str(args.threads), "-o", args.work,
                    os.path.join(SPECS, "chars.nn")], check=True, stdout=subprocess.DEVNULL)
    ours = stowage(os.path.join(args.work, "chars"), args.epochs, args.threads, args.work)
    print("Stowage", json.dumps(ours), flush=True)
    theirs = pytorch(args.epochs, args.threads)
    print("PyTorch", json.dumps(theirs))
    return abs(ours["validation"] - theirs["validation"]) > 0.02


if __name__ == "__main__":
    sys.exit(main())
