/*
 * relu: max(x, 0). Its gradient reads its own output, so it may overwrite its input.
 *
 * It commutes with maximum pooling: it never swaps two elements, keeps the bits of positive ones,
 * passes NaN on, and all that it makes equal is 0, where its gradient is 0.
 */
#include "ops/shapes.h"

#include "ir/diff.h"

#include "calls/emitter.h"

static void
emit_backward(struct emitter *e, const struct node *n)
{
	emit_call(e, "relu_backward", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_tensor(n->in[1]), arg_count(n->out[0]));
}

const struct op op_relu_grad = {
	.name = "relu_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of relu: 0 where y <= 0, else dy",
	.flags = OP_ELEMENTWISE,
	.formula = "where(y <= 0, 0, dy)",
	.operands = "dy y",
	.min_operands = 2, .max_operands = 2,
	.memory.inplace = 1u << 0,
	.calls.kernels = "pointwise/relu.cu",
	.calls.emit = emit_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_relu_grad, 1, &n->out[0]);
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_call(e, "relu_forward", arg_tensor(n->out[0]), arg_tensor(n->in[0]),
	    arg_count(n->out[0]));
}

const struct op op_relu = {
	.name = "relu",
	.kind = OP_LAYER,
	.brief = "rectified linear unit",
	.doc = "y = max(x, 0), element by element. The output has the shape of the input. "
	    "Backward reads the output alone, so relu runs in place wherever its input is not "
	    "needed again, and after a pooling where it stands before one (the same numbers, of "
	    "fewer elements). Not-a-number passes through, both ways, as in PyTorch.",
	.flags = OP_ELEMENTWISE | OP_AFTER_MAXIMUM,
	.formula = "relu(x)",
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape_same_float,
	.gradient.build = grad,
	.gradient.saves = SAVES_OUT(0),
	.memory.inplace = 1u << 0,
	.torch = { .output = TORCH_OVER },
	.calls.kernels = "pointwise/relu.cu",
	.calls.emit = emit,
};
