"""Three stages of bench/gpu.sh, correctness first. On a card with 16 cores each ends within half an hour: in calls
that end before ten minutes, of which the next goes on where the last one ended.

A stage is some parts, and of what they look at the cases that say most, for it is the builds that take time:
about 220 of operators and short runs, 6 of whole networks, and 400 of operators in 16 bits and, of those that call libraries,
without.
Without a stage every case of every part is looked at.
"""
SECONDS = 570           # of a call
STAGES = {
    "1": ("device", "operators", "steps", "memory", "bits", "sanitizer", "largest"),
    "2": ("speed", "engines"),
    "3": ("narrow", "own", "own-steps", "c", "kernels"),
}
OPERATORS = {"1": ("f32",), "3": ("f32", "bf16")}


def keeps(stage, case):
    """Is the case one of the stage's? Without a stage all are."""
    kind, precision = case["kind"], case["precision"]
    if not stage:
        return True
    if kind == "ops":
        return precision in OPERATORS.get(stage, ())
    if kind == "steps":
        return stage in ("1", "3")
    if kind == "speed":
        return case["main"] and (stage in ("2", "3") and precision == "bf16" or
                                 stage == "2" and case["spec"] == "lenet5" and precision == "f32")
    return kind == "largest" and stage == "1"
