/* silu: x * sigmoid(x). It is not monotonic, so its gradient needs its input. */
#include "ops/shapes.h"

#include "ir/diff.h"

#include "calls/emitter.h"

static void
emit_backward(struct emitter *e, const struct node *n)
{
	emit_call(e, "silu_backward", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_tensor(n->in[1]), arg_count(n->out[0]));
}

const struct op op_silu_grad = {
	.name = "silu_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of silu: dy * s * (1 + x * (1 - s)), s = sigmoid(x)",
	.flags = OP_ELEMENTWISE,
	.operands = "dy x",
	.min_operands = 2, .max_operands = 2,
	.memory.inplace = 1u << 0 | 1u << 1,
	.calls.kernels = "pointwise/silu.cu",
	.calls.emit = emit_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_silu_grad, 1, &n->in[0]);
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_call(e, "silu_forward", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_count(n->out[0]));
}

const struct op op_silu = {
	.name = "silu",
	.kind = OP_LAYER,
	.brief = "sigmoid linear unit (swish)",
	.doc = "y = x * s, s = 1 / (1 + exp(-x)), element by element (Elfwing, Uchibe and Doya, "
	    "2017; Ramachandran, Zoph and Le, 2017, as swish). The output has the shape of the "
	    "input. Backward reads the input: dx = dy * s * (1 + x * (1 - s)).",
	.flags = OP_ELEMENTWISE,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape_same_float,
	.gradient.build = grad,
	.gradient.saves = SAVES_IN(0),
	.memory.inplace = 1u << 0,
	.calls.kernels = "pointwise/silu.cu",
	.calls.emit = emit,
};
