import glob
import os
import re
import signal
import subprocess

from client import STOWAGE, Client, eventually, held, is_running, jobs_of, path_of, uri_of
from findings import difference, lint, read, said
from tap import case, equal, ok
from text import Text

TOP = os.environ["top_srcdir"]
SPECS = sorted(sum((glob.glob(f"{TOP}/{folder}/**/*.nn", recursive=True)
                    for folder in ("specs", "tests/golden/lint", "tests/golden/lang")), []))

SPEC = """network net {
  input  x : f32[4]
  target y : class[2]
  unused = x -> dense(3)
  h = x -> dense(8) -> relu
  loss cross_entropy(h -> dense(2), y)
}
train { batch 8  data synthetic(64) }
"""


def write(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as f:
        f.write(text.encode())


def same(c, path, name, text=None):
    """Opens a file, or TEXT in its place, and compares."""
    uri = uri_of(path)
    if text is None:
        text = read(path)
    c.open(uri, text)
    c.diagnosed(uri)
    compare(c, path, name)
    c.close(uri)


def compare(c, path, name):
    wanted = lint(path, c.encoding)
    got = {uri: said(c.diagnostics[uri]["diagnostics"]) for uri in c.diagnostics}
    got = {uri: found for uri, found in got.items() if found or uri == uri_of(path)}
    wanted = {uri: found for uri, found in wanted.items() if found or uri == uri_of(path)}
    ok(got == wanted, name, "\n".join(f"{uri}:\n{difference(got.get(uri, set()), wanted.get(uri, set()))}"
                                      for uri in {*got, *wanted}))
    return got


def rules(c, uri):
    return {d["code"] for d in c.diagnosed(uri)}


def all_specs():
    compared = unreadable = 0
    # of the part that the usual run has each encoding has what the other has not
    every = os.environ.get("EXTENDED")
    for encoding, specs in (("utf-16", SPECS if every else SPECS[::4]), ("utf-8", SPECS if every else SPECS[1::16])):
        c = Client(encoding=encoding)
        equal(c.encoding, encoding, f"{encoding} is spoken where it is offered")
        wrong = []
        for path in specs:
            if read(path) is None:
                unreadable += 1
                continue
            uri, _ = c.open_file(path)
            c.diagnosed(uri)
            got = {u: said(p["diagnostics"]) for u, p in c.diagnostics.items() if p["diagnostics"]}
            wanted = {u: found for u, found in lint(path, encoding).items() if found}
            compared += 1
            if got != wanted:
                wrong.append(path + "\n" + "\n".join(difference(got.get(u, set()), wanted.get(u, set()))
                                                     for u in {*got, *wanted}))
            c.close(uri)
            c.settle()
            if any(p["diagnostics"] for p in c.diagnostics.values()):
                wrong.append(f"{path}: findings are left when it is closed")
            c.diagnostics.clear()
        ok(not wrong, f"{encoding}: findings of {len(specs)} specs are those of lint", "\n".join(wrong))
        equal(c.stop(), 0, f"{encoding}: and the server is well")
    ok(compared > (400 if every else 100) and unreadable < 20, f"{compared} comparisons, {unreadable} texts that are no UTF-8")


def encodings():
    """Findings behind characters of one to four bytes, which are one or two units."""
    text = ("# \u00e9\u4e2d\U0001f600\nnetwork net {\n  input  x : f32[4]\n  target y : class[2]\n"
            '  h = x -> dense(8) -> relu -> nothing("\u00e9\u4e2d\U0001f600", other) -> nothing2\n'
            "  loss cross_entropy(h -> dense(2), y)\n}\ntrain { batch 8  data csv(\"\U0001f600.csv\", nought=1) }\n")
    write("wide/wide.nn", text)
    ends = {}
    for encoding in ("utf-16", "utf-8"):
        c = Client(encoding=encoding)
        c.open(uri_of("wide/wide.nn"), text)
        found = c.diagnosed(uri_of("wide/wide.nn"))
        got = compare(c, "wide/wide.nn", f"{encoding}: places behind wide characters")
        copy = Text(text, encoding)
        ok(found and all(copy.holds(d["range"]) for d in found), f"{encoding}: each is a place of the text", found)
        ends[encoding] = sorted(sum((list(f) for f in got.values()), []))
        c.stop()
    ok(ends["utf-16"] != ends["utf-8"], "the encodings differ there")
    c = Client({"general": {"positionEncodings": ["utf-32"]}})
    equal(c.encoding, "utf-16", "a client that offers neither gets utf-16")
    c.stop()


def line_ends():
    broken = SPEC.replace("relu", "rely").replace("unused", "unus\u00e9d") + "\u00e9\n"
    c = Client()
    for name, end in (("LF", "\n"), ("CRLF", "\r\n")):
        text = broken.replace("\n", end)
        write(f"ends/{name}.nn", text)
        same(c, f"ends/{name}.nn", f"lines that end with {name}")
    for name, end in (("CR", "\r"), ("LF and CRLF", None)):
        text = broken.replace("\n", end) if end else broken.replace("\n", "\r\n", 3)
        write("ends/mixed.nn", text)
        same(c, "ends/mixed.nn", f"lines that end with {name}")
    # a lone CR within a line that has a finding: by lint it is a blank, for the editor the line ends there
    text = SPEC.replace("dense(8) -> relu", "dense(8)\r -> rely")
    write("ends/lone.nn", text)
    c.open(uri_of("ends/lone.nn"), text)
    found = [d for d in c.diagnosed(uri_of("ends/lone.nn")) if d["severity"] == 1]
    equal([Text(text).slice(d["range"]) for d in found], ["rely"], "a lone CR ends a line")
    equal(found[0]["range"]["start"], {"line": 5, "character": 4}, "of the editor's")
    c.close(uri_of("ends/lone.nn"))
    for name, text in (("nothing", ""), ("a line's end", "\n"), ("an unfinished line", "network n {"),
                       ("a byte order mark", "\ufeff" + SPEC), ("a NUL", SPEC.replace("relu", "re\0lu")),
                       ("controls", SPEC.replace("relu", "re\x01\x7flu"))):
        write("ends/odd.nn", text)
        same(c, "ends/odd.nn", f"a text with {name}")
    c.stop()


def edited():
    """A version's findings are of that version."""
    c = Client()
    write("edited/a.nn", SPEC)
    uri = uri_of("edited/a.nn")
    c.open(uri, SPEC)
    ok("dead-layer" in rules(c, uri), "a finding of the text that was opened")
    c.change(uri, {"range": {"start": {"line": 4, "character": 23}, "end": {"line": 4, "character": 27}},
                   "text": "rely"})
    equal({d["code"] for d in c.diagnosed(uri) if d["severity"] == 1}, {"name"}, "a mistake that was typed in")
    ok([d for d in c.diagnosed(uri) if d["severity"] == 1][0]["range"]["start"] == {"line": 4, "character": 23},
       "stands where it was typed")
    equal(read("edited/a.nn"), SPEC, "the file is as it was")
    for k in range(50):
        c.change(uri, {"range": {"start": {"line": 4, "character": 23}, "end": {"line": 4, "character": 27}},
                       "text": "relu" if k % 2 else "rely"})
    ok(not [d for d in c.diagnosed(uri) if d["severity"] == 1], "the last of fifty edits counts")
    c.replace(uri, SPEC.replace("  unused = x -> dense(3)\n", ""))
    equal(c.diagnosed(uri), [], "no findings are said as an empty list")
    c.close(uri)
    c.settle()
    equal(c.diagnostics[uri]["diagnostics"], [], "nor are there any when it is closed")
    versions = [m["params"].get("version", 0) for m in c.notes
                if m["method"] == "textDocument/publishDiagnostics" and m["params"]["uri"] == uri]
    ok(versions[:-1] == sorted(versions[:-1]) and min(versions) >= 0, "versions grow", versions)
    c.open("untitled:Untitled-1", SPEC)
    ok("dead-layer" in rules(c, "untitled:Untitled-1"), "a text that has no file is checked")
    c.open(uri_of("no/such/folder/a.nn"), SPEC)
    ok("dead-layer" in rules(c, uri_of("no/such/folder/a.nn")), "and one whose folder is not there")
    c.stop()
    c = Client()
    name = "edited/\u00e9 %20#?+&;[x].nn"
    write(name, SPEC.replace("relu", "rely"))
    same(c, name, "a name with what addresses must escape")
    c.stop()


LIBRARY = "block small(width) { out = in -> dense(width) -> relu }\n"
USER = ('use "library.nn"\n' + SPEC).replace("dense(8) -> relu", "small(8)").replace("  unused = x -> dense(3)\n", "")


def used_files():
    c = Client()
    write("used/library.nn", LIBRARY)
    write("used/user.nn", USER)
    user, library = uri_of("used/user.nn"), uri_of("used/library.nn")
    c.open(user, USER)
    equal(c.diagnosed(user), [], "a file that is used is read")
    write("used/library.nn", LIBRARY.replace("relu", "rely"))
    c.diagnosed_anew(user, lambda: c.notify("workspace/didChangeWatchedFiles", {
        "changes": [{"uri": library, "type": 2}]}))
    compare(c, "used/user.nn", "a mistake that another program wrote into it")
    ok(c.diagnostics.get(library, {}).get("diagnostics"), "stands in the file that has it")
    c.open(library, LIBRARY)
    c.diagnosed(library)
    ok(eventually(lambda: c.settle() or not c.diagnostics[library]["diagnostics"]),
       "the unsaved text of a file counts", c.diagnostics[library])
    equal(c.diagnosed(user), [], "for who uses it too")
    c.diagnosed_anew(user, lambda: c.replace(library, LIBRARY.replace("dense(width)", "dense(width, heads=2)")))
    ok(eventually(lambda: c.settle() or c.diagnostics[library]["diagnostics"]),
       "a mistake in the unsaved text is found")
    found = c.diagnostics[library]["diagnostics"]
    equal(len(found), len({str(d) for d in found}), "and said once, though two texts have it")
    c.diagnosed_anew(user, lambda: c.replace(library, LIBRARY.replace("small", "large")))
    equal({d["code"] for d in c.diagnosed(user) if d["severity"] == 1}, {"name"},
          "a block that was renamed in the unsaved text is missed by who uses it")
    write("used/library.nn", LIBRARY)
    c.diagnosed_anew(user, lambda: c.close(library))
    equal(c.diagnosed(user), [], "when it is closed, the file counts again")
    write("used/user.nn", 'use "later.nn"\n' + USER.replace("small", "later"))
    c.replace(user, read("used/user.nn"))
    equal({d["code"] for d in c.diagnosed(user) if d["severity"] == 1}, {"name"}, "a file that is not there")
    c.diagnosed_anew(user, lambda: c.open(uri_of("used/later.nn"), LIBRARY.replace("small", "later")))
    equal(c.diagnosed(user), [], "is there when the editor has it, though it was never saved")
    c.diagnosed_anew(user, lambda: c.close(uri_of("used/later.nn")))
    equal({d["code"] for d in c.diagnosed(user) if d["severity"] == 1}, {"name"}, "and no more when it is closed")
    for why, uses in (("itself", 'use "user.nn"\n'), ("what is not there", 'use "nothing.nn"\n'),
                      ("a folder", 'use "."\n'), ("nothing", 'use ""\n')):
        write("used/user.nn", uses + USER)
        c.replace(user, uses + USER)
        c.diagnosed(user)
        compare(c, "used/user.nn", f"a file that uses {why}")
    c.stop()


def used_meanwhile():
    """A file changes while who has just begun to use it is still being checked."""
    slow = """network net {
  input  image : f32[3, 64, 64]
  target label : class[10]
  h = image -> conv(64, 3, pad=1) -> 100 * (conv(64, 3, pad=1) -> batchnorm -> relu)
  loss cross_entropy(h -> global_avgpool -> flatten -> small(10), label)
}
""" + "train { batch 64  data synthetic(640) }\ndevice { memory 64GiB }\n"
    own, library = "block small(width) { out = in -> dense(width) }\n", uri_of("meanwhile/library.nn")
    c = Client()
    write("meanwhile/library.nn", LIBRARY)
    user = uri_of("meanwhile/user.nn")
    c.open(library, LIBRARY)
    c.open(user, own + slow)
    c.diagnosed(user)
    c.replace(user, 'use "library.nn"\n' + slow)
    c.settle()
    jobs = held(c)
    ok(jobs, "it is being checked")
    c.replace(library, LIBRARY.replace("small", "large"))
    c.settle()
    for job in jobs:
        if is_running(job):
            os.kill(job, signal.SIGCONT)
    ok(eventually(lambda: c.diagnosed(user) and "name" in {d["code"] for d in c.diagnosed(user)}),
       "what it used has changed meanwhile", c.diagnosed(user))
    c.stop()


def links():
    """Specs that editors reach by other names than lint does."""
    c = Client()
    write("links/real/library.nn", LIBRARY)
    write("links/real/user.nn", USER)
    os.symlink("real", "links/folder")
    os.symlink("user.nn", "links/real/link.nn")
    linked, library = uri_of("links/folder/user.nn"), uri_of("links/real/library.nn")
    c.open(linked, USER)
    equal(c.diagnosed(linked), [], "a spec in a folder that is a link")
    c.open(library, LIBRARY.replace("small", "large"))
    c.diagnosed(library)
    c.settle()
    ok(eventually(lambda: c.settle() or {d["code"] for d in c.diagnosed(linked) if d["severity"] == 1} == {"name"}),
       "what it uses is open by its other name, and counts", c.diagnosed(linked))
    c.close(library)
    c.close(linked)
    same(c, "links/real/link.nn", "a spec that is a link itself")
    c.stop()


def project():
    c = Client()
    write("project/.stowage", "lint { ignore hygiene }\n")
    write("project/sub/a.nn", SPEC)
    uri = uri_of("project/sub/a.nn")
    c.open(uri, SPEC)
    equal(rules(c, uri), set(), "the project file is honoured")
    write("project/.stowage", "lint { error \"dead-layer\" }\n")
    c.diagnosed_anew(uri, lambda: c.notify("workspace/didChangeWatchedFiles", {
        "changes": [{"uri": uri_of("project/.stowage"), "type": 2}]}))
    equal([(d["code"], d["severity"]) for d in c.diagnosed(uri)], [("dead-layer", 1)],
          "and so is what has changed in it")
    compare(c, "project/sub/a.nn", "as lint has it")
    write("project/.stowage", "lint { nonsense }\n")
    c.diagnosed_anew(uri, lambda: c.notify("workspace/didChangeWatchedFiles", {
        "changes": [{"uri": uri_of("project/.stowage"), "type": 2}]}))
    c.diagnosed(uri)
    c.settle()
    mistakes = c.diagnostics.get(uri_of("project/.stowage"), {}).get("diagnostics", [])
    equal([(d["code"], d["range"]["start"]) for d in mistakes][:1], [("settings", {"line": 0, "character": 7})],
          "a mistake in it is said, in its place")
    os.remove("project/.stowage")
    c.diagnosed_anew(uri, lambda: c.notify("workspace/didChangeWatchedFiles", {
        "changes": [{"uri": uri_of("project/.stowage"), "type": 3}]}))
    ok(any(d["code"] == "dead-layer" for d in c.diagnosed(uri)), "without it the rules are as they are")
    equal(c.diagnostics[uri_of("project/.stowage")]["diagnostics"], [], "and nothing is said of it any more")
    watched = [m["params"] for m in c.notes if m["method"] == "client/registerCapability"]
    patterns = {w["globPattern"] for p in watched for r in p["registrations"]
                for w in r.get("registerOptions", {}).get("watchers", [])}
    ok({"**/*.nn", "**/.stowage", "**/*.baseline"} <= patterns,
       "the editor is asked to watch specs, project files and baselines", watched)
    equal((c.stop(), c.complaints), (0, ""), "and nothing of it is on standard error")
    c = Client({})
    c.settle()
    ok(not [m for m in c.notes if m["method"] == "client/registerCapability"],
       "one that cannot watch files is not asked")
    c.stop()


def places(c, uri):
    """Code and line of what was said last, and the text there."""
    with_text = [(d["code"], d["range"]) for d in c.diagnostics.get(uri, {}).get("diagnostics", [])]
    return [(code, span["start"]["line"], Text(read(path_of(uri))).slice(span)) for code, span in with_text]


def project_being_written():
    """A project file that is open counts as it stands there, saved or not."""
    c = Client()
    write("live/.stowage", "lint { ignore hygiene }\n")
    write("live/a.nn", SPEC)
    spec, project = uri_of("live/a.nn"), uri_of("live/.stowage")
    c.open(spec, SPEC)
    c.open(project, "lint { ignore hygiene }\n")
    equal((c.diagnosed(project), rules(c, spec)), ([], set()), "a project file that is open is no spec, and counts")
    c.diagnosed_anew(spec, lambda: c.replace(project, 'lint { error "dead-layer" }\n'))
    equal([(d["code"], d["severity"]) for d in c.diagnosed(spec)], [("dead-layer", 1)], "and so when it is not saved")
    text = '# \U0001f600\nlint "\u65e5\U0001f600" { eror hygiene }\n'
    c.replace(project, text)
    found = c.diagnosed(project)
    equal([(d["code"], Text(text).slice(d["range"])) for d in found], [("settings", "eror")],
          "a mistake is said at its word while it is written")
    ok("error" in str(found), "and what was meant", found)
    c.diagnosed_anew(spec, lambda: c.replace(project, "device { memory 1MiB }\nlint { ignore hygiene }\n"))
    equal(c.diagnosed(project), [], "it is gone when it is mended")
    c.replace(spec, SPEC.replace("dense(8)", "dense(400000)"))
    ok("oom" in rules(c, spec), "its device counts", c.diagnosed(spec))
    got = c.at("textDocument/completion", project, {"line": 2, "character": 0})
    equal({i["label"] for i in got["items"]}, {"device", "lint"}, "completion: what it can hold")
    got = c.at("textDocument/completion", project, {"line": 1, "character": 7})
    ok({"exclude", "baseline", "error"} <= {i["label"] for i in got["items"]}, "completion: its settings", got)
    got = c.at("textDocument/hover", project, {"line": 0, "character": 10})
    ok("memory" in str(got), "hover: its settings", got)
    equal(c.request("textDocument/codeAction", {"textDocument": {"uri": project}, "context": {"diagnostics": []},
                                                "range": Text(text).span(0, 5)}), [], "code actions: none")
    c.replace(spec, SPEC)
    c.diagnosed_anew(spec, lambda: c.close(project))
    equal(rules(c, spec), set(), "when it is closed, the file counts again")
    write("live/new/a.nn", SPEC)
    new = uri_of("live/new/a.nn")
    c.open(new, SPEC)
    equal(rules(c, new), set(), "a spec of a folder below has the same")
    c.diagnosed_anew(new, lambda: c.open(uri_of("live/new/.stowage"), 'lint { note "dead-layer" }\n'))
    equal([(d["code"], d["severity"]) for d in c.diagnosed(new)], [("dead-layer", 3)],
          "unless there is one nearer, though it was never saved")
    c.diagnosed_anew(new, lambda: c.replace(uri_of("live/new/.stowage"), "lint { }\n"))
    equal([(d["code"], d["severity"]) for d in c.diagnosed(new)], [("dead-layer", 2)], "which can be changed")
    equal(rules(c, spec), set(), "and is not for those above it")
    equal((c.stop(), c.complaints), (0, ""), "nothing is on standard error")


def broken_baseline():
    c = Client()
    write("broken/.stowage", 'lint {\n  baseline "old.baseline"\n}\n')
    write("broken/a.nn", SPEC)
    spec, project, baseline = uri_of("broken/a.nn"), uri_of("broken/.stowage"), uri_of("broken/old.baseline")
    changed = {"changes": [{"uri": baseline, "type": 2}]}
    c.open(spec, SPEC)
    ok("dead-layer" in rules(c, spec), "without its baseline a spec is checked")
    equal(places(c, project), [("settings", 1, 'baseline "old.baseline"')], "a baseline that is not there is said where it is named")
    write("broken/old.baseline", "stowage baseline 1\n8c1f0a0b2d3e4f55 1 dead-layer b.nn\nnonsense \u65e5\n")
    c.diagnosed_anew(spec, lambda: c.notify("workspace/didChangeWatchedFiles", changed))
    equal((places(c, project), places(c, baseline)), ([], [("settings", 2, "nonsense \u65e5")]),
          "a line that is none of a baseline is said there")
    write("broken/old.baseline", "")
    c.diagnosed_anew(spec, lambda: c.notify("workspace/didChangeWatchedFiles", changed))
    equal(places(c, baseline), [("settings", 0, "")], "and that the file is empty")
    write("broken/old.baseline", "stowage baseline 1\n")
    c.diagnosed_anew(spec, lambda: c.notify("workspace/didChangeWatchedFiles", changed))
    equal(places(c, baseline), [], "it is gone when it is mended")
    write("broken/.stowage", 'lint {\n  baseline "old.baseline"\n  baseline 3\n}\n')
    c.diagnosed_anew(spec, lambda: c.notify("workspace/didChangeWatchedFiles", changed))
    run = subprocess.run([STOWAGE, "lint", "--format", "gcc", "a.nn"], cwd="broken", capture_output=True, text=True)
    wanted = re.findall(r"^\.stowage:(\d+):(\d+): error: (.*) \[settings\]$", run.stdout, re.M)
    got = [(str(d["range"]["start"]["line"] + 1), str(d["range"]["start"]["character"] + 1), d["message"].split("\n")[0])
           for d in c.diagnostics[project]["diagnostics"]]
    ok(got and got == wanted, "mistakes of the project file are those of lint", (got, wanted, run.stdout))
    equal((c.stop(), c.complaints), (0, ""), "nothing is on standard error")


def suppressed():
    c = Client()
    allowed = SPEC.replace("  unused", "  # stowage: allow(dead-layer) kept for later\n  unused")
    write("allowed/a.nn", allowed)
    c.open(uri_of("allowed/a.nn"), allowed)
    equal(rules(c, uri_of("allowed/a.nn")), set(), "a finding that is allowed is not said")
    stale = SPEC.replace("  h =", "  # stowage: allow(dead-layer) nothing to allow\n  h =")
    write("allowed/b.nn", stale)
    same(c, "allowed/b.nn", "a comment that allows nothing")
    write("based/a.nn", SPEC)
    write("based/.stowage", 'lint { baseline "stowage.baseline" }\n')
    with open("based/made", "w") as out:
        run = subprocess.run([STOWAGE, "lint", "--write-baseline", "a.nn"], cwd="based", stdout=out, stderr=out)
    ok(run.returncode == 0 and os.path.exists("based/stowage.baseline"), "a baseline is written",
       read("based/made"))
    c.open(uri_of("based/a.nn"), SPEC)
    equal(rules(c, uri_of("based/a.nn")), set(), "a finding of the baseline is not said")
    c.replace(uri_of("based/a.nn"), SPEC.replace("  h =", "  unused2 = x -> dense(4)\n  h ="))
    equal(len(c.diagnosed(uri_of("based/a.nn"))), 1, "a new one is")
    c.stop()


def many():
    """More documents than are waited for at a time."""
    c = Client()
    uris = []
    for k in range(100):
        uris.append(f"untitled:many{k}.nn")
        c.open(uris[-1], SPEC.replace("unused", f"unused{k}"))
    for k, uri in enumerate(uris):
        if {d["code"] for d in c.diagnosed(uri)} != {"dead-layer"} or f"unused{k}" not in str(c.diagnosed(uri)):
            ok(False, "a hundred documents", c.diagnosed(uri))
            return
    ok(True, "a hundred documents are checked")
    ok(eventually(lambda: not jobs_of(c.process.pid) or c.settle()), "and nothing goes on then")
    c.stop()


def attached():
    """What else a diagnostic has."""
    os.environ["STOWAGE_RULES_URL"] = "https://rules.example/page.html"
    c = Client()
    write("attached/a.nn", SPEC)
    c.open(uri_of("attached/a.nn"), SPEC)
    d = [d for d in c.diagnosed(uri_of("attached/a.nn")) if d["code"] == "dead-layer"][0]
    ok(d["source"] == "stowage" and d["codeDescription"]["href"] == "https://rules.example/page.html#dead-layer",
       "it leads to its rule's documentation", d)
    clash = SPEC.replace("unused =", "h =")
    write("attached/b.nn", clash)
    c.open(uri_of("attached/b.nn"), clash)
    related = [r for d in c.diagnosed(uri_of("attached/b.nn")) for r in d.get("relatedInformation", [])]
    ok(related and all(Text(clash).holds(r["location"]["range"]) for r in related),
       "a name that is defined twice leads to the other place", c.diagnosed(uri_of("attached/b.nn")))
    c.stop()
    plain = Client({})
    plain.open(uri_of("attached/b.nn"), clash)
    ok(not any("relatedInformation" in d for d in plain.diagnosed(uri_of("attached/b.nn"))),
       "but not for a client that knows no related places")
    plain.stop()


for test in (all_specs, encodings, line_ends, edited, used_files, used_meanwhile, links, project, project_being_written, broken_baseline, suppressed, many, attached):
    case(test)
