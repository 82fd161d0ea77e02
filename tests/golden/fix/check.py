"""What must hold of the fixes of any spec: check.py STOWAGE FILE...

Of each fix by itself, applied here from the bytes that the format json gives, not by the program
that is tested: its finding is gone, no error comes, every comment stays, and if it calls itself safe
the network's graph is the same. Of all together, safe ones and then all: the file is what the patch
of --diff makes of it, nothing is left to fix, no error came, and the next --fix changes nothing.

Prints what does not hold, and at last how many fixes there were; leaves with 1 if anything does not.
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

stowage = sys.argv[1]
failures = []
rules = collections.Counter()


def run(*args, cwd):
    return subprocess.run((stowage,) + args, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True)


def lint(folder, name, *args):
    done = run("lint", "--threads", "2", "-f", "json", "--fail-on", "never", *args, name, cwd=folder)
    if done.returncode != 0:
        raise SystemExit(f"{name}: status {done.returncode}: {done.stderr.decode()}")
    return json.loads(done.stdout)


def errors(found):
    """By rule and message, without its numbers; of the rules that name bytes by rule alone."""
    return {(f["rule"], "" if f["rule"] == "oom" else re.sub(r"\d+", "0", f["message"]))
            for f in found["findings"] if f["severity"] == "error"}


def same(found, finding):
    """How many findings of the rule with that message there are, whatever numbers it names."""
    key = (finding["rule"], re.sub(r"\d+", "0", finding["message"]))
    return sum((f["rule"], re.sub(r"\d+", "0", f["message"])) == key for f in found["findings"])


# whose findings are in comments
COMMENTS = ("suppression", "unused-suppression")


def comments(text):
    """Strings blanked out, a comment is what begins with the first #."""
    found = collections.Counter()
    for line in text.split(b"\n"):
        at = re.sub(rb'"[^"]*"', lambda s: b"x" * len(s[0]), line).find(b"#")
        if at >= 0:
            found[line[at:].strip()] += 1
    return found


def graph(folder, name):
    done = run("plan", "--threads", "2", "--dump-after=phases", name, cwd=folder)
    text = re.sub(rb" @\d+$", b"", done.stdout, flags=re.M)
    return done.returncode, re.sub(rb"validate_batch \d+|graph validate batch \d+", b"", text)


def applied(text, fix):
    for edit in sorted(fix["edits"], key=lambda e: -e["offset"]):
        text = text[:edit["offset"]] + edit["text"].encode() + text[edit["end_offset"]:]
    return text


def check_one(folder, name, before, finding):
    path, fix = os.path.join(folder, name), finding["fix"]
    old = open(path, "rb").read()

    def fail(why):
        failures.append(f"{name}:{finding['line']}: \"{fix['title']}\": {why}")

    new = applied(old, fix)
    with open(path, "wb") as f:
        f.write(new)
    after = lint(folder, name)
    refused = bool(errors(after) - errors(before))
    if not refused:
        rules[finding["rule"]] += 1
        if same(after, finding) >= same(before, finding):
            fail("the finding is still there")
        if finding["rule"] not in COMMENTS and comments(old) != comments(new):
            fail("other comments")
        if fix["safe"]:
            with open(path, "wb") as f:
                f.write(old)
            was = graph(folder, name)
            with open(path, "wb") as f:
                f.write(new)
            if was[0] == 0 and graph(folder, name) != was:
                fail("another graph")
    elif fix["safe"]:
        fail("it is safe and brings an error")
    with open(path, "wb") as f:
        f.write(old)


def check_all(folder, name, before, *unsafe):
    path = os.path.join(folder, name)
    old = open(path, "rb").read()

    def fail(why):
        failures.append(f"{name}: --fix {' '.join(unsafe)}: {why}")

    diff = run("lint", "--threads", "2", "--diff", *unsafe, name, cwd=folder)
    patched = old
    if diff.stdout:
        subprocess.run(["patch", "-s", "--binary", "-p1"], cwd=folder, input=diff.stdout,
                       check=True)
        patched = open(path, "rb").read()
        with open(path, "wb") as f:
            f.write(old)
    if diff.returncode != bool(diff.stdout) or diff.stderr:
        fail(f"--diff left with {diff.returncode}: {diff.stderr.decode()}")
    fixed = lint(folder, name, "--fix", *unsafe)
    new = open(path, "rb").read()
    if new != patched:
        fail("the file is not what the patch says")
    if bool(fixed["summary"]["fixed"]) != (new != old):
        fail("it does not say what it did")
    if errors(fixed) - errors(before):
        fail("it brings errors")
    if fixed["summary"]["fixable"] or (unsafe and fixed["summary"]["fixable_unsafely"]):
        fail("it has left something")
    again = lint(folder, name, "--fix", *unsafe)
    if open(path, "rb").read() != new or again["summary"]["fixed"]:
        fail("a second time it goes on")
    with open(path, "wb") as f:
        f.write(old)


def copied(folder, work, copies={}):
    """A copy of the folder, which each spec leaves as it was."""
    if folder not in copies:
        copies[folder] = os.path.join(work, str(len(copies)))
        shutil.copytree(folder, copies[folder], ignore=shutil.ignore_patterns("*.out", "*.args", "*.status"))
        for root, _, files in os.walk(copies[folder]):
            for file in files:
                os.chmod(os.path.join(root, file), 0o644)
    return copies[folder]


with tempfile.TemporaryDirectory() as work:
    for source in sys.argv[2:]:
        folder, name = copied(os.path.dirname(source), work), os.path.basename(source)
        found = lint(folder, name)
        for one in found["findings"]:
            if "fix" in one:
                check_one(folder, name, found, one)
        if any("fix" in one for one in found["findings"]):
            check_all(folder, name, found)
        check_all(folder, name, found, "--unsafe-fixes")

for failure in failures:
    print(failure)
print(sum(rules.values()), "fixes:", ", ".join(f"{r} {n}" for r, n in sorted(rules.items())))
sys.exit(bool(failures))
