"""The onnx package's own tests of operators: models of a node or a few with inputs and outputs that it records. Each is
imported, built for C as a program that infers, and its output compared.

    onnx_nodes.py FOLDER [PATTERN...]      reports in TAP; without patterns all of them, counted

A network of ours computes samples one by one, and its weights are part of it. So the first axis of a test's inputs is the
batch, and an input that is no sample (a weight, an axis, an operand of other extents) becomes a constant of the model
before it is imported.
"""
import collections
import fnmatch
import os
import re
import subprocess
import sys
import warnings

import numpy
import onnx
from onnx import numpy_helper

import tap
from inference import computed
from tap import result

warnings.filterwarnings("ignore")
work, patterns = sys.argv[1], sys.argv[2:]
STOWAGE = os.environ["STOWAGE"]

# of these the inputs from that place on are weights, or numbers that say what is done
SAMPLES = {"Conv": 1, "ConvTranspose": 1, "BatchNormalization": 1, "InstanceNormalization": 1,
           "LayerNormalization": 1, "GroupNormalization": 1, "RMSNormalization": 1, "Dropout": 1, "Pad": 1,
           "Reshape": 1, "Slice": 1, "Resize": 1, "Upsample": 1, "Expand": 1, "Tile": 1, "Squeeze": 1, "Unsqueeze": 1, "Split": 1,
           "Clip": 1, "LSTM": 1, "GRU": 1, "RNN": 1, "CumSum": 1, "TopK": 1, "OneHot": 1,
           "GatherND": 1}


def known():
    """The operators that import has a record of."""
    folder, names = os.path.join(os.environ["top_srcdir"], "src/import"), set()
    for file in os.listdir(folder):
        if re.fullmatch(r"onnx_\w+\.c", file):
            with open(os.path.join(folder, file)) as f:
                names |= set(re.findall(r'(?:ONNX_OP_ROW\(\w+, |\.name = )"(\w+)"', f.read()))
    return names


def cases():
    from onnx.backend.test.case import node
    kept = sys.argv[1:]
    sys.argv[1:] = []
    found = node.collect_testcases(None)
    sys.argv[1:] = kept
    return found


def is_sample(value, first, slot, op):
    if op == "Gemm" and slot != 2 or slot >= SAMPLES.get(op, 9):
        return False
    return isinstance(value, numpy.ndarray) and 0 < value.ndim == first.ndim and value.shape[0] == first.shape[0]


def recurrent_by_samples(model, inputs):
    """The steps are the first axis of a recurrent operator's input: what has the samples first is turned, as exporters of
    PyTorch do for batch_first."""
    node, x = model.graph.node[0], model.graph.input[0]
    if node.op_type not in ("LSTM", "GRU", "RNN") or any(a.name == "layout" and a.i for a in node.attribute):
        return inputs
    turned = onnx.helper.make_node("Transpose", [x.name], [x.name + "_turned"], perm=[1, 0, 2])
    node.input[0] = x.name + "_turned"
    model.graph.node.insert(0, turned)
    dims = x.type.tensor_type.shape.dim
    dims[0].dim_value, dims[1].dim_value = dims[1].dim_value, dims[0].dim_value
    return [numpy.ascontiguousarray(inputs[0].transpose(1, 0, 2)), *inputs[1:]]


def first_sample(op, inputs):
    """Which input's first axis is the batch: of two that are broadcast the one with more."""
    if op not in SAMPLES and len(inputs) == 2 and inputs[1].ndim == inputs[0].ndim and inputs[0].shape[0] == 1:
        return 1 if inputs[1].shape[0] > 1 else 0
    return 0


def with_constants(model, inputs):
    """The model with what is no sample as its constants, and what is one."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    graph, samples = model.graph, []
    op = graph.node[0].op_type
    inputs = recurrent_by_samples(model, inputs)
    lead = first_sample(op, inputs)
    first = inputs[lead]
    for slot, (value, data) in enumerate(zip(list(graph.input), inputs)):
        if slot == lead or is_sample(data, first, slot, op):
            samples.append((value.name, data))
        else:
            graph.initializer.append(numpy_helper.from_array(data, value.name))
            graph.input.remove(value)
    return model, samples


def imported(path, folder):
    """Why there is no spec of it; None: there is."""
    done = subprocess.run([STOWAGE, "import", "--loss", "none", path, "-o", folder + "/net.nn", "-w", folder + "/w.safetensors"],
                          capture_output=True, text=True)
    return done.stderr.replace(path, "").strip() if done.returncode else None


def by_samples(want, batch):
    """What is wanted, sample by sample: the batch may be another axis in the model, or a part of one, as import says."""
    for axis in range(want.ndim):
        if want.shape[axis] % batch == 0:
            rest = want.shape[axis] // batch
            for at, parts in ((0, (batch, rest)), (1, (rest, batch))):
                apart = want.reshape(*want.shape[:axis], *parts, *want.shape[axis + 1:])
                yield numpy.moveaxis(apart, axis + at, 0).ravel()


def compare(case):
    """What is wrong; None: nothing. A refusal is a pair."""
    inputs, outputs = case.data_sets[0]
    inputs = [numpy.asarray(x) for x in inputs]
    folder = os.path.join(work, re.sub(r"\W", "_", case.name))
    os.makedirs(folder, exist_ok=True)
    model, samples = with_constants(case.model, inputs)
    onnx.save(model, folder + "/net.onnx")
    why = imported(folder + "/net.onnx", folder)
    if why:
        return "refused", why
    want = numpy.asarray(outputs[0]).astype(numpy.float32)
    got = computed(folder, [x for _, x in samples], want.size)
    near = 1e-2 if numpy.asarray(outputs[0]).dtype.itemsize < 4 else 1e-3	# of what has 16 bits
    good = any(numpy.allclose(got, w, rtol=near, atol=1e-5, equal_nan=True) for w in by_samples(want, samples[0][1].shape[0]))
    return None if good else ("wrong", f"{got[:6]} in place of {want.ravel()[:6]}")


def draws(model):
    """It makes random numbers, which no two programs draw alike."""
    return any(n.op_type.startswith("Random") or n.op_type == "Bernoulli" for n in model.graph.node)


def trains(model):
    """It computes what training does, which is not what the network computes afterwards."""
    return any(a.name == "training_mode" and a.i for n in model.graph.node for a in n.attribute) or \
        any(n.op_type == "Dropout" and len(n.input) > 2 for n in model.graph.node)


# What cannot be: a network has samples, which do not mix, of numbers
NEVER = re.compile(r"batch|one number of all samples|has no inputs|computes with integers of shapes|is not computed from its "
                   r"inputs|is not said, or has no batch|of a type that is not read|no tensor is")
have, reasons, counts = known(), collections.Counter(), collections.Counter()
for case in cases():
    ops = {n.op_type for n in case.model.graph.node}
    if not ops <= have or case.model.graph.node[0].domain not in ("", "ai.onnx"):
        continue
    if patterns and case.name not in patterns and not any(fnmatch.fnmatch(case.name, p) for p in patterns):
        continue
    if not all(isinstance(x, (numpy.ndarray, numpy.generic)) for x in case.data_sets[0][0]) or not case.data_sets[0][0] or \
            numpy.asarray(case.data_sets[0][0][0]).ndim == 0:
        counts["no samples"] += 1
        continue
    if any(numpy.asarray(x).size == 0 for x in case.data_sets[0][0] + case.data_sets[0][1][:1] if not isinstance(x, list)):
        counts["nothing in it"] += 1	# a tensor of ours has elements
        continue
    if any(numpy.asarray(x).dtype.kind in "OSUT" for x in case.data_sets[0][0] if not isinstance(x, list)):
        counts["text"] += 1
        continue
    if trains(case.model) or draws(case.model):
        counts["trains, or draws"] += 1
        continue
    try:
        kind, why = compare(case) or ("right", "")
    except (subprocess.CalledProcessError, RuntimeError, OSError) as e:
        kind, why = "wrong", getattr(e, "stderr", None) or str(e)
    if "there is nothing to infer" in why or "there is nothing to compute" in why:	# a dropout alone; its input
        kind = "nothing computed"
    if kind == "refused" and NEVER.search(why):
        kind = "mixes samples"
    counts[kind] += 1
    if patterns or kind in ("wrong", "refused"):
        result(kind in ("right", "mixes samples", "nothing computed") or (kind == "refused" and not patterns), f"{case.name}: {kind}", why)
print("#", dict(counts))
if not patterns:
    wanted = counts["right"] + counts["wrong"] + counts["refused"]
    result(counts["right"] >= 0.95 * wanted and wanted > 300, f"{counts['right']} of {wanted} tests give the recorded output")
tap.done()
