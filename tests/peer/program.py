"""An emitted C program as a Python object: compiled as a shared library, driven step by step."""
import ctypes
import os
import subprocess
import tempfile

import numpy

STOWAGE = os.environ.get("STOWAGE", "./stowage")
CC = os.environ.get("CC", "cc").split()
NUMPY = {"f32": numpy.float32, "f64": numpy.float64, "i32": numpy.int32, "u8": numpy.uint8}


class Entry(ctypes.Structure):      # struct stowage_tensor of kernels/host/host.h
    _fields_ = [("name", ctypes.c_char_p), ("kind", ctypes.c_char_p), ("type", ctypes.c_char_p),
                ("batched", ctypes.c_int), ("rank", ctypes.c_int), ("dim", ctypes.c_int64 * 8),
                ("offset", ctypes.c_int64), ("bytes", ctypes.c_int64), ("graph", ctypes.c_char_p)]


class Program:
    def __init__(self, spec, options=(), flags=("-O2", "-march=native")):
        self.folder = tempfile.TemporaryDirectory()
        out = self.folder.name
        subprocess.run([STOWAGE, "emit", "--target", "c", "--threads", "2", "-o", out, *options, spec],
                       check=True, stdout=subprocess.DEVNULL)
        source = next(os.path.join(out, f) for f in os.listdir(out) if f.endswith(".c"))
        library = os.path.join(out, "program.so")
        subprocess.run([*CC, "-std=gnu11", *flags, "-fopenmp", "-w", "-shared", "-fPIC", "-DLIBRARY",
                        "-DTRACE", "-o", library, source, "-lm"], check=True)
        self.lib = ctypes.CDLL(library)
        self.lib.stowage_train_step.argtypes = [ctypes.c_int64, ctypes.c_double, ctypes.c_int64,
                                                ctypes.c_uint64, ctypes.c_double, ctypes.c_double]
        self.lib.stowage_update_step.argtypes = [ctypes.c_double, ctypes.c_int64]
        self.lib.stowage_init.argtypes = [ctypes.c_uint64]
        self.lib.stowage_arena.restype = ctypes.c_void_p
        count = ctypes.c_int.in_dll(self.lib, "stowage_tensor_count").value
        self.entries = (Entry * count).in_dll(self.lib, "stowage_tensors")
        self.made = {}              # name -> value, as last made in a step
        self.batch = 0
        hook = ctypes.CFUNCTYPE(None, ctypes.c_int)
        self._hook = hook(self._keep)
        ctypes.c_void_p.in_dll(self.lib, "stowage_trace").value = ctypes.cast(
            self._hook, ctypes.c_void_p).value
        self.lib.stowage_init(1)

    def view(self, e):
        """The tensor's bytes in the arena, as an array."""
        shape = ([self.batch] if e.batched else []) + list(e.dim[:e.rank])
        kind = NUMPY[e.type.decode()]
        size = int(numpy.prod(shape, dtype=numpy.int64)) * numpy.dtype(kind).itemsize
        raw = (ctypes.c_char * size).from_address(self.lib.stowage_arena() + e.offset)
        return numpy.frombuffer(raw, dtype=kind).reshape(shape)

    def _keep(self, k):
        e = self.entries[k]
        if e.offset >= 0:
            self.made[e.name.decode()] = self.view(e).copy()

    def find(self, name, graph="train"):
        return next(e for e in self.entries
                    if e.name.decode() == name and e.graph.decode() in (graph, ""))

    def set(self, name, value, graph="train"):
        v = self.view(self.find(name, graph))
        v[...] = numpy.asarray(value).reshape(v.shape)

    def get(self, name, graph="train"):
        return self.view(self.find(name, graph)).copy()

    def train_step(self, batch, lr, update=1):
        self.made.clear()
        self.lib.stowage_train_step(batch, lr, update, update, 1.0, 0.0)
