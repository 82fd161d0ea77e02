#!/usr/bin/env python3
"""Holds the forecast of `stowage plan --as pytorch` against PyTorch on device cuda, without a GPU.

    bench/forecast.py                               # every network, batch and optimizer
    bench/forecast.py --markdown                    # as the table of bench/README.md
    bench/forecast.py resnet18:8 unet:1 --optimizers adam
    bench/forecast.py --tap resnet18:8              # as tests: equal tensors, blocks within 2 %

PyTorch's own modules, autograd engine and optimizers run on fake tensors (FakeTensorMode) of device
cuda, so that it picks what it picks on a card: cuDNN's batch norm and its reserve, dropout's masks of
bytes, foreach optimizers. The engine wants one device to begin with: a library of six functions
that say so, which is compiled here, stands in for the driver.

Two oracles, each the highest sum of the second step, gradients, state and transients included:

tracker     torch.distributed._tools.mem_tracker.MemTracker as it is. It rounds each storage up to
            512 B as the caching allocator does. While a mode like it is active, the engine adds up
            the gradients of a tensor that is read twice in a third one, not in place of the first
            (isTensorSubclassLike in input_buffer.cpp), so it counts more there than a card sees.
tensors     eager.Counter, which puts that right and counts exact bytes.

The forecast's `tensor_bytes` is compared with the latter, its `allocated_bytes` (blocks of 512 B and
the rest of segments that is not worth splitting) with the tracker. Libraries' workspaces are in
neither: PyTorch asks its allocator for them within kernels, and no kernel runs.
"""
import argparse
import os
import subprocess
import sys
import tempfile

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
TABLE = {"alexnet": (16, 128, 256), "vgg16": (1, 16, 64), "resnet18": (1, 32, 256),
         "resnet50": (1, 32, 128), "unet": (1, 4, 8), "unet512": (1, 4, 8)}
STAND_IN = """
int cudaGetDeviceCount(int *n) { *n = 1; return 0; }
int cudaGetDevice(int *d) { *d = 0; return 0; }
int cudaSetDevice(int d) { return d != 0; }
int cudaDeviceGetStreamPriorityRange(int *a, int *b) { *a = 0; *b = -5; return 0; }
int cudaStreamIsCapturing(void *s, int *now) { (void)s; *now = 0; return 0; }
int cuDevicePrimaryCtxGetState(int d, unsigned *f, int *on) { (void)d; *f = 0; *on = 0; return 0; }
"""


def stand_in():
    """Runs this script again with a driver that has one device and does nothing."""
    folder = tempfile.mkdtemp()
    library = os.path.join(folder, "libcuda.so.1")
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-xc",
                    "-o", library, "-"], input=STAND_IN, text=True, check=True)
    try:
        done = subprocess.run([sys.executable, *sys.argv],
                              env={**os.environ, "LD_PRELOAD": library, "STAND_IN": library})
    finally:
        os.remove(library)
        os.rmdir(folder)
    return done.returncode


def on_cuda(torch, model):
    for module in model.modules():
        for name, p in list(module._parameters.items()):
            if p is not None:
                module._parameters[name] = torch.nn.Parameter(
                    torch.empty(p.shape, dtype=p.dtype, device="cuda"))
        for name, b in list(module._buffers.items()):
            if b is not None:
                module._buffers[name] = torch.empty(b.shape, dtype=b.dtype, device="cuda")
    return model


def run(network, batch, make_optimizer, watch):
    """Two steps; before the second, WATCH is told."""
    import torch
    import torch.nn.functional as F
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        with watch as watcher:
            model = on_cuda(torch, network.model())
            update = make_optimizer(torch, model.parameters())
            for i in range(2):
                watcher.step(i, model)
                image = torch.empty(batch, *network.image, device="cuda")
                label = torch.empty(batch, *network.label, dtype=torch.int64, device="cuda")
                output = model(image)
                loss = F.cross_entropy(output, label)
                watcher.backward = True
                loss.backward()
                watcher.backward = False
                update.step()
                update.zero_grad(set_to_none=True)
                del image, label, output, loss
            return watcher.most()


def watchers():
    import eager
    from torch.distributed._tools.mem_tracker import MemTracker

    class Tracker(MemTracker):
        def step(self, i, model):
            self.reset_mod_stats()

        def most(self):
            return sum(snap["Total"] for device, snap in self.get_tracker_snapshot("peak").items()
                       if device.type == "cuda")

    class Tensors(eager.Counter):
        def step(self, i, model):
            self.peak = self.live

        def see(self, tensor, function):
            if tensor.device.type == "cuda":
                super().see(tensor, function)

        def most(self):
            return self.peak

    return Tracker, Tensors


# As specs and PyTorch users write them. On a card foreach is the default; of fake parameters PyTorch
# does not know that they may have it.
OPTIMIZERS = {
    "sgd": ("sgd(lr=0.01)", lambda torch, p: torch.optim.SGD(p, lr=0.01, foreach=True)),
    "momentum": ("sgd(lr=0.01, momentum=0.9)",
                 lambda torch, p: torch.optim.SGD(p, lr=0.01, momentum=0.9,
                                                      foreach=True)),
    "decay": ("sgd(lr=0.01, momentum=0.9, weight_decay=1e-4)",
              lambda torch, p: torch.optim.SGD(p, lr=0.01, momentum=0.9, weight_decay=1e-4,
                                                   foreach=True)),
    "adam": ("adam(lr=0.001)", lambda torch, p: torch.optim.Adam(p, lr=0.001, foreach=True)),
    "adamw": ("adamw(lr=0.001, weight_decay=0.01)",
              lambda torch, p: torch.optim.AdamW(p, lr=0.001, weight_decay=0.01, foreach=True)),
}


def forecast(spec, batch, optimizer, stowage):
    import json
    import memory

    text = memory.as_baseline(os.path.join(TOP, spec)).replace(
        "optimizer sgd(lr=0.01, momentum=0.9)", "optimizer " + optimizer)
    said = subprocess.run([stowage, "plan", "--as=pytorch", "--format=json", "--without=recompute",
                           f"--batch={batch}", "-"], input=text, text=True, check=True,
                          stdout=subprocess.PIPE)
    return json.loads(said.stdout)["forecasts"][0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", nargs="*", metavar="NETWORK:BATCH",
                        default=[f"{n}:{b}" for n, batches in TABLE.items() for b in batches])
    parser.add_argument("--optimizers", default="sgd,momentum,adam")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--tap", action="store_true")
    parser.add_argument("--stowage", default=os.environ.get("STOWAGE", os.path.join(TOP, "stowage")))
    args = parser.parse_args()
    if "STAND_IN" not in os.environ:
        return stand_in()
    del os.environ["LD_PRELOAD"]
    import torch
    if not torch.backends.cudnn.is_available() and torch.version.cuda is None:
        print("1..0 # SKIP this PyTorch knows nothing of CUDA" if args.tap else
              "this PyTorch knows nothing of CUDA")
        return 0 if args.tap else 2
    from eager_models import NETWORKS

    Tracker, Tensors = watchers()
    cases = [(case, name) for case in args.cases for name in args.optimizers.split(",")]
    line = "| {} | {} | {} | {} | {} | {} | {} | {} |" if args.markdown else \
        "{:10}{:>6} {:9}{:>17} {:>17} {:>17} {:>17}{:>9}"
    if args.tap:
        print(f"1..{len(cases)}")
    else:
        print(f"PyTorch {torch.__version__} on fake tensors of device cuda; bytes\n")
        print(line.format("network", "batch", "optimizer", "PyTorch, tensors", "forecast", "tracker",
                          "forecast", "off"))
        if args.markdown:
            print("|---" * 8 + "|")
    failed = 0
    for number, (case, name) in enumerate(cases, 1):
        net, _, batch = case.partition(":")
        network, batch, (written, make) = NETWORKS[net], int(batch), OPTIMIZERS[name]
        exact = run(network, batch, make, Tensors())
        tracked = run(network, batch, make, Tracker())
        ours = forecast(network.spec, batch, written, args.stowage)
        tensors, blocks = ours["tensor_bytes"], ours["allocated_bytes"]
        off = blocks / tracked - 1
        good = tensors == exact and abs(off) <= 0.02
        failed += not good
        if args.tap:
            print(f"{'ok' if good else 'not ok'} {number} - {case} {name}: PyTorch {exact}, forecast "
                  f"{tensors}; tracker {tracked}, forecast {blocks}", flush=True)
        else:
            print(line.format(net, batch, name, f"{exact:,}",
                              "the same" if tensors == exact else f"{tensors:,}", f"{tracked:,}",
                              f"{blocks:,}", f"{off:+.2%}"), flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
