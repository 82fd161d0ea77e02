/*
 * roi_align: what lies within boxes, each as a map of the same few rows and columns. Of several
 * maps, a pyramid's levels, one kernel each writes the boxes that are seen in it; backward is one
 * node for each map, and reads dy and the boxes.
 */
#include "ops/shapes.h"

#include <math.h>

#include "ir/diff.h"

#include "calls/emitter.h"
#include "calls/sizes.h"
#include "calls/tape.h"

#define LEVELS	8

#define ROI_ATTRS									\
	{ "size", ATTR_PAIR, "rows and columns of bins in each box", .required = true, .min = 1, .max = ROI_POINTS },	\
	{ "scale", ATTR_REALS, "elements of the map for a pixel of the picture, such as 1/16; of several maps, of each",	\
	    .required = true, .min = 1e-6, .max = 1e6 },				\
	{ "points", ATTR_INT, "points of a bin along each axis; 0: so many that none is farther than an element from the "	\
	    "next", .preset = "2", .min = 0, .max = ROI_POINTS },				\
	{ "aligned", ATTR_BOOL, "the middle of the first element is half an element from the picture's edge, and boxes may be "	\
	    "smaller than an element", .preset = "false" },				\
	{ "canonical", ATTR_REAL, "of several maps: the size of a box that is seen in the one 16 times as small as the "	\
	    "picture", .preset = "224", .min = 1, .max = 1e6 }

static const struct attr_spec attrs[] = { ROI_ATTRS, ATTRS_END };
static const struct attr_spec grad_attrs[] = {
	ROI_ATTRS,
	{ "map", ATTR_INT, "which map the gradient is of", .preset = "0", .min = 0, .max = LEVELS - 1 },
	ATTRS_END
};

/* How many times a map has been halved. */
static int64_t
level_of(const struct node *n, int map)
{
	return (int64_t)-round(log2(op_attr(n, "scale")->real[map]));
}

static struct call_arg
arg_roi(struct emitter *e, const struct node *n, const struct tensor *boxes, const struct tensor *x, int map)
{
	const struct attr *size = op_attr(n, "size"), *scale = op_attr(n, "scale");
	bool aligned = op_bool(n, "aligned");

	return arg_text(arena_printf(e->module->arena, "(struct roi_align){ b, %lld, %lld, %lld, %lld, %lld, %lld, .points = %lld,"
	    "\n\t    .scale = (real)%s, .shift = (real)%s, .least = (real)%s, .canonical = (real)%s,"
	    "\n\t    .level = %lld, .first = %lld, .last = %lld }",
	    (long long)boxes->dim[0], (long long)x->dim[0], (long long)x->dim[1], (long long)x->dim[2],
	    (long long)size->v[0], (long long)size->v[1], (long long)op_int(n, "points"),
	    emit_double(e, scale->real[map]), aligned ? "0.5" : "0", aligned ? "0" : "1",
	    emit_double(e, op_real(n, "canonical")), (long long)level_of(n, map), (long long)level_of(n, 0),
	    (long long)level_of(n, scale->n - 1)));
}

/* ---- backward ---- */

static void
emit_backward(struct emitter *e, const struct node *n)
{
	const struct tensor *dx = n->out[0], *boxes = n->in[1];

	emit_call(e, "roi_align_backward", arg_tensor(dx), arg_tensor(n->in[0]), arg_tensor(boxes),
	    arg_roi(e, n, boxes, dx, (int)op_int(n, "map")));
}

const struct op op_roi_align_grad = {
	.name = "roi_align_grad",
	.kind = OP_INTERNAL,
	.brief = "gradient of roi_align: of one map, what bins near an element make of it",
	.attrs = grad_attrs,
	.operands = "dy boxes",
	.min_operands = 2, .max_operands = 2,
	.calls.kernels = "boxes/roi_align.cu",
	.calls.emit = emit_backward,
};

static bool
grad(struct diff *d, struct node *n)
{
	struct tensor *in[] = { diff_of(d, n->out[0]), n->in[0] };
	int k, i;

	for (k = 1; k < n->nin; k++) {
		struct node *back;
		struct attr *a;

		if (!diff_wants(d, n->in[k]))
			continue;
		back = diff_node(d, n, &op_roi_align_grad, 2, in);
		a = diff_attrs(d, back);
		for (i = 0; i < op_nattrs(n->op); i++)
			a[i] = n->attr[i];
		op_preset(back->op, a, "map")->i = k - 1;
		diff_output(d, back, n->in[k]);
	}
	return true;
}

/* ---- forward ---- */

static bool
maps_are_alike(struct build *b, const struct node *n)
{
	const struct attr *scale = op_attr(n, "scale");
	int k;

	if (scale->n != n->nin - 1)
		return op_error(b, n, "roi_align: it has %d map%s, and scale has %d number%s", n->nin - 1, n->nin == 2 ? "" : "s",
		    scale->n, scale->n == 1 ? "" : "s");
	for (k = 1; k < n->nin; k++) {
		const struct tensor *x = n->in[k];

		if (!shape_image(b, n, k))
			return false;
		if (x->dim[0] != n->in[1]->dim[0] || !x->batched)
			return op_error(b, n, "roi_align: maps are those of each sample, with as many channels, but one is %s and "
			    "the first %s", op_operand_text(b, x), op_operand_text(b, n->in[1]));
		if (k > 1 && level_of(n, k - 1) != level_of(n, k - 2) + 1)
			return op_error(b, n, "roi_align: a pyramid's maps are each half as large as the one before, as in "
			    "scale=(1/4, 1/8, 1/16)");
	}
	return true;
}

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *boxes = n->in[0];
	const struct attr *size = op_attr(n, "size");

	if (!shape_boxes(b, n, 0, true))
		return false;
	if (n->nin > 1 + LEVELS)
		return op_error(b, n, "roi_align: a pyramid has at most %d maps, and this one %d", LEVELS, n->nin - 1);
	if (!maps_are_alike(b, n))
		return false;
	return op_output(b, n, NULL, T_ACTIVATION, boxes->dtype, true, 4, (int64_t[]){ boxes->dim[0], n->in[1]->dim[0],
	    size->v[0], size->v[1] }) != NULL;
}

static void
emit(struct emitter *e, const struct node *n)
{
	int k;

	for (k = 1; k < n->nin; k++)
		emit_call(e, "roi_align_forward", arg_tensor(n->out[0]), arg_tensor(n->in[0]), arg_tensor(n->in[k]),
		    arg_roi(e, n, n->in[0], n->in[k], k - 1));
}

/* torchvision's roi_align() of boxes with the number of their picture; of several maps, as
 * MultiScaleRoIAlign, the results of all levels and then what they are put together in; at most
 * with their boxes once more, areas, levels and lists of indices. */
static void
torch_calls(struct tape *t, const struct node *n)
{
	int64_t bytes = tape_bytes(t, n->out[0]), boxes = tape_bytes(t, n->in[0]) / 4 * 5;
	int in[TAPE_BITS], k;

	in[0] = tape_value(t, n->in[0]);
	in[0] = tape_call(t, &(struct tape_call){ .in = in, .nin = 1, .bytes = boxes, .stops = true });
	for (k = 1; k < n->nin; k++)
		in[k] = tape_value(t, n->in[k]);
	in[0] = tape_call(t, &(struct tape_call){ .in = in, .nin = n->nin, .bytes = bytes, .saves = SAVES_IN(0) });
	if (n->nin > 2)
		in[0] = tape_call(t, &(struct tape_call){ .in = in, .nin = 1, .bytes = bytes,
		    .most = boxes + 8 * 8 * tape_bytes_as(t, n->in[0], 1) / 4 });
	tape_result(t, n->out[0], in[0]);
}

const struct op op_roi_align = {
	.name = "roi_align",
	.kind = OP_LAYER,
	.brief = "what lies within boxes, as maps of one size",
	.doc = "Boxes [n, 4] of two corners x1, y1, x2, y2 in pixels, and a map [C, H, W], give [n, C, rows, columns]: each box is "
	    "cut into bins, and each bin is the mean of points within it, each between its four neighbours (He and others, 2017; "
	    "torchvision's roi_align): roi_align(boxes, c4, 7, 1/16). A point more than one element outside of the map is 0.\n\n"
	    "Of several maps, a pyramid's levels from the finest on, roi_align(boxes, p2, p3, p4, p5, 7, (1/4, 1/8, 1/16, 1/32)), "
	    "each box is seen in one: level 4 + log2(root of its area / canonical), rounded down, of which 4 is the map 16 times "
	    "as small as the picture (Lin and others, 2017; torchvision's MultiScaleRoIAlign).\n\n"
	    "A box without an area, or with a corner that is no number, gives zeros. Maps have gradients, boxes have none. "
	    "Each element of a map adds up what boxes near it make of it, in their order: no atomics.",
	.attrs = attrs,
	.operands = "boxes maps",
	.min_operands = 2, .max_operands = -1,
	.shape = shape,
	.gradient.build = grad,
	.gradient.saves = SAVES_IN(0),
	.torch = { .calls = torch_calls, .least = "how many boxes a level of the pyramid has the data tell" },
	.calls.kernels = "boxes/roi_align.cu",
	.calls.emit = emit,
};
