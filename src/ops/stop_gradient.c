/* stop_gradient: its operand, a view, for which no gradient is made. */
#include "ops/shapes.h"

#include "ir/diff.h"

/* OP_STOPS: it is never asked for. */
static bool
grad(struct diff *d, struct node *n)
{
	(void)d;
	(void)n;
	return true;
}

static struct tensor *
identity(const struct graph *g, const struct node *n)
{
	return g->training ? NULL : n->in[0];
}

const struct op op_stop_gradient = {
	.name = "stop_gradient",
	.kind = OP_LAYER,
	.brief = "the same elements, without a gradient",
	.doc = "y = x, but what depends on y gives x no gradient, as PyTorch's detach(). A view: it costs neither time nor "
	    "memory, and what lies before it is not differentiated on its account.",
	.flags = OP_STOPS,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape_same_float,
	.gradient.build = grad,
	.memory.alias = op_alias_first,
	.memory.layout = op_layout_either,
	.simplify.identity = identity,
	.torch = { .output = TORCH_VIEW },
};
