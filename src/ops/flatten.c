/* flatten: all axes as one. A view, like reshape, whose gradient it shares. */
#include "ops/shapes.h"

#include "ir/diff.h"

extern const struct op op_reshape_grad;

static bool
grad(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_reshape_grad, 0, NULL);
}

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0];
	int64_t elements = tensor_elements_per_sample(x);

	return op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched, 1, &elements) != NULL;
}

static struct tensor *
identity(const struct graph *g, const struct node *n)
{
	(void)g;
	return n->in[0]->rank == 1 ? n->in[0] : NULL;
}

const struct op op_flatten = {
	.name = "flatten",
	.kind = OP_LAYER,
	.brief = "all axes as one",
	.doc = "[C, H, W] becomes [C * H * W], with the last axis running fastest; the batch "
	    "stays. Use it before a dense layer that is to see a whole image. A view: it costs "
	    "neither time nor memory.",
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.gradient.build = grad,
	.memory.alias = op_alias_first,
	.simplify.identity = identity,
	.torch = { .calls = torch_reshape },
};
