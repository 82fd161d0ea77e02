#!/usr/bin/env python3
"""Draws what bench/maskrcnn_shapes.nn found: pictures that it was not trained with, boxes, classes and masks.

    bench/shapes_picture.py PICTURES FOUND OUT.jpg [--first 0] [--sure 0.5]

PICTURES is the folder val of bench/shapes.py; FOUND that with found.npy, sure.npy, what.npy and cut.npy of --predict.
Needs numpy and Pillow.
"""
import argparse
import os

import numpy
from PIL import Image, ImageDraw

NAMES = ("", "circle", "square", "triangle")
INKS = ((0, 0, 0), (230, 60, 60), (40, 150, 60), (50, 90, 230))
ACROSS, DOWN, TIMES, GAP = 4, 2, 2, 6


def panel(path, boxes, sure, kinds, masks, least):
    pixels = numpy.asarray(Image.open(path).convert("RGB")).astype(float)
    some = [i for i in reversed(range(len(sure))) if sure[i] >= least]    # the surest last, on top
    for i in some:
        inside = masks[i] >= 0.5
        pixels[inside] = 0.45 * pixels[inside] + 0.55 * numpy.array(INKS[kinds[i]])
    image = Image.fromarray(pixels.round().astype("uint8"))
    image = image.resize((TIMES * image.width, TIMES * image.height), Image.NEAREST)
    draw = ImageDraw.Draw(image)
    for i in some:
        x, y, right, bottom = (float(v) * TIMES for v in boxes[i])
        draw.rectangle((x, y, right, bottom), outline=INKS[kinds[i]], width=2)
        text = f"{NAMES[kinds[i]]} {sure[i]:.2f}"
        at = min(max(x, 0), image.width - 6 * len(text) - 3), max(y - 11, 0)
        draw.rectangle((at[0], at[1], at[0] + 6 * len(text) + 3, at[1] + 11), fill=INKS[kinds[i]])
        draw.text((at[0] + 2, at[1]), text, fill=(255, 255, 255))
    return image


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("pictures", "found", "out"):
        p.add_argument(name)
    p.add_argument("--first", type=int, default=0)
    p.add_argument("--sure", type=float, default=0.5)
    a = p.parse_args()
    boxes, sure, kinds, masks = (numpy.load(os.path.join(a.found, f"{n}.npy"), mmap_mode="r")
                                 for n in ("found", "sure", "what", "cut"))
    panels = [panel(os.path.join(a.pictures, f"{i:05}.png"), boxes[i], sure[i], kinds[i].round().astype(int), masks[i], a.sure)
              for i in range(a.first, a.first + ACROSS * DOWN)]
    side = panels[0].width + GAP
    whole = Image.new("RGB", (ACROSS * side - GAP, DOWN * side - GAP), "white")
    for k, each in enumerate(panels):
        whole.paste(each, (k % ACROSS * side, k // ACROSS * side))
    whole.save(a.out, quality=45, optimize=True)


if __name__ == "__main__":
    main()
