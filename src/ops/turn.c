/*
 * turn: what one of several updates of a step descends (passes/turns.c): the sum of its losses, a
 * view. It says to differentiate and update where a turn ends, and is gone after them.
 */
#include "ops/shapes.h"

static const struct attr_spec attrs[] = {
	{ "number", ATTR_INT, "which update of the step it is, from 1", .min = 1, .max = MOST_TURNS },
	ATTRS_END
};

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *loss = n->in[0];

	op_output(b, n, NULL, T_SCALAR, loss->dtype, false, 0, NULL);
	return true;
}

const struct op op_turn = {
	.name = "turn",
	.kind = OP_INTERNAL,
	.brief = "the loss that one of several updates of a step descends, a view",
	.attrs = attrs,
	.operands = "loss",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.memory.alias = op_alias_first,
};
