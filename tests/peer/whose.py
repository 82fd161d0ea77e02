"""Weights under others' names: stowage export --names WORD of networks of specs/, loaded strictly by the modules of these names,
which then compute what the exported ONNX model does.

    whose.py FOLDER WORD [NAME ...]      reports in TAP; with names, these networks alone
"""
import os
import re
import shutil
import subprocess
import sys

import numpy

import tap
from exporting import graph, prepared, random_weights, run_onnx, save, stowage
from tap import result

top = os.path.abspath(os.environ["top_srcdir"])
work, word = sys.argv[1:3]

# what is replaced in specs, so that they are smaller
SMALL = {
    "bert_base": ((r"12 \* encoder", "2 * encoder"), (r"\b768\b", "48"), (r"\b30522\b", "96"), (r"length = 128", "length = 24")),
    "gpt2": ((r"12 \* layer\(768, 12", "2 * layer(48, 4"), (r"\b50257\b", "96"), (r"\b1024\b", "24"), (r"\b768\b", "48")),
    "t5_small": ((r"width = 512", "width = 64"), (r"depth = 6", "depth = 2"), (r"vocab = 32128", "vocab = 96"), (r"read  = 512", "read = 40"),
                 (r"write = 114", "write = 24")),
    "tinyllama": ((r"window = 2048", "window = 24"), (r"22 \* llama\(32, 4, 5632\)", "2 * llama(8, 1, 96)"), (r"\b2048\b", "64"),
                  (r"\b32000\b", "96")),
    "vit_b16": ((r"12 \* enc", "2 * enc"), (r"\b768\b", "48"), (r"\b224\b", "48"), (r"\b197\b", "10")),
    "swin_t": ((r"conv\(96", "conv(24"), (r"layers\(6,", "layers(2,")),
}
# whose outputs are compared by tests/peer/detection.test: here they are loaded
DETECTORS = ["fasterrcnn_resnet50", "maskrcnn_resnet50", "retinanet_resnet50", "ssd300_vgg16"]


def torchvision(name):
    import torchvision.models as m
    if name in DETECTORS:
        return detector(name)
    if name == "vit_b16":
        return m.VisionTransformer(image_size=48, patch_size=16, num_layers=2, num_heads=12, hidden_dim=48, mlp_dim=192)
    if name == "swin_t":
        return m.SwinTransformer([4, 4], 24, [2, 2, 2, 2], [3, 6, 12, 24], [7, 7])
    if name == "deeplabv3_resnet50":
        return m.segmentation.deeplabv3_resnet50(weights=None, weights_backbone=None, aux_loss=True)
    more = {"googlenet": {"aux_logits": False, "init_weights": False}, "inception_v3": {"init_weights": False}}.get(name, {})
    return getattr(m, {"mobilenet_v3": "mobilenet_v3_large"}.get(name, name))(weights=None, **more)


def detector(name):
    """As they are with trained weights, whose normalisation stands still."""
    from torchvision.models import detection as d, resnet50
    from torchvision.ops.feature_pyramid_network import LastLevelP6P7
    if name == "ssd300_vgg16":
        return d.ssd300_vgg16(weights=None, weights_backbone=None)
    body = resnet50(weights=None, norm_layer=d.backbone_utils.misc_nn_ops.FrozenBatchNorm2d)
    if name == "retinanet_resnet50":
        body = d.backbone_utils._resnet_fpn_extractor(body, 3, returned_layers=[2, 3, 4], extra_blocks=LastLevelP6P7(256, 256))
        return d.RetinaNet(body, 91)
    body = d.backbone_utils._resnet_fpn_extractor(body, 3)
    return {"fasterrcnn_resnet50": d.FasterRCNN, "maskrcnn_resnet50": d.MaskRCNN}[name](body, 91)


def timm(name):
    import timm
    if name == "vit_b16":
        return timm.models.VisionTransformer(img_size=48, embed_dim=48, depth=2, num_heads=12)
    return timm.create_model({"mobilenet_v2": "mobilenetv2_100"}.get(name, name))


def huggingface(name):
    import transformers as t
    t.logging.set_verbosity_error()
    if name == "bert_base":
        return t.BertForSequenceClassification(t.BertConfig(vocab_size=96, hidden_size=48, num_hidden_layers=2, num_attention_heads=12,
                                                            intermediate_size=192))
    if name == "gpt2":
        return t.GPT2LMHeadModel(t.GPT2Config(vocab_size=96, n_positions=24, n_embd=48, n_layer=2, n_head=4))
    if name == "t5_small":
        return t.T5ForConditionalGeneration(t.T5Config(vocab_size=96, d_model=64, d_kv=8, d_ff=256, num_layers=2, num_heads=8))
    if name == "tinyllama":
        return t.LlamaForCausalLM(t.LlamaConfig(vocab_size=96, hidden_size=64, intermediate_size=96, num_hidden_layers=2,
                                                num_attention_heads=8, num_key_value_heads=1, rms_norm_eps=1e-5))
    return t.ViTForImageClassification(t.ViTConfig(hidden_size=48, num_hidden_layers=2, num_attention_heads=12, intermediate_size=192,
                                                   image_size=48, num_labels=1000, layer_norm_eps=1e-6))


def computed(model, inputs):
    """What the module of PyTorch computes of our inputs, in their order."""
    import torch
    x = [torch.from_numpy(v) for v in inputs]
    with torch.no_grad():
        if word == "huggingface":
            x = [v.long() if v.dtype == torch.int32 else v for v in x]
            names = {1: (), 2: ("token_type_ids",)}[len(x)]
            if model.config.model_type == "t5":
                names = ("decoder_input_ids",)
            return model(x[0], **dict(zip(names, x[1:]))).logits.numpy()
        made = model(*x)
    return (made["out"] if isinstance(made, dict) else made).numpy()


def strictly(name, file):
    """The module with the file's weights, and none else."""
    from safetensors.torch import load_file
    model = {"torchvision": torchvision, "timm": timm, "huggingface": huggingface}[word](name)
    model.load_state_dict(load_file(file), strict=True)
    return model.eval()


def keras_values(name, file, inputs):
    """The loop of stowage-export(1), with this file's reader in place of safetensors' own."""
    import keras
    from exporting import load
    model = {"vgg16": keras.applications.VGG16, "densenet121": keras.applications.DenseNet121,
             "convnext_tiny": keras.applications.ConvNeXtTiny}[name](weights=None, classifier_activation=None,
                                                                     **({"include_preprocessing": False} if name[0] == "c" else {}))
    weights = load(file)
    for v in model.weights:
        v.assign(weights.pop(re.sub("/variable_.*", "/variable", v.path)))
    assert not weights, list(weights)
    return numpy.array(model(inputs[0].transpose(0, 2, 3, 1)))


def inputs_of(inputs, draw):
    made = {}
    for _, dtype, dims, classes, name in inputs:
        shape = [1] + [int(d) for d in dims.split(",")] if dims else [1]
        made[name] = (draw.integers(0, int(classes), shape).astype(numpy.int32) if dtype == "i32" else
                      draw.standard_normal(shape, numpy.float32))
    return made


def export(folder, *options):
    return subprocess.run([stowage, "export", *options, folder + "/net.nn", folder + "/w.safetensors"], capture_output=True, text=True)


def check(name):
    folder = os.path.join(work, name)
    os.makedirs(folder, exist_ok=True)
    with open(f"{top}/specs/{name}.nn") as f:
        text = prepared(f.read())
    for old, new in SMALL.get(name, ()):
        text, count = re.subn(old, new, text)
        assert count, old
    with open(folder + "/net.nn", "w") as f:
        f.write(text)
    shutil.copy(f"{top}/specs/{name}.{word}.map", f"{folder}/net.{word}.map")
    draw = numpy.random.default_rng(3)
    weights, inputs = graph(folder + "/net.nn")
    save(folder + "/w.safetensors", random_weights(weights, draw, 0.3 if name == "t5_small" else 1.5))
    data = inputs_of([i for i in inputs if i[0] == "input"], draw)
    whose = f"{folder}/net.{word}.map" if name in SMALL else word	# a word is for the whole network
    for options in (["-o", folder + "/net.onnx"], ["--names", whose, "-o", folder + "/theirs.safetensors"]):
        done = export(folder, *options)
        if done.returncode:
            return result(False, f"{name} is exported", done.stderr)
    file = folder + "/theirs.safetensors"
    if name in DETECTORS:
        strictly(name, file)
        result(True, f"{word}'s {name} loads the weights, all of them and no others")
    else:
        want = next(iter(run_onnx(folder + "/net.onnx", data).values()))
        got = keras_values(name, file, list(data.values())) if word == "keras" else computed(strictly(name, file), list(data.values()))
        error = numpy.abs(got.reshape(want.shape) - want).max() / numpy.abs(want).max()
        result(error < 1e-5, f"{word}'s {name} loads the weights, all of them and no others, and computes the same",
               f"{error:g} of the largest")
    for f in os.listdir(folder):
        os.remove(os.path.join(folder, f))


names = sys.argv[3:] or sorted(f.split(".")[0] for f in os.listdir(top + "/specs") if f.endswith(f".{word}.map"))
for name in names:
    try:
        check(name)
    except Exception as e:
        result(False, f"{word}'s {name}", f"{type(e).__name__}: {str(e)[:2000]}")
tap.done()
