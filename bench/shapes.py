#!/usr/bin/env python3
"""Pictures of circles, squares and triangles with COCO's annotations of them, for detectors that train in minutes.

    bench/shapes.py FOLDER [--train 500] [--val 100] [--size 128] [--most 4] [--seed 1]

writes FOLDER/train.json and val.json, and the pictures, PNG files, in FOLDER/train and FOLDER/val: shapes of any colour,
turned by any angle, on a background of another colour with noise over all. A shape hides at most a little of another,
and its mask, a polygon, is what of it is in the picture. Needs nothing but Python; the same seed draws the same, and what
is drawn to train with has a seed of its own.

    data coco("shapes/train.json", "shapes/train", scale=1/255)      labels : class[4, most]
"""
import argparse
import json
import math
import os
import random
import struct
import zlib

KINDS = ("circle", "square", "triangle")
CORNERS = {"circle": 40, "square": 4, "triangle": 3}


def outline(r, kind, size):
    """Corners of a shape somewhere in the picture."""
    radius = r.uniform(size / 10, size / 4)
    x, y = r.uniform(0.7 * radius, size - 0.7 * radius), r.uniform(0.7 * radius, size - 0.7 * radius)
    n, turn = CORNERS[kind], r.uniform(0, 2 * math.pi)
    return [(x + radius * math.cos(turn + 2 * math.pi * k / n), y + radius * math.sin(turn + 2 * math.pi * k / n))
            for k in range(n)]


def inside(corners, size):
    """What a convex outline has of the picture: the same, cut at its sides."""
    for axis, side, sign in ((0, 0, 1), (0, size, -1), (1, 0, 1), (1, size, -1)):
        kept = []
        for a, b in zip(corners, corners[1:] + corners[:1]):
            far, near = (a[axis] - side) * sign, (b[axis] - side) * sign
            if far >= 0:
                kept.append(a)
            if (far >= 0) != (near >= 0):
                share = far / (far - near)
                kept.append((a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])))
        corners = kept
    return corners


def area(corners):
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(corners, corners[1:] + corners[:1]))) / 2


def box(corners):
    xs, ys = [c[0] for c in corners], [c[1] for c in corners]
    return min(xs), min(ys), max(xs), max(ys)


def overlap(a, b):
    """What of the smaller box is in the other, too."""
    w, h = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    least = min((a[2] - a[0]) * (a[3] - a[1]), (b[2] - b[0]) * (b[3] - b[1]))
    return w * h / least if w > 0 and h > 0 else 0


def spans(corners, size):
    """Row by row, from which pixel to which a convex outline covers their middles."""
    for y in range(size):
        cuts = [a[0] + (y + 0.5 - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
                for a, b in zip(corners, corners[1:] + corners[:1]) if (a[1] > y + 0.5) != (b[1] > y + 0.5)]
        if cuts:
            yield y, max(0, math.ceil(min(cuts) - 0.5)), min(size, math.ceil(max(cuts) - 0.5))


def colours(r):
    """Of the background and of shapes, which differ from it."""
    back = [r.randrange(256) for _ in range(3)]
    while True:
        other = [r.randrange(256) for _ in range(3)]
        if sum(abs(a - b) for a, b in zip(back, other)) > 180:
            yield back, other


def png(path, rows, size):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    with open(path, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)) +
                chunk(b"IDAT", zlib.compress(b"".join(b"\0" + bytes(row) for row in rows), 6)) + chunk(b"IEND", b""))


def picture(r, path, size, most):
    """Draws one; returns its shapes, as (kind, corners)."""
    pair, shapes, rows = colours(r), [], None
    for _ in range(r.randint(1, most)):
        for _ in range(30):
            kind = r.choice(KINDS)
            corners = inside(outline(r, kind, size), size)
            if all(overlap(box(corners), box(c)) < 0.15 for _, c in shapes):
                break
        else:
            continue
        back, colour = next(pair)
        rows = rows or [bytearray(back * size) for _ in range(size)]
        for y, left, right in spans(corners, size):
            rows[y][3 * left:3 * right] = bytes(colour * (right - left))
        shapes.append((kind, corners))
    noise = [r.randrange(-16, 17) for _ in range(4099)]
    for y, row in enumerate(rows):
        at = r.randrange(4099)
        rows[y] = bytes(min(255, max(0, v + noise[(at + k) % 4099])) for k, v in enumerate(row))
    png(path, rows, size)
    return shapes


def dataset(r, folder, name, pictures, size, most):
    images, annotations = [], []
    os.makedirs(os.path.join(folder, name), exist_ok=True)
    for i in range(pictures):
        file = f"{i:05}.png"
        images.append({"id": i + 1, "file_name": file, "width": size, "height": size})
        for kind, corners in picture(r, os.path.join(folder, name, file), size, most):
            x, y, right, bottom = box(corners)
            annotations.append({
                "id": len(annotations) + 1, "image_id": i + 1, "category_id": KINDS.index(kind) + 1, "iscrowd": 0,
                "bbox": [round(v, 2) for v in (x, y, right - x, bottom - y)], "area": round(area(corners), 2),
                "segmentation": [[round(v, 2) for corner in corners for v in corner]]})
    with open(os.path.join(folder, name + ".json"), "w") as f:
        json.dump({"images": images, "annotations": annotations,
                   "categories": [{"id": k + 1, "name": kind} for k, kind in enumerate(KINDS)]}, f)
    print(f"{folder}/{name}.json: {pictures} pictures, {len(annotations)} shapes")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder")
    for name, preset in (("train", 500), ("val", 100), ("size", 128), ("most", 4), ("seed", 1)):
        p.add_argument("--" + name, type=int, default=preset)
    a = p.parse_args()
    for name, pictures in (("train", a.train), ("val", a.val)):
        dataset(random.Random(f"{a.seed} {name}"), a.folder, name, pictures, a.size, a.most)


if __name__ == "__main__":
    main()
