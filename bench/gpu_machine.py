"""The machine that the programs run on: its tools and versions, how to build for it, what it holds.

Two kinds: one with an NVIDIA GPU, and the rehearsal's, which runs the emitted C programs on the CPU
so that all but the GPU can be tried anywhere.
"""
import ctypes
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))


def capture(*command, **more):
    """Runs to the end; what is printed, errors too, is in stdout. A time out is status 124."""
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", **more)
    except subprocess.TimeoutExpired as e:
        text = e.stdout or b""
        text = text.decode(errors="replace") if isinstance(text, bytes) else text
        return subprocess.CompletedProcess(command, 124, text + f"\nstopped after {e.timeout:g} s")


def last_line(done):
    lines = done.stdout.strip().splitlines()
    return lines[-1] if lines else f"status {done.returncode}, and no output"


class Driver:
    """The first device by libcuda, which is wherever programs run. What is in use is known within a context
    alone, which takes some itself, once."""

    def __init__(self):
        self.lib = self.context = None
        self.device = ctypes.c_int()
        try:
            lib = ctypes.CDLL("libcuda.so.1")
            if not lib.cuInit(0) and not lib.cuDeviceGet(ctypes.byref(self.device), 0):
                self.lib = lib
        except (OSError, AttributeError):
            pass

    def attribute(self, which):
        value = ctypes.c_int()
        return value.value if not self.lib.cuDeviceGetAttribute(ctypes.byref(value), which, self.device) else 0

    def facts(self):
        """(name, "90", bytes, "13.0"), or None without a device."""
        name, total, version = ctypes.create_string_buffer(256), ctypes.c_size_t(), ctypes.c_int()
        if not self.lib or self.lib.cuDeviceGetName(name, 256, self.device) or \
                self.lib.cuDeviceTotalMem_v2(ctypes.byref(total), self.device) or \
                self.lib.cuDriverGetVersion(ctypes.byref(version)):
            return None
        return (name.value.decode(), f"{self.attribute(75)}{self.attribute(76)}", total.value,
                f"{version.value // 1000}.{version.value % 1000 // 10}")

    def names(self):
        """What its management library calls the device, which counts others that CUDA_VISIBLE_DEVICES leaves out, and
        has two kinds of names: of cards, and of slices of them."""
        raw = (ctypes.c_ubyte * 16)()
        if not self.lib or self.lib.cuDeviceGetUuid_v2(ctypes.byref(raw), self.device):
            return []
        return [f"{kind}-{uuid.UUID(bytes=bytes(raw))}".encode() for kind in ("MIG", "GPU")]

    def read(self):
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        if not self.lib:
            return None
        if not self.context:
            self.context = ctypes.c_void_p()
            if self.lib.cuDevicePrimaryCtxRetain(ctypes.byref(self.context), self.device):
                self.lib = None
                return None
        self.lib.cuCtxSetCurrent(self.context)      # of this thread
        if self.lib.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total)):
            return None
        return Nvml.Memory(total.value, free.value, total.value - free.value)


class Nvml:
    """Bytes in use on the device that programs take, as the driver counts them: of all processes, to the page. Where its
    management library is not, libcuda says the same within a context."""

    class Memory(ctypes.Structure):
        _fields_ = [("total", ctypes.c_uint64), ("free", ctypes.c_uint64), ("used", ctypes.c_uint64)]

    def __init__(self):
        self.device = None
        self.driver = Driver()
        try:
            names = self.driver.names()
            lib = ctypes.CDLL("libnvidia-ml.so.1")
            device = ctypes.c_void_p()
            if not lib.nvmlInit_v2() and any(not lib.nvmlDeviceGetHandleByUUID(name, ctypes.byref(device)) for name in names):
                self.lib, self.device = lib, device
        except (OSError, AttributeError):
            pass

    def read(self):
        memory = self.Memory()
        if not self.device:
            return self.driver.read()
        if self.lib.nvmlDeviceGetMemoryInfo(self.device, ctypes.byref(memory)):
            return None
        return memory


class Watch:
    """The most that is in use while it lasts, above what was in use before. Who asks the driver often
    is felt by a program whose time is taken."""

    def __init__(self, nvml, every=0.005):
        self.nvml, self.every, self.stop = nvml, every, threading.Event()
        first = nvml.read()
        self.before = self.most = first.used if first else None

    def look(self):
        while not self.stop.is_set():
            memory = self.nvml.read()
            if memory:
                self.most = max(self.most, memory.used)
            self.stop.wait(self.every)

    def __enter__(self):
        self.thread = threading.Thread(target=self.look)
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.stop.set()
        self.thread.join()

    def taken(self):
        return None if self.before is None else self.most - self.before


def library(header, name, near):
    """Where a library of CUDA is: (folder of headers, folder of libraries, the file), or None. Python's
    packages have no link by the name that a linker looks for."""
    prefixes = [near, "/usr", "/usr/local/cuda"]
    for path in sys.path:
        prefixes += sorted(glob.glob(os.path.join(path, "nvidia", "*")))
    for prefix in prefixes:
        for include in ("include", "include/x86_64-linux-gnu", "include/aarch64-linux-gnu"):
            if not os.path.exists(os.path.join(prefix, include, header)):
                continue
            for lib in ("lib64", "lib", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu",
                        "targets/x86_64-linux/lib"):
                found = sorted(glob.glob(os.path.join(prefix, lib, f"lib{name}.so*")), key=len)
                if found:
                    return os.path.join(prefix, include), os.path.join(prefix, lib), found[0]
    return None


class Machine:
    gpu = driver = arch = cuda = cudnn = memory_bytes = None
    device = "cpu"
    sanitizer = nsys = None
    torch = torch_device = None
    torch_python = sys.executable
    environment = None      # of the programs; None: as it is

    def ask_torch(self):
        done = capture(sys.executable, "-c", "import numpy, torch; print('torch', torch.__version__, "
                       "int(torch.cuda.is_available()), torch.backends.cudnn.version())")
        found = re.search(r"^torch (\S+) (\d) (\S+)$", done.stdout, re.M)
        if found:
            self.torch = found.group(1)
            self.torch_device = self.device if self.device == "cpu" or found.group(2) == "1" else None
            self.torch_cudnn = found.group(3)

    def facts(self):
        return {"gpu": self.gpu, "compute_capability": self.arch, "memory_bytes": self.memory_bytes,
                "driver": self.driver, "cuda": self.cuda, "cudnn": self.cudnn, "torch": self.torch,
                "torch_cudnn": getattr(self, "torch_cudnn", None), "cpus": os.cpu_count(),
                "python": sys.version.split()[0]}

    def built(self, out, *command, **more):
        """Runs a compiler unless what it would make is there, of the same command."""
        mark, said = out + ".made", " ".join(command)
        if os.path.exists(out) and os.path.exists(mark) and open(mark).read() == said:
            return None
        done = capture(*command, timeout=900, **more)
        if done.returncode or not os.path.exists(out):
            return done.stdout.strip()[-800:] or f"status {done.returncode}"
        open(mark, "w").write(said)
        return None


class Gpu(Machine):
    """What is here of a machine with an NVIDIA GPU."""
    device = "cuda"

    def __init__(self, work):
        self.work, self.nvml = work, Nvml()
        packaged = [f for path in sys.path for f in glob.glob(os.path.join(path, "nvidia", "*", "bin", "nvcc"))]
        self.nvcc = next(filter(None, map(shutil.which, [os.environ["NVCC"]] if "NVCC" in os.environ else
                                          ["nvcc", "/usr/local/cuda/bin/nvcc", *packaged])), None)
        near = os.path.dirname(os.path.dirname(os.path.realpath(self.nvcc))) if self.nvcc else "/usr"
        self.sanitizer = os.environ.get("SANITIZER") or shutil.which("compute-sanitizer") or \
            shutil.which(os.path.join(near, "bin", "compute-sanitizer"))
        self.nsys = shutil.which("nsys")
        found = self.nvml.driver.facts()
        if found:
            self.gpu, self.arch, self.memory_bytes, self.driver = found
            self.driver = "of CUDA " + self.driver
        smi = shutil.which("nvidia-smi") or shutil.which("/usr/local/nvidia/bin/nvidia-smi")
        if smi:
            rows = capture(smi, "--query-gpu=name,driver_version,compute_cap",
                           "--format=csv,noheader")
            if not rows.returncode and rows.stdout.count(",") >= 2:
                gpu, self.driver, cap = [w.strip() for w in rows.stdout.splitlines()[0].split(",")]
                if not found:       # the first that is there may be another than the first that programs see
                    self.gpu, self.arch = gpu, cap.replace(".", "")
        if self.nvcc:
            release = re.search(r"release ([\w.]+), V([\w.]+)", capture(self.nvcc, "--version").stdout)
            self.cuda = release.group(2) if release else "unknown"
        self.blas = library("cublasLt.h", "cublasLt", near)
        self.dnn = library("cudnn_graph.h", "cudnn", near)
        if self.dnn:
            text = "".join(open(f).read() for f in glob.glob(self.dnn[0] + "/cudnn_version*.h"))
            self.cudnn = ".".join(re.search(rf"define {w}\s+(\d+)", text).group(1) for w in
                                  ("CUDNN_MAJOR", "CUDNN_MINOR", "CUDNN_PATCHLEVEL"))
        self.where = self.library_flags()
        # cuDNN compiles some of its engines when they are chosen, by libraries that it looks for itself
        found = [self.blas, self.dnn, library("nvrtc.h", "nvrtc", near),
                 library("nvJitLink.h", "nvJitLink", near)]
        folders = os.environ.get("LD_LIBRARY_PATH", "").split(":") + [f[1] for f in found if f]
        self.environment = {**os.environ, "LD_LIBRARY_PATH": ":".join(dict.fromkeys(f for f in folders if f))}
        self.ask_torch()

    def library_flags(self):
        """-I and -L for libraries that are not where nvcc looks, with links by their plain names."""
        flags, links = [], os.path.join(self.work, "libraries")
        os.makedirs(links, exist_ok=True)
        for name, found in (("cublasLt", self.blas), ("cudnn", self.dnn)):
            if not found:
                continue
            link = os.path.join(links, f"lib{name}.so")
            if os.path.lexists(link):
                os.remove(link)
            os.symlink(found[2], link)
            flags += ["-I" + found[0], "-Xlinker", "-rpath," + found[1]]
        return flags + ["-L" + links]

    def archs(self):
        """What to compile for: the card's own, else the oldest and the newest this nvcc knows."""
        if self.arch:
            return [self.arch]
        known = re.findall(r"^sm_(\d+)$", capture(self.nvcc, "--list-gpu-code").stdout, re.M)
        known = sorted((int(k) for k in known if int(k) >= 75)) or [75]
        return [str(known[0]), str(known[-1])]

    def variants(self):
        """Builds of a program: with the libraries that are here, and with kernels of our own alone."""
        named = [n for n, f in (("cuBLASLt", self.blas), ("cuDNN", self.dnn)) if f]
        return {"": " and ".join(named) or "no libraries", "own": "no libraries"}

    # as the Makefile beside a program does; a machine with a GPU may have no make
    KINDS = {"library": ["-DLIBRARY", "-DTRACE", "-shared", "-Xcompiler", "-fPIC"],
             "program": ["-Xcompiler", "-fopenmp"], "check": ["-Xcompiler", "-fopenmp", "-DCHECK", "-lineinfo"]}

    def build(self, at, program, what):
        """WHAT: "library", "program" or "check", with "-own" behind for no libraries. Returns the path,
        and what the compiler says where it fails."""
        kind, _, own = what.partition("-")
        blas, dnn = self.blas and not own, self.dnn and not own
        out = os.path.join(at, f"{program}-{what}" + (".so" if kind == "library" else ""))
        command = [self.nvcc, "-std=c++17", "-O3", "-Werror", "all-warnings", *self.KINDS[kind], "-o", out,
                   os.path.join(at, program + ".cu")]
        command += [w for a in self.archs() for w in ("-gencode", f"arch=compute_{a},code=sm_{a}")]
        command += (["-DUSE_CUBLASLT", "-lcublasLt"] if blas else []) + \
            (["-DUSE_CUDNN", "-lcudnn"] if dnn else []) + self.where
        return out, self.built(out, *command)

    def build_c(self, at, program):
        out = os.path.join(at, "c", program)
        cc = (os.environ.get("CC") or shutil.which("cc") or "gcc").split()
        return out, self.built(out, *cc, "-O3", "-std=gnu11", "-fopenmp-simd", "-pthread",
                               "-fno-math-errno", "-fno-trapping-math", "-march=native", "-o", out, out + ".c", "-lm")

    def describe(self):
        """The card as cuDNN describes it; text where that fails."""
        out = os.path.join(self.work, "cudnn_device")
        trouble = self.built(out, self.nvcc, "-o", out, os.path.join(HERE, "cudnn_device.c"), *self.where,
                             "-lcudnn")
        done = None if trouble else capture(out, timeout=60, env=self.environment)
        if trouble or done.returncode:
            return trouble or last_line(done)
        return json.loads(done.stdout)


class Rehearsal(Machine):
    """The C programs of --target c in place of a GPU's. Its figures say nothing."""
    nvml, blas, dnn, nvcc = Nvml.__new__(Nvml), None, None, "cc"

    def __init__(self, work):
        self.work, self.gpu = work, "rehearsal"
        self.nvml.device, self.nvml.driver = None, Driver.__new__(Driver)
        self.nvml.driver.lib = None
        self.cc = os.environ.get("CC", "cc").split()
        self.ask_torch()

    def archs(self):
        return ["CPU"]

    def variants(self):
        return {"": "the C program", "own": "the C program, again"}

    def build(self, at, program, what):
        kind, _, own = what.partition("-")
        out = os.path.join(at, program + {"library": own + ".so", "check": "-check"}.get(kind, ""))
        more = {"library": ["-DLIBRARY", "-DTRACE", "-shared", "-fPIC"], "check": ["-DCHECK"]}
        command = [*self.cc, "-std=gnu11", "-O1", "-fopenmp-simd", "-pthread", "-w", *more.get(kind, []), "-o", out,
                   os.path.join(at, program + ".c"), "-lm"]
        return out, self.built(out, *command)

    def build_c(self, at, program):
        return self.build(at, program, "program")

    def describe(self):
        return "a CPU has no cuDNN"
