/*
 * roi_pool: the largest elements of a map within boxes, each as a map of the same few rows and
 * columns. Backward needs where each of them lies, four bytes an output, and the boxes; it reads
 * neither the map nor the output.
 */
#include "ops/shapes.h"

#include "ir/diff.h"

#include "calls/emitter.h"
#include "calls/sizes.h"
#include "calls/tape.h"

enum { BOXES, MAP };

static const struct attr_spec attrs[] = {
	{ "size", ATTR_PAIR, "rows and columns of bins in each box", .required = true, .min = 1, .max = ROI_POINTS },
	{ "scale", ATTR_REAL, "elements of the map for a pixel of the picture, such as 1/16", .required = true,
	    .min = 1e-6, .max = 1e6 },
	ATTRS_END
};

static struct call_arg
arg_roi(struct emitter *e, const struct node *n, const struct tensor *boxes, const struct tensor *x)
{
	const struct attr *size = op_attr(n, "size");

	return arg_text(arena_printf(e->module->arena, "(struct roi_pool){ b, %lld, %lld, %lld, %lld, %lld, %lld, (real)%s }",
	    (long long)boxes->dim[0], (long long)x->dim[0], (long long)x->dim[1], (long long)x->dim[2],
	    (long long)size->v[0], (long long)size->v[1], emit_double(e, op_real(n, "scale"))));
}

static void
emit_backward(struct emitter *e, const struct node *n)
{
	const struct tensor *dx = n->out[0], *boxes = n->in[1];

	emit_call(e, "roi_pool_backward", arg_tensor(dx), arg_tensor(n->in[0]), arg_tensor(boxes), arg_tensor(n->in[2]),
	    arg_roi(e, n, boxes, dx));
}

const struct op op_roi_pool_grad = {
	.name = "roi_pool_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of roi_pool: dy goes to where each maximum lies",
	.attrs = attrs,
	.operands = "dy boxes index",
	.min_operands = 3, .max_operands = 3,
	.calls.kernels = "boxes/roi_pool.cu",
	.calls.emit = emit_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	struct tensor *in[] = { diff_of(d, n->out[0]), n->in[BOXES], n->out[1] };

	if (diff_wants(d, n->in[MAP]))
		diff_output(d, diff_node(d, n, &op_roi_pool_grad, 3, in), n->in[MAP]);
	return true;
}

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *boxes = n->in[BOXES], *x = n->in[MAP];
	const struct attr *size = op_attr(n, "size");
	const int64_t dim[] = { boxes->dim[0], x->dim[0], size->v[0], size->v[1] };

	if (!shape_boxes(b, n, BOXES, true) || !shape_image(b, n, MAP))
		return false;
	if (!x->batched)
		return op_error(b, n, "roi_pool: the map is that of each sample, but the second operand is %s",
		    op_operand_text(b, x));
	if (x->dim[1] * x->dim[2] > INT32_MAX)
		return op_error(b, n, "roi_pool: a map of one channel has at most %d elements, but the second operand is %s",
		    INT32_MAX, op_operand_text(b, x));
	op_output(b, n, NULL, T_ACTIVATION, x->dtype, true, 4, dim);
	op_output(b, n, "index", T_SAVED, DT_I32, true, 4, dim);
	return true;
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_call(e, "roi_pool_forward", arg_tensor(n->out[0]), arg_tensor(n->out[1]), arg_tensor(n->in[BOXES]),
	    arg_tensor(n->in[MAP]), arg_roi(e, n, n->in[BOXES], n->in[MAP]));
}

/* torchvision's roi_pool() of boxes with the number of their picture, which it keeps with four
 * bytes an output; as that is a result, too, backward makes zeros as its gradient. */
static void
torch_calls(struct tape *t, const struct node *n)
{
	int64_t places = tape_bytes_as(t, n->out[0], 4);
	int in[] = { tape_value(t, n->in[BOXES]), tape_value(t, n->in[MAP]) };

	in[0] = tape_call(t, &(struct tape_call){ .in = in, .nin = 1, .bytes = tape_bytes(t, n->in[BOXES]) / 4 * 5, .stops = true });
	tape_result(t, n->out[0], tape_call(t, &(struct tape_call){ .in = in, .nin = 2, .bytes = tape_bytes(t, n->out[0]),
	    .saves = SAVES_IN(0), .beside = places, .scratch = tape_bytes(t, n->in[MAP]) + places }));
}

const struct op op_roi_pool = {
	.name = "roi_pool",
	.kind = OP_LAYER,
	.brief = "the largest of what lies within boxes, as maps of one size",
	.doc = "Boxes [n, 4] of two corners x1, y1, x2, y2 in pixels, and a map [C, H, W], give [n, C, rows, columns], as "
	    "torchvision's roi_pool (Girshick, 2015): roi_pool(boxes, conv5, 7, 1/16). Corners times scale are rounded to whole "
	    "elements, halves away from 0, and the elements of both are within the box. Of a box h elements high bin i takes "
	    "those from i h / rows, rounded down, to (i + 1) h / rows, rounded up, and alike along the other axis. y is the "
	    "largest of those that are in the map, 0 where none is. roi_align rounds nothing.\n\n"
	    "A box without an area, or with a corner that is no number, gives zeros. What is no number in the map is not seen. "
	    "The map has a gradient, which goes to the largest element of each bin, of equal ones to the first; boxes have "
	    "none. Training keeps where these lie, four bytes an output. Each element of a map adds up what bins around it "
	    "make of it, in the order of boxes: no atomics.",
	.attrs = attrs,
	.operands = "boxes map",
	.min_operands = 2, .max_operands = 2,
	.shape = shape,
	.gradient.build = grad,
	.gradient.saves = SAVES_IN(BOXES) | SAVES_OUT(1),
	.memory.optional_out = 1u << 1,
	.torch.calls = torch_calls,
	.calls.kernels = "boxes/roi_pool.cu",
	.calls.emit = emit,
};
