/* reshape: the same elements, in the same order, under another shape. A view: nothing runs, and the
 * output has the input's bytes; so has the gradient. */
#include "ops/shapes.h"

#include "ir/diff.h"

#include <string.h>

#include "calls/tape.h"

static const struct attr_spec attrs[] = {
	{ "shape", ATTR_INTS, "the new extents, without the batch; one of them may be -1, and is "
	    "then worked out", .required = true, .min = -1, .max = LARGEST_EXTENT },
	ATTRS_END
};

const struct op op_reshape_grad = {
	.name = "reshape_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of reshape and flatten: dy under the input's shape",
	.operands = "dy",
	.min_operands = 1, .max_operands = 1,
	.memory.alias = op_alias_first,
};

static bool
grad(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_reshape_grad, 0, NULL);
}

/* Replaces the -1; false where the elements do not fit. */
static bool
fill(const struct attr *a, int64_t elements, int64_t dim[MAX_RANK])
{
	int64_t known = 1;
	int i, unknown = -1;

	for (i = 0; i < a->n; i++) {
		dim[i] = a->v[i];
		if (a->v[i] < 0)
			unknown = i;
		else if (__builtin_mul_overflow(known, a->v[i], &known))
			return false;
	}
	if (unknown < 0)
		return known == elements;
	dim[unknown] = known > 0 ? elements / known : 0;
	return known > 0 && elements % known == 0;
}

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0];
	const struct attr *a = op_attr(n, "shape");
	int64_t dim[MAX_RANK];
	struct tensor want = { .rank = a->n };
	int i, unknown = 0;

	memcpy(want.dim, a->v, sizeof(want.dim));
	for (i = 0; i < a->n; i++) {
		unknown += a->v[i] < 0;
		if (a->v[i] == 0)
			return op_error(b, n, "reshape: an extent of 0 in shape %s",
			    tensor_shape_text(b->module->arena, &want));
	}
	if (unknown > 1)
		return op_error(b, n, "reshape: shape %s has %d extents of -1; only one can be "
		    "worked out", tensor_shape_text(b->module->arena, &want), unknown);
	if (!fill(a, tensor_elements_per_sample(x), dim))
		return op_error(b, n, "reshape: input is %s, %lld elements, which do not fill "
		    "shape %s", op_operand_text(b, x), (long long)tensor_elements_per_sample(x),
		    tensor_shape_text(b->module->arena, &want));
	return op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched, a->n, dim) != NULL;
}

void
torch_reshape(struct tape *t, const struct node *n)
{
	tape_result(t, n->out[0], tape_reshape_to(t, tape_value(t, n->in[0]), n->out[0]));
}

const struct op op_reshape = {
	.name = "reshape",
	.kind = OP_LAYER,
	.brief = "the same elements under another shape",
	.doc = "Gives the input's elements, in the same order, another shape: reshape((16, 49)) "
	    "of [16, 7, 7]. One extent may be -1. The batch is not part of the shape. A view: it "
	    "costs neither time nor memory.",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.gradient.build = grad,
	.memory.alias = op_alias_first,
	.torch = { .calls = torch_reshape },
};
