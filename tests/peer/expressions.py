#!/usr/bin/env python3
"""Networks of random arithmetic, reductions among it, the same ones every time: values and gradients are compared with PyTorch's by
compare.py, which is given the specs that this writes.

    expressions.py [--plain] FOLDER NETWORKS [EXPRESSIONS [FIRST]]

Each expression is of depth up to 8, over two inputs, a dense layer and parameters that are repeated along axes. What is
taken keeps values and slopes of about 1; divisors and what a logarithm, a root or a power is of stay above 1, and
exponents below 1. Conditions are of inputs, which are the same in f32 and f64; but which element is the largest may
differ, so networks are held against PyTorch in f64. PLAIN ones have no reductions, for f32.
"""
import os
import random
import sys

plain = sys.argv[1] == "--plain"
if plain:
    del sys.argv[1]
folder, networks = sys.argv[1], int(sys.argv[2])
count = int(sys.argv[3]) if len(sys.argv) > 3 else 20
first_seed = int(sys.argv[4]) if len(sys.argv) > 4 else 0
ONE = ["tanh(%s)", "sigmoid(%s)", "sin(%s)", "cos(%s)", "atan(%s)", "erf(%s)", "softplus(%s)", "exp(-abs(%s))", "log(1.5 + %s * %s)",
       "sqrt(1.2 + %s * %s)", "rsqrt(1.2 + %s * %s)", "log1p(%s * %s)", "expm1(tanh(%s))", "0.7 * %s - 0.2", "1 - %s",
       "1 / (1.5 + %s * %s)", "(1.1 + %s * %s) ^ -0.5", "2 ^ tanh(%s)", "(tanh(%s) + 0.3) ^ 2", "(%s -> elu)", "(%s -> mish)",
       "(%s -> silu)", "(%s -> selu)", "clamp(%s, -9, 9)", "max(%s, -7)", "min(%s, 7.5)"]
TWO = ["%s + %s", "%s - %s", "sin(%s) * %s", "tanh(%s) * tanh(%s)", "%s / (1.5 + tanh(%s))", "(1.2 + sigmoid(%s)) ^ tanh(%s)",
       "where(x > 0.3, %s, %s)", "where(z <= -0.1, %s, %s)", "(x < z) * %s + %s", "max(%s - 3, sin(%s))",
       "min(%s + 4, cos(%s))"]
REDUCED = ["%s - mean(%s, axis=1, keep=true)", "%s + sum(sin(%s), axis=0, keep=true)", "%s * tanh(sum(cos(%s)))",
           "0.5 * %s + max(sin(%s), axis=0, keep=true)", "%s - 0.5 * min(%s, axis=(0, 1), keep=true)",
           "%s / (1.5 + var(tanh(%s), axis=-1, keep=true))", "%s + std(2 + sin(%s), axis=1, keep=true)",
           "%s * cos(max(%s))", "%s - reshape(mean(tanh(%s), axis=0), 1, 3)", "one * %s + min(sigmoid(%s))",
           "%s / (1.2 + var(sin(%s), unbiased=false))"]


def expression(rng, k, lines):
    """Appends statements, and returns the name of the last."""
    terms = [("h", 0), ("x", 0), ("z", 0), ("row * h", 1), ("end + x", 1), ("h", 0)]
    for step in range(rng.randrange(3, 12)):
        near = [t for t in terms if t[1] < 8]
        first, second = rng.choice(near), rng.choice(near)
        if rng.random() < 0.5:
            form = rng.choice(ONE)
            text = form % ((f"({first[0]})",) * form.count("%s"))
            depth = first[1] + 1
        else:
            text = rng.choice(TWO if plain else TWO + REDUCED) % (f"({first[0]})", f"({second[0]})")
            depth = max(first[1], second[1]) + 1
        name = f"e{k}_{step}"
        lines.append(f"  {name} = {text}")
        terms = terms[-5:] + [(name, depth)]
    return name


def network(seed):
    rng, lines = random.Random(seed), []
    results = [expression(rng, k, lines) for k in range(count)]
    return "\n".join([f"network random{seed} {{", "  input  x : f32[2, 3]", "  input  z : f32[2, 3]",
                      f"  target t : f32[{2 * count}, 3]", "  row = parameter((2, 1), init=normal(1))",
                      "  end = parameter((1, 3), init=normal(1))",
                      *["  one = parameter((1, 1), init=normal(1))"][plain:], "  h = x -> dense(3)", *lines,
                      f"  y = concat({', '.join(results)})", "  loss mse(y, t)", "}",
                      "train { batch 2  precision f64  optimizer sgd(lr=0)  data synthetic(2) }", ""])


for seed in range(first_seed, first_seed + networks):
    with open(os.path.join(folder, f"random{seed}.nn"), "w") as f:
        f.write(network(seed))
