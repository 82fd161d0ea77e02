"""An emitted program, C or CUDA, as a Python object: a shared library, driven step by step.

Tensors are copied out of the arena and into it (stowage_read, stowage_write), since it may be the
memory of a GPU.
"""
import ctypes
import os
import subprocess
import tempfile

import numpy

STOWAGE = os.environ.get("STOWAGE", "./stowage")
CC = os.environ.get("CC", "cc").split()
NVCC = os.environ.get("NVCC", "nvcc").split()
NUMPY = {"f32": numpy.float32, "f64": numpy.float64, "i32": numpy.int32, "u8": numpy.uint8,
         "f16": numpy.float16, "bf16": numpy.uint16}     # bf16: its bits, since numpy has no such type


def from_bf16(bits):
    return (bits.astype(numpy.uint32) << 16).view(numpy.float32)


def to_bf16(values):
    """The bits, rounded to the nearest, ties to even."""
    bits = numpy.ascontiguousarray(values, numpy.float32).view(numpy.uint32)
    return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype(numpy.uint16)


class Entry(ctypes.Structure):      # struct stowage_tensor of kernels/host/host.h
    _fields_ = [("name", ctypes.c_char_p), ("kind", ctypes.c_char_p), ("type", ctypes.c_char_p),
                ("batched", ctypes.c_int), ("rank", ctypes.c_int), ("dim", ctypes.c_int64 * 8),
                ("offset", ctypes.c_int64), ("bytes", ctypes.c_int64), ("graph", ctypes.c_char_p),
                ("channels_last", ctypes.c_int)]


def options_of(target):
    return ["--target", target] + (["--threads", "2"] if target == "c" else [])


def emit(spec, folder, target="c", options=()):
    """Writes the program into the folder; returns its source."""
    subprocess.run([STOWAGE, "emit", *options_of(target), "-o", folder, *options, spec], check=True,
                   stdout=subprocess.DEVNULL)
    suffix = ".cu" if target == "cuda" else ".c"
    return next(os.path.join(folder, f) for f in sorted(os.listdir(folder)) if f.endswith(suffix))


def compile_library(source, library, flags=None):
    """A .c by $CC, a .cu by $NVCC with cuBLASLt; FLAGS in place of the usual ones."""
    if source.endswith(".cu"):
        flags = ["-O3", "-arch=native", "-DUSE_CUBLASLT"] if flags is None else flags
        command = [*NVCC, "-std=c++17", *flags, "-DLIBRARY", "-DTRACE", "-shared", "-Xcompiler", "-fPIC",
                   "-o", library, source]
        command += ["-lcublasLt"] if "-DUSE_CUBLASLT" in flags else []
    else:
        flags = ["-O2", "-march=native"] if flags is None else flags
        command = [*CC, "-std=gnu11", *flags, "-fopenmp-simd", "-pthread", "-w", "-DLIBRARY", "-DTRACE", "-shared", "-fPIC",
                   "-o", library, source, "-lm"]
    subprocess.run(command, check=True)
    return library


def program_of(spec, target="c", options=()):
    with tempfile.TemporaryDirectory() as folder:
        source = emit(spec, folder, target, options)
        return Program(compile_library(source, os.path.join(folder, "program.so")))


class Program:
    def __init__(self, library):
        self.lib = ctypes.CDLL(library)
        self.lib.stowage_train_step.argtypes = [ctypes.c_int64, ctypes.c_double, ctypes.c_int64,
                                                ctypes.c_uint64, ctypes.c_double, ctypes.c_double]
        self.lib.stowage_update_step.argtypes = [ctypes.c_double, ctypes.c_int64]
        self.lib.stowage_init.argtypes = [ctypes.c_uint64]
        self.lib.stowage_read.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64]
        self.lib.stowage_write.argtypes = [ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64]
        count = ctypes.c_int.in_dll(self.lib, "stowage_tensor_count").value
        self.entries = (Entry * count).in_dll(self.lib, "stowage_tensors")
        self.made = {}              # name -> value, as last made in a step
        self.unwanted = set()       # of entries, by number: those that are not kept
        self.batch = 0
        hook = ctypes.CFUNCTYPE(None, ctypes.c_int)
        self._hook = hook(self._keep)
        ctypes.c_void_p.in_dll(self.lib, "stowage_trace").value = ctypes.cast(
            self._hook, ctypes.c_void_p).value
        self.lib.stowage_init(1)

    def shape(self, e):
        return ([self.batch] if e.batched else []) + list(e.dim[:e.rank])

    def read(self, e):
        array = numpy.empty(self.shape(e), NUMPY[e.type.decode()])
        if e.channels_last:         # the channels' axis is the third from the end
            array = numpy.ascontiguousarray(numpy.moveaxis(array, -3, -1))
        self.lib.stowage_read(array.ctypes.data, e.offset, array.nbytes)
        if e.channels_last:
            array = numpy.ascontiguousarray(numpy.moveaxis(array, -1, -3))
        return from_bf16(array) if e.type == b"bf16" else array

    def _keep(self, k):
        if k in self.unwanted:
            return
        e = self.entries[k]
        if e.offset >= 0:
            self.made[e.name.decode()] = self.read(e)

    def keep_only(self, names):
        self.unwanted = {k for k, e in enumerate(self.entries) if e.name.decode() not in names}

    def _entries_of(self, name, graph):
        return (e for e in self.entries if e.name.decode() == name and e.graph.decode() in (graph, ""))

    def has(self, name, graph="train"):
        return any(self._entries_of(name, graph))

    def find(self, name, graph="train"):
        e = next(self._entries_of(name, graph), None)
        if e is None or e.offset < 0:
            raise LookupError(f"{name} has no place in the arena of {graph}")
        return e

    def set(self, name, value, graph="train"):
        e = self.find(name, graph)
        array = to_bf16(value) if e.type == b"bf16" else value
        array = numpy.ascontiguousarray(array, NUMPY[e.type.decode()]).reshape(self.shape(e))
        if e.channels_last:
            array = numpy.ascontiguousarray(numpy.moveaxis(array, -3, -1))
        self.lib.stowage_write(e.offset, array.ctypes.data, array.nbytes)

    def get(self, name, graph="train"):
        return self.read(self.find(name, graph))

    def train_step(self, batch, lr, update=1, part=0, parts=1):
        """One micro-batch, the PART-th of PARTS of an update."""
        self.made.clear()
        self.lib.stowage_train_step(batch, lr, update, update, 1.0 / parts, 1.0 if part else 0.0)

    def update_step(self, lr, update):
        """The update after the last of several micro-batches."""
        self.lib.stowage_update_step(lr, update)
