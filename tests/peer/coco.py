"""Pictures with parts as programs prepare them, against pycocotools' masks and torchvision's GeneralizedRCNNTransform.

	coco.py make FOLDER                       writes pictures and instances of every kind
	coco.py large FOLDER                      a few pictures of usual sizes, and of one that is long
	coco.py check FOLDER SHORTER LONGER FLIP  compares image.npy, boxes.npy, ... with what that means
	coco.py tight FOLDER                      pictures whose boxes are as large as their masks
	coco.py enclose FOLDER                    do boxes.npy enclose masks.npy, mirrored one way, the other, and both?
"""
import json
import os
import random
import sys

import numpy as np
from PIL import Image

from differences import difference

MOST = 5
SIZES = [(60, 40), (37, 53), (64, 64), (101, 77), (20, 90), (48, 32), (72, 48), (1, 7)]


def polygon(r, w, h):
    """Corners in and around the picture, on the grid and between, some twice."""
    corners = []
    for _ in range(r.randint(3, 9)):
        step = r.choice([1, 10, 5, 100])
        corners += [round(r.uniform(-2, m + 2) * step) / step for m in (w, h)]
    return corners + corners[-2:] if r.random() < 0.3 else corners


def segmentation(r, kind, w, h):
    from pycocotools import mask
    if kind == "polygons":
        return [polygon(r, w, h) for _ in range(r.choice([1, 1, 3]))]
    m = np.zeros((h, w), np.uint8, order="F")
    for _ in range(3):
        top, bottom = sorted(r.choices(range(h + 1), k=2))
        left, right = sorted(r.choices(range(w + 1), k=2))
        m[top:bottom, left:right] ^= 1
    if kind == "packed":
        return {"size": [h, w], "counts": mask.encode(m)["counts"].decode()}
    runs, inside = [0], 0
    for x in m.flatten(order="F"):
        if x != inside:
            runs.append(0)
            inside = x
        runs[-1] += 1
    return {"counts": runs, "size": [h, w]}


def make(folder, pictures=48, sizes=SIZES):
    r = random.Random(3)
    rng = np.random.default_rng(3)
    os.makedirs(folder + "/pics", exist_ok=True)
    images, annotations = [], []
    for i in range(pictures):
        w, h = sizes[i] if pictures == len(sizes) else r.choice(sizes)
        name = f"p{i}.png"
        small = Image.fromarray(rng.integers(0, 256, (max(1, h // 8), max(1, w // 8), 3), dtype=np.uint8))
        small.resize((w, h), Image.BILINEAR).save(f"{folder}/pics/{name}")
        images.append({"id": 1000 - 3 * i, "file_name": name, "width": w, "height": h})
        for _ in range(r.choice([0, 1, 2, 4, 9])):
            kind = r.choice(["polygons", "polygons", "runs", "packed"])
            x, y = r.uniform(-3, w - 1), r.uniform(-3, h - 1)
            box = [x, y, r.uniform(0, w - x + 3), r.uniform(0.5, h - y + 3)]
            annotations.append({
                "segmentation": segmentation(r, kind, w, h), "bbox": [round(v, 2) for v in box], "id": len(annotations),
                "area": round(r.uniform(1, 2000), 3), "iscrowd": int(kind != "polygons" and r.random() < 0.3),
                "image_id": images[-1]["id"],
                "category_id": r.choice([3, 7, 44])})
    propose(folder, rng, images)
    r.shuffle(annotations)
    with open(folder + "/inst.json", "w") as f:
        json.dump({"info": {"a": [1, {"b\"\\\u00e9": None}, [], {}]}, "annotations": annotations, "images": images,
                   "categories": [{"id": 44, "name": "c"}, {"id": 3, "name": "a"}, {"id": 7, "name": "b"}]}, f)


def propose(folder, rng, images):
    """Boxes of each picture, some beyond it, as numbers of several types; of a picture that is not in the list, too."""
    header, data = {}, b""
    for i, image in enumerate(images + [{"file_name": "other.jpg", "width": 9, "height": 9}]):
        boxes = rng.uniform(-9, 9 + max(image["width"], image["height"]), (i % 10, 4))
        boxes = np.concatenate([np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])], 1)
        name, kind = [("F32", "f4"), ("F64", "f8"), ("I16", "i2")][i % 3]
        own = boxes.astype("<" + kind).tobytes()
        header[os.path.splitext(image["file_name"])[0]] = {
            "dtype": name, "shape": list(boxes.shape), "data_offsets": [len(data), len(data) + len(own)]}
        data += own
    text = json.dumps(header).encode()
    with open(folder + "/proposals.safetensors", "wb") as f:
        f.write(len(text).to_bytes(8, "little") + text + data)


def proposed(folder, image):
    from safetensors.numpy import load_file
    return load_file(folder + "/proposals.safetensors")[os.path.splitext(image["file_name"])[0]]


def part_mask(a, w, h):
    from pycocotools import mask
    s = a["segmentation"]
    if isinstance(s, list):
        return mask.decode(mask.merge(mask.frPyObjects(s, h, w)))
    return mask.decode(mask.frPyObjects(s, h, w) if isinstance(s["counts"], list) else s)


def transform(w, h, high, wide, shorter, longer):
    """torchvision's, or one that scales a picture further down where it would not fit."""
    from torchvision.models.detection.transform import GeneralizedRCNNTransform
    mean, std = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
    if (shorter, longer) == (800, 1333):
        return GeneralizedRCNNTransform(800, 1333, mean, std)
    fits = min(wide / w, high / h)
    least = min([fits] + ([shorter / min(w, h)] if shorter else []) + ([longer / max(w, h)] if longer else []))
    t = GeneralizedRCNNTransform(1, 1 << 30, mean, std, size_divisible=1)
    t.min_size = (least * min(w, h),)
    return t


def sample(folder, image, annotations, extent, shorter, longer, flip):
    """As torchvision's reference has it: crowds and boxes without an area left out, mirrored, transformed; with proposals
    behind the boxes."""
    import torch
    w, h = image["width"], image["height"]
    x = torch.from_numpy(np.asarray(Image.open(f"{folder}/pics/{image['file_name']}")).copy()).permute(2, 0, 1).float() / 255
    mine = [a for a in annotations if a["image_id"] == image["id"]]
    mine = [a for a in mine if not a["iscrowd"]] + [a for a in mine if a["iscrowd"]]
    boxes = torch.as_tensor([a["bbox"] for a in mine], dtype=torch.float32).reshape(-1, 4)
    boxes[:, 2:] += boxes[:, :2]
    boxes[:, 0::2].clamp_(min=0, max=w)
    boxes[:, 1::2].clamp_(min=0, max=h)
    keep = (boxes[:, 3] > boxes[:, 1]) & (boxes[:, 2] > boxes[:, 0])
    mine = [a for a, k in zip(mine, keep) if k]
    given = torch.from_numpy(proposed(folder, image)[:MOST + 1]).float()
    given[:, 0::2].clamp_(min=0, max=w)
    given[:, 1::2].clamp_(min=0, max=h)
    boxes = torch.cat([boxes[keep], given])
    masks = torch.from_numpy(np.array([part_mask(a, w, h) for a in mine], dtype=np.uint8).reshape(-1, h, w))
    if flip:
        x, masks = x.flip(-1), masks.flip(-1)
        boxes[:, [0, 2]] = w - boxes[:, [2, 0]]
    images, targets = transform(w, h, *extent, shorter, longer).eval()([x], [{"boxes": boxes, "masks": masks}])
    boxes = targets[0]["boxes"].numpy()
    return mine, images.tensors[0].numpy(), boxes[:len(mine)], boxes[len(mine):], targets[0]["masks"].numpy(), images.image_sizes[0]


def check(folder, shorter, longer, flip):
    from pictures import Draws
    data = json.load(open(folder + "/inst.json"))
    # the networks hand twice what they are given on
    got = {n: np.load(n + ".npy") / 2 for n in "image boxes masks size count truth proposals".split()}
    labels = np.load("labels.npy")
    classes = {3: 1, 7: 2, 44: 3}
    off = {"image": [], "boxes": []}
    pixels = parts = 0
    for i, image in enumerate(data["images"]):
        flipped = Draws(i).at("FLIP") < flip
        mine, x, boxes, given, masks, size = sample(folder, image, data["annotations"], got["image"].shape[2:], shorter, longer,
                                                     flipped)
        n = min(sum(not a["iscrowd"] for a in mine), MOST)
        shown = min(len(mine), MOST)
        h, w = size
        assert (got["size"][i] == [h, w, image["height"], image["width"]]).all(), (i, size, got["size"][i])
        assert got["count"][i] == n
        # of the bytes that scaling along each axis rounds to
        off["image"].append(difference(got["image"][i][:, :h, :w], x[:, :h, :w]) * 0.225 * 255)
        assert not x[:, h:].any() and not x[:, :, w:].any()
        assert not got["image"][i][:, h:].any() and not got["image"][i][:, :, w:].any()
        off["boxes"].extend(np.abs(got["boxes"][i][:n] - boxes[:n]).ravel())
        assert not got["boxes"][i][n:].any()
        off["boxes"].extend(np.abs(got["proposals"][i][:len(given)] - given).ravel())
        assert not got["proposals"][i][len(given):].any()
        assert (labels[i][:n] == [classes[a["category_id"]] for a in mine[:n]]).all() and not labels[i][n:].any()
        assert (got["masks"][i][:shown, :h, :w] == masks[:shown, :h, :w]).all(), (i, image, mine)
        assert not got["masks"][i][shown:].any() and not got["masks"][i][:, h:].any()
        assert not got["masks"][i][:, :, w:].any()
        truth = got["truth"][i]
        assert np.abs(truth[:shown, :4] - boxes[:shown]).max(initial=0) < 1e-5
        assert (truth[:shown, 4] == [classes[a["category_id"]] for a in mine[:shown]]).all()
        assert (truth[:shown, 5] == np.float32([a["area"] for a in mine[:shown]])).all()
        assert (truth[:shown, 6] == [a["iscrowd"] for a in mine[:shown]]).all()
        assert (truth[shown:, 4] == -1).all() and not truth[shown:, :4].any()
        pixels += int(masks[:shown].sum())
        parts += shown
    picture, box = np.max(off["image"]), np.max(off["boxes"])     # NaN, where one is
    print(f"{parts} parts, {pixels} pixels of masks; picture {picture:.3f} of 255, boxes {box:.2g}")
    assert picture < 1.01 and box < (1e-5 if max(got["image"].shape) < 100 else 1e-3) and parts > 5


def tight(folder):
    """Blobs at random in pictures that become no smaller, and of each its mask as runs and its box."""
    r = random.Random(5)
    os.makedirs(folder + "/pics", exist_ok=True)
    images, annotations = [], []
    for i in range(48):
        w, h = r.choice([(60, 40), (48, 32), (72, 48), (30, 45), (20, 30)])
        images.append({"id": i, "file_name": f"p{i}.png", "width": w, "height": h})
        Image.new("RGB", (w, h)).save(f"{folder}/pics/p{i}.png")
        for _ in range(r.randint(1, MOST)):
            m = np.zeros((h, w), np.uint8)
            for _ in range(3):
                x, y = r.randrange(w), r.randrange(h)
                m[y:y + r.randint(1, h // 2), x:x + r.randint(1, w // 2)] = 1
            flat = m.flatten(order="F")
            ends = np.flatnonzero(np.diff(np.concatenate([[0], flat, [1 - flat[-1]]])))
            at = np.argwhere(m)
            (top, left), (bottom, right) = at.min(0), at.max(0) + 1
            annotations.append({
                "segmentation": {"counts": np.diff(np.concatenate([[0], ends])).tolist(), "size": [h, w]},
                "bbox": [int(left), int(top), int(right - left), int(bottom - top)], "id": len(annotations), "area": int(m.sum()),
                "iscrowd": 0, "image_id": i, "category_id": 1})
    with open(folder + "/inst.json", "w") as f:
        json.dump({"annotations": annotations, "images": images, "categories": [{"id": 1, "name": "a"}]}, f)


def enclose(folder):
    """A mask's pixels begin within its box, whose sides are within a pixel of them; all four ways to mirror occur."""
    data = json.load(open(folder + "/inst.json"))
    boxes, masks, size = (np.load(n + ".npy") / 2 for n in ("boxes", "masks", "size"))
    ways, parts = {}, 0
    for i, image in enumerate(data["images"]):
        known = [a["bbox"] for a in data["annotations"] if a["image_id"] == image["id"]]
        h, w, high, wide = size[i]
        fits = []
        for flip, turn in ((False, False), (True, False), (False, True), (True, True)):
            given = np.array([[(wide - x - bw if flip else x), (high - y - bh if turn else y), bw, bh] for x, y, bw, bh in known])
            given = np.concatenate([given[:, :2], given[:, :2] + given[:, 2:]], 1) * [w / wide, h / high, w / wide, h / high]
            if np.abs(given - boxes[i, :len(known)]).max() < 1e-3:
                fits.append((flip, turn))
        assert fits, (i, known, boxes[i])
        if len(fits) == 1:
            ways[fits[0]] = ways.get(fits[0], 0) + 1
        for box, mask in zip(boxes[i, :len(known)], masks[i]):
            at = np.argwhere(mask)
            before, behind = at.min(0)[::-1] - box[:2], box[2:] - at.max(0)[::-1]
            assert before.min() > -1e-3 and before.max() < 1.001 and behind.min() > -1e-3 and behind.max() < 1.001, (i, box, before, behind)
            parts += 1
    print(parts, ways)
    assert parts > 100 and len(ways) == 4 and min(ways.values()) >= 4, ways


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    if sys.argv[1] == "large":
        make(sys.argv[2], 5, [(640, 480), (1000, 300), (375, 500), (800, 800), (1600, 1200)])
    elif sys.argv[1] in ("make", "tight", "enclose"):
        globals()[sys.argv[1]](sys.argv[2])
    else:
        check(sys.argv[2], *[float(a) for a in sys.argv[3:6]])
