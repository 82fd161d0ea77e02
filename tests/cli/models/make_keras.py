#!/usr/bin/env python3
"""Makes the Keras models beside it, with tf-keras (2), keras (3) and h5py: small networks, weights from a fixed seed."""
import json
import os
import zipfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import h5py
import keras
import numpy
import tf_keras

here = os.path.dirname(os.path.abspath(__file__))


def path(name):
    return os.path.join(here, name)


def save(name, model):
    with open(path(name), "w") as f:
        json.dump(json.loads(model.to_json()), f, indent=1, sort_keys=True)
        f.write("\n")


def residual(k):
    """Two blocks that differ in width, a frame that a convolution takes, numbers as operands; counted in keras.test."""
    x = image = k.layers.Input((8, 8, 3), name="image")
    for i, width in enumerate((4, 8)):
        y = k.layers.ZeroPadding2D(((0, 1), (0, 1)), name=f"block{i}_pad")(x)
        y = k.layers.Conv2D(width, 3, strides=2, use_bias=False, name=f"block{i}_conv1")(y)
        y = k.layers.BatchNormalization(name=f"block{i}_norm")(y)
        y = k.layers.Activation("relu", name=f"block{i}_relu")(y)
        y = k.layers.SeparableConv2D(width, 3, padding="same", name=f"block{i}_conv2")(y)
        z = k.layers.Conv2D(width, 1, strides=2, name=f"block{i}_skip")(x)
        x = k.layers.Add(name=f"block{i}_add")([y, z])
    x = x * 2.0 + 1.0
    x = k.layers.Flatten()(x)
    return k.Model(image, k.layers.Dense(5, activation="softmax", name="head")(x))


def sequence(k):
    """Tokens, a recurrent layer each way, a model in a model."""
    inner = k.Sequential([k.layers.Input((6,)), k.layers.Dense(4, name="deep")], name="inner")
    return k.Sequential([k.layers.Input((7,), name="tokens"), k.layers.Embedding(11, 5, name="table"),
                         k.layers.Bidirectional(k.layers.LSTM(3), name="both"), inner], name="outer")


def tiny(k):
    image = k.layers.Input((2, 2, 3), name="image")
    x = k.layers.Conv2D(2, 1, name="conv")(image)
    model = k.Model(image, k.layers.Dense(2, name="head")(k.layers.Flatten()(x)))
    model.get_layer("conv").set_weights([numpy.arange(6.0).reshape(1, 1, 3, 2), numpy.array([10.0, 20.0])])
    model.get_layer("head").set_weights([numpy.arange(16.0).reshape(8, 2), numpy.array([1.0, 2.0])])
    return model


def stored(name, k):
    """Without the date, which would change each time."""
    tiny(k).save(path("new.keras"))
    with zipfile.ZipFile(path("new.keras")) as old, zipfile.ZipFile(path(name), "w") as new:
        for member in ("config.json", "model.weights.h5"):
            new.writestr(zipfile.ZipInfo(member), old.read(member))
        new.writestr(zipfile.ZipInfo("metadata.json"), json.dumps({"keras_version": "2.15.0" if k is tf_keras else "3.0.0"}))
    os.remove(path("new.keras"))


save("residual2.json", residual(tf_keras))
save("residual3.json", residual(keras))
save("sequence2.json", sequence(tf_keras))
save("sequence3.json", sequence(keras))

stored("tiny2.keras", tf_keras)
stored("tiny3.keras", keras)
tiny(tf_keras).save(path("tiny2.h5"))
# not the one: numbers of another shape, and numbers of another file
with h5py.File(path("tiny2.h5")) as f:
    config = f.attrs["model_config"]
for name in ("shape.h5", "linked.h5"):
    with h5py.File(path(name), "w") as f:
        f.attrs["model_config"] = config
        for layer, weights in (("conv", ((1, 1, 3, 2), (2,))), ("head", ((8, 2), (2,)))):
            group = f.create_group(f"model_weights/{layer}")
            group.attrs["weight_names"] = [b"kernel:0", b"bias:0"]
            for word, shape in zip(("kernel:0", "bias:0"), weights):
                if layer == "head" and word == "kernel:0":
                    if name == "linked.h5":
                        group[word] = h5py.ExternalLink("tiny2.h5", "/model_weights/head/head/kernel:0")
                        continue
                    shape = (4, 4)
                group[word] = numpy.zeros(shape, numpy.float32)
# a megabyte of which 80 are made
with zipfile.ZipFile(path("bomb.keras"), "w", zipfile.ZIP_DEFLATED) as f:
    f.writestr(zipfile.ZipInfo("config.json"), b" " * (80 << 20), zipfile.ZIP_DEFLATED, 9)
