/* seed: where the backward pass starts. The gradient of the loss is this micro-batch's share of the
 * update's samples, so that accumulated gradients are those of the mean over the whole batch. */
#include "ops/op.h"

#include "emit/emit.h"

static void
emit(struct emitter *e, const struct node *n)
{
	emit_call(e, "seed_gradient", "ts", n->out[0], "s");
}

const struct op op_seed = {
	.name = "seed",
	.kind = OP_INTERNAL,
	.brief = "gradient of the loss: the share of the update's samples in this micro-batch",
	.operands = "",
	.min_operands = 0, .max_operands = 0,
	.kernels = "loss.cu",
	.emit = emit,
};
