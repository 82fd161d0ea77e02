/* grad_sum: adds two contributions to one gradient, in place of either. */
#include "ir/op.h"

#include "calls/emitter.h"

static void
emit(struct emitter *e, const struct node *n)
{
	emit_call(e, emit_kernel(e, "add_forward", n->out[0]), arg_tensor(n->out[0]),
	    arg_tensor(n->in[0]), arg_tensor(n->in[1]), arg_count(n->out[0]));
}

const struct op op_grad_sum = {
	.name = "grad_sum",
	.kind = OP_INTERNAL,
	.brief = "sum of two contributions to a gradient",
	.flags = OP_ELEMENTWISE,
	.formula = "a + b",
	.operands = "a b",
	.min_operands = 2, .max_operands = 2,
	.memory.inplace = 1u << 0 | 1u << 1,
	.calls.kernels = "pointwise/arith.cu",
	.calls.emit = emit,
};
