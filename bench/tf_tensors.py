#!/usr/bin/env python3
"""Holds `stowage plan --as tf` against TensorFlow: the tensors of a training step of Keras' models. No GPU.

    bench/tf_tensors.py [--stowage PROGRAM] [NAME...]    # with a Python that has tensorflow and tf-keras

Each model is built by tf-keras, imported by stowage from its JSON, and trained three steps by SGD in a graph of its
own on one thread of the CPU, whose allocator is TensorFlow's (BFC). TensorFlow traces the third: what each operation
asks the allocator for, and when that is freed. What an operation has only while it runs is left out, since a GPU's
libraries take other workspaces; what remains, beside variables and inputs, are the tensors, of which the most bytes
alive at one time are printed. Beside them stand what a forecast has at least, and as tensors.
"""
import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile

os.environ.update(TF_CPU_ALLOCATOR_USE_BFC="true", TF_CPU_BFC_MEM_LIMIT_IN_MB="14000", CUDA_VISIBLE_DEVICES="",
                  TF_CPP_MIN_LOG_LEVEL="3", TF_USE_LEGACY_KERAS="1", TF_ENABLE_ONEDNN_OPTS="0")
TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
import numpy as np
import tensorflow as tf
import tf_keras as keras
from tf_keras import applications, layers as L

v1 = tf.compat.v1


def application(name, size=96, classes=100):
    return lambda: getattr(applications, name)(weights=None, input_shape=(size, size, 3), classes=classes,
                                               classifier_activation=None)


def lenet():
    return keras.Sequential([
        L.Input((28, 28, 1)), L.Conv2D(6, 5, padding="same", activation="relu"), L.MaxPooling2D(),
        L.Conv2D(16, 5, activation="relu"), L.MaxPooling2D(), L.Flatten(), L.Dense(120, activation="relu"),
        L.Dense(84, activation="relu"), L.Dense(10)])


def mlp():
    return keras.Sequential([L.Input((64,)), L.Dense(256, activation="relu"), L.Dense(256, activation="tanh"),
                             L.Dense(256, activation="sigmoid"), L.Dense(10)])


def plain():
    x = i = L.Input((32, 32, 3))
    for _ in range(8):
        x = L.ReLU()(L.BatchNormalization()(L.Conv2D(32, 3, padding="same", use_bias=False)(x)))
    return keras.Model(i, L.Dense(10)(L.GlobalAveragePooling2D()(x)))


def twice(x, channels):
    for _ in range(2):
        x = L.Conv2D(channels, 3, padding="same", activation="relu")(x)
    return x


def unet():
    x = i = L.Input((128, 128, 1))
    skips = []
    for c in (32, 64, 128):
        x = twice(x, c)
        skips.append(x)
        x = L.MaxPooling2D()(x)
    x = twice(x, 256)
    for c in (128, 64, 32):
        x = twice(L.Concatenate()([skips.pop(), L.Conv2DTranspose(c, 2, strides=2)(x)]), c)
    return keras.Model(i, L.Conv2D(2, 1)(x))


def encoder(activation="gelu", dropout=0):
    i = L.Input((128,), dtype="int32")
    x = L.Embedding(2000, 128)(i)
    for _ in range(3):
        a = L.MultiHeadAttention(4, 32, dropout=dropout)(x, x)
        x = L.LayerNormalization()(L.Add()([x, L.Dropout(dropout)(a) if dropout else a]))
        h = L.Dense(128)(L.Dense(512, activation=activation)(x))
        x = L.LayerNormalization()(L.Add()([x, L.Dropout(dropout)(h) if dropout else h]))
    return keras.Model(i, L.Dense(10)(L.GlobalAveragePooling1D()(x)))


MODELS = {      # the model, and its batch
    "plain": (plain, 32), "lenet": (lenet, 64), "mlp": (mlp, 1024), "unet": (unet, 2),
    "VGG16": (application("VGG16"), 8), "ResNet50": (application("ResNet50"), 8),
    "ResNet50V2": (application("ResNet50V2"), 8), "MobileNetV2": (application("MobileNetV2"), 8),
    "DenseNet121": (application("DenseNet121"), 8), "InceptionV3": (application("InceptionV3"), 8),
    "Xception": (application("Xception"), 8), "EfficientNetB0": (application("EfficientNetB0"), 8),
    "encoder": (encoder, 16), "encoder_dropout": (lambda: encoder("relu", 0.1), 16),
}


def traced(make, batch):
    """The model, the nodes of a step with what each asked for, and bytes of variables and inputs."""
    keras.backend.set_learning_phase(1)
    model = make()
    x = v1.placeholder(model.inputs[0].dtype, (batch, *model.input_shape[1:]))
    y = v1.placeholder(tf.int32, (batch, *model.output_shape[1:-1]))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)(y, model(x, training=True))
    update = v1.train.GradientDescentOptimizer(0.001).minimize(loss, var_list=model.trainable_weights)
    feed = {p: np.zeros(p.shape, p.dtype.as_numpy_dtype) for p in (x, y)}
    config = v1.ConfigProto(inter_op_parallelism_threads=1, intra_op_parallelism_threads=1)
    with v1.Session(config=config) as session:
        session.run(v1.global_variables_initializer())
        for _ in range(2):
            session.run(update, feed)
        run = v1.RunMetadata()
        session.run(update, feed, options=v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE), run_metadata=run)
    whole = sum(4 * math.prod(t.shape.as_list()) for t in (*model.weights, x, y))
    return model, [node for device in run.step_stats.dev_stats for node in device.node_stats], whole


def of_outputs(node):
    """(time, bytes) of what the node's outputs took, and gave back; an output outlives what it was made with."""
    outputs = [o.tensor_description.allocation_description for o in node.output]
    for memory in node.memory:
        taken = [(r.alloc_micros, r.alloc_bytes) for r in memory.allocation_records if r.alloc_bytes > 0]
        freed = sorted(((r.alloc_micros, -r.alloc_bytes) for r in memory.allocation_records if r.alloc_bytes < 0),
                       reverse=True)
        for output in outputs:
            begin = next((t for t in taken if t[1] == output.allocated_bytes), None)
            if begin is None:       # a view, or what ran over an input
                continue
            taken.remove(begin)
            end = next((t for t in freed if t[1] == begin[1]), None)
            yield begin[0], output.requested_bytes
            if end:
                freed.remove(end)
                yield end[0], -output.requested_bytes


def most(events):
    live = peak = 0
    for _, size in sorted(events):
        live += size
        peak = max(peak, live)
    return peak


def forecast(stowage, model, batch):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.json")
        with open(path, "w") as f:
            f.write(model.to_json())
        done = subprocess.run([stowage, "import", path], check=True, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
    spec = re.sub(r"\ntrain\s*\{.*?\n\}", "", done.stdout, flags=re.S)
    spec += f"\ntrain {{ batch {batch} optimizer sgd(lr=0.001) data synthetic(64) }}\n"
    done = subprocess.run([stowage, "plan", "--as=tf", "--format=json", "-"], input=spec, text=True, check=True,
                          stdout=subprocess.PIPE)
    found = json.loads(done.stdout)["forecasts"][0]
    return found["low_bytes"], found["tensor_bytes"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--stowage", default=os.environ.get("STOWAGE", os.path.join(TOP, "stowage")))
    parser.add_argument("names", nargs="*", default=list(MODELS))
    args = parser.parse_args()
    print(f"TensorFlow {tf.__version__}, tf-keras {keras.__version__}; bytes\n")
    print(f"{'model, batch':24}{'TensorFlow':>14}{'at least':>14}{'tensors':>14}")
    failed = 0
    for name in args.names:
        make, batch = MODELS[name]
        with tf.Graph().as_default():
            model, nodes, whole = traced(make, batch)
            theirs = whole + most([e for node in nodes for e in of_outputs(node)])
        low, tensors = forecast(args.stowage, model, batch)
        failed += low > theirs
        print(f"{name + ', ' + str(batch):24}{theirs:14,}{low:14,}{tensors:14,}"
              f"{'  too high' if low > theirs else ''}", flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
