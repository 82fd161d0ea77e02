"""The shapes of what `stowage lint` prints for other programs, written from their specifications:

	SARIF 2.1.0 (OASIS), of it what Stowage writes; GitLab's code quality report; JUnit's XML as
	Jenkins and GitLab read it; checkstyle's XML.

They are closed: a member or an attribute that a shape does not name is a fault, and so is an empty
array or text. A shape is a function from a value to a list of faults.
"""
import re

# RFC 3986, without a fragment; of characters that need no escape, or escaped
URI = r"(?:[a-z][a-z0-9+.-]*:)?(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-F]{2})+"


def text(pattern=None, most=None):
	def check(v):
		if not isinstance(v, str) or not v:
			return ["not a text, or an empty one"]
		if most and len(v) > most:
			return [f"{len(v)} characters, of {most}"]
		if pattern and not re.fullmatch(pattern, v):
			return [f"{v!r} is not {pattern}"]
		return []
	return check


def one_of(*values):
	return lambda v: [] if v in values and type(v) in {type(x) for x in values} else [
	    f"{v!r} is none of {values}"]


def integer(least):
	return lambda v: [] if type(v) is int and v >= least else [f"{v!r} is no integer from {least}"]


def boolean(v):
	return [] if isinstance(v, bool) else ["not a bool"]


def array(item, least=1, most=None):
	def check(v):
		if not isinstance(v, list):
			return ["not an array"]
		if len(v) < least or (most is not None and len(v) > most):
			return [f"{len(v)} items"]
		return [f"[{i}]{e}" for i, x in enumerate(v) for e in item(x)]
	return check


def obj(required, optional=None):
	known = dict(required, **(optional or {}))

	def check(v):
		if not isinstance(v, dict):
			return [" is not an object"]
		faults = [f" lacks {k}" for k in required if k not in v]
		for k, x in v.items():
			faults += [f".{k}{e if e[0] in '[.' else ': ' + e}" for e in known[k](x)] \
			    if k in known else [f" has {k}, which is unknown"]
		return faults
	return check


# ---- SARIF ----

MESSAGE = obj({"text": text()})
ARTIFACT = obj({"uri": text(URI)}, {"uriBaseId": text(), "index": integer(0)})
REGION = obj({k: integer(1) for k in ("startLine", "startColumn", "endLine", "endColumn")})
PHYSICAL = obj({"artifactLocation": ARTIFACT, "region": REGION})
FIX = obj({"artifactChanges": array(obj({
    "artifactLocation": ARTIFACT,
    "replacements": array(obj({"deletedRegion": REGION}, {"insertedContent": obj({
        "text": lambda v: [] if isinstance(v, str) else ["not a text"]})}))}))},
    {"description": MESSAGE})
SUPPRESSION = obj({"kind": one_of("inSource", "external")}, {
    "justification": text(), "status": one_of("accepted", "underReview", "rejected"),
    "location": obj({"physicalLocation": PHYSICAL})})
RULE = obj({
    "id": text(), "name": text(), "shortDescription": obj({"text": text(most=1024)}),
    "fullDescription": obj({"text": text(most=1024)}), "help": MESSAGE,
    "defaultConfiguration": obj({"level": one_of("error", "warning", "note")}),
    "properties": obj({"tags": array(text(), most=20),
        "problem.severity": one_of("error", "warning", "recommendation")})},
    {"helpUri": text(r"https?://[^\s\"<>\\^`{|}#]+#[a-z0-9-]+")})
RESULT = obj({
    "ruleId": text(), "ruleIndex": integer(0), "level": one_of("error", "warning", "note"),
    "message": MESSAGE, "locations": array(obj({"physicalLocation": PHYSICAL}), most=1),
    "partialFingerprints": obj({"primaryLocationLineHash": text(r"[0-9a-f]{16}:[0-9]+")})},
    {"relatedLocations": array(obj({"id": integer(0), "physicalLocation": PHYSICAL,
        "message": MESSAGE})),
     "fixes": array(FIX), "suppressions": array(SUPPRESSION, least=0, most=1),
     "baselineState": one_of("new", "unchanged", "updated", "absent")})
SARIF = obj({
    "$schema": text(r"https://json\.schemastore\.org/sarif-2\.1\.0\.json"),
    "version": one_of("2.1.0"),
    "runs": array(obj({
        "tool": obj({"driver": obj({"name": one_of("stowage"), "semanticVersion":
            text(r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?"), "rules": array(RULE)},
            {"informationUri": text(URI)})}),
        "columnKind": one_of("unicodeCodePoints"),
        # no findings are an empty array: without it the run would have failed
        "results": array(RESULT, least=0, most=25000),
        "invocations": array(obj({"executionSuccessful": boolean}, {
            "toolExecutionNotifications": array(obj({
                "level": one_of("warning", "error"), "message": MESSAGE}))}), most=1)}),
        most=1)})

# ---- GitLab ----

GITLAB = array(obj({
    "description": text(), "check_name": text(), "fingerprint": text(r"[0-9a-f]{16}-[0-9]+"),
    "severity": one_of("info", "minor", "major", "critical", "blocker"),
    "location": obj({"path": text(r"(?!\./)(?s:.+)"),
        "lines": obj({"begin": integer(1)}, {"end": integer(1)})})}), least=0)


# ---- XML ----

def element(attributes, children=None, optional=(), own_text=False):
	def check(e):
		faults = [f" lacks {k}" for k in attributes if k not in e.attrib]
		faults += [f" has {k}, which is unknown" for k in e.attrib
		    if k not in attributes and k not in optional]
		faults += [f"@{k}: {x}" for k in attributes if k in e.attrib
		    for x in attributes[k](e.attrib[k])]
		if not own_text and (e.text or "").strip():
			faults.append(" has text")
		for i, c in enumerate(e):
			if (c.tail or "").strip():
				faults.append(" has text between its elements")
			faults += [f"/{c.tag}[{i}]{x}" for x in children[c.tag](c)] \
			    if c.tag in (children or {}) else [f" has <{c.tag}>"]
		return faults
	return check


number = text(r"[0-9]+")
JUNIT = element({"name": text()}, {"testsuite": element(
    {"name": text(), "tests": number, "failures": number, "errors": number},
    {"testcase": element({"name": text(), "classname": text()}, {
        "failure": element({"type": text(), "message": text()}, own_text=True),
        "system-out": element({}, own_text=True)})})})
CHECKSTYLE = element({"version": text(r"[0-9.]+")}, {"file": element({"name": text()}, {
    "error": element({"line": text("[1-9][0-9]*"), "column": text("[1-9][0-9]*"),
        "severity": text("ignore|info|warning|error"), "message": text(),
        "source": text(r"stowage\.[a-z0-9-]+")})})})
