/* seed: where the backward pass starts. The gradient of the loss is this micro-batch's share of the
 * update's samples, so that accumulated gradients are those of the mean over the whole batch; in
 * half precision, times the scale of the loss (ops/loss_scale.c). */
#include "ir/op.h"

#include "calls/emitter.h"

static void
emit(struct emitter *e, const struct node *n)
{
	emit_call(e, "seed_gradient", arg_tensor(n->out[0]), arg_tensor(n->nin ? n->in[0] : NULL),
	    arg_text("s"));
}

const struct op op_seed = {
	.name = "seed",
	.kind = OP_INTERNAL,
	.brief = "gradient of the loss: the share of the update's samples in this micro-batch",
	.operands = "scale",
	.min_operands = 0, .max_operands = 1,
	.calls.kernels = "loss/seed.cu",
	.calls.listed = true,
	.calls.emit = emit,
};
