"""What detectors are made of, by torchvision's own functions: for operators.py, and for tests."""
import torch


def random_boxes(*shape, size=64):
    """Corners in order."""
    a, b = size * torch.rand(*shape, 2), size * torch.rand(*shape, 2)
    return torch.cat([torch.minimum(a, b), torch.maximum(a, b)], -1)


def anchors(n):
    from torchvision.models.detection.anchor_utils import AnchorGenerator
    rows, columns = n.attrs["map"]
    down, right = n.attrs["stride"]
    made = AnchorGenerator()
    sizes, ratios = (v if isinstance(v, (list, tuple)) else [v] for v in (n.attrs["sizes"], n.attrs.get("ratios") or 1))
    made.cell_anchors = [made.generate_anchors(sizes, ratios, torch.float32)]
    return made.grid_anchors([[rows, columns]], [[torch.tensor(down), torch.tensor(right)]])[0].to(torch.get_default_dtype())


def match(n, boxes, anchors):
    """Boxes without an area are none, as the program has it; a picture without boxes is all background, as RetinaNet has it."""
    from torchvision.models.detection._utils import Matcher, SSDMatcher
    from torchvision.ops import box_iou
    matcher = Matcher(n.attrs["high"], n.attrs.get("low", n.attrs["high"]), allow_low_quality_matches=n.attrs["force"])
    if n.attrs.get("each"):
        matcher = SSDMatcher(n.attrs["high"])
    out = []
    for i, given in enumerate(boxes):
        some = torch.nonzero((given[:, 2] > given[:, 0]) & (given[:, 3] > given[:, 1]))[:, 0]
        own = anchors[i] if anchors.dim() == 3 else anchors
        if len(some) == 0:
            out.append(torch.full((len(own),), -1))
            continue
        at = matcher(torch.nan_to_num(box_iou(given[some], own), nan=0.0))
        out.append(torch.where(at >= 0, some[at.clamp(min=0)], at))
    return torch.stack(out)


def match_in_memory(n, boxes, anchors):
    """What match() takes, where all boxes are some, but for the list of pairs that force=true makes, which is as long as
    the numbers happen to be: its indices, with none below 0, are for take() as it is."""
    from torchvision.models.detection._utils import Matcher
    from torchvision.ops import box_iou
    matcher = Matcher(n.attrs["high"], n.attrs.get("low", n.attrs["high"]))
    out = torch.empty(len(boxes), anchors.shape[-2], dtype=torch.int64)
    for i, given in enumerate(boxes):
        out[i] = matcher(box_iou(given, anchors[i] if anchors.dim() == 3 else anchors))
    return out.clamp_(min=0)


def roi_align(n, boxes, *maps):
    """By torchvision, whose pyramids choose a map for each box; what is no box gives zeros here."""
    import torchvision.ops as ops
    size, points = n.attrs["size"], n.attrs["points"] or -1
    scales = n.attrs["scale"] if isinstance(n.attrs["scale"], (list, tuple)) else [n.attrs["scale"]]
    some = (boxes[..., 2] > boxes[..., 0]) & (boxes[..., 3] > boxes[..., 1])
    known = torch.nan_to_num(boxes.detach() * some[..., None], nan=0.0).clamp(-1e6, 1e6)
    if len(maps) == 1:
        made = ops.roi_align(maps[0], list(known), size, scales[0], points, n.attrs["aligned"])
    else:
        pool = ops.MultiScaleRoIAlign([str(k) for k in range(len(maps))], size, points, canonical_scale=n.attrs["canonical"])
        pool.scales = list(scales)
        first, last = (-torch.log2(torch.tensor(float(scales[k]))).item() for k in (0, -1))
        pool.map_levels = ops.poolers.initLevelMapper(int(first), int(last), canonical_scale=n.attrs["canonical"])
        made = pool({str(k): x for k, x in enumerate(maps)}, list(known), None)
    return made.unflatten(0, boxes.shape[:2]) * some[..., None, None, None]


def roi_pool(n, boxes, x):
    """By torchvision; what is no box gives zeros here."""
    import torchvision.ops as ops
    some = (boxes[..., 2] > boxes[..., 0]) & (boxes[..., 3] > boxes[..., 1])
    known = torch.nan_to_num(boxes.detach() * some[..., None], nan=0.0).clamp(-1e6, 1e6)
    made = ops.roi_pool(x, list(known), n.attrs["size"], n.attrs["scale"])
    return made.unflatten(0, boxes.shape[:2]) * some[..., None, None, None]


def roi_masks(n, boxes, masks, index):
    """project_masks_on_boxes() picture by picture; what is no box, or has no mask, gives zeros."""
    import torchvision.ops as ops
    made = []
    for given, own, at in zip(boxes, masks, index):
        some = (given[:, 2] > given[:, 0]) & (given[:, 3] > given[:, 1]) & (at >= 0) & given.isfinite().all(1)
        known = torch.cat([at.clamp(min=0)[:, None].to(given), torch.nan_to_num(given, nan=0.0).clamp(-1e6, 1e6)], 1)
        seen = ops.roi_align(own[:, None].to(given), known, n.attrs["size"], n.attrs["scale"], n.attrs["points"] or -1)
        made.append(seen[:, 0] * some[:, None, None])
    return torch.stack(made)


def top_k(n, x):
    """In their order, what is no number last."""
    known = torch.where(x.isnan(), -torch.inf, x)
    ranked = torch.where(x.isnan(), 1, 0).sort(dim=-1, stable=True).indices       # numbers first
    order = known.gather(-1, ranked).sort(dim=-1, descending=True, stable=True).indices
    return ranked.gather(-1, order)[..., :n.attrs["k"]]


def nms(n, boxes, scores, groups=None):
    """Picture by picture; what is no box, which torchvision does not ask, is left out before."""
    import torchvision.ops as ops
    out = torch.full((len(boxes), n.attrs["k"]), -1)
    for i, (given, score) in enumerate(zip(boxes, scores)):
        some = torch.nonzero((given[:, 2] > given[:, 0]) & (given[:, 3] > given[:, 1]))[:, 0]
        score = torch.where(score.isnan(), -torch.inf, score)[some]
        group = torch.zeros(len(some)) if groups is None else groups[i][some]
        kept = []
        for g in group.unique():
            own = torch.nonzero(group == g)[:, 0]
            kept.append(own[ops.nms(given[some][own].double(), score[own].double(), n.attrs["most"])])
        kept = torch.cat(kept).sort().values if kept else torch.zeros(0, dtype=torch.int64)
        kept = some[kept[score[kept].sort(descending=True, stable=True).indices]][:n.attrs["k"]]
        out[i, :len(kept)] = kept
    return out


def in_f32(operator):
    """Of torchvision's kernels that have no 16 bits on a CPU: in f32, and rounded behind."""
    def run(n, *xs):
        narrow = next((x.dtype for x in xs if x.dtype in (torch.bfloat16, torch.float16)), None)
        if narrow is None:
            return operator(n, *xs)
        return operator(n, *(x.float() if x.is_floating_point() else x for x in xs)).to(narrow)
    return run


def holds_none(index):
    """Does an index lie before the first? Of tensors without elements nobody can say."""
    return not isinstance(index, torch._subclasses.fake_tensor.FakeTensor) and bool((index < 0).any())


OPERATORS = {"anchors": anchors, "match": match, "roi_align": in_f32(roi_align), "roi_pool": in_f32(roi_pool),
             "roi_masks": in_f32(roi_masks), "top_k": top_k, "nms": nms}
