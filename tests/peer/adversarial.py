#!/usr/bin/env python3
"""Steps of several updates against PyTorch, written as its users write them.

    adversarial.py [--target cuda] [SPEC]

The DCGAN of PyTorch's examples, its layers made smaller: twenty steps from the same weights, pictures and draws. Both
losses agree to 1e-3, and after these steps so do running statistics, of which D's move three times a step and G's
once, and what was learnt. Then that the order matters: generator first is another training. Prints TAP.
"""
import argparse
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
try:
    import numpy
    import torch
    from torch import nn
except ImportError as absent:
    print(f"1..0 # SKIP {absent.name} is not installed: NOTHING WAS COMPARED WITH PYTORCH")
    sys.exit(0)
sys.path.insert(0, HERE)
from program import program_of      # noqa: E402

STEPS, BATCH, LATENT, WIDTH = 20, 16, 10, 8


def generator():
    return nn.Sequential(
        nn.ConvTranspose2d(LATENT, 2 * WIDTH, 4, 1, 0, bias=False), nn.BatchNorm2d(2 * WIDTH), nn.ReLU(True),
        nn.ConvTranspose2d(2 * WIDTH, WIDTH, 4, 2, 1, bias=False), nn.BatchNorm2d(WIDTH), nn.ReLU(True),
        nn.ConvTranspose2d(WIDTH, 3, 4, 2, 1, bias=False), nn.Tanh())


def discriminator():
    return nn.Sequential(
        nn.Conv2d(3, WIDTH, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, inplace=True),
        nn.Conv2d(WIDTH, 2 * WIDTH, 4, 2, 1, bias=False), nn.BatchNorm2d(2 * WIDTH), nn.LeakyReLU(0.2, inplace=True),
        nn.Conv2d(2 * WIDTH, 1, 4, 1, 0, bias=False), nn.Sigmoid())


# Where PyTorch's layers are in the spec.
NAMES = {
    "generator": {"0": "conv_transpose", "1": "batchnorm", "3": "0.conv_transpose", "4": "0.batchnorm",
                  "6": "conv_transpose_2"},
    "discriminator": {"0": "conv", "2": "0.conv", "3": "0.batchnorm", "5": "conv_2"},
}


def pairs(net, name):
    """Each tensor of the network that training changes, and its name in the program."""
    for key, tensor in net.state_dict().items():
        layer, what = key.split(".")
        if what != "num_batches_tracked":
            yield tensor, f"{name}.{NAMES[name][layer]}.{what}"


def take_weights(net, name, program):
    for tensor, path in pairs(net, name):
        tensor.copy_(torch.from_numpy(program.get(path)))


def step(net_g, net_d, optimizer_g, optimizer_d, real, noise):
    """As in examples/dcgan/main.py; the two losses."""
    criterion = nn.BCELoss()
    ones, zeros = torch.ones(BATCH), torch.zeros(BATCH)
    net_d.zero_grad()
    loss_real = criterion(net_d(real).view(-1), ones)
    loss_real.backward()
    fake = net_g(noise)
    loss_fake = criterion(net_d(fake.detach()).view(-1), zeros)
    loss_fake.backward()
    optimizer_d.step()
    net_g.zero_grad()
    loss_g = criterion(net_d(fake).view(-1), ones)
    loss_g.backward()
    optimizer_g.step()
    return float((loss_real + loss_fake).detach()), float(loss_g.detach())


def compare(program):
    """The largest deviation of a loss, and of what training made of a tensor."""
    net_g, net_d = generator(), discriminator()
    take_weights(net_g, "generator", program)
    take_weights(net_d, "discriminator", program)
    start = {path: t.clone() for net, name in ((net_g, "generator"), (net_d, "discriminator"))
             for t, path in pairs(net, name)}
    optimizer_d = torch.optim.Adam(net_d.parameters(), lr=2e-4, betas=(0.5, 0.999))
    optimizer_g = torch.optim.Adam(net_g.parameters(), lr=1e-4, betas=(0.6, 0.999))
    program.batch, losses = BATCH, 0.0
    for k in range(1, STEPS + 1):
        real = torch.rand(BATCH, 3, 16, 16) * 2 - 1
        program.set("picture", real.numpy())
        program.train_step(BATCH, 2e-4, k)
        noise = torch.from_numpy(program.made["fake.normal"])
        theirs = step(net_g, net_d, optimizer_g, optimizer_d, real, noise)
        mine = [float(program.made[f"loss.{name}.add" if name == "d" else "loss.g.bce_with_logits"])
                for name in ("d", "g")]
        losses = max([losses] + [abs(a - b) / abs(b) for a, b in zip(mine, theirs)])
        print(f"# step {k}: d {mine[0]:.7f} {theirs[0]:.7f}  g {mine[1]:.7f} {theirs[1]:.7f}")
    statistics = weights = 0.0
    for net, name in ((net_g, "generator"), (net_d, "discriminator")):
        for tensor, path in pairs(net, name):
            moved = numpy.linalg.norm((tensor - start[path]).numpy())
            off = numpy.linalg.norm(program.get(path) - tensor.numpy()) / moved
            if "running" in path:
                statistics = max(statistics, off)
            else:
                weights = max(weights, off)
    return losses, statistics, weights


# ---- a critic that moves three times as often as the generator ----

def wasserstein(program):
    """The same of a Wasserstein GAN: the critic moves in each step, the generator in the first and each third from it."""
    net_g = nn.Sequential(nn.Linear(6, 24, bias=False), nn.ReLU(), nn.Linear(24, 8))
    net_c = nn.Sequential(nn.Linear(8, 24), nn.LeakyReLU(0.2), nn.Linear(24, 1))
    both = [(tensor, f"{name}.{'dense' if key[0] == '0' else 'dense_2'}.{key[2:]}")
            for net, name in ((net_g, "generator"), (net_c, "critic")) for key, tensor in net.state_dict().items()]
    for tensor, path in both:
        tensor.copy_(torch.from_numpy(program.get(path)))
    start = [tensor.clone() for tensor, _ in both]
    optimizer_c = torch.optim.RMSprop(net_c.parameters(), lr=1e-3)
    optimizer_g = torch.optim.Adam(net_g.parameters(), lr=2e-3, betas=(0.5, 0.999))
    program.batch, losses, moved = BATCH, 0.0, []
    for k in range(1, STEPS + 1):
        real = torch.rand(BATCH, 8) + 1
        program.set("real", real.numpy())
        before = program.get("generator.dense.weight").copy()
        program.train_step(BATCH, 1e-3, k)
        if not (before == program.get("generator.dense.weight")).all():
            moved.append(k)
        fake = net_g(torch.from_numpy(program.made["fake.normal"]).reshape(BATCH, 6))
        optimizer_c.zero_grad()
        loss_c = net_c(fake.detach()).mean() - net_c(real).mean()
        loss_c.backward()
        optimizer_c.step()
        loss_g = -net_c(fake).mean()
        if (k - 1) % 3 == 0:
            optimizer_g.zero_grad()
            loss_g.backward()
            optimizer_g.step()
        mine = [float(program.made[name]) for name in ("loss.c.average", "loss.g.average")]
        theirs = [float(loss_c.detach()), float(loss_g.detach())]
        losses = max([losses] + [abs(a - b) / max(abs(b), 0.1) for a, b in zip(mine, theirs)])
        print(f"# step {k}: c {mine[0]:.7f} {theirs[0]:.7f}  g {mine[1]:.7f} {theirs[1]:.7f}")
    # (its last bias has no gradient, and does not move)
    off = [numpy.linalg.norm(program.get(path) - tensor.numpy()) / max(numpy.linalg.norm((tensor - was).numpy()), 1e-6)
           for (tensor, path), was in zip(both, start)]
    return losses, max(off), moved


def losses_of(text, folder, target):
    path = os.path.join(folder, "other.nn")
    open(path, "w").write(text)
    program = program_of(path, target)
    program.batch = BATCH
    torch.manual_seed(1)
    for k in range(1, 4):
        program.set("picture", (torch.rand(BATCH, 3, 16, 16) * 2 - 1).numpy())
        program.train_step(BATCH, 2e-4, k)
    return float(program.made["loss.g.bce_with_logits"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--target", choices=("c", "cuda"), default="c")
    parser.add_argument("--critic", default=os.path.join(HERE, "adversarial", "wgan.nn"))
    parser.add_argument("spec", nargs="?", default=os.path.join(HERE, "adversarial", "dcgan.nn"))
    args = parser.parse_args()
    torch.manual_seed(0)
    losses, statistics, weights = compare(program_of(args.spec, args.target))
    text = open(args.spec).read()
    head, updates = text.split("update ", 1)
    first, rest = updates.split(",\n", 1)
    second, rest = rest.split("\n", 1)
    with tempfile.TemporaryDirectory() as folder:
        one = losses_of(text, folder, args.target)
        other = losses_of(f"{head}update {second.strip()}, {first}\n{rest}", folder, args.target)
    critic, learnt, moved = wasserstein(program_of(args.critic, args.target))
    checks = [("both losses of twenty steps", losses, 1e-3), ("running statistics after them", statistics, 1e-3),
              ("what was learnt", weights, 1e-2), ("both losses where the critic moves more often", critic, 1e-3),
              ("what is learnt so", learnt, 1e-2)]
    print(f"1..{len(checks) + 2}")
    failed = 0
    for k, (what, off, limit) in enumerate(checks, 1):
        failed += not off <= limit
        print(f"{'ok' if off <= limit else 'not ok'} {k} - {what} as in PyTorch: {off:.2g}")
    differ = abs(one - other) > 1e-4 * abs(one)
    failed += not differ
    print(f"{'ok' if differ else 'not ok'} {len(checks) + 1} - the other order of updates is another training")
    third = moved == list(range(1, STEPS + 1, 3))
    failed += not third
    print(f"{'ok' if third else 'not ok'} {len(checks) + 2} - the generator moves in steps {moved}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
