"""PyTorch's optimizers, and those that it has not, by their papers."""
import torch


class Lion(torch.optim.Optimizer):
    """Algorithm 2 of Chen and others, 2023, in PyTorch's foreach functions."""
    def __init__(self, params, lr, betas, weight_decay, foreach=True):
        super().__init__(params, {"lr": lr, "betas": betas, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            first, second = group["betas"]
            weights, grads = group["params"], [p.grad for p in group["params"]]
            means = [self.state[p].setdefault("exp_avg", torch.zeros_like(p)) for p in weights]
            steps = torch._foreach_mul(means, first)
            torch._foreach_add_(steps, grads, alpha=1 - first)
            torch._foreach_sign_(steps)
            torch._foreach_mul_(weights, 1 - group["lr"] * group["weight_decay"])
            torch._foreach_add_(weights, steps, alpha=-group["lr"])
            torch._foreach_mul_(means, second)
            torch._foreach_add_(means, grads, alpha=1 - second)


class Lamb(torch.optim.Optimizer):
    """Algorithm 2 of You and others, 2019; a parameter without weight decay is not adapted, as in their program."""
    def __init__(self, params, lr, betas, eps, weight_decay, always_adapt):
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay})
        self.betas, self.eps, self.always, self.updates = betas, eps, always_adapt, 0

    @torch.no_grad()
    def step(self):
        self.updates += 1
        first, second = self.betas
        for group in self.param_groups:
            for p in group["params"]:
                s = self.state[p]
                m = s["m"] = first * s.get("m", 0) + (1 - first) * p.grad
                v = s["v"] = second * s.get("v", 0) + (1 - second) * p.grad ** 2
                u = m / (1 - first ** self.updates) / ((v / (1 - second ** self.updates)).sqrt() + self.eps)
                u = u + group["weight_decay"] * p
                ratio = p.norm() / u.norm() if p.norm() > 0 and u.norm() > 0 else 1
                p -= group["lr"] * (ratio if self.always or group["weight_decay"] else 1) * u


def dynamic_tree(signed):
    """The 256 numbers of Dettmers and others, 2021, as their program makes them."""
    numbers = [0, 1]
    for decade in range(7):
        ends = torch.linspace(0.1, 1, 2 ** (decade + (0 if signed else 1)) + 1)
        middles = 10 ** (decade - 6) * (ends[:-1] + ends[1:]) / 2
        numbers += middles.tolist() + ((-middles).tolist() if signed else [])
    return torch.tensor(sorted(numbers))


def coded(x, signed):
    """What becomes of X in eight bits, block by block of 256."""
    tree, y = dynamic_tree(signed), x.clone()
    for block in y.view(-1).split(256):
        most = block.abs().max()
        if most > 0:
            to = tree[((block / most)[:, None] - tree).abs().argmin(1)]
            least = tree[tree < 0].max() if signed else 0
            block.copy_(torch.where((to == 0) & (block < 0), least, to) * most)
    return y


class AdamW8bit(torch.optim.Optimizer):
    """AdamW whose means are coded between updates."""
    def __init__(self, params, lr, betas, eps, weight_decay):
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay})
        self.betas, self.eps, self.updates = betas, eps, 0

    @torch.no_grad()
    def step(self):
        self.updates += 1
        first, second = self.betas
        for group in self.param_groups:
            for p in group["params"]:
                s = self.state[p]
                m = first * s.get("m", 0) + (1 - first) * p.grad
                v = second * s.get("v", 0) + (1 - second) * p.grad ** 2
                small = p.numel() < 4096
                s["m"], s["v"] = (m, v) if small else (coded(m, True), coded(v, False))
                p *= 1 - group["lr"] * group["weight_decay"]
                p -= group["lr"] * m / (1 - first ** self.updates) / (
                    (v / (1 - second ** self.updates)).sqrt() + self.eps)


def adafactor(params, lr, beta2_decay, eps1, eps2, d, weight_decay):
    return torch.optim.Adafactor(params, lr, beta2_decay, (eps1 or 2.0 ** -23, eps2), d, weight_decay)


OPTIMIZERS = {"lamb": Lamb, "adafactor": adafactor, "adamw8bit": AdamW8bit, "sgd": torch.optim.SGD, "adam": torch.optim.Adam, "adamw": torch.optim.AdamW,
              "rmsprop": torch.optim.RMSprop, "adagrad": torch.optim.Adagrad,
              "adadelta": torch.optim.Adadelta, "adamax": torch.optim.Adamax, "lion": Lion}


def optimizer(graph, parameters, **more):
    """PyTorch's optimizer of that name, with its arguments."""
    name, attrs = graph.optimizer
    attrs = {**attrs, **more}
    if "beta1" in attrs:
        attrs["betas"] = (attrs.pop("beta1"), attrs.pop("beta2"))
    return OPTIMIZERS[name](parameters, **attrs)
