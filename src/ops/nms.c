/* nms: which boxes are left when each takes those away that it overlaps much and whose scores are
 * less. */
#include "ops/shapes.h"

#include "calls/emitter.h"
#include "calls/sizes.h"
#include "calls/tape.h"

#define MOST_BOXES	65536	/* of which each may meet each */

static const struct attr_spec attrs[] = {
	{ "k", ATTR_INT, "how many are kept at most", .required = true, .min = 1, .max = MOST_BOXES },
	{ "most", ATTR_REAL, "intersection over union above which a box is taken away", .preset = "0.5", .min = 0, .max = 1 },
	ATTRS_END
};

static bool
shape(struct build *b, struct node *n)
{
	const struct tensor *boxes = n->in[0], *scores = n->in[1], *group = n->nin > 2 ? n->in[2] : NULL;
	int64_t k = op_int(n, "k");
	struct tensor *y;

	if (!shape_boxes(b, n, 0, true) || !shape_float(b, n, 1))
		return false;
	if (scores->rank != 1 || scores->dim[0] != boxes->dim[0] || !scores->batched)
		return op_error(b, n, "nms: boxes have a score each, [%lld] of each sample, but the second operand is %s",
		    (long long)boxes->dim[0], op_operand_text(b, scores));
	if (group && (!group->classes || group->rank != 1 || group->dim[0] != boxes->dim[0] || !group->batched))
		return op_error(b, n, "nms: groups are class[K, %lld] of each sample, but the third operand is %s",
		    (long long)boxes->dim[0], op_operand_text(b, group));
	if (boxes->dim[0] > MOST_BOXES)
		return op_error(b, n, "nms: each of %lld boxes may meet each: take the %d with the largest scores first, as in "
		    "boxes -> take(top_k(scores, 1000))", (long long)boxes->dim[0], MOST_BOXES);
	if (k > boxes->dim[0])
		return op_error(b, n, "nms: of %lld boxes no %lld can be kept", (long long)boxes->dim[0], (long long)k);
	y = op_output(b, n, NULL, T_ACTIVATION, DT_I32, true, 1, &k);
	if (y)
		y->classes = (int)boxes->dim[0];
	return y != NULL;
}

/* kernels/boxes/nms.cu */
static struct affine
work(const struct node *n, const struct room *room)
{
	int64_t boxes = n->in[0]->dim[0];

	(void)room;
	return (struct affine){ 0, top_bytes(boxes) + 8 * boxes };
}

static void
emit(struct emitter *e, const struct node *n)
{
	emit_call(e, "nms", arg_tensor(n->out[0]), arg_work(n), arg_tensor(n->in[0]), arg_tensor(n->in[1]),
	    arg_tensor(n->nin > 2 ? n->in[2] : NULL), arg_text(arena_printf(e->module->arena, "(struct nms){ b, %lld, %lld }",
	    (long long)n->in[0]->dim[0], (long long)op_int(n, "k"))), arg_real(op_real(n, "most")));
}

/* At most: picture by picture boxes and scores in their order, which is int64, and on CUDA a bit
 * for each two boxes; then indices of 64 bits. */
static void
torch_calls(struct tape *t, const struct node *n)
{
	int64_t boxes = n->in[0]->dim[0], each = dtype_bytes(n->in[0]->dtype);
	int in[] = { tape_value(t, n->in[0]), tape_value(t, n->in[1]) };

	tape_result(t, n->out[0], tape_call(t, &(struct tape_call){ .in = in, .nin = 2, .stops = true,
	    .bytes = tape_bytes_as(t, n->out[0], 8), .most = boxes * (5 * each + 8 + 8 * ((boxes + 63) / 64)) }));
}

const struct op op_nms = {
	.name = "nms",
	.kind = OP_LAYER,
	.brief = "boxes that are left of those that overlap much (non-maximum suppression)",
	.doc = "Of boxes [n, 4], two corners x1, y1, x2, y2, and their scores [n], the places of those that are kept, as "
	    "class[n, k]: in the order of their scores each box takes away those behind it whose intersection over union with it is "
	    "above `most`, as torchvision's nms; with groups, class[K, n], only those of its own, as batched_nms. Where fewer than "
	    "k are left the rest is -1, of which take makes zeros; where more are, those with the largest scores are kept.\n\n"
	    "Of equal scores the first is first, and a score that is no number is last. A box without an area, or with a corner "
	    "that is no number, is none: boxes * ((scores > 0.05) -> reshape(1000, 1)) leaves the others out. It has no gradient.",
	.attrs = attrs,
	.operands = "boxes scores classes",
	.min_operands = 2, .max_operands = 3,
	.shape = shape,
	.memory.workspace = work,
	.torch = { .calls = torch_calls, .least = "how many boxes there are the data tell" },
	.calls.kernels = "boxes/nms.cu",
	.calls.emit = emit,
};
