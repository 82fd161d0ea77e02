#!/usr/bin/env python3
"""Operators and blocks of detection in emitted programs against torchvision, in f32: on random boxes, and on those that
are empty, touch, are alike, lie outside or are no numbers. Prints TAP.

    boxes.py [CASE...]
"""
import os
import sys
import tempfile

import numpy
import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import ir           # noqa: E402
import tap          # noqa: E402
from detection import random_boxes      # noqa: E402
from program import program_of      # noqa: E402


def run(body, values, batch=2):
    """What a network makes, and the gradients of its inputs, by name; VALUES of inputs, targets and parameters."""
    with tempfile.TemporaryDirectory() as folder:
        spec = os.path.join(folder, "net.nn")
        with open(spec, "w") as f:
            f.write(f'use "std/detection.nn"\nnetwork net {{\n{body}}}\n'
                    f"train {{ batch {batch}  optimizer sgd(lr=0)  data synthetic(samples={batch}) }}\n")
        program = program_of(spec, options=["--input-gradients"])
    program.batch = batch
    for name, value in values.items():
        program.set(name, value.detach().numpy())
    program.train_step(batch, 1.0)
    return program.made


def close(name, mine, theirs, most=1e-5):
    theirs = theirs.detach().numpy()
    mine = mine.reshape(theirs.shape)
    same = numpy.isfinite(mine).all() and numpy.abs(mine - theirs).max() <= most * max(1, numpy.abs(theirs).max())
    where = numpy.argwhere(~(numpy.abs(mine - theirs) <= most * max(1, numpy.abs(theirs).max())))
    tap.result(same, name, f"{len(where)} differ, first at {where[:3].tolist()}: "
               f"{[float(mine[tuple(i)]) for i in where[:3]]}, {[float(theirs[tuple(i)]) for i in where[:3]]}")


def odd_boxes():
    """Empty, a line, alike, within, touching at an edge and at a corner, far away, turned, without numbers."""
    nan, inf = float("nan"), float("inf")
    return torch.tensor([[0, 0, 0, 0], [5, 5, 5, 20], [8, 8, 24, 24], [8, 8, 24, 24], [10, 10, 20, 20], [24, 8, 40, 24],
                         [24, 24, 40, 40], [900, 900, 950, 950], [30, 30, 10, 10], [nan, 0, 10, 10], [0, 0, nan, nan],
                         [-20, -20, 70, 70], [-inf, -inf, -inf, -inf]])


def anchors():
    from detection import anchors as theirs
    attrs = {"sizes": (32, 40, 50), "ratios": (0.5, 1, 2), "map": (5, 7), "stride": (8, 16)}
    made = run("""  input x : f32[3, 5, 7]
  at = x -> anchors((32, 40, 50), (8, 16), (0.5, 1, 2))
  loss sum(at * parameter((1, 1))) * sum(x)
""", {"x": torch.zeros(2, 3, 5, 7)})
    close("anchors", made["at.anchors"], theirs(ir.Node("anchors", [], [], attrs, "")), 0)


def match():
    from detection import match as theirs
    torch.manual_seed(1)
    for name, boxes, near in (("random", random_boxes(2, 20), random_boxes(300)),
                              ("odd", torch.stack([odd_boxes(), odd_boxes().flip(0)]), torch.cat([odd_boxes(), random_boxes(30)])),
                              ("none", torch.zeros(2, 4, 4), random_boxes(30)),
                              ("of each picture", random_boxes(2, 9), random_boxes(2, 100))):
        own, shape = near.dim() == 3, f"{near.shape[-2]}, 4"
        for high, low, force, each in ((0.5, 0.4, True, False), (0.7, 0.3, True, False), (0.5, 0.5, False, False),
                                       (0.5, 0.5, False, True)):
            if each and name == "odd":      # torchvision gives what overlaps nothing the first anchor
                continue
            made = run(f"""  input boxes : f32[{boxes.shape[1]}, 4]
  {f"input near : f32[{shape}]" if own else f"near = parameter(({shape}))"}
  at   = match(boxes, near, high={high}, low={low}, force={str(force).lower()}, each={str(each).lower()})
  loss sum(at -> cast) * sum(parameter((1)))
""", {"boxes": boxes, "near" if own else "near.parameter.weight": near})
            want = theirs(ir.Node("match", [], [], {"high": high, "low": low, "force": force, "each": each}, ""), boxes, near)
            close(f"match, {name}: {high}, {low}{', forced' if force else ', each its own' if each else ''}", made["at.match"], want, 0)


def pairs():
    """Boxes that are some, and what they are to be compared with; some alike, some apart."""
    torch.manual_seed(2)
    a, b = random_boxes(2, 40), random_boxes(2, 40)
    a[..., 2:] += 1
    b[..., 2:] += 1
    b[:, 30:35] = a[:, 30:35]
    b[:, 35:] += 100
    return a.requires_grad_(), b


def paired(name, block, theirs, a, *b):
    """A block of one tensor [n, 4], or two: what it makes, and the gradient of the first where each result has a weight. Where
    theirs is no number, ours is any."""
    want = theirs(a, *b)
    weight = torch.randn(want.shape[1], 2 * want.shape[2])
    made = run(f"""  input {"a, b" if b else "a"} : f32[{a.shape[1]}, 4]
  y = {"(a, b)" if b else "1 * a"} -> {block}
  both = concat(y, y, axis=1)
  loss sum(both * parameter({tuple(weight.shape)}))
""", {"a": a, "loss.parameter.weight": weight, **({"b": b[0]} if b else {})})
    gradient, = torch.autograd.grad((torch.cat([want, want], -1) * weight).sum() / len(a), a)
    for what, mine, their in ((name, made["both.concat"][..., :want.shape[-1]], want),
                              (f"{name}, its gradient", made["a.grad"], gradient)):
        known = their.isfinite()
        close(what, numpy.where(known, mine.reshape(their.shape), 0 * mine.reshape(their.shape)), torch.where(known, their, 0))


def coding():
    from torchvision.models.detection._utils import BoxCoder
    a, b = pairs()
    coder = BoxCoder((10, 10, 5, 5))
    for name, block, want in (("encode", "encode_boxes(weights=(10, 10, 5, 5))",
                               lambda a, b: torch.stack([coder.encode_single(x, y) for x, y in zip(a, b)])),
                              ("decode", "decode_boxes(weights=(10, 10, 5, 5))",
                               lambda a, b: torch.stack([coder.decode_single(x, y) for x, y in zip(a, b)]))):
        given = a if name == "encode" else (5 * torch.randn(2, 40, 4)).requires_grad_()
        paired(name, block, want, given, b)


def losses():
    from torchvision.ops import complete_box_iou_loss, distance_box_iou_loss, generalized_box_iou_loss
    odd = odd_boxes()
    odd = odd[odd.isfinite().all(1)]
    every = (odd.repeat(len(odd), 1).reshape(2, -1, 4).requires_grad_(), odd.repeat_interleave(len(odd), 0).reshape(2, -1, 4))
    for name, given in (("random", pairs()), ("odd", every)):
        for block, theirs in (("giou_loss", generalized_box_iou_loss), ("diou_loss", distance_box_iou_loss),
                              ("ciou_loss", complete_box_iou_loss)):
            paired(f"{block}, {name} boxes", block, lambda a, b: theirs(a, b)[..., None], *given)


def clipping():
    from torchvision.ops import clip_boxes_to_image
    a = (100 * torch.randn(2, 40, 4)).requires_grad_()
    paired("clip", "clip_boxes(50, 70)", lambda a: clip_boxes_to_image(a, (50, 70)), a)


def roi_align():
    from detection import roi_align as theirs
    torch.manual_seed(3)
    x, y = torch.randn(2, 10, 16, 20).requires_grad_(), torch.randn(2, 10, 8, 10).requires_grad_()
    odd = odd_boxes()
    for name, boxes in (("random", random_boxes(2, 13)), ("odd", torch.stack([odd, odd.flip(0)])),
                        ("small and large", torch.cat([random_boxes(2, 6, size=4), random_boxes(2, 7, size=300) - 100], 1))):
        for maps, scale, points, aligned in (([x], (0.25,), 2, False), ([x], (0.25,), 0, False), ([x], (0.25,), 0, True),
                                             ([x], (0.25,), 3, True), ([x, y], (0.25, 0.125), 2, False)):
            names = ["x", "y"][:len(maps)]
            inputs = "".join(f"  input {k} : f32[{', '.join(map(str, v.shape[1:]))}]\n" for k, v in zip(names, maps))
            made = run(f"""{inputs}  input boxes : f32[13, 4]
  z = roi_align(boxes, {", ".join(names)}, (3, 5), ({", ".join(map(str, scale))},), points={points}, aligned={str(aligned).lower()}, canonical=64)
  loss sum(z * parameter((13, 10, 3, 5)))
""".replace(",),", "),"), {**dict(zip(names, maps)), "boxes": boxes, "loss.parameter.weight": (weight := torch.randn(13, 10, 3, 5))})
            want = theirs(ir.Node("roi_align", [], [], {"size": (3, 5), "scale": scale, "points": points, "aligned": aligned,
                                                        "canonical": 64}, ""), boxes, *maps)
            what = f"roi_align, {name} boxes, {len(maps)} maps, {points} points{', aligned' if aligned else ''}"
            close(what, made["z.roi_align"], want)
            for k, gradient in zip(names, torch.autograd.grad((want * weight).sum() / 2, maps)):
                close(f"{what}: gradient of {k}", made[f"{k}.grad"], gradient)


def roi_pool():
    """Of maps of which some numbers are alike, and some are none: maxima that are equal, and such as are not there."""
    from detection import roi_pool as theirs
    torch.manual_seed(14)
    odd, nan, inf = odd_boxes(), float("nan"), float("inf")
    holes = torch.where(torch.rand(2, 10, 16, 20) > 0.5, torch.randn(2, 10, 16, 20), nan)
    holes[..., :6] = nan
    endless = torch.tensor([[-inf, -inf, inf, inf], [0, 0, inf, 20], [-1e30, 4, 9, 1e30], [-inf, -9, 40, 90]])
    halves = torch.arange(52).reshape(13, 4) * 5 % 17 * 2.0 - 6      # at a quarter, halves of an element
    for name, boxes in (("random", random_boxes(2, 13)), ("odd", torch.stack([odd, odd.flip(0)])),
                        ("half", torch.stack([halves, halves[:, [2, 3, 0, 1]]])),
                        ("small and large", torch.cat([random_boxes(2, 6, size=4), random_boxes(2, 7, size=300) - 100], 1)),
                        ("endless", torch.cat([random_boxes(2, 9, size=300), endless.repeat(2, 1, 1)], 1))):
        for kind, x in (("", torch.randn(2, 10, 16, 20)), (" of equals", torch.randint(-2, 3, (2, 10, 16, 20)).float()),
                        (" with holes", holes)):
            for size, scale in (((3, 5), 0.25), ((7, 7), 0.25), ((1, 3), 0.3)):
                x.requires_grad_()
                weight = torch.randn(13, 10, *size)
                made = run(f"""  input x : f32[10, 16, 20]
  input boxes : f32[13, 4]
  z = roi_pool(boxes, x, {size}, {scale})
  loss sum(z * parameter({(13, 10, *size)}))
""", {"x": x, "boxes": boxes, "loss.parameter.weight": weight})
                want = theirs(ir.Node("roi_pool", [], [], {"size": size, "scale": scale}, ""), boxes, x)
                what = f"roi_pool, {name} boxes, a map{kind}, {size} at {scale}"
                close(what, made["z.roi_pool"], want, 0)
                close(f"{what}: gradient", made["x.grad"], torch.autograd.grad((want * weight).sum() / 2, x)[0])


def roi_masks():
    from detection import roi_masks as theirs
    torch.manual_seed(13)
    odd, index = odd_boxes(), torch.randint(-1, 4, (2, 13))
    masks = torch.randint(0, 2, (2, 4, 50, 60), dtype=torch.uint8)
    for name, boxes in (("random", random_boxes(2, 13)), ("odd", torch.stack([odd, odd.flip(0)]))):
        for kind, scale, points in (("u8", 1, 0), ("u8", 0.5, 3), ("f32", 1, 0)):
            given = masks if kind == "u8" else masks / 3
            made = run(f"""  input boxes : f32[13, 4]
  input masks : {kind}[4, 50, 60]
  input at : class[4, 13]
  z = roi_masks(boxes, masks, at, (3, 5), {scale}, {points})
  loss sum(z) * sum(parameter((1)))
""", {"boxes": boxes, "masks": given, "at": index.int()})
            close(f"roi_masks, {name} boxes, {kind}, {points} points", made["z.roi_masks"], theirs(
                ir.Node("roi_masks", [], [], {"size": (3, 5), "scale": scale, "points": points}, ""), boxes, given, index))


def top_k():
    from detection import top_k as theirs
    torch.manual_seed(4)
    nan, inf = float("nan"), float("inf")
    odd = torch.tensor([[0.0, -0.0, 1, 1, nan, -inf, inf, -1], [nan, nan, nan, 2, 2, -2, 0, 2]])
    for name, x in (("random", torch.randn(2, 5000)), ("with equals", torch.randint(-9, 9, (2, 700)).float()), ("odd", odd)):
        for k in (1, 5, x.shape[1] // 2, x.shape[1]):
            made = run(f"""  input x : f32[{x.shape[1]}]
  at = top_k(x, {k})
  loss sum(at -> cast) * sum(parameter((1)))
""", {"x": x})
            close(f"top_k, {name}: {k} of {x.shape[1]}", made["at.top_k"], theirs(ir.Node("top_k", [], [], {"k": k}, ""), x), 0)


def nms():
    from detection import nms as theirs
    torch.manual_seed(6)
    odd, many = odd_boxes(), random_boxes(2, 300, size=40)
    equals, group = torch.randint(5, (2, 300)).float(), torch.randint(3, (2, 300))
    for name, boxes, scores, k in (("random", many, torch.randn(2, 300), 100), ("equal scores", many, equals, 300),
                                   ("odd", torch.stack([odd, odd.flip(0)]), torch.randn(2, 13), 13),
                                   ("scores that are no numbers", many, torch.randn(2, 300).log(), 60),
                                   ("none", torch.zeros(2, 5, 4), torch.randn(2, 5), 3)):
        n = boxes.shape[1]
        for most, grouped in ((0.5, False), (0.1, True), (0.0, False)):
            made = run(f"""  input boxes : f32[{n}, 4]
  input scores : f32[{n}]
  input group : class[3, {n}]
  at = nms(boxes, scores, {"group, " if grouped else ""}{k}, {most})
  loss sum(at -> cast) * sum(parameter((1))){"" if grouped else " + 0 * sum(one_hot(group))"}
""", {"boxes": boxes, "scores": scores, "group": group[:, :n].int()})
            want = theirs(ir.Node("nms", [], [], {"k": k, "most": most}, ""), boxes, scores, group[:, :n] if grouped else None)
            close(f"nms, {name}: {most}{', by groups' if grouped else ''}", made["at.nms"], want, 0)


def sampling():
    """Which are drawn nobody else can say; how many of which are, torchvision's sampler does. Matched ones come first."""
    from torchvision.models.detection._utils import BalancedPositiveNegativeSampler
    torch.manual_seed(8)
    boxes, near = random_boxes(2, 10), random_boxes(2, 300)
    boxes[1, 1:] = 0
    boxes[1, 0] = near[1, 0]
    made = run("""  input boxes : f32[10, 4]
  input near : f32[300, 4]
  at = match(boxes, near, high=0.3, low=0.2)
  s = at -> sample_anchors(count=280, positive=1/4)
  some = concat(s.there, s.there)
  loss (sum(some) + sum(near -> take(s))) * sum(parameter((1)))
""", {"boxes": boxes, "near": near})
    index = torch.from_numpy(made["at.match"]).long()
    theirs = BalancedPositiveNegativeSampler(280, 0.25)([torch.where(i >= 0, 1, i + 1).clamp(min=-1) for i in index])
    for i in range(2):
        matched, background = (int(t[i].sum()) for t in theirs)
        got = made["s.0.drawn.0.top_k"][i][made["some.concat"][i][:280] == 1]
        kinds = index[i][torch.from_numpy(got).long()]
        tap.result(len(set(got)) == len(got) and (kinds[:matched] >= 0).all() and (kinds[matched:] == -1).all() and
                   len(kinds) == matched + background, f"sample_anchors: {matched} matched, {background} of the background", kinds)


def masks():
    from torchvision.models.detection.mask_rcnn import MaskRCNNHeads, MaskRCNNPredictor
    torch.manual_seed(9)
    model = torch.nn.Sequential(MaskRCNNHeads(6, (8,) * 4, 1), MaskRCNNPredictor(8, 8, 5))
    x = torch.randn(2, 3, 6, 4, 4)
    with tempfile.TemporaryDirectory() as folder:
        spec = os.path.join(folder, "net.nn")
        with open(spec, "w") as f:
            f.write("""use "std/detection.nn"
network net { input x : f32[3, 6, 4, 4]  y = x -> mask_head(5, width=8)  loss sum(concat(y, y) ^ 2) }
train { batch 2  optimizer sgd(lr=0)  data synthetic(samples=2) }
""")
        program = program_of(spec)
    program.batch = 2
    program.set("x", x.numpy())
    names = [e.name.decode() for e in program.entries if e.kind == b"parameter"]
    for name, p in zip(names, model.parameters(), strict=True):
        program.set(name, p.detach().numpy())
    program.train_step(2, 0.0)
    close("mask_head", program.made["loss.concat"][:, :3], model(x.flatten(0, 1)).unflatten(0, (2, 3)))


def found():
    from torchvision.models.detection.roi_heads import RoIHeads
    torch.manual_seed(11)
    n, classes, count, high, wide = 40, 4, 24, 48, 64
    rois, scores, codes = random_boxes(2, n), 2 * torch.randn(2, n, classes), torch.randn(2, n, 4 * classes)
    rois[:, 20:24], rois[:, 30:] = rois[:, :4], 0
    heads = RoIHeads(None, None, None, 0.5, 0.5, 8, 0.25, None, 0.1, 0.4, count)
    boxes, sure, what = heads.postprocess_detections(scores.flatten(0, 1), codes.flatten(0, 1), list(rois), [(high, wide)] * 2)
    made = run(f"""  input scores : f32[{n}, {classes}]
  input codes : f32[{n}, {4 * classes}]
  input rois : f32[{n}, 4]
  y = (scores, codes, rois) -> found_boxes({count}, {high}, {wide}, least=0.1, overlap=0.4)
  all = concat(y, y.sure -> reshape({count}, 1), y.what -> reshape({count}, 1), axis=1)
  loss sum(all * parameter((1, 1)))
""", {"scores": scores, "codes": codes, "rois": rois})
    want = torch.zeros(2, count, 6)
    for i in range(2):
        want[i, :len(sure[i])] = torch.cat([boxes[i], sure[i][:, None], what[i][:, None]], 1)
    close(f"found_boxes: {[len(s) for s in sure]} of {count}", made["all.concat"], want)
    close("found_boxes that find fewer than there may be", *few_found(heads, high, wide))


def listed(count, detections):
    """The first rows of boxes, scores and classes, filled up with zeros. Of what lies beyond the picture torchvision keeps boxes
    without an area; here they are none."""
    want = torch.zeros(len(detections), count, 6)
    for i, one in enumerate(detections):
        rows = torch.cat([one["boxes"], one["scores"][:, None], one["labels"][:, None]], 1)
        rows = rows[(rows[:, 2:4] - rows[:, :2] >= 0.01).all(1)][:count]
        want[i, :len(rows)] = rows
    return want


ALL = """  all = concat(y, y.sure -> reshape({0}, 1), y.what -> reshape({0}, 1), axis=1)
  loss sum(all * parameter((1, 1)))
"""


def found_by_one_stage():
    """Of two classes and more, with fewer places than a level may have candidates, and with more."""
    from types import SimpleNamespace
    from torchvision.models.detection._utils import BoxCoder
    from torchvision.models.detection.retinanet import RetinaNet
    from torchvision.models.detection.ssd import SSD
    torch.manual_seed(12)
    count, high, wide, maps = 30, 48, 64, [(6, 8), (3, 4), (2, 2), (1, 1), (1, 1)]
    rows = [9 * h * w for h, w in maps]
    for classes in (2, 5):
        n = sum(rows)
        about, scores, codes = random_boxes(n), torch.randn(2, n, classes) - 1, 0.5 * torch.randn(2, n, 4)
        about[:, 2:] += 4
        model = SimpleNamespace(score_thresh=0.2, topk_candidates=40, nms_thresh=0.5, detections_per_img=1000,
                                box_coder=BoxCoder((1.0, 1.0, 1.0, 1.0)))
        want = RetinaNet.postprocess_detections(model, {"cls_logits": scores.split(rows, 1), "bbox_regression": codes.split(rows, 1)},
                                                [list(about.split(rows))] * 2, [(high, wide)] * 2)
        levels = "".join(f"  input p{k} : f32[1, {h}, {w}]\n" for k, (h, w) in enumerate(maps, 3))
        made = run(f"""  input scores : f32[{n}, {classes}]
  input codes : f32[{n}, 4]
{levels}  about = parameter(({n}, 4))
  y = (scores, codes, about, p3, p4, p5, p6, p7) -> retinanet_found({count}, {high}, {wide}, least=0.2, most=40)
{ALL.format(count)}""", {"scores": scores, "codes": codes, "about.parameter.weight": about})["all.concat"]
        close(f"retinanet_found of {classes} classes", made, listed(count, want))
    n, classes = 200, 4
    about, scores, codes = random_boxes(n), 2 * torch.randn(2, n, classes), torch.randn(2, n, 4)
    about[:, 2:] += 4
    model = SimpleNamespace(score_thresh=0.1, topk_candidates=50, nms_thresh=0.45, detections_per_img=1000,
                            box_coder=BoxCoder((10.0, 10.0, 5.0, 5.0)))
    want = SSD.postprocess_detections(model, {"cls_logits": scores, "bbox_regression": codes}, [about] * 2, [(high, wide)] * 2)
    made = run(f"""  input scores : f32[{n}, {classes}]
  input codes : f32[{n}, 4]
  about = parameter(({n}, 4))
  y = (scores, codes, about) -> ssd_found({count}, {high}, {wide}, least=0.1, most=50)
{ALL.format(count)}""", {"scores": scores, "codes": codes, "about.parameter.weight": about})["all.concat"]
    close(f"ssd_found", made, listed(count, want))


def few_found(heads, high, wide):
    """Three proposals, one of them none."""
    rois = torch.tensor([[[4., 4, 20, 20], [30, 10, 60, 40], [0, 0, 0, 0]]]).repeat(2, 1, 1)
    scores = torch.tensor([[[0., 4], [3, 0], [0, 5]], [[3, 0], [3, 0], [0, 5]]])
    boxes, sure, _ = heads.postprocess_detections(scores.flatten(0, 1), torch.zeros(6, 8), list(rois), [(high, wide)] * 2)
    made = run(f"""  input scores : f32[3, 2]
  input rois : f32[3, 4]
  y = (scores, 0 * concat(scores, scores, scores, scores, axis=1), rois) -> found_boxes(3, {high}, {wide}, least=0.1, overlap=0.4)
  all = concat(y, y.sure -> reshape(3, 1), axis=1)
  loss sum(all * parameter((1, 1)))
""", {"scores": scores, "rois": rois})
    want = torch.zeros(2, 3, 5)
    for i in range(2):
        want[i, :len(sure[i])] = torch.cat([boxes[i], sure[i][:, None]], 1)
    return made["all.concat"], want


def paste():
    """At the places of pixels' middles in a box from -1 to 1, as Detectron2's _do_paste_mask."""
    torch.manual_seed(12)
    boxes, masks, high, wide = random_boxes(2, 9), torch.rand(2, 9, 5, 7), 48, 64
    boxes[..., 2:] += 1
    boxes[:, 7], boxes[:, 8] = torch.tensor([-10., -5, 90, 30]), torch.tensor([70., 60, 90, 80])
    b = boxes.flatten(0, 1)
    y = (torch.arange(high) + 0.5 - b[:, 1:2]) / (b[:, 3:4] - b[:, 1:2]) * 2 - 1
    x = (torch.arange(wide) + 0.5 - b[:, 0:1]) / (b[:, 2:3] - b[:, 0:1]) * 2 - 1
    grid = torch.stack([x[:, None].expand(-1, high, -1), y[:, :, None].expand(-1, -1, wide)], 3)
    want = torch.nn.functional.grid_sample(masks.flatten(0, 1)[:, None], grid, align_corners=False)[:, 0]
    made = run(f"""  input boxes : f32[9, 4]
  input masks : f32[9, 5, 7]
  y = (masks, boxes) -> paste_masks({high}, {wide})
  both = concat(y, y)
  loss sum(both * parameter((1, 1, 1)))
""", {"boxes": boxes, "masks": masks})
    close("paste_masks", made["both.concat"].reshape(2, 2, -1)[:, 0], want.unflatten(0, (2, 9)).flatten(1), 1e-4)


CASES = {f.__name__: f for f in (anchors, match, coding, losses, clipping, roi_align, roi_pool, roi_masks, top_k, nms, sampling, masks,
                                  found, found_by_one_stage, paste)}
for case in sys.argv[1:] or CASES:
    CASES[case]()
tap.done()
