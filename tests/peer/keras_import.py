"""Models of keras.applications and of Keras' layers, begun at random: imported, they have Keras' parameters, trained and
not, and built for C its outputs.

    keras_import.py FOLDER [NAME...]    reports in TAP; without names, one model of each family, the layers, and the
                                        counts of every model that both versions have
    keras_import.py FOLDER all2         outputs of every model of Keras 2, which takes hours; all2:ResNet50 of one; all3

Keras 2 is tf_keras, Keras 3 keras. Images are small, so that this takes minutes: no size is in a weight.
"""
import inspect
import os
import re
import shutil
import subprocess
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy
import tf_keras

import tap
from inference import computed
from tap import result

work = sys.argv[1]
stowage = os.environ["STOWAGE"]
random = numpy.random.RandomState(5)

# a model of each family, and what its images are
FAMILIES = {
    "ConvNeXtTiny": 64, "DenseNet121": 64, "EfficientNetB0": 64, "EfficientNetV2B0": 64, "EfficientNetV2S": 64,
    "InceptionResNetV2": 96, "InceptionV3": 96, "MobileNet": 64, "MobileNetV2": 64, "MobileNetV3Large": 64,
    "MobileNetV3Small": 64, "NASNetMobile": 64, "RegNetX002": 64, "RegNetY002": 64, "ResNet50": 64, "ResNet50V2": 64,
    "ResNetRS50": 64, "VGG16": 32, "Xception": 96,
}
# so deep that more makes Keras' own outputs chaotic: 1e-6 of the input moves them by half
GAIN = {"EfficientNetV2S": 0.3, "EfficientNetV2M": 0.3, "EfficientNetV2L": 0.3, "ResNetRS152": 0.5, "ResNetRS200": 0.5, "ResNetRS270": 0.5,
        "ResNetRS350": 0.5, "ResNetRS420": 0.5}
MOST_LINES = {"ResNet50": 60, "VGG16": 40}


def randomise(model, gain=1.5):
    """Weights that are not all alike, and leave what comes out of a sum about as large as what went in, times GAIN
    as a square."""
    for w in model.weights:
        shape, name = tuple(w.shape), w.name.split("/")[-1].split(":")[0]
        if name in ("moving_variance", "variance", "gamma"):
            value = random.uniform(0.5, 1.5, shape)
        elif len(shape) > 1:
            value = random.randn(*shape) * numpy.sqrt(gain / max(1, numpy.prod(shape[:-1])))
            if "depthwise" in name:
                value = random.randn(*shape) * numpy.sqrt(gain / numpy.prod(shape[:2]))
        elif "float" in str(w.dtype) and shape:
            value = 0.2 * random.randn(*shape)
        else:
            continue
        w.assign(value.astype(numpy.float32))
    for layer in model.layers if hasattr(model, "layers") else []:  # which computes with a copy
        if hasattr(layer, "finalize_state"):
            layer.finalize_state()


def counts(model):
    trained = sum(int(numpy.prod(w.shape)) for w in model.trainable_weights)
    return trained, model.count_params() - trained


def said(text, words):
    found = re.search(r"([\d,]+) " + words, text)
    return int(found.group(1).replace(",", "")) if found else 0


def run(*words, cwd=None):
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True)


def built(folder, spec, x):
    """The program of a spec on files of x, and what it says of them."""
    with open(spec) as f:
        text = f.read()
    shape = [int(d) for d in re.search(r"(?m)^ *input +\w+ *: *\w+\[([\d, ]*)", text).group(1).rstrip(", ").split(",")]
    numpy.save(folder + "/x.npy", x if list(x.shape[1:]) == shape else channels_first(x))
    target = re.search(r"(?m)^ *target +\w+ *: *(\w+)\[([^\]]*)\]", text)
    dims = [int(d) for d in target.group(2).split(",")]
    labels = numpy.zeros([len(x)] + dims[1:], numpy.int32) if target.group(1) == "class" else \
        numpy.zeros([len(x)] + dims, numpy.float32)
    numpy.save(folder + "/y.npy", labels)
    text = re.sub(r"(?m)^( *data +)synthetic.*$", r'\1npy("x.npy", "y.npy")', text)
    text = re.sub(r"(?m)^( *batch +)\d+", rf"\g<1>{len(x)}", text) + \
        f'\nvalidate {{ batch {len(x)}  data npy("x.npy", "y.npy") }}\n'
    with open(folder + "/net.nn", "w") as f:
        f.write(text)
    done = run(stowage, "emit", "--target", "c", "--threads", "2", "-o", folder + "/", folder + "/net.nn")
    if done.returncode != 0:
        return None, done.stderr
    source = [f for f in os.listdir(folder) if f.endswith(".c")][0]
    done = run(os.environ.get("CC", "cc"), "-std=gnu11", "-O1", "-march=native", "-fopenmp-simd", "-pthread", "-w", "-o",
               folder + "/net", os.path.join(folder, source), "-lm")
    if done.returncode != 0:
        return None, done.stderr
    done = run("./net", "--quiet", "--predict", "out.npy", "--weights", "w.safetensors", "--strict", cwd=folder)
    return (numpy.load(folder + "/out.npy") if done.returncode == 0 else None), done.stderr


def inferred(folder, spec, x):
    """The same of its program for inference, which is sooner compiled."""
    done = run(stowage, "emit", "--infer", "--target", "c", "-b", str(len(x)), "-o", folder + "/net.c", spec)
    if done.returncode != 0:
        return None, done.stderr
    done = run(os.environ.get("CC", "cc"), "-std=gnu11", "-O1", "-march=native", "-fopenmp-simd", "-pthread", "-w", "-o",
               folder + "/net", folder + "/net.c", "-lm")
    if done.returncode != 0:
        return None, done.stderr
    done = subprocess.run([folder + "/net", folder + "/w.safetensors"], input=channels_first(x).tobytes(), capture_output=True)
    return (numpy.frombuffer(done.stdout, numpy.float32) if done.returncode == 0 else None), done.stderr.decode()


def several(folder, spec, inputs):
    """The same of a network of several inputs."""
    shutil.copy(spec, folder + "/net.nn")
    with open(spec) as f:
        units = int(re.findall(r"dense\((\d+)\)", f.read())[-1])
    try:
        return computed(folder, inputs, len(inputs[0]) * inputs[-1].shape[1] * units), ""
    except (subprocess.CalledProcessError, RuntimeError) as e:
        return None, str(getattr(e, "stderr", e))


def channels_first(x):
    return numpy.ascontiguousarray(numpy.moveaxis(x, -1, 1))


def check(name, model, x, file, unused=0, program=built):
    """UNUSED numbers are Keras' alone."""
    folder = os.path.join(work, name)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, file)
    model.save(path)
    want = numpy.array(model(x, training=False))
    done = run(stowage, "import", path, "-o", folder + "/import.nn", "-w", folder + "/w.safetensors")
    if done.returncode != 0:
        return result(False, f"{name} is imported", done.stderr)
    trained, kept = counts(model)
    ours = said(done.stderr, "parameters"), said(done.stderr, "frozen") + said(done.stderr, "running statistics")
    lines = len(open(folder + "/import.nn").readlines())
    linted = run(stowage, "fmt", "--check", folder + "/import.nn")
    got, more = program(folder, folder + "/import.nn", x)
    if got is None:
        return result(False, f"{name} is built", more)
    error = numpy.abs(got.reshape(want.shape) - want).max() / numpy.abs(want).max()
    spread = numpy.std(want) / numpy.abs(want).max()
    result(ours == (trained, kept - unused) and error < 1e-4 and linted.returncode == 0 and spread > 1e-3 and
           lines <= MOST_LINES.get(name.split("_")[0], 10 ** 6),
           f"{name}: {trained} and {kept} parameters, {lines} lines, outputs to {error:.1e}",
           f"ours {ours}\nspread {spread}\n{done.stderr}{linted.stderr}{more}")


def image_size(name):
    return 96 if re.match("Inception|Xception", name) else FAMILIES.get(name, 64)


def application(name, k=tf_keras, version=2, program=built):
    size = image_size(name)
    make = getattr(k.applications, name)
    more = {"minimalistic": False} if name.startswith("MobileNetV3") else {}
    if name == "MobileNet":
        more = {"dropout": 1e-3}
    model = make(weights=None, input_shape=(size, size, 3), classes=10, classifier_activation=None, **more)
    randomise(model, GAIN.get(name, 1.5))
    x = random.uniform(0, 255 if "ConvNeXt" in name or "Efficient" in name or "RegNet" in name or "RS" in name or
                       "V3" in name else 2, (2, size, size, 3)).astype(numpy.float32)
    # what nothing computes with: Normalization's number of samples
    unused = sum(1 for w in model.weights if w.name.split("/")[-1].startswith("count"))
    check(name if version == 2 else name + "_3", model, x, name + (".h5" if len(name) % 2 else ".keras"), unused, program)
    k.backend.clear_session()


def every(version, names):
    import keras
    k = tf_keras if version == 2 else keras
    for name in names or sorted(n for n in dir(k.applications) if inspect.isfunction(getattr(k.applications, n))):
        application(name, k, version, inferred)
        shutil.rmtree(os.path.join(work, name if version == 2 else name + "_3"), ignore_errors=True)


def counted(k, version, name):
    """As large as it is in Keras, by its configuration alone."""
    model = getattr(k.applications, name)(weights=None)
    path = os.path.join(work, f"{name}{version}.json")
    with open(path, "w") as f:
        f.write(model.to_json())
    unused = sum(1 for w in model.weights if w.name.split("/")[-1].startswith("count"))
    sizes = ["-D", "height=224", "-D", "width=224"] if model.input_shape[1] is None else []
    done = run(stowage, "import", path, "-o", path[:-5] + ".nn", *sizes)
    trained, kept = counts(model)
    ours = said(done.stderr, "parameters"), said(done.stderr, "frozen") + said(done.stderr, "running statistics")
    result(done.returncode == 0 and ours == (trained, kept - unused), f"{name} of Keras {version}: {trained} and {kept} parameters",
           f"ours {ours}\n{done.stderr}")
    k.backend.clear_session()


def every_count():
    import keras
    for k, version in ((tf_keras, 2), (keras, 3)):
        for name in sorted(n for n in dir(k.applications) if inspect.isfunction(getattr(k.applications, n))):
            counted(k, version, name)


def lines(k, l):
    yield "lines", (12, 5), [l.Conv1D(6, 3, padding="causal", dilation_rate=2), l.MaxPooling1D(2), l.ZeroPadding1D((2, 1)),
                             l.Conv1D(4, 3, strides=2), l.UpSampling1D(2), l.ZeroPadding1D((1, 0)), l.SeparableConv1D(6, 3, padding="same"),
                             l.Cropping1D((1, 0)), l.AveragePooling1D(2, 1, padding="same"), l.GlobalMaxPooling1D()]
    yield "places", (6, 5), [l.Dense(4), l.LayerNormalization(), l.TimeDistributed(l.Dense(6)), l.Permute((2, 1)),
                             l.Reshape((3, 12)), l.BatchNormalization(), l.Flatten(), l.RepeatVector(3), l.Flatten()]


    yield "flat", (3, 4, 5), [l.Flatten(data_format="channels_first"), l.Dense(12), l.Reshape((2, 3, 2)),
                              l.Flatten(data_format="channels_first"), l.BatchNormalization()]


def maps(k, l):
    yield "frames", (9, 8, 3), [l.ZeroPadding2D(((1, 2), (0, 1))), l.Conv2D(4, 3, strides=2, activation="relu"),
                                l.ZeroPadding2D(1), l.MaxPooling2D(3, 2), l.Conv2D(6, (1, 3), padding="same", dilation_rate=2),
                                l.UpSampling2D(2, interpolation="bilinear"), l.Cropping2D(((0, 1), (1, 0))), l.Flatten(),
                                l.Activation("tanh"), l.Dropout(0.2)]
    yield "groups", (8, 7, 4), [l.Conv2D(8, 3, groups=2), l.DepthwiseConv2D(3, depth_multiplier=2, padding="same", strides=2),
                                l.SeparableConv2D(6, 3, depth_multiplier=2), l.GroupNormalization(3), l.LeakyReLU(0.1),
                                l.AveragePooling2D(2, 1, padding="same"), l.BatchNormalization(scale=False),
                                l.BatchNormalization(center=False, scale=False), l.Flatten(), l.BatchNormalization()]
    yield "transposed", (4, 5, 3), [l.Conv2DTranspose(4, 4, strides=2, padding="same"), l.Conv2DTranspose(3, 3, strides=2),
                                    l.Conv2DTranspose(2, 2, strides=3, padding="valid"), l.SpatialDropout2D(0.3),
                                    l.Conv2DTranspose(4, 1, strides=2, padding="same"), l.GlobalAveragePooling2D()]
    yield "volumes", (5, 6, 7, 2), [l.Conv3D(4, 3, padding="same"), l.MaxPooling3D(2), l.Conv3D(3, 2), l.Flatten()]
    yield "channels", (6, 6, 3), [l.Rescaling([0.5, 2.0, 3.0], [0.0, 1.0, -1.0]), l.Dense(5), l.Softmax(),
                                  l.Conv2D(4, 3), l.LayerNormalization(axis=[1, 2, 3]), l.Dropout(0.2, noise_shape=(None, 1, 1, 4)),
                                  l.GlobalAveragePooling2D(keepdims=True), l.Flatten()]
    yield "slopes", (5, 4, 3), [l.Conv2D(4, 2), l.PReLU(shared_axes=[1, 2]), l.Conv2D(3, 2), l.PReLU(), l.Flatten(), l.Dense(6),
                                l.PReLU()]
    yield "kept", (5, 4, 3), [l.Normalization(), l.Conv2D(4, 2), l.GlobalMaxPooling2D()]
    for function in ("relu", "sigmoid", "tanh", "elu", "selu", "softplus", "softsign", "swish", "gelu", "exponential",
                     "hard_sigmoid", "mish", "leaky_relu", "relu6"):
        yield function, (7,), [l.Dense(5), l.Activation(function)]


def sequences(k, l):
    yield "lstm", (6, 5), [l.LSTM(4, return_sequences=True), l.LSTM(3)]
    yield "gru", (6, 5), [l.GRU(4, return_sequences=True), l.GRU(3, use_bias=False)]
    yield "gru1", (6, 5), [l.GRU(4, return_sequences=True, reset_after=False), l.Bidirectional(l.GRU(3, reset_after=False))]
    yield "rnn", (6, 5), [l.SimpleRNN(4, return_sequences=True), l.SimpleRNN(3)]
    yield "both", (6, 5), [l.Bidirectional(l.GRU(4, return_sequences=True)), l.Bidirectional(l.LSTM(3))]


def row(k, shape, layers):
    return k.Sequential([k.layers.Input(shape)] + layers + [k.layers.Dense(4, name="last")])


def tokens(k):
    l = k.layers
    return k.Sequential([l.Input((7,)), l.Embedding(11, 5), l.LSTM(4), l.Dense(3)])


def graph(k):
    """Operands, broadcasting, functions, a model in a model."""
    l = k.layers
    image = l.Input((6, 5, 4), name="image")
    a, b = l.Conv2D(4, 3, padding="same")(image), l.Conv2D(4, 1)(image)
    gate = l.Reshape((1, 1, 4))(l.Dense(4, activation="sigmoid")(l.GlobalAveragePooling2D()(a)))
    x = l.Concatenate()([l.Add()([a, b, image]), l.Multiply()([b, gate]), l.Average()([a, b]), l.Maximum()([a, image]),
                         l.Subtract()([a, b]), l.Minimum()([a, b])])
    x = 0.5 * x - 1.0
    x = x * x + x / 3.0 + (1.0 - x)
    x = l.Concatenate(axis=1)([x, x])
    inner_in = l.Input((12, 5, 24))
    y = l.Conv2D(3, 2, name="deep")(inner_in)
    inner = k.Model(inner_in, l.Add()([y, l.BatchNormalization()(y)]), name="inner")
    return k.Model(image, l.Dense(3)(l.Flatten()(l.ReLU(4.0)(inner(x)))))


def attention(k):
    """Of a sequence to itself, and to another."""
    l = k.layers
    x = l.Input((6, 5), name="x")
    y = l.LayerNormalization()(x)
    y = x + l.MultiHeadAttention(3, 4, name="own")(y, y, use_causal_mask=True)
    z = l.Dense(7, activation="gelu")(x)
    y = l.MultiHeadAttention(2, 3, use_bias=False)(y, z)
    return k.Model(x, l.Dense(3)(l.GlobalAveragePooling1D()(y)))


def shared(k):
    """Layers, and a model, that are used again."""
    l = k.layers
    x = l.Input((6, 5), name="x")
    a, b = l.Cropping1D((0, 3))(x), l.Cropping1D((3, 0))(x)
    dense, turn, norm = l.Dense(5, name="same"), l.LSTM(4, return_sequences=True, name="turn"), l.BatchNormalization(name="norm")
    a, b = norm(dense(dense(a))), norm(dense(b))
    a, b = turn(a), turn(b)
    inner_in = l.Input((3, 4))
    deep_in = l.Input((3, 4))
    deep = k.Model(deep_in, l.Conv1D(4, 2, padding="same", activation="relu", name="line")(deep_in), name="deep")
    y = deep(l.MultiHeadAttention(2, 3, name="own")(inner_in, inner_in))
    tower = k.Model(inner_in, l.LayerNormalization(name="even")(y), name="tower")
    a, b = tower(a), tower(b)
    return k.Model(x, l.Dense(3)(l.Flatten()(l.Subtract()([b, a]))))


def hidden_tokens(k):
    """Masks of an embedding: what they hide lies in front, between and behind."""
    l = k.layers
    def model(*layers):
        return k.Sequential([l.Input((7,)), l.Embedding(11, 5, mask_zero=True), *layers, l.Dense(3)])
    yield model(l.LSTM(4, return_sequences=True), l.Dropout(0.1), l.GRU(3))
    yield model(l.LSTM(4, return_sequences=True), l.Flatten())
    yield model(l.SimpleRNN(4, return_sequences=True, use_bias=False), l.LayerNormalization(), l.Dense(6, activation="relu"),
                l.GRU(4, reset_after=False, return_sequences=True), l.GlobalAveragePooling1D())
    yield model(l.Bidirectional(l.GRU(4, return_sequences=True)), l.Bidirectional(l.LSTM(3)))
    yield model(l.Bidirectional(l.LSTM(4, return_sequences=True)), l.Conv1D(4, 2), l.GRU(3, reset_after=False))
    yield model(l.LSTM(4, return_sequences=True), l.GlobalMaxPooling1D())


def hidden_heads(k, version):
    """The same, for attention."""
    l = k.layers
    for causal in (False, True):
        ids = l.Input((7,), name="ids")
        x = l.Embedding(11, 6, mask_zero=True)(ids)
        y = l.Add()([x, l.MultiHeadAttention(2, 3)(l.LayerNormalization()(x), x, use_causal_mask=causal)])
        z = l.GRU(3, return_sequences=True)(y)
        if version == 2:    # Keras 3 forgets the mask of what was read
            z = l.MultiHeadAttention(2, 3)(y, l.Concatenate(axis=1)([y, l.Dropout(0.1)(x)]))
        z = l.Concatenate()([y, z, l.TimeDistributed(l.Dense(2))(x)])
        yield k.Model(ids, l.Dense(3)(l.GlobalAveragePooling1D(keepdims=True)(z)))


def hidden_rows(k):
    """Masking, of rows that are one number throughout; operators end a mask, layers do not."""
    l = k.layers
    x = l.Input((6, 4), name="x")
    y = l.Masking(0.5)(x)
    z = l.Multiply()([y, l.Dense(4)(y)])
    yield k.Model(x, l.Dense(3)(l.Concatenate()([l.GRU(4)(z), l.GRU(3)(z + 1.0)])))
    other = l.Masking(0.25)(x)
    merges = [merge()(rows) for merge in (l.Multiply, l.Maximum, l.Minimum) for rows in ([y, other], [other, x, y], [x, y])]
    yield k.Model(x, l.Dense(3)(l.Concatenate()([l.Flatten()(m) for m in merges])))


def masks(k, version):
    for i, model in enumerate(list(hidden_tokens(k)) + list(hidden_heads(k, version))):
        randomise(model)
        ids = numpy.array([[0, 0, 3, 4, 0, 5, 6], [1, 2, 0, 0, 0, 0, 0], [7, 8, 9, 10, 1, 2, 3]], numpy.int32)
        check(f"masks{version}_{i + 1}", model, ids, "model" + (".h5" if i % 3 == 1 else ".keras"))
    for model in hidden_rows(k):
        randomise(model)
        x = random.randn(3, 6, 4).astype(numpy.float32)
        x[0, :2] = x[1, 3] = x[2, 4:] = 0.5
        x[0, 3] = x[1, 1] = x[2, 0] = 0.25
        check(f"masked rows{version}", model, x, "model.keras")


def encoded(k, cell, mask, both, **more):
    """A decoder that begins with the states of its encoder."""
    l = k.layers
    source, target = l.Input((7,), name="source", dtype="int32"), l.Input((5,), name="target", dtype="int32")
    x, y = l.Embedding(11, 6, mask_zero=mask)(source), l.Embedding(12, 6, mask_zero=mask)(target)
    make = getattr(l, cell)
    around = l.Bidirectional if both else lambda layer: layer
    _, *states = around(make(8, return_state=True, **more))(x)
    y = around(make(8, return_sequences=True, return_state=not both, **more))(y, initial_state=states)
    return k.Model([source, target], l.Dense(12, name="out")(y if both else y[0]))


def states(k, version):
    source = numpy.array([[0, 0, 3, 4, 0, 5, 6], [1, 2, 0, 0, 0, 0, 0], [7, 8, 9, 10, 1, 2, 3]], numpy.int32)
    target = numpy.array([[1, 0, 3, 4, 0], [1, 2, 0, 0, 0], [7, 8, 9, 10, 11]], numpy.int32)
    for cell, mask, both, more in (("LSTM", False, False, {}), ("LSTM", True, False, {}), ("LSTM", True, True, {}), ("GRU", False, True, {}),
                                   ("GRU", True, False, {"reset_after": False}), ("GRU", False, False, {"reset_after": False}),
                                   ("SimpleRNN", True, False, {})):
        model = encoded(k, cell, mask, both, **more)
        randomise(model)
        check(f"states{version}_{cell}{mask:d}{both:d}{len(more)}", model, [source, target], "model.keras", program=several)


def hidden_pairs(k, version):
    """Masks that attention is given by name, beside those of what it reads."""
    l = k.layers
    source = numpy.array([[0, 0, 3, 4, 0, 5, 6], [1, 2, 0, 0, 0, 0, 0], [7, 8, 9, 10, 1, 2, 3]], numpy.int32)
    for i, (shape, causal, own) in enumerate((((7, 7), False, False), ((1, 7), True, True), ((7, 7), True, True))):
        ids, pairs = l.Input((7,), name="ids", dtype="int32"), l.Input(shape, name="pairs", dtype="bool" if i else "int32")
        x = l.Embedding(11, 6, mask_zero=own)(ids)
        y = l.MultiHeadAttention(2, 3)(x, value=x, key=l.Dense(5)(x), attention_mask=pairs, use_causal_mask=causal)
        model = k.Model([pairs, ids], l.Dense(3)(l.LayerNormalization()(l.Add()([x, y]))))
        randomise(model)
        check(f"pairs{version}_{i + 1}", model, [(random.uniform(size=(3, *shape)) > 0.3).astype(numpy.int32), source], "model.keras",
              program=several)


def layers():
    import keras
    for k, version in ((tf_keras, 2), (keras, 3)):
        for source in (lines, maps, sequences):
            for name, shape, parts in source(k, k.layers):
                model = row(k, shape, parts)
                randomise(model)
                kept = sum(1 for w in model.weights if w.name.split("/")[-1].startswith("count"))
                for i, kind in enumerate((".keras", ".h5") if name in ("both", "kept", "groups") else (".keras",)):
                    x = random.randn(3, *shape).astype(numpy.float32)
                    check(f"{name}{version}{kind[1]}", model, x, "model" + kind, unused=kept)
        model = graph(k)
        randomise(model)
        for kind in (".keras", ".h5"):
            check(f"graph{version}{kind[1]}", model, random.randn(3, 6, 5, 4).astype(numpy.float32), "model" + kind)
        model = attention(k)
        randomise(model)
        for kind in (".keras", ".h5"):
            check(f"attention{version}{kind[1]}", model, random.randn(3, 6, 5).astype(numpy.float32), "model" + kind)
        model = shared(k)
        randomise(model)
        for kind in (".keras", ".h5"):
            check(f"shared{version}{kind[1]}", model, random.randn(3, 6, 5).astype(numpy.float32), "model" + kind)
        model = tokens(k)
        ids = random.randint(0, 11, (3, 7)).astype(numpy.int32)
        check(f"tokens{version}", model, ids, "model.keras")
        masks(k, version)
        states(k, version)
        hidden_pairs(k, version)


def only(name):
    """One of the groups of layers, by name."""
    import keras
    for k, version in ((tf_keras, 2), (keras, 3)):
        if name in ("masks", "pairs", "states"):
            {"masks": masks, "pairs": hidden_pairs, "states": states}[name](k, version)
            continue
        if name == "shared":
            model, shape = shared(k), (6, 5)
        else:
            shape, parts = next((s, p) for source in (lines, maps, sequences) for n, s, p in source(k, k.layers) if n == name)
            model = row(k, shape, parts)
        randomise(model)
        check(f"{name}{version}", model, random.randn(3, *shape).astype(numpy.float32), "model.keras")


GROUPS = ("gru1", "masks", "pairs", "shared", "slopes", "states")
for name in sys.argv[2:] or ["layers", "counts"] + list(FAMILIES):
    if name == "layers":
        layers()
    elif name == "counts":
        every_count()
    elif name in GROUPS:
        only(name)
    elif name[:3] == "all":
        every(int(name[3]), name[5:].split(",") if name[4:] else None)
    else:
        application(name)
tap.done()
