"""Arguments of calls, as hints, signature help and completion have them."""
from client import Client, uri_of
from tap import case, equal, ok
from text import Text

CALLED = """block small(width) { out = in -> dense(width) }
block two(width, rate=0.1) {
  input a, b
  out = concat(a, b) -> dense(width) -> dropout(rate)
}
block by_layer(act=dense(3)) { out = in -> act }
network net {
  input  x : f32[3, 8, 8]
  target y : class[2]
  n = 4
  p = conv(x, 16, 3)
  q = maxpool(p, 2)
  f = flatten(q)
  r = small(f, 4)
  s = two(r, f, 5)
  z = (r, f) -> two(6)
  u = small(s + z, n)
  v = u -> reshape(2, 2) -> 2 * dense(n) -> flatten -> by_layer(dense(8))
  w = concat(v, v, v, v, 0)
  loss cross_entropy(v, y, 0.1)
}
train { batch 8  data csv("rows.csv", scale=2)  optimizer adam(1e-3, 0.9) }
"""


def called():
    """conv(x, 16, 3) has the tensor among its arguments, x -> conv(16, 3) has not"""
    c = Client()
    uri, text = uri_of("called.nn"), Text(CALLED)
    c.open(uri, CALLED)
    got = c.request("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": text.span(0, len(CALLED))})
    named = {}
    for hint in got:
        if hint["label"].endswith(":"):
            at = text.offset(**hint["position"])
            named.setdefault(CALLED[:at].rpartition("\n")[2].split(" = ")[0].strip(), []).append(
                hint["label"] + CALLED[at:at + 1])
    equal({k: named.get(k) for k in "pqrszuv"},
          {"p": ["filters:1", "kernel:3"], "q": ["kernel:2"], "r": ["width:4"], "s": ["width:5"], "z": ["width:6"],
           "u": ["width:n"], "v": ["shape:2", "units:n", "act:d", "units:8"]}, "inlay hints: names of arguments behind tensors")

    def active(word, behind):
        got = c.at("textDocument/signatureHelp", uri, text.position(CALLED.index(word) + behind))
        one = got["signatures"][0]
        return one["label"][slice(*one["parameters"][got["activeParameter"]]["label"])]
    for word, wanted in (("conv(x, 16, 3", ("x", "filters", "kernel")), ("small(f, 4", ("in", "width")),
                         ("two(r, f, 5", ("a", "b", "width")), ("two(6", ("width",)), ("small(s + z, n", ("in", "width")),
                         ("cross_entropy(v, y, 0.1", ("logits", "target", "smoothing=0")), ("concat(a, b", ("a", "b")), ("concat(v, v, v, v, 0", ("a", "b", "...", "...", "axis=0")),
                         ('csv("rows.csv", scale=2', ("file", "scale=1")), ("adam(1e-3, 0.9", ("lr=1e-3", "beta1=0.9"))):
        places = [i + 1 for i, letter in enumerate(word) if letter in "(,"]
        equal(tuple(active(word, at) for at in places), wanted, f"signature help: {word})")

    def offered(word):
        return {i["label"] for i in c.at("textDocument/completion", uri, text.position(CALLED.index(word) + len(word)))["items"]
                if i["label"].endswith("=")}
    ok("stride=" in offered("conv(x, 16, ") and not {"filters="} & offered("conv(x, 16, "),
       "completion: no argument that is given by its place", offered("conv(x, 16, "))
    equal(offered("two(r, f, "), {"width=", "rate="}, "completion: none is, behind tensors")
    c.stop()


def offered_where():
    """types where a type is expected, layers behind an arrow"""
    c = Client()
    uri = uri_of("offered.nn")

    def labels(before, after=""):
        (c.replace if uri in c.versions else c.open)(uri, before + after)
        return {i["label"] for i in c.at("textDocument/completion", uri, Text(before + after).position(len(before)))["items"]}
    equal(labels("param n = 3\nnetwork a {\n  input  x : ", "\n}\n"), {"f32", "u8", "class", "tokens"}, "completion: types")
    equal(labels("param n = 3\nnetwork a {\n  target t : cl"), {"f32", "u8", "class", "tokens"}, "completion: of a target")
    equal(labels("param n = 3\nnetwork a {\n  input  x : f32[", "]\n}\n"), {"n"}, "completion: a type's extents")
    equal(labels("network a {\n  input  ", "\n}\n"), set(), "completion: no name is known that is new")
    equal(labels("block b {\n  input ", "\n}\n"), set(), "completion: nor in a block")
    equal(labels("param n = 3\nparam m = "), {"n", "m"}, "completion: a param's value")
    body = "network a {\n  input  x : f32[3]\n  h = x -> dense(3)\n  layer = dense(3) -> relu\n  inputs = x\n  y = x -> "
    got = labels(body, "\n}\n")
    ok({"layer", "relu"} <= got and not {"x", "h", "inputs"} & got, "completion: no tensors behind an arrow", sorted(got)[:12])
    got = labels(body.replace("x -> ", "2 * "), "\n}\n")
    ok({"x", "h", "inputs", "layer"} <= got, "completion: but elsewhere", sorted(got)[:12])
    c.stop()


def looked_through():
    """definitions that name the one before twice, and sums within sums, are not looked through again and again"""
    c = Client()
    uri = uri_of("twice.nn")
    text = "param n = 3\nnetwork a {\n  input  h0 : f32[3]\n  i0 = n\n"
    text += "".join(f"  h{k} = h{k - 1} + (h{k - 1} -> dense(3))\n  i{k} = i{k - 1} + i{k - 1}\n" for k in range(1, 41))
    text += "  s = " + "(1 + " * 60 + "n" + ")" * 60 + "\n  y = h40 -> "
    c.open(uri, text + "\n}\n")
    got = {i["label"] for i in c.at("textDocument/completion", uri, Text(text).position(len(text)))["items"]}
    ok("relu" in got and "h40" not in got and "i40" in got, "completion: forty definitions that double", sorted(got)[:12])
    c.stop()


case(called)
case(offered_where)
case(looked_through)
