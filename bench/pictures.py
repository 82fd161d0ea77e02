#!/usr/bin/env python3
"""A folder of 10,000 PNG and JPEG files, half of each: pictures a second that an emitted C program decodes, cuts at
random, scales to 224 x 224, flips and normalises on two threads, against PyTorch's DataLoader with two workers and
torchvision's transforms of the same, and the peak of the program's memory. Both sides run an epoch, one after the other,
so many times; what counts is the ratio of each pair, since they share the machine with whatever else runs. The
program also trains (a pooled dense layer), and builds its batches meanwhile; the DataLoader's batches are thrown away.

    bench/pictures.py [--stowage ./stowage] [--files 10000] [--pairs 3] [--size 320x240] [--work FOLDER]

Needs a Python that has torch and torchvision, libjpeg and libpng. The files are hard links of 200 pictures, smooth ones
with some noise, so that making them does not take longer than reading them.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
from PIL import Image

SPEC = """network pooled {
  input  image : f32[3, 224, 224]
  target kind  : class[10]
  y = image -> global_avgpool -> flatten -> dense(10)
  loss cross_entropy(y, kind)
}
train { batch 64 epochs 1 data images("%s", area=(0.08, 1), flip=0.5, scale=1/255, mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225)) }
"""
DISTINCT = 200


def picture(r, width, height):
    y, x = numpy.mgrid[0:height, 0:width].astype(numpy.float32)
    planes = []
    for _ in range(3):
        a, b, c = r.uniform(0, 0.05, 3)
        planes.append(128 + 90 * numpy.sin(a * x + b * y + 50 * c) + r.normal(0, 6, x.shape))
    return Image.fromarray(numpy.stack(planes, 2).clip(0, 255).astype(numpy.uint8))


def make(folder, files, width, height):
    r = numpy.random.default_rng(1)
    masters = os.path.join(folder, "masters")
    os.makedirs(masters)
    for k in range(10):
        os.makedirs(os.path.join(folder, "pictures", str(k)))
    for i in range(DISTINCT):
        image = picture(r, width, height)
        if i % 2:
            image.save(os.path.join(masters, "%d.jpg" % i), quality=90)
        else:
            image.save(os.path.join(masters, "%d.png" % i), compress_level=6)
    for i in range(files):
        end = "jpg" if i % 2 else "png"
        os.link(os.path.join(masters, "%d.%s" % (i % DISTINCT, end)),
            os.path.join(folder, "pictures", str(i % 10), "%05d.%s" % (i, end)))


def children():
    u = resource.getrusage(resource.RUSAGE_CHILDREN)
    return u.ru_utime + u.ru_stime


def by_program(program, log):
    """Seconds of the epoch, processor seconds, MiB at the peak."""
    if os.path.exists(log):
        os.unlink(log)
    start = time.monotonic()
    child = subprocess.Popen([program, "--quiet", "--threads", "2", "--log", log], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    if status:
        sys.exit("the program failed")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


LOADER = """
import sys, time, torch, torchvision
from torchvision import transforms as T
torch.set_num_threads(1)
t = T.Compose([T.RandomResizedCrop(224), T.RandomHorizontalFlip(), T.ToTensor(),
    T.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))])
d = torchvision.datasets.ImageFolder(sys.argv[1], t)
start, n = time.monotonic(), 0
for x, y in torch.utils.data.DataLoader(d, batch_size=64, shuffle=True, num_workers=2):
    n += len(x)
print(n, time.monotonic() - start)
"""


def by_loader(folder):
    """Its clock begins when all is imported; its workers' processor seconds are those of a child's children."""
    before = children()
    out = subprocess.run([sys.executable, "-c", LOADER, folder], check=True, stdout=subprocess.PIPE, text=True).stdout
    return float(out.split()[1]), children() - before


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--stowage", default="./stowage")
    p.add_argument("--files", type=int, default=10000)
    p.add_argument("--pairs", type=int, default=3)
    p.add_argument("--size", default="320x240")
    p.add_argument("--work")
    a = p.parse_args()
    work = a.work or tempfile.mkdtemp(prefix="pictures.")
    folder = os.path.join(work, "pictures")
    if not os.path.exists(folder):
        make(work, a.files, *(int(x) for x in a.size.split("x")))
    spec = os.path.join(work, "pooled.nn")
    with open(spec, "w") as f:
        f.write(SPEC % folder)
    subprocess.run([a.stowage, "build", "--target", "c", "-o", os.path.join(work, "build"), spec], check=True,
        stdout=subprocess.DEVNULL)
    ratios, processor, peaks = [], [], []
    for pair in range(a.pairs):
        ours, own, peak = by_program(os.path.join(work, "build", "pooled"), os.path.join(work, "log"))
        theirs, used = by_loader(folder)
        ratios.append(theirs / ours)
        processor.append(used / own)
        peaks.append(peak)
        print("%6.0f pictures/s, %6.0f by the DataLoader: %.2f times; processor seconds %.1f and %.1f: %.2f times; "
            "peak %.0f MiB" % (a.files / ours, a.files / theirs, theirs / ours, own, used, used / own, peak), flush=True)
    print(json.dumps({"files": a.files, "times": round(statistics.median(ratios), 2),
        "processor_times": round(statistics.median(processor), 2), "peak_mib": round(max(peaks), 1)}))


main()
