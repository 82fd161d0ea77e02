"""Renames every name of specs, extracts and inlines what there is, and compares the networks by themselves.

    refactor.py STOWAGE KIND HOW SPEC...

KIND is rename, extract or inline; HOW is "all", or a number: every so manyth is tried, of names the first one
behind every so manyth word. A line of TAP a spec.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from client import Client, Refused

stowage = os.path.abspath(sys.argv[1])
WORD = re.compile(r'"[^"\n]*"|#[^\n]*|[A-Za-z_][A-Za-z0-9_]*')
CAPABILITIES = {"general": {"positionEncodings": ["utf-8"]}, "textDocument": {
    "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["refactor"]}}}}}


def files_of(path, seen):
    """The spec and all that it uses."""
    path = os.path.realpath(path)
    if path in seen:
        return seen
    with open(path, encoding="utf-8", errors="replace") as f:
        seen[path] = f.read()
    for used in re.findall(r'^\s*use\s+"([^"]+)"', seen[path], re.M):
        if os.path.exists(os.path.join(os.path.dirname(path), used)):
            files_of(os.path.join(os.path.dirname(path), used), seen)
    return seen


def uri(path):
    return "file://" + path


def position(text, at):
    line = text.count("\n", 0, at)
    return {"line": line, "character": len(text[text.rfind("\n", 0, at) + 1:at].encode())}


def offset(text, p):
    lines = text.split("\n")
    return sum(len(l) + 1 for l in lines[:p["line"]]) + len(lines[p["line"]].encode()[:p["character"]].decode())


def apply(files, edit):
    """The files with a WorkspaceEdit made."""
    new = dict(files)
    for address, edits in edit["changes"].items():
        path = address[len("file://"):]
        text = new[path]
        for e in sorted(edits, key=lambda e: -offset(text, e["range"]["start"])):
            beg, end = offset(text, e["range"]["start"]), offset(text, e["range"]["end"])
            text = text[:beg] + e["newText"] + text[end:]
        new[path] = text
    return new


class Specs:
    """A spec and what it uses, in a folder of their own."""

    def __init__(self, path):
        found = files_of(path, {})
        top = os.path.commonpath([os.path.dirname(p) for p in found])
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="refactor."))
        self.files = {os.path.join(self.folder, os.path.relpath(p, top)): t for p, t in found.items()}
        self.main = os.path.join(self.folder, os.path.relpath(os.path.realpath(path), top))
        self.write(self.files)
        open(os.path.join(self.folder, ".stowage"), "w").close()	# where the project begins
        self.client = None
        self.look_at(self.main)

    def look_at(self, path):
        """That file alone is open."""
        if self.client:
            self.client.process.kill()
            self.client.process.wait()
        self.open, self.version = path, 0
        self.client = Client(CAPABILITIES)
        self.client.open(uri(path), self.files[path])

    def write(self, files):
        for p, t in files.items():
            os.makedirs(os.path.dirname(p), exist_ok=True)
            with open(p, "w", encoding="utf-8") as f:
                f.write(t)

    def show(self, files):
        """The files are these now, on disk and in the editor."""
        self.write(files)
        self.version += 1
        self.client.change(uri(self.open), {"text": files[self.open]})

    def graphs(self, files=None):
        """What each network is planned from, or None where there is an error."""
        if files:
            self.write(files)
        text = (files or self.files)[self.main]
        found = {}
        for n in re.findall(r"^\s*network\s+(\w+)", text, re.M):
            done = subprocess.run([stowage, "plan", "--dump-after=phases", "--network", n, self.main],
                                  capture_output=True, text=True)
            if "error:" in done.stderr or not done.stdout.startswith("module"):
                return None
            lines = done.stdout.splitlines()	# behind the graphs comes the plan, before them the name
            end = max(i for i, l in enumerate(lines) if re.match(r"  (result|loss|%|input|target)|graph ", l))
            found[n] = lines[1:end + 1]
        if files:
            self.write(self.files)
        return found or None

    def close(self):
        self.client.process.kill()
        self.client.process.wait()
        shutil.rmtree(self.folder)

    def at(self, text, where):
        return {"textDocument": {"uri": uri(self.open)}, "position": position(text, where)}


def is_renamed(old, new, name, fresh):
    a, b = old.split("."), new.split(".")
    return len(a) == len(b) and all(
        x == y or re.fullmatch(re.escape(name) + r"(_\d+)?", x) and y == fresh + x[len(name):]
        for x, y in zip(a, b))


def same_but(before, after, equal, lines=True):
    """The first difference of two dumps, names being compared by EQUAL; None: there is none."""
    if before is None or after is None:
        return "there is an error"
    if len(before) != len(after):
        return "there are %d networks" % len(after)
    for x, y in zip(before.values(), after.values()):
        if len(x) != len(y):
            return "%d lines instead of %d" % (len(y), len(x))
        for a, b in zip(x, y):
            if not lines:
                a, b = re.sub(r" @\d+$", "", a), re.sub(r" @\d+$", "", b)
            names = list(zip(re.findall(r'"([^"]*)"', a), re.findall(r'"([^"]*)"', b)))
            if re.sub(r'"[^"]*"', '""', a) != re.sub(r'"[^"]*"', '""', b) or \
               not all(equal(p, q) for p, q in names):
                return "%s\n  became %s" % (a, b)
    return None


def symbols(specs, how):
    """One place of each name that can be changed: of all, or of the first one behind every so manyth word."""
    text, c, seen, found = specs.files[specs.open], specs.client, set(), []
    words = [m for m in WORD.finditer(text) if m[0][0] not in '"#']
    next_at = 0
    for k, m in enumerate(words):
        if k < next_at:
            continue
        at = specs.at(text, m.start())
        try:
            answer = c.request("textDocument/prepareRename", at)
        except Refused:
            continue
        if not answer or answer["placeholder"] != m[0]:
            continue
        place = str(c.request("textDocument/definition", at))
        if place not in seen:
            seen.add(place)
            found.append((m[0], m.start()))
            if how != "all":
                next_at += int(how)
    return found


def rename_back(specs, name, fresh, renamed):
    """Renames again, as it was."""
    text = renamed[specs.open]
    shift = None
    for m in WORD.finditer(text):	# the first place of the fresh name that is a symbol's
        if m[0] != fresh:
            continue
        at = specs.at(text, m.start())
        if specs.client.request("textDocument/prepareRename", at):
            shift = at
            break
    if not shift:
        return "the new name is nowhere"
    back = apply(renamed, specs.client.request("textDocument/rename", {**shift, "newName": name}))
    return None if back == specs.files else "renamed back it is not what it was"


def try_rename(specs, name, where, before):
    fresh = "fresh_" + name
    text = specs.files[specs.open]
    try:
        edit = specs.client.request("textDocument/rename", {**specs.at(text, where), "newName": fresh})
    except Refused as e:
        return "refused: %s" % e.message
    renamed = apply(specs.files, edit)
    after = specs.graphs(renamed)
    wrong = same_but(before, after, lambda a, b: is_renamed(a, b, name, fresh)) or (
        None if set(after) == {fresh if name == n and n not in after else n for n in before} else
        "the networks are %s" % after.keys())
    if wrong:
        return wrong
    specs.show(renamed)
    try:
        wrong = rename_back(specs, name, fresh, renamed)
    except Refused as e:
        wrong = "refused back: %s" % e.message
    specs.show(specs.files)
    return wrong


def chosen(things, how):
    return things if how == "all" else things[::int(how)]


def rename(specs, how):
    before, tried = specs.graphs(), 0
    if not before:
        return None, 0
    for path in specs.files:
        specs.look_at(path)
        for name, where in symbols(specs, how):
            tried += 1
            wrong = try_rename(specs, name, where, before)
            if wrong:
                return "%s, '%s' at byte %d: %s" % (os.path.basename(path), name, where, wrong), tried
    return "", tried


# ---- extracting and inlining ----

def persistent(graphs):
    return [line for name in graphs for line in graphs[name]
            if re.match(r"(parameter|statistic|optimizer state) ", line)]


def comments(text):
    return [m[0] for m in WORD.finditer(text) if m[0][0] == "#"]


def is_laid_out(text):
    done = subprocess.run([stowage, "fmt", "--check", "-"], input=text, capture_output=True, text=True)
    return done.returncode == 0


def try_action(specs, kind, beg, end, before):
    """Whether there is an action, and what is wrong with it, or None."""
    text = specs.files[specs.open]
    actions = specs.client.request("textDocument/codeAction", {
        "textDocument": {"uri": uri(specs.open)}, "context": {"diagnostics": [], "only": [kind]},
        "range": {"start": position(text, beg), "end": position(text, end)}})
    if not actions:
        return False, None
    action = actions[0]
    changed = apply(specs.files, action["edit"])
    if changed == specs.files:
        return True, "%s changes nothing" % action["title"]
    lost = set(comments(text)) - set(comments(changed[specs.open]))
    if lost and "remove" not in action["title"]:
        return True, "%s loses the comment %s" % (action["title"], lost.pop())
    if is_laid_out(text) and not is_laid_out(changed[specs.open]):
        return True, "%s spoils the layout:\n%s" % (action["title"], changed[specs.open])
    after = specs.graphs(changed)
    claim = re.search(r" \((weights|layers) get other (names|paths)\)$", action["title"])
    # what stands on which line is another matter
    wrong = same_but(before, after, (lambda a, b: a == b) if not claim else (lambda a, b: True), lines=False)
    if not wrong and claim:
        same_weights = [re.sub(r" @\d+$", "", x) for x in persistent(before)] == \
            [re.sub(r" @\d+$", "", x) for x in persistent(after)]
        if same_weights != (claim[1] == "layers"):
            wrong = "the weights %s" % ("keep their names" if same_weights else "get other names")
        if not wrong and not same_but(before, after, lambda a, b: a == b, lines=False):
            wrong = "all paths are the same"
    if wrong:
        return True, "%s: %s\n%s" % (action["title"], wrong, changed[specs.open])
    CLAIMED[action["title"]] = CLAIMED.get(action["title"], 0) + 1
    return True, None


CLAIMED = {}


def bodies(text):
    """Places of the statements of blocks and networks: lists of [beg, end)."""
    plain = re.sub(r'"[^"\n]*"|#[^\n]*', lambda m: " " * len(m[0]), text)
    for m in re.finditer(r"^(block|network)\b[^{]*\{", plain, re.M):
        depth, at = 1, m.end()
        while depth and at < len(plain):
            depth += {"{": 1, "}": -1}.get(plain[at], 0)
            at += 1
        inner = plain[m.end():at - 1]
        starts = [s.start() for s in re.finditer(
            r"(?<![\w.=!<>(,])\b[A-Za-z_]\w*\s*=(?!=)|\b(input|target|loss|metric)\b(?!\s*=)", inner)
            if inner[:s.start()].count("(") == inner[:s.start()].count(")")]
        yield [(m.end() + a, m.end() + len(inner[:b].rstrip())) for a, b in zip(starts, starts[1:] + [len(inner)])]


def arms(text, beg, end):
    """Places of the arms of all pipes in those bytes, as lists."""
    plain = re.sub(r'"[^"\n]*"|#[^\n]*', lambda m: " " * len(m[0]), text)
    stack, found = [[beg]], []

    def close(pipe, at):
        ends = [p - 2 for p in pipe[1:]] + [at]
        found.append([(a + len(plain[a:b]) - len(plain[a:b].lstrip()), a + len(plain[a:b].rstrip()))
                      for a, b in zip(pipe, ends)])

    eq = plain.find("=", beg, end)
    stack[0][0] = eq + 1
    at = eq + 1
    while at < end:
        if plain[at] == "(":
            stack.append([at + 1])
        elif plain[at] == ")":
            close(stack.pop(), at)
        elif plain.startswith("->", at):
            stack[-1].append(at + 2)
        at += 1
    close(stack.pop(), end)
    return found


def selections(text):
    """What to extract: arms, runs of arms, statements, runs of statements."""
    for body in bodies(text):
        for i, (beg, _) in enumerate(body):
            for _, end in body[i:i + 3]:
                yield beg, end
        for beg, end in body:
            if re.match(r"\w+\s*=", text[beg:end]):
                for pipe in arms(text, beg, end):
                    for i, (a, _) in enumerate(pipe):
                        for _, b in pipe[i:i + 3]:
                            yield a, b


def uses(text):
    """Every word that a block has as its name."""
    blocks = set(re.findall(r"^block\s+(\w+)", text, re.M)) | {"pair", "twice", "merge", "act"}
    for m in WORD.finditer(text):
        if m[0] in blocks:
            yield m.start(), m.start()


def act(specs, how, kind, places):
    before, tried, offered = specs.graphs(), 0, 0
    if not before:
        return None, 0
    for path in specs.files:
        specs.look_at(path)
        for beg, end in chosen(list(places(specs.files[path])), how):
            tried += 1
            some, wrong = try_action(specs, kind, beg, end, before)
            offered += some
            if wrong:
                return "%s, bytes %d to %d (%s): %s" % (
                    os.path.basename(path), beg, end, specs.files[path][beg:end or beg + 10], wrong), tried
    return "", offered


KINDS = {"rename": rename,
         "extract": lambda specs, how: act(specs, how, "refactor.extract", selections),
         "inline": lambda specs, how: act(specs, how, "refactor.inline", uses)}


def main():
    kind, how, n, tried = KINDS[sys.argv[2]], sys.argv[3], 0, 0
    for path in sys.argv[4:]:
        specs = Specs(path)
        try:
            wrong, some = kind(specs, how)
        except Exception as e:	# pylint: disable=broad-except
            wrong, some = "%s: %s" % (type(e).__name__, e), 0
        specs.close()
        if wrong is None:  # it has errors
            continue
        n, tried = n + 1, tried + some
        name = "%s of %s: %d" % (sys.argv[2], os.path.basename(path), some)
        if wrong:
            print("not ok %d - %s\n# %s" % (n, name, wrong.replace("\n", "\n# ")))
        else:
            print("ok %d - %s" % (n, name))
        sys.stdout.flush()
    print("1..%d" % n)
    print("# %d tried" % tried)
    for title, k in sorted(CLAIMED.items()):
        print("# %d: %s" % (k, title))


main()
