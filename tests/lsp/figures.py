"""Shapes and bytes that hover and hints tell, where they are easily told wrong: of several layers that differ, of
what has no batch, at a peak in validation. The numbers are by hand."""
from client import Client, uri_of
from tap import case, equal, ok
from text import Text

SPEC = """block cell(w) { out = in -> conv(w, 3, pad=1) -> relu }
network net {
  input  image : f32[1, 28, 28]
  target digit : class[10]
  f = image -> cell(6) -> maxpool(2) -> 2 * cell(16) -> maxpool(2)
  g = (f -> flatten) + parameter((784))
  loss cross_entropy(g -> dense(10), digit)
}
train { batch 64  data synthetic(6400) }
validate { batch 256  data synthetic(640) }
"""
STEPS = """block cell(size) {
  input x, h
  out = concat(x, h) -> dense(size) -> tanh
}
network steps {
  input  x : f32[50, 8]
  target y : class[3]
  states = (x, zeros(32)) -> scan(cell(32))
  loss   cross_entropy(states.last -> dense(3), y)
}
"""
STAGES = """network a {
  input  x : f32[3, 32, 32]
  target t : class[10]
  s1 = x -> conv(16, 3, pad=1, bias=false) -> batchnorm -> relu
  y = s1 -> global_avgpool -> flatten -> dense(10)
  loss cross_entropy(y, t)
}
train { batch 64  accumulate 4  place s1 on 0  place y on 1  data synthetic(640) }
device { memory 1GiB }
"""
SEQUENCE = """network r {
  input  ids : tokens[20, vocab=50]
  target y : class[3]
  rec = ids -> embedding(50, 16) -> lstm(32, layers=2, bidirectional=true)
  s = rec -> split(2, axis=-1)
  loss cross_entropy(concat(s.0, s.1, axis=-1) -> mean(axis=0) -> dense(3), y)
}
train { batch 8  data synthetic(64) }
"""
SHARED = """network r {
  input  x : f32[20, 8]
  input  z : f32[8]
  target y : f32[8]
  a = x -> shared: dense(8) -> relu
  b = z -> shared -> relu
  loss mse((a -> mean(axis=0)) + b, y)
}
train { batch 32  data synthetic(64) }
"""


def figures():
    """figures of layers"""
    c = Client()
    uri, text = uri_of("figures.nn"), Text(SPEC)
    c.open(uri, SPEC)
    equal([d for d in c.diagnosed(uri) if d["severity"] == 1], [], "no errors")

    def hover(word, behind=0):
        return c.at("textDocument/hover", uri, text.position(SPEC.index(word) + behind))["contents"]["value"]
    got = c.request("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": text.span(0, len(SPEC))})
    behind = {SPEC[:text.offset(**h["position"])].split("\n")[-1].split(" ")[-1]: h["label"] for h in got
              if h["label"].startswith("[")}
    equal(behind.get("pad=1)"), "[6, 28, 28], ...", "inlay hints: layers of one line with several shapes")
    equal(behind.get("maxpool(2)"), "[16, 7, 7]", "inlay hints: one shape")
    ok("`f32[6, 28, 28]` per sample, `f32[64, 6, 28, 28]` at the batch: the first; not all are alike" in hover("conv("),
       "hover: the shape is that of the first", hover("conv("))
    ok("`f32[16, 14, 14]` per sample, `f32[64, 16, 14, 14]` at the batch\n" in hover("2 * cell", 4),
       "hover: two uses of one shape", hover("2 * cell", 4))
    ok("`f32[784]` for all samples together\n" in hover("parameter("), "hover: a parameter has no batch", hover("parameter("))
    ok("`f32[]` for all samples together\n" in hover("cross_entropy("), "hover: nor has a loss", hover("cross_entropy("))
    # in validation, two activations of 16 x 14 x 14 floats of 256 samples
    ok("at the peak: 6.12 MiB (6,422,528 B)" in hover("2 * cell", 4), "hover: bytes at a peak in validation",
       hover("2 * cell", 4))
    ok("- all are no calls of their own in the program: parts of neighbours, or left out\n" in hover("relu"),
       "hover: all relus are part of convolutions", hover("relu"))
    c.replace(uri, STEPS)
    at = Text(STEPS).position(STEPS.rindex("cell"))
    got = c.at("textDocument/hover", uri, at)["contents"]["value"]
    ok("`f32[32]`" in got and "layers" not in got and "parameters" not in got,
       "hover: what a scan does at each step are the scan's figures", got)
    c.replace(uri, STAGES)
    at = Text(STAGES).position(STAGES.index("dense"))
    got = c.at("textDocument/hover", uri, at)["contents"]["value"].split("```")[0]
    ok("parameters: 170\n" in got and "bytes" not in got and "left out" not in got,
       "hover: of layers of another stage it does not say what they take", got)
    lenses = c.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    ok("on rank 0 of 2" in lenses[0]["command"]["title"] and "largest" not in lenses[0]["command"]["title"],
       "code lens: the rank of the plan, and no largest batch, which stowage fit does not tell", lenses)
    c.replace(uri, STAGES.replace("place s1 on 0  place y on 1", "ranks 2"))
    lenses = c.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    ok("at batch 8 on each of 2 ranks" in lenses[0]["command"]["title"], "code lens: on each of several ranks", lenses)
    c.replace(uri, SEQUENCE)
    text = Text(SEQUENCE)
    got = c.request("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": text.span(0, len(SEQUENCE))})
    at = SEQUENCE.index("bidirectional=true)") + len("bidirectional=true)")
    equal([h["label"] for h in got if h["position"] == text.position(at) and h["label"].startswith("[")], ["[20, 64]"],
          "inlay hints: of a layer of parts that of what it makes first")
    got = c.at("textDocument/hover", uri, text.position(SEQUENCE.index("split")))["contents"]["value"]
    ok("bytes forward: 40.00 KiB (40,960 B)" in got, "hover: both halves of 20 x 32 floats of 8 samples", got)
    c.replace(uri, SHARED)
    text = Text(SHARED)
    got = [c.at("textDocument/hover", uri, text.position(SHARED.index(word) + 5))["contents"]["value"]
           for word in ("x -> shared", "z -> shared")]
    ok("bytes forward: 20.00 KiB (20,480 B)" in got[0] and "bytes forward: 1.00 KiB (1,024 B)" in got[1],
       "hover: of a layer that is applied again each use has its bytes", "\n".join(got))
    c.stop()


case(figures)
