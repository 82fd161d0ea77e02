/* gelu: x times the normal distribution function. Its gradient needs its input. */
#include "ops/shapes.h"

#include "ir/diff.h"

#include "calls/emitter.h"

static const struct attr_spec attrs[] = {
	{ "tanh", ATTR_BOOL, "use the approximation by tanh, as GPT-2 does, instead of erf",
	    .preset = "false" },
	ATTRS_END
};

static void
emit_backward(struct emitter *e, const struct node *n)
{
	emit_call(e, "gelu_backward", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_tensor(n->in[1]), arg_int(op_int(n, "tanh")), arg_count(n->out[0]));
}

const struct op op_gelu_grad = {
	.name = "gelu_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of gelu: dy * (P(x) + x * p(x))",
	.flags = OP_ELEMENTWISE,
	.attrs = attrs,
	.operands = "dy x",
	.min_operands = 2, .max_operands = 2,
	.memory.inplace = 1u << 0 | 1u << 1,
	.calls.kernels = "pointwise/gelu.cu",
	.calls.emit = emit_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_gelu_grad, 1, &n->in[0]);
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_call(e, "gelu_forward", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_int(op_int(n, "tanh")), arg_count(n->out[0]));
}

const struct op op_gelu = {
	.name = "gelu",
	.kind = OP_LAYER,
	.brief = "Gaussian error linear unit",
	.doc = "y = x * P(x) with P the standard normal distribution function, P(x) = (1 + erf(x "
	    "/ sqrt(2))) / 2, element by element (Hendrycks and Gimpel, 2016).\n\n"
	    "With tanh=true, y = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))). The "
	    "output has the shape of the input. Backward reads the input.",
	.flags = OP_ELEMENTWISE,
	.attrs = attrs,
	.formula = "where(tanh, 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))), "
	    "x * normal(x))",
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape_same_float,
	.gradient.build = grad,
	.gradient.saves = SAVES_IN(0),
	.memory.inplace = 1u << 0,
	.calls.kernels = "pointwise/gelu.cu",
	.calls.emit = emit,
};
