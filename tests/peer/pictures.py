"""Pictures as programs prepare them, against Pillow and torchvision.

A network without a loss hands its input on, and --predict writes it: what a batch holds is compared with the same
crop, scaling, colours and flips, drawn by the same hash (kernels/host/random.c, here once more).

	pictures.py make FOLDER         writes pictures of every kind
	pictures.py check FOLDER WAY... compares WAY.npy with what each WAY means
	pictures.py files FOLDER N      N pictures in two folders, for measuring
"""
import math
import os
import sys

import numpy as np
from PIL import Image

MASK = (1 << 64) - 1


def mix(x):
    x = (x + 0x9e3779b97f4a7c15) & MASK
    x = ((x ^ (x >> 30)) * 0xbf58476d1ce4e5b9) & MASK
    x = ((x ^ (x >> 27)) * 0x94d049bb133111eb) & MASK
    return x ^ (x >> 31)


def bits(seed, stream, counter):
    return mix((mix(mix(seed) ^ stream) + counter) & MASK)


def stream_of(name):
    h = 0xcbf29ce484222325
    for c in name.encode():
        h = ((h ^ c) * 0x100000001b3) & MASK
    return h


NAMES = "FLIP FLIP_VERTICAL TOP LEFT BRIGHTNESS CONTRAST SATURATION HUE ORDER CUT_ROW CUT_COLUMN AREA".split()


class Draws:
    """Of one picture, as validation draws: epoch 0, and the seed's complement."""

    def __init__(self, row, seed=1):
        self.row, self.seed = row, ~seed & MASK

    def at(self, what):
        what = NAMES.index(what) if isinstance(what, str) else what
        stream = bits(stream_of("pictures"), 0, 0)
        return (bits(self.seed, stream, self.row * 128 + what) >> 11) / 2.0**53

    def whole(self, what, low, high):
        return low + int(self.at(what) * (high - low + 1))

    def factor(self, what, by):
        return max(0, 1 - by) + (1 + by - max(0, 1 - by)) * self.at(what)


def smooth(rng, h, w, c):
    """Colours that change slowly, with a few edges: as photographs."""
    small = rng.integers(0, 256, (max(2, h // 24), max(2, w // 24), c), dtype=np.uint8)
    big = np.asarray(Image.fromarray(small.squeeze()).resize((w, h), Image.BILINEAR)).reshape(h, w, c).astype(int)
    big += rng.integers(-12, 13, (h, w, c))
    for _ in range(6):
        y, x = rng.integers(0, h), rng.integers(0, w)
        big[y:y + h // 5, x:x + w // 7] = rng.integers(0, 256, c)
    return np.clip(big, 0, 255).astype(np.uint8)


def make(folder):
    rng = np.random.default_rng(3)
    a, b = os.path.join(folder, "a"), os.path.join(folder, "b", "deeper")
    for f in (a, b):
        os.makedirs(f, exist_ok=True)
    rgb = lambda h, w: Image.fromarray(smooth(rng, h, w, 3))
    grey = lambda h, w: Image.fromarray(smooth(rng, h, w, 1)[:, :, 0])
    rgb(150, 200).save(a + "/1.jpg", quality=90)
    rgb(331, 217).save(a + "/2.JPEG", quality=85, subsampling=0)
    rgb(97, 301).save(a + "/3.jpg", progressive=True)
    grey(120, 90).save(a + "/4.jpg")
    rgb(130, 143).convert("CMYK").save(a + "/5.jpg")
    rgb(20, 31).save(a + "/6.png")
    grey(64, 64).save(b + "/1.png")
    rgb(120, 111).quantize(64).save(b + "/2.png")
    rgb(77, 140).convert("RGBA").save(b + "/3.png")
    grey(140, 133).convert("1").save(b + "/4.png")
    Image.fromarray((smooth(rng, 90, 80, 1)[:, :, 0].astype(np.uint16) * 257)).save(b + "/5.png")
    rgb(400, 500).save(b + "/6.png")
    with open(folder + "/notes.txt", "w") as f:
        f.write("no picture\n")


def pictures(folder):
    found = []
    for kind in sorted(os.listdir(folder)):
        for root, dirs, files in sorted(os.walk(os.path.join(folder, kind))):
            found += [os.path.join(root, f) for f in sorted(files)]
    return found


def loaded(path):
    i = Image.open(path)
    if i.mode.startswith("I"):  # 16 bits, all of the form 257 v
        i = Image.fromarray((np.asarray(i).astype(int) // 257).astype(np.uint8))
    return i.convert("RGB")


def jitter(x, d, colours):
    """x: float [3, h, w], 0 to 255; torchvision's formulas on floats."""
    import torch
    from torchvision.transforms.v2 import functional as F
    t = torch.from_numpy(x / 255).float()
    order, rest = [0, 1, 2, 3], d.whole("ORDER", 0, 23)
    for n in (4, 3, 2):
        j = rest % n
        order[n - 1], order[j] = order[j], order[n - 1]
        rest //= n
    for k in order:
        if k == 0:
            t = F.adjust_brightness(t, d.factor("BRIGHTNESS", colours[0]))
        elif k == 1:
            t = F.adjust_contrast(t, d.factor("CONTRAST", colours[1]))
        elif k == 2:
            t = F.adjust_saturation(t, d.factor("SATURATION", colours[2]))
        else:
            t = F.adjust_hue(t, colours[3] * (2 * d.at("HUE") - 1))
    return t.numpy() * 255


def to(image):
    return np.asarray(image).astype(np.float32).reshape(image.height, image.width, -1).transpose(2, 0, 1)


def window(image, size, left, top):
    """Of SIZE; what lies outside of the picture is 0."""
    x = np.zeros((3, size, size), np.float32)
    a = to(image)
    h, w = a.shape[1:]
    t, l, b, r = max(0, top), max(0, left), min(h, top + size), min(w, left + size)
    x[:, t - top:b - top, l - left:r - left] = a[:, t:b, l:r]
    return x


def whole(image, d, size):
    return to(image.resize((size, size), Image.BILINEAR))


def shorter(image, d, size):
    from torchvision.transforms import functional as F
    return to(F.center_crop(F.resize(image, 72), size))


def grey(image, d, size):
    return to(image.convert("L").resize((size, size), Image.BILINEAR))


def random_crop(image, d, size):
    from torchvision.transforms import functional as F
    i = F.resize(image, 72)
    return window(i, size, d.whole("LEFT", -4, i.width + 4 - size), d.whole("TOP", -4, i.height + 4 - size))


def part(image, d, size):
    w0, h0 = image.size
    for k in range(10):
        area = w0 * h0 * (0.08 + 0.92 * d.at(64 + 4 * k))
        ratio = math.exp(math.log(3 / 4) + (math.log(4 / 3) - math.log(3 / 4)) * d.at(65 + 4 * k))
        w, h = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if 0 < w <= w0 and 0 < h <= h0:
            x, y = d.whole(66 + 4 * k, 0, w0 - w), d.whole(67 + 4 * k, 0, h0 - h)
            break
    else:
        w = round(h0 * 4 / 3) if w0 / h0 > 4 / 3 else w0
        h = round(w0 / (3 / 4)) if w0 / h0 < 3 / 4 else h0
        x, y = (w0 - w) // 2, (h0 - h) // 2
    return to(image.crop((x, y, x + w, y + h)).resize((size, size), Image.BILINEAR))


def varied(image, d, size):
    x = jitter(part(image, d, size), d, (0.4, 0.3, 0.5, 0.1))
    x = x[:, :, ::-1] if d.at("FLIP") < 0.5 else x
    x = x[:, ::-1] if d.at("FLIP_VERTICAL") < 0.5 else x
    x = (x / 255 - np.array([[[0.485]], [[0.456]], [[0.406]]])) / np.array([[[0.229]], [[0.224]], [[0.225]]])
    y, c = d.whole("CUT_ROW", 0, size - 1) - 8, d.whole("CUT_COLUMN", 0, size - 1) - 8
    x[:, max(0, y):y + 16, max(0, c):c + 16] = 0
    return x


def check(folder, way):
    got = np.load(way + ".npy") / 2  # a network hands on no input as it is: it doubles them
    size = got.shape[2]
    bad = same = 0
    for row, path in enumerate(pictures(folder)):
        want = globals()[way](loaded(path), Draws(row), size)
        off = np.abs(got[row] - want)
        same += off.max() <= (1e-4 if way == "varied" else 0)
        # Pillow 13 scales some tall pictures along y first, and rounds in between
        if off.max() > (0.05 if way == "varied" else 1) or off.mean() > 0.3:
            bad += 1
            print(f"{path}: off by up to {off.max():.6g}, {off.mean():.3g} in the mean")
    print(f"{way}: {len(got)} pictures, {same} the same, {bad} wrong")
    return bad == 0 and same >= 10 and len(pictures(folder)) == len(got) == 12


def files(folder, n):
    rng = np.random.default_rng(5)
    for k in range(n):
        kind = os.path.join(folder, "ab"[k % 2])
        os.makedirs(kind, exist_ok=True)
        if k < 40:
            i = Image.fromarray(smooth(rng, 375, 500, 3))
            i.save(f"{kind}/{k:06d}.{'png' if k % 8 == 0 else 'jpg'}")
        else:
            end = "png" if k % 8 == 0 else "jpg"
            os.link(os.path.join(folder, "ab"[k % 40 % 2], f"{k % 40:06d}.{end}"), f"{kind}/{k:06d}.{end}")


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2])
    elif sys.argv[1] == "files":
        files(sys.argv[2], int(sys.argv[3]))
    else:
        sys.exit(not all([check(sys.argv[2], way) for way in sys.argv[3:]]))
