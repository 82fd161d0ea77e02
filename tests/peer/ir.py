"""Reads the IR text of `stowage plan --dump-after=phases`."""
import re

import torch

DTYPES = {"f32": torch.float32, "f64": torch.float64, "i32": torch.int64, "u8": torch.uint8}
OUTPUT = re.compile(r'%(\d+) (\w+)\[([^\]]*)\](?: (?:classes|vocab) (\d+))? ([\w-]+) "([^"]*)"')
PERSISTENT = re.compile(r'(parameter|statistic|table|optimizer|gradient) %(\d+) (\w+)\[([^\]]*)\](?: (?:classes|vocab) \d+)? "([^"]*)" \w+ \S+( frozen)?')
NODE = re.compile(r'\s+(.*) = (\w+)\(([^)]*)\) \{(.*)\} (forward|backward|update) "([^"]*)"')
INPUT = re.compile(r'\s+(input|target|activation) %(\d+) (\w+)\[([^\]]*)\](?: (?:classes|vocab) (\d+))? "([^"]*)"')


class Tensor:
    def __init__(self, dtype, dims, name, kind, classes=0):
        self.batched = dims.startswith("B")
        self.dims = [int(d) for d in dims.replace("B", "").split(",") if d.strip()]
        self.dtype, self.name, self.kind, self.classes = dtype, name, kind, classes
        self.tokens = False


class Node:
    def __init__(self, op, ins, outs, attrs, path):
        self.op, self.ins, self.outs, self.attrs, self.path = op, ins, outs, attrs, path


def value(text):
    text = text.strip()
    if text.startswith("("):
        return tuple(value(v) for v in text.strip("()").split(",") if v.strip())
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def attributes(text):
    found = {}
    for m in re.finditer(r'(\w+)=(\([^)]*\)|[^,]*)', text):
        found[m.group(1)] = value(m.group(2))
    return found


class Body:
    """What a node of a module's graph runs many times."""

    def __init__(self, graph):
        self.tensors, self.settings = graph.tensors, graph.settings
        self.inputs, self.nodes, self.results = [], [], []


class Graph:
    """One graph of a module: its tensors by number, inputs, nodes, results and loss."""

    def __init__(self, text, name="train"):
        self.tensors, self.inputs, self.nodes, self.results = {}, [], [], []
        self.persistent, self.settings, self.optimizer, self.loss = [], {}, None, None
        self.bodies, into = [], None
        for line in text.splitlines():
            if line.startswith("set "):
                words = line.split()[1:]
                self.settings = dict(zip(words[::2], words[1::2]))
            elif m := re.match(r'optimizer (\w+) \{(.*)\}', line):
                self.optimizer = (m.group(1), attributes(m.group(2)))
            elif m := PERSISTENT.match(line):
                kind, number, dtype, dims, path, frozen = m.groups()
                t = Tensor(dtype, dims, path, kind)
                t.frozen = bool(frozen)
                self.tensors[int(number)] = t
                self.persistent.append(int(number))
            elif line.startswith("graph "):
                into = self if line.split()[1] == name else None
            elif line.startswith("body "):
                into = Body(self)
                into.bodies = self.bodies
                self.bodies.append(into)
            elif not into:
                continue
            elif m := INPUT.match(line):    # of a body also what it reads around it
                kind, number, dtype, dims, classes, path = m.groups()
                self.tensors[int(number)] = Tensor(dtype, dims, path, kind, int(classes or 0))
                self.tensors[int(number)].tokens = f" vocab {classes} " in line
                into.inputs.append(int(number))
            elif m := re.match(r'\s+result (\w+) %(\d+) "([^"]*)"', line):
                into.results.append((m.group(1), int(m.group(2)), m.group(3)))
            elif m := re.match(r'\s+loss %(\d+)', line):
                self.loss = int(m.group(1))
            elif m := NODE.match(line):
                outs, op, ins, attrs, phase, path = m.groups()
                numbers = []
                for o in OUTPUT.finditer(outs):
                    number, dtype, dims, classes, kind, tname = o.groups()
                    self.tensors[int(number)] = Tensor(dtype, dims, tname, kind)
                    numbers.append(int(number))
                ids = [None if i.strip() == "_" else int(i.strip()[1:])
                       for i in ins.split(",") if i.strip()]
                if phase == "forward":
                    into.nodes.append(Node(op, ids, numbers, attributes(attrs), path))
                    into.nodes[-1].tokens = any(i is not None and self.tensors[i].tokens for i in ids)
                    into.nodes[-1].out = self.tensors[numbers[0]]
                    into.nodes[-1].samples = [i is not None and self.tensors[i].batched for i in ids]
                    into.nodes[-1].batched = bool(ids) and into.nodes[-1].samples[0]

    def for_loss(self):
        """Its nodes without those that no loss needs, as of metrics."""
        needed, nodes = {self.loss}, []
        for n in reversed(self.nodes):
            if needed & set(n.outs):
                needed |= {i for i in n.ins if i is not None}
                nodes.insert(0, n)
        return nodes

    def by_name(self, name):
        return next(n for n, t in self.tensors.items() if t.name == name)


def dtype_of(tensor):
    """As it is computed with: 16 bits are, all else as PyTorch is told."""
    return {"bf16": torch.bfloat16, "f16": torch.float16}.get(tensor.dtype, torch.get_default_dtype())


def updates(text):
    """What each parameter is updated with, by its number, of `--dump-after=update`."""
    return {int(m.group(3).split(",")[0][1:]): attributes(m.group(4))
            for m in map(NODE.match, text.splitlines()) if m and m.group(5) == "update" and "%" in m.group(3)}
