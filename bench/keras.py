#!/usr/bin/env python3
"""Holds the costs of locally-connected layers in Keras (src/frameworks/keras_local.h) against the graphs that
tf-keras and TensorFlow build for them, forward and gradients. No GPU; nothing is run, unless it is asked for.

    bench/keras.py [--stowage PROGRAM]      # with a Python that has tensorflow and tf-keras
    bench/keras.py --largest                # trains, for a minute or two

For each shape and implementation the operations that make a tensor are summed up as graph mode would
have them in memory: reshapes, reads of variables and what only initialises them are views or not of
the step. What `stowage plan --as keras1` and `--as keras2` add for the layer must be that: slices and
their gradients (1), or the masked weight in its four forms, the optimizer's state and the mask (2). For
implementation 3, of which there is no forecast, the design's bound is printed beside the graph's sum.

--largest trains two updates of Adam with implementation 1, one thread, and TensorFlow's allocator held to so many MiB
(BFC, which its CPU has too): at the largest batch that `stowage lint` names, and at one more.
"""
import argparse
import json
import math
import os
import re
import subprocess
import sys

os.environ.update(CUDA_VISIBLE_DEVICES="", TF_CPP_MIN_LOG_LEVEL="3", TF_USE_LEGACY_KERAS="1")
TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
# batch, height, width, channels, filters, kernel
SHAPES = [(32, 1, 50, 4, 1, (1, 1)), (3, 1, 40, 4, 2, (1, 1)), (2, 6, 5, 3, 2, (2, 3)),
          (5, 8, 8, 2, 4, (3, 3))]
# positions, channels, MiB
ROOMS = [(219, 8, 2247), (219, 8, 600), (60, 16, 300), (100, 4, 500), (150, 3, 777), (40, 32, 256)]
# By implementation: operations of the forward pass and of the gradients that make tensors of it.
MAKERS = {
    1: ({"StridedSlice", "ConcatV2", "BatchMatMulV2", "Transpose"}, {"StridedSliceGrad"}),
    2: ({"Mul", "Const"}, {"MatMul", "Mul"}),
    3: (set(), {"GatherV2", "Mul"}),
}
SLOTS = 2       # Adam
GRAIN = 256     # each slice's gradient may be rounded up to so much


def operations(tf, keras, implementation, batch, height, width, channels, filters, kernel):
    """Of the layer and its gradients: (type, bytes, in the gradients?, shape)."""
    with tf.Graph().as_default() as graph:
        layer = keras.layers.LocallyConnected2D(filters, kernel, implementation=implementation)
        x = tf.compat.v1.placeholder(tf.float32, [batch, height, width, channels])
        layer.build(x.shape)
        before = set(graph.get_operations())
        x = tf.identity(x)
        y = layer(x)
        wanted = [g.op for g in tf.gradients(y, [x, *layer.trainable_weights], name="back")]
        wanted, needed = [*wanted, y.op], set()
        while wanted:       # the session prunes the rest, such as the gradient of the mask
            op = wanted.pop()
            if op not in needed:
                needed.add(op)
                wanted += [i.op for i in op.inputs]
        for op in graph.get_operations():
            for out in op.outputs if op in needed - before else ():
                if out.dtype == tf.float32 and out.shape.is_fully_defined():
                    yield (op.type, 4 * math.prod(out.shape.as_list()),
                           op.name.startswith("back"), out.shape.as_list())


def graph_bytes(found, implementation, whole):
    forward, back = MAKERS[implementation]
    return sum(size for kind, size, late, shape in found
               if kind in (back if late else forward) and (implementation == 1 or size >= whole))


def forecast(stowage, framework, batch, height, width, channels, filters, kernel):
    spec = (f"network n {{ input x : f32[{channels}, {height}, {width}] target t : f32[1]\n"
            f"  y = x -> scaled: conv({channels}, 1) -> local({filters}, {kernel[0], kernel[1]})"
            " -> flatten -> dense(1)\n  loss mse(y, t) }\n"
            f"train {{ batch {batch} optimizer adam() data synthetic(64) }}\n")
    done = subprocess.run([stowage, "plan", f"--as={framework}", "--format=json", "-"], input=spec,
                          text=True, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)["forecasts"][0]["unrolled_bytes"]


def largest(stowage, positions, channels, mebibytes):
    spec = (f"network n {{ input x : f32[1, {positions + 1}, 1] target t : f32[1]\n"
            f"  y = x -> conv({channels}, (2, 1)) -> local(1, (1, 1)) -> flatten -> dense(1)\n  loss mse(y, t) }}\n"
            f"train {{ batch 1000000 optimizer adam() data synthetic(64) }}\ndevice {{ memory {mebibytes}MiB }}\n")
    done = subprocess.run([stowage, "lint", "-"], input=spec, text=True, stdout=subprocess.PIPE)
    return int(re.search(r"largest batch there is (\d+)", done.stdout)[1])


def train(positions, channels, batch):
    """In a process of its own: the allocator keeps its regions. 1: TensorFlow ran out of memory."""
    import numpy as np
    import tensorflow as tf
    import tf_keras as keras
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, positions + 1, 1, 1])
        t = v1.placeholder(tf.float32, [None, 1])
        model = keras.Sequential([
            keras.layers.Conv2D(channels, (2, 1), input_shape=(positions + 1, 1, 1)),
            keras.layers.LocallyConnected2D(1, (1, 1), implementation=1),
            keras.layers.Flatten(), keras.layers.Dense(1)])
        update = v1.train.AdamOptimizer().minimize(tf.reduce_mean((model(x) - t) ** 2),
                                                   var_list=model.trainable_weights)
        config = v1.ConfigProto(inter_op_parallelism_threads=1, intra_op_parallelism_threads=1)
        with v1.Session(config=config) as session:
            session.run(v1.global_variables_initializer())
            try:
                for _ in range(2):
                    session.run(update, {x: np.zeros([batch, positions + 1, 1, 1], "f"),
                                         t: np.zeros([batch, 1], "f")})
            except tf.errors.ResourceExhaustedError:
                return 1
    return 0


def check_largest(stowage):
    print(f"{'positions, channels, MiB':28}{'largest':>9}{'trains':>10}{'one more':>12}")
    failed = 0
    for positions, channels, mebibytes in ROOMS:
        batch = largest(stowage, positions, channels, mebibytes)
        env = dict(os.environ, TF_CPU_ALLOCATOR_USE_BFC="true", TF_CPU_BFC_MEM_LIMIT_IN_MB=str(mebibytes))
        ends = [subprocess.run([sys.executable, __file__, "--train", *map(str, (positions, channels, b))],
                               env=env, stderr=subprocess.DEVNULL).returncode for b in (batch, batch + 1)]
        failed += ends[0] != 0
        words = ["yes" if end == 0 else "no" if end == 1 else "failed" for end in ends]
        print(f"{str((positions, channels, mebibytes)):28}{batch:9}{words[0]:>10}{words[1]:>12}", flush=True)
    return failed > 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--stowage", default=os.environ.get("STOWAGE", os.path.join(TOP, "stowage")))
    parser.add_argument("--largest", action="store_true")
    parser.add_argument("--train", type=int, nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    stowage = args.stowage
    if args.train:
        return train(*args.train)
    if args.largest:
        return check_largest(stowage)
    import tensorflow as tf
    import tf_keras as keras
    print(f"TensorFlow {tf.__version__}, tf-keras {keras.__version__}; bytes\n")
    print(f"{'batch, H, W, C, F, kernel':32}{'impl.':>6}{'graph':>14}{'forecast':>14}")
    failed = 0
    for shape in SHAPES:
        batch, height, width, channels, filters, (kh, kw) = shape
        n = (height - kh + 1) * (width - kw + 1)
        for implementation in (1, 2, 3):
            found = list(operations(tf, keras, implementation, *shape))
            if implementation == 1:
                theirs = graph_bytes(found, 1, 0) + n * GRAIN
                ours = forecast(stowage, "keras1", *shape)
            elif implementation == 2:
                weight = 4 * height * width * channels * n * filters
                theirs = graph_bytes(found, 2, 4 * height * width * n) + (1 + SLOTS) * weight \
                    + n * GRAIN
                ours = forecast(stowage, "keras2", *shape)
            else:
                nnz = n * kh * kw * channels * filters
                theirs = graph_bytes(found, 3, 4 * nnz * batch)
                ours = 12 * nnz * batch
            good = theirs <= ours if implementation == 3 else theirs == ours
            failed += not good
            print(f"{str(shape):32}{implementation:6}{theirs:14,}{ours:14,}"
                  f"{'' if good else '  differs'}", flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
