"""YOLOv3 in PyTorch, by its paper and Darknet's source: layers as yolov3.cfg lists them, losses box by box as
yolo_layer.c takes them, in the order of specs/yolov3.nn's parameters."""
import torch
import torch.nn.functional as F
from torch import nn
from torchvision.ops import batched_nms, box_iou, clip_boxes_to_image

PRIORS = torch.tensor([[10, 13], [16, 30], [33, 23], [30, 61], [62, 45], [59, 119], [116, 90], [156, 198], [373, 326]]).double()
STRIDES = 32, 16, 8         # of maps in the order of forward(): the last three priors, those before, the first


def seen(before, width, kernel=3, stride=1):
    return nn.Sequential(nn.Conv2d(before, width, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(width, momentum=0.01),
                         nn.LeakyReLU(0.1))


class Residual(nn.Sequential):
    def forward(self, x):
        return x + super().forward(x)


def stage(before, width, depth):
    return nn.Sequential(seen(before, width, stride=2),
                         *(Residual(seen(width, width // 2, 1), seen(width // 2, width)) for _ in range(depth)))


def neck(before, width):
    return nn.Sequential(seen(before, width, 1), seen(width, 2 * width), seen(2 * width, width, 1), seen(width, 2 * width),
                         seen(2 * width, width, 1))


class YOLOv3(nn.Module):
    """NARROW: of how many channels one is left."""
    def __init__(self, classes=80, narrow=1):
        super().__init__()
        w = [(1 << k) // narrow for k in range(11)]         # w[10] is of 1024
        self.c3 = nn.Sequential(seen(3, w[5]), stage(w[5], w[6], 1), stage(w[6], w[7], 2), stage(w[7], w[8], 8))
        self.c4, self.c5 = stage(w[8], w[9], 8), stage(w[9], w[10], 4)
        self.n5 = neck(w[10], w[9])
        self.up4, self.n4 = seen(w[9], w[8], 1), neck(w[8] + w[9], w[8])
        self.up3, self.n3 = seen(w[8], w[7], 1), neck(w[7] + w[8], w[7])
        self.said = nn.ModuleList(nn.Sequential(seen(w[k], w[k + 1]), nn.Conv2d(w[k + 1], 3 * (5 + classes), 1)) for k in (9, 8, 7))

    def forward(self, x):
        """Three maps, [batch, prior, 5 + classes, height, width]."""
        c3 = self.c3(x)
        c4 = self.c4(c3)
        n5 = self.n5(self.c5(c4))
        n4 = self.n4(torch.cat([F.interpolate(self.up4(n5), scale_factor=2), c4], 1))
        n3 = self.n3(torch.cat([F.interpolate(self.up3(n4), scale_factor=2), c3], 1))
        return [said(n).unflatten(1, (3, -1)) for said, n in zip(self.said, (n5, n4, n3))]


def decoded(level, said):
    """Boxes [prior, height, width, 4] of one picture's map."""
    _, _, high, wide = said.shape
    priors = PRIORS[6 - 3 * level:9 - 3 * level, :, None, None]
    x = (said[:, 0].sigmoid() + torch.arange(wide)) * STRIDES[level]
    y = (said[:, 1].sigmoid() + torch.arange(high)[:, None]) * STRIDES[level]
    w, h = priors[:, 0] * said[:, 2].exp(), priors[:, 1] * said[:, 3].exp()
    return torch.stack([x - w / 2, y - h / 2, x + w / 2, y + h / 2], -1)


def losses(maps, targets, ignore=0.5):
    """Means over pictures of sums, .box, .objectness and .classification; and how many rows are to find a box, and how many
    others are left out."""
    size = STRIDES[0] * maps[0].shape[-1] * STRIDES[0] * maps[0].shape[-2]
    sums, counts, bce = dict.fromkeys(("box", "objectness", "classification"), 0), [0, 0], F.binary_cross_entropy_with_logits
    for i, target in enumerate(targets):
        wanted = {}
        for box, label in zip(target["boxes"], target["labels"]):
            w, h = box[2:] - box[:2]
            middle = (box[:2] + box[2:]) / 2
            shared = torch.minimum(PRIORS, box[2:] - box[:2]).prod(1)
            best = int((shared / (PRIORS.prod(1) + w * h - shared)).argmax())
            level = 2 - best // 3
            column, row = (middle // STRIDES[level]).int().tolist()
            wanted.setdefault((level, best % 3, row, column), (middle / STRIDES[level], w, h, best, int(label)))
        for level, said in enumerate(m[i] for m in maps):
            free = torch.ones(said[:, 4].shape, dtype=torch.bool)
            if len(target["boxes"]):
                free = (box_iou(decoded(level, said).detach().flatten(0, 2), target["boxes"]).amax(1) < ignore).view_as(free)
            mine = torch.zeros_like(free)
            for (at, prior, row, column), (middle, w, h, best, label) in wanted.items():
                if at != level:
                    continue
                mine[prior, row, column] = True
                p = said[prior, :, row, column]
                small = 2 - w * h / size
                sums["box"] += small * bce(p[:2], middle - torch.tensor([column, row]), reduction="sum")
                sums["box"] += small / 2 * ((p[2:4] - (torch.stack([w, h]) / PRIORS[best]).log()) ** 2).sum()
                sums["classification"] += bce(p[5:], F.one_hot(torch.tensor(label), len(p) - 5).to(p), reduction="sum")
            sums["objectness"] += (bce(said[:, 4], mine.to(said), reduction="none") * (mine | free)).sum()
            counts = [counts[0] + int(mine.sum()), counts[1] + int((~mine & ~free).sum())]
    return {name: total / len(targets) for name, total in sums.items()}, counts


def found(maps, i, count, high, wide, most, least=0.005, overlap=0.45):
    """Of picture I: boxes, probabilities and classes, the most probable first, filled up with zeros: [count, 6]."""
    # rows as they lie in the program: place by place, the priors of each together
    boxes = torch.cat([decoded(k, m[i]).permute(1, 2, 0, 3).reshape(-1, 4) for k, m in enumerate(maps)])
    said = torch.cat([m[i].permute(2, 3, 0, 1).flatten(0, 2) for m in maps])
    sure, at = (said[:, 4:5].sigmoid() * said[:, 5:].sigmoid()).flatten().topk(most)
    kinds = said.shape[1] - 5
    boxes, what = clip_boxes_to_image(boxes, (high, wide))[at // kinds], at % kinds
    some = (sure > least) & ((boxes[:, 2:] - boxes[:, :2]) >= 0.01).all(1)
    boxes, sure, what = boxes[some], sure[some], what[some]
    kept = batched_nms(boxes, sure, what, overlap)[:count]
    out = torch.zeros(count, 6).to(boxes)
    out[:len(kept)] = torch.cat([boxes, sure[:, None], what[:, None]], 1)[kept]
    return out
