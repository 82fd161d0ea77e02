"""box_ap and mask_ap beside pycocotools' COCOeval, on the same detections.

	average_precision.py STOWAGE [more]

Detections are random, and made to be hard: scores and overlaps that are equal, samples without parts or detections,
classes that no part or no detection has, crowds, more than a hundred detections of a class, boxes without an area.
"""
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
from pycocotools import mask as masks
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval
from safetensors.numpy import save_file

from differences import difference, worst

HIGH, WIDE = 20, 30
SPEC = """network ap {
  input  boxes : f32[%(n)d, 4]
  input  scores : f32[%(n)d]
  target classes : class[5, %(n)d]
  input  numbers : f32[%(n)d]
  input  found : f32[%(n)d, 20, 30]
  target known : u8[%(m)d, 20, 30]
  target truth : f32[%(m)d, 7]
  input  size : f32[4]
  loss   mean(scores -> dense(1))        # of nothing: what is trained has a log
  metric box_ap(boxes, scores, classes, truth, size)
  metric box75: box_ap(boxes, scores, numbers, truth, size, at=0.75)
  metric mask_ap(found, scores, numbers, known, truth, size)
  metric mask50: mask_ap(found, scores, classes, known, truth, size, at=0.5)
}
train    { batch 4  steps 1  optimizer sgd(lr=0)  data safetensors("ap.safetensors") }
validate { batch 4  data safetensors("ap.safetensors") }
"""


def boxes_in(rng, n, whole):
    x = rng.uniform(0, WIDE, (n, 2)), rng.uniform(0, HIGH, (n, 2))
    b = np.stack([x[0].min(1), x[1].min(1), x[0].max(1), x[1].max(1)], 1)
    return np.round(b) if whole else b.astype(np.float32).astype(float)


def mask_of(b):
    m = np.zeros((HIGH, WIDE), np.uint8)
    m[int(b[1]):int(np.ceil(b[3])), int(b[0]):int(np.ceil(b[2]))] = 1
    return m


def made(seed, samples, n, m, scale, whole, levels):
    """Detections near parts and elsewhere; areas of the parts in pixels of the file, as large as every size needs."""
    rng = np.random.default_rng(seed)
    t = {"boxes": np.zeros((samples, n, 4)), "scores": np.zeros((samples, n)), "classes": np.zeros((samples, n), int),
         "found": np.zeros((samples, n, HIGH, WIDE)), "known": np.zeros((samples, m, HIGH, WIDE)),
         "truth": np.zeros((samples, m, 7)), "size": np.zeros((samples, 4))}
    t["truth"][:, :, 4] = -1
    for s in range(samples):
        t["size"][s] = HIGH, WIDE, HIGH * scale, WIDE * scale
        parts = rng.choice([0, 1, 3, m])
        real = boxes_in(rng, parts, whole)
        t["truth"][s, :parts, :4] = real
        t["truth"][s, :parts, 4] = rng.choice([0, 1, 2], parts)     # class 3 has no part, class 4 neither
        t["truth"][s, :parts, 5] = rng.choice([10.5, 1024, 2000, 9216, 10000], parts)
        t["truth"][s, :parts, 6] = rng.random(parts) < 0.2
        for j in range(parts):
            t["known"][s, j] = mask_of(real[j])
        count = rng.choice([0, 2, n])
        near = np.zeros(count)
        guess = boxes_in(rng, count, whole)
        kind = rng.choice([0, 1, 3], count) if count < 100 else np.zeros(count, int)
        for i in range(count):
            if parts and rng.random() < 0.7:
                j = rng.integers(parts)
                guess[i] = np.clip(real[j] + (rng.integers(-1, 2, 4) if whole else rng.normal(0, 0.7, 4)), 0, WIDE)
                kind[i] = t["truth"][s, j, 4] if rng.random() < 0.9 else kind[i]
                near[i] = rng.random()
        guess[:, 2:] = np.maximum(guess[:, :2], guess[:, 2:])
        t["boxes"][s, :count] = guess.astype(np.float32)
        t["classes"][s, :count] = kind
        t["scores"][s, :count] = (1 + np.floor((0.3 * rng.random(count) + 0.7 * near) * levels)) / levels
        for i in range(count):
            t["found"][s, i] = mask_of(guess[i])
    t["scores"] = t["scores"].astype(np.float32)
    return t


def coco_eval(t, kind, scale):
    """The twelve numbers, and the precision of each overlap."""
    samples, n = t["scores"].shape
    images = [{"id": s + 1, "height": HIGH * scale, "width": WIDE * scale} for s in range(samples)]
    rle = lambda m: masks.encode(np.asfortranarray(np.kron(m, np.ones((scale, scale))).astype(np.uint8)))
    xywh = lambda b: [float(v) for v in (b[0] * scale, b[1] * scale, (b[2] - b[0]) * scale, (b[3] - b[1]) * scale)]
    parts, found = [], []
    for s in range(samples):
        for j, p in enumerate(t["truth"][s]):
            if p[4] >= 0:
                parts.append({"id": len(parts) + 1, "image_id": s + 1, "category_id": int(p[4]), "area": float(p[5]),
                              "iscrowd": int(p[6]), "bbox": xywh(p), "segmentation": rle(t["known"][s, j])})
        for i in range(n):
            area = (t["boxes"][s, i, 2] - t["boxes"][s, i, 0]) * (t["boxes"][s, i, 3] - t["boxes"][s, i, 1])
            if t["scores"][s, i] == 0 and area == 0:
                continue
            d = {"image_id": s + 1, "category_id": int(t["classes"][s, i]), "score": float(t["scores"][s, i])}
            found.append({**d, "bbox": xywh(t["boxes"][s, i])} if kind == "bbox" else
                         {**d, "segmentation": rle(t["found"][s, i])})
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO()
        truth.dataset = {"images": images, "annotations": parts, "categories": [{"id": c} for c in range(5)]}
        truth.createIndex()
        e = COCOeval(truth, truth.loadRes(found), kind)
        e.evaluate()
        e.accumulate()
        e.summarize()
    return e.stats, e.eval["precision"]


def mine(stowage, folder, t):
    n, m = t["scores"].shape[1], t["truth"].shape[1]
    tensors = {k: v.astype(np.float32) for k, v in t.items() if k not in ("classes", "known")}
    tensors["classes"], tensors["numbers"] = t["classes"].astype(np.int32), t["classes"].astype(np.float32)
    tensors["known"] = t["known"].astype(np.uint8)
    save_file(tensors, folder + "/ap.safetensors")
    with open(folder + "/ap.nn", "w") as f:
        f.write(SPEC % {"n": n, "m": m})
    run = lambda *words: subprocess.run(words, check=True, cwd=folder, stdout=subprocess.PIPE)
    if not os.path.exists(f"{folder}/out{n}-{m}"):
        run(stowage, "build", "--target", "c", "-o", f"out{n}-{m}", "ap.nn")
    if os.path.exists(folder + "/log"):
        os.remove(folder + "/log")
    run(f"./out{n}-{m}/ap", "--quiet", "--log", "log")
    return [json.loads(line) for line in open(folder + "/log") if "validation_box_ap" in line][-1]


def main():
    stowage, more = os.path.abspath(sys.argv[1]), "more" in sys.argv
    cases = [("random", 1, 37, 12, 6, 1, False, 1000), ("ties of scores and overlaps", 2, 37, 12, 6, 1, True, 3),
             ("pictures twice as large", 3, 21, 12, 6, 2, True, 5)]
    if more:
        cases += [("more than 100 of a class", 4, 9, 130, 6, 1, True, 40)]
        cases += [(f"seed {s}", s, 30, 12, 6, 1 + s % 2, s % 3 > 0, 2 + s) for s in range(10, 30)]
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name, seed, samples, n, m, scale, whole, levels in cases:
            t = made(seed, samples, n, m, scale, whole, levels)
            got = mine(stowage, folder, t)
            for kind, metric, at, step in (("bbox", "box_ap", "box75", 5), ("segm", "mask_ap", "mask50", 0)):
                stats, precision = coco_eval(t, kind, scale)
                details = got[f"validation_{metric}_coco"]
                theirs = [stats[0], *stats[:6], stats[5 - 4 + (0 if step == 0 else 1)]]
                ours = [got["validation_" + metric], details["all"], *(details[k] for k in ("0.5", "0.75", "small", "medium",
                        "large")), got["validation_" + at]]
                for c, x in details["by_class"].items():
                    p = precision[:, :, int(c), 0, 2]
                    theirs.append(p.mean() if (p > -1).all() else -1)
                    ours.append(-1 if x is None else x)
                # where no part is of a size, theirs is -1
                far = difference(*np.array([(a, b) for a, b in zip(ours, theirs) if not (b == -1 and a == 0)]).T)
                found.append((far, name))
                print(f"{name}, {kind}: AP {stats[0]:.4f}, AP50 {stats[1]:.4f}, AP75 {stats[2]:.4f}, small {stats[3]:.4f}, "
                      f"medium {stats[4]:.4f}, large {stats[5]:.4f}; furthest {far:.1e}")
    assert worst(found)[0] < 1e-6, worst(found)


if __name__ == "__main__":
    main()
