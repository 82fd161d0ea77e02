#!/usr/bin/env python3
"""Ten steps of every loss and every optimizer beside PyTorch's, and every metric beside torchmetrics or scikit-learn.

What there is is asked of `stowage explain --operators`: one that has no case here fails. Losses and optimizers:
each loss of each step and each weight afterwards, in f32, or what the steps changed of it, in f64, to 1e-5. Metrics: of what the
program predicts after ten steps, ignored labels included, to 1e-5. Prints TAP.
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy
import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compare      # noqa: E402
import ir           # noqa: E402
from program import program_of      # noqa: E402

STOWAGE = os.environ.get("STOWAGE", "./stowage")
LIMIT = 1e-5
TRAIN = "train { batch 6  precision %s  optimizer %s  data synthetic(samples=6) }\n"

# By loss: what it reads, as formulas of numbers y and t, and with which arguments.
ELEMENTS = {
    "mse": ("y, t", ""), "l1": ("y, t", ""), "smooth_l1": ("y, t", "", "beta=0.3"), "huber": ("y, t", "", "delta=0.4"),
    "quantile": ("y, t", "", "q=0.8"), "poisson_nll": ("y, sigmoid(t)", ""),
    "kl_div": ("logsigmoid(y), sigmoid(t)", ""), "bce": ("sigmoid(y), sigmoid(t)", ""),
    "bce_with_logits": ("y, sigmoid(t)", "", "pos_weight=3"),
    "focal": ("y, sigmoid(t)", "", "gamma=1.5, alpha=-1"), "hinge": ("y, sign(t)", "", "margin=0.5"),
    "soft_margin": ("y, sign(t)", ""), "weighted_mean": ("(y - t) ^ 2, sigmoid(t)", ""),
}
# Of labels: of logits, of a map and in rows; OWN are weights of labels.
LABELS = {
    "cross_entropy": ("%s", "%s, ignore=2", "%s, smoothing=0.1", "%s, weights=(0.5, 0, 1, 3.25)",
                      "%s, ignore=1, smoothing=0.2, weights=(0.5, 2, 1, 3.25)", "%s, OWN", "%s, OWN, ignore=0",
                      "%s, OWN, ignore=3, smoothing=0.3, weights=(0.5, 2, 1, 3.25)"),
}
BLOCKS = ("(sigmoid(m -> conv(2, 1)), sigmoid(s)) -> dice", "(y, t, v) -> cosine_loss(0.1)", "(y, h, t) -> triplet",
          "(y, t, sigmoid(v)) -> contrastive(2)")
# Of sequences of five steps of H, with and without their lengths.
SEQUENCES = {"ctc": ("u", "u, n, m, zero_infinity=true", "v, blank=3, per_label=false")}
OPTIMIZERS = {
    "sgd": ("lr=0.05", "lr=0.05, momentum=0.9, weight_decay=0.1", "lr=0.05, momentum=0.8, nesterov=true"),
    "adam": ("lr=1e-2", "lr=1e-2, beta1=0.8, beta2=0.95, eps=1e-6, weight_decay=0.1"),
    "adamw": ("lr=1e-2", "lr=1e-2, beta1=0.8, beta2=0.95, weight_decay=0.1"),
    "adamw8bit": ("lr=1e-2, weight_decay=0.1",),
    "rmsprop": ("lr=1e-2", "lr=1e-2, alpha=0.9, momentum=0.5, centered=true, weight_decay=0.1"),
    "adagrad": ("lr=0.1", "lr=0.1, lr_decay=0.1, weight_decay=0.1"),
    "adadelta": ("lr=1", "lr=0.5, rho=0.8, weight_decay=0.1"), "adamax": ("lr=1e-2", "lr=1e-2, weight_decay=0.1"),
    "lion": ("lr=1e-2", "lr=1e-2, beta1=0.8, weight_decay=0.1"), "lamb": ("lr=1e-2", "lr=1e-2, weight_decay=0.1"),
    "adafactor": ("lr=1e-2", "lr=1e-2, weight_decay=0.1"),
}


def elements():
    heads = [f"loss {name}({operands.replace('y', f'(h -> dense(5))')}{', ' * bool(a)}{a})"
             for name, (operands, *arguments) in ELEMENTS.items() for a in arguments]
    return ("network net {\n input x : f32[4]\n target t : f32[5]\n h = x -> dense(8) -> tanh\n " +
            "\n ".join(heads) + "\n}\n")


def labels():
    heads = []
    for name, arguments in LABELS.items():
        for a in arguments:
            for logits, label, own in (("(h -> dense(4))", "t", "w"), ("(m -> conv(4, 1))", "s", "u")):
                heads.append(f"loss {name}({logits}, {a.replace('OWN', own) % label})")
    return ("network net {\n input x : f32[4]\n input m : f32[2, 3, 3]\n input w : f32[1]\n input u : f32[3, 3]\n"
            " target t : class[4]\n target s : class[4, 3, 3]\n h = x -> dense(8) -> tanh\n " +
            "\n ".join(heads).replace(", w", ", sum(w^2)", ).replace(", sum(w^2)eights", ", weights").replace(
                ", u", ", u * u") + "\n}\n")


def blocks():
    heads = [f"loss {b.replace('y', '(h -> dense(5))')}" for b in BLOCKS]
    return ('use "std/losses.nn"\nnetwork net {\n input x : f32[4]\n input v : f32[1]\n input m : f32[2, 3, 3]\n'
            " target t : f32[5]\n target s : f32[2, 3, 3]\n h = x -> dense(5) -> tanh\n " +
            "\n ".join(heads) + "\n}\n")


def sequences():
    heads = [f"loss {name}((h -> dense(4)), {a})" for name, arguments in SEQUENCES.items() for a in arguments]
    return ("network net {\n input x : f32[7, 3]\n target n : class[4]\n target m : class[8]\n"
            " target u : class[4, 3]\n target v : class[4, 3]\n h = x -> dense(6) -> tanh\n " +
            "\n ".join(heads) + "\n}\n")


def optimized():
    # one weight of 5,000: adamw8bit updates what has fewer than 4,096 as adamw does
    return ("network net {\n input x : f32[100]\n target t : f32[3]\n y = x -> dense(50) -> tanh -> dense(3)\n"
            " loss mse(y, t)\n}\n")


def ten_steps(folder, text, optimizer, precision):
    spec = os.path.join(folder, "net.nn")
    with open(spec, "w") as f:
        f.write(text + TRAIN % (precision, optimizer))
    text = compare.graph_text(spec)
    graph = ir.Graph(text)
    graph.updates = ir.updates(compare.graph_text(spec, "c", ["--dump-after=update"]))
    torch.manual_seed(1)
    return compare.steps_off(graph, program_of(spec), precision, 10,
                             compare.changed_off if precision == "f64" else weight_off)


def weight_off(mine, theirs, start):
    return numpy.linalg.norm(mine - theirs) / numpy.linalg.norm(theirs)


METRICS = """
network net {
  input  x : f32[3]
  target t : class[5]
  target u : f32[2]
  h = x -> dense(16) -> tanh
  y = h -> dense(5)
  z = h -> dense(2)
  loss   ce: 0.1 * cross_entropy(y, t, ignore=-1)
  loss   distance: mse(z, u)
  metric accuracy(y, t, ignore=-1)
  metric top: accuracy(y, t, ignore=-1, top=2)
  metric precision(y, t)
  metric recall(y, t)
  metric f1(y, t)
  metric iou(y, t)
  metric confusion(y, t)
  metric perplexity(y, t)
  metric r2(z, u)
  metric mae: l1(z, u)
}
train    { batch 10  epochs 2  optimizer adam(lr=0.05)  data csv("data.csv") }
validate { batch 8  data csv("data.csv") }
"""


def metrics(folder):
    """Metric by metric: ours and theirs. The class of a label that does not occur has no part in means."""
    import sklearn.metrics as by
    import torchmetrics.functional as tm
    random = numpy.random.default_rng(7)
    x = random.random((50, 3))
    labels = numpy.where(x[:, 0] > 0.9, -1, (3.99 * x[:, 1]).astype(int))
    targets = numpy.stack([x[:, 0] - x[:, 1], 2 * x[:, 2]], 1)
    numpy.savetxt(os.path.join(folder, "data.csv"), numpy.hstack([x, labels[:, None], targets]), "%.9g", ",")

    def run(text, *options):
        open(os.path.join(folder, "net.nn"), "w").write(text)
        subprocess.run([STOWAGE, "emit", "--target", "c", "-o", "out/", "--force", "net.nn"], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-O0", "-w", "-fopenmp-simd", "-pthread", "-o", "net",
                        "out/net.c", "-lm"], cwd=folder, check=True)
        subprocess.run(["./net", "--quiet", *options], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    run(METRICS, "--save", "net.st", "--log", "log")
    log = [json.loads(line) for line in open(os.path.join(folder, "log"))][-2]
    subprocess.run(["./net", "--quiet", "--resume", "net.st", "--predict", "y.npy"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)
    run(METRICS.replace("  loss   ce: 0.1 * cross_entropy(y, t, ignore=-1)\n", ""), "--weights", "net.st", "--predict",
        "z.npy")
    y, z = (torch.from_numpy(numpy.load(os.path.join(folder, f"{name}.npy"))).double() for name in "yz")
    there = labels >= 0
    known, said, logits = labels[there], y.argmax(1).numpy()[there], y[there]
    seen = sorted(set(known) | set(said))
    macro = {"labels": seen, "average": "macro", "zero_division": 0}
    t, u = torch.from_numpy(known), torch.from_numpy(targets)
    theirs = {
        "accuracy": (by.accuracy_score(known, said),
                     tm.accuracy(logits, t, "multiclass", num_classes=5, average="micro")),
        "top": (by.top_k_accuracy_score(known, logits, k=2, labels=range(5)),),
        "precision": (by.precision_score(known, said, **macro),), "recall": (by.recall_score(known, said, **macro),),
        "f1": (by.f1_score(known, said, **macro),), "iou": (by.jaccard_score(known, said, **macro),),
        "confusion": (by.accuracy_score(known, said),),
        "perplexity": (tm.text.perplexity(logits[None], t[None]),),
        "r2": (by.r2_score(targets.ravel(), z.numpy().ravel()), tm.r2_score(z.reshape(-1), u.reshape(-1))),
        "mae": (tm.mean_absolute_error(z.reshape(-1), u.reshape(-1)),),
    }
    for name, values in theirs.items():
        for value in values:
            yield name, log["validation_" + name], float(value)
    table = numpy.array(log["validation_confusion_by_class"])
    yield "table", 0.0, float(abs(table - by.confusion_matrix(known, said, labels=range(5))).max())


def registry():
    lines = subprocess.run([STOWAGE, "explain", "--operators"], check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in lines.splitlines():
        words = line.split()
        if len(words) > 2 and words[1] in ("loss", "metric", "optimizer"):
            yield words[1], words[0]


class Report:
    def __init__(self):
        self.tests, self.failed = 0, 0

    def say(self, good, words):
        self.tests += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.tests} - {words}", flush=True)

    def steps(self, folder, name, text, optimizer):
        for precision in ("f32", "f64"):
            try:
                worst, where = ten_steps(folder, text, optimizer, precision)
            except Exception as e:      # one that is broken must not hide the others
                worst, where = float("nan"), f"{type(e).__name__}: {e}"
            self.say(worst <= LIMIT, f"ten steps, {name} in {precision}: {worst:.2g} ({where})")


def main():
    report = Report()
    cases = {"loss": {*ELEMENTS, *LABELS, *SEQUENCES}, "optimizer": OPTIMIZERS}
    with tempfile.TemporaryDirectory() as folder:
        report.steps(folder, "losses of elements", elements(), "sgd(lr=0.1)")
        report.steps(folder, "losses of labels", labels(), "sgd(lr=0.1)")
        report.steps(folder, "losses of sequences", sequences(), "sgd(lr=0.1)")
        report.steps(folder, "losses of std/", blocks(), "sgd(lr=0.1)")
        for name, variants in OPTIMIZERS.items():
            for arguments in variants:
                report.steps(folder, f"{name}({arguments})", optimized(), f"{name}({arguments})")
        cases["metric"] = {"box_ap", "mask_ap"}     # in average_precision.py
        for name, mine, theirs in metrics(folder):
            cases["metric"].add(name)
            report.say(abs(mine - theirs) <= LIMIT * max(1, abs(theirs)), f"{name}: {mine:.7f} {theirs:.7f}")
    missing = [f"{kind} {name}" for kind, name in registry() if name not in cases[kind]]
    report.say(not missing, f"all have a case: {', '.join(missing) or 'yes'}")
    print(f"1..{report.tests}")
    sys.exit(report.failed > 0)


if __name__ == "__main__":
    main()
