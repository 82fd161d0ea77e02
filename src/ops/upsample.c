/* upsample: resizing of all axes of space, by the nearest element or by interpolation. Its gradient
 * sums dy over what each element is part of, and needs nothing else. */
#include "ops/product.h"
#include "ops/space.h"

#include "ir/diff.h"

#include "calls/emitter.h"

enum { NEAREST, LINEAR, BILINEAR, TRILINEAR, BICUBIC };

static const struct attr_spec attrs[] = {
	{ "factor", ATTR_AXES, "how many times higher and wider", .min = 1, .max = 65536 },
	{ "size", ATTR_AXES, "the new height and width", .min = 1, .max = 1 << 30 },
	{ "mode", ATTR_ENUM, "how what lies between elements is made: linear of lines, bilinear and bicubic of "
	    "images, trilinear of volumes", .preset = "nearest",
	    .choices = "nearest linear bilinear trilinear bicubic" },
	{ "corners", ATTR_BOOL, "the corners of both lie on one another; else the corners of their "
	    "elements do", .preset = "false" },
	ATTRS_END
};

/* Images, and lines, by the nearest element have kernels of their own. */
static bool
is_plain(const struct node *n)
{
	return op_int(n, "mode") == NEAREST && space_axes(n->in[0]) <= 2;
}

/* "(struct upsample){ ... }", or "(struct resize){ ... }" with as many numbers to a place. */
static const char *
geometry(struct emitter *e, const struct node *n, const struct tensor *x, const struct tensor *y, int64_t inner)
{
	static const int taps[] = { [NEAREST] = 1, [LINEAR] = 2, [BILINEAR] = 2, [TRILINEAR] = 2, [BICUBIC] = 4 };
	const char *text = "(struct resize){ .at = {";
	struct arena *a = e->module->arena;
	int i;

	if (is_plain(n))
		return arena_printf(a, "(struct upsample){ .oh = %lld, .ow = %lld, .ih = %lld, .iw = %lld }",
		    (long long)space_extent(y, HEIGHT), (long long)space_extent(y, WIDTH),
		    (long long)space_extent(x, HEIGHT), (long long)space_extent(x, WIDTH));
	for (i = 0; i < SPACE_AXES; i++)
		text = arena_printf(a, "%s%s { .in = %lld, .out = %lld }", text, i ? "," : "",
		    (long long)space_extent(x, i), (long long)space_extent(y, i));
	return arena_printf(a, "%s },\n\t    .inner = %lld, .taps = %d%s }", text, (long long)inner,
	    taps[op_int(n, "mode")], op_bool(n, "corners") ? ", .corners = true" : "");
}

static void
emit_backward(struct emitter *e, const struct node *n)
{
	const struct tensor *x = n->out[0], *y = n->in[0];
	bool last = x->channels_last || y->channels_last, plain = is_plain(n);
	int64_t inner = last ? x->dim[0] : 1;

	emit_call(e, !plain ? "resize_backward" : last ? "upsample_last_backward" : "upsample_backward",
	    arg_tensor(x), arg_tensor(y), arg_onto(n), arg_batch(x),
	    arg_int(plain ? x->dim[0] : x->dim[0] / inner), arg_text(geometry(e, n, x, y, inner)));
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
check_mode(struct build *b, const struct node *n)
{
	static const struct {
		const char *name;
		int axes;
	} mode[] = { [LINEAR] = { "linear", 1 }, [BILINEAR] = { "bilinear", 2 },
		[TRILINEAR] = { "trilinear", 3 }, [BICUBIC] = { "bicubic", 2 } };
	int64_t given = op_int(n, "mode");
	int axes = space_axes(n->in[0]);

	if (given == NEAREST && op_bool(n, "corners"))
		return op_error(b, n, "upsample: corners=true says where interpolation begins, and "
		    "mode=nearest makes nothing between elements");
	if (given == NEAREST || mode[given].axes == axes)
		return true;
	return op_error(b, n, "upsample: mode=%s is for %d ax%s of space, but the input is %s: write mode=%s",
	    mode[given].name, mode[given].axes, mode[given].axes == 1 ? "is" : "es",
	    op_operand_text(b, n->in[0]), mode[axes].name);
}

static bool
shape(struct build *b, struct node *n)
{
	const struct attr *factor = op_attr(n, "factor"), *size = op_attr(n, "size");
	const struct tensor *x = n->in[0];
	int64_t dim[1 + SPACE_AXES];
	int i;

	if (!product_space(b, n, SPACE_AXES) || !check_mode(b, n))
		return false;
	if (factor->given == size->given)
		return op_error(b, n, "upsample: give either a factor, upsample(2), or a size, "
		    "upsample(size=(28, 28))");
	dim[0] = x->dim[0];
	for (i = 0; i < space_axes(x); i++)	/* extents are at most 2^30, factors 2^16 */
		dim[i + 1] = size->given ? size->v[i] : x->dim[i + 1] * factor->v[i];
	return product_output(b, n, dim);
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
	bool last = x->channels_last || y->channels_last, plain = is_plain(n);
	int64_t inner = last ? x->dim[0] : 1;

	emit_call(e, !plain ? "resize_forward" : last ? "upsample_last_forward" : "upsample_forward",
	    arg_tensor(y), arg_tensor(x), arg_batch(x), arg_int(plain ? x->dim[0] : x->dim[0] / inner),
	    arg_text(geometry(e, n, x, y, inner)));
}

const struct op op_upsample = {
	.name = "upsample",
	.kind = OP_LAYER,
	.brief = "resizing of images, lines and volumes",
	.doc = "upsample(2), upsample((1, 2)) or upsample(size=(28, 28)) of [C, H, W]; [C, L] and [C, D, H, W] have "
	    "one axis and three. By the nearest element, y[c, i, j] = x[c, floor(i * H / H'), floor(j * W / W')]. "
	    "Otherwise y[c, i, j] lies in the input at (i + 1/2) * H / H' - 1/2, and with corners=true at "
	    "i * (H - 1) / (H' - 1), and is a mean of its two neighbours along each axis, by their "
	    "distance; with mode=bicubic a sum of four, by Keys's cubic with a = -3/4. What neighbours lie beyond "
	    "the edge are those at the edge.\n\n"
	    "As PyTorch's interpolate with these modes, but which neighbours are meant is worked out in "
	    "integers. Gradients are gathered, in one order. Backward needs neither input nor output.",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.gradient.build = grad,
	.simplify.identity = identity,
	.torch.copies = true,
	.memory.layout = op_layout_either,
	.calls.kernels = "copy/upsample.cu",
	.calls.emit = emit,
};
