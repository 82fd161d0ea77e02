#!/usr/bin/env python3
"""What a training step of torchvision's detectors takes in PyTorch eager, against `stowage plan --as pytorch` of specs/.

    bench/eager_detectors.py [--tap] [CASE...]      # e.g. maskrcnn_resnet50 rpn

torchvision's own code runs on fake tensors (eager.py), at 800 x 1344 or SSD's 300 x 300. How many elements of a mask
are not zero, which data decide, nobody can count there, so each question of that kind has a fixed answer, by the
function that asks (NUMBERS): as many proposals and drawn anchors as the spec has, a quarter of the boxes in each level of the
pyramid, nothing suppressed. Pictures have one box each, or as many as the spec has rows: the forecast is an interval, and
both runs must lie in it.

What does not depend on data is compared to the byte: `rpn`, the body, its pyramid and the head of the region proposal
network; `roi_heads`, the heads of boxes and masks and what they see of a map; `focal`, RetinaNet's loss of all scores, where no
anchor is between; `yolo`, the maps of YOLOv3, the one of tests/peer/yolo.py (bench/memory/).
"""
import argparse
import json
import os
import subprocess
import sys
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision
from torch._subclasses.fake_tensor import FakeTensorMode
from torchvision.models.detection import FasterRCNN, MaskRCNN, RetinaNet, ssd300_vgg16
from torchvision.models.detection.backbone_utils import resnet_fpn_backbone
from torchvision.models.detection.faster_rcnn import FastRCNNPredictor, TwoMLPHead
from torchvision.models.detection.image_list import ImageList
from torchvision.models.detection.mask_rcnn import MaskRCNNHeads, MaskRCNNPredictor
from torchvision.models.detection.retinanet import RetinaNetClassificationHead
from torchvision.models.detection.rpn import RPNHead, concat_box_prediction_layers
from torchvision.models.detection.ssd import _vgg_extractor
from torchvision.ops import MultiScaleRoIAlign, box_iou
from torchvision.ops.feature_pyramid_network import LastLevelP6P7
from torchvision.ops.misc import FrozenBatchNorm2d

import eager
import memory

sys.path.insert(0, os.path.join(eager.TOP, "tests", "peer"))
import yolo

aten = torch.ops.aten
LARGE, SMALL = (800, 1344), (300, 300)
DRAWN, ROIS, LEVELS = 128, 512, 5       # anchors and rois that show something, of each picture; rois; levels


# By file and function of torchvision: how many elements of a mask are not zero.
NUMBERS = {
    ("_utils.py", "__call__"): lambda c, mask: c.next_half(mask),
    ("_utils.py", "set_low_quality_matches_"): lambda c, mask: c.boxes,
    ("rpn.py", "compute_loss"): lambda c, mask: DRAWN * c.batch,
    ("rpn.py", "filter_proposals"): lambda c, mask: mask.numel(),
    ("boxes.py", "remove_small_boxes"): lambda c, mask: mask.numel(),
    ("boxes.py", "_batched_nms_vanilla"): lambda c, mask: c.next_level(mask),
    ("roi_heads.py", "subsample"): lambda c, mask: ROIS,
    ("roi_heads.py", "forward"): lambda c, mask: DRAWN,
    ("roi_heads.py", "fastrcnn_loss"): lambda c, mask: DRAWN * c.batch,
    ("poolers.py", "_multiscale_roi_align"): lambda c, mask: mask.numel() // 4,
    # anchors of RetinaNet's and SSD's boxes, one of each; SSD's background, three times as many
    ("retinanet.py", "compute_loss"): lambda c, mask: c.boxes if c.asks_matched() else mask.numel(),
    ("ssd.py", "compute_loss"): lambda c, mask: c.boxes if mask.dim() == 1 else c.next_share(),
}


class Counter(eager.Counter):
    """Answers how many elements of a mask are not zero."""

    def __init__(self, batch, boxes):
        super().__init__()
        self.batch, self.boxes, self.asked = batch, boxes, 0
        self.made_here = {
            aten.nonzero.default: lambda mask: torch.zeros(self.number(mask), mask.dim(), dtype=torch.int64),
            aten._unique2.default: lambda x, *_, **__: (x.new_zeros(LEVELS), torch.zeros(0), torch.zeros(0)),
            aten._local_scalar_dense.default: lambda x: 1,      # max(1, how many)
            torch.ops.torchvision.nms.default: lambda boxes, *_: torch.zeros(len(boxes), dtype=torch.int64),
        }

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if function is aten.index.Tensor and any(i is not None and i.dtype == torch.bool for i in args[1]):
            at = []
            for i in args[1]:
                at += [i] if i is None or i.dtype != torch.bool else [torch.zeros(self.number(i), dtype=torch.int64)] * i.dim()
            args = (args[0], at)
        return super().__torch_dispatch__(function, types, args, kwargs)

    def caller(self):
        """The innermost frame that is torchvision's."""
        frame = sys._getframe(1)
        while "torchvision" not in frame.f_code.co_filename:
            frame = frame.f_back
        return frame

    def number(self, mask):
        frame = self.caller()
        self.asked += 1
        return NUMBERS[os.path.basename(frame.f_code.co_filename), frame.f_code.co_name](self, mask)

    def next_half(self, mask):
        """A sampler asks for those that show something, and then for the others."""
        self.odd = not getattr(self, "odd", False)
        return DRAWN if self.odd else mask.numel() - DRAWN

    def next_level(self, mask):
        return mask.numel() if self.caller().f_locals.get("keep_mask") is mask else mask.numel() // LEVELS

    def asks_matched(self):
        """Is it not for the scores of anchors that are not between two thresholds?"""
        return "valid_idxs_per_image" not in self.caller().f_locals

    def next_share(self):
        self.share = 4 - getattr(self, "share", 3)
        return self.share * self.boxes * self.batch


def body(**more):
    return resnet_fpn_backbone(backbone_name="resnet50", weights=None, norm_layer=FrozenBatchNorm2d, trainable_layers=3, **more)


def still(model, values, staged):
    return [F.binary_cross_entropy_with_logits(x, t) for x, t in zip(values, staged["wanted"])]


class Rpn(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = body(), RPNHead(256, 3)

    def stage(self, batch, boxes):
        return {"wanted": [torch.zeros(batch * 268569, n) for n in (1, 4)]}

    def forward(self, image, staged):
        return concat_box_prediction_layers(*self.head(list(self.body(image).values())))

    losses = still


class RoiHeads(nn.Module):
    def __init__(self):
        super().__init__()
        whole = torchvision.models.resnet50(weights=None, norm_layer=FrozenBatchNorm2d)
        self.body = nn.Sequential(whole.conv1, whole.bn1, whole.relu, whole.maxpool, nn.Conv2d(64, 256, 1))
        self.box_pool, self.mask_pool = MultiScaleRoIAlign(["0"], 7, 2), MultiScaleRoIAlign(["0"], 14, 2)
        self.box, self.box_says = TwoMLPHead(256 * 49, 1024), FastRCNNPredictor(1024, 91)
        self.mask, self.mask_says = MaskRCNNHeads(256, (256,) * 4, 1), MaskRCNNPredictor(256, 256, 91)

    def stage(self, batch, boxes):
        return {"rois": torch.zeros(batch, ROIS, 4), "few": torch.zeros(batch, DRAWN, 4), "wanted": [
            torch.zeros(batch * ROIS, 91), torch.zeros(batch * ROIS, 364), torch.zeros(batch * DRAWN, 91, 28, 28)]}

    def forward(self, image, staged):
        maps, sizes = {"0": self.body(image)}, [LARGE] * len(image)
        said = self.box_says(self.box(self.box_pool(maps, list(staged["rois"]), sizes)))
        return *said, self.mask_says(self.mask(self.mask_pool(maps, list(staged["few"]), sizes)))

    losses = still


class Focal(nn.Module):
    """RetinaNet's loss of scores of all anchors, of which it is known what each is matched with."""

    BETWEEN_THRESHOLDS = -2

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 64, 16, stride=16), nn.ReLU(inplace=True), nn.Conv2d(64, 48 * 91, 1))

    def stage(self, batch, boxes):
        return {"targets": [{"labels": torch.zeros(100, dtype=torch.int64)} for _ in range(batch)],
                "at": [torch.zeros(201600, dtype=torch.int64) for _ in range(batch)]}

    def forward(self, image, staged):
        return self.body(image).view(len(image), 48, 91, 50, 84).permute(0, 3, 4, 1, 2).reshape(len(image), -1, 91)

    def losses(self, scores, staged):
        return [RetinaNetClassificationHead.compute_loss(self, staged["targets"], {"cls_logits": scores}, staged["at"])]


class Yolo(yolo.YOLOv3):
    """The maps of YOLOv3, whose activations run in place as in most implementations."""
    size = 416, 416

    def __init__(self):
        super().__init__()
        for layer in self.modules():
            if isinstance(layer, nn.LeakyReLU):
                layer.inplace = True

    def stage(self, batch, boxes):
        return {"wanted": [torch.zeros(batch, 255, n, n) for n in (13, 26, 52)]}

    def forward(self, image, staged):
        return [said.flatten(1, 2) for said in super().forward(image)]

    losses = still


class Detector:
    """One of torchvision's, from pictures that are scaled and padded on."""
    masks = False

    def __init__(self, model, size=LARGE):
        self.model, self.size = model.train(), size

    def parameters(self):
        return [p for p in self.model.parameters() if p.requires_grad]

    def stage(self, batch, boxes):
        return [{"boxes": torch.zeros(boxes, 4), "labels": torch.zeros(boxes, dtype=torch.int64),
                 **({"masks": torch.zeros(boxes, *self.size, dtype=torch.uint8)} if self.masks else {})} for _ in range(batch)]

    def __call__(self, image, targets):
        maps, sizes = self.model.backbone(image), [self.size] * len(image)
        return self.of_maps(maps, ImageList(image, sizes), sizes, targets)

    def losses(self, made, targets):
        return made.values()


class TwoStages(Detector):
    def of_maps(self, maps, images, sizes, targets):
        proposals, losses = self.model.rpn(images, maps, targets)
        return {**losses, **self.model.roi_heads(maps, proposals, sizes, targets)[1]}


class WithMasks(TwoStages):
    masks = True


class OneStage(Detector):
    def of_maps(self, maps, images, sizes, targets):
        maps = list(maps.values())
        out, anchors = self.model.head(maps), self.model.anchor_generator(images, maps)
        if isinstance(self.model, RetinaNet):
            return self.model.compute_loss(targets, out, anchors)
        matched = [self.model.proposal_matcher(box_iou(t["boxes"], a)) for t, a in zip(targets, anchors)]
        return self.model.compute_loss(targets, out, anchors, matched)


def ssd():
    model = ssd300_vgg16(weights=None, weights_backbone=None, num_classes=91)
    model.backbone = _vgg_extractor(torchvision.models.vgg16(), False, 4)
    return OneStage(model, SMALL)


# The model, its spec, the most boxes of a picture there, and the batch
CASES = {
    "rpn": (Rpn, "bench/memory/rpn.nn", 0, 2),
    "roi_heads": (RoiHeads, "bench/memory/roi_heads.nn", 0, 2),
    "focal": (Focal, "bench/memory/focal.nn", 0, 2),
    "yolo": (Yolo, "bench/memory/yolo.nn", 0, 4),
    "fasterrcnn_resnet50": (lambda: TwoStages(FasterRCNN(body(), 91)), "specs/fasterrcnn_resnet50.nn", 100, 2),
    "maskrcnn_resnet50": (lambda: WithMasks(MaskRCNN(body(), 91)), "specs/maskrcnn_resnet50.nn", 40, 2),
    "retinanet_resnet50": (lambda: OneStage(RetinaNet(body(returned_layers=[2, 3, 4], extra_blocks=LastLevelP6P7(256, 256)), 91)),
                           "specs/retinanet_resnet50.nn", 100, 2),
    "ssd300_vgg16": (ssd, "specs/ssd300_vgg16.nn", 100, 4),
}


def measure(make, batch, boxes):
    """The peak of the second step in bytes, and the operator it is at. Pictures, what is known of them and what the model made
    are held to its end, as a loop over a loader does."""
    with FakeTensorMode(), Counter(batch, boxes) as counter:
        model = make()
        update = eager.sgd([p for p in model.parameters() if p.requires_grad])
        size = getattr(model, "size", LARGE)
        for _ in range(2):
            counter.peak = counter.live
            image, staged = torch.randn(batch, 3, *size), model.stage(batch, boxes)
            made = model(image, staged)
            loss = sum(model.losses(made, staged))
            counter.backward = True
            loss.backward()
            counter.backward = False
            update.step()
            update.zero_grad(set_to_none=True)
            del image, staged, made, loss
    return counter.peak, counter.where


def forecast(spec, batch, stowage):
    """The least and the most bytes of tensors."""
    path = os.path.join(eager.TOP, spec)
    said = subprocess.run([os.path.abspath(stowage), "plan", "--as=pytorch", "--format=json", "--without=recompute",
                           f"--batch={batch}", "-"], input=memory.as_baseline(path), cwd=os.path.dirname(path), text=True,
                          check=True, stdout=subprocess.PIPE)
    said = json.loads(said.stdout)["forecasts"][0]
    return said["tensor_bytes"], said["high_bytes"] - said["blas_bytes"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", nargs="*", default=list(CASES), metavar="CASE")
    parser.add_argument("--tap", action="store_true", help="as tests")
    parser.add_argument("--stowage", default=os.environ.get("STOWAGE", os.path.join(eager.TOP, "stowage")))
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    rows, failed = [], 0
    for name in args.cases:
        make, spec, most, batch = CASES[name]
        low, high = forecast(spec, batch, args.stowage)
        for boxes in (1, most) if most else (0,):
            theirs, where = measure(make, batch, boxes)
            good = low <= theirs <= high if most else theirs == low
            failed += not good
            rows.append((good, f"{name}{f' with {boxes} boxes a picture' if most else ''}: PyTorch {theirs:,} ({where}), forecast "
                         + (f"{low:,} to {high:,}, {theirs / low - 1:+.3%}" if most else f"{low:,}")))
    if args.tap:
        print(f"1..{len(rows)}")
    for number, (good, text) in enumerate(rows, 1):
        print(f"{'ok' if good else 'not ok'} {number} - {text}" if args.tap else text)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
