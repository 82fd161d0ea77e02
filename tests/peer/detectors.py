#!/usr/bin/env python3
"""Detectors of specs/ against torchvision's, of the same weights, pictures and boxes, at a small size: their losses, and
the gradients of all that is trained, in f64, where no sign of a relu hangs on a rounding. Prints TAP.
"""
import os
import re
import sys
import tempfile

import numpy
import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tap          # noqa: E402
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


def program_with(spec, model, *replace):
    text = open(os.path.join(SPECS, spec + ".nn")).read()
    for old, new in (*replace, (r"optimizer .*", "optimizer sgd(lr=0)\n  precision f64")):
        changed = re.sub(old, new, text)
        assert changed != text, old
        text = changed
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, spec + ".nn")
        open(path, "w").write(text)
        program = program_of(path)
    here = names_here(os.path.join(SPECS, spec + ".map"), model.state_dict())
    for name, value in model.state_dict().items():
        program.set(here[name], value.numpy())
    return program, here


def retinanet():
    from torchvision.models import resnet50
    from torchvision.models.detection.backbone_utils import _resnet_fpn_extractor
    from torchvision.models.detection.image_list import ImageList
    from torchvision.models.detection.retinanet import RetinaNet
    from torchvision.ops.feature_pyramid_network import LastLevelP6P7
    from torchvision.ops.misc import FrozenBatchNorm2d
    torch.manual_seed(5)
    body = _resnet_fpn_extractor(resnet50(norm_layer=FrozenBatchNorm2d), 3, returned_layers=[2, 3, 4],
                                 extra_blocks=LastLevelP6P7(256, 256))
    model = randomise(RetinaNet(body, 91), 0.1).double().train()
    program, here = program_with("retinanet_resnet50", model, ("800, 1344", "128, 192"), (r"most +=.*", "most = 12"))
    image, boxes = torch.rand(2, 3, 128, 192).double(), torch.zeros(2, 12, 4).double()
    labels, counts = torch.zeros(2, 12, dtype=torch.int64), (7, 0)
    for i, count in enumerate(counts):
        boxes[i, :count], labels[i, :count] = 1.5 * random_boxes(count, size=80), torch.randint(1, 91, (count,))
    boxes[0, 0] = torch.tensor([10, 10, 130, 100])
    targets = [{"boxes": boxes[i, :count], "labels": labels[i, :count]} for i, count in enumerate(counts)]
    maps = list(model.backbone(image).values())
    losses = model.compute_loss(targets, model.head(maps), model.anchor_generator(ImageList(image, [(128, 192)] * 2), maps))
    sum(losses.values()).backward()
    program.batch = 2
    for name, value in (("image", image), ("boxes", boxes), ("labels", labels)):
        program.set(name, value.numpy())
    program.train_step(2, 1)
    for ours, theirs in (("classification", "classification"), ("box", "bbox_regression")):
        mine = program.made[f"losses.0.{ours}.div"].mean()
        off = abs(mine / losses[theirs].item() - 1)
        tap.result(off <= 1e-6, f"RetinaNet's loss {theirs}, {losses[theirs].item():.4f}", f"{mine}, {off}")
    worst = 0.0, ""
    for name, p in model.named_parameters():
        if p.grad is None:
            continue
        moved = p.detach().numpy() - program.get(here[name]).reshape(p.shape)
        error = numpy.linalg.norm(moved - p.grad.numpy()) / numpy.linalg.norm(p.grad.numpy())
        worst = max(worst, (float(error), name))
    tap.result(worst[0] <= 1e-6, "RetinaNet's gradients of all that is trained", worst)


retinanet()
tap.done()
