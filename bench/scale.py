#!/usr/bin/env python3
"""How long a step takes on many ranks: what a plan and published figures say, and here what is measured.

    bench/scale.py                      ResNet-50 and GPT-2 1.5B on 1 to 1,024 GPUs, from plans alone
    bench/scale.py --here [SPEC]        1, 2, 4 and 8 ranks of a C program on this machine, predicted and measured
    bench/scale.py --test               the formulas against numbers by hand

Each rank has the same micro-batch however many there are. Its step is the roofline of `stowage plan` ("step_at_least": of each
kernel's traffic and arithmetic at 84 % of what is published for the card, and 3 us for each). Sums over ranks, in the pieces
that the plan makes of them, begin as backward, the last two thirds of the step, gets to them; one goes between ranks at a time,
and what is not over when the step is adds to it. A piece of S bytes takes the shorter of

    ring    2 (N - 1) / N * S / bandwidth + 2 (N - 1) latencies
    tree    2 S / (0.9 bandwidth) + 2 log2 N latencies

with NCCL's own latencies of both (src/graph/tuning.cc of NCCL: a base, and one for each hop over NVLink and over the network). The
bandwidth is that of the slowest link: between GPUs of a machine, and of all its network cards between machines. Nothing else is
counted: no other traffic, no noise, no data to be read.
"""
import argparse
import json
import math
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
STOWAGE = os.environ.get("STOWAGE", os.path.join(TOP, "stowage"))

# GPUs of a machine, GB/s each way of a GPU to the others (NVIDIA's data sheets), GB/s of all network cards of a machine.
MACHINES = {
    "H100": (8, 450, 400),      # DGX H100: NVLink 4 of 900 GB/s both ways, 8 x 400 Gb/s
    "A100": (8, 300, 200),      # DGX A100: NVLink 3 of 600 GB/s both ways, 8 x 200 Gb/s
}

# us: NCCL's base, of a hop over NVLink, of one over the network; a tree's are of its small protocol (LL), which has a quarter of
# the bandwidth, and of its simple one, whose hops are of chunks
RING = (8.4, 3.4, 9.6)
TREES = ((4.4, 0.52, 5.0, 1 / 3.8), (0.0, 28.0, 50.0, 1.0))


class Link:
    """What joins N ranks: seconds that a sum of some bytes over all of them takes."""

    def __init__(self, ranks, machine):
        here, between_cards, between_machines = machine
        self.ranks = ranks
        self.machines = math.ceil(ranks / here)
        self.each = min(ranks, here)
        self.bandwidth = 1e9 * (between_cards if self.machines == 1 else min(between_cards, between_machines))

    def ring(self, size, halves=2):
        base, near, far = RING
        hops = halves * (self.ranks - 1)
        over = halves * (self.machines - 1)
        return halves * (self.ranks - 1) / self.ranks * size / self.bandwidth + \
            1e-6 * (base + (hops - over) * near + over * far)

    def tree(self, size):
        return min(2 * size / (0.9 * share * self.bandwidth) + 1e-6 * (base + 2 * (
            (self.each - 1) * near + math.log2(self.machines) * far)) for base, near, far, share in TREES)

    def sum(self, size):
        return 0.0 if self.ranks == 1 else min(self.ring(size), self.tree(size))

    def half(self, size):
        """Pieces that are brought to all, or summed to one each: a ring's half."""
        return 0.0 if self.ranks == 1 else self.ring(size, 1)


def step_seconds(compute, plan, link):
    """COMPUTE: seconds of a step without others. PLAN: its between_ranks. Returns all of it."""
    pieces = plan["pieces"]
    if link.ranks == 1 or not pieces:
        return compute
    size = plan["gradient_bytes"] / pieces
    early = round(pieces * plan["meanwhile_bytes"] / plan["gradient_bytes"])
    one = link.sum(size) if plan["shard"] == "none" else link.half(size)
    over = 0.0
    for i in range(pieces):
        ready = compute * (1 / 3 + 2 / 3 * (i + 1) / early) if i < early else compute
        over = max(over, ready) + one
    if plan["weight_bytes"]:    # brought to all in as many pieces: of parameters beside what the step does, else behind the update
        gathered = pieces * link.half(plan["weight_bytes"] / pieces)
        over = max(over, gathered + pieces * one) if plan["shard"] == "parameters" else over + gathered
    return max(compute, over)


def plan(spec, *options):
    out = subprocess.run([STOWAGE, "plan", "--format", "json", *options, spec], check=True, capture_output=True, text=True)
    return json.loads(out.stdout)


def with_batch(text, batch):
    """The spec with that batch, and one micro-batch of it on each rank."""
    head, train = text.split("train {", 1) if "train {" in text else text.split("train    {", 1)
    train = re.sub(r"\baccumulate\s+\d+", "", train, count=1)
    return head + "train {" + re.sub(r"\bbatch\s+\d+", f"batch {batch}", train, count=1)


# name, spec, micro-batch, options, card: the sample of GPT-2 is a sequence of 1,024 tokens
CLUSTERS = [
    ("ResNet-50, bf16, 256 images a rank", "specs/resnet50.nn", 256, [], "H100"),
    ("GPT-2 1.5B, bf16, 4 sequences a rank, optimizer shared out", "bench/specs/gpt2_xl.nn", 4, ["--shard", "optimizer"], "H100"),
    ("GPT-2 1.5B, the same, parameters shared out", "bench/specs/gpt2_xl.nn", 4, ["--shard", "parameters"], "H100"),
]


def clusters():
    for name, spec, micro, options, card in CLUSTERS:
        text = open(os.path.join(TOP, spec)).read()
        if "bf16" not in text:
            text = text.replace("train {", "train { precision bf16 ", 1)
        with tempfile.TemporaryDirectory() as folder:
            for helper in ("bench/specs", "specs"):
                for file in os.listdir(os.path.join(TOP, helper)):
                    if file.endswith(".nn"):
                        os.path.exists(os.path.join(folder, file)) or os.symlink(os.path.join(TOP, helper, file),
                                                                                 os.path.join(folder, file))
            path = os.path.join(folder, os.path.basename(spec))
            os.path.islink(path) and os.unlink(path)
            print(f"\n{name}, on {card}:\n")
            print("| ranks | arena of each, GiB | compute, ms | sums, ms | step, ms | samples/s | of linear |")
            print("|---|---|---|---|---|---|---|")
            alone = None
            for ranks in (1, 8, 16, 32, 64, 128, 256, 512, 1024):
                with open(path, "w") as f:
                    f.write(with_batch(text, micro * ranks))
                p = plan(path, "--target", "cuda", "--device", card, "--ranks", str(ranks), *options)
                compute = p["step_at_least"]["milliseconds"] / 1e3
                link = Link(ranks, MACHINES[card])
                step = step_seconds(compute, p["between_ranks"], link)
                b = p["between_ranks"]
                sums = b["pieces"] * (link.sum if b["shard"] == "none" else link.half)(b["gradient_bytes"] / max(1, b["pieces"]))
                rate = ranks * p["batch"] / step
                alone = alone or rate
                print(f"| {ranks:,} | {p['arena_bytes'] / 2**30:.2f} | {1e3 * compute:.1f} | {1e3 * sums:.1f} | "
                      f"{1e3 * step:.1f} | {rate:,.0f} | {100 * rate / alone / ranks:.0f} % |")


# ---- here ----

ENV = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
           OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none")


def copy_rate():
    """Bytes that a processor copies in a second of its time."""
    block = bytearray(8 << 20)
    start = time.process_time()
    for _ in range(64):
        bytes(block)
    return 64 * len(block) / (time.process_time() - start)


class Timed:
    """Programs that run at once: when each of them said that an update was over."""

    def __init__(self, folder, commands, steps):
        self.at = [[] for _ in commands]
        logs = [os.path.join(folder, f"log{k}.jsonl") for k in range(len(commands))]
        for log in logs:
            os.path.exists(log) or os.mkfifo(log)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        readers = [threading.Thread(target=self.read, args=(k, log), daemon=True) for k, log in enumerate(logs)]
        for reader in readers:
            reader.start()
        running = [subprocess.Popen([*command, "--steps", str(steps), "--quiet", "--log", log], env=ENV,
                                    stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL) for command, log in zip(commands, logs)]
        for program, reader in zip(running, readers):
            if program.wait():
                sys.exit("a program failed")
            reader.join()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.processor = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

    def read(self, k, log):
        with open(log) as lines:
            for line in lines:
                if '"event":"update"' in line:
                    self.at[k].append(time.monotonic())

    def steps(self):
        """Of all programs; the last step is told of at once with the one before, the first begins with the program."""
        return [b - a for at in self.at for a, b in zip(at[1:], at[2:-1])]


class Measured:
    """Of a step: seconds of the processor by all programs, and each one's of the clock, over some rounds."""

    def __init__(self):
        self.processor, self.clock = [], []

    def add(self, folder, commands, steps):
        short, long = Timed(folder, commands, 2), Timed(folder, commands, 2 + steps)
        self.processor.append((long.processor - short.processor) / steps)
        self.clock += long.steps()


def together(ranks, cores, clock, draws=4000):
    """What a step of so many ranks takes by the clock, in the middle, where CLOCK are steps of one that waits for none, as
    many at once as there are cores for: ranks wait for the slowest, and share the cores."""
    draw = random.Random(1)
    one = lambda: [draw.choice(clock) for _ in range(ranks)]
    return statistics.median(max(max(own), sum(own) / min(ranks, cores)) for own in (one() for _ in range(draws)))


def build(spec, name, folder, counts):
    """Programs of so many ranks, in a folder; by ranks their plans, and how they are started."""
    plans, programs = {}, {}
    micro = plan(spec, "--target", "c", "--threads", "1")["batch"]
    for ranks in counts:
        to = os.path.join(folder, str(ranks)) + "/"
        options = ["--target", "c", "--threads", "1", "--ranks", str(ranks)]
        scaled = os.path.join(folder, f"{name}.nn")
        open(scaled, "w").write(with_batch(open(spec).read(), micro * ranks))
        plans[ranks] = plan(scaled, *options)
        if not os.path.exists(os.path.join(to, name)):
            subprocess.run([STOWAGE, "emit", *options, scaled, "-o", to], check=True)
            subprocess.run(["make", "-s", "-C", to], check=True)
        programs[ranks] = [os.path.join(to, name)] if ranks == 1 else ["mpirun", "-n", str(ranks), os.path.join(to, name)]
    return plans, programs


def here(spec, steps, rounds, folder):
    name = os.path.splitext(os.path.basename(spec))[0]
    cores = len(os.sched_getaffinity(0))
    counts = (1, 2, 4, 8)
    measured = {ranks: Measured() for ranks in counts}
    apart = {n: Measured() for n in {min(ranks, cores) for ranks in counts}}    # programs of one rank, so many at once
    plans, programs = build(spec, name, folder, counts)
    rate = copy_rate()
    for _ in range(rounds):     # in turns, as a machine is not always as fast
        for n in apart:
            apart[n].add(folder, n * [programs[1]], steps)
        for ranks in counts[1:]:
            measured[ranks].add(folder, [programs[ranks]], steps)
    measured[1] = apart[1]
    print(f"{name}, micro-batch {plans[1]['batch']}, {cores} cores, load {os.getloadavg()[0]:.1f}; a processor copies {rate / 1e9:.1f} GB/s\n")
    print("| ranks | processor time: predicted | measured | off | by the clock: predicted | measured | off |")
    print("|---|---|---|---|---|---|---|")
    for ranks in counts:
        busy = min(ranks, cores)
        # of its piece a rank reads what each has, and writes the sum to each: N reads and N writes of an N-th, which is a copy
        # of all (kernels/update/near.cu)
        sums = plans[ranks]["between_ranks"]["gradient_bytes"] / rate if ranks > 1 else 0
        processor = ranks * (statistics.median(apart[busy].processor) / busy + sums)
        clock = together(ranks, cores, apart[busy].clock) + ranks * sums / busy
        got = [statistics.median(measured[ranks].processor), statistics.median(measured[ranks].clock)]
        row = "".join(f" {p:.3f} s | {m:.3f} s | {100 * (p / m - 1):+.1f} % |" for p, m in zip((processor, clock), got))
        print(f"| {ranks} |" + (row if ranks > 1 else f" | {got[0]:.3f} s | | | {got[1]:.3f} s | |"))
    if cores > 1:
        print(f"\nTwo ranks on two cores have {2 * statistics.median(measured[1].clock) / statistics.median(measured[2].clock):.2f} "
              "times the samples of one on one")


def test():
    link = Link(16, (8, 450, 400))
    assert abs(link.ring(16e9) - (2 * 15 / 16 * 16e9 / 400e9 + 1e-6 * (8.4 + 28 * 3.4 + 2 * 9.6))) < 1e-12
    assert abs(link.tree(64) - (128 * 3.8 / (0.9 * 400e9) + 1e-6 * (4.4 + 2 * (7 * 0.52 + 5.0)))) < 1e-12
    assert Link(8, (8, 450, 400)).bandwidth == 450e9 and Link(1, (8, 450, 400)).sum(1e9) == 0
    # two pieces of 0.1 s each: the first is ready after two thirds of 0.9 s, the second at its end

    class Slow(Link):
        def sum(self, size):
            return 0.1
    b = {"pieces": 2, "gradient_bytes": 2, "meanwhile_bytes": 2, "shard": "none", "weight_bytes": 0}
    assert abs(step_seconds(0.9, b, Slow(2, (8, 1, 1))) - 1.0) < 1e-12
    b["meanwhile_bytes"] = 0    # both at the end
    assert abs(step_seconds(0.9, b, Slow(2, (8, 1, 1))) - 1.1) < 1e-12

    class Halves(Link):
        def half(self, size):
            return 0.1
    # weights brought to all in two more: behind the update, or beside the step, which is as long as all four if these are longer
    b.update(meanwhile_bytes=2, weight_bytes=2, shard="optimizer")
    assert abs(step_seconds(0.9, b, Halves(2, (8, 1, 1))) - 1.2) < 1e-12
    b["shard"] = "parameters"
    assert abs(step_seconds(0.9, b, Halves(2, (8, 1, 1))) - 1.0) < 1e-12
    assert abs(step_seconds(0.3, b, Halves(2, (8, 1, 1))) - 0.4) < 1e-12
    # here: of steps that are all alike none waits, and two ranks on a core take twice as long; of those that take 1 or 3 s, two
    # wait for 3 in three of four pairs, and four on two cores have 4 in the middle, half of their sum
    assert together(8, 2, [0.5]) == 2.0 and together(2, 2, [0.5]) == 0.5 and together(1, 2, [0.5]) == 0.5
    assert together(2, 2, [1, 3]) == 3 and together(4, 2, [1, 3]) == 4
    print("ok")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--here", nargs="?", const=os.path.join(HERE, "specs/resnet18.nn"), metavar="SPEC")
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--programs", metavar="FOLDER", help="where programs are built, and stay: they are not built again, whatever Stowage and SPEC then are")
    parser.add_argument("--test", action="store_true")
    options = parser.parse_args()
    if options.test:
        test()
    elif options.here:
        with tempfile.TemporaryDirectory() as folder:
            here(options.here, options.steps, options.rounds, options.programs or folder)
    else:
        clusters()
