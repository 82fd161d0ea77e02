#!/usr/bin/env python3
"""What Stowage guesses for names of PyTorch's that it does not know: another spelling, or what is called so here. A
guess that computes something else would be written by --fix --unsafe-fixes. Prints TAP.

Which are the same was looked up in PyTorch's documentation, name by name: SAME.
"""
import os
import re
import subprocess
import sys
import tempfile

import torch

STOWAGE = os.environ.get("STOWAGE", "./stowage")
AT_ONCE = 15		# of names in a spec: messages of one file are limited
SAME = {
    "linear": "dense", "convolution": "conv", "bmm": "matmul", "cat": "concat", "concatenate": "concat",
    "clip": "clamp", "multiply": "mul", "subtract": "sub", "divide": "div", "absolute": "abs", "amax": "max",
    "amin": "min", "broadcastto": "broadcast", "indexselect": "take", "takealongdim": "gather",
    "trilindices": "tril_index", "triuindices": "triu_index", "interpolate": "upsample", "unflatten": "reshape",
    "multiheadattention": "attention", "scaleddotproductattention": "attend", "binarycrossentropy": "bce",
    "kldiv": "kl_div",
}


def plain(name):
    return name.lower().replace("_", "")


def is_same(theirs, ours):
    """The same letters, but for the number of axes, Loss or LR at the end, or that something is done in place or copied."""
    word = re.sub(r"^(native|lazy)|(loss|copy|nd|lr)$", "", re.sub(r"[123]d$", "", plain(theirs)))
    return word == plain(ours) or plain(theirs) == plain(ours) or SAME.get(word) == ours


def guesses(folder, names, spec):
    """Of names in a spec: what is guessed for each, and whether a fix writes it."""
    path = os.path.join(folder, "names.nn")
    for at in range(0, len(names), AT_ONCE):
        with open(path, "w") as f:
            f.write(spec(names[at:at + AT_ONCE]))
        done = subprocess.run([STOWAGE, "lint", path], stdout=subprocess.PIPE, text=True)
        name = None
        for line in done.stdout.splitlines():
            if re.match(r".*: (error|warning): ", line):
                name = re.search(r"(?:called|optimizer|schedule) '(\w+)'", line)
            guess = re.search(r"did you mean '(\w+)'\?( \(--fix)?", line)
            if name and guess:
                yield name[1], guess[1], bool(guess[2])


def layers(names):
    return ("network n {\n input x : f32[16]\n target t : f32[16]\n" +
            "".join(f" a{i} = x -> {name}\n" for i, name in enumerate(names)) + " loss mse(x -> dense(16), t)\n}\n")


def setting(key):
    def spec(names):
        return "".join(f"network n{i} {{ input x : f32[1]  target t : f32[1]  loss mse(x -> dense(1), t) }}\n"
                       f"train n{i} {{ {key} {name}  data synthetic(64) }}\n" for i, name in enumerate(names))
    return spec


def public(module):
    return sorted(name for name in dir(module) if not name.startswith("_") and callable(getattr(module, name)))


def main():
    failed = 0
    cases = (("functions", layers, [n for n in public(torch.nn.functional) + public(torch) if n == n.lower()]),
             ("modules", layers, [n for n in public(torch.nn) if n != n.lower()]),
             ("optimizers", setting("optimizer"), public(torch.optim)),
             ("schedules", setting("schedule"), [n for n in public(torch.optim.lr_scheduler) if "LR" in n or "Cos" in n]))
    print(f"1..{2 * len(cases)}")
    with tempfile.TemporaryDirectory() as folder:
        for k, (kind, spec, names) in enumerate(cases):
            found = list(guesses(folder, names, spec))
            wrong = [f"{a} for {b}" for a, b, fix in found if fix and not is_same(a, b)]
            failed += bool(wrong) + (not found)
            print(f"{'not ok' if wrong else 'ok'} {2 * k + 1} - {len(names)} {kind}: {len(found)} guesses, which compute "
                  f"something else: {', '.join(wrong) or 'none'}")
            print(f"{'ok' if found else 'not ok'} {2 * k + 2} - and some are guessed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
