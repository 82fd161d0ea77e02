"""plan --format svg: well-formed, and each buffer where the JSON says it is.

    picture.py WORK SPECS
"""
import re
import sys
import time
import xml.etree.ElementTree as tree

import plans

SVG = "{http://www.w3.org/2000/svg}"


def number(element, name):
    return float(element.get(name))


def drawn(root):
    """Rectangles of transient buffers by title, what is painted small, the persistent bands."""
    rects = [r for g in root.iter(SVG + "g") if "buffers" in (g.get("class") or "").split()
             for r in g.iter(SVG + "rect")]
    small = [g for g in root.iter(SVG + "g") if g.get("id") == "small"]
    bands = [r for g in root.iter(SVG + "g") if g.get("id") == "persistent"
             for r in g.iter(SVG + "rect")]
    return rects, sum(int(g.get("data-buffers")) for g in small), bands


def misplaced(rects, plan, plot):
    """The first rectangle that is not where the plan has its buffer, to 0.2 pixels."""
    left, top, wide, high = (number(plot, k) for k in ("x", "y", "width", "height"))
    at = {}
    for b in plan["buffers"]:
        x = left + wide * b["first"] / plan["instants"]
        y = top + high * (1 - (b["offset"] + b["bytes"]) / plan["arena_bytes"])
        at.setdefault((b["name"], b["first"], b["last"]), []).append(
            (x, y, wide * (b["last"] + 1 - b["first"]) / plan["instants"],
             high * b["bytes"] / plan["arena_bytes"]))
    for r in rects:
        title = r.find(SVG + "title").text
        name, first, last = re.fullmatch(r"(.*?): .* instants (\d+) to (\d+)", title).groups()
        have = [number(r, k) for k in ("x", "y", "width", "height")]
        if not any(all(abs(a - b) <= 0.2 for a, b in zip(have, want))
                   for want in at.get((name, int(first), int(last)), [])):
            return f"{title}: at {have}"
    return ""


def overlapping(rects):
    """Texts must not lie on one another; buffers must not either, as no plan lets them."""
    boxes = sorted((number(r, "x"), number(r, "y"), number(r, "width"), number(r, "height"))
                   for r in rects)
    for i, (x, y, w, h) in enumerate(boxes):
        for x2, y2, w2, h2 in boxes[i + 1:]:
            if x2 >= x + w - 0.15:
                break
            if y2 < y + h - 0.15 and y < y2 + h2 - 0.15:
                return f"{(x, y, w, h)} and {(x2, y2, w2, h2)}"
    return ""


def check(name, spec):
    plan, text = plans.plan_json(spec), plans.plan(spec, "svg")
    root = tree.fromstring(text)
    rects, small, bands = drawn(root)
    plot = [r for r in root.iter(SVG + "rect") if r.get("class") == "plot"]
    transient = [b for b in plan["buffers"] if not b["persistent"]]
    plans.result(len(rects) + small == len(transient), f"{name}: every transient buffer is drawn",
                 f"{len(rects)} and {small} small of {len(transient)}")
    kept = sum(int(r.get("data-buffers")) for r in bands)
    plans.result(kept == len(plan["buffers"]) - len(transient) and
                 len(bands) == len(plan["persistent_by_kind"]),
                 f"{name}: the persistent region has a band a kind, of all buffers", kept)
    why = misplaced(rects, plan, plot[0]) or overlapping(rects)
    plans.result(not why, f"{name}: rectangles are where the plan has the buffers", why)
    whole = " ".join(root.itertext())
    plans.result(f"instant {plan['peak']['instant']}," in whole, f"{name}: the peak is marked")
    plans.result(not list(root.iter(SVG + "script")) and b"http" not in
                 text.replace(b"http://www.w3.org/2000/svg", b""),
                 f"{name}: nothing from elsewhere")
    plans.result(text == plans.plan(spec, "svg"), f"{name}: the same bytes again")


def main(work, specs):
    check("lenet5", f"{specs}/lenet5.nn")
    check("resnet50", f"{specs}/resnet50.nn")
    check("odd", plans.write(work, "a<b>&\"c\"'.nn", plans.ODD))
    check("inference", plans.write(work, "inference.nn", plans.INFERENCE))
    big = plans.write(work, "chain.nn", plans.chain(1500))
    check("chain", big)
    begin = time.time()
    size = len(plans.plan(big, "svg"))
    plans.result(size < 1000000 and time.time() - begin < 10,
                 "chain: thousands of buffers make a picture of bounded size", size)


main(*sys.argv[1:])
