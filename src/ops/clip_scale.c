/* clip_scale: the factor that brings the norm of all gradients together down to a limit. */
#include "ops/shapes.h"

#include "calls/emitter.h"

static const struct attr_spec attrs[] = {
	{ "limit", ATTR_REAL, "largest norm of all gradients together", .required = true,
	    .min = 0, .max = 1e30 },
	ATTRS_END
};

static struct affine
workspace(const struct node *n, const struct room *room)
{
	(void)room;
	return (struct affine){ (int64_t)n->nin * NORM_PIECES * (int64_t)sizeof(double), 0 };
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_squares(e, n, 0);
	emit_call(e, "clip_scale", arg_tensor(n->out[0]), arg_work(n), arg_int(n->nin),
	    arg_text(emit_double(e, op_real(n, "limit"))));
}

const struct op op_clip_scale = {
	.name = "clip_scale",
	.kind = OP_INTERNAL,
	.brief = "min(1, limit / (norm of all gradients + 1e-6)), as PyTorch's clip_grad_norm_",
	.attrs = attrs,
	.operands = "gradient ...",
	.min_operands = 1, .max_operands = -1,
	.memory.workspace = workspace,
	.ranks.takes_pieces = true,
	.calls.kernels = "update/clip.cu",
	.calls.emit = emit,
};
