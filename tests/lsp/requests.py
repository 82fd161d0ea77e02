import glob
import os
import random
import re
import subprocess

from client import STOWAGE, Client, eventually, path_of, uri_of
from tap import case, equal, ok
from text import Text

TOP = os.environ["top_srcdir"]
LIBRARY = """block far(width) { out = in -> dense(width) -> relu }
"""
SPEC = """use "library.nn"
param wide = 8

# A block that is used twice,
# with a comment of two lines.
block small(width, rate=0.1) {
  out = in -> dense(width) -> relu -> dropout(rate)
}

network net {
  input  x : f32[4]
  target y : class[2]
  h = x -> small(wide)        # \U0001f600 \u00e9
  g = h -> small(4, rate=0.2) -> far(6)
  loss cross_entropy(g -> head: dense(2), y)
}
train { batch 8  data synthetic(64) }
device { memory 1GiB }
"""
TEXT = Text(SPEC)


def place(word, count=0, behind=0):
    """Where the COUNT-th WORD stands."""
    found = [m.start() for m in re.finditer(r"\b" + re.escape(word), TEXT.text)]
    return TEXT.position(found[count] + behind)


def span(word, count=0):
    found = [m.start() for m in re.finditer(r"\b" + re.escape(word), TEXT.text)]
    return TEXT.span(found[count], found[count] + len(word))


def sync(c, uri, offered):
    equal((offered["openClose"], offered["change"]), (True, 2), "texts are opened and closed, and changed by parts")


def hover(c, uri, offered):
    def words(*where):
        answer = c.at("textDocument/hover", uri, place(*where))
        return answer["contents"]["value"] if answer else ""

    # a layer of the block is two layers: 4 into 8 and 8 into 4, each with a bias
    ok(re.search(r"parameters: 76\n", words("dense")), "hover: 4 * 8 + 8 and 8 * 4 + 4 parameters together",
       words("dense"))
    ok(re.search(r"multiply-adds per sample: 64\n", words("dense")), "hover: 4 * 8 and 8 * 4 multiply-adds")
    ok(re.search(r"parameters: 14\n", words("head")), "hover: 6 * 2 + 2 parameters", words("head"))
    ok("f32[2]" in words("head"), "hover: a label has the shape of its layer", words("head"))
    ok("f32[8, 2]" in words("head"), "hover: and at the batch of 8", words("head"))
    ok("parameters: 14\n" in words("dense", 1) and "fully connected" in words("dense", 1).lower(),
       "hover: an operator behind a label has its documentation and its figures", words("dense", 1))
    ok("block small(width, rate=0.1)" in words("small", 1), "hover: what a block's name stands for")
    ok("A block that is used twice,\nwith a comment of two lines." in words("small", 1), "hover: and its comment",
       words("small", 1))
    # the first: 4 into 8 with a bias, for each sample 3 layers of 8 floats, of which relu takes dense's place
    ok("parameters: 40\n" in words("small", 1) and "multiply-adds per sample: 32\n" in words("small", 1),
       "hover: a use of a block has 4 * 8 + 8 parameters, and 4 * 8 multiply-adds", words("small", 1))
    ok("f32[8]" in words("small", 1) and "f32[8, 8]" in words("small", 1), "hover: and the shape at its end")
    ok("layers: 3\n" in words("small", 1), "hover: and three layers")
    # the second: 8 into 4
    ok("parameters: 36\n" in words("small", 2) and "f32[8, 4]" in words("small", 2),
       "hover: another use has 8 * 4 + 4", words("small", 2))
    # one buffer of 8 * 6 floats: relu works in dense's
    ok("bytes forward: 192 B\n" in words("far"), "hover: and the bytes of what is in it", words("far"))
    ok("parameters: 30\n" in words("far") and "f32[6]" in words("far"),
       "hover: a block of another file has 4 * 6 + 6", words("far"))
    ok("parameters: 40\n" in words("h", 0) and "h = x" in words("h", 0), "hover: a name of what a block made",
       words("h", 0))
    ok("parameters" not in words("small", 0), "hover: the definition itself makes nothing", words("small", 0))
    ok("param wide = 8" in words("wide"), "hover: a parameter's value")
    ok(re.search(r"parameters: 120\n", words("net {")), "hover: 76 + 4 * 6 + 6 + 14 parameters of the network",
       words("net {"))
    ok("train" in words("batch"), "hover: a setting", words("batch"))
    equal(c.at("textDocument/hover", uri, {"line": 2, "character": 0}), None, "hover: nothing on an empty line")


def hints(c, uri, offered):
    got = c.request("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": TEXT.span(0, len(SPEC))})
    labels = [h["label"] if isinstance(h["label"], str) else "".join(p["value"] for p in h["label"]) for h in got]
    ok("[2]" in labels, "inlay hints: the shape behind a layer", labels)
    ok("width:" in labels, "inlay hints: the name of an argument", labels)
    where = [TEXT.offset(**h["position"]) for h in got if h["label"] == "width:"]
    ok(TEXT.offset(**place("4, rate")) in where, "inlay hints: in front of it", got)
    part = c.request("textDocument/inlayHint", {"textDocument": {"uri": uri},
                                                "range": {"start": {"line": 14, "character": 0},
                                                          "end": {"line": 15, "character": 0}}})
    ok(part and all(h["position"]["line"] == 14 for h in part), "inlay hints: of some lines alone", part)


def lenses(c, uri, offered):
    def ask():
        return c.request("textDocument/codeLens", {"textDocument": {"uri": uri}})

    eventually(lambda: "fits" in str(ask()))    # the largest batch comes later, and then the client is told
    got = ask()
    equal(len(got), 1, "code lens: one for the network")
    equal(got[0]["range"], TEXT.span(SPEC.index("net {"), SPEC.index("net {") + 3), "code lens: at its name")
    ok("at batch 8" in got[0]["command"]["title"] and "fits" in got[0]["command"]["title"],
       "code lens: its batch, and that it fits", got)
    shown = c.request("workspace/executeCommand", {"command": got[0]["command"]["command"],
                                                   "arguments": got[0]["command"]["arguments"]})
    page = path_of(shown["show"]) if isinstance(shown, dict) else ""
    ok(os.path.isfile(page) and open(page).read(20).lower().startswith("<!doctype html"),
       "code lens: its command writes a page", shown)
    c.settle()
    asked = [m for m in c.notes if m["method"] == "window/showDocument"]
    ok(asked and path_of(asked[-1]["params"]["uri"]) == page, "code lens: and asks the editor to show it", asked)


def completed(c, uri, before, after=""):
    """Labels of what is offered between two texts that stand in place of the statement of g."""
    line = "  g = h -> small(4, rate=0.2) -> far(6)"
    text = SPEC.replace(line, before + after)
    at = Text(text).position(SPEC.index(line) + len(before))
    c.replace(uri, text)
    got = c.at("textDocument/completion", uri, at)
    c.replace(uri, SPEC)
    return [i["label"] for i in (got["items"] if isinstance(got, dict) else got or [])]


def completion(c, uri, offered):
    labels = completed(c, uri, "  g = h -> ")
    ok({"dense", "relu", "small", "far"} <= set(labels), "completion: operators and blocks behind an arrow", labels)
    ok(len(labels) == len(set(labels)), "completion: each once")
    ok("h" in completed(c, uri, "  g = "), "completion: names that are defined above")
    ok("g" not in completed(c, uri, "  g = "), "completion: none that are defined below")
    labels = completed(c, uri, "  g = h -> conv(8, 3, ")
    ok("stride=" in labels and "pad=" in labels, "completion: arguments of a call that is not closed", labels)
    labels = completed(c, uri, "  g = h -> conv(8, 3, stride=2, ", ")")
    ok("pad=" in labels and "stride=" not in labels, "completion: but none that is given", labels)
    labels = completed(c, uri, "  g = h -> small(", ")")
    ok("width=" in labels and "rate=" in labels, "completion: parameters of a block", labels)
    equal(completed(c, uri, "  # "), [], "completion: nothing in a comment")

    def section(line, before, after=""):
        text = SPEC.replace(line, before + after)
        c.replace(uri, text)
        got = c.at("textDocument/completion", uri, Text(text).position(SPEC.index(line) + len(before)))
        c.replace(uri, SPEC)
        return [i["label"] for i in (got["items"] if isinstance(got, dict) else got or [])]
    labels = section("train { batch 8  data synthetic(64) }", "train {\n  batch 8\n  optimizer ", "\n}")
    ok({"sgd", "adam"} <= set(labels), "completion: optimizers", labels)
    labels = section("train { batch 8  data synthetic(64) }", "train {\n  batch 8\n  ", "\n}")
    ok("epochs" in labels and "batch" not in labels, "completion: settings that are not there yet", labels)

    def unclosed(line, before):
        """Items of a section that ends where the pointer is, which is not the end of the file."""
        text = SPEC.replace(line, before)
        c.replace(uri, text)
        got = c.at("textDocument/completion", uri, Text(text).position(SPEC.index(line) + len(before)))
        c.replace(uri, SPEC)
        return {i["label"]: i for i in got["items"]}
    train, device = "train { batch 8  data synthetic(64) }", "device { memory 1GiB }"
    for line in (train, device):
        for name, before, wanted, unwanted in (
                ("train", "train {", {"batch", "epochs", "optimizer", "data"}, {"memory", "network"}),
                ("train of a network", "train net {\n  batch 8\n  ", {"epochs"}, {"batch", "memory", "network"}),
                ("train, a word begun", "train { batch 8  ep", {"epochs"}, {"batch", "memory"}),
                ("validate", "validate {  ", {"data"}, {"epochs", "network"}),
                ("device", "device { ", {"memory", "name"}, {"batch", "network"}),
                ("device with a name", "device big {\n  memory 8GiB\n  ", {"name"}, {"memory", "batch"}),
                ("optimizer", "train {\n  batch 8\n  optimizer ", {"sgd", "adam"}, {"batch", "epochs"}),
                ("precision", "train { precision b", {"bf16", "f32"}, {"batch", "epochs"}),
                ("data", "train {\n  data ", {"idx(", "synthetic("}, {"batch"}),
                ("card", 'device { name "', {"RTX 3090"}, {"memory"}),
                ("rule", 'lint { ignore "', {"dead-layer"}, {"library.nn"}),
                ("network of that name", "network train {\n  ", {"input", "loss"}, {"batch", "train"}),
                ("network", "network other {\n  input v : f32[4]\n  w = ", {"v", "conv"}, {"x", "batch"}),
                ("block", "block other(deep) {\n  out = in -> ", {"relu", "small"}, {"batch", "x", "network"}),
                ("none: a comment", "# train {\n", {"train"}, {"batch"}),
                ("none: it is closed", "train { batch 8 }\n", {"validate"}, {"epochs"})):
            got = unclosed(line, before)
            names = set(got) | {label + "(" for label in got}
            ok(wanted <= names and not unwanted & set(got), f"completion: in an open section: {name}", sorted(got))
    item = unclosed(device, "train {")["epochs"]
    ok("epochs" in item["documentation"]["value"] and item["detail"], "completion: settings with their meaning", item)
    labels = section("device { memory 1GiB }", 'device { name "')
    ok(any("RTX" in label for label in labels), "completion: names of cards", labels)
    ok("library.nn" in section('use "library.nn"', 'use "'), "completion: files beside the spec")


def signature(c, uri, offered):
    got = c.at("textDocument/signatureHelp", uri, place("0.2)"))
    one = got["signatures"][got.get("activeSignature", 0)]
    ok(one["label"].startswith("small("), "signature help: the block's", got)
    parameter = one["parameters"][got["activeParameter"]]["label"]
    parameter = one["label"][slice(*parameter)] if isinstance(parameter, list) else parameter
    ok(parameter.startswith("rate"), "signature help: the argument that is named", parameter)
    got = c.at("textDocument/signatureHelp", uri, place("4, rate"))
    equal(got["activeParameter"], 0, "signature help: the argument by its place")
    equal(c.at("textDocument/signatureHelp", uri, {"line": 2, "character": 0}), None,
          "signature help: none outside of calls")
    for opened in offered["triggerCharacters"]:
        ok(opened in "(,=", "signature help: asked for at what begins an argument", offered)


def definition(c, uri, offered):
    links = c.at("textDocument/definition", uri, place("small", 1))
    equal([(link["targetUri"], link["targetSelectionRange"]) for link in links], [(uri, span("small"))],
          "definition: of a block")
    ok(TEXT.slice(links[0]["targetRange"]).startswith("block small(") and
       TEXT.slice(links[0]["targetRange"]).endswith("}"), "definition: with its body", links)
    links = c.at("textDocument/definition", uri, place("far"))
    equal([(link["targetUri"], link["targetSelectionRange"]["start"]) for link in links],
          [(uri_of("library.nn"), {"line": 0, "character": 6})], "definition: in a file that is used")
    got = c.at("textDocument/definition", uri, {"line": 0, "character": 8})
    ok(uri_of("library.nn") in str(got), "definition: of a file's name", got)
    equal(c.at("textDocument/definition", uri, place("dense")), None, "definition: an operator has none")
    plain = Client({})
    plain.open(uri, SPEC)
    equal(plain.at("textDocument/definition", uri, place("wide", 1)), {"uri": uri, "range": span("wide")},
          "definition: a location where the client knows no links")
    plain.stop()


def references(c, uri, offered):
    def found(word, declared):
        got = c.at("textDocument/references", uri, place(word), context={"includeDeclaration": declared})
        return sorted((os.path.basename(p["uri"]), p["range"]["start"]["line"]) for p in got)

    equal(found("small", True), [("a.nn", 5), ("a.nn", 12), ("a.nn", 13)], "references: of a block")
    equal(found("small", False), [("a.nn", 12), ("a.nn", 13)], "references: without where it is defined")
    equal(found("rate", True), [("a.nn", 5), ("a.nn", 6), ("a.nn", 13)], "references: of a block's parameter")
    equal(found("far", True), [("a.nn", 13), ("library.nn", 0), ("other.nn", 1)],
          "references: in specs that are not open too")


def highlight(c, uri, offered):
    got = c.at("textDocument/documentHighlight", uri, place("small", 1))
    equal(sorted((h["range"]["start"]["line"], h.get("kind")) for h in got), [(5, 3), (12, 2), (13, 2)],
          "highlights: written where it is defined, else read")


def symbols(c, uri, offered):
    got = c.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    outline = {s["name"]: [k["name"] for k in s.get("children", [])] for s in got}
    ok({"wide", "small", "net"} <= set(outline), "document symbols: of the file", outline)
    ok({"width", "rate", "out"} <= set(outline["small"]) and {"x", "y", "h", "g", "head"} <= set(outline["net"]),
       "document symbols: and of their bodies", outline)

    def inside(outer, inner):
        return TEXT.offset(**outer["start"]) <= TEXT.offset(**inner["start"]) and \
            TEXT.offset(**inner["end"]) <= TEXT.offset(**outer["end"])

    ok(all(inside(s["range"], s["selectionRange"]) for s in got + [k for s in got for k in s.get("children", [])]),
       "document symbols: each name within its definition", got)


def workspace_symbols(c, uri, offered):
    got = c.request("workspace/symbol", {"query": "sml"})
    equal([(s["name"], s["location"]["uri"], s["location"]["range"]) for s in got], [("small", uri, span("small"))],
          "workspace symbols: by their letters")
    ok(len(c.request("workspace/symbol", {"query": ""})) > 5, "workspace symbols: all")
    equal(c.request("workspace/symbol", {"query": "nosuchname"}), [], "workspace symbols: none")


def calls(c, uri, offered):
    item = c.at("textDocument/prepareCallHierarchy", uri, place("small", 2))[0]
    equal((item["name"], item["selectionRange"]), ("small", span("small")), "call hierarchy: of a block")
    got = c.request("callHierarchy/incomingCalls", {"item": item})
    equal([(g["from"]["name"], sorted(r["start"]["line"] for r in g["fromRanges"])) for g in got],
          [("net", [12, 13])], "call hierarchy: who uses it")
    got = c.request("callHierarchy/outgoingCalls", {"item": got[0]["from"]})
    equal(sorted((g["to"]["name"], len(g["fromRanges"])) for g in got), [("far", 1), ("small", 2)],
          "call hierarchy: what that uses")
    equal(c.at("textDocument/prepareCallHierarchy", uri, place("wide")), None, "call hierarchy: not of a number")


def folding(c, uri, offered):
    got = c.request("textDocument/foldingRange", {"textDocument": {"uri": uri}})
    folds = {(f["startLine"], f["endLine"]): f.get("kind") for f in got}
    equal(folds, {(3, 4): "comment", (5, 7): None, (9, 15): None}, "folding: blocks, networks and comments")


def selections(c, uri, offered):
    where = [place("4, rate"), place("batch")]
    got = c.request("textDocument/selectionRange", {"textDocument": {"uri": uri}, "positions": where})
    equal(len(got), 2, "selections: one for each place")
    chain = got[0]
    spans = []
    while chain:
        spans.append((TEXT.offset(**chain["range"]["start"]), TEXT.offset(**chain["range"]["end"])))
        chain = chain.get("parent")
    ok(all(b[0] <= a[0] and a[1] <= b[1] and a != b for a, b in zip(spans, spans[1:])),
       "selections: each grows", spans)
    ok(SPEC[spans[0][0]:spans[0][1]] == "4" and spans[-1] == (0, len(SPEC)),
       "selections: from the word to the whole text", [SPEC[a:b] for a, b in spans])
    ok("small(4, rate=0.2)" in [SPEC[a:b] for a, b in spans], "selections: by way of the call")


def tokens_of(data, legend):
    line = character = 0
    for k in range(0, len(data), 5):
        line, character = line + data[k], data[k + 1] + (0 if data[k] else character)
        yield line, character, data[k + 2], legend["tokenTypes"][data[k + 3]], data[k + 4]


def semantic_tokens(c, uri, offered):
    data = c.request("textDocument/semanticTokens/full", {"textDocument": {"uri": uri}})["data"]
    words = [(TEXT.slice({"start": {"line": line, "character": at}, "end": {"line": line, "character": at + n}}), kind)
             for line, at, n, kind, _ in tokens_of(data, offered["legend"])]
    ok({("block", "keyword"), ("small", "class"), ("dense", "function"), ("rate", "parameter"), ("net", "namespace"),
        ("8", "number"), ('"library.nn"', "string"), ("batch", "property"), ("f32", "type")} <= set(words),
       "semantic tokens: what words are", words)
    part = c.request("textDocument/semanticTokens/range", {
        "textDocument": {"uri": uri}, "range": {"start": {"line": 13, "character": 0},
                                                "end": {"line": 14, "character": 0}}})["data"]
    whole = [t for t in tokens_of(data, offered["legend"]) if t[0] == 13]
    equal(list(tokens_of(part, offered["legend"])), whole, "semantic tokens: those of a line are the same")


def links(c, uri, offered):
    got = c.request("textDocument/documentLink", {"textDocument": {"uri": uri}})
    equal([(TEXT.slice(link["range"]), link["target"]) for link in got], [("library.nn", uri_of("library.nn"))],
          "links: to files that are used")


def applied(text, uri, edit):
    """The text after a WorkspaceEdit, which may be about it alone."""
    if "documentChanges" in edit:
        changes = {d["textDocument"]["uri"]: d["edits"] for d in edit["documentChanges"]}
    else:
        changes = edit["changes"]
    equal(list(changes), [uri], "an action changes that text alone")
    return Text(text).apply(changes[uri])


def actions(c, uri, offered):
    loose = SPEC.replace("  loss", "  lost = x -> dense(3)\n  loss").replace("param wide = 8\n", "param wide = 8\nparam none = 1\n")
    at = uri_of("loose.nn")
    with open("loose.nn", "w") as f:
        f.write(loose)
    c.open(at, loose)
    found = {d["code"]: d for d in c.diagnosed(at)}
    ok("dead-layer" in found, "code actions: there are findings", found)

    def actions_of(d, **context):
        return c.request("textDocument/codeAction", {"textDocument": {"uri": at}, "range": d["range"],
                                                     "context": {"diagnostics": [d], **context}})

    kinds = set()
    for code, d in found.items():
        got = actions_of(d)
        kinds |= {a["kind"] for a in got}
        ok(got, f"code actions: for {code}")
        for a in got:
            if "edit" not in a or a["kind"] != "quickfix" or not any(x["code"] == code for x in a["diagnostics"]):
                continue
            new = applied(loose, at, a["edit"])
            c.replace(at, new)
            ok(code not in {x["code"] for x in c.diagnosed(at)}, f"code actions: '{a['title']}' cures it", new)
            c.replace(at, loose)
            c.diagnosed(at)
    got = actions_of(next(iter(found.values())), only=["source.fixAll"])
    kinds |= {a["kind"] for a in got}
    equal([a["kind"] for a in got], ["source.fixAll.stowage"], "code actions: only the kind that is asked for")
    subprocess.run([STOWAGE, "lint", "--fix", "--exit-zero", "loose.nn"], stdout=subprocess.DEVNULL, check=True)
    with open("loose.nn") as f:
        wanted = f.read()
    ok(wanted != loose, "code actions: lint --fix has something to do")
    equal(applied(loose, at, got[0]["edit"]), wanted, "code actions: all fixes are those of lint --fix")
    equal(actions_of(next(iter(found.values())), only=["refactor.nothing"]), [],
          "code actions: none of a kind that there is not")
    c.close(at)
    small = uri_of("small.nn")
    with open(f"{TOP}/specs/vgg16.nn") as f:
        big = re.sub(r"device *{[^}]*}", "", f.read()) + "\ndevice { memory 1GiB }\n"
    with open("small.nn", "w") as f:
        f.write(big)
    c.open(small, big)
    head = Text(big).position(re.search(r"^network (\w)", big, re.M).start(1))
    got = c.request("textDocument/codeAction", {"textDocument": {"uri": small}, "range": {"start": head, "end": head},
                                                "context": {"diagnostics": []}})
    cures = [a for a in got if a["title"].endswith(", fits")]
    ok(cures, "code actions: what would make a network fit", [a["title"] for a in got])
    new = applied(big, small, cures[0]["edit"]) if cures else big
    c.replace(small, new)
    ok("oom" not in {d["code"] for d in c.diagnosed(small)}, "code actions: and it does then", new)
    c.close(small)
    os.remove("small.nn")
    os.remove("loose.nn")
    offers = set(offered["codeActionKinds"])
    ok(kinds <= offers, "code actions: of kinds that are offered", (kinds, offers))


def commands(c, uri, offered):
    equal(sorted(offered["commands"]), ["stowage.explain", "stowage.showPlan"], "commands: those that are tested")
    before = len(c.notes)
    c.request("workspace/executeCommand", {"command": "stowage.explain", "arguments": ["dead-layer"]})
    c.settle()
    said = [m["params"]["message"] for m in c.notes[before:] if m["method"] == "window/showMessage"]
    ok(said and "dead-layer" in said[0], "commands: a rule is explained", said)
    for command, arguments in (("stowage.nothing", []), ("stowage.explain", []), ("stowage.explain", ["nothing"]),
                               ("stowage.showPlan", []), ("stowage.showPlan", ["untitled:none", "net"])):
        equal(c.error("workspace/executeCommand", {"command": command, "arguments": arguments}), -32602,
              f"commands: {command} {arguments} is refused")
    equal(c.error("workspace/executeCommand", {"command": "stowage.showPlan", "arguments": [uri, "nothing"]}), -32803,
          "commands: a network that there is not has no plan")


MESSY = SPEC.replace("  h = x", "      h   =    x").replace("batch 8", "batch    8").replace("wide = 8", "wide=8")
OPTIONS = {"tabSize": 8, "insertSpaces": False}


def laid_out(text):
    run = subprocess.run([STOWAGE, "fmt", "-"], input=text.encode(), capture_output=True, check=True)
    return run.stdout.decode()


def formatting(c, uri, offered):
    for name, text in (("a spec", MESSY), ("CRLF", MESSY.replace("\n", "\r\n")), ("wide characters", "# \U0001f600\n" + MESSY)):
        c.replace(uri, text)
        edits = c.request("textDocument/formatting", {"textDocument": {"uri": uri}, "options": OPTIONS})
        equal(Text(text).apply(edits), laid_out(text), f"formatting: {name} as by fmt")
        c.replace(uri, laid_out(text))
        equal(c.request("textDocument/formatting", {"textDocument": {"uri": uri}, "options": OPTIONS}), [],
              f"formatting: {name}: nothing to do then")
    rng, wrong = random.Random(3), []
    for path in sorted(glob.glob(f"{TOP}/specs/*.nn"))[::1 if os.environ.get("EXTENDED") else 4]:
        with open(path, "rb") as f:
            text = re.sub(r"[ \n]+", lambda m: m[0] if rng.random() < 0.8 else m[0] + rng.choice(" \n"), f.read().decode())
        for text in (text, text.replace("\n", "\r\n")):
            if subprocess.run([STOWAGE, "fmt", "-"], input=text.encode(), capture_output=True).returncode:
                continue
            c.replace(uri, text)
            edits = c.request("textDocument/formatting", {"textDocument": {"uri": uri}, "options": OPTIONS})
            if Text(text).apply(edits) != laid_out(text):
                wrong.append(path)
    ok(not wrong, "formatting: specs with blanks and line ends anywhere", wrong)
    c.replace(uri, "network {")
    equal(c.request("textDocument/formatting", {"textDocument": {"uri": uri}, "options": OPTIONS}), None,
          "formatting: a text with syntax errors stays as it is")
    c.replace(uri, SPEC)


def range_formatting(c, uri, offered):
    c.replace(uri, MESSY)
    line = MESSY[:MESSY.index("h   =")].count("\n")
    edits = c.request("textDocument/rangeFormatting", {
        "textDocument": {"uri": uri}, "options": OPTIONS,
        "range": {"start": {"line": line, "character": 3}, "end": {"line": line, "character": 9}}})
    lines, wanted = MESSY.split("\n"), laid_out(MESSY).split("\n")
    lines[line] = wanted[line]
    equal(Text(MESSY).apply(edits), "\n".join(lines), "range formatting: the lines of the range, and no other")
    c.replace(uri, SPEC)


def on_type_formatting(c, uri, offered):
    equal(offered["firstTriggerCharacter"], "}", "on type formatting: behind a brace")
    c.replace(uri, MESSY)
    copy = Text(MESSY)
    at = copy.position(MESSY.index("}\ntrain") + 1)
    edits = c.request("textDocument/onTypeFormatting", {"textDocument": {"uri": uri}, "position": at, "ch": "}",
                                                        "options": OPTIONS})
    body, wanted = copy.apply(edits), laid_out(MESSY)
    ok(body.count("h   =") == 0 and "wide=8" in body and "batch    8" in body,
       "on type formatting: what it closes, and nothing else", body)
    c.replace(uri, SPEC)


DRIVEN = {
    "textDocumentSync": sync, "hoverProvider": hover, "inlayHintProvider": hints, "codeLensProvider": lenses,
    "completionProvider": completion, "signatureHelpProvider": signature, "definitionProvider": definition,
    "referencesProvider": references, "documentHighlightProvider": highlight, "documentSymbolProvider": symbols,
    "workspaceSymbolProvider": workspace_symbols, "callHierarchyProvider": calls, "foldingRangeProvider": folding,
    "selectionRangeProvider": selections, "semanticTokensProvider": semantic_tokens, "documentLinkProvider": links,
    "codeActionProvider": actions, "executeCommandProvider": commands, "documentFormattingProvider": formatting,
    "documentRangeFormattingProvider": range_formatting, "documentOnTypeFormattingProvider": on_type_formatting,
}

ELSEWHERE = {"renameProvider"}  # refactor.test


def each():
    with open("library.nn", "w") as f:
        f.write(LIBRARY)
    with open("a.nn", "w") as f:
        f.write(SPEC)
    with open("other.nn", "w") as f:
        f.write('use "library.nn"\nblock more { out = in -> far(3) }\n')
    os.mkdir(".git")    # where the project ends
    c = Client()
    uri, _ = c.open_file("a.nn")
    equal([d for d in c.diagnosed(uri) if d["severity"] == 1], [], "the spec has no errors")
    offered = {k: v for k, v in c.server["capabilities"].items() if v and k != "positionEncoding"}
    equal(sorted(set(offered) - set(DRIVEN) - ELSEWHERE), [], "every capability that is offered is driven by a test")
    equal(sorted(set(DRIVEN) - set(offered)), [], "every capability that a test drives is offered")
    for name in sorted(set(DRIVEN) & set(offered)):
        case(type("", (), {"__call__": lambda self, name=name: DRIVEN[name](c, uri, offered[name]),
                           "__name__": name})())
    equal(c.stop(), 0, "and the server is well")


def settings():
    for options, wanted in (({"positionEncoding": "utf-8"}, "utf-8"), ({"positionEncoding": "utf-32"}, "utf-16"),
                            ({"stowage": {"positionEncoding": "utf-8"}}, "utf-8"), ({"positionEncoding": 8}, "utf-16")):
        c = Client(options=options)
        equal(c.encoding, wanted, f"the encoding of positions with {options}")
        c.open("untitled:a.nn", '# \u00e9\nnetwork n { input x : f32[2]\n  y = x -> mean("\u65e5") -> nosuch }\n')
        found = [d["range"]["start"]["character"] for d in c.diagnosed("untitled:a.nn") if "nosuch" in d["message"]]
        before = '  y = x -> mean("\u65e5") -> '
        equal(found, [len(before.encode()) if wanted == "utf-8" else len(before)], "and so are columns counted")
        c.stop()
    c = Client(options={"lenses": False, "byteHints": False, "shapeHints": False, "argumentHints": False})
    c.open("untitled:a.nn", SPEC)
    where = {"textDocument": {"uri": "untitled:a.nn"}, "range": TEXT.span(0, len(SPEC))}
    equal(c.request("textDocument/codeLens", where), [], "lenses can be switched off")
    equal(c.request("textDocument/inlayHint", where), [], "hints too")
    c.notify("workspace/didChangeConfiguration", {"settings": {"stowage": {"lenses": True, "argumentHints": True}}})
    ok(c.request("textDocument/codeLens", where), "and on again while it runs")
    equal({h["label"] for h in c.request("textDocument/inlayHint", where)} >= {"width:"}, True, "each kind by itself")
    c.stop()


def of_parts():
    """A layer that is several nodes is one layer to its reader."""
    spec = """block mix { out = in + (in -> attention(2)) }
network net {
  input  x : f32[6, 8]
  target y : class[2, 6]
  h = x -> 2 * mix
  g = h -> attention(4, bias=false)
  loss cross_entropy(g -> dense(2), y)
}
train { batch 4  data synthetic(8) }
"""
    text, here = Text(spec), {"textDocument": {"uri": "untitled:a.nn"}}
    c = Client()
    c.open("untitled:a.nn", spec)
    said = [c.at("textDocument/hover", "untitled:a.nn", text.position(spec.index(word)))["contents"]["value"]
            for word in ("attention(4", "attention(2")]
    # 8 * 24 + 8 * 8 weights; 6 * 8 * 24, 6 * 6 * 8 * 2 and 6 * 8 * 8 multiply-adds
    for part in ("f32[6, 8]`", "`g.attention`", "parameters: 256\n", "sample: 2,112\n"):
        ok(part in said[0], f"a layer of parts: {part.strip()}", said[0])
    for part in ("f32[6, 8]`", "2 layers, the first `h.0.attention`", "parameters: 576\n"):    # 32 biases each
        ok(part in said[1], f"twice: {part.strip()}", said[1])
    labels = [h["label"] for h in c.request("textDocument/inlayHint", {**here, "range": text.span(0, len(spec))})]
    ok("[6, 8]" in labels and "[6, 24]" not in labels, "a layer of parts: the shape of the last", labels)
    c.stop()


def shipped():
    """Blocks that come with Stowage have no file of the user's."""
    spec = """use "std/vision.nn"
network net {
  input  x : f32[3, 8, 8]
  target y : class[4]
  h = x -> conv_norm(8) -> basic(8)
  loss cross_entropy(h -> global_avgpool -> flatten -> dense(4), y)
}
train { batch 4  data synthetic(8) }
"""
    text, uri = Text(spec), "untitled:a.nn"
    here, at = {"textDocument": {"uri": uri}}, lambda word: text.position(spec.index(word) + 1)
    c = Client()
    c.open(uri, spec)
    equal(c.diagnosed(uri), [], "a block that comes with Stowage: nothing is wrong")
    said = c.at("textDocument/hover", uri, at("conv_norm"))["contents"]["value"]
    # 3 * 8 * 9 weights and 2 * 8 of the normalisation
    for part in ("block conv_norm(", "parameters: 232\n", "A convolution, a normalisation", "std/vision.nn"):
        ok(part in said, f"hover: {part.strip()}", said)
    said = c.at("textDocument/hover", uri, at("std/"))["contents"]["value"]
    ok("x -> squeeze_excite(" in said and "look at images" in said, "hover: what is in the file", said)

    def offered(before):
        c.replace(uri, before + spec[len(before):])
        got = c.at("textDocument/completion", uri, Text(before).position(len(before)))
        c.replace(uri, spec)
        return {i["label"] for i in (got["items"] if isinstance(got, dict) else got or [])}

    ok({"vision.nn", "unet.nn"} <= offered('use "std/'), "completion: the files there are")
    ok("std/" in offered('use "'), "completion: and their folder")
    ok({"conv_norm", "inverted"} <= offered(spec[:spec.index("basic")]), "completion: its blocks")
    for method, what in (("definition", at("conv_norm")), ("definition", at("std/")), ("references", at("basic"))):
        extra = {"context": {"includeDeclaration": True}}
        got = c.request(f"textDocument/{method}", {**here, "position": what, **extra}) or []
        uris = [g.get("uri") or g["targetUri"] for g in (got if isinstance(got, list) else [got])]
        bad = [u for u in uris if u != uri and not os.path.exists(path_of(u))]
        ok(not bad, f"{method}: no file that is not there", got)
    bad = [g for g in c.request("textDocument/documentLink", here) or [] if not os.path.exists(path_of(g["target"]))]
    ok(not bad, "links: none to a file that is not there", bad)
    answer = c.answer(c.ask("textDocument/rename", {**here, "position": at("basic"), "newName": "plain"}))
    ok("comes with Stowage" in answer.get("error", {}).get("message", ""), "rename: what comes with Stowage stays", answer)
    c.replace(uri, spec.replace("basic(8)", "basic(8, 2, 3)"))
    found = [d for d in c.diagnosed(uri) if "too many" in d["message"]]
    equal([d["range"]["start"]["line"] for d in found], [4], "what is wrong is said of its use")
    c.stop()


case(each)
case(of_parts)
case(shipped)
case(settings)
