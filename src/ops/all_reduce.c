/*
 * all_reduce, all_reduced: the sum over all ranks of what each of them has, in two nodes. The first
 * begins it, the second waits for its end; what stands between them runs meanwhile, and the planner
 * keeps it out of these bytes.
 *
 *     g = all_reduce(g); ...; g = all_reduced(g)
 *
 * Both work in place: a gradient is sent from where backward made it. Only where somebody else
 * still reads what one rank made does the sum get bytes of its own. The sum over micro-batches
 * lives on, in one place. Nodes that follow one another are one sum where their tensors lie side by
 * side (plan/exchanges.c): the last that begins, and the first that waits, are the calls.
 */
#include "ir/op.h"

#include "calls/emitter.h"

static void
emit_begin(struct emitter *e, const struct node *n)
{
	const struct sum_call *s = emit_call_between(e, n);

	if (s)
		emit_call(e, "all_reduce_begin", arg_tensor(s->first), arg_tensor(s->added), arg_int(s->elements),
		    arg_int(dtype_bytes(s->first->dtype)), arg_text(s->more ? "true" : "false"));
}

static void
emit_end(struct emitter *e, const struct node *n)
{
	const struct sum_call *s = emit_call_between(e, n);

	if (s)
		emit_call(e, "all_reduce_end", arg_tensor(s->first));
}

const struct op op_all_reduce = {
	.name = "all_reduce",
	.kind = OP_INTERNAL,
	.brief = "begins to add up what all ranks have of it",
	.flags = OP_ELEMENTWISE,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.memory.alias = op_alias_persistent,
	.memory.inplace = 1u << 0,
	.ranks.between = BETWEEN_SUM,
	.calls.kernels = "update/all_reduce.cu",
	.calls.emit = emit_begin,
};

const struct op op_all_reduced = {
	.name = "all_reduced",
	.kind = OP_INTERNAL,
	.brief = "waits until the sum of all ranks is there",
	.flags = OP_ELEMENTWISE,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.memory.alias = op_alias_first,
	.ranks = { BETWEEN_SUM, true },
	.calls.kernels = "update/all_reduce.cu",
	.calls.emit = emit_end,
};
