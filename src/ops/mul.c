/* mul: the product of two tensors, element by element. The gradient of each needs the other. */
#include "ops/broadcast.h"

#include "ir/diff.h"
#include "ops/reduce.h"

static bool
grad(struct diff *d, struct node *n)
{
	int k;

	for (k = 0; k < 2; k++)
		if (diff_wants(d, n->in[k]))
			diff_output(d, diff_node(d, n, &op_mul_grad, 2, (struct tensor *[]){
			    diff_of(d, n->out[0]), n->in[1 - k] }), n->in[k]);
	return true;
}

const struct op op_mul = {
	.name = "mul",
	.kind = OP_LAYER,
	.brief = "product of two tensors, element by element",
	.doc = "y = a * b, also written a * b. Both operands have equally many axes, with extents "
	    "equal or 1; the one with extents of 1, or without a batch, is repeated. A scalar "
	    "goes with anything. Backward reads both operands, each only if the other needs a "
	    "gradient.",
	.flags = OP_ELEMENTWISE | OP_REALS,
	.formula = "a * b",
	.operands = "a b",
	.min_operands = 2, .max_operands = 2,
	.shape = broadcast_shape,
	.gradient.build = grad,
	.gradient.saves = SAVES_IN(0) | SAVES_IN(1),
	.memory.inplace = 1u << 0 | 1u << 1,
	.torch = { .crosswise = true, .full = 1u << 0 | 1u << 1 },
	.calls.kernels = "pointwise/arith.cu",
	.calls.emit = broadcast_emit,
};
