#!/usr/bin/env python3
"""Detectors of specs/ against torchvision's, of the same weights, pictures, boxes and draws, at a small size: their losses,
and the gradients of all that is trained, in f64, where no sign of a relu hangs on a rounding. Prints TAP.

    detectors.py [CASE...]
"""
import os
import re
import sys
import tempfile

import numpy
import torch
from torchvision.ops import box_iou

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tap          # noqa: E402
from differences import difference, shaped, worst  # noqa: E402
from detection import random_boxes    # noqa: E402
from program import program_of      # noqa: E402
from torch_random import randomise  # noqa: E402

SPECS = os.path.join(os.environ["top_srcdir"], "specs")


def names_here(path, names):
    """By torchvision's name, ours, by the first line of the map that fits."""
    rules = [line.split()[:2] for line in open(path) if line.strip() and not line.startswith("#")]
    rules = [("".join("([^.]*)" if c == "*" else re.escape(c) for c in theirs), here) for theirs, here in rules]
    found = {}
    for name in names:
        pattern, here = next((re.fullmatch(p, name), h) for p, h in rules if re.fullmatch(p, name))
        stars = iter(pattern.groups())
        found[name] = re.sub(r"\*", lambda _: next(stars), here)
    return found


def program_of_text(spec, *replace):
    """Of the spec with what is replaced, in f64."""
    text = open(os.path.join(SPECS, spec + ".nn")).read()
    for old, new in (*replace, (r"optimizer .*", "optimizer sgd(lr=0)\n  precision f64")):
        changed = re.sub(old, new, text)
        assert changed != text, old
        text = changed
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, spec + ".nn")
        open(path, "w").write(text)
        return program_of(path)


def program_with(spec, model, *replace):
    program = program_of_text(spec, *replace)
    here = names_here(os.path.join(SPECS, spec + (".map" if spec == "fastrcnn_vgg16" else ".torchvision.map")), model.state_dict())
    for name, value in model.state_dict().items():
        program.set(here[name], value.numpy())
    return program, here


def body(layers, extra=None):
    """A ResNet of two blocks a stage, with a pyramid; all of its normalisation stands still, as do its first stages."""
    from torchvision.models.resnet import Bottleneck, ResNet
    from torchvision.models.detection.backbone_utils import _resnet_fpn_extractor
    from torchvision.ops.misc import FrozenBatchNorm2d
    torch.manual_seed(5)
    return _resnet_fpn_extractor(ResNet(Bottleneck, [2, 2, 2, 2], norm_layer=FrozenBatchNorm2d), 3, returned_layers=layers, extra_blocks=extra)


def pictures(counts, most=12):
    """Two of 128 x 192, with so many boxes; as tensors filled up with zeros, and as torchvision has them."""
    image, boxes = torch.rand(2, 3, 128, 192).double(), torch.zeros(2, most, 4).double()
    labels = torch.zeros(2, most, dtype=torch.int64)
    for i, count in enumerate(counts):
        boxes[i, :count], labels[i, :count] = 1.5 * random_boxes(count, size=80), torch.randint(1, 91, (count,))
    boxes[0, 0] = torch.tensor([10, 10, 130, 100])
    targets = [{"boxes": boxes[i, :count], "labels": labels[i, :count]} for i, count in enumerate(counts)]
    return {"image": image, "boxes": boxes, "labels": labels}, targets


def same_losses(what, program, ours, theirs, most=1e-6):
    for mine, name in ours:
        off = abs(program.made[mine].mean() / theirs[name].item() - 1)
        tap.result(off <= most, f"{what}'s {name}, {theirs[name].item():.4f}", f"{program.made[mine]}, {off}")


def same_gradients(what, program, model, here, most=1e-6):
    """After a step of sgd(lr=1)."""
    errors = []
    for name, p in model.named_parameters():
        if p.grad is None or not p.grad.any():
            continue
        moved = p.detach().numpy() - shaped(program.get(here[name]), p.shape)
        errors.append((float(numpy.linalg.norm(moved - p.grad.numpy()) / numpy.linalg.norm(p.grad.numpy())), name))
    off = worst(errors)
    tap.result(off[0] <= most, f"{what}'s gradients of all that is trained", off)


def step(program, values):
    program.batch = 2
    for name, value in values.items():
        program.set(name, value.numpy())
    program.train_step(2, 1)


SMALL = ("800, 1344", "128, 192"), (r"most +=.*", "most = 12"), (r"3 \* bottleneck\(64", "2 * bottleneck(64"), \
    (r"\) -> \d \* bottleneck", ") -> 1 * bottleneck")
FEWER = *SMALL, (r"(rpn\(height.*)\)", r"\1, most=150, count=200)"), (r"sample_rois", "sample_rois(count=64)")


def retinanet():
    from torchvision.models.detection.image_list import ImageList
    from torchvision.models.detection.retinanet import RetinaNet
    from torchvision.ops.feature_pyramid_network import LastLevelP6P7
    model = randomise(RetinaNet(body([2, 3, 4], LastLevelP6P7(256, 256)), 91), 0.1).double().train()
    program, here = program_with("retinanet_resnet50", model, *SMALL)
    values, targets = pictures((7, 0))
    image = values["image"]
    maps = list(model.backbone(image).values())
    losses = model.compute_loss(targets, model.head(maps), model.anchor_generator(ImageList(image, [(128, 192)] * 2), maps))
    sum(losses.values()).backward()
    step(program, values)
    same_losses("RetinaNet", program, (("losses.0.classification.div", "classification"), ("losses.0.box.div", "bbox_regression")),
                losses)
    same_gradients("RetinaNet", program, model, here)


class Drawn:
    """In place of torchvision's sampler: what the program drew, places of each sample."""
    def __init__(self, places):
        self.places = places

    def __call__(self, labels):
        masks = []
        for label, places in zip(labels, self.places):
            mine = torch.zeros(len(label), dtype=torch.bool)
            mine[places] = True
            masks.append((mine & (label >= 1), mine & (label == 0)))
        return [m[0] for m in masks], [m[1] for m in masks]


def rcnn_losses(model, program, image, targets):
    """torchvision's, with the program's draws. Its lists end where our tensors are filled up with zeros."""
    from torchvision.models.detection.image_list import ImageList
    made = program.made

    def drawn(path, of):
        there = made[path + ".there.greater_equal"].reshape(2, -1) > 0
        return [torch.tensor(of(i, at[mask])) for i, (at, mask) in enumerate(zip(made[path + ".top_k"], there))]
    maps = model.backbone(image)
    model.rpn.fg_bg_sampler = Drawn(drawn("first.0.drawn.0.drawn.0", lambda i, at: at))
    proposals, losses = model.rpn(ImageList(image, [(128, 192)] * 2), maps, targets)
    mine = made["rpn.take"]
    for i, theirs in enumerate(proposals):
        own = mine[i][:len(theirs)]
        tap.result(numpy.allclose(own, theirs.numpy(), atol=1e-6) and not mine[i][len(theirs):].any(),
                   f"{len(theirs)} proposals of {len(mine[i])}", f"{own[:3]} {theirs[:3]}")
    n = mine.shape[1]
    model.roi_heads.fg_bg_sampler = Drawn(drawn("rois.0.drawn.0", lambda i, at: numpy.where(
        at < n, at, at - n + len(proposals[i]))))
    losses.update(model.roi_heads(maps, proposals, [(128, 192)] * 2, targets)[1])
    return losses


TWO_STAGES = (("first.0.objectness.weighted_mean", "loss_objectness"), ("first.0.box.weighted_mean", "loss_rpn_box_reg"),
              ("second.0.classification.weighted_mean", "loss_classifier"), ("second.0.box.weighted_mean", "loss_box_reg"))


def faster():
    from torchvision.models.detection.faster_rcnn import FasterRCNN
    model = randomise(FasterRCNN(body(None), 91, rpn_pre_nms_top_n_train=150, rpn_post_nms_top_n_train=200,
                                 box_batch_size_per_image=64), 0.1).double().train()
    program, here = program_with("fasterrcnn_resnet50", model, *FEWER)
    values, targets = pictures((7, 2))
    step(program, values)
    losses = rcnn_losses(model, program, values["image"], targets)
    sum(losses.values()).backward()
    same_losses("Faster R-CNN", program, TWO_STAGES, losses)
    same_gradients("Faster R-CNN", program, model, here)


def mask():
    """Five steps with the program's draws: five losses each, whose masks are a few of the picture's size."""
    from torchvision.models.detection.mask_rcnn import MaskRCNN
    model = randomise(MaskRCNN(body(None), 91, rpn_pre_nms_top_n_train=150, rpn_post_nms_top_n_train=200,
                               box_batch_size_per_image=64), 0.1).double().train()
    program, here = program_with("maskrcnn_resnet50", model, *FEWER, (r"few .*=.*", "few = rois[:16]"))
    values, targets = pictures((7, 2))
    values["masks"] = torch.zeros(2, 12, 128, 192, dtype=torch.uint8)
    for i, target in enumerate(targets):
        target["masks"] = values["masks"][i, :len(target["boxes"])]
        for own, (x1, y1, x2, y2) in zip(target["masks"], target["boxes"].round().long().tolist()):
            own[y1:y2, x1:x2] = torch.rand(y2 - y1, x2 - x1) > 0.3
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.01)
    for number in range(1, 6):
        program.batch = 2
        for name, value in values.items():
            program.set(name, value.numpy())
        program.train_step(2, 0.01, number)
        losses = rcnn_losses(model, program, values["image"], targets)
        same_losses(f"Mask R-CNN at step {number}", program, (*TWO_STAGES, ("third.0.weighted_mean", "loss_mask")), losses)
        optimizer.zero_grad()
        sum(losses.values()).backward()
        optimizer.step()
    same = worst((difference(shaped(program.get(here[name]), p.shape), p.detach().numpy()), name) for name, p in model.named_parameters())
    tap.result(same[0] <= 1e-6, "Mask R-CNN's weights after five steps", same)


class FastRCNN(torch.nn.Module):
    """Girshick's network on torchvision's layers of VGG-16, under its names of them; without dropout, which draws."""
    def __init__(self, classes, width=4096):
        from torchvision.models import vgg16
        super().__init__()
        self.features = vgg16().features[:-1]
        self.classifier = torch.nn.Sequential(torch.nn.Linear(512 * 7 * 7, width), torch.nn.ReLU(), torch.nn.Identity(),
                                              torch.nn.Linear(width, width), torch.nn.ReLU())
        self.cls_score, self.bbox_pred = torch.nn.Linear(width, classes), torch.nn.Linear(width, 4 * classes)
        for layer in self.features[:10]:
            layer.requires_grad_(False)

    def forward(self, image, rois):
        from torchvision.ops import roi_pool
        seen = self.classifier(roi_pool(self.features(image), rois, 7, 1 / 16).flatten(1))
        return self.cls_score(seen), self.bbox_pred(seen)


def fast_losses(model, image, targets, rois):
    """The paper's, of boxes that were drawn; what overlaps no box by half is background."""
    from torchvision.models.detection._utils import BoxCoder
    scores, codes = model(image, rois)
    kinds, wanted = [], []
    for own, target in zip(rois, targets):
        overlap, at = box_iou(own, target["boxes"]).max(1)
        kinds.append(torch.where(overlap >= 0.5, target["labels"][at], 0))
        wanted.append(BoxCoder((10, 10, 5, 5)).encode_single(target["boxes"][at], own))
    kinds, rows = torch.cat(kinds), torch.arange(len(scores))
    off = torch.nn.functional.smooth_l1_loss(codes.unflatten(1, (-1, 4))[rows, kinds], torch.cat(wanted), reduction="none", beta=1)
    return {"classification": torch.nn.functional.cross_entropy(scores, kinds), "box": off[kinds > 0].sum() / len(rows)}


def fast():
    """Five steps of boxes that the program drew from proposals about the pictures' boxes, beside them, and anywhere."""
    with torch.device("meta"):
        count = sum(p.numel() for p in FastRCNN(21).parameters())
    said = re.search(r"[0-9,]+ parameters", open(os.path.join(SPECS, "fastrcnn_vgg16.nn")).read())[0]
    tap.result(said == f"{count:,} parameters", "Fast R-CNN's parameters", f"{said}, {count:,}")
    torch.manual_seed(7)
    model = FastRCNN(21, 48).double()
    program, here = program_with("fastrcnn_vgg16", model, ("608, 1008", "128, 192"), (r"most +=.*", "most = 12"), (r"2000, 4", "300, 4"),
                                 (r"dense\(4096\) -> relu -> dropout\(0.5\)", "dense(48) -> relu"))
    values, targets = pictures((7, 2))
    values["labels"] = values["labels"] % 20 + (values["labels"] > 0)
    near = values["boxes"][:, :, None] + 20 * torch.randn(2, 12, 15, 4).double()
    near = torch.cat([torch.minimum(near[..., :2], near[..., 2:]), torch.maximum(near[..., :2], near[..., 2:])], -1).flatten(1, 2)
    values["proposals"] = torch.cat([near, 1.5 * random_boxes(2, 100, size=80).double(), torch.zeros(2, 20, 4).double()], 1)
    values["proposals"][1, 25:] = 0     # fewer than are to be drawn
    for i, target in enumerate(targets):
        target["labels"] = values["labels"][i, :len(target["boxes"])]
    every = torch.cat([values["proposals"], values["boxes"]], 1)
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.01)
    for number in range(1, 6):
        program.batch = 2
        for name, value in values.items():
            program.set(name, value.numpy())
        program.train_step(2, 0.01, number)
        drawn = torch.from_numpy(program.made["rois.0.drawn.0.top_k"]).long()
        there = torch.from_numpy(program.made["rois.0.drawn.0.there.greater_equal"]).reshape(2, -1) > 0
        rois = [e[at[mask]] for e, at, mask in zip(every, drawn, there)]
        for own, target, all_ in zip(rois, targets, every):
            overlap, other = box_iou(own, target["boxes"]).amax(1), torch.nan_to_num(box_iou(all_, target["boxes"])).amax(1)
            found = int(min((other >= 0.5).sum(), 16))
            left = int(min(((other >= 0.1) & (other < 0.5)).sum(), 64 - found))
            tap.result((overlap[:found] >= 0.5).all() and ((overlap[found:] >= 0.1) & (overlap[found:] < 0.5)).all() and
                       len(own) == found + left, f"at step {number} {found} boxes overlap by half, {left} by a tenth", overlap)
        losses = fast_losses(model, values["image"], targets, rois)
        same_losses(f"Fast R-CNN at step {number}", program, (("losses.0.classification.weighted_mean", "classification"),
                                                              ("losses.0.box.weighted_mean", "box")), losses)
        optimizer.zero_grad()
        sum(losses.values()).backward()
        optimizer.step()
    same = worst((difference(shaped(program.get(here[name]), p.shape), p.detach().numpy()), name) for name, p in model.named_parameters())
    tap.result(same[0] <= 1e-9, "Fast R-CNN's weights after five steps", same)


def ssd():
    """At its own size, which its boxes are made for. Boxes are large: several anchors around a small one overlap it as much,
    and which does most hangs on a rounding. One picture has none."""
    from torchvision.models import vgg16
    from torchvision.models.detection.image_list import ImageList
    from torchvision.models.detection.ssd import _vgg_extractor, ssd300_vgg16
    torch.manual_seed(6)
    model = ssd300_vgg16(weights=None, weights_backbone=None, num_classes=5)
    model.backbone = _vgg_extractor(vgg16(), False, 4)
    model = randomise(model, 0.05).double().train()
    program, here = program_with("ssd300_vgg16", model, (r"most +=.*", "most = 12"), (r"classes = 91", "classes = 5"),
                                 (r"batch +4", "batch 2"))
    values, targets = pictures((7, 0))
    image = values["image"] = torch.rand(2, 3, 300, 300).double()
    values["boxes"][0, :7, 2:] += 120
    values["labels"][0] = values["labels"][0] % 4 + 1
    targets[0]["labels"] = values["labels"][0, :7]
    maps = list(model.backbone(image).values())
    anchors = model.anchor_generator(ImageList(image, [(300, 300)] * 2), maps)
    about = numpy.stack([a.numpy() for a in anchors])
    matched = [model.proposal_matcher(box_iou(t["boxes"], a)) if len(t["boxes"]) else torch.full((len(a),), -1)
               for t, a in zip(targets, anchors)]
    losses = model.compute_loss(targets, model.head(maps), anchors, matched)
    sum(losses.values()).backward()
    step(program, values)
    off = numpy.abs(program.made["about.concat"] - about[0]).max()
    tap.result(off <= 1e-3, "SSD's default boxes", off)
    same_losses("SSD", program, (("losses.0.classification.weighted_mean", "classification"),
                                 ("losses.0.box.weighted_mean", "bbox_regression")), losses, 1e-5)
    same_gradients("SSD", program, model, here, 1e-5)


def yolo():
    """Five steps of one with an eighth of the channels: two boxes want one row, a middle lies on a border of places, boxes are
    large and small, one has no width; one picture has none."""
    import yolo as theirs
    with torch.device("meta"):
        count = sum(p.numel() for p in theirs.YOLOv3().parameters())
    tap.result(count == 61949149, f"PyTorch's YOLOv3 has {count} parameters")
    torch.manual_seed(7)
    model = randomise(theirs.YOLOv3(5, 8), 0.1).double().train()
    program = program_of_text("yolov3", (r"416, 416", "96, 160"), (r"most +=.*", "most = 12"), (r"classes = 80", "classes = 5"), (
        r"(seen|stage|neck|finer|said)\((\d\d+)", lambda m: f"{m[1]}({int(m[2]) // 8}"), (r"(yolo_found)\(.*", r"""\1(20, 96, 160, most=300)
  all   = concat(found, found.sure -> reshape(20, 1), found.what -> reshape(20, 1), axis=1)
  loss none: 0 * sum(all)"""))
    names = [e.name.decode() for e in program.entries if e.kind == b"parameter"]
    for name, p in zip(names, model.parameters(), strict=True):
        program.set(name, p.detach().numpy())
    values, targets = pictures((9, 0))
    boxes = values["boxes"][0]
    boxes[:9] = torch.tensor([[10, 10, 130, 90], [20, 12, 45, 31], [22, 14, 43, 30], [3, 5, 11, 17], [50, 40, 78, 72], [0, 0, 160, 96],
                              [100, 20, 110, 33], [101, 60, 160, 96], [90, 90, 90, 95]])
    values["image"], values["labels"] = torch.rand(2, 3, 96, 160).double(), values["labels"] % 5
    targets[0] = {"boxes": boxes[:8], "labels": values["labels"][0, :8]}
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    for number in range(1, 6):
        program.batch = 2
        for name, value in values.items():
            program.set(name, value.numpy())
        program.train_step(2, 1e-3, number)
        maps = model(values["image"])
        losses, counts = theirs.losses(maps, targets)
        tap.result(counts[0] == 7 and counts[1] > 0, f"{counts[0]} rows are to find a box, {counts[1]} others are left out")
        for name, want in losses.items():
            mine = sum(program.made[f"{level}.1.{name}.sum"].mean() for level in ("large", "medium", "little"))
            tap.result(abs(mine / want.item() - 1) <= 1e-6, f"YOLOv3's {name} at step {number}, {want.item():.4f}", mine)
        with torch.no_grad():
            want = torch.stack([theirs.found(maps, i, 20, 96, 160, 300) for i in range(2)]).numpy()
        off = numpy.abs(program.made["all.concat"] - want).max()
        tap.result(off <= 1e-3 and want[..., 4].min() > 0, f"what it finds at step {number}", off)
        optimizer.zero_grad()
        sum(losses.values()).backward()
        optimizer.step()
    same = worst((difference(shaped(program.get(name), p.shape), p.detach().numpy()), name) for name, p in zip(names, model.parameters()))
    tap.result(same[0] <= 1e-6, "YOLOv3's weights after five steps", same)


CASES = {f.__name__: f for f in (retinanet, fast, faster, mask, ssd, yolo)}
for case in sys.argv[1:] or CASES:
    CASES[case]()
tap.done()
