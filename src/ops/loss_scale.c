/*
 * loss_scale: half precision cannot hold small gradients, so backward starts from a multiple of the
 * loss, and the updates divide by it. Where a gradient overflowed the update is left out and the
 * scale halved; after many good updates it doubles (Micikevicius and others, Mixed precision
 * training, 2017). No update may run before every gradient was looked at, so in f16 all gradients
 * are alive together, as they are under a clip. It also clips, since both need the gradients' norm.
 */
#include "ops/shapes.h"

#include "emit/emit.h"

#define CLIP_PARTS	64	/* as in kernels/optimizer.cu: pieces of each gradient's sum */

static const struct attr_spec attrs[] = {
	{ "limit", ATTR_REAL, "largest norm of all gradients together; 0: any", .required = true,
	    .min = 0, .max = 1e30 },
	ATTRS_END
};

static struct affine
workspace(const struct node *n, const struct target *target, int threads)
{
	(void)target;
	(void)threads;
	return (struct affine){ (int64_t)(n->nin - 1) * CLIP_PARTS * (int64_t)sizeof(double), 0 };
}

static void
emit(struct emitter *e, const struct node *n)
{
	int i;

	for (i = 1; i < n->nin; i++)
		emit_call(e, "clip_squares", "witn", n, (int64_t)(i - 1), n->in[i], n->in[i]);
	emit_call(e, "loss_scale", "ttwis", n->out[0], n->out[1], n, (int64_t)(n->nin - 1),
	    emit_double(e, op_real(n, "limit")));
}

static int
alias(const struct node *n, int k)
{
	(void)n;
	return k == 1 ? 0 : -1;
}

const struct op op_loss_scale = {
	.name = "loss_scale",
	.kind = OP_INTERNAL,
	.brief = "what gradients of a scaled loss are multiplied by: 0 after an overflow; and the "
	    "next scale",
	.attrs = attrs,
	.operands = "scale gradient ...",
	.min_operands = 2, .max_operands = -1,
	.workspace = workspace,
	.alias = alias,
	.kernels = "optimizer.cu",
	.emit = emit,
};
