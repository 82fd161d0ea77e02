#!/usr/bin/env python3
"""Makes the models beside it, with the onnx package: small networks, weights from a fixed seed."""
import os

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

random = numpy.random.RandomState(0)
here = os.path.dirname(os.path.abspath(__file__))


def weight(name, *shape):
    return numpy_helper.from_array((0.3 * random.randn(*shape)).astype(numpy.float32), name)


def save(name, nodes, weights, shape, out, said=(), opset=17, of=TensorProto.FLOAT, more=()):
    graph = helper.make_graph(nodes, name, [helper.make_tensor_value_info("image", of, shape)],
                              [helper.make_tensor_value_info("scores", TensorProto.FLOAT, out), *more], weights,
                              value_info=[helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in said])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8, producer_name="make.py")
    onnx.checker.check_model(model)
    onnx.save(model, os.path.join(here, name + ".onnx"))


def residual():
    """Two residual blocks that differ in width, and a head: 1,250 parameters, counted in import.test."""
    nodes, weights, x, channels = [], [], "image", 3
    for i, width in enumerate((4, 8)):
        p = f"stage.{i}"
        weights += [weight(f"{p}.conv1.weight", width, channels, 3, 3), weight(f"{p}.conv2.weight", width, width, 3, 3),
                    weight(f"{p}.skip.weight", width, channels, 1, 1)]
        nodes += [helper.make_node("Conv", [x, f"{p}.conv1.weight"], [f"a{i}"], pads=[1, 1, 1, 1]),
                  helper.make_node("Relu", [f"a{i}"], [f"b{i}"]),
                  helper.make_node("Conv", [f"b{i}", f"{p}.conv2.weight"], [f"c{i}"], pads=[1, 1, 1, 1]),
                  helper.make_node("Conv", [x, f"{p}.skip.weight"], [f"d{i}"]),
                  helper.make_node("Add", [f"c{i}", f"d{i}"], [f"e{i}"]),
                  helper.make_node("Relu", [f"e{i}"], [f"f{i}"])]
        x, channels = f"f{i}", width
    weights += [weight("head.weight", 8, 10), weight("head.bias", 10)]
    nodes += [helper.make_node("GlobalAveragePool", [x], ["g"]), helper.make_node("Flatten", ["g"], ["h"]),
              helper.make_node("MatMul", ["h", "head.weight"], ["i"]),
              helper.make_node("Add", ["i", "head.bias"], ["scores"])]
    save("residual", nodes, weights, ["batch", 3, 8, 8], ["batch", 10])


def unknown():
    """A node that Stowage has no operator for."""
    save("unknown", [helper.make_node("Relu", ["image"], ["a"]), helper.make_node("Det", ["a"], ["scores"], name="the_det")],
         [], ["batch", 2, 2], ["batch"])


def chain(name, bias):
    """Two layers with one bias between them, as exporters write equal ones."""
    save(name, [helper.make_node("Gemm", ["image", "a.weight", "bias"], ["a"]), helper.make_node("Relu", ["a"], ["b"]),
                helper.make_node("Gemm", ["b", "c.weight", "bias"], ["scores"])],
         [weight("a.weight", 6, 5), weight("c.weight", 5, 5), bias], ["batch", 6], ["batch", 5])


def middle(name, said):
    """A node in the middle that Stowage has no operator for, whose shape may be said."""
    save(name, [helper.make_node("Conv", ["image", "a.weight"], ["a"]),
                helper.make_node("Bernoulli", ["a"], ["b"], name="the_draw"), helper.make_node("Relu", ["b"], ["c"]),
                helper.make_node("GlobalAveragePool", ["c"], ["d"]), helper.make_node("Flatten", ["d"], ["e"]),
                helper.make_node("Gemm", ["e", "f.weight", "f.bias"], ["scores"])],
         [weight("a.weight", 4, 3, 1, 1), weight("f.weight", 4, 5), weight("f.bias", 5)], ["batch", 3, 6, 6], ["batch", 5],
         said)


def standing():
    """A window that does not move, whose padding would be divided by its stride."""
    save("standing", [helper.make_node("MaxPool", ["image"], ["scores"], name="the_pool", kernel_shape=[2, 2],
                                       strides=[0, 0], auto_pad="SAME_LOWER")], [], ["batch", 3, 6, 6],
         ["batch", 3, 6, 6])


def parts(name, *sizes):
    """An axis of six in parts that it has not."""
    save(name, [helper.make_node("Split", ["image", "sizes"], ["a", "b", "c"], name="the_parts", axis=1),
                helper.make_node("Add", ["b", "c"], ["scores"])],
         [numpy_helper.from_array(numpy.array(sizes, numpy.int64), "sizes")], ["batch", 6], ["batch", 2])


def one_number():
    """A score that is a number, no vector of one: what squeeze(-1) makes of it."""
    save("number", [helper.make_node("Flatten", ["image"], ["a"]), helper.make_node("MatMul", ["a", "w"], ["b"]),
                    helper.make_node("Squeeze", ["b", "axes"], ["scores"])],
         [weight("w", 12, 1), numpy_helper.from_array(numpy.array([1]), "axes")], ["batch", 3, 2, 2], ["batch"])


def framed():
    """A frame in a mode that ONNX does not have."""
    save("framed", [helper.make_node("Pad", ["image", "sides"], ["scores"], name="the_frame", mode="symmetric")],
         [numpy_helper.from_array(numpy.array([0, 0, 1, 1, 0, 0, 1, 1]), "sides")], ["batch", 3, 6, 6],
         ["batch", 3, 8, 8])


def frames():
    """A frame around four axes, as wide on both sides of each, and one around five."""
    node, four, five = helper.make_node, [0, 1, 1, 2, 2], [0, 1, 1, 2, 1, 2]
    save("frames", [node("Pad", ["image", "four"], ["a"]), node("Reshape", ["a", "more"], ["b"]),
                    node("Pad", ["b", "five"], ["scores"], mode="reflect")],
         [numpy_helper.from_array(numpy.array(v), n) for n, v in (("four", four + four), ("five", five + five),
                                                                  ("more", [0, 4, 5, 7, 2, 4]))],
         ["batch", 2, 3, 3, 4], ["batch", 6, 7, 11, 4, 8])


def unpooled(name, kernel, strides, reader, more=()):
    """Maxima that go back to their places, which two nodes may read, or the user."""
    node = helper.make_node
    save(name, [node("Mul", ["image", "w"], ["a"]),
                node("MaxPool", ["a"], ["b", "places"], name="the_pool", kernel_shape=kernel, strides=strides),
                node("Tanh", ["b"], ["c"]), node("MaxUnpool", ["c", "places"], ["d"], kernel_shape=kernel, strides=strides)] + reader,
         [weight("w", 3, 6, 6)], ["batch", 3, 6, 6], ["batch", 3, 6, 6], more=more)


def scaled_bias():
    """Attention of two heads whose scores are halved, then added to a bias that is made 100 times as large."""
    node, nodes = helper.make_node, [helper.make_node("Mul", ["image", "hundred"], ["bias"])]
    for name, perm in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
        nodes += [node("MatMul", ["rows", f"{name}.weight"], [name]), node("Reshape", [name, "heads"], [f"{name}1"]),
                  node("Transpose", [f"{name}1"], [f"{name}2"], perm=perm)]
    nodes = [node("Slice", ["image", "zero", "four", "last"], ["part"]), node("Slice", ["part", "zero", "one", "first"], ["p1"]),
             node("Reshape", ["p1", "join"], ["rows"])] + nodes
    nodes += [node("MatMul", ["q2", "k2"], ["s0"]), node("Mul", ["s0", "half"], ["s1"]), node("Add", ["bias", "s1"], ["s2"]),
              node("Softmax", ["s2"], ["s3"], axis=-1), node("MatMul", ["s3", "v2"], ["y"]),
              node("Transpose", ["y"], ["y1"], perm=[0, 2, 1, 3]), node("Reshape", ["y1", "join"], ["scores"])]
    whole = {"heads": [0, 0, 2, 2], "join": [0, 6, 4], "zero": [0], "four": [4], "one": [1], "last": [3], "first": [1]}
    save("scaled", nodes, [weight(f"{n}.weight", 4, 4) for n in "qkv"] +
         [numpy_helper.from_array(numpy.array(v), n) for n, v in whole.items()] +
         [numpy_helper.from_array(numpy.array(v, numpy.float32), n) for n, v in (("half", 0.5), ("hundred", 100))],
         ["batch", 2, 6, 6], ["batch", 6, 4])


def filled():
    """Weights of one number each, as onnx.tools.replace_constants leaves them, and a constant that is one; a softmax of two
    axes at once, as before opset 13."""
    def constant(shape, out, value):
        return helper.make_node("ConstantOfShape", [shape], [out], value=helper.make_tensor("", TensorProto.FLOAT, [1], [value]))

    whole = {"w__SHAPE": [4, 3, 1, 1], "s__SHAPE": [4, 1, 1], "frame": [4, 2, 2]}
    save("filled", [constant("w__SHAPE", "w", 0.5), constant("s__SHAPE", "s", 0.25), constant("frame", "two", 2),
                    helper.make_node("Conv", ["image", "w"], ["a"]), helper.make_node("Mul", ["a", "s"], ["b"]),
                    helper.make_node("Mul", ["b", "two"], ["c"]), helper.make_node("Sum", ["a", "c", "b"], ["d"]),
                    helper.make_node("Softmax", ["d"], ["scores"], axis=2)],
         [numpy_helper.from_array(numpy.array(v), n) for n, v in whole.items()], ["batch", 3, 2, 2], ["batch", 4, 2, 2], opset=9)


def attention(name, nodes, weights, whole, out):
    """Attention of 4 rows of 8; WHOLE are shapes."""
    save(name, nodes, weights + [numpy_helper.from_array(numpy.array(v), n) for n, v in whole.items()] +
         [numpy_helper.from_array(numpy.array(0.5, numpy.float32), "half")], ["batch", 4, 8], out)


def biased():
    """Attention of two heads with a bias that is computed: beside it, a constant that is nothing where a key is ahead."""
    node, nodes = helper.make_node, [helper.make_node("MatMul", ["image", "m.weight"], ["m"]),
                                     helper.make_node("Reshape", ["m", "whole"], ["m1"])]
    for part, perm in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
        nodes += [node("MatMul", ["image", f"{part}.weight"], [part]), node("Reshape", [part, "apart"], [f"{part}1"]),
                  node("Transpose", [f"{part}1"], [f"{part}2"], perm=perm)]
    far = numpy.tril(1.0 + numpy.arange(4)[:, None] - numpy.arange(4)).astype(numpy.float32)
    nodes += [node("Constant", [], ["far"], value=numpy_helper.from_array(far)), node("MatMul", ["q2", "k2"], ["s0"]),
              node("Mul", ["s0", "half"], ["s1"]), node("Add", ["m1", "far"], ["bias"]), node("Add", ["s1", "bias"], ["s2"]),
              node("Softmax", ["s2"], ["s3"], axis=-1), node("MatMul", ["s3", "v2"], ["y"]),
              node("Transpose", ["y"], ["y1"], perm=[0, 2, 1, 3]), node("Reshape", ["y1", "join"], ["scores"])]
    attention("biased", nodes, [weight("m.weight", 8, 4)] + [weight(f"{part}.weight", 8, 8) for part in "qkv"],
          {"whole": [0, 1, 4, 4], "apart": [0, 4, 2, 4], "join": [0, 4, 8]}, ["batch", 4, 8])


def in_turn():
    """Attention of six heads that take two of keys in turn: 0 1 0 1 0 1, where grouped ones are 0 0 0 1 1 1."""
    node, nodes = helper.make_node, []
    for part, perm in (("q", [0, 2, 3, 1, 4]), ("k", [0, 2, 3, 4, 1]), ("v", [0, 2, 3, 1, 4])):
        nodes += [node("MatMul", ["image", f"{part}.weight"], [part]),
                  node("Reshape", [part, "queries" if part == "q" else "keys"], [f"{part}1"]),
                  node("Transpose", [f"{part}1"], [f"{part}2"], perm=perm)]
    nodes += [node("MatMul", ["q2", "k2"], ["s0"]), node("Mul", ["s0", "half"], ["s1"]), node("Reshape", ["s1", "six"], ["s2"]),
              node("Softmax", ["s2"], ["s3"], axis=-1), node("Reshape", ["s3", "twos"], ["s4"]), node("MatMul", ["s4", "v2"], ["y"]),
              node("Transpose", ["y"], ["y1"], perm=[0, 3, 1, 2, 4]), node("Reshape", ["y1", "join"], ["scores"])]
    attention("in_turn", nodes, [weight(f"{part}.weight", 8, 24 if part == "q" else 8) for part in "qkv"],
          {"queries": [0, 4, 3, 2, 4], "keys": [0, 4, 1, 2, 4], "six": [0, 6, 4, 4], "twos": [0, 3, 2, 4, 4], "join": [0, 4, 24]},
          ["batch", 4, 24])


def odd():
    """Nodes that are something else at a second look, each in a model of its own."""
    node = helper.make_node

    def whole(name, *v):
        return numpy_helper.from_array(numpy.array(v), name)

    def matrices(name, *shape):
        return node("Constant", [], [name], value=numpy_helper.from_array(numpy.arange(numpy.prod(shape), dtype=numpy.float32).reshape(shape)))

    save("crossed", [matrices("a", 2, 1, 2, 2), matrices("b", 1, 2, 2, 2), node("MatMul", ["a", "b"], ["c"], name="the_product"),
                     node("Add", ["image", "c"], ["d"]), node("MatMul", ["d", "w.weight"], ["scores"])],
         [weight("w.weight", 2, 2)], ["batch", 2, 2, 2, 2], ["batch", 2, 2, 2, 2])
    save("hollow", [matrices("a", 1 << 20, 1 << 20, 0, 5), matrices("b", 5, 1), node("MatMul", ["a", "b"], ["c"]),
                    node("Relu", ["image"], ["scores"])], [], ["batch", 4], ["batch", 4])
    save("axes", [node("Cast", ["image"], ["a"], to=TensorProto.FLOAT),
                  node("ReduceSum", ["a", "image"], ["scores"], name="the_sum", noop_with_empty_axes=1)], [], ["batch"], ["batch"],
         of=TensorProto.INT64)
    save("cubes", [node("LpNormalization", ["image"], ["scores"], name="the_length", p=3)], [], ["batch", 4], ["batch", 4])
    save("wider", [node("Mul", ["image", "image"], ["a"]), node("ReduceSum", ["a", "last"], ["b"]), node("Sqrt", ["b"], ["c"]),
                   node("Clip", ["c", "least"], ["d"]), node("Expand", ["d", "three"], ["e"]), node("Div", ["image", "e"], ["scores"])],
         [whole("last", 2), numpy_helper.from_array(numpy.float32(1e-6), "least"), whole("three", 1, 3, 5)],
         ["batch", 1, 5], ["batch", 3, 5])
    save("tied", [node("Gather", ["shared.weight", "image"], ["a"], name="/encoder/embed/Gather"), node("Tanh", ["a"], ["b"]),
                  node("Gather", ["shared.weight", "image"], ["c"], name="/decoder/embed/Gather"),
                  node("Add", ["b", "c"], ["scores"])], [weight("shared.weight", 9, 4)], ["batch", 3], ["batch", 3, 4],
         of=TensorProto.INT64)


def near():
    """Nodes that are nearly what another model has, each in a model of its own."""
    node = helper.make_node

    def numbers(name, v, of=numpy.float32):
        return numpy_helper.from_array(numpy.array(v, of), name)

    def whole(name, *v):
        return numbers(name, v, numpy.int64)

    def gemms(name, first, second):
        save(name, [node("Gemm", ["image", "w", "c"], ["a"], name=first), node("Relu", ["a"], ["b"]),
                    node("Gemm", ["b", "w", "c"], ["scores"], name=second)], [weight("w", 4, 4), weight("c", 4)],
             ["batch", 4], ["batch", 4])

    for name, axes in (("across", 1), ("padding", 2)):
        save(name, [node("Equal", ["image", "two"], ["a"]), node("Unsqueeze", ["a", "axes"], ["b"]), node("Gather", ["w", "image"], ["c"]),
                    node("Where", ["b", "zero", "c"], ["scores"])],
             [numbers("two", 2, numpy.int64), numbers("zero", 0), whole("axes", axes), weight("w", 5, 4)],
             ["batch", 4], ["batch", 4, 4], of=TensorProto.INT64)
    save("askew", [node("Equal", ["image", "two"], ["a"]), node("Gather", ["w", "image"], ["c"]),
                   node("Where", ["a", "zero", "c"], ["scores"], name="the_choice")],
         [numbers("two", 2, numpy.int64), numbers("zero", 0), weight("w", 5, 4)], ["batch", 4], ["batch", 4, 4], of=TensorProto.INT64)
    gemms("copies", "/conv_1/Gemm", "/conv_2/Gemm")
    gemms("again", "/tower/fc/Gemm", "/tower_1/fc_1/Gemm")
    mask = numpy.zeros((65, 64))
    mask[64, 1:] = -numpy.inf
    save("late", [node("MatMul", ["image", "w"], ["a"]), node("Add", ["a", "mask"], ["b"]), node("Softmax", ["b"], ["c"], axis=-1),
                  node("Mul", ["c", "c"], ["scores"])], [weight("w", 2, 64), numbers("mask", mask)], ["batch", 65, 2], ["batch", 65, 64])
    for name, last in (("endless", numpy.inf), ("nothing", numpy.nan)):
        save(name, [node("MatMul", ["image", "w"], ["a"]), node("Add", ["a", "bias"], ["b"], name="the_sum"), node("Sigmoid", ["b"], ["scores"])],
             [weight("w", 4, 4), numbers("bias", [0, 1, 2, last])], ["batch", 4], ["batch", 4])
    save("filters", [node("Conv", ["image", "w", "bias"], ["scores"], name="the_conv")],
         [weight("w", 2, 3, 1, 1), numbers("bias", [0, numpy.inf])], ["batch", 3, 4, 4], ["batch", 2, 4, 4])
    save("tokens", [node("Div", ["image", "two"], ["a"]), node("Cast", ["a"], ["b"], to=TensorProto.FLOAT),
                    node("Unsqueeze", ["b", "axes"], ["c"]), node("Gather", ["w", "image"], ["d"]), node("Mul", ["d", "c"], ["scores"])],
         [numbers("two", 2, numpy.int64), whole("axes", 2), weight("w", 5, 4)], ["batch", 3], ["batch", 3, 4], of=TensorProto.INT64)
    save("quotient", [node("Cast", ["image"], ["a"], to=TensorProto.INT64), node("Div", ["a", "two"], ["b"]),
                      node("Cast", ["b"], ["scores"], to=TensorProto.FLOAT)], [numbers("two", 2, numpy.int64)], ["batch", 4], ["batch", 4])


def beside(name, location):
    """residual.onnx with its weights in a file of their own."""
    model = onnx.load(os.path.join(here, "residual.onnx"))
    at = 0
    for t in model.graph.initializer:
        size = len(t.raw_data)
        t.ClearField("raw_data")
        t.data_location = TensorProto.EXTERNAL
        for key, value in (("location", location), ("offset", at), ("length", size)):
            t.external_data.add(key=key, value=str(value))
        at += size
    with open(os.path.join(here, name + ".onnx"), "wb") as f:
        f.write(model.SerializeToString())
    with open(os.path.join(here, "beside.data"), "wb") as f:
        for t in onnx.load(os.path.join(here, "residual.onnx")).graph.initializer:
            f.write(t.raw_data)


def large(size):
    """The beginning of a file of one product of a square matrix of zeros, which end it and are left out."""
    def field(number, value, more=0):
        n, length = len(value) + more, b""
        while n > 127:
            length, n = length + bytes([n & 127 | 128]), n >> 7
        return bytes([number << 3 | 2]) + length + bytes([n]) + value

    graph = helper.make_graph([helper.make_node("MatMul", ["image", "a.weight"], ["scores"])], "large",
                              [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", size])],
                              [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["batch", size])])
    zeros = 4 * size * size
    matrix = TensorProto(dims=[size, size], data_type=TensorProto.FLOAT, name="a.weight").SerializeToString()
    matrix += field(9, b"", zeros)
    model = helper.make_model(onnx.GraphProto(name="large"), opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    model.ClearField("graph")
    with open(os.path.join(here, "large.head"), "wb") as f:
        f.write(model.SerializeToString() + field(7, graph.SerializeToString() + field(5, matrix, zeros), zeros))


def turned():
    """Matrices that lie the other way round, of no round sizes: each number is its place, in float32 and float16."""
    a = numpy.arange(70 * 45, dtype=numpy.float32).reshape(70, 45)
    b = numpy.arange(45 * 38, dtype=numpy.float16).reshape(45, 38)
    save("turned", [helper.make_node("MatMul", ["image", "a.weight"], ["y"]), helper.make_node("Cast", ["b.weight"], ["b"], to=TensorProto.FLOAT),
                    helper.make_node("MatMul", ["y", "b"], ["scores"])],
         [numpy_helper.from_array(a, "a.weight"), numpy_helper.from_array(b, "b.weight")], ["batch", 70], ["batch", 38])


def numbered():
    """Tokens that look rows up, and twice each as a number beside these."""
    axes = numpy_helper.from_array(numpy.array([2], numpy.int64), "axes")
    save("numbered", [helper.make_node("Gather", ["table.weight", "image"], ["rows"]), helper.make_node("Add", ["image", "image"], ["twice"]),
                      helper.make_node("Cast", ["twice"], ["real"], to=TensorProto.FLOAT),
                      helper.make_node("Unsqueeze", ["real", "axes"], ["column"]), helper.make_node("Add", ["rows", "column"], ["scores"])],
         [weight("table.weight", 5, 4), axes], ["batch", 3], ["batch", 3, 4], of=TensorProto.INT64)


def two_branches(name, other, second):
    """Two blocks of two branches: a convolution of 3x3, one of 1x1. In the SECOND their nodes stand in another order."""
    nodes, weights, x, channels = [], [], "image", 3
    for i, width in enumerate((4, 8)):
        p = f"stage.{i}"
        weights += [weight(f"{p}.wide.weight", width, channels, 3, 3), weight(f"{p}.flat.weight", width, channels, 1, 1)]
        wide = [helper.make_node("Conv", [x, f"{p}.wide.weight"], [f"a{i}"], pads=[1, 1, 1, 1]), helper.make_node("Relu", [f"a{i}"], [f"b{i}"])]
        flat = [helper.make_node("Conv", [x, f"{p}.flat.weight"], [f"c{i}"]), helper.make_node(other, [f"c{i}"], [f"d{i}"])]
        both = [f"b{i}", f"d{i}"]
        nodes += second(wide, flat) if i else wide + flat
        nodes += [helper.make_node("Add", both if other != "Relu" else sorted(both, reverse=i == 1), [f"e{i}"]), helper.make_node("Relu", [f"e{i}"], [f"f{i}"])]
        x, channels = f"f{i}", width
    weights += [weight("head.weight", 8, 10)]
    nodes += [helper.make_node("GlobalAveragePool", [x], ["g"]), helper.make_node("Flatten", ["g"], ["h"]),
              helper.make_node("MatMul", ["h", "head.weight"], ["scores"])]
    save(name, nodes, weights, ["batch", 3, 8, 8], ["batch", 10])


def spread():
    """Constant indices that are spread over the batch, of what has it behind: each sample's are looked up in all samples."""
    ints = [("i", [[1, 2]]), ("two", [2])]
    save("spread", [helper.make_node("Transpose", ["image"], ["t"], perm=[1, 2, 0]), helper.make_node("Shape", ["image"], ["s"], start=0, end=1),
                    helper.make_node("Concat", ["s", "two"], ["to"], axis=0), helper.make_node("Expand", ["i", "to"], ["at"]),
                    helper.make_node("GatherND", ["t", "at"], ["scores"], name="the_lookup")],
         [numpy_helper.from_array(numpy.array(v, numpy.int64), n) for n, v in ints], ["batch", 3, 4], ["batch", "batch"])


def folded():
    """As PyTorch's exporters write layers that have no bias. Batch normalisation behind the first two is in their weights: one
    exporter notes the rule by which, of the other only the names tell. The third is as it was, but for a bias of zeros."""
    def convolution(i, x, weights, out):
        return helper.make_node("Conv", [x, *weights], [out], name=f"conv_{i}")
    nodes = [convolution(0, "image", ["0.weight", "0.weight_bias"], "a"), convolution(1, "a", ["onnx::Conv_8", "onnx::Conv_9"], "b"),
             helper.make_node("Expand", ["zero", "four"], ["zeros"]), convolution(2, "b", ["2.weight", "zeros"], "c"),
             helper.make_node("GlobalAveragePool", ["c"], ["d"]), helper.make_node("Flatten", ["d"], ["scores"])]
    entry = nodes[0].metadata_props.add()
    entry.key, entry.value = "pkg.onnxscript.rewriter.rule_name", "RemoveOptionalBiasFromConv, FuseBatchNormIntoConv"
    save("folded", nodes, [weight("0.weight", 4, 3, 1, 1), weight("0.weight_bias", 4), weight("onnx::Conv_8", 4, 4, 1, 1),
                           weight("onnx::Conv_9", 4), weight("2.weight", 4, 4, 1, 1), numpy_helper.from_array(numpy.float32(0), "zero"),
                           numpy_helper.from_array(numpy.array([4], numpy.int64), "four")], ["batch", 3, 8, 8], ["batch", 4])


residual()
unknown()
chain("merged", numpy_helper.from_array(numpy.zeros(5, numpy.float32), "bias"))
chain("shared", weight("bias", 5))
middle("middle", [("b", ["batch", 4, 6, 6])])
middle("unsaid", [])
beside("beside", "beside.data")
beside("outside", "../beside.data")
large(16384)
standing()
parts("parts_below", 6, -2, 2)
parts("parts_beyond", 1, 2**62, 2**63 - 1)
parts("parts_few", 2, 2)
one_number()
framed()
frames()
scaled_bias()
filled()
biased()
in_turn()
odd()
near()
turned()
numbered()
two_branches("mixed", "Sigmoid", lambda wide, flat: [wide[0], flat[0], wide[1], flat[1]])
two_branches("swapped", "Relu", lambda wide, flat: flat + wide)
spread()
unpooled("unpooled", [2, 3], [2, 3], [helper.make_node("Relu", ["d"], ["scores"])])
unpooled("overlapping", [2, 2], [1, 1], [helper.make_node("Relu", ["d"], ["scores"])])
unpooled("places", [2, 2], [2, 2], [helper.make_node("Cast", ["places"], ["e"], to=TensorProto.FLOAT),
                                   helper.make_node("Mul", ["d", "w"], ["scores"])])
unpooled("given", [2, 2], [2, 2], [helper.make_node("Relu", ["d"], ["scores"])],
         [helper.make_tensor_value_info("places", TensorProto.INT64, ["batch", 3, 3, 3])])
folded()
