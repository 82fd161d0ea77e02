"""What the peers of `stowage export` share: specs that only validate, their weights at random, files of tensors, ONNX Runtime."""
import json
import os
import re
import struct
import subprocess

import numpy
import onnxruntime

stowage = os.environ["STOWAGE"]


def without(text, word):
    """The text without WORD's argument list, or block, whose brackets may hold others."""
    at = re.search(word, text)
    if not at:
        return text, None
    depth, end = 1, at.end()
    while depth:
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(text[end], 0)
        end += 1
    return text[:at.start()] + text[end:], text[at.start():end]


def named(text):
    """What validation is to predict beside what the first loss reads."""
    found = re.search(r"(?m)^\s*predict\s+([\w.]+(?:,\s*[\w.]+)*)", text)
    return re.split(r",\s*", found[1]) if found else []


def prepared(text):
    """A spec that only validates, on a file of tensors, two samples at a time."""
    names = named(text)
    for word in (r"(?m)^train\s*\{", r"(?m)^validate\s*\{", r"(?m)^device\s[^{\n]*\{"):
        gone = True
        while gone:
            text, gone = without(text, word)
    predict = f"  predict {', '.join(names)}\n" if names else ""
    return text + f'\nvalidate {{\n  batch 2\n  data safetensors("data.safetensors")\n{predict}}}\n'


def graph(spec):
    """Inputs, and parameters and statistics with how they begin, as the compiler prints them."""
    text = subprocess.run([stowage, "plan", "--target", "c", "--dump-after", "phases", spec], capture_output=True, text=True).stdout
    weights = re.findall(r'(?m)^(?:parameter|statistic) %\d+ \w+\[([^]]*)\] "([^"]*)" (\w+) (\S+)', text)
    inputs = re.findall(r'(?m)^  (input|target) %\d+ (\w+)\[B(?:, )?([^]]*)\](?: (?:classes|vocab) (\d+))? "([^"]*)"', text)
    return weights, dict((i[4], i) for i in inputs).values()


def extents(text):
    return [int(d) for d in text.split(",")] if text.strip() else []


def save(path, tensors):
    names = {"float32": "F32", "int32": "I32", "uint8": "U8"}
    header, at = {}, 0
    for name, t in tensors.items():
        header[name] = {"dtype": names[str(t.dtype)], "shape": list(t.shape), "data_offsets": [at, at + t.nbytes]}
        at += t.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for t in tensors.values():
            f.write(t.tobytes())


def load(path):
    with open(path, "rb") as f:
        header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
        data = f.read()
    return {k: numpy.frombuffer(data[v["data_offsets"][0]:v["data_offsets"][1]], "<f4").reshape(v["shape"])
            for k, v in header.items()}


def random_weights(weights, draw, gain):
    """Of the size that keeps activations near 1; statistics and what scales are not all alike."""
    made = {}
    for dims, name, kind, value in weights:
        shape = extents(dims)
        fan = numpy.prod(shape[1:]) if len(shape) > 1 else 1
        t = draw.standard_normal(shape, numpy.float32)
        if name.endswith("running_var"):
            t = numpy.abs(t) * 0.5 + 0.5
        elif kind == "constant":
            t = float(value) * (1 + 0.2 * t)
        elif len(shape) < 2 or kind == "zeros":
            t = 0.2 * t
        else:
            t = t * numpy.sqrt(gain / fan)
        made[name] = t.astype(numpy.float32)
    return made


def run_onnx(path, data):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    made = session.run(None, {i.name: data[i.name] for i in session.get_inputs()})
    return dict(zip((o.name for o in session.get_outputs()), made))
