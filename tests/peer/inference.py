"""A spec that was imported, built for C as a library that infers, and what it computes."""
import ctypes
import os
import re
import subprocess

import numpy


def build(folder, batch, level):
    subprocess.run([os.environ["STOWAGE"], "emit", "--infer", "-b", str(batch), "-t", "c", "--threads", "1", "-o", folder + "/",
                    folder + "/net.nn"], check=True, capture_output=True, text=True)
    source = [f for f in os.listdir(folder) if f.endswith(".c")][0]
    subprocess.run([*os.environ.get("CC", "cc").split(), "-std=gnu11", *level.split(), "-fopenmp-simd", "-pthread", "-w", "-shared",
                    "-fPIC", "-DLIBRARY", "-o", folder + "/net.so", os.path.join(folder, source), "-lm"], check=True, capture_output=True)
    return ctypes.CDLL(folder + "/net.so")


def computed(folder, samples, count, level="-O0"):
    """COUNT numbers that FOLDER/net.nn, with the weights beside it, makes of arrays of samples."""
    batch = samples[0].shape[0]
    lib = build(folder, batch, level)
    with open(folder + "/net.nn") as f:
        kinds = re.findall(r"(?m)^  input +\w+ +: (\w+)\[", f.read())
    arrays = [numpy.ascontiguousarray(x.astype(numpy.float32 if kind == "f32" else numpy.int32)) for kind, x in zip(kinds, samples)]
    pointers = (ctypes.c_void_p * len(arrays))(*[a.ctypes.data for a in arrays])
    out = numpy.empty(count, numpy.float32)
    if lib.net_open((folder + "/w.safetensors").encode(), 1) != 0:
        raise RuntimeError("net_open")
    status = lib.net_run(ctypes.c_int64(batch), pointers, out.ctypes.data_as(ctypes.c_void_p))
    lib.net_close()
    if status != 0:
        raise RuntimeError("net_run")
    return out
