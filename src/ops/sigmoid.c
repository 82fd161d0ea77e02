/* sigmoid: 1 / (1 + exp(-x)). Its gradient reads its own output. */
#include "ops/shapes.h"

#include "ir/diff.h"

#include "calls/emitter.h"

static void
emit_backward(struct emitter *e, const struct node *n)
{
	emit_call(e, "sigmoid_backward", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_tensor(n->in[1]), arg_count(n->out[0]));
}

const struct op op_sigmoid_grad = {
	.name = "sigmoid_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of sigmoid: dy * y * (1 - y)",
	.flags = OP_ELEMENTWISE,
	.operands = "dy y",
	.min_operands = 2, .max_operands = 2,
	.memory.inplace = 1u << 0 | 1u << 1,
	.calls.kernels = "pointwise/sigmoid.cu",
	.calls.emit = emit_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_sigmoid_grad, 1, &n->out[0]);
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_call(e, "sigmoid_forward", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_count(n->out[0]));
}

const struct op op_sigmoid = {
	.name = "sigmoid",
	.kind = OP_LAYER,
	.brief = "logistic function",
	.doc = "y = 1 / (1 + exp(-x)), element by element. The output has the shape of the input. "
	    "Backward reads the output alone: dx = dy * y * (1 - y). Before a loss on "
	    "probabilities prefer bce_with_logits, which does not overflow.",
	.flags = OP_ELEMENTWISE,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape_same_float,
	.gradient.build = grad,
	.gradient.saves = SAVES_OUT(0),
	.memory.inplace = 1u << 0,
	.calls.kernels = "pointwise/sigmoid.cu",
	.calls.emit = emit,
};
