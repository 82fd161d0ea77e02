"""Models that are open in an editor: what `stowage lint` finds in them, at the place where their text has the node."""
import json
import os
import shutil

from client import Client, path_of, uri_of
from findings import lint
from tap import case, equal, ok

MODELS = os.environ["top_srcdir"] + "/tests/cli/models/"


def layer(kind, name, **config):
    return {"module": "keras.layers", "class_name": kind, "config": {"name": name, **config}, "registered_name": None}


def wide(flatten="Flatten"):
    """A dense layer of far too many numbers, a bias that does nothing, and a layer whose name is in another's."""
    return json.dumps({"module": "keras", "class_name": "Sequential", "config": {"name": "see", "trainable": True, "layers": [
        layer("InputLayer", "image", batch_shape=[None, 64, 64, 3], dtype="float32"),
        layer("Conv2D", "seen", filters=64, kernel_size=[3, 3], strides=[1, 1], padding="same", data_format="channels_last",
              dilation_rate=[1, 1], groups=1, activation="linear", use_bias=True),
        layer("BatchNormalization", "norm", axis=3, momentum=0.99, epsilon=0.001, center=True, scale=True),
        layer(flatten, "flat", data_format="channels_last"),
        layer("Dense", "über", units=4096, activation="sigmoid", use_bias=True),
        layer("Dense", "head", units=10, activation="softmax", use_bias=True)]},
        "registered_name": None, "keras_version": "3.0.0", "backend": "tensorflow"}, indent=1, ensure_ascii=False)


def at(text, d):
    """What stands in the text where a diagnostic is."""
    lines = text.split("\n")
    start, end = d["range"]["start"], d["range"]["end"]
    if start["line"] != end["line"]:
        return None
    return lines[start["line"]][start["character"]:end["character"]]


def in_json():
    c = Client()
    uri = uri_of("wide.json")
    with open("wide.json", "w") as f:
        f.write(wide())
    c.open(uri, wide())
    every = c.diagnosed(uri)
    by_code = {d["code"]: d for d in every}
    equal(at(wide(), by_code.get("wide-flatten", every[0])), '"über"', "a finding is at the name of its layer")
    equal(at(wide(), by_code.get("bias-before-batchnorm", every[0])), '"seen"', "whole, and not at one that begins so")
    ok(by_code["wide-flatten"]["message"].startswith("node 'über': "), "and says it", by_code["wide-flatten"])
    wanted = {(g[4], g[5]) for found in lint("wide.json").values() for g in found}
    equal({(d["severity"], d["code"]) for d in every if d["code"] != "import"}, wanted, "they are those of stowage lint")
    notes = [d for d in every if d["code"] == "import"]
    ok(notes and all(d["severity"] == 3 for d in notes) and any("cross_entropy" in d["message"] for d in notes),
       "what is taken for granted is told", notes)
    lenses = c.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    ok(len(lenses) == 1 and lenses[0]["command"]["command"] == "stowage.showPlan" and "16." in lenses[0]["command"]["title"],
       "a lens has what it takes", lenses)
    shown = c.request("workspace/executeCommand", {"command": "stowage.showPlan", "arguments": lenses[0]["command"]["arguments"]})
    page = path_of(shown["show"])
    with open(page) as f:
        ok("4294967296" in f.read(), "and its command shows the plan", shown)
    os.remove(page)
    place = {"textDocument": {"uri": uri}, "position": {"line": 4, "character": 3}}
    for method, more in (("hover", {}), ("definition", {}), ("formatting", {"options": {"tabSize": 4, "insertSpaces": True}}),
                         ("documentSymbol", {}), ("completion", {}), ("rename", {"newName": "x"}), ("inlayHint", {"range": lenses[0]["range"]}),
                         ("codeAction", {"range": lenses[0]["range"], "context": {"diagnostics": []}})):
        equal(c.request(f"textDocument/{method}", {**place, **more}), None, f"{method} is of specs")
    c.replace(uri, wide("Unheard"))
    every = c.diagnosed(uri)
    ok(len(every) == 1 and every[0]["severity"] == 1 and "there is no layer of that class here" in every[0]["message"] and
       at(wide("Unheard"), every[0]) == '"flat"', "as it is typed, what cannot be expressed is an error at its layer", every)
    c.replace(uri, '{"class_name": ')
    every = c.diagnosed(uri)
    ok(len(every) == 1 and every[0]["severity"] == 1 and every[0]["range"]["start"] == {"line": 0, "character": 0},
       "and so is what is no model", every)
    c.replace(uri, wide())
    ok("wide-flatten" in {d["code"] for d in c.diagnosed(uri)}, "until it is one")
    for text in ('{"name": "package", "version": "1.0.0"}', "[1, 2", ""):
        c.replace(uri, text)
        equal(c.diagnosed(uri), [], f"of JSON that is no model's nothing is said: {text}")
        equal(c.request("textDocument/codeLens", {"textDocument": {"uri": uri}}), [], "and it has no lens")
    c.stop()


def binary():
    c = Client()
    for name in ("residual.onnx", "unknown.onnx", "tiny3.keras"):
        shutil.copy(MODELS + name, name)
    with open(".stowage", "w") as f:
        f.write("device { memory 256KiB }\n")
    uri = uri_of("residual.onnx")
    c.open(uri, "\ufffd\ufffd what an editor makes of it\n")
    every = [d for d in c.diagnosed(uri) if d["code"] == "oom"]
    ok(len(every) == 1 and every[0]["range"]["start"] == {"line": 0, "character": 0} == every[0]["range"]["end"] and
       "node 'c0' and 1 more" in every[0]["message"], "a file of bytes is read where it lies, and its findings name nodes", every)
    uri = uri_of("unknown.onnx")
    c.open(uri, "")
    every = c.diagnosed(uri)
    ok(len(every) == 1 and "node 'the_det' (Det): " in every[0]["message"] and every[0]["severity"] == 1,
       "a node that cannot be expressed is named", every)
    shutil.copy("residual.onnx", "unknown.onnx")
    every = c.diagnosed_anew(uri, lambda: c.notify("textDocument/didSave", {"textDocument": {"uri": uri}}))
    ok("oom" in {d["code"] for d in every}, "once the file is another, so are its findings", every)
    uri = uri_of("tiny3.keras")
    c.open(uri, "PK")
    ok({d["severity"] for d in c.diagnosed(uri)} == {3}, "an archive of Keras is read", c.diagnosed(uri))
    uri = uri_of("missing.h5")
    c.open(uri, "")
    every = c.diagnosed(uri)
    ok(len(every) == 1 and "cannot be read" in every[0]["message"], "a file that is not there is said to be", every)
    c.stop()


for test in (in_json, binary):
    case(test)
