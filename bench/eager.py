#!/usr/bin/env python3
"""Measures what a training step takes in PyTorch eager, in exact bytes of tensors, and compares it
with Stowage's simulator (src/frameworks/pytorch_eager.c).

    bench/eager.py                          # every network at the batches of TABLE
    bench/eager.py resnet50:64 vgg16:32     # these, at these batches
    bench/eager.py --real resnet18:2        # with real numbers on the CPU, at small sizes
    bench/eager.py --validation unet512:16  # validation at that batch, after a step at batch 2

PyTorch itself runs: its modules, its autograd engine, its optimizer. A dispatch mode sees every
tensor that an operator returns, and weak references say when each storage is freed. By default
tensors are fake (shapes without elements), so that full sizes take neither memory nor time; --real
shows that this changes nothing. Counted is the highest sum in the second step, when the optimizer's
state exists. Where CPU and CUDA differ, CUDA counts: dropout keeps a mask of bytes, and the
optimizer uses its foreach kernels.

Two things that the mode itself would change are put right: where no mode is active, the engine adds
up the gradients of a tensor that is used twice in place of the first (see accumulate()), and the
gradient of binary_cross_entropy_with_logits is sigmoid().sub_().mul_().
"""
import argparse
import contextlib
import json
import os
import subprocess
import sys
import weakref

import torch
import torch.nn.functional as F
import memory
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
TABLE = ["alexnet:128", "vgg16:32", "resnet18:64", "resnet50:64", "resnet50:184", "mobilenet:64",
         "mobilenet_v2:64", "unet:4", "unet512:4"]


class Counter(TorchDispatchMode):
    on_host = {}        # by operator: which of its results no card has
    made_here = {}      # by operator: functions that run in its place, whose own tensors are seen too

    def __init__(self):
        super().__init__()
        self.live = self.peak = 0
        self.where, self.known, self.backward, self.before = "", {}, False, None
        self.in_place = self.anew = self.weighed = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        aten = torch.ops.aten
        weighed = self.in_weighed(function)
        if self.backward and function is aten.add.Tensor:
            out = self.accumulate(*args)
        elif self.backward and (self.before, function) in ((aten.sigmoid.default, aten.sub.Tensor),
                                                           (aten.sub.Tensor, aten.mul.Tensor)) \
                or weighed or (self.backward and function in (
                    aten.scatter_add.default, aten.index_add.default, aten.index_put.default)):
            # in place where no mode is active; those of gather, index_select and indexing, on zeros that nobody else has
            out = getattr(getattr(aten, function.overloadpacket.__name__ + "_"), function._overloadname)(*args)
        elif function in self.made_here:
            with self:
                out = self.made_here[function](*args, **(kwargs or {}))
        else:
            out = function(*args, **(kwargs or {}))
        self.before = function
        for t in tree_leaves(out[:self.on_host[function]] if function in self.on_host else out):
            if isinstance(t, torch.Tensor):
                self.see(t, function)
        return out

    def in_weighed(self, function):
        """Is this a call of binary_cross_entropy_with_logits_backward with a pos_weight that runs in place
        where no mode is active?"""
        aten = torch.ops.aten
        calls = (aten.mul.Tensor, aten.add.Scalar, aten.sub.Tensor, aten.sigmoid.default, aten.mul.Tensor,
                 aten.sub.Tensor, aten.mul.Tensor)
        if not self.backward or self.weighed == len(calls) or function is not calls[self.weighed]:
            self.weighed = 0
        if not self.backward or function is not calls[self.weighed]:
            return False
        self.weighed += 1
        return self.weighed in (3, 5, 6, 7)

    def accumulate(self, a, b):
        """What the engine does for gradients where no mode is active (input_buffer.cpp): a sum in
        place of the one that nothing else holds. Here each is held by the engine and by us."""
        for to, other in ((a, b), (b, a)):
            storage = to.untyped_storage()
            if to._use_count() <= 4 and to.is_contiguous() and \
                    torch._C._storage_Use_Count(storage._cdata) <= 2:
                self.in_place += 1
                return to.add_(other)
        self.anew += 1
        return a + b

    def see(self, tensor, function):
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key in self.known or tensor.device.type == "meta":   # of attention: seeds, on the host
            return
        self.known[key] = storage.nbytes()
        self.live += storage.nbytes()
        if self.live > self.peak:
            self.peak, self.where = self.live, str(function)
        weakref.finalize(storage, self.gone, key)

    def gone(self, key):
        self.live -= self.known.pop(key)


def cuda_dropout(x, p=0.5, training=True, inplace=False):
    return torch.native_dropout(x, p, True)[0] if training and 0 < p < 1 else x


def measure(network, batch, optimizer, real=False):
    """The peak of the second step in bytes, and the operator it is at."""
    F.dropout = cuda_dropout
    with contextlib.nullcontext() if real else FakeTensorMode(), Counter() as counter:
        model = network.model()
        update = optimizer(model.parameters())

        def step():
            image = torch.randn(batch, *network.image)
            label = torch.zeros(batch, *network.label, dtype=torch.int64)
            output = model(image)
            loss = network.loss(output, label)
            counter.backward = True
            loss.backward()
            counter.backward = False
            update.step()
            update.zero_grad(set_to_none=True)

        step()
        counter.peak = 0
        step()
    return counter.peak, counter.where, counter.in_place, counter.anew


def measure_validation(network, batch, optimizer):
    """The peak under no_grad, after a step at batch 2."""
    F.dropout = cuda_dropout
    with FakeTensorMode(), Counter() as counter:
        model = network.model()
        update = optimizer(model.parameters())

        def forward(batch):
            image = torch.randn(batch, *network.image)
            label = torch.zeros(batch, *network.label, dtype=torch.int64)
            output = model(image)
            return image, label, output, network.loss(output, label)

        loss = forward(2)[-1]
        loss.backward()
        del loss
        update.step()
        update.zero_grad(set_to_none=True)
        model.eval()
        counter.peak = counter.live
        with torch.no_grad():
            forward(batch)
    return counter.peak, counter.where


def sgd(parameters):
    return torch.optim.SGD(parameters, lr=0.01, momentum=0.9, foreach=True)


def simulated(spec, batch, stowage):
    """The simulator's answer for the same step: no accumulation, momentum, no weight decay."""
    plan = subprocess.run([stowage, "plan", "--format=json", "--target=cuda", "--objective=memory", f"--batch={batch}",
                           "-"], input=memory.as_baseline(os.path.join(TOP, spec)), text=True, check=True,
                          stdout=subprocess.PIPE)
    return json.loads(plan.stdout)["pytorch_eager_bytes"]


def validation(spec, batch, stowage):
    """The forecast's answer for validation at that batch, which has to hold the peak."""
    text = memory.as_baseline(os.path.join(TOP, spec))
    text += f"validate {{ batch {batch}  data synthetic(samples={batch}) }}\n"
    said = subprocess.run([stowage, "plan", "--as=pytorch", "--format=json", "--without=recompute",
                           "--batch=2", "-"], input=text, text=True, check=True,
                          stdout=subprocess.PIPE)
    forecast = json.loads(said.stdout)["forecasts"][0]
    return forecast["tensor_bytes"] if forecast["peak_in"] == "validation" else -1


def tap(args, networks):
    print(f"1..{len(args.cases)}")
    failed = 0
    for i, case in enumerate(args.cases, 1):
        name, _, batch = case.partition(":")
        theirs, ours, *_ = both(args, networks[name], int(batch))
        failed += ours != theirs
        print(f"{'ok' if ours == theirs else 'not ok'} {i} - {case}: PyTorch {theirs}, "
              f"simulated {ours}", flush=True)
    return failed > 0


def both(args, network, batch):
    """PyTorch's peak, the simulator's, and where the former is."""
    if args.validation:
        theirs, where = measure_validation(network, batch, sgd)
        return theirs, validation(network.spec, batch, args.stowage), where
    theirs, where, *_ = measure(network, batch, sgd, args.real)
    return theirs, simulated(network.spec, batch, args.stowage), where


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", nargs="*", default=TABLE, metavar="NETWORK:BATCH")
    parser.add_argument("--real", action="store_true", help="real tensors, at small sizes")
    parser.add_argument("--validation", action="store_true", help="at that batch, forward only")
    parser.add_argument("--tap", action="store_true", help="as tests, which ask for equal bytes")
    parser.add_argument("--stowage", default=os.environ.get("STOWAGE",
                                                            os.path.join(TOP, "stowage")))
    args = parser.parse_args()
    from eager_models import NETWORKS
    if args.tap:
        return tap(args, NETWORKS)
    print(f"PyTorch {torch.__version__}; momentum SGD; bytes of tensors at the peak of a step")
    print(f"{'network':16}{'batch':>6}{'PyTorch':>17}{'simulated':>17}{'off':>9}  peak at")
    worst = 0
    for case in args.cases:
        name, _, batch = case.partition(":")
        network, batch = NETWORKS[name], int(batch or 2)
        theirs, ours, where = both(args, network, batch)
        off = ours / theirs - 1
        worst = max(worst, abs(off))
        print(f"{name:16}{batch:6}{theirs:17,}{ours:17,}{off:9.3%}  {where}", flush=True)
    return 0 if worst <= 0.01 else 1


if __name__ == "__main__":
    sys.exit(main())
