"""Writes a spec with every keyword, unit, type and setting that the program knows, and beside each keyword
words that only look like it. `stowage fmt` accepts it; nothing compiles it.

    every.py [layout]        layout: one (settings on one line each) or many (all of a section on one)
"""
import sys

import tokens


def main():
    many = sys.argv[1:] == ["many"]
    words = tokens.keyword_classes()
    out = ["# Zeichen außerhalb von ASCII: → ≤ 層", "# stowage: allow(oom, memory) a reason", 'use "blocks.nn"',
           "param classes = 1_000", "param\n  ratio = 1/0x1F"]
    for i, unit in enumerate(sorted(tokens.units())):
        out.append("param s%d = %d%s%s" % (i, i + 1, " " * (i % 3), unit))
    out += ["block b(width, stride=1, act=relu) {",
            "  input a, c # the second\n    , d",
            "  e = if not stride == 1 and width != 2 or width <= 3 then a -> conv(width, 3) else in",
            "  f = if true then (e, c) -> concat else false",
            "  g = 3 * (index + 1) % 2 - -width / 2 -> body: 2 * relu -> act",
            "  h = e ->\n    # between\n    relu -> rec.last",
            "  out = x[2] + f [ 0 ] + g.rec.1 -> (if below > 0 then act else gelu) -> b(1, stride=2,)",
            "}", "block one(){ out = in->relu->one }"]
    for kind in tokens.types():
        out += ["network n_%s {" % kind, "  input x, y : %s[3, 4 * classes, vocab=10]" % kind,
                "  target t: %s z = x" % kind, "  target u\n    : %s" % kind, "  loss depth: 0.1 * l1(x, t)",
                "  loss mse(x, t) metric accuracy(x, t)", "}"]
    out.append("network words {")
    for word in words:
        for near in (word + "_", word + "s", "_" + word, word.upper(), word + "1"):
            out.append("  %s = %s -> %s(%s, %s=%s) -> %s -> %s: relu" % ((near,) * 8))
    for word in (w for w in words if words[w] in ("item", "statement")):
        out.append("  keyed_%s = f(%s=1, loss=%s.x)" % (word, word, "a"))
    out.append("}")
    values = ["1", "f32", "auto(8GiB)", '"text"', "-1", "a.b, *.bias, c", "3 * n", "*", "a, b", "(1, 2)",
              "if a then b else c", "cosine(warmup=5 epochs, every=3 steps)", "true", "x + y", "8 GiB",
              "a\n    , b,\n    c", "n - m", "not a"]
    i = 0
    for section, keys in tokens.settings().items():
        for head in ("", " named"):
            lines = []
            for key in keys + (["metric"] if section == "validate" else []):
                for _ in range(3):
                    lines.append("%s %s" % (key, values[i % len(values)]))
                    i += 1
            out.append("%s%s {" % (section, head))
            out.append("  " + ("  " if many else "\n  ").join(lines))
            out.append("}")
    out.append('lint "legacy/**" { note all }')
    out.append("device{memory 8GiB}train t{batch 1}")
    text = "\n".join(out) + "\n"
    shown = {word for _, _, _, what, word in tokens.rows(text) if words.get(word) == what}
    if shown != set(words):
        raise SystemExit("every.py: show the use of %s" % ", ".join(sorted(set(words) - shown)))
    sys.stdout.write(text)


main()
