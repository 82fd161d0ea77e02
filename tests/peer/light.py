"""The light models of the onnx package, which have one number in place of each large weight: imported as they are, they have
the file's parameters; with weights at random, ONNX Runtime's outputs, too.

    light.py FOLDER [NAME...]      reports in TAP; of those named, or all, outputs are compared
"""
import glob
import os
import re
import subprocess
import sys

import numpy
import onnx
import onnxruntime
from onnx import numpy_helper

import tap
from inference import computed
from tap import result

work, named = sys.argv[1], sys.argv[2:]
STOWAGE = os.environ["STOWAGE"]
TOLERANCE = 1e-4


def filled(graph):
    """The shape of each weight that a node makes of one number."""
    shapes = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    return {n.output[0]: shapes[n.input[0]] for n in graph.node if n.op_type == "ConstantOfShape"}


def counted(model):
    """Numbers that training changes, and statistics: of the weights that nodes read."""
    sizes = {name: int(numpy.prod(shape)) for name, shape in filled(model.graph).items()}
    sizes.update({t.name: int(numpy.prod(t.dims)) for t in model.graph.initializer if t.data_type == onnx.TensorProto.FLOAT})
    read, kept = set(), set()
    for n in model.graph.node:
        read |= {x for x in n.input if x in sizes}
        if n.op_type == "BatchNormalization":
            kept |= set(n.input[3:5])
    return sum(sizes[x] for x in read - kept), sum(sizes[x] for x in kept)


def at_random(model):
    """Weights of the size that keeps numbers as large from layer to layer, statistics around 0 and above it."""
    rng = numpy.random.default_rng(1)
    graph, shapes = model.graph, filled(model.graph)
    variances = {n.input[4] for n in graph.node if n.op_type == "BatchNormalization"}
    few = [t for t in graph.initializer if t.data_type == onnx.TensorProto.FLOAT]
    shapes.update({t.name: list(t.dims) for t in few})
    for t in few:
        graph.initializer.remove(t)
    for n in [n for n in graph.node if n.op_type == "ConstantOfShape"]:
        graph.node.remove(n)
    for name, shape in sorted(shapes.items()):
        each = numpy.prod(shape[1:]) if len(shape) > 1 else 0
        x = rng.standard_normal(shape).astype(numpy.float32) * numpy.float32((2 / each) ** 0.5 if each else 0.1)
        graph.initializer.append(numpy_helper.from_array(x + 1 if name in variances else x, name))
    return model


def spec_of(path, folder):
    return subprocess.run([STOWAGE, "import", path, "-o", folder + "/net.nn", "-w", folder + "/w.safetensors"],
                          capture_output=True, text=True)


def compare(name, model, folder):
    path = folder + "/net.onnx"
    onnx.save(at_random(model), path)
    done = spec_of(path, folder)
    if done.returncode:
        return result(False, f"{name}: with weights at random", done.stderr)
    session = onnxruntime.InferenceSession(path)
    given = session.get_inputs()[0]
    x = numpy.random.default_rng(2).standard_normal(given.shape).astype(numpy.float32)
    want = session.run(None, {given.name: x})[0].ravel()
    got = computed(folder, [x], want.size, "-O2 -march=native")
    if "the softmax at the end is left out" in done.stderr:
        got = numpy.exp(got - got.max())
        got /= got.sum()
    error = numpy.abs(got - want).max() / numpy.abs(want).max()
    result(error < TOLERANCE and want.std() > 0.01 * numpy.abs(want).max(), f"{name}: gives ONNX Runtime's outputs",
           f"{error:g} of the largest, which are spread by {want.std()}")
    os.remove(folder + "/w.safetensors")


paths = {re.sub(r".*light_|\.onnx$", "", path): path for path in
         glob.glob(os.path.join(os.path.dirname(onnx.__file__), "backend/test/data/light/light_*.onnx"))}
result(paths and set(named) <= set(paths), "the models are in the package", f"{named} of {sorted(paths)}")
for name, path in sorted(paths.items()):
    folder = os.path.join(work, name)
    os.makedirs(folder, exist_ok=True)
    model = onnx.load(path)
    done = subprocess.run([STOWAGE, "import", path, "-o", folder + "/light.nn"], capture_output=True, text=True)
    said = re.search(r"nodes, ([\d,]+) parameters(?:, ([\d,]+) running statistics)?", done.stderr)
    count = tuple(int((x or "0").replace(",", "")) for x in said.groups()) if said else done.stderr
    result(count == counted(model), f"{name}: has the file's parameters", f"{count} in place of {counted(model)}")
    if not named or name in named:
        compare(name, model, folder)
tap.done()
