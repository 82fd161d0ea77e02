/*
 * loss_scale: half precision cannot hold small gradients, so backward starts from a multiple of the
 * loss, and the updates divide by it. If a gradient overflows, the update is skipped and the scale
 * halved; after 2000 successful updates in a row it doubles (Micikevicius and others, Mixed
 * precision training, 2017; the numbers are those of PyTorch's GradScaler, but that the scale has
 * bounds both ways, so that it stays a number). No update may run
 * before every gradient has been checked, so in f16 all gradients are alive together, as they are
 * with clipping. It also clips, since both need the gradients' norm.
 */
#include "ops/shapes.h"

#include "calls/emitter.h"

#define FIRST_GRADIENT	2

static const struct attr_spec attrs[] = {
	{ "limit", ATTR_REAL, "largest norm of all gradients together; 0: any", .required = true,
	    .min = 0, .max = 1e30 },
	ATTRS_END
};

static struct affine
workspace(const struct node *n, const struct room *room)
{
	(void)room;
	return (struct affine){ (int64_t)(n->nin - FIRST_GRADIENT) * NORM_PIECES *
	    (int64_t)sizeof(double), 0 };
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_squares(e, n, FIRST_GRADIENT);
	emit_call(e, "loss_scale", arg_tensor(n->out[0]), arg_tensor(n->out[1]),
	    arg_tensor(n->out[2]), arg_work(n), arg_int(n->nin - FIRST_GRADIENT),
	    arg_text(emit_double(e, op_real(n, "limit"))));
}

static int
alias(const struct node *n, int k)
{
	(void)n;
	return k - 1;
}

const struct op op_loss_scale = {
	.name = "loss_scale",
	.kind = OP_INTERNAL,
	.brief = "what gradients of a scaled loss are multiplied by: 0 after an overflow; and the "
	    "next scale",
	.attrs = attrs,
	.operands = "scale counts gradient ...",
	.min_operands = 2, .max_operands = -1,
	.memory.workspace = workspace,
	.memory.alias = alias,
	.ranks.takes_pieces = true,
	.calls.kernels = "update/loss_scale.cu",
	.calls.emit = emit,
};
