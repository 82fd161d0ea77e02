/*
 * match: which box each anchor is to find, by their overlap. Frameworks make a matrix of the
 * overlaps of all boxes and all anchors, and others as large to make it of: for 100 boxes and the
 * 201,600 anchors of a picture of 800 x 1344, 80 MB nine times over. Here an anchor looks through
 * the boxes, and keeps an index.
 */
#include "ops/shapes.h"

#include "calls/emitter.h"
#include "calls/tape.h"

static const struct attr_spec attrs[] = {
	{ "high", ATTR_REAL, "overlap from which on an anchor is matched", .preset = "0.5", .min = 0, .max = 1 },
	{ "low", ATTR_REAL, "overlap below which it is background; by default `high`", .min = 0, .max = 1 },
	{ "force", ATTR_BOOL, "match also those anchors that no other overlaps a box more than", .preset = "false" },
	{ "each", ATTR_BOOL, "as force, but such an anchor is matched with that box, as in SSD", .preset = "false" },
	ATTRS_END
};

static bool
forces(const struct node *n)
{
	return op_bool(n, "force") || op_bool(n, "each");
}

static bool
shape(struct build *b, struct node *n)
{
	const struct attr *low = op_attr(n, "low");
	struct tensor *y;

	if (!shape_boxes(b, n, 0, true) || !shape_boxes(b, n, 1, false))
		return false;
	if (low->given && low->r > op_real(n, "high"))
		return op_error(b, n, "match: low=%g is above high=%g", low->r, op_real(n, "high"));
	if (n->in[0]->dim[0] > INT32_MAX)
		return op_error(b, n, "match: %s are too many for indices of 32 bits", op_operand_text(b, n->in[0]));
	y = op_output(b, n, NULL, T_ACTIVATION, DT_I32, true, 1, n->in[1]->dim);
	if (y)
		y->classes = (int)n->in[0]->dim[0];
	return y != NULL;
}

/* How much each box is overlapped at most. */
static struct affine
work(const struct node *n, const struct room *room)
{
	const struct tensor *boxes = n->in[0];

	(void)room;
	return (struct affine){ 0, forces(n) ? boxes->dim[0] * dtype_bytes(boxes->dtype->real) : 0 };
}

static void
emit(struct emitter *e, const struct node *n)
{
	const struct tensor *boxes = n->in[0], *anchors = n->in[1];
	const struct attr *low = op_attr(n, "low");
	double high = op_real(n, "high");

	emit_call(e, "match", arg_tensor(n->out[0]), arg_work(n), arg_tensor(boxes), arg_tensor(anchors),
	    arg_text(arena_printf(e->module->arena, "(struct match){ b, %lld, %lld, %d, %d }",
	    (long long)boxes->dim[0], (long long)anchors->dim[0], anchors->batched, op_bool(n, "each"))), arg_real(high),
	    arg_real(low->given ? low->r : high), arg_int(forces(n)));
}

/* torchvision's box_iou() and Matcher, picture by picture: corners of what is shared, its extents,
 * intersection, a sum of areas and a union, of as many boxes as there may be; then indices of 64
 * bits. */
static void
torch_calls(struct tape *t, const struct node *n)
{
	const struct tensor *boxes = n->in[0], *anchors = n->in[1];
	int64_t each = dtype_bytes(boxes->dtype->real), all = boxes->dim[0] + anchors->dim[0];
	int in[] = { tape_value(t, boxes), tape_value(t, anchors) };

	tape_result(t, n->out[0], tape_call(t, &(struct tape_call){ .in = in, .nin = 2, .stops = true,
	    .bytes = tape_bytes_as(t, n->out[0], 8), .most = each * (9 * boxes->dim[0] * anchors->dim[0] + all) }));
}

const struct op op_match = {
	.name = "match",
	.kind = OP_LAYER,
	.brief = "for each anchor the box that it overlaps most",
	.doc = "Boxes [n, 4] of each sample and anchors [m, 4], of two corners x1, y1, x2, y2, give class[n, m]: for each anchor "
	    "the box with which its intersection over union is largest, if that is at least `high`; else -2, between, if it is at "
	    "least `low`, or -1, background. With force=true an anchor is also matched if no other overlaps some box more; as in "
	    "torchvision's Matcher that is then with the box that the anchor itself overlaps most, and of several such anchors "
	    "with all. Of equals, the first box. With each=true each box has the first anchor that overlaps it most, whatever else "
	    "that overlaps, and of several boxes with the same anchor the last has it, as in torchvision's SSDMatcher.\n\n"
	    "A box without an area, or with a corner that is no number, is none: rows of zeros fill a tensor up to the most boxes "
	    "that a picture may have. An anchor that is none overlaps nothing. take and one_hot make zeros of -1 and -2; "
	    "(index -> cast) >= 0 is a mask of what is matched. It has no gradient, and no matrix of overlaps is made.",
	.attrs = attrs,
	.operands = "boxes anchors",
	.min_operands = 2, .max_operands = 2,
	.shape = shape,
	.memory.workspace = work,
	.torch = { .calls = torch_calls, .least = "how many boxes there are the data tell", .parts = 1u << 0 },
	.calls.kernels = "boxes/match.cu",
	.calls.emit = emit,
};
