"""iou of maps of classes beside numpy's sets of pixels, of all samples of a validation whose last batch is a small one.

	mean_iou.py STOWAGE
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
from safetensors.numpy import save_file

CLASSES, HIGH, WIDE, SAMPLES, IGNORED = 6, 13, 17, 11, 255
SPEC = f"""network seg {{
  input  x : f32[{CLASSES}, {HIGH}, {WIDE}]
  target t : class[{CLASSES}, {HIGH}, {WIDE}]
  loss   cross_entropy(x -> conv({CLASSES}, 1), t, ignore={IGNORED})
  metric iou(x, t)
}}
train    {{ batch 4  steps 1  optimizer sgd(lr=0)  data safetensors("maps.safetensors") }}
validate {{ batch 4  data safetensors("maps.safetensors") }}
"""


def made(seed):
    """Scores, of which some are equal, that often say what the label is; not all classes are labels or answers."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(CLASSES if seed % 2 else CLASSES - 2, (SAMPLES, HIGH, WIDE))
    x = rng.integers(-2, 3, (SAMPLES, CLASSES, HIGH, WIDE)).astype(np.float32)
    x[:, CLASSES - 1 - seed % 3:] -= 9 * (seed > 0)
    right = rng.random(labels.shape) < 0.4
    for c in range(CLASSES):
        x[:, c][right & (labels == c)] += 4
    labels[rng.random(labels.shape) < 0.3] = IGNORED
    if seed == 3:
        labels[:5] = IGNORED
    return x, labels.astype(np.int32)


def expected(x, labels):
    """Of each class; None where nothing is of it."""
    answer = np.zeros(labels.shape, int)
    best = x[:, 0].copy()
    for c in range(1, CLASSES):         # of equal scores the first
        answer[x[:, c] > best] = c
        best = np.maximum(best, x[:, c])
    here = {tuple(p) for p in np.argwhere(labels != IGNORED)}
    out = []
    for c in range(CLASSES):
        known = {tuple(p) for p in np.argwhere(labels == c)}
        said = {tuple(p) for p in np.argwhere(answer == c)} & here
        out.append(len(known & said) / len(known | said) if known | said else None)
    return out


def main(stowage):
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("seg.nn", "w") as f:
            f.write(SPEC)
        save_file({"x": np.zeros(1, np.float32)}, "maps.safetensors")
        subprocess.run([stowage, "build", "--target", "c", "-o", "out", "seg.nn"], check=True, stdout=subprocess.DEVNULL)
        absent = 0
        for seed in range(6):
            x, labels = made(seed)
            save_file({"x": x, "t": labels}, "maps.safetensors")
            subprocess.run(["out/seg", "--quiet", "--log", "log.jsonl"], check=True, stdout=subprocess.DEVNULL)
            last = [json.loads(line) for line in open("log.jsonl")]
            last = [e for e in last if e.get("event") == "epoch"][-1]
            os.remove("log.jsonl")
            want = expected(x, labels)
            some = [v for v in want if v is not None]
            absent += CLASSES - len(some)
            mine = next(v for k, v in last.items() if k.endswith("iou"))
            each = next(v for k, v in last.items() if k.endswith("iou_by_class"))
            print(seed, mine, np.mean(some), each, want)
            assert abs(mine - np.mean(some)) < 1e-6, (seed, mine, np.mean(some))
            for a, b in zip(each, want, strict=True):
                assert (a is None) == (b is None) and (b is None or abs(a - b) < 1e-6), (seed, each, want)
        assert absent > 0


if __name__ == "__main__":
    main(sys.argv[1])
