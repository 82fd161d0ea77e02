#!/usr/bin/env python3
"""How long a step takes on many ranks: what a plan and published figures say, and here what is measured.

    bench/scale.py                      ResNet-50 and GPT-2 1.5B on 1 to 1,024 GPUs, from plans alone
    bench/scale.py --here [SPEC]        1, 2, 4 and 8 ranks of a C program on this machine, predicted and measured
    bench/scale.py --turns [SPEC]       a rank on each core and one on one of them in turns, samples a second
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
import ctypes
import json
import math
import os
import random
import re
import signal
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


def copy_rate(cores):
    """Bytes that a processor copies in a second of its time while all do, from and to memory that is there and no cache holds."""
    size, times = 64 << 20, 4
    blocks = [[ctypes.create_string_buffer(b"x" * size, size) for _ in range(2)] for _ in range(cores)]

    def copy(to, of):
        for _ in range(times):
            ctypes.memmove(to, of, size)
    threads = [threading.Thread(target=copy, args=pair) for pair in blocks]
    start = time.process_time()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return cores * times * size / (time.process_time() - start)


def processor_of(process):
    """Seconds of the processor that a process has had so far, and all that it has started and that still run."""
    parent, used = {}, {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            field = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
        except OSError:     # it has just ended
            continue
        parent[int(pid)], used[int(pid)] = int(field[1]), int(field[11]) + int(field[12])
    seconds = 0
    for pid, ticks in used.items():
        while pid != process and pid in parent:
            pid = parent[pid]
        seconds += ticks / os.sysconf("SC_CLK_TCK") if pid == process else 0
    return seconds


class Measured:
    """Of a step of each of the programs that run at once: seconds of the processor, and of the clock, by step. The log tells when an
    update is over; the first step begins with the program, and the last is told of at once with the one before."""

    def __init__(self, folder, commands, steps):
        self.last = steps + 2       # lines of the log that count: the program has not ended then
        self.processor, self.clock = [None] * len(commands), [None] * len(commands)
        logs = [os.path.join(folder, f"log{k}.jsonl") for k in range(len(commands))]
        running = []
        for command, log in zip(commands, logs):
            os.path.exists(log) or os.mkfifo(log)
            running.append(subprocess.Popen([*command, "--steps", str(steps + 4), "--quiet", "--log", log], env=ENV,
                                            stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL))
        readers = [threading.Thread(target=self.read, args=(k, log, running[k].pid), daemon=True) for k, log in enumerate(logs)]
        for reader in readers:
            reader.start()
        for program, reader in zip(running, readers):
            if program.wait():
                sys.exit("a program failed")
            reader.join()

    def read(self, k, log, process):
        at, used = [], []
        with open(log) as lines:
            for line in lines:
                if '"event":"update"' in line:
                    at.append(time.monotonic())
                    if len(at) in (2, self.last):
                        used.append(processor_of(process))
        self.clock[k] = [b - a for a, b in zip(at[1:self.last], at[2:self.last])]
        self.processor[k] = (used[1] - used[0]) / (self.last - 2)


def at_once(seconds):
    """What a step takes on processors on which it takes so many seconds: of a rank that has as much of each, or of many that share
    them, as the faster does more of these. It is the mean of rates, not of times."""
    return len(seconds) / sum(1 / t for t in seconds)


def processor_time(ranks, cores, seconds):
    """What a step of a rank takes of its processor, where it takes SECONDS on each of the busy ones: fewer ranks than processors
    stay where they are, and all do as many steps."""
    return statistics.mean(seconds) if ranks < cores else at_once(seconds)


def together(ranks, cores, clock, draws=4000):
    """What a step of so many ranks takes by the clock, in the middle, where CLOCK are steps of programs of one, one for each busy
    core. As many ranks as cores take turns on these (kernels/host/rotate_c.c), more share them; fewer wait for the slowest."""
    draw = random.Random(1)
    steps = [[draw.choice(of) for of in clock] for _ in range(draws)]
    return statistics.median(max(own) if ranks < cores else ranks / cores * at_once(own) for own in steps)


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


class Row:
    """So many ranks, predicted and measured in some rounds: seconds of a step, of the processor and by the clock."""

    def __init__(self):
        self.predicted, self.measured = [], []

    def add(self, ranks, cores, sums, before, got, after):
        """SUMS: seconds of a processor that a rank needs for them. BEFORE, AFTER: programs of one rank, one for each busy core."""
        own = statistics.mean(processor_time(ranks, cores, of.processor) for of in (before, after))
        clock = statistics.mean(together(ranks, cores, of.clock) for of in (before, after))
        self.predicted.append((ranks * (own + sums), clock + ranks * sums / min(ranks, cores)))
        self.measured.append((got.processor[0], statistics.median(got.clock[0])))

    def cells(self):
        for predicted, measured in zip(zip(*self.predicted), zip(*self.measured)):
            off = statistics.median(p / m - 1 for p, m in zip(predicted, measured))
            yield f" {statistics.median(predicted):.3f} s | {statistics.median(measured):.3f} s | {100 * off:+.1f} % |"


def one_round(rows, alone, programs, plans, cores, rate, run):
    """A machine is not as fast from one minute to the next, so programs of one rank run right before and behind each measurement."""
    alone.append(run([programs[1]]))
    before = None
    for ranks, row in rows.items():
        apart = min(ranks, cores) * [programs[1]]
        if before is None or min(ranks, cores) != busy:
            before, busy = run(apart), min(ranks, cores)
        got, after = run([programs[ranks]]), run(apart)
        # of its piece a rank reads what each has, and writes the sum to each: N reads and N writes of an N-th, which is a copy
        # of all (kernels/update/near.cu)
        row.add(ranks, cores, plans[ranks]["between_ranks"]["gradient_bytes"] / rate, before, got, after)
        before = after


def here(spec, steps, rounds, folder):
    name = os.path.splitext(os.path.basename(spec))[0]
    cores = len(os.sched_getaffinity(0))
    counts = (1, 2, 4, 8)
    rows, alone = {ranks: Row() for ranks in counts[1:]}, []
    plans, programs = build(spec, name, folder, counts)
    rate = copy_rate(cores)
    for _ in range(rounds):
        one_round(rows, alone, programs, plans, cores, rate, lambda commands: Measured(folder, commands, steps))
    one = statistics.median(m.processor[0] for m in alone), statistics.median(x for m in alone for x in m.clock[0])
    print(f"{name}, micro-batch {plans[1]['batch']}, {cores} cores, load {os.getloadavg()[0]:.1f}; a processor copies {rate / 1e9:.1f} GB/s\n")
    print("| ranks | processor time: predicted | measured | off | by the clock: predicted | measured | off |")
    print("|---|---|---|---|---|---|---|")
    print(f"| 1 | | {one[0]:.3f} s | | | {one[1]:.3f} s | |")
    for ranks, row in rows.items():
        print(f"| {ranks} |" + "".join(row.cells()))


# ---- in turns ----

class Held:
    """A program that has begun to train, and goes on only while it is let."""

    def __init__(self, folder, k, command):
        log = os.path.join(folder, f"turn{k}.jsonl")
        os.path.exists(log) or os.mkfifo(log)
        lost = ["--lost-after", "100000"] if command[0] == "mpirun" else []     # a rank that is held says nothing
        self.updates, self.more = 0, threading.Condition()
        self.program = subprocess.Popen([*command, "--epochs", "1000000", "--quiet", "--log", log, *lost], env=ENV,
                                        stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        threading.Thread(target=self.read, args=(log,), daemon=True).start()
        self.wait(4)
        self.ranks = ranks_of(self.program.pid) if lost else [self.program.pid]
        self.hold()

    def read(self, log):
        with open(log) as lines:
            for line in lines:
                if '"event":"update"' in line:
                    with self.more:
                        self.updates += 1
                        self.more.notify_all()

    def wait(self, updates):
        with self.more:
            if not self.more.wait_for(lambda: self.updates >= updates, 120):
                sys.exit("a program makes no steps")

    def signal(self, number):
        for process in self.ranks:
            os.kill(process, number)

    def hold(self):
        self.signal(signal.SIGSTOP)

    def keep_to(self, cores):
        for task in os.listdir(f"/proc/{self.ranks[0]}/task"):
            os.sched_setaffinity(int(task), cores)

    def end(self):
        for process in {*self.ranks, self.program.pid}:
            os.kill(process, signal.SIGKILL)
        self.program.wait()


def ranks_of(mpirun):
    """The processes that it has started."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            field = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(field[1]) == mpirun:
            found.append(int(pid))
    return found


def turn(programs, steps, clock=time):
    """Updates a second of these programs at once, all of them together, in a turn of so many of each, or of the faster more."""
    first = sum(p.updates for p in programs)
    start = clock.monotonic()
    for p in programs:
        p.signal(signal.SIGCONT)
    done = 0
    while done < steps * len(programs):
        clock.sleep(0.0005)
        done = sum(p.updates for p in programs) - first
        if any(p.program.poll() is not None for p in programs):
            sys.exit("a program has ended")
    seconds = clock.monotonic() - start
    for p in programs:
        p.hold()
    return done / seconds


def in_turns(folder, one, many, cores, rounds, steps):
    """A machine's pace changes within seconds, so programs that are in the midst of training take turns of a few steps: one rank on
    each core by itself, one on each of all cores at once, and as many ranks as cores. By rounds: samples a second of the last two, by
    one rank's on one core, the mean of all cores'."""
    ranks = len(cores)
    alone, together = [], []
    try:
        for k in range(ranks):
            alone.append(Held(folder, k, one))
            alone[k].keep_to({cores[k]})
        together.append(Held(folder, ranks, many))
        got = []
        for _ in range(rounds):
            rates = []
            for k, own in enumerate(alone):
                rates.append(turn([own], steps))
                if k == 0:
                    all_ranks = ranks * turn(together, steps)
            apart = turn(alone, steps)
            single = statistics.mean(rates)
            got.append((single, apart / single, all_ranks / single))
    finally:
        for p in alone + together:
            p.end()
    return list(zip(*got))


def told(values, unit=""):
    low, _, high = statistics.quantiles(values, n=4) if len(values) > 1 else 3 * values
    return f"{statistics.median(values):.2f}{unit} ({low:.2f} to {high:.2f})"


def turns(spec, steps, rounds, folder):
    name = os.path.splitext(os.path.basename(spec))[0]
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        sys.exit("there is one core")
    plans, programs = build(spec, name, folder, (1, len(cores)))
    one, apart, ranks = in_turns(folder, programs[1], programs[len(cores)], cores, rounds, steps)
    print(f"{name}, micro-batch {plans[1]['batch']}, {len(cores)} cores, {rounds} rounds of {steps} steps, load {os.getloadavg()[0]:.1f}: "
          "the middle of rounds (and of each half)\n")
    print("| | samples/s, by those of one rank on one core |\n|---|---|")
    print(f"| one rank on one core | 1, or {told([plans[1]['batch'] * rate for rate in one])} samples/s |")
    print(f"| {len(cores)} programs of one rank, a core each | {told(apart)} |")
    print(f"| {len(cores)} ranks | {told(ranks)} |")
    print(f"| these, by the programs | {told([r / a for r, a in zip(ranks, apart)])} |")


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
    # here: two ranks on a core take twice as long; of cores on which a step takes 1 s and 3 s, two ranks have 4/3 of a step in a
    # second, and so do four; on more cores than ranks the slower one holds up both
    assert together(8, 2, [[0.5], [0.5]]) == 2.0 and together(2, 2, [[0.5], [0.5]]) == 0.5 and together(1, 2, [[0.5]]) == 0.5
    assert abs(together(2, 2, [[1], [3]]) - 1.5) < 1e-12 and abs(together(4, 2, [[1], [3]]) - 3) < 1e-12
    assert together(2, 4, [[1], [3]]) == 3
    # their processors are busy for 1 s and 3 s then, where they stay; in turns, for 1.5 s each
    assert processor_time(2, 4, [1, 3]) == 2 and abs(processor_time(2, 2, [1, 3]) - 1.5) < 1e-12
    # in turns: programs that make 200 and 600 updates a second while they are let make 800 together, and go on where they were

    class Clock:
        now = 0.0

        def monotonic(self):
            return self.now

        def sleep(self, seconds):
            self.now += seconds

    class Clockwork:
        def __init__(self, clock, rate):
            self.clock, self.rate, self.made, self.since, self.program = clock, rate, 0.0, None, self

        def go_on(self):
            return self.made + (self.rate * (self.clock.now - self.since) if self.since is not None else 0)

        @property
        def updates(self):
            return int(self.go_on())

        def poll(self):
            return None

        def signal(self, _):
            self.since = self.clock.now

        def hold(self):
            self.made, self.since = self.go_on(), None
    clock = Clock()
    slow, fast = Clockwork(clock, 200), Clockwork(clock, 600)
    assert abs(turn([slow], 20, clock) / 200 - 1) < 0.02 and slow.updates == 20 and fast.updates == 0
    assert abs(turn([slow, fast], 20, clock) / 800 - 1) < 0.05 and slow.updates == 30
    assert told([1, 2, 3, 4, 5]) == "3.00 (1.50 to 4.50)" and told([2]) == "2.00 (2.00 to 2.00)"
    print("ok")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("told to end"))     # with what it has begun
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--here", nargs="?", const=os.path.join(HERE, "specs/resnet18.nn"), metavar="SPEC")
    parser.add_argument("--turns", nargs="?", const=os.path.join(HERE, "specs/resnet18.nn"), metavar="SPEC")
    parser.add_argument("--steps", type=int, help="measured in a row: 6, in turns 4")
    parser.add_argument("--rounds", type=int, help="3, in turns 15")
    parser.add_argument("--programs", metavar="FOLDER", help="where programs are built, and stay; made if it is not there: they are not built again, whatever Stowage and SPEC then are")
    parser.add_argument("--test", action="store_true")
    options = parser.parse_args()
    if any(given is not None and given < 1 for given in (options.steps, options.rounds)):
        parser.error("--steps and --rounds are 1 or more")
    if options.programs:
        os.makedirs(options.programs, exist_ok=True)
    if options.test:
        test()
    elif options.here:
        with tempfile.TemporaryDirectory() as folder:
            here(options.here, options.steps or 6, options.rounds or 3, options.programs or folder)
    elif options.turns:
        with tempfile.TemporaryDirectory() as folder:
            turns(options.turns, options.steps or 4, options.rounds or 15, options.programs or folder)
    else:
        clusters()
