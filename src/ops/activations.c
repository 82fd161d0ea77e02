/*
 * Functions of one tensor, element by element, that are formulas: each is one row. To add one,
 * write its row and a spec in tests/ops; the manual, the gradient and the kernels of both targets
 * come from the row.
 *
 * gradient.saves is what PyTorch's autograd keeps (tools/autograd/derivatives.yaml), for forecasts;
 * what our own programs keep follows from the formula.
 */
#include "calls/tape.h"
#include "ops/pointwise.h"

#define KEEPS_INPUT	ONE_OPERAND, .gradient.saves = SAVES_IN(0)
#define KEEPS_OUTPUT	ONE_OPERAND, .gradient.saves = SAVES_OUT(0)
#define KEEPS_NOTHING	ONE_OPERAND, .gradient.saves = 0
#define ATTRS(...)	.attrs = (const struct attr_spec[]){ __VA_ARGS__, ATTRS_END }
#define REAL_ATTR(name, preset, words)	{ name, ATTR_REAL, words, .required = false, preset, .min = 0, .max = 0 }

/* ---- mathematics ---- */

OP_ROW(exp, "e to the power of x", "exp(x)", "y = exp(x).", KEEPS_OUTPUT);
OP_ROW(expm1, "exp(x) - 1, exact near 0", "expm1(x)", "y = exp(x) - 1, exact near 0.", KEEPS_OUTPUT, .torch.scratch = 2);
OP_ROW(log, "natural logarithm", "log(x)", "y = log(x); of 0 it is minus infinity, of less not a number.",
    KEEPS_INPUT);
OP_ROW(log1p, "log(1 + x), exact near 0", "log1p(x)", "y = log(1 + x), exact near 0.", KEEPS_INPUT, .torch.scratch = 2);
OP_ROW(sqrt, "square root", "sqrt(x)", "y = sqrt(x). At 0 its gradient is infinite.", KEEPS_OUTPUT, .torch.scratch = 2);
OP_ROW(rsqrt, "1 / square root", "rsqrt(x)", "y = 1 / sqrt(x).", KEEPS_OUTPUT, .torch.scratch = 3);
OP_ROW(abs, "absolute value", "abs(x)", "y = |x|; at 0 its gradient is 0.", KEEPS_INPUT, .torch.scratch = 2);
OP_ROW(sign, "-1, 0 or 1", "sign(x)", "y = 1 where x > 0, -1 where x < 0, else 0. Its gradient is 0.",
    KEEPS_NOTHING);
OP_ROW(floor, "rounding down", "floor(x)", "y = the largest whole number that is not above x. Its gradient is 0.",
    KEEPS_NOTHING);
OP_ROW(ceil, "rounding up", "-floor(-x)", "y = the least whole number that is not below x. Its gradient is 0.",
    KEEPS_NOTHING);
OP_ROW(sin, "sine", "sin(x)", "y = sin(x), x in radians.", KEEPS_INPUT, .torch.scratch = 2);
OP_ROW(cos, "cosine", "cos(x)", "y = cos(x), x in radians.", KEEPS_INPUT, .torch.scratch = 3);
OP_ROW(atan, "arc tangent", "atan(x)", "y = arc tangent of x, in radians from -pi / 2 to pi / 2.", KEEPS_INPUT,
    .torch.scratch = 3);
OP_ROW(erf, "error function", "erf(x)", "y = 2 / sqrt(pi) times the integral of exp(-t t) from 0 to x.",
    KEEPS_INPUT, .torch.scratch = 5);
/* x.reciprocal() * of; -dy * (y * y) */
static void
torch_reciprocal(struct tape *t, const struct node *n)
{
	int64_t bytes = tape_bytes(t, n->out[0]);
	int x = tape_value(t, n->in[0]), y;

	y = tape_elementwise(t, n, (struct tape_call){ .in = &x, .nin = 1, .bytes = bytes, .saves = SAVES_OUT(0),
	    .scratch = 3 * bytes });
	tape_result(t, n->out[0], tape_elementwise(t, n, (struct tape_call){ .in = &y, .nin = 1, .bytes = bytes }));
}

/* dy * (y * log(base)) */
static void
torch_raise(struct tape *t, const struct node *n)
{
	int x = tape_value(t, n->in[0]);

	tape_result(t, n->out[0], tape_elementwise(t, n, (struct tape_call){ .in = &x, .nin = 1, .bytes = tape_bytes(t, n->out[0]),
	    .saves = SAVES_IN(0) | SAVES_OUT(0), .scratch = 2 * tape_bytes(t, n->out[0]) }));
}

OP_ROW(reciprocal, "a number divided by x", "of / x", "y = of / x; 2 / x may be written as such.",
    ATTRS(REAL_ATTR("of", "1", "what is divided")), ONE_OPERAND, .torch.calls = torch_reciprocal);
OP_ROW(raise, "a number to the power of x", "base ^ x",
    "y = base to the power of x; 2 ^ x may be written as such.",
    ATTRS({ "base", ATTR_REAL, "what is raised, a positive number", .required = true, .min = 0, .max = 1e300 }),
    ONE_OPERAND, .torch.calls = torch_raise);
/* where(x is within both bounds, dy, 0) */
static void
torch_clamp(struct tape *t, const struct node *n)
{
	int64_t bytes = tape_bytes(t, n->out[0]);
	int x = tape_value(t, n->in[0]);

	tape_result(t, n->out[0], tape_elementwise(t, n, (struct tape_call){ .in = &x, .nin = 1, .bytes = bytes,
	    .saves = SAVES_IN(0), .scratch = bytes + 2 * tape_bytes_as(t, n->out[0], 1) +
	    dtype_bytes(n->out[0]->dtype) }));
}

OP_ROW(clamp, "x kept within two bounds", "where(x < least, least, where(x > most, most, x))",
    "y = x, but least where x is below it and most where x is above. The gradient is 0 outside.",
    ATTRS({ "least", ATTR_REAL, "the lower bound", .required = true },
    { "most", ATTR_REAL, "the upper bound", .required = true }), ONE_OPERAND, .torch.calls = torch_clamp);

/* ---- activations ---- */

OP_ROW(sigmoid, "logistic function", "sigmoid(x)",
    "y = 1 / (1 + exp(-x)). Backward reads the output alone: dx = dy * y * (1 - y). Before a loss on probabilities "
    "prefer bce_with_logits, which does not overflow.", KEEPS_OUTPUT);
OP_ROW(tanh, "hyperbolic tangent", "tanh(x)",
    "y = tanh(x). Backward reads the output alone: dx = dy * (1 - y * y).", KEEPS_OUTPUT);
OP_ROW(silu, "sigmoid linear unit (swish)", "x * sigmoid(x)",
    "y = x * s, s = 1 / (1 + exp(-x)) (Elfwing, Uchibe and Doya, 2017; Ramachandran, Zoph and Le, 2017, as "
    "swish). Backward reads the input: dx = dy * s * (1 + x * (1 - s)).", KEEPS_INPUT);

/* It commutes with maximum pooling: it never swaps two elements, keeps the bits of positive ones,
 * passes NaN on, and all that it makes equal is 0, where its gradient is 0. */
const struct op op_relu = {
	.name = "relu",
	.kind = OP_LAYER,
	.brief = "rectified linear unit",
	.doc = "y = max(x, 0), element by element. The output has the shape of the input. Backward reads the output "
	    "alone, so relu runs in place wherever its input is not needed again, and after a pooling where it "
	    "stands before one (the same numbers, of fewer elements). Not-a-number passes through, both ways, as in "
	    "PyTorch.",
	.flags = OP_ELEMENTWISE | OP_REALS | OP_AFTER_MAXIMUM,
	.formula = "relu(x)",
	.shape = pointwise_shape,
	.torch.output = TORCH_OVER,
	KEEPS_OUTPUT,
	STAYS_ITSELF
};
OP_ROW(leaky_relu, "rectified linear unit that leaks", "leaky(x, slope)",
    "y = x where x > 0, else slope * x (Maas, Hannun and Ng, 2013). Backward reads the output alone, so leaky_relu runs "
    "in place wherever its input is not needed again.",
    ATTRS({ "slope", ATTR_REAL, "factor of negative inputs", .required = false, "0.01", .min = 0, .max = 100 }),
    KEEPS_INPUT, .torch.output = TORCH_OVER);
OP_ROW(gelu, "Gaussian error linear unit",
    "where(tanh, 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))), x * normal(x))",
    "y = x * P(x) with P the standard normal distribution function, P(x) = (1 + erf(x / sqrt(2))) / 2 (Hendrycks "
    "and Gimpel, 2016).\n\nWith tanh=true, y = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))). Backward "
    "reads the input.", ATTRS({ "tanh", ATTR_BOOL, "use the approximation by tanh, as GPT-2 does, instead of erf",
    .required = false, "false", .min = 0, .max = 0 }), KEEPS_INPUT);

OP_ROW(softplus, "smooth rectifier", "softplus(beta * x) / beta",
    "y = log(1 + exp(beta x)) / beta; never zero, and smooth where relu has a kink (Dugas and others, 2001).",
    ATTRS({ "beta", ATTR_REAL, "how sharply it bends", .required = false, "1", .min = 1e-3, .max = 1e3 }),
    KEEPS_INPUT);
OP_ROW(relu6, "relu, at most 6", "where(x <= 0, 0, where(x >= 6, 6, x))",
    "y = min(max(x, 0), 6) (Krizhevsky, 2010; MobileNets).", KEEPS_INPUT, .torch.tf_saves = SAVES_OUT(0));
OP_ROW(elu, "exponential linear unit", "where(x > 0, x, alpha * expm1(x))",
    "y = x where x > 0, else alpha (exp(x) - 1) (Clevert, Unterthiner and Hochreiter, 2016).",
    ATTRS(REAL_ATTR("alpha", "1", "what it tends to far below 0, times -1")), KEEPS_INPUT, .torch.tf_saves = SAVES_OUT(0));
OP_ROW(selu, "scaled exponential linear unit",
    "1.0507009873554804934193349852946 * where(x > 0, x, 1.6732632423543772848170429916717 * expm1(x))",
    "y = s x where x > 0, else s a (exp(x) - 1), with the s and a that keep mean 0 and variance 1 (Klambauer "
    "and others, 2017).", KEEPS_INPUT, .torch.tf_saves = SAVES_OUT(0));
OP_ROW(celu, "continuously differentiable elu", "where(x > 0, x, alpha * expm1(x / alpha))",
    "y = x where x > 0, else alpha (exp(x / alpha) - 1) (Barron, 2017).",
    ATTRS({ "alpha", ATTR_REAL, "what it tends to far below 0, times -1", .required = false, "1", .min = 1e-6,
    .max = 1e6 }), KEEPS_INPUT);
OP_ROW(mish, "x tanh(softplus(x))", "x * tanh(softplus(x))", "y = x tanh(log(1 + exp(x))) (Misra, 2019).",
    KEEPS_INPUT);
OP_ROW(hardswish, "silu of straight lines", "x * where(x <= -3, 0, where(x >= 3, 1, x / 6 + 0.5))",
    "y = x min(max(x + 3, 0), 6) / 6 (Howard and others, 2019: MobileNetV3).", KEEPS_INPUT);
OP_ROW(hardsigmoid, "sigmoid of straight lines", "where(x <= -3, 0, where(x >= 3, 1, x / 6 + 0.5))",
    "y = min(max(x + 3, 0), 6) / 6, as PyTorch and MobileNetV3 have it.", KEEPS_INPUT);
OP_ROW(hardtanh, "x kept within [-1, 1]", "where(x <= least, least, where(x >= most, most, x))",
    "y = min(max(x, least), most); at the bounds its gradient is 0, where clamp's is 1.",
    ATTRS(REAL_ATTR("least", "-1", "the lower bound"), REAL_ATTR("most", "1", "the upper bound")), KEEPS_INPUT);
OP_ROW(logsigmoid, "log of sigmoid", "-softplus(-x)", "y = log(1 / (1 + exp(-x))), without overflow.",
    KEEPS_INPUT);
OP_ROW(threshold, "x above a bound, else a number", "where(x > bound, x, value)",
    "y = x where x > bound, else value.",
    ATTRS({ "bound", ATTR_REAL, "what x must be above", .required = true },
    { "value", ATTR_REAL, "what y is elsewhere", .required = true }), KEEPS_INPUT);

/* x / (1 + |x|) is three calls. */
static void
torch_softsign(struct tape *t, const struct node *n)
{
	int64_t bytes = tape_bytes(t, n->out[0]);
	int x = tape_value(t, n->in[0]), y;

	y = tape_elementwise(t, n, (struct tape_call){ .in = &x, .nin = 1, .bytes = bytes, .saves = SAVES_IN(0),
	    .scratch = 2 * bytes });
	y = tape_elementwise(t, n, (struct tape_call){ .in = &y, .nin = 1, .bytes = bytes, .passes = 1u << 0 });
	tape_result(t, n->out[0], tape_elementwise(t, n, (struct tape_call){ .in = (int[]){ x, y }, .nin = 2,
	    .bytes = bytes, .saves = SAVES_IN(0) | SAVES_IN(1), .scratch = 4 * bytes }));
}

OP_ROW(softsign, "x / (1 + |x|)", "x / (1 + abs(x))", "y = x / (1 + |x|) (Bergstra and others, 2009).",
    ONE_OPERAND, .torch.calls = torch_softsign);

/* x - tanh x is two. */
static void
torch_tanhshrink(struct tape *t, const struct node *n)
{
	int64_t bytes = tape_bytes(t, n->out[0]);
	int x = tape_value(t, n->in[0]), y;

	y = tape_elementwise(t, n, (struct tape_call){ .in = &x, .nin = 1, .bytes = bytes, .saves = SAVES_OUT(0) });
	tape_result(t, n->out[0], tape_elementwise(t, n, (struct tape_call){ .in = (int[]){ x, y }, .nin = 2,
	    .bytes = bytes, .passes = 1u << 0 }));
}

OP_ROW(tanhshrink, "x - tanh(x)", "x - tanh(x)", "y = x - tanh(x).", ONE_OPERAND, .torch.calls = torch_tanhshrink);
