/*
 * relayout: an image in the other layout (passes/layout.c): the same values under the same dims,
 * but [C, H, W] lies as [H, W, C] or the other way round. So it is its own gradient.
 */
#include "ops/move.h"

#include "ir/diff.h"

extern const struct op op_relayout;

static void
moves(const struct node *n, struct moving *m)
{
	const struct tensor *x = n->in[0];
	int i;

	move_start(m, n->out[0], x);
	for (i = 0; i < x->rank; i++)
		move_part(m, i, i, x->dim[i]);
}

static bool
grad(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_relayout, 0, NULL);
}

const struct op op_relayout = {
	.name = "relayout",
	.kind = OP_INTERNAL,
	.brief = "an image with its channels last in memory, or first again",
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.gradient.build = grad,
	.calls.kernels = "copy/move.cu",
	.calls.listed = true,
	.calls.emit = move_emit,
	.calls.moves = moves,
};
