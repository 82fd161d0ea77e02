/*
 * glu, reglu, geglu, swiglu: half of a tensor, multiplied by a gate that is made of the other half
 * (Dauphin and others, 2017; Shazeer, 2020). Each is a layer of others:
 *
 *     x -> split(2) -> (a, b),  a * sigmoid(b)
 *
 * whose product and gate are one formula. A row is all that another gate takes.
 */
#include "ops/shapes.h"

extern const struct op op_gelu, op_mul, op_relu, op_sigmoid, op_silu, op_split;
extern const struct op op_geglu, op_glu, op_reglu, op_swiglu;

static const struct attr_spec attrs[] = {
	{ "axis", ATTR_INT, "the axis of which the halves are: 0 is the first after the batch, -1 the last",
	    .preset = "-1", .min = -MAX_RANK, .max = MAX_RANK - 1 },
	{ "first", ATTR_BOOL, "the gate is made of the first half, not of the second", .preset = "false" },
	ATTRS_END
};

static const struct {
	const struct op *gated, *gate;
} gates[] = {
	{ &op_geglu, &op_gelu }, { &op_glu, &op_sigmoid }, { &op_reglu, &op_relu }, { &op_swiglu, &op_silu },
};

static const struct op *
gate_of(const struct op *gated)
{
	size_t i = 0;

	while (gates[i].gated != gated)
		i++;
	return gates[i].gate;
}

static struct node *
expand(struct build *b, const struct node *n)
{
	struct arena *a = b->module->arena;
	const struct tensor *x = n->in[0];
	struct attr *halves = op_presets(a, &op_split);
	struct tensor *in[2];
	struct node *split;
	int axis, gate = op_bool(n, "first") ? 0 : 1;

	if (!shape_float(b, n, 0) || !shape_axis_known(b, n, x, op_int(n, "axis"), &axis))
		return NULL;
	if (x->dim[axis] % 2) {
		op_error(b, n, "%s: input is %s, of which axis %d has no halves", n->op->name, op_operand_text(b, x), axis);
		return NULL;
	}
	op_preset(&op_split, halves, "parts")->n = 1;
	op_preset(&op_split, halves, "parts")->v[0] = 2;
	op_preset(&op_split, halves, "axis")->i = axis;
	split = op_part(b, n, &op_split, halves, "halves", 1, n->in);
	in[0] = split->out[1 - gate];
	in[1] = op_part(b, n, gate_of(n->op), op_presets(a, gate_of(n->op)), "gate", 1, &split->out[gate])->out[0];
	return op_part(b, n, &op_mul, op_presets(a, &op_mul), "mul", 2, in);
}

#define OP_ROW(id, title, formula, source)								\
	const struct op op_##id = {									\
		.name = #id, .kind = OP_LAYER, .brief = title,						\
		.doc = "y = " formula ", where a is the first half of x along the axis, by default the last, and b the "	\
		    "second (" source "): [T, 2 D] gives [T, D]. With first=true the halves change places, as where one "	\
		    "product makes the gate first.",								\
		.attrs = attrs, .operands = "x", .min_operands = 1, .max_operands = 1, .expand = expand,	\
	}

OP_ROW(glu, "gated linear unit", "a * sigmoid(b)", "Dauphin, Fan, Auli and Grangier, 2017; PyTorch's GLU");
OP_ROW(reglu, "half, gated by relu of the other", "a * relu(b)", "Shazeer, 2020");
OP_ROW(geglu, "half, gated by gelu of the other", "a * gelu(b)", "Shazeer, 2020");
OP_ROW(swiglu, "half, gated by silu of the other", "a * silu(b)", "Shazeer, 2020");
