#!/usr/bin/env python3
"""Draws a plan: addresses in the arena against time, one rectangle a buffer.

    stowage plan --format json specs/resnet18.nn | bench/picture.py > bench/plan-resnet18.svg

Time is in instants, one a kernel. What stays throughout (weights, gradients' sums, optimizer state)
is one band at the bottom, to scale. Small buffers are drawn without their names.
"""
import html
import json
import sys

WIDTH, HEIGHT = 1000, 560
LEFT, TOP, RIGHT, BOTTOM = 70, 46, 16, 66
COLOURS = {                     # by kind; the order is that of the legend
    "parameter": "#4e79a7", "statistic": "#7f9fbf", "optimizer": "#2f4b6e",
    "gradient": "#e15759", "activation": "#59a14f", "saved": "#a7c957",
    "activation-gradient": "#f28e2b", "workspace": "#9c9c9c", "input": "#b07aa1",
    "target": "#d4a6c8", "scalar": "#555555",
}
OTHER = "#bbbbbb"


def human(size):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            return f"{size:.4g} {unit}"
        size /= 1024


def ticks(top):
    """About six round steps in binary units."""
    step = 1
    while top / step > 7:
        step *= 2
    return range(0, top + 1, step)


def draw(plan, out):
    arena, instants = plan["arena_bytes"], plan["instants"]
    across = (WIDTH - LEFT - RIGHT) / instants
    up = (HEIGHT - TOP - BOTTOM) / arena

    def x(t):
        return LEFT + t * across

    def y(offset):
        return HEIGHT - BOTTOM - offset * up

    write = out.write
    write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
          f'font-family="sans-serif" font-size="11">\n'
          f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>\n')
    ratio = arena / plan["lower_bound_bytes"]
    write(f'<text x="{LEFT}" y="20" font-size="15">{html.escape(plan["network"])}, batch '
          f'{plan["batch"]}: {human(arena)} in one arena, {ratio:.3f} of the lower bound'
          f'</text>\n')
    for size in ticks(arena):
        write(f'<path d="M{LEFT - 4} {y(size):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>'
              f'<text x="{LEFT - 8}" y="{y(size) + 4:.1f}" text-anchor="end">'
              f'{human(size) if size else 0}</text>\n')
    seen = {}
    for b in plan["buffers"]:
        kind = b["kind"]
        seen[kind] = seen.get(kind, 0) + b["bytes"]
        if b["bytes"] * up < 0.3:
            continue
        first, last = (0, instants - 1) if b["persistent"] else (b["first"], b["last"])
        wide, high = (last - first + 1) * across, b["bytes"] * up
        write(f'<rect x="{x(first):.1f}" y="{y(b["offset"] + b["bytes"]):.1f}" '
              f'width="{wide:.1f}" height="{high:.1f}" fill="{COLOURS.get(kind, OTHER)}" '
              f'stroke="#fff" stroke-width="{min(0.6, high / 4):.2f}">'
              f'<title>{html.escape(b["name"])}: {human(b["bytes"])}, line {b["line"]}</title>'
              f'</rect>\n')
        if high > 12 and wide > 7 * len(b["name"]):
            write(f'<text x="{x(first) + 4:.1f}" y="{y(b["offset"]) - high / 2 + 4:.1f}" '
                  f'fill="#fff">{html.escape(b["name"])}</text>\n')
    peak = plan["peak"]["instant"] + 0.5
    write(f'<path d="M{x(peak):.1f} {TOP - 14}V{HEIGHT - BOTTOM}" stroke="#000" '
          f'stroke-dasharray="3 3"/><text x="{x(peak) + 4:.1f}" y="{TOP - 6}">peak: '
          f'{html.escape(plan["peak"]["node"])}, {plan["peak"]["phase"]}</text>\n')
    write(f'<path d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}" fill="none" '
          f'stroke="#000"/>\n<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - BOTTOM + 18}" '
          f'text-anchor="middle">time: {instants} kernels, one training step'
          f'{" and one of validation" if plan.get("validate_batch") else ""}</text>\n')
    at = LEFT
    for kind in [k for k in COLOURS if k in seen] + sorted(k for k in seen if k not in COLOURS):
        write(f'<rect x="{at}" y="{HEIGHT - 28}" width="11" height="11" '
              f'fill="{COLOURS.get(kind, OTHER)}"/><text x="{at + 15}" y="{HEIGHT - 18}">'
              f'{html.escape(kind)}</text>\n')
        at += 28 + 5.9 * len(kind)
    write("</svg>\n")


draw(json.load(sys.stdin), sys.stdout)
