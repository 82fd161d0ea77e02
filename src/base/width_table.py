#!/usr/bin/env python3
"""Prints width_table.h, by the tables of Unicode that this Python has:

    python3 src/base/width_table.py > src/base/width_table.h

A character is two columns wide where its EastAsianWidth is Wide or Fullwidth; none where it is a
combining mark (Mn, Me), a format character (Cf) but the soft hyphen, or a vowel or final consonant
of Hangul that joins the syllable before it. Blocks of ideographs are wide as a whole, as
EastAsianWidth.txt says of what is not yet assigned there.
"""
import sys
import unicodedata

IDEOGRAPHS = [(0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2FFFD), (0x30000, 0x3FFFD)]
JOINING_HANGUL = [(0x1160, 0x11FF), (0xD7B0, 0xD7FF)]
SOFT_HYPHEN = 0xAD


def every(ranges):
    return {c for first, last in ranges for c in range(first, last + 1)}


IDEOGRAPH, JOINING = every(IDEOGRAPHS), every(JOINING_HANGUL)


def width(c):
    category = unicodedata.category(chr(c))
    if c in JOINING or (category in ("Mn", "Me", "Cf") and c != SOFT_HYPHEN):
        return 0
    if c in IDEOGRAPH:
        return 2
    assigned = category != "Cn"
    return 2 if assigned and unicodedata.east_asian_width(chr(c)) in "WF" else 1


WIDTHS = [width(c) for c in range(sys.maxunicode + 1)] + [None]


def spans(columns):
    first = None
    for c, w in enumerate(WIDTHS):
        inside = w == columns
        if inside and first is None:
            first = c
        elif not inside and first is not None:
            yield first, c - 1
            first = None


def table(name, columns):
    print(f"\nstatic const struct span {name}[] = {{")
    line = ""
    for first, last in spans(columns):
        entry = f" {{ 0x{first:x}, 0x{last:x} }},"
        if len(line) + len(entry) > 90:
            print("\t" + line.strip())
            line = ""
        line += entry
    print("\t" + line.strip() + "\n};")


print(f"""/*
 * Widths of characters by Unicode {unicodedata.unidata_version}, from UnicodeData.txt and EastAsianWidth.txt as Python
 * has them. Made by width_table.py: do not edit.
 */""")
print("""#ifndef STOWAGE_BASE_WIDTH_TABLE_H
#define STOWAGE_BASE_WIDTH_TABLE_H

#include <stdint.h>

struct span {
	uint32_t first, last;
};""")
table("no_columns", 0)
table("two_columns", 2)
print("\n#endif")
