/* upsample: nearest-neighbour resizing of height and width. Its gradient sums dy over the copies of
 * each element, and needs nothing else. */
#include "ops/shapes.h"
#include "ops/space.h"

#include "ir/diff.h"

#include "calls/emitter.h"

static const struct attr_spec attrs[] = {
	{ "factor", ATTR_AXES, "how many times higher and wider", .min = 1, .max = 65536 },
	{ "size", ATTR_AXES, "the new height and width", .min = 1, .max = 1 << 30 },
	ATTRS_END
};

static const char *
geometry(struct emitter *e, const struct tensor *x, const struct tensor *y)
{
	return arena_printf(e->module->arena,
	    "(struct upsample){ .oh = %lld, .ow = %lld, .ih = %lld, .iw = %lld }",
	    (long long)space_extent(y, HEIGHT), (long long)space_extent(y, WIDTH),
	    (long long)space_extent(x, HEIGHT), (long long)space_extent(x, WIDTH));
}

static void
emit_backward(struct emitter *e, const struct node *n)
{
	const struct tensor *x = n->out[0], *y = n->in[0];

	emit_call(e,
	    x->channels_last || y->channels_last ? "upsample_last_backward" : "upsample_backward",
	    arg_tensor(x), arg_tensor(y), arg_onto(n), arg_batch(x), arg_int(x->dim[0]),
	    arg_text(geometry(e, x, y)));
}

const struct op op_upsample_grad = {
	.name = "upsample_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of upsample: dy summed over the copies of each element",
	.attrs = attrs,
	.operands = "dy",
	.min_operands = 1, .max_operands = 1,
	.memory.onto = 1,
	.calls.kernels = "copy/upsample.cu",
	.calls.emit = emit_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_upsample_grad, 0, NULL);
}

static bool
shape(struct build *b, struct node *n)
{
	const struct attr *factor = op_attr(n, "factor"), *size = op_attr(n, "size");
	const struct tensor *x = n->in[0];
	int64_t dim[1 + SPACE_AXES];
	int i;

	if (!space_given(b, n, 2))
		return false;
	if (factor->given == size->given)
		return op_error(b, n, "upsample: give either a factor, upsample(2), or a size, "
		    "upsample(size=(28, 28))");
	dim[0] = x->dim[0];
	for (i = 0; i < space_axes(x); i++)	/* extents are at most 2^40, factors 2^16 */
		dim[i + 1] = size->given ? size->v[i] : x->dim[i + 1] * factor->v[i];
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
	const struct tensor *x = n->in[0], *y = n->out[0];

	emit_call(e,
	    x->channels_last || y->channels_last ? "upsample_last_forward" : "upsample_forward",
	    arg_tensor(y), arg_tensor(x), arg_batch(x), arg_int(x->dim[0]),
	    arg_text(geometry(e, x, y)));
}

const struct op op_upsample = {
	.name = "upsample",
	.kind = OP_LAYER,
	.brief = "nearest-neighbour resizing",
	.doc = "y[c, i, j] = x[c, floor(i * H / H'), floor(j * W / W')], from [C, H, W] to [C, "
	    "H', W']: upsample(2), upsample((1, 2)) or upsample(size=(28, 28)). As PyTorch's "
	    "interpolate with mode nearest, but with the index worked out in integers. Backward "
	    "needs neither input nor output.",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.gradient.build = grad,
	.simplify.identity = identity,
	.memory.layout = op_layout_either,
	.calls.kernels = "copy/upsample.cu",
	.calls.emit = emit,
};
