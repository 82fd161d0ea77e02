/* accumulate: adds a micro-batch's gradient to the sum of those before. The first of an update
 * writes instead, so that nothing needs to be cleared. */
#include "ops/op.h"

#include "emit/emit.h"

static int
alias(const struct node *n, int k)
{
	(void)n;
	(void)k;
	return 0;
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_call(e, "accumulate_gradient", "ttsn", n->out[0], n->in[1], "s", n->out[0]);
}

const struct op op_accumulate = {
	.name = "accumulate",
	.kind = OP_INTERNAL,
	.brief = "adds a micro-batch's gradient to the accumulated one",
	.flags = OP_ELEMENTWISE,
	.operands = "sum gradient",
	.min_operands = 2, .max_operands = 2,
	.alias = alias,
	.kernels = "optimizer.cu",
	.emit = emit,
};
