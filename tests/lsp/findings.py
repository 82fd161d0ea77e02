"""What `stowage lint` finds, as diagnostics."""
import json
import os
import re
import subprocess

from client import STOWAGE, path_of, uri_of
from text import Text

SEVERITY = {"error": 1, "warning": 2, "note": 3}


def read(path):
    """The text of a file; None: it is no UTF-8, which no editor sends."""
    with open(path, "rb") as f:
        try:
            return f.read().decode()
        except UnicodeDecodeError:
            return None


def place(data, text, line, column):
    """lint counts lines that end with LF and bytes, both from 1."""
    begins = [0] + [m.end() for m in re.finditer(b"\n", data)]
    return text.position(text.of_bytes(begins[line - 1] + column - 1))


def lint(path, encoding="utf-16"):
    """Findings of that file and of those it uses, by address, each as (range, severity, rule, message)."""
    path = os.path.abspath(path)
    run = subprocess.run([STOWAGE, "lint", "--exit-zero", "-f", "json", path], capture_output=True)
    if run.returncode != 0:
        raise RuntimeError(f"{path}: {run.stderr.decode()}")
    found = {uri_of(path): set()}
    for g in json.loads(run.stdout)["findings"]:
        if g.get("path") and g.get("line"):
            where = g["path"]
            content = read(where)
            text, data = Text(content, encoding), content.encode()
            span = (place(data, text, g["line"], g["column"]), place(data, text, g["end_line"], g["end_column"]))
        else:
            where, span = path, ({"line": 0, "character": 0},) * 2
        message = "\n".join([g["message"], *(("help: " if r["kind"] == "help" else "= ") + r["text"]
                                             for r in g.get("remarks", []) if r["kind"] != "place")])
        found.setdefault(uri_of(where), set()).add(finding(span[0], span[1], SEVERITY[g["severity"]], g["rule"],
                                                           message))
    return found


def finding(start, end, severity, rule, message):
    return (start["line"], start["character"], end["line"], end["character"], severity, rule, message)


def said(diagnostics):
    return {finding(d["range"]["start"], d["range"]["end"], d["severity"], d["code"], d["message"])
            for d in diagnostics}


def difference(got, wanted):
    return "\n".join([f"missing: {f}" for f in sorted(wanted - got)] + [f"unknown: {f}" for f in sorted(got - wanted)])
