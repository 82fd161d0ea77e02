/* parameter: a trained tensor that is a value by itself. Its output has the parameter's bytes, and
 * the gradient that arrives is the parameter's. */
#include "ops/shapes.h"

#include "ir/diff.h"

#include "calls/tape.h"

static const struct attr_spec attrs[] = {
	{ "shape", ATTR_INTS, "its extents", .required = true, .min = 1, .max = LARGEST_EXTENT },
	{ "init", ATTR_INIT, "how it starts: zeros, ones, constant(c), uniform(bound) or "
	    "normal(deviation)", .preset = "normal(0.01)" },
	ATTRS_END
};

static bool
grad(struct diff *d, struct node *n)
{
	if (diff_wants(d, n->in[0]))
		diff_add(d, n->in[0], diff_of(d, n->out[0]));
	return true;
}

static bool
shape(struct build *b, struct node *n)
{
	const struct attr *a = op_attr(n, "shape");
	const struct tensor *p = op_param(b, n, "weight", T_PARAM, op_attr(n, "init")->init, a->n,
	    a->v);

	return p && op_output(b, n, NULL, T_ACTIVATION, p->dtype, false, a->n, a->v);
}

static void
torch_calls(struct tape *t, const struct node *n)
{
	tape_result(t, n->out[0], tape_value(t, n->in[0]));
}

const struct op op_parameter = {
	.name = "parameter",
	.kind = OP_LAYER,
	.brief = "a trained tensor",
	.doc = "A tensor of the given shape that is trained like any weight: position embeddings, "
	    "scales of one's own. It does not depend on the batch; added to a tensor that does, "
	    "it is repeated for each sample. It costs its own bytes and no copy.",
	.attrs = attrs,
	.operands = "",
	.min_operands = 0, .max_operands = 0,
	.shape = shape,
	.gradient.build = grad,
	.memory.alias = op_alias_first,
	.torch = { .calls = torch_calls },
};
