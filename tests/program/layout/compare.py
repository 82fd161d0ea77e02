#!/usr/bin/env python3
"""compare.py [TOLERANCE] A B: are two checkpoints of one network, or two NPY files, the same to rounding?

Each tensor's largest difference is held against its largest value: sums of the same numbers in another
order differ by little of that, however small some of them come out. With a tolerance of 0 running
statistics are left out.
"""
import json
import struct
import sys

FORMATS = {"F64": "d", "F32": "f", "I32": "i", "BF16": "H"}


def array(data):
    """An NPY file of version 1."""
    length = struct.unpack("<H", data[8:10])[0]
    header = eval(data[10:10 + length], {})     # a dictionary of Python's, by its definition
    size = int(header["descr"][2:])
    values = data[10 + length:]
    yield "prediction", header["shape"], struct.unpack(
        f"<{len(values) // size}{'d' if size == 8 else 'f'}", values)


def tensors(path):
    with open(path, "rb") as f:
        data = f.read()
    if data.startswith(b"\x93NUMPY"):
        yield from array(data)
        return
    end = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:end])
    header.pop("__metadata__")
    for name, t in header.items():
        first, last = (end + at for at in t["data_offsets"])
        size = {"F64": 8, "F32": 4, "I32": 4, "BF16": 2}[t["dtype"]]
        values = struct.unpack(f"<{(last - first) // size}{FORMATS[t['dtype']]}", data[first:last])
        if t["dtype"] == "BF16":
            values = [struct.unpack("<f", struct.pack("<I", v << 16))[0] for v in values]
        yield name, t["shape"], values


def main():
    *given, one, other = sys.argv[1:]
    tolerance = float(given[0]) if given else 1e-12
    worst, bad, n = 0, 0, 0
    for (name, shape, a), (name_b, shape_b, b) in zip(tensors(one), tensors(other), strict=True):
        n += 1
        assert (name, shape) == (name_b, shape_b), f"{name} {shape}, {name_b} {shape_b}"
        size = max(map(abs, a), default=0)
        off = max((abs(x - y) for x, y in zip(a, b)), default=0)
        share = off / size if size else off
        if tolerance == 0 and "running_" in name:
            continue                # of what comes to the bit: not sums over the batch
        worst = max(worst, share)
        if share > tolerance:
            bad += 1
            print(f"{name} {shape}: off by {off:.3g} of {size:.3g}")
    print(f"{n} tensors, at most {worst:.2g} of the largest value off")
    sys.exit(bool(bad) or n == 0)


main()
