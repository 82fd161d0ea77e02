/* pad: a frame of constants around the last two axes. Its gradient is a crop, and needs only dy. */
#include "ops/shapes.h"

#include "ir/diff.h"

#include "calls/emitter.h"

static const struct attr_spec attrs[] = {
	{ "sides", ATTR_SIDES, "rows and columns to add: all sides, (vertical, horizontal) or "
	    "(top, bottom, left, right)", .required = true, .min = 0, .max = 1 << 30 },
	{ "value", ATTR_REAL, "what they hold", .preset = "0" },
	ATTRS_END
};

static void
emit_backward(struct emitter *e, const struct node *n)
{
	const struct attr *sides = op_attr(n, "sides");

	shape_emit_window(e, n, -sides->v[0], -sides->v[2], 0);
}

const struct op op_pad_grad = {
	.name = "pad_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of pad: dy without the frame",
	.attrs = attrs,
	.operands = "dy",
	.min_operands = 1, .max_operands = 1,
	.memory.onto = 1,
	.calls.kernels = "copy/rectangle.cu",
	.calls.emit = emit_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_pad_grad, 0, NULL);
}

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0];
	const struct attr *sides = op_attr(n, "sides");
	int64_t dim[MAX_RANK];
	int i;

	if (!shape_float(b, n, 0) || !shape_needs_rank(b, n, 0, 2, "[..., height, width]"))
		return false;
	for (i = 0; i < x->rank; i++)
		dim[i] = x->dim[i];
	dim[x->rank - 2] += sides->v[0] + sides->v[1];
	dim[x->rank - 1] += sides->v[2] + sides->v[3];
	return op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched, x->rank, dim) != NULL;
}

static struct tensor *
identity(const struct graph *g, const struct node *n)
{
	const struct attr *sides = op_attr(n, "sides");

	(void)g;
	return sides->v[0] + sides->v[1] + sides->v[2] + sides->v[3] == 0 ? n->in[0] : NULL;
}

static void
emit(struct emitter *e, const struct node *n)
{
	const struct attr *sides = op_attr(n, "sides");

	shape_emit_window(e, n, sides->v[0], sides->v[2], op_real(n, "value"));
}

const struct op op_pad = {
	.name = "pad",
	.kind = OP_LAYER,
	.brief = "a frame of constants around height and width",
	.doc = "Adds rows and columns that hold `value` around the last two axes: pad(2), pad((1, "
	    "0)), pad((0, 1, 0, 1)). Input [C, H, W] gives [C, H + top + bottom, W + left + "
	    "right]. Backward needs neither input nor output. A convolution's own pad= costs no "
	    "memory; use this for frames that are not alike on all sides, or not 0.",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.gradient.build = grad,
	.simplify.identity = identity,
	.memory.layout = op_layout_either,
	.calls.kernels = "copy/rectangle.cu",
	.calls.emit = emit,
};
