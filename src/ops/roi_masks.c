/*
 * roi_masks: what boxes see of a mask each: of many masks as large as the picture, small ones that
 * a network is to say. Frameworks make floats of all masks of a picture first; here boxes read
 * bytes where they lie.
 */
#include "ops/shapes.h"

#include "calls/emitter.h"
#include "calls/sizes.h"
#include "calls/tape.h"

enum { BOXES, MASKS, INDEX };

static const struct attr_spec attrs[] = {
	{ "size", ATTR_PAIR, "rows and columns of bins in each box", .required = true, .min = 1, .max = ROI_POINTS },
	{ "scale", ATTR_REAL, "elements of a mask for a pixel of the picture", .preset = "1", .min = 1e-6, .max = 1e6 },
	{ "points", ATTR_INT, "points of a bin along each axis; 0: so many that none is farther than an element from the next",
	    .preset = "0", .min = 0, .max = ROI_POINTS },
	ATTRS_END
};

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *boxes = n->in[BOXES], *masks = n->in[MASKS], *index = n->in[INDEX];
	const struct attr *size = op_attr(n, "size");

	if (!shape_boxes(b, n, BOXES, true) || (masks->dtype != DT_U8 && !shape_float(b, n, MASKS)))
		return false;
	if (masks->rank != 3 || !masks->batched || (masks->dtype != DT_U8 && masks->dtype != boxes->dtype))
		return op_error(b, n, "roi_masks: masks are [n, height, width] of each sample, u8 or as the boxes, but the second "
		    "operand is %s of %s", op_operand_text(b, masks), dtype_name(masks->dtype));
	if (!index->classes || index->rank != 1 || index->dim[0] != boxes->dim[0] || !index->batched)
		return op_error(b, n, "roi_masks: each box has the index of its mask, class[K, %lld] of each sample, but the third "
		    "operand is %s", (long long)boxes->dim[0], op_operand_text(b, index));
	return op_output(b, n, NULL, T_ACTIVATION, boxes->dtype, true, 3, (int64_t[]){ boxes->dim[0], size->v[0],
	    size->v[1] }) != NULL;
}

static void
emit(struct emitter *e, const struct node *n)
{
	const struct tensor *boxes = n->in[BOXES], *masks = n->in[MASKS];
	const struct attr *size = op_attr(n, "size");
	bool bytes = masks->dtype == DT_U8;

	emit_call(e, "roi_masks", arg_tensor(n->out[0]), arg_tensor(boxes), arg_tensor(n->in[INDEX]),
	    arg_tensor(bytes ? NULL : masks), arg_tensor(bytes ? masks : NULL), arg_text(arena_printf(e->module->arena,
	    "(struct roi_align){ b, %lld, %lld, %lld, %lld, %lld, %lld, .points = %lld,"
	    "\n\t    .scale = (real)%s, .shift = 0, .least = 1, .canonical = 1 }", (long long)boxes->dim[0],
	    (long long)masks->dim[0], (long long)masks->dim[1], (long long)masks->dim[2], (long long)size->v[0],
	    (long long)size->v[1], (long long)op_int(n, "points"), emit_double(e, op_real(n, "scale")))));
}

/* torchvision's project_masks_on_boxes(): picture by picture its masks as floats, boxes with the
 * number of their mask. */
static void
torch_calls(struct tape *t, const struct node *n)
{
	int64_t floats = tape_bytes_as(t, n->in[MASKS], dtype_bytes(n->in[BOXES]->dtype)) / t->batch;
	int in[3] = { tape_value(t, n->in[BOXES]), tape_value(t, n->in[MASKS]), 0 };

	in[2] = tape_call(t, &(struct tape_call){ .in = in, .nin = 1, .bytes = tape_bytes(t, n->in[BOXES]) / 4 * 5, .stops = true });
	tape_result(t, n->out[0], tape_call(t, &(struct tape_call){ .in = in, .nin = 3, .stops = true,
	    .bytes = tape_bytes(t, n->out[0]), .most = n->in[MASKS]->dtype == DT_U8 ? floats : 0 }));
}

const struct op op_roi_masks = {
	.name = "roi_masks",
	.kind = OP_LAYER,
	.brief = "what boxes see of a mask each, as masks of one size",
	.doc = "Of boxes [n, 4], masks [m, height, width] and for each box the index of its mask, class[m, n], the part of that "
	    "mask that lies within the box, as roi_align sees it: [n, rows, columns]. It is what a network is to say of the "
	    "masks of a picture (He and others, 2017; torchvision's project_masks_on_boxes): "
	    "roi_masks(rois, masks, match(boxes, rois), 28).\n\n"
	    "Masks may be u8, and are read where they lie. A box that is none, and one whose index is -1, gives zeros. It has no "
	    "gradient.",
	.flags = OP_STOPS,
	.attrs = attrs,
	.operands = "boxes masks index",
	.min_operands = 3, .max_operands = 3,
	.shape = shape,
	.torch = { .calls = torch_calls, .least = "how many masks there are the data tell", .parts = 1u << MASKS },
	.calls.kernels = "boxes/roi_masks.cu",
	.calls.emit = emit,
};
