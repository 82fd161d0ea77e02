"""Results of bench/gpu.sh: kept from call to call as JSON, and written as one page of tables."""
import datetime
import hashlib
import json
import os
import re
import time


class Results:
    """Rows by item, with the machine and the programs that they are of. A call with the same GPU, tools
    and programs goes on with them; others have a file of their own. Two machines of a kind may differ in
    the driver: each row says which it was."""
    EACH_MACHINE = ("driver", "memory_bytes", "cpus")

    def __init__(self, folder, machine, manifest):
        name = re.sub(r"[^A-Za-z0-9]+", "-", machine.gpu or "none").strip("-")
        facts = machine.facts()
        kept = {k: v for k, v in facts.items() if k not in self.EACH_MACHINE}
        tools = hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()[:4]
        self.base = os.path.join(folder, f"{name}-{manifest['digest']}-{tools}")
        self.head = {"machine": facts, "stowage": manifest["stowage"],
                     "programs": manifest["digest"], "prepared_for": manifest["device"], "dates": []}
        self.rows, self.written = {}, -1e9
        os.makedirs(folder, exist_ok=True)
        if os.path.exists(self.base + ".json"):
            before = json.load(open(self.base + ".json"))
            self.rows, self.head["dates"] = before["rows"], before["dates"]
        today = str(datetime.date.today())
        if today not in self.head["dates"]:
            self.head["dates"].append(today)

    def done(self, item):
        """Looked at before, with an answer; what was skipped may have its tool now."""
        return item.id in self.rows and self.rows[item.id]["verdict"] != "SKIPPED"

    def add(self, item, row):
        """Kept at once, the page too: who has little time on a machine may be stopped at any moment."""
        row["part"], row["group"], row["driver"] = item.part, item.group, self.head["machine"].get("driver")
        self.rows[item.id] = row
        self.save(".json", json.dumps({**self.head, "rows": self.rows}, indent=1))
        if time.monotonic() - self.written > 1:
            self.write(None)

    def write(self, remaining):
        self.written = time.monotonic()
        return self.save(".md", page(self, remaining))

    def drivers(self):
        found = {r["driver"] for r in self.rows.values() if r.get("driver")}
        return sorted(found) or [self.head["machine"].get("driver")]

    def save(self, suffix, text):
        path = self.base + suffix
        with open(path + ".new", "w") as f:
            f.write(text)
        os.replace(path + ".new", path)
        return path

    def count(self, verdict):
        return sum(r["verdict"] == verdict for r in self.rows.values())

    def missed(self):
        return sum(t[1].startswith("missed") for r in self.rows.values()
                   for t in r.get("targets", {}).values())


def grouped(rows):
    """One line for each group of comparisons: how many hold, and the furthest off."""
    groups = {}
    for id, r in rows.items():
        if r.get("group"):
            groups.setdefault(r["group"], {})[id] = r
    for group, members in groups.items():
        bad = {i: r for i, r in members.items() if r["verdict"] == "FAILED"}
        skipped = [r for r in members.values() if r["verdict"] == "SKIPPED"]
        good = [(r["off"], i, r) for i, r in members.items() if r["verdict"] == "ok"]
        text = f"{len(good)} of {len(members)} hold"
        if good:
            _, id, r = max(good, key=lambda g: g[:2])
            text += f"; furthest {id.split('/')[-1]}: {r['text']}"
        if skipped:
            text += f"; {len(skipped)} skipped: {skipped[0]['text']}"
        yield "FAILED" if bad else "SKIPPED" if not good else "ok", group, text
        for id, r in bad.items():
            yield "FAILED", id, r["text"]


def mebibytes(n):
    return "" if n is None else f"{n / 2**20:,.0f}"


def speed_rows(rows):
    for r in (r for r in rows.values() if r["part"] == "speed" and "network" in r):
        best, targets = r["samples_per_s"], r["targets"]

        def against(who, key):
            if key not in r:
                return ["", ""]
            target, said = targets[who]
            return [f"{r[key]:.2f}", f"{'≤' if who == 'memory' else '≥'} {target:g}: {said}" if target
                    else "no target"]
        allocated = r["peer"].get("eager", {}).get("allocated")
        yield [r["network"], str(r["batch"]), r["precision"], f"{best['Stowage']:,.0f}",
               f"{best['eager']:,.0f}" if "eager" in best else "", *against("eager", "eager_ratio"),
               f"{best[r['compiled_mode']]:,.0f} ({r['compiled_mode']})" if r["compiled_mode"] else "",
               *against("compiled", "compiled_ratio"), mebibytes(r["arena"]), mebibytes(allocated),
               *against("memory", "memory_ratio"), mebibytes(r["process"])]


SPEED_HEAD = ["network", "batch", "precision", "Stowage samples/s", "eager", "ratio", "target",
              "torch.compile, the faster", "ratio", "target", "arena MiB", "eager's peak MiB", "ratio",
              "target", "our process MiB"]


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for r in rows:
        lines.append("| " + " | ".join(str(c).replace("|", "\\|").replace("\n", " ") for c in r) + " |")
    return lines


def page(results, remaining):
    m = results.head["machine"]
    memory = f", {m['memory_bytes'] / 2**30:.1f} GiB" if m["memory_bytes"] else ""
    lines = [f"# {m['gpu'] or 'No GPU'}", "",
             f"- compute capability {m['compute_capability']}{memory}; driver "
             f"{', '.join(map(str, results.drivers()))}",
             f"- CUDA {m['cuda']}, cuDNN {m['cudnn']}; PyTorch {m['torch']} with cuDNN {m['torch_cudnn']}",
             f"- {results.head['stowage']}, programs {results.head['programs']}, emitted for "
             f"{results.head['prepared_for'] or 'no device'}",
             f"- {', '.join(results.head['dates'])}", ""]
    single = [(r["verdict"], id, r["text"]) for id, r in results.rows.items()
              if not r.get("group") and r["part"] != "speed"]
    lines += table(["", "what", "result"], list(grouped(results.rows)) + single)
    fast = list(speed_rows(results.rows))
    if fast:
        lines += ["", "## Speed and memory", ""] + table(SPEED_HEAD, fast)
    failed = [(r["verdict"], id, r["text"]) for id, r in results.rows.items()
              if r["part"] == "speed" and "network" not in r]
    if failed:
        lines += [""] + table(["", "what", "result"], failed)
    still = "; stopped before its end" if remaining is None else \
        f"; {remaining} not looked at yet" if remaining else ""
    lines += ["", f"{results.count('FAILED')} failed, {results.count('SKIPPED')} skipped, "
              f"{results.missed()} targets missed{still}"]
    return "\n".join(lines) + "\n"
