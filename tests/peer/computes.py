"""What a network computes for the first loss or metric that is no plain mean or sum, unless a target is needed for that, and what
it predicts by name, as terms: operators, attributes, shapes, and the weights where they stand. Names
and order do not count, nor how the same is spelled: a crop is a slice, stages of an axis count from its front, what an operator
does where it is not told is as if it were told. Numbers are those that f32 has."""
import hashlib
import re
import subprocess

import numpy


def attributes(text):
    """By name; numbers, and tuples of them, or words."""
    made = {}
    for name, value in re.findall(r"(\w+)=(\([^)]*\)|[^,}]*)", text):
        parts = [number(v) for v in value.strip("()").split(",") if v.strip()]
        made[name] = tuple(parts) if value.startswith("(") else parts[0] if parts else ""
    made.pop("init", None)	# how a parameter begins, which weights end
    return made


def number(text):
    try:
        return float(numpy.float32(text))
    except ValueError:
        return text.strip()


def extents(text):
    """Without the batch's."""
    return [int(d) for d in text.strip("[]").split(",") if d.strip() not in ("", "B")]


def of_axes(dims, parts):
    """A slice by axis: its start, step and count."""
    return "slice", [(int(axis) % len(dims), (int(start), int(step), count)) for axis, start, step, count in parts]


def told(a, name, k, otherwise):
    return int(a[name][k]) if k < len(a[name]) else otherwise


def sliced(a, dims, outs, k):
    parts = []
    for i, axis in enumerate(a["axis"]):
        step, extent = told(a, "step", i, 1), dims[int(axis)]
        start = told(a, "start", i, 0 if step > 0 else extent - 1)
        stop = told(a, "stop", i, extent if step > 0 else -extent - 1)
        start += extent if start < 0 else 0
        stop += extent if stop < 0 else 0
        parts.append((axis, start, step, len(range(start, stop, step))))
    return of_axes(dims, parts)


def cropped(a, dims, outs, k):
    if any(a["size"]):
        corner = [(dims[i] - int(a["size"][i])) // 2 for i in (-2, -1)]
    else:
        corner = [a["sides"][0], a["sides"][2]]
    return of_axes(dims, [(i, corner[i], 1, outs[k][i]) for i in (-2, -1)])


def split(a, dims, outs, k):
    axis = int(a["axis"])
    return of_axes(dims, [(axis, sum(o[axis] for o in outs[:k]), 1, outs[k][axis])])


def pooled(a, dims, outs, k):
    return None, dict(a, stride=a["stride"] or a["kernel"])


def resized(a, dims, outs, k):
    return None, {"mode": a["mode"], "corners": a["corners"]}


def turned(a, dims, outs, k):
    axes = list(range(len(dims)))
    if "with" in a:
        i, j = int(a["axis"]) % len(dims), int(a["with"]) % len(dims)
        axes[i], axes[j] = j, i
    else:
        axes = [int(i) % len(dims) for i in a["axes"]]
    long = [i for i in axes if dims[i] != 1]	# where one place stands is of no account
    return ("reshape", {}) if long == sorted(long) else ("permute", axes)


def flipped(a, dims, outs, k):
    return of_axes(dims, [(i, dims[int(i)] - 1, -1, dims[int(i)]) for i in a["axis"]])


def undropped(a, dims, outs, k):
    return None, dict(a, dropout=0)


def drawn(a, dims, outs, k):
    return None, {name: v for name, v in a.items() if name != "shape"}


def shaped(a, dims, outs, k):
    return "reshape", {}


def from_front(a, dims, outs, k):
    return None, dict(a, axis=int(a["axis"]) % len(dims))


def rolled(a, dims, outs, k):
    return None, sorted((int(i) % len(dims), int(by) % dims[int(i)]) for i, by in zip(a["axis"], a["shift"]) if int(by) % dims[int(i)])


def reduced(a, dims, outs, k):
    return None, dict(a, axis=sorted(int(i) % len(dims) for i in a["axis"] or range(len(dims))))


# of an operator's attributes, the shape of its first operand, those of what it makes, and which of these is asked for: its name, None
# where it keeps it, and what counts of its attributes
SPELLED = {"slice": sliced, "crop": cropped, "split": split, "flip": flipped, "maxpool": pooled, "avgpool": pooled, "upsample": resized,
           "permute": turned, "transpose": turned, "attend": undropped, "flatten": shaped, "reshape": shaped, "concat": from_front,
           "softmax": from_front, "normal": drawn, "uniform": drawn, "roll": rolled, **dict.fromkeys(("sum", "mean", "max", "min"), reduced)}


# where the order of operands is of no account
EITHER = ("add", "mul", "maximum", "minimum")


def made(op, how, operands, outs, k, joins, lines):
    """The term of result K of an operator, whose operands are terms; JOINS are what others join, by their terms, and LINES the
    factor, the offset and the operand of those that are lines."""
    first, dims = operands[0] if operands else "", shape_of(operands[0]) if operands else []
    how = attributes(how)
    if op in ("dropout", "stop_gradient"):
        return first
    if op in SPELLED:
        name, how = SPELLED[op](how, dims, [extents(d) for d in outs], k)
        op = name or op
    if op == "roll" and not how:
        return first
    if op in EITHER:
        operands = tuple(sorted(operands))
    if op == "scale":		# of a line a line
        factor, offset, source = lines.get(first, (1, 0, first))
        line = how["factor"] * factor, how["factor"] * offset + how["offset"], source
        if line[:2] == (1, 0):
            return source
        term = term_of(op, tuple(numpy.float32(v) for v in line[:2]), 0, source, outs[k])
        lines[term] = line
        return term
    if op == "concat":		# of what is joined already along the same axis, what that joins
        operands = tuple(part for o in operands for part in (joins[o][1] if o in joins and joins[o][0] == how["axis"] else (o,)))
        if len(operands) == 1:
            return operands[0]
        term = term_of(op, how, 0, operands, outs[k])
        joins[term] = how["axis"], operands
        return term
    if op == "slice":		# what it drops is dropped by a reshape of what it takes
        how = {axis: part for axis, part in sorted(how) if part != (0, 1, dims[axis])}
        taken = shaped_like(outs[k], [how[i][2] if i in how else d for i, d in enumerate(dims)])
        first = term_of(op, how, 0, operands, taken) if how else first
        op = "reshape"
    if op != "reshape":
        return term_of(op, how, k, operands, outs[k])
    source = re.sub(r"^reshape\[[^]]*\] of ", "", first)	# of several the last one matters
    return source if re.match(r"\w+(\[[^]]*\])", source)[1] == outs[k] else f"reshape{outs[k]} of {source}"


def term_of(op, how, k, operands, dims):
    return f"{op}{dims} {hashlib.sha256(repr((op, how, k, operands)).encode()).hexdigest()}"


def shaped_like(text, dims):
    return f"[{', '.join((['B'] if text.startswith('[B') else []) + [str(d) for d in dims])}]"


def shape_of(term):
    found = re.match(r"[\w ]+(\[[^]]*\])", term)
    return extents(found[1]) if found else []


def computes(stowage, spec, weights={}):
    """The terms; WEIGHTS, arrays by name, stand in it with their numbers, and without these with their shapes. Second, the names
    of those that it needs."""
    text = subprocess.run([stowage, "plan", "--target", "c", "--dump-after", "phases", spec], capture_output=True, text=True).stdout
    term, needs, joins, lines, first, answers = {}, {}, {}, {}, None, set()
    predicted = re.findall(r'(?m)^  result predicted %(\d+) ', text[text.index("\ngraph validate"):])
    for kind, t, dims, name in re.findall(r'(?m)^(parameter|statistic) %(\d+) \w+(\[[^]]*\]) "([^"]*)"', text):
        held = hashlib.sha256(weights[name].tobytes()).hexdigest() if name in weights else ""
        term[t], needs[t] = f"{kind}{dims} {held}", {name}
    for line in text[text.index("\ngraph validate"):].splitlines():
        head = re.match(r"  (input|target) %(\d+) (\w+)(\[[^]]*\])", line)
        node = re.match(r"  (%\d+ .*) = (\w+)\(([^)]*)\) (\{.*?\}) forward", line)
        if head:
            term[head[2]] = f"{head[1]}{head[4]} {head[3]}"
            answers |= {head[2]} if head[1] == "target" else set()
        if not node:
            continue
        read = re.findall(r"%(\d+)|_", node[3])
        operands = tuple(term.get(t, "") for t in read)
        if not first and re.match(r"%\d+ \w+\[\] scalar", node[1]) and node[2] not in ("mean", "sum", "scale", "add", "average"):
            first = read[0]
        outs = re.findall(r"%(\d+) \w+(\[[^]]*\])", node[1])
        for k, (t, _) in enumerate(outs):
            term[t] = made(node[2], node[4], operands, [d for _, d in outs], k, joins, lines)
            needs[t] = set().union(*(needs.get(t, set()) for t in read))
            answers |= {t} if answers & set(read) else set()
    wanted = ([first] if first and not (predicted and first in answers) else []) + predicted
    return [term[t] for t in wanted], set().union(*(needs.get(t, set()) for t in wanted))


# ---- the comparison itself ----

SPEC = """block of { out = %s }
network n {
  input  x : f32[4, 8, 6]
  target t : f32[%s]
  y = x -> conv(4, 1) -> of
  loss mse(y, t)
}
validate { batch 2  data synthetic(samples=2) }
"""
ALIKE = [("4, 4, 4", "crop(size=(4, 4))", "slice(axis=(1, 2), start=(2, 1), stop=(6, 5))"), ("4, 4, 3", "maxpool(2)", "maxpool(2, stride=2)"),
         ("4, 16, 12", "upsample(2)", "upsample(size=(16, 12))"), ("4, 6, 8", "transpose(1, 2)", "permute((0, 2, 1))"),
         ("4, 8, 6", "flip(axis=2)", "slice(axis=2, start=5, step=-1)"), ("192", "reshape((2, 96)) -> flatten", "flatten"),
         ("4, 8", "slice(axis=2, start=-1, drop=2)", "slice(axis=2, start=5) -> reshape((4, 8))"),
         ("16, 8, 6", "concat(concat(in, in), in -> relu, in)", "concat(in, concat(in, in -> relu, in))"),
         ("4, 8, 6", "dropout(0.5)", "slice(axis=1, stop=8)"), ("4, 8, 6", "scale(0.1)", "scale(0.10000000149)"),
         ("4", "sum(axis=(1, 2))", "sum(axis=(-1, 1))"), ("4, 8, 6", "relu(in) + in", "in + relu(in)"),
         ("4, 1, 8, 6", "reshape((1, 4, 8, 6)) -> permute((1, 0, 2, 3))", "reshape((4, 1, 8, 6))"),
         ("4, 8, 6", "roll(-3, axis=1) -> roll(8, axis=1)", "roll((0, 5), axis=(0, 1))"),
         ("4, 8, 6", "scale(2) -> scale(3, offset=1)", "scale(6) -> scale(1, offset=1)"),
         ("4, 8, 6", "scale(1) -> relu", "scale(2) -> scale(0.5) -> relu")]
OTHERS = [("4, 8, 6", "roll(3, axis=1)", "roll(-3, axis=1)"), ("4, 8, 6", "relu(in) - in", "in - relu(in)"), ("4, 8, 6", "scale(3, offset=1) -> scale(2)", "scale(6) -> scale(1, offset=1)"),
          ("4, 8", "sum(axis=2)", "mean(axis=2)"), ("4, 8", "max(axis=2)", "min(axis=2)"), ("4, 4, 4", "crop(size=(4, 4))", "slice(axis=(1, 2), start=(2, 2), stop=(6, 6))"), ("4, 4, 3", "maxpool(2)", "avgpool(2)"),
          ("4, 4, 3", "maxpool(2)", "maxpool(3, stride=2, pad=1)"), ("4, 16, 12", "upsample(2)", "upsample(2, mode=bilinear)"),
          ("4, 8", "slice(axis=2, start=4, stop=5, drop=2)", "slice(axis=2, start=5, drop=2)"),
          ("16, 8, 6", "concat(concat(in, in), in -> relu, in)", "concat(in, concat(in, in, in -> relu))"),
          ("4, 8, 6", "flip(axis=2)", "flip(axis=1)"), ("4, 8, 6", "flip(axis=2)", "relu"), ("4, 8, 6", "scale(0.1)", "scale(0.10001)"),
          ("192", "flatten", "permute((0, 2, 1)) -> flatten"), ("4, 4, 6", "slice(axis=1, stop=8, step=2)", "slice(axis=1, stop=4)")]


def check(folder, stowage):
    """What it says of pairs that are known: those that it tells wrongly."""
    wrong = []
    for pairs, alike in (ALIKE, True), (OTHERS, False):
        for dims, *bodies in pairs:
            terms = []
            for body in bodies:
                with open(folder + "/pair.nn", "w") as f:
                    f.write(SPEC % (body if "in" in re.findall(r"\w+", body) else "in -> " + body, dims))
                terms.append(computes(stowage, folder + "/pair.nn")[0])
            if [] in terms or (terms[0] == terms[1]) != alike:
                wrong.append(f"{bodies}: {terms}")
    return wrong
