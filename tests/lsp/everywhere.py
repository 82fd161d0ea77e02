import os
import re

from client import Client, path_of, uri_of
from tap import case, equal, ok
from text import Text

TOP = os.environ["top_srcdir"]

AT = ["hover", "definition", "references", "documentHighlight", "completion", "signatureHelp", "prepareCallHierarchy"]
WHOLE = ["documentSymbol", "foldingRange", "documentLink", "semanticTokens/full", "codeLens"]


def bad_places(result, uri, texts):
    """Ranges that are none of their text."""
    if isinstance(result, list):
        return [b for r in result for b in bad_places(r, uri, texts)]
    if not isinstance(result, dict):
        return []
    bad = []
    for key, value in result.items():
        if key in ("range", "selectionRange", "originSelectionRange"):
            bad += [] if texts[result.get("uri", uri)].holds(value) else [value]
        elif key in ("targetRange", "targetSelectionRange"):
            bad += [] if texts[result["targetUri"]].holds(value) else [value]
        else:
            bad += bad_places(value, result.get("uri", uri) if key != "data" else uri, texts)
    return bad


class Files(dict):
    """Texts by address, of files where none is given."""

    def __init__(self, encoding):
        self.encoding = encoding

    def __missing__(self, uri):
        with open(path_of(uri), "rb") as f:
            self[uri] = Text(f.read().decode(), self.encoding)
        return self[uri]


def everywhere(encoding, cut):
    c = Client(encoding=encoding)
    wrong, asked = [], 0
    for name in ("lenet5", "resnet50", "unet", "clouds"):
        with open(f"{TOP}/specs/{name}.nn", "rb") as f:
            text = f.read().decode()
        if cut:
            text = text[:len(text) * 2 // 3].replace("relu", "relu \U0001f600", 2)
        uri = uri_of(f"{TOP}/specs/{name}.nn")
        texts = Files(encoding)
        texts[uri] = Text(text, encoding)
        c.open(uri, text)
        places = [m.start() for m in re.finditer(r"\w+|\W", text)]
        ids = []
        for at in places[::max(1, len(places) // (60 if os.environ.get("EXTENDED") else 20))]:
            for method in AT:
                ids.append((method, at, c.ask(f"textDocument/{method}", {
                    "textDocument": {"uri": uri}, "position": texts[uri].position(at),
                    "context": {"includeDeclaration": True}})))
        for method in WHOLE:
            ids.append((method, 0, c.ask(f"textDocument/{method}", {"textDocument": {"uri": uri}})))
        for method in ("inlayHint", "codeAction"):
            ids.append((method, 0, c.ask(f"textDocument/{method}", {
                "textDocument": {"uri": uri}, "range": texts[uri].span(0, len(text)), "context": {"diagnostics": []}})))
        for method, at, number in ids:
            m = c.answer(number)
            asked += 1
            if "error" in m or bad_places(m["result"], uri, texts):
                wrong.append(f"{name} {method} at {at}: {str(m)[:300]} {bad_places(m.get('result'), uri, texts)[:3]}")
        c.close(uri)
    ok(not wrong, f"{encoding}, {'cut off' if cut else 'whole'}: {asked} requests in real specs", "\n".join(wrong))
    equal(c.stop(), 0, "and the server is well")


def no_place():
    """Positions and ranges that are none are answered, by an error or by nothing."""
    c = Client()
    c.open("untitled:a.nn", "network n { input x : f32[4]  y = x -> dense(2) }\n")
    codes = set()
    for method in AT + WHOLE + ["inlayHint", "codeAction", "formatting", "rangeFormatting", "onTypeFormatting",
                                "selectionRange", "semanticTokens/range"]:
        for odd in (None, 3, {}, {"line": 0}, {"line": "0", "character": 0}, {"line": -1, "character": -1},
                    {"line": 2**31 - 1, "character": 2**31 - 1}, {"line": 2**62, "character": 2**62}):
            m = c.answer(c.ask(f"textDocument/{method}", {
                "textDocument": {"uri": "untitled:a.nn"}, "position": odd, "positions": [odd], "ch": "}",
                "range": {"start": odd, "end": odd}, "context": {"diagnostics": []}, "options": {"tabSize": 2, "insertSpaces": True}}))
            codes.add(m.get("error", {}).get("code"))
    ok(codes <= {None, -32602}, "places that are none are refused, or answered", codes)
    equal(c.stop(), 0, "and the server is well")


for encoding, cut in [(e, c) for e in ("utf-16", "utf-8") for c in (False, True)] if os.environ.get("EXTENDED") else [("utf-16", False), ("utf-8", True)]:
    case(lambda: everywhere(encoding, cut))
case(no_place)
