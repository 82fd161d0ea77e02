/*
 * softplus: a smooth relu, log(1 + exp(beta x)) / beta. Its slope is 1 - exp(-beta y), so backward
 * reads the output alone and softplus may overwrite its input.
 */
#include "ir/diff.h"

#include "calls/emitter.h"

static const struct attr_spec attrs[] = {
	{ .name = "beta", .type = ATTR_REAL, .preset = "1", .min = 0.001, .max = 1000,
	    .doc = "how sharply it bends; the larger, the nearer to relu" },
	ATTRS_END
};

static void
emit_backward(struct emitter *e, const struct node *n)
{
	emit_call(e, "softplus_backward", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_tensor(n->in[1]), arg_real(op_real(n, "beta")), arg_count(n->out[0]));
}

const struct op op_softplus_grad = {
	.name = "softplus_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of softplus: dy (1 - exp(-beta y))",
	.flags = OP_ELEMENTWISE,
	.attrs = attrs,
	.operands = "dy y",
	.min_operands = 2, .max_operands = 2,
	.memory.inplace = 1u << 0,
	.calls.kernels = "pointwise/softplus.cu",
	.calls.emit = emit_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_softplus_grad, 1, &n->out[0]);
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_call(e, "softplus_forward", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_real(op_real(n, "beta")), arg_count(n->out[0]));
}

const struct op op_softplus = {
	.name = "softplus",
	.kind = OP_LAYER,
	.brief = "smooth rectifier",
	.doc = "y = log(1 + exp(beta x)) / beta, element by element; never zero, and smooth where "
	    "relu has a kink. The output has the shape of the input.",
	.flags = OP_ELEMENTWISE,
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = op_shape_same,
	.gradient.build = grad,
	.gradient.saves = SAVES_OUT(0),
	.memory.inplace = 1u << 0,
	.calls.kernels = "pointwise/softplus.cu",
	.calls.emit = emit,
};
