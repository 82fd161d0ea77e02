/* grad_sum: adds two contributions to one gradient, in place of either. */
#include "ops/pointwise.h"

const struct op op_grad_sum = {
	.name = "grad_sum",
	.kind = OP_INTERNAL,
	.brief = "sum of two contributions to a gradient",
	.flags = OP_ELEMENTWISE,
	.formula = "a + b",
	.operands = "a b",
	.min_operands = 2, .max_operands = 2,
	.memory.inplace = 1u << 0 | 1u << 1,
	.calls.kernels = POINTWISE_KERNELS,
	.calls.listed = true,
	.calls.define = pointwise_define,
	.calls.emit = pointwise_emit,
};
