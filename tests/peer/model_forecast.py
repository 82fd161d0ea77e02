"""Models of torchvision, and GPT-2 of transformers, that specs of ours say by hand: what a command answers of the ONNX file is
what it answers of the spec, byte for byte, when both are trained alike. Files for inference have no dropout and no second
classifier at a side, so these are taken out of the spec.

    model_forecast.py FOLDER NAME...       reports in TAP; ResNet's spec is resnet50.nn for resnet50
"""
import json
import os
import re
import subprocess
import sys
import warnings

import torch

import tap
from tap import result, skip
from torch_random import randomise

warnings.filterwarnings("ignore")
work, names = sys.argv[1], sys.argv[2:]
SPECS = os.path.join(os.environ["top_srcdir"], "specs")
STOWAGE = os.environ["STOWAGE"]
# of Swin's head torchvision takes the mean of a map, for which it turns its axes, and the spec that of rows: nodes in other
# numbers, and the same bytes
NODES_APART = ["swin_t"]
SPEC_OF = {"vit_b_16": "vit_b16", "mobilenet_v3_large": "mobilenet_v3"}


def gpt2():
    from transformers import GPT2Config, GPT2LMHeadModel

    class Logits(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = GPT2LMHeadModel(GPT2Config(use_cache=False))

        def forward(self, ids):
            return self.inner(ids).logits
    # the exporter leaves out biases of zeros
    return randomise(Logits()), torch.zeros(2, 1024, dtype=torch.int64)


def vision(name):
    import torchvision
    return getattr(torchvision.models, name)(weights=None), torch.zeros(2, 3, 224, 224)


def export(name):
    path = os.path.join(work, name + ".onnx")
    if name == "gpt2":    # which the older exporter does not know
        model, x = gpt2()
        torch.onnx.export(model.eval(), (x,), path, dynamo=True, verbose=False, external_data=False,
                          dynamic_shapes=({0: torch.export.Dim("batch")},))
        return path
    model, x = vision(name)
    torch.onnx.export(model.eval(), (x,), path, dynamo=False, do_constant_folding=False, input_names=["x"],
                      dynamic_axes={"x": {0: "batch"}})
    return path


def by_hand(name, imported):
    """The spec with what the imported one says of training in place of its own sections, and without dropout."""
    with open(os.path.join(SPECS, SPEC_OF.get(name, name) + ".nn")) as f:
        text = f.read()
    with open(imported) as f:
        train = re.search(r"(?ms)^train \{.*?^\}\n", f.read()).group()
    text = re.sub(r"(?ms)^(train|validate|device)\b[^{\n]*\{.*?\}\n", "", text)
    text = text.replace("layer(768, 12, 0.1)", "layer(768, 12, 0)")    # GPT-2's, within its attention
    text = re.sub(r"-> *dropout\([^)]*\) *|(?m:^  (?:loss +aside:|aside\b).*\n(?:    .*\n)*)", "", text)
    path = os.path.join(work, name + "_by_hand.nn")
    with open(path, "w") as f:
        f.write(text + "\n" + train)
    return path


def numbers(x):
    """All that is not a name nor a place."""
    if isinstance(x, dict):
        return {k: numbers(v) for k, v in x.items() if k not in ("line", "node", "path", "name", "network", "at")}
    if isinstance(x, list):
        return [numbers(v) for v in x]
    return x if not isinstance(x, str) else ""


def asked(path, *options):
    done = subprocess.run([STOWAGE, "plan", "-f", "json", "--target", "cuda", "--batch", "16", *options, path],
                          capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


for name in names:
    try:
        model = export(name)
    except ImportError as absent:
        skip(name, f"{absent.name} is missing: IT WAS NOT COMPARED")
        continue
    imported = os.path.join(work, name + ".nn")
    subprocess.run([STOWAGE, "import", model, "-o", imported], check=True, stderr=subprocess.DEVNULL)
    spec = by_hand(name, imported)
    here, there = [numbers(asked(p, "--as", "pytorch,pytorch1,tf,keras1,keras2")) for p in (model, spec)]
    here, there = here["forecasts"], there["forecasts"]
    result(here == there and len(here) == 5, f"{name}: others' forecasts are those of the spec by hand",
           [(k, x[k], y[k]) for x, y in zip(here, there) for k in x if x[k] != y[k]])
    here, there = [asked(p) for p in (model, spec)]
    keys = [k for k in here if isinstance(here[k], int) and not (k == "instants" and name in NODES_APART)]
    result(all(here[k] == there[k] for k in keys) and len(keys) > 3, f"{name}: and so is the plan",
           {k: (here[k], there[k]) for k in keys if here[k] != there[k]})
tap.done()
