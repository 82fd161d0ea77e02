"""The parts of bench/gpu.sh that need no GPU: what it makes of figures, of refusals, of old results.

    gpu_bench.py FOLDER         prints TAP; FOLDER is empty and may be written to
"""
import json
import os
import sys
import types

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
import gpu_machine      # noqa: E402
import gpu_parts        # noqa: E402
import gpu_report       # noqa: E402
import gpu_speed        # noqa: E402

folder, count = sys.argv[1], 0


def same(what, found, wanted):
    global count
    count += 1
    print(f"{'ok' if found == wanted else 'not ok'} {count} - {what}")
    if found != wanted:
        print(f"# found  {found}\n# wanted {wanted}")


def speed_row(network, precision, ours, eager, default, graphs, arena, peak, planned=0):
    peer = types.SimpleNamespace(modes={"eager": {"allocated": peak}, "default": {}, "reduce-overhead": {}})
    case = {"spec": network, "batch": 8, "precision": precision}
    best = {"Stowage": ours, "eager": eager, "default": default, "reduce-overhead": graphs}
    row = gpu_speed.judge(case, best, {"measured_bytes": arena, "planned_bytes": planned}, arena + 7,
                          peer)
    return {**row, "part": "speed", "group": None}


def targets():
    row = speed_row("resnet50", "bf16", 1100, 1000, 1000, 1250, 60, 100)
    same("ratios are ours to theirs, and to the faster of the compiled",
         (row["eager_ratio"], row["compiled_ratio"], row["compiled_mode"]), (1.1, 0.88, "reduce-overhead"))
    same("what is missed says by how much", row["targets"],
         {"eager": [1.2, "missed by 8%"], "compiled": [1, "missed by 12%"], "memory": [0.75, "met"]})
    row = speed_row("resnet50", "f32", 1100, 1000, 1000, 1250, 90, 100)
    same("a residual network's target is of bf16; that of memory, of all", row["targets"],
         {"eager": [None, ""], "compiled": [None, ""], "memory": [0.75, "missed by 20%"]})
    row = speed_row("lenet5", "f32", 500, 100, 250, 200, 75, 100)
    same("a target that is just reached is met", [t[1] for t in row["targets"].values()], ["met"] * 3)
    same("an arena in a block that the context has is not for nothing",
         speed_row("lenet5", "f32", 500, 100, 250, 200, 0, 100, 80)["memory_ratio"], 0.8)
    cells = next(gpu_report.speed_rows({"x": row}))
    same("the table has both sides, ratio and target", cells[3:10],
         ["500", "100", "5.00", "≥ 5: met", "250 (default)", "2.00", "≥ 2: met"])


def rates():
    epochs = [{"event": "epoch", "epoch": 1, "samples": 10, "seconds": 10.0},
              {"event": "epoch", "epoch": 2, "samples": 10, "seconds": 2.0},
              {"event": "epoch", "epoch": 3, "samples": 30, "seconds": 3.0}, {"event": "end"}]
    same("the first epoch does not count", gpu_speed.rate(epochs), 8.0)
    same("unless it is the only one", gpu_speed.rate(epochs[:1]), 1.0)


PROFILE = """
   seconds   share  node
    0.0600  60.00%  train features.conv: conv_grad_weight
    0.0400  40.00%  train head: dense
    0.1000 100.00%  all nodes

convolutions, as cuDNN 91900 runs them
kind     batch  from                 to                   chosen    workspace  engine
forward     64  3x224x224            64x112x112:7x7       before        16384  34 12=1,20=0 +bias
input       64  64x56x56             64x56x56:3x3         here              0  5
weight      64  32x8x8               32x8x8:3x3           own   
"""


def profiles():
    nodes, engines = gpu_parts.profile(PROFILE)
    same("nodes of --profile", nodes, [(0.06, 60.0, "train features.conv: conv_grad_weight"),
                                       (0.04, 40.0, "train head: dense")])
    same("engines of --profile",
         [(e["kind"], e["chosen"], e["workspace"], e["engine"]) for e in engines],
         [("forward", "before", "16384", "34 12=1,20=0 +bias"), ("input", "here", "0", "5"),
          ("weight", "own", "", "")])


def script(name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write("#!/bin/sh\n" + text)
    os.chmod(path, 0o755)
    return path


def refusals():
    logs = 'while [ "$1" != --log ]; do shift; done; echo \'{"event":"update","loss":1}\' > "$2"\n'
    programs = {"runs": script("runs", logs), "dies": script("dies", "echo oom; exit 2\n"),
                "refuses": script("refuses", "echo 'x: the plan needs 5 bytes (5 B), and only 4'; exit 2\n")}
    machine = types.SimpleNamespace(device="cuda", memory_bytes=1000, environment=None)
    run = types.SimpleNamespace(machine=machine, built=lambda case, what: programs[case["does"]])

    def verdict(does, more, emit_status, memory=1000):
        case = {"does": does, "more": more, "emit_status": emit_status, "batch": 9, "arena_bytes": 5,
                "memory_bytes": memory}
        try:
            return gpu_parts.one_largest(run, case)["verdict"]
        except gpu_parts.Failure:
            return "FAILED"
    same("the largest batch runs", verdict("runs", 0, 0), "ok")
    same("but not if emission refused it", verdict("runs", 0, 1), "FAILED")
    same("it must not be refused", verdict("refuses", 0, 0), "FAILED")
    same("one more is refused, twice", verdict("refuses", 1, 1), "ok")
    same("it must not run", verdict("runs", 1, 1), "FAILED")
    same("nor die in another way", verdict("dies", 1, 1), "FAILED")
    same("nor be let through by emission", verdict("refuses", 1, 0), "FAILED")
    same("another card than was prepared for says nothing", verdict("runs", 0, 0, 2000), "SKIPPED")


def workers():
    pool = gpu_parts.Workers(os.path.join(folder, "absent"), 1)
    for _ in range(2):
        try:
            same("a comparison that breaks is no answer", pool.ask(how="x"), None)
        except gpu_parts.Failure as e:
            same("a comparison that breaks says why", "No module named" in str(e), True)
    pool.close()


def memory():
    """A program's figures against the plan and the driver's count of a process."""
    reserve = [{"bytes": 300 << 20}]

    def verdict(planned, measured, growth, process, arena=None):
        end = {"event": "end", "planned_bytes": planned, "measured_bytes": measured,
               "growth_bytes": growth, "code_bytes": 0, "before_bytes": 0, "pinned_bytes": 0}
        body = f"while [ \"$1\" != --log ]; do shift; done; echo '{json.dumps(end)}' > \"$2\"\n"
        path = script("memory", body)
        used = iter([1000])
        watched = types.SimpleNamespace(read=lambda: types.SimpleNamespace(
            used=next(used, 1000 + process)))
        machine = types.SimpleNamespace(device="cuda", nvml=watched, environment=None)
        run = types.SimpleNamespace(machine=machine, built=lambda case, what: path,
                                    manifest={"reserve": reserve})
        return gpu_parts.one_memory(run, {"arena_bytes": arena or planned})["verdict"]
    gib = 1 << 30
    same("an arena as planned, a process as forecast", verdict(gib, gib, 0, gib + (310 << 20)), "ok")
    same("64 MiB more is near enough", verdict(gib, gib, 0, gib + (364 << 20)), "ok")
    same("65 are not", verdict(gib, gib, 0, gib + (365 << 20)), "FAILED")
    same("65 less neither", verdict(gib, gib, 0, gib + (235 << 20)), "FAILED")
    same("of 10 GiB 2 % is more", verdict(10 * gib, 10 * gib, 0, 10 * gib + (500 << 20)), "ok")
    same("a larger arena", verdict(gib, gib + (2 << 20), 0, gib + (310 << 20)), "FAILED")
    same("a smaller arena", verdict(gib, gib - 1, 0, gib + (310 << 20)), "FAILED")
    same("a plan that is not the program's", verdict(gib, gib, 0, gib + (310 << 20), gib - 256), "FAILED")
    same("a step that allocates", verdict(gib, gib, 1, gib + (310 << 20)), "FAILED")


def results():
    machine = types.SimpleNamespace(gpu="A card", facts=lambda: {"gpu": "A card", "driver": "1"})
    manifest = {"digest": "abc", "stowage": "stowage 0", "device": "H200"}

    def opened():
        return gpu_report.Results(os.path.join(folder, "results"), machine, manifest)
    items = [gpu_parts.Item("p", n, None, group="g") for n in "abcd"]
    first = opened()
    for item, verdict in zip(items, ("ok", "SKIPPED", "FAILED")):
        first.add(item, {"verdict": verdict, "text": "t", "off": 1.0})
    same("a call goes on where the last one ended", [opened().done(i) for i in items],
         [True, False, True, False])
    same("one line a group, and each that fails", [r[:2] for r in gpu_report.grouped(opened().rows)],
         [("FAILED", "g"), ("FAILED", "p/c")])
    machine.facts = lambda: {"gpu": "A card", "driver": "2"}
    same("those of another driver are not mixed in", [opened().done(i) for i in items], [False] * 4)
    manifest["digest"] = "abd"
    same("those of other programs are another file", opened().rows, {})


targets()
rates()
profiles()
refusals()
workers()
memory()
results()
same("no NVML here or a number from it", gpu_machine.Nvml().read() is None or
     gpu_machine.Nvml().read().total > 0, True)
print(f"1..{count}")
