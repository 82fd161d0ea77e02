#!/usr/bin/env python3
"""What only a GPU can show of emitted CUDA programs; bench/gpu.sh is the way to call it.

    gpu.py [OPTION...]                  with ./stowage or $STOWAGE
    gpu.py --prepare DIR                emits into DIR, which then needs no Stowage
    DIR/gpu.sh [OPTION...]              runs there

Parts: PARTS. Results are kept, and a call goes on where the last one ended; a part whose tool is
absent is skipped, and says so. --stage 1, 2, 3 are what half an hour each is enough for, in calls that
end within ten minutes. Environment: STOWAGE, NVCC, CC, SANITIZER, PYTHON, GPU_RESULTS (a folder).
"""
import argparse
import concurrent.futures
import os
import shutil
import sys
import tempfile
import threading
import time

import gpu_machine
import gpu_parts
import gpu_prepare
import gpu_report
import gpu_speed
import gpu_stages

HERE = os.path.dirname(os.path.abspath(__file__))
PREPARED = os.path.exists(os.path.join(HERE, "manifest.json"))
PEER = os.path.join(HERE, "peer") if PREPARED else gpu_prepare.PEER
PARTS = [(name, make or getattr(gpu_speed, name)) for name, make in gpu_parts.PARTS]


class Run:
    """One call: what the parts ask for is made once, the first time it is needed."""

    def __init__(self, args, manifest, work):
        self.args, self.manifest, self.work = args, manifest, work
        self.machine = (gpu_machine.Rehearsal if args.rehearse else gpu_machine.Gpu)(work)
        self.jobs, self.lock = {}, threading.Lock()
        self.compilers = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
        self.workers = gpu_parts.Workers(PEER, min(8, max(1, os.cpu_count() // 2)))

    def cases(self, kind, precision=None):
        return [c for c in self.manifest["cases"] if c["kind"] == kind and
                precision in (None, c["precision"]) and gpu_stages.keeps(self.args.stage, c) and
                (not self.args.only or {c["spec"], c["id"]} & set(self.args.only))]

    def left(self):
        return self.args.budget - (time.monotonic() - self.args.started) if self.args.budget else float("inf")

    def time(self, seconds):
        """So long, or what is left of a budget."""
        return max(1, min(seconds, self.left()))

    def build(self, case, what):
        """Begins to build; built() waits."""
        with self.lock:
            if (case["id"], what) not in self.jobs:
                at = os.path.join(self.work, "programs", case["id"])
                make = (lambda: self.machine.build_c(at, case["program"])) if what == "c" else \
                    (lambda: self.machine.build(at, case["program"], what))
                self.jobs[case["id"], what] = self.compilers.submit(make)
            return self.jobs[case["id"], what]

    def built(self, case, what):
        path, trouble = self.build(case, what).result()
        if trouble:
            raise gpu_parts.Failure("does not compile: " + " ".join(trouble.split())[-600:])
        return path

    def data(self, name):
        with self.lock:
            return gpu_speed.make_data(os.path.join(self.work, "data"), name, self.args.data_part)

    def close(self):
        for job in self.jobs.values():
            job.cancel()
        self.compilers.shutdown()
        self.workers.close()


def looked_at(item):
    try:
        return item.run()
    except gpu_parts.Failure as e:
        return gpu_parts.row("FAILED", str(e))
    except Exception as e:      # one item must not hide the others
        return gpu_parts.row("FAILED", f"{type(e).__name__}: {e}")


def show(item, row):
    print(f"{row['verdict']:8} {item.id:44} {row['text']}", flush=True)


def run_part(run, items, results):
    """Returns how many items there was no time for."""
    compiles = [run.build(*b) for item in items for b in item.builds]
    alone = [i for i in items if not i.together]
    if alone:
        run.workers.close()     # what they hold of the device would count
    if any(i.part in ("speed", "engines") for i in alone):
        concurrent.futures.wait(compiles, timeout=max(0, min(run.left(), 3600)))   # a quiet machine
    late = []

    def one(item):
        if run.left() < item.seconds:
            late.append(item)
            return
        row = looked_at(item)
        if row["verdict"] == "FAILED" and run.left() <= 0:      # stopped, which says nothing of it
            late.append(item)
            return
        with run.lock:
            results.add(item, row)
        show(item, row)
    with concurrent.futures.ThreadPoolExecutor(run.workers.n) as pool:
        list(pool.map(one, [i for i in items if i.together]))
    for item in alone:
        one(item)
    return len(late)


def run_all(run, results):
    remaining = 0
    for name, make in PARTS:
        if run.args.part and name not in run.args.part:
            continue
        try:
            items = [i for i in make(run) if run.args.again or not results.done(i)]
        except Exception as e:      # one part must not hide the others
            broken = gpu_parts.Item(name, "its items", None)
            results.add(broken, gpu_parts.row("FAILED", f"{type(e).__name__}: {e}"))
            show(broken, results.rows[broken.id])
            continue
        if not items:
            continue
        if run.left() < min(i.seconds for i in items):
            remaining += len(items)
            continue
        remaining += run_part(run, items, results)
    return remaining


def compile_only(run):
    """Without a GPU: does everything compile, for the oldest and the newest card?"""
    if not run.machine.nvcc:
        print("SKIPPED  no nvcc: NOTHING WAS COMPILED")
        return 0
    builds = [(c, what) for kind in ("ops", "steps", "speed", "largest") for c in run.cases(kind)
              for what in (("library",) if c["kind"] in ("ops", "steps") else ()) +
              (("library-own",) if c["kind"] in ("ops", "steps") and c["libraries"] else ()) +
              (("program",) if c["kind"] != "ops" else ()) + (("check",) if c["kind"] == "steps" else ())]
    failed, late = 0, 0
    for b in builds:
        run.build(*b)
    for case, what in builds:
        try:
            if run.left() <= 0:
                late += 1
                continue
            run.built(case, what)
        except gpu_parts.Failure as e:
            failed += 1
            print(f"FAILED   {case['id']}, {what}: {e}")
    good = len(builds) - failed - late
    print(f"{'FAILED' if failed else 'ok':8} {good} of {len(builds)} builds compile without a warning for "
          f"sm_{', sm_'.join(run.machine.archs())}" + (f"; no time for {late}" if late else ""))
    return failed


def options():
    text = __doc__.replace("PARTS.", ", ".join(name for name, _ in PARTS) + ".")
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawTextHelpFormatter)
    words = lambda text: text.split(",")    # noqa: E731
    parser.add_argument("--prepare", metavar="DIR", help="emit, and copy what is needed, into DIR")
    parser.add_argument("--device", metavar="NAME", help="the card to emit for: the one that is here, or an H200")
    parser.add_argument("--stage", choices=sorted(gpu_stages.STAGES), help="1: is it right, 2: is it fast, 3: more of 1")
    parser.add_argument("--only", type=words, metavar="SPEC,...", help="these specs alone, or cases, as speed/lenet5-f32-64")
    parser.add_argument("--part", type=words, metavar="PART,...", help="these parts alone")
    parser.add_argument("--budget", type=float, metavar="SECONDS", help="begin nothing that ends later")
    parser.add_argument("--again", action="store_true", help="look at everything anew")
    parser.add_argument("--results", metavar="FOLDER", 
                        default=os.environ.get("GPU_RESULTS") or os.path.join(HERE, "results"))
    parser.add_argument("--work", metavar="FOLDER", help="where builds are kept from call to call")
    parser.add_argument("--runs", type=int, default=3, help="timings in turns: 3")
    parser.add_argument("--seconds", type=float, default=1.5, help="of each timing: 1.5")
    parser.add_argument("--modes", type=words, default=["eager", "default", "reduce-overhead"],
                        help="of PyTorch: eager,default,reduce-overhead")
    parser.add_argument("--warm", type=int, default=16, help=argparse.SUPPRESS)
    parser.add_argument("--batch-limit", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--data-part", type=float, default=1, help=argparse.SUPPRESS)
    parser.add_argument("--rehearse", action="store_true",
                        help="run C programs on the CPU instead; the figures say nothing")
    args = parser.parse_args()
    unknown = set(args.part or ()) - {name for name, _ in PARTS}
    if unknown:
        parser.error(f"no part is called {', '.join(sorted(unknown))}")
    if args.stage:
        args.part = args.part or gpu_stages.STAGES[args.stage]
        args.budget = args.budget or gpu_stages.SECONDS
    args.started = time.monotonic()
    args.target = "c" if args.rehearse else "cuda"
    args.device = None if args.rehearse else args.device or device_here()
    return args


def device_here():
    """What to emit for where nothing is said."""
    found = None if PREPARED else gpu_machine.Driver().facts()
    return found and gpu_prepare.card_here(found[0]) or "H200"


def main():
    args = options()
    if args.prepare:
        manifest = gpu_prepare.prepare(args.prepare, args)
        gpu_prepare.pack(args.prepare, manifest)
        print(f"{len(manifest['cases'])} programs in {args.prepare}; run {args.prepare}/gpu.sh there")
        return 0
    work = args.work or (os.path.join(HERE, "work") if PREPARED else tempfile.mkdtemp(prefix="gpu-bench."))
    os.makedirs(work, exist_ok=True)
    run = None
    try:
        manifest = gpu_prepare.unpack(HERE, work) if PREPARED else gpu_prepare.prepare(work, args)
        run = Run(args, manifest, work)
        for name, fact in run.machine.facts().items():
            print(f"{name:20} {fact if fact is not None else 'none'}")
        print(flush=True)
        if not run.machine.gpu:
            failed = compile_only(run)
            print("NO GPU: the GPU figures are due; run this on a machine that has one.")
            return 1 if failed else 77
        results = gpu_report.Results(args.results, run.machine, manifest)
        remaining = run_all(run, results)
        print("\n" + gpu_report.page(results, remaining) + "\nwritten to", results.write(remaining))
        return results.count("FAILED") > 0
    finally:
        if run:
            run.close()
        if not args.work and not PREPARED:
            shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
