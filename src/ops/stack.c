/* stack: tensors of one shape along a new axis: each under a shape that has it, and these
 * joined. */
#include "ops/shapes.h"

extern const struct op op_reshape, op_concat;

static const struct attr_spec attrs[] = {
	{ "axis", ATTR_INT, "where the new axis stands in the result: 0 is first after the batch, -1 last",
	    .preset = "0", .min = -MAX_RANK, .max = MAX_RANK - 1 },
	ATTRS_END
};

/* At any batch: what is one for all samples is repeated by concat. */
static bool
same_extents(const struct tensor *x, const struct tensor *y)
{
	struct tensor t = tensor_value(y);

	t.batched = x->batched;
	return tensor_same_shape(x, &t);
}

static bool
stacks(struct build *b, const struct node *n, int axis)
{
	const struct tensor *x = n->in[0];
	int k;

	if (axis < 0 || axis > x->rank)
		return op_error(b, n, "stack: axis %lld does not exist: the result has axes 0 to %d (the batch is not "
		    "counted)", (long long)op_int(n, "axis"), x->rank);
	if (x->rank == MAX_RANK)
		return op_error(b, n, "stack: input is %s, and a tensor has at most %d extents besides the batch",
		    op_operand_text(b, x), MAX_RANK);
	for (k = 0; k < n->nin; k++) {
		if (!shape_float(b, n, k))
			return false;
		if (!same_extents(n->in[k], x))
			return op_error(b, n, "stack: operands must have one shape, but the first is %s and another %s",
			    op_operand_text(b, x), op_operand_text(b, n->in[k]));
	}
	return true;
}

static struct node *
expand(struct build *b, const struct node *n)
{
	const struct tensor *x = n->in[0];
	int axis = (int)(op_int(n, "axis") < 0 ? op_int(n, "axis") + x->rank + 1 : op_int(n, "axis")), i, k;
	struct tensor **part = arena_array(b->module->arena, (size_t)n->nin + 1, sizeof(*part));
	struct attr *attr;

	if (!stacks(b, n, axis))
		return NULL;
	for (k = 0; k < n->nin; k++) {
		struct attr *shape;

		attr = op_presets(b->module->arena, &op_reshape);
		shape = op_preset(&op_reshape, attr, "shape");
		shape->given = true;
		shape->n = x->rank + 1;
		for (i = 0; i < shape->n; i++)
			shape->v[i] = i == axis ? 1 : x->dim[i - (i > axis)];
		part[k] = op_part(b, n, &op_reshape, attr, arena_printf(b->module->arena, "part_%d", k), 1,
		    &n->in[k])->out[0];
	}
	attr = op_presets(b->module->arena, &op_concat);
	op_preset(&op_concat, attr, "axis")->i = axis;
	return op_part(b, n, &op_concat, attr, "concat", n->nin, part);
}

const struct op op_stack = {
	.name = "stack",
	.kind = OP_LAYER,
	.brief = "tensors of one shape along a new axis",
	.doc = "stack(a, b) of two [T, D] gives [2, T, D], and stack(a, b, axis=-1) [T, D, 2]. Each is a view with the "
	    "new axis, and concat joins these.",
	.attrs = attrs,
	.operands = "a b ...",
	.min_operands = 1, .max_operands = -1,
	.expand = expand,
};
