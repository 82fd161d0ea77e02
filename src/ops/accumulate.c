/* accumulate: adds a micro-batch's gradient to the sum of those before. The first of an update
 * writes instead, so that nothing needs to be cleared. Several become one call, like updates.
 *
 * Where the sum is to be the same to the bit whatever number of ranks shares the micro-batches out
 * (settings.parts), it is a binary tree, and branches that wait for another lie in a third operand:
 *
 *     micro-batch      0    1    2    3    4    5    6    7
 *     sum              g    .    g    .    g    .    g    all
 *     levels[0]        .    01   01   .    .    45   45   .
 *     levels[1]        .    .    .    0-3  0-3  0-3  0-3  .		kernels/update/accumulate.cu
 */
#include "ir/op.h"

#include "calls/emitter.h"

static void
row(const struct node *n, struct update_row *r)
{
	r->name = n->out[0]->name;
	r->gradient = n->in[1];
	r->state[0] = n->out[0];
	r->state[1] = n->nin > 2 ? n->out[1] : NULL;
}

static int
alias(const struct node *n, int k)
{
	(void)n;
	return k == 0 ? 0 : 2;
}

static void
emit(struct emitter *e, const struct node *n)
{
	(void)n;
	emit_call(e, "accumulate_gradients", arg_text(e->together), arg_text("s"));
}

const struct op op_accumulate = {
	.name = "accumulate",
	.kind = OP_INTERNAL,
	.brief = "adds a micro-batch's gradient to the accumulated one",
	.flags = OP_ELEMENTWISE,
	.operands = "sum gradient levels",
	.min_operands = 2, .max_operands = 3,
	.memory.alias = alias,
	.calls.row = row,
	.calls.kernels = "update/accumulate.cu",
	.calls.emit = emit,
};
