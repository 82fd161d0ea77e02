"""Compares emitted programs with PyTorch, one line of JSON in and one out for each: see gpu_parts.py.

It stays, since PyTorch takes seconds to load. A program that breaks ends it, and no other.
"""
import json
import os
import sys

sys.path.insert(0, os.environ["PEER"])
import torch                # noqa: E402
import compare              # noqa: E402
import ir                   # noqa: E402
import program              # noqa: E402

torch.set_num_threads(2)
answers = os.dup(1)         # what the programs print must not pass for an answer
os.dup2(2, 1)
for line in sys.stdin:
    job = json.loads(line)
    off, where = getattr(compare, job["how"])(ir.Graph(open(job["graph"]).read()),
                                              program.Program(job["library"]), job["precision"])
    os.write(answers, (json.dumps({"off": float(off), "where": where}) + "\n").encode())
