/* sub: the difference of two tensors. */
#include "ops/broadcast.h"

#include "ir/diff.h"
#include "ops/reduce.h"

static bool
grad(struct diff *d, struct node *n)
{
	struct tensor *dy = diff_of(d, n->out[0]);

	broadcast_pass_back(d, n, 0);
	if (diff_wants(d, n->in[1]))
		diff_output(d, diff_node(d, n, &op_reduce_negated, 1, &dy), n->in[1]);
	return true;
}

const struct op op_sub = {
	.name = "sub",
	.kind = OP_LAYER,
	.brief = "difference of two tensors",
	.doc = "y = a - b, also written a - b. Both operands have equally many axes, with extents "
	    "equal or 1; the one with extents of 1, or without a batch, is repeated. A scalar "
	    "goes with anything. Backward needs neither operand.",
	.flags = OP_ELEMENTWISE | OP_REALS,
	.formula = "a - b",
	.operands = "a b",
	.min_operands = 2, .max_operands = 2,
	.shape = broadcast_shape,
	.gradient.build = grad,
	.memory.inplace = 1u << 0 | 1u << 1,
	.torch = { .passes = 1u << 0, .full = 1u << 1 },
	.calls.kernels = "pointwise/arith.cu",
	.calls.emit = broadcast_emit,
};
