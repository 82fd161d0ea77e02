/*
 * prelu: a rectified linear unit that leaks by slopes that are trained (He, Zhang, Ren and Sun,
 * 2015). It is a layer of others, whose formulas become one:
 *
 *     weight [C] -> reshape [C, 1, 1] -> slope,  where(x > 0, x, slope * x)
 */
#include "ops/shapes.h"

extern const struct op op_greater, op_mul, op_reshape, op_where;

static const struct attr_spec attrs[] = {
	{ "channels", ATTR_BOOL, "a slope for each index of the first axis, not one for all", .preset = "false" },
	{ "start", ATTR_REAL, "what slopes are at first", .preset = "0.25", .min = -1e6, .max = 1e6 },
	ATTRS_END
};

/* The slopes, under a shape of as many axes as x has. */
static struct tensor *
slopes(struct build *b, const struct node *n, int64_t count)
{
	struct init init = { .kind = INIT_CONSTANT, .value = op_real(n, "start") };
	struct tensor *weight = op_layer_param(b, n, "weight", init, 1, &count);
	struct attr *view = op_presets(b->module->arena, &op_reshape), *shape = op_preset(&op_reshape, view, "shape");

	if (!weight)
		return NULL;
	shape->given = true;
	shape->v[0] = count;
	for (shape->n = 1; shape->n < n->in[0]->rank; shape->n++)
		shape->v[shape->n] = 1;
	return op_part(b, n, &op_reshape, view, "slope", 1, &weight)->out[0];
}

static struct node *
expand(struct build *b, const struct node *n)
{
	struct attr *than = op_presets(b->module->arena, &op_greater);
	struct tensor *x = n->in[0], *slope, *in[3];

	if (!shape_float(b, n, 0) || !shape_needs_rank(b, n, 0, 1, "[C, ...]") ||
	    !(slope = slopes(b, n, op_bool(n, "channels") ? x->dim[0] : 1)))
		return NULL;
	op_preset(&op_greater, than, "than")->given = true;
	op_preset(&op_greater, than, "than")->r = 0;
	in[0] = op_part(b, n, &op_greater, than, "above", 1, &x)->out[0];
	in[1] = x;
	in[2] = op_part(b, n, &op_mul, op_presets(b->module->arena, &op_mul), "below", 2,
	    (struct tensor *[]){ x, slope })->out[0];
	return op_part(b, n, &op_where, op_presets(b->module->arena, &op_where), "where", 3, in);
}

const struct op op_prelu = {
	.name = "prelu",
	.kind = OP_LAYER,
	.brief = "rectified linear unit with a trained slope",
	.doc = "y = x where x > 0, else slope x (He, Zhang, Ren and Sun, 2015), as PyTorch's PReLU. Parameter: weight [1], or with "
	    "channels=true [C], one for each index of the first axis, of [C, H, W] a channel; it starts at 0.25. What decay "
	    "of weights does to slopes is seldom wanted: prelu's authors leave it out.",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.expand = expand,
};
