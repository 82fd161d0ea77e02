/* crop: a rectangle out of the last two axes. Its gradient pads dy with zeros. */
#include "ops/conv.h"
#include "ir/diff.h"
#include "ops/shapes.h"

#include "calls/emitter.h"
#include "calls/tape.h"

static const struct attr_spec attrs[] = {
	{ "sides", ATTR_SIDES, "rows and columns to remove: all sides, (vertical, horizontal) or "
	    "(top, bottom, left, right)", .min = 0, .max = 1 << 30 },
	{ "size", ATTR_PAIR, "height and width to keep, from the middle", .min = 1,
	    .max = 1 << 30 },
	ATTRS_END
};

/* Rows removed above and columns removed to the left. Of an odd number of rows to remove, the
 * smaller half goes above. */
void
crop_corner(const struct node *n, const struct tensor *x, int64_t *top, int64_t *left)
{
	const struct attr *sides = op_attr(n, "sides"), *size = op_attr(n, "size");

	*top = sides->v[0];
	*left = sides->v[2];
	if (size->v[0]) {
		*top = (x->dim[x->rank - 2] - size->v[0]) / 2;
		*left = (x->dim[x->rank - 1] - size->v[1]) / 2;
	}
}

static void
emit_backward(struct emitter *e, const struct node *n)
{
	int64_t top, left;

	crop_corner(n, n->out[0], &top, &left);
	shape_emit_window(e, n, top, left, 0);
}

const struct op op_crop_grad = {
	.name = "crop_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of crop: dy in a frame of zeros",
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
	return diff_unary(d, n, &op_crop_grad, 0, NULL);
}

static bool
shape(struct build *b, struct node *n)
{
	static const char *const side[] = { "height", "width" };
	const struct tensor *x = n->in[0];
	const struct attr *sides = op_attr(n, "sides"), *size = op_attr(n, "size");
	int64_t dim[MAX_RANK];
	int i;

	if (!shape_float(b, n, 0) || !shape_needs_rank(b, n, 0, 2, "[..., height, width]"))
		return false;
	if (sides->given == size->given)
		return op_error(b, n, "crop: say either what to remove, crop(2), or what to keep, "
		    "crop(size=(24, 24))");
	for (i = 0; i < x->rank; i++)
		dim[i] = x->dim[i];
	for (i = 0; i < 2; i++) {
		int64_t *extent = &dim[x->rank - 2 + i];

		if (size->given && size->v[i] > *extent)
			return op_error(b, n, "crop: input is %s, whose %s of %lld is smaller than "
			    "the %lld to keep", op_operand_text(b, x), side[i], (long long)*extent,
			    (long long)size->v[i]);
		if (sides->given && sides->v[2 * i] + sides->v[2 * i + 1] >= *extent)
			return op_error(b, n, "crop: input is %s; removing %lld + %lld of its %s "
			    "leaves nothing", op_operand_text(b, x), (long long)sides->v[2 * i],
			    (long long)sides->v[2 * i + 1], side[i]);
		*extent = size->given ? size->v[i] :
		    *extent - sides->v[2 * i] - sides->v[2 * i + 1];
	}
	return op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched, x->rank, dim) != NULL;
}

static struct tensor *
identity(const struct graph *g, const struct node *n)
{
	(void)g;
	return tensor_same_shape(n->in[0], n->out[0]) ? n->in[0] : NULL;
}

static void
emit(struct emitter *e, const struct node *n)
{
	int64_t top, left;

	crop_corner(n, n->in[0], &top, &left);
	shape_emit_window(e, n, -top, -left, 0);
}

/* In PyTorch a slice of the rows, then one of the columns: views, whose gradients are each a frame
 * of zeros around dy. */
static void
torch_calls(struct tape *t, const struct node *n)
{
	const struct tensor *x = n->in[0];
	int y = tape_value(t, x), i;

	for (i = x->rank - 2; i < x->rank; i++)
		if (n->out[0]->dim[i] != x->dim[i])
			y = tape_narrow(t, y, i + x->batched, n->out[0]->dim[i], 1, false);
	tape_result(t, n->out[0], y);
}

const struct op op_crop = {
	.name = "crop",
	.kind = OP_LAYER,
	.brief = "a rectangle out of height and width",
	.doc = "Removes rows and columns at the edges of the last two axes: crop(2), crop((1, "
	    "0)), crop((0, 1, 0, 1)); or keeps the middle: crop(size=(height(up), width(up))), "
	    "where of an odd number of rows to remove the smaller half goes above. Before a "
	    "concat that a convolution alone reads, nothing is copied where backward keeps the input "
	    "anyway. Backward needs neither input nor output.",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.gradient.build = grad,
	.simplify.identity = identity,
	.torch = { .calls = torch_calls },
	.memory.layout = op_layout_either,
	.calls.kernels = "copy/rectangle.cu",
	.calls.emit = emit,
};
