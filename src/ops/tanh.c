/* tanh: the hyperbolic tangent. Its gradient reads its own output. */
#include "ops/shapes.h"

#include "ir/diff.h"

#include "calls/emitter.h"

static void
emit_backward(struct emitter *e, const struct node *n)
{
	emit_call(e, "tanh_backward", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_tensor(n->in[1]), arg_count(n->out[0]));
}

const struct op op_tanh_grad = {
	.name = "tanh_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of tanh: dy * (1 - y * y)",
	.flags = OP_ELEMENTWISE,
	.operands = "dy y",
	.min_operands = 2, .max_operands = 2,
	.memory.inplace = 1u << 0 | 1u << 1,
	.calls.kernels = "pointwise/tanh.cu",
	.calls.emit = emit_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_tanh_grad, 1, &n->out[0]);
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_call(e, "tanh_forward", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_count(n->out[0]));
}

const struct op op_tanh = {
	.name = "tanh",
	.kind = OP_LAYER,
	.brief = "hyperbolic tangent",
	.doc = "y = tanh(x), element by element. The output has the shape of the input. Backward "
	    "reads the output alone: dx = dy * (1 - y * y).",
	.flags = OP_ELEMENTWISE,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape_same_float,
	.gradient.build = grad,
	.gradient.saves = SAVES_OUT(0),
	.memory.inplace = 1u << 0,
	.calls.kernels = "pointwise/tanh.cu",
	.calls.emit = emit,
};
