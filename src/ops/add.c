/* add: the sum of two tensors. Its gradient is dy itself, summed where an operand was repeated. */
#include "ops/broadcast.h"

static bool
grad(struct diff *d, struct node *n)
{
	broadcast_pass_back(d, n, 0);
	broadcast_pass_back(d, n, 1);
	return true;
}

const struct op op_add = {
	.name = "add",
	.kind = OP_LAYER,
	.brief = "sum of two tensors",
	.doc = "y = a + b, also written a + b. Both operands have equally many axes, with extents "
	    "equal or 1; the one with extents of 1, or without a batch, is repeated. A scalar "
	    "goes with anything. Backward needs neither operand.",
	.flags = OP_ELEMENTWISE | OP_REALS,
	.formula = "a + b",
	.operands = "a b",
	.min_operands = 2, .max_operands = 2,
	.shape = broadcast_shape,
	.gradient.build = grad,
	.memory.inplace = 1u << 0 | 1u << 1,
	.torch = { .output = TORCH_OVER, .passes = 1u << 0 | 1u << 1 },
	.calls.kernels = "pointwise/arith.cu",
	.calls.emit = broadcast_emit,
};
