/* unfold: the windows of an image as columns, what a convolution multiplies. Its gradient sums, for
 * each place, what the windows that it lies in have of it (kernels/copy/unfold.cu). */
#include "ops/space.h"

#include "ir/diff.h"

#include "calls/emitter.h"
#include "calls/tape.h"
#include "ops/product.h"
#include "ops/shapes.h"

#define MOST_AXES	2

static const struct attr_spec attrs[] = {
	{ "kernel", ATTR_AXES, "extents of the window", .required = true, .min = 1, .max = 32768 },
	{ "stride", ATTR_AXES, "steps from window to window", .preset = "1", .min = 1, .max = 32768 },
	{ "pad", ATTR_FRAME, "zeros around the input: one number, (vertical, horizontal) or (top, bottom, left, right); "
	    "same: as many as give a window for every place that the stride comes to", .preset = "0", .choices = "same",
	    .min = 0, .max = 32768 },
	{ "dilation", ATTR_AXES, "distance between the window's elements", .preset = "1", .min = 1, .max = 32768 },
	ATTRS_END
};

struct along {			/* an axis of space */
	int64_t size, kernel, stride, before, after, dilation;
};

static struct along
along(const struct node *n, const struct tensor *x, int axis)
{
	const struct attr *pad = op_attr(n, "pad");

	return (struct along){ space_extent(x, axis), space_of(op_attr(n, "kernel"), axis, 1),
		space_of(op_attr(n, "stride"), axis, 1), space_frame(pad, axis, false), space_frame(pad, axis, true),
		space_of(op_attr(n, "dilation"), axis, 1) };
}

/* 0: none fits. */
static int64_t
windows(const struct along *a)
{
	int64_t room = a->size + a->before + a->after - (a->kernel - 1) * a->dilation - 1;

	return room < 0 ? 0 : room / a->stride + 1;
}

static struct call_arg
arg_unfold(struct emitter *e, const struct node *n, const struct tensor *x)
{
	struct along h = along(n, x, HEIGHT), w = along(n, x, WIDTH);

	return arg_text(arena_printf(e->module->arena, "(struct unfold){ { %lld, %lld, %lld, %lld, %lld, %lld },\n\t    "
	    "{ %lld, %lld, %lld, %lld, %lld, %lld } }", (long long)h.size, (long long)windows(&h), (long long)h.kernel,
	    (long long)h.stride, (long long)h.dilation, (long long)h.before, (long long)w.size, (long long)windows(&w),
	    (long long)w.kernel, (long long)w.stride, (long long)w.dilation, (long long)w.before));
}

static void
emit_backward(struct emitter *e, const struct node *n)
{
	const struct tensor *dx = n->out[0];

	emit_call(e, "unfold_backward", arg_tensor(dx), arg_tensor(n->in[0]), arg_onto(n), arg_text(emit_rows(e, dx, 1)),
	    arg_unfold(e, n, dx));
}

const struct op op_unfold_grad = {
	.name = "unfold_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of unfold: for each place the sum over the windows that it lies in",
	.attrs = attrs,
	.operands = "dy",
	.min_operands = 1, .max_operands = 1,
	.memory.onto = 1,
	.calls.kernels = "copy/unfold.cu",
	.calls.emit = emit_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	return diff_unary(d, n, &op_unfold_grad, 0, NULL);
}

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0];
	int64_t dim[2], kernel[SPACE_AXES];
	bool framed = false, dilated = false;
	int i;

	if (!space_given(b, n, MOST_AXES))
		return false;
	space_same(n, "pad", op_attr(n, "kernel"), op_attr(n, "stride"), op_attr(n, "dilation"));
	dim[0] = x->dim[0];
	dim[1] = 1;
	for (i = 0; i < SPACE_AXES; i++) {
		struct along a = along(n, x, i);

		framed |= a.before || a.after;
		dilated |= a.dilation > 1;
		kernel[i] = a.kernel;
		dim[0] = product_of(dim[0], a.kernel);
		dim[1] = product_of(dim[1], windows(&a));
	}
	if (dim[1] == 0)
		return op_error(b, n, "unfold: input is %s, smaller than the %s%s%s", op_operand_text(b, x),
		    space_kernel(b->module->arena, kernel, space_axes(x)), dilated ? ", dilated" : "",
		    framed ? ", even padded" : "");
	return op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched, 2, dim) != NULL;
}

static void
emit(struct emitter *e, const struct node *n)
{
	const struct tensor *x = n->in[0];

	emit_call(e, "unfold_forward", arg_tensor(n->out[0]), arg_tensor(x), arg_text(emit_rows(e, x, 1)),
	    arg_unfold(e, n, x));
}

/* Where the sides differ, PyTorch pads first. What F.unfold() makes, and its gradient, lie in
 * storages that were made as large as what they come from. */
static void
torch_calls(struct tape *t, const struct node *n)
{
	const struct attr *pad = op_attr(n, "pad");
	struct tensor x = tensor_value(n->in[0]);
	int value = tape_value(t, &x), i;
	bool uneven = false;

	for (i = 0; i < space_axes(&x); i++)
		uneven |= pad->v[2 * i] != pad->v[2 * i + 1];
	for (i = 0; i < space_axes(&x) && uneven; i++)
		x.dim[1 + i] += pad->v[2 * i] + pad->v[2 * i + 1];
	if (uneven)
		value = tape_call(t, &(struct tape_call){ .in = &value, .nin = 1, .bytes = tape_bytes(t, &x) });
	tape_result(t, n->out[0], tape_call(t, &(struct tape_call){ .in = &value, .nin = 1,
	    .bytes = tape_bytes(t, n->out[0]), .room = tape_bytes(t, &x), .gradient_room = tape_bytes(t, n->out[0]) }));
}

const struct op op_unfold = {
	.name = "unfold",
	.kind = OP_LAYER,
	.brief = "the windows of an image as columns",
	.doc = "y[(c, u, v), (i, j)] = x[c, i * stride + u * dilation - top, j * stride + v * dilation - left], where x is 0 outside "
	    "of the image: [C, H, W] gives [C * height * width, windows], as PyTorch's unfold, which is also called im2col; [C, "
	    "L] gives [C * kernel, windows]. Windows are counted as a convolution's positions are. Backward needs neither input "
	    "nor output.\n\n"
	    "It is height * width / stride^2 times as large as its input: conv multiplies the same without having it in memory, "
	    "and local does with weights of each place.",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shape,
	.gradient.build = grad,
	.torch = { .calls = torch_calls },
	.calls.kernels = "copy/unfold.cu",
	.calls.emit = emit,
};
