/* accumulate: adds a micro-batch's gradient to the sum of those before. The first of an update
 * writes instead, so that nothing needs to be cleared. Several become one call, like updates. */
#include "ir/op.h"

#include "calls/emitter.h"

static void
row(const struct node *n, struct update_row *r)
{
	r->name = n->out[0]->name;
	r->gradient = n->in[1];
	r->state[0] = n->out[0];
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
	.operands = "sum gradient",
	.min_operands = 2, .max_operands = 2,
	.memory.alias = op_alias_first,
	.calls.row = row,
	.calls.kernels = "update/accumulate.cu",
	.calls.emit = emit,
};
