/* leaky_relu: x where x > 0, else slope * x. The slope is not negative, so that the output has the
 * sign of the input: backward reads the output alone, and forward runs in place. */
#include "ops/shapes.h"

#include "ir/diff.h"

#include "calls/emitter.h"

static const struct attr_spec attrs[] = {
	{ "slope", ATTR_REAL, "factor of negative inputs", .preset = "0.01", .min = 0, .max = 100 },
	ATTRS_END
};

static void
emit_backward(struct emitter *e, const struct node *n)
{
	emit_call(e, "leaky_relu_backward", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_tensor(n->in[1]), arg_real(op_real(n, "slope")), arg_count(n->out[0]));
}

const struct op op_leaky_relu_grad = {
	.name = "leaky_relu_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of leaky_relu: dy where y > 0, else slope * dy",
	.flags = OP_ELEMENTWISE,
	.attrs = attrs,
	.formula = "where(y > 0, dy, slope * dy)",
	.operands = "dy y",
	.min_operands = 2, .max_operands = 2,
	.memory.inplace = 1u << 0 | 1u << 1,
	.calls.kernels = "pointwise/leaky_relu.cu",
	.calls.emit = emit_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_leaky_relu_grad, 1, &n->out[0]);
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_call(e, "leaky_relu_forward", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_real(op_real(n, "slope")), arg_count(n->out[0]));
}

const struct op op_leaky_relu = {
	.name = "leaky_relu",
	.kind = OP_LAYER,
	.brief = "rectified linear unit that leaks",
	.doc = "y = x where x > 0, else slope * x, element by element (Maas, Hannun and Ng, "
	    "2013). The output has the shape of the input. Backward reads the output alone, so "
	    "leaky_relu runs in place wherever its input is not needed again.",
	.flags = OP_ELEMENTWISE,
	.attrs = attrs,
	.formula = "where(x > 0, x, slope * x)",
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape_same_float,
	.gradient.build = grad,
	.gradient.saves = SAVES_OUT(0),
	.memory.inplace = 1u << 0,
	.torch = { .output = TORCH_OVER, .saves = SAVES_IN(0) },
	.calls.kernels = "pointwise/leaky_relu.cu",
	.calls.emit = emit,
};
