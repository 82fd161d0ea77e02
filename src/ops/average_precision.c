/*
 * box_ap, mask_ap: COCO's average precision of detections. A detection is right if it overlaps a
 * part of its class enough, and what it is worth depends on how many with larger scores are right,
 * among those of all samples. So nothing adds up from batch to batch: what each sample says is kept
 * (op->counts.keep), and the host makes the metric of all in the end.
 *
 *     out   f64 for each sample:   n, m, at | n detections | m parts | n * m overlaps      kernels/loss/average_precision.cu
 */
#include "ops/shapes.h"

#include "calls/emitter.h"
#include "sizes.h"
#include "ops/targets.h"

#define MOST_PAIRS	((int64_t)1 << 24)

static const struct attr_spec attrs[] = {
	{ "at", ATTR_REAL, "overlap that is enough: 0.5, 0.55, ... or 0.95; 0: the mean over these", .preset = "0", .min = 0,
	    .max = 0.95 },
	ATTRS_END
};

/* Where operands are: masks have one more, their target. */
static int
truth_at(const struct node *n)
{
	return n->op->min_operands - 1;
}

static const struct tensor *
size_of(const struct node *n)
{
	return n->nin > n->op->min_operands ? n->in[n->op->min_operands] : NULL;
}

static bool
is_step(double at)
{
	double steps = at / 0.05;

	return at == 0 || (at >= 0.5 - 1e-9 && steps - (int64_t)(steps + 0.5) < 1e-6 && (int64_t)(steps + 0.5) - steps < 1e-6);
}

static bool
rows_fit(struct build *b, const struct node *n, int k, int64_t rows, int64_t each, const char *form)
{
	const struct tensor *t = n->in[k];

	return (t->batched && t->rank == (each ? 2 : 1) && (rows < 0 || t->dim[0] == rows) && (!each || t->dim[1] == each)) ||
	    op_error(b, n, "%s: operand %d is %s of each sample, but it is %s", n->op->name, k + 1, form,
	    op_operand_text(b, t));
}

/* What both metrics are given alike, of that many detections. */
static bool
shape(struct build *b, struct node *n)
{
	int64_t found = n->in[0]->rank ? n->in[0]->dim[0] : 0, known, numbers;
	int truth = truth_at(n);

	if (!is_step(op_real(n, "at")))
		return op_error(b, n, "%s: at=%g is none of COCO's overlaps, 0.5, 0.55, ... and 0.95", n->op->name,
		    op_real(n, "at"));
	if (!shape_float(b, n, 1) || !rows_fit(b, n, 1, found, 0, "scores [n]") ||
	    !rows_fit(b, n, 2, found, 0, "classes, class[K, n] or numbers [n],") || !shape_float(b, n, truth) ||
	    !rows_fit(b, n, truth, -1, 7, "truth [m, 7], as data coco(...) fill it,"))
		return false;
	if (size_of(n) && (!shape_float(b, n, truth + 1) || !rows_fit(b, n, truth + 1, 4, 0, "size [4]")))
		return false;
	known = n->in[truth]->dim[0];
	if (found < 1 || known < 1 || found > MOST_PAIRS / known)
		return op_error(b, n, "%s: %lld detections and %lld parts are too many pairs", n->op->name, (long long)found,
		    (long long)known);
	numbers = AP_NUMBERS(found, known);
	return op_output(b, n, NULL, T_SCALAR, DT_F64, true, 1, &numbers) != NULL;
}

static bool
boxes_shape(struct build *b, struct node *n)
{
	return shape_float(b, n, 0) && rows_fit(b, n, 0, -1, 4, "boxes [n, 4]") && shape(b, n);
}

static bool
masks_shape(struct build *b, struct node *n)
{
	const struct tensor *found = n->in[0], *known = n->in[3];

	if (!shape_float(b, n, 0))
		return false;
	if (found->rank != 3 || !found->batched)
		return op_error(b, n, "mask_ap: detections are masks [n, height, width] of each sample, but they are %s",
		    op_operand_text(b, found));
	if (known->rank != 3 || !known->batched || known->classes || known->dim[1] != found->dim[1] ||
	    known->dim[2] != found->dim[2] || known->dim[0] != n->in[4]->dim[0])
		return op_error(b, n, "mask_ap: the target is masks [m, %lld, %lld] of as many parts as truth [m, 7] has, but it "
		    "is %s", (long long)found->dim[1], (long long)found->dim[2], op_operand_text(b, known));
	return shape(b, n);
}

static const char *
extents(struct emitter *e, const struct node *n)
{
	const struct tensor *found = n->in[0];

	return arena_printf(e->module->arena, "(struct ap){ b, %lld, %lld, %lld }", (long long)found->dim[0],
	    (long long)n->in[truth_at(n)]->dim[0], (long long)(found->rank == 3 ? found->dim[1] * found->dim[2] : 0));
}

static void
emit_boxes(struct emitter *e, const struct node *n)
{
	const struct tensor *kind = n->in[2];

	emit_call(e, "ap_of_boxes", arg_tensor(n->out[0]), arg_tensor(n->in[0]), arg_tensor(n->in[1]),
	    arg_tensor(kind->classes ? NULL : kind), arg_tensor(kind->classes ? kind : NULL), arg_tensor(n->in[3]),
	    arg_tensor(size_of(n)), arg_text(extents(e, n)), arg_real(op_real(n, "at")));
}

static void
emit_masks(struct emitter *e, const struct node *n)
{
	const struct tensor *kind = n->in[2];

	emit_call(e, "ap_of_masks", arg_tensor(n->out[0]), arg_tensor(n->in[0]), arg_tensor(n->in[1]),
	    arg_tensor(kind->classes ? NULL : kind), arg_tensor(kind->classes ? kind : NULL), TARGET_ARGS(n->in[3]),
	    arg_tensor(n->in[4]), arg_tensor(size_of(n)), arg_text(extents(e, n)), arg_real(op_real(n, "at")));
}

static int64_t
keeps(const struct node *n)
{
	return AP_KEPT * (1 + n->in[0]->dim[0] + n->in[truth_at(n)]->dim[0]);
}

#define OF_BOTH												\
	" As COCO's own evaluation has it: detections are taken in the order of their scores, at most 100 of a class in a "	\
	"sample, each with the part of its class that it overlaps most and that none before it has; of the shares of right "	\
	"ones, at 101 steps of how many parts are found, the mean over overlaps and classes. Parts that are crowds may be " 	\
	"found by any number, and count neither way. It is that of all samples; of equal scores the first sample is first. " 	\
	"The log has COCO's other numbers in a field whose name ends in _coco: at overlaps of 0.5 and 0.75, of small, medium "	\
	"and large parts (up to 32 x 32 and 96 x 96 pixels of the files, and beyond), and of each class.\n\n"			\
	"truth and size are targets that data coco(...) fill; without size, pixels are those of the files. A row of zeros is "	\
	"no detection, nor is one whose score is no number or whose class is below 0."

#define OP_ROW(id, title, text, takes, least, shapes, call)					\
	extern const struct op op_##id;								\
	const struct op op_##id = {								\
		.name = #id, .kind = OP_METRIC, .brief = title, .doc = text OF_BOTH, .attrs = attrs,	\
		.operands = takes, .min_operands = least, .max_operands = least + 1, .shape = shapes,	\
		.counts = { .of = "metric_average_precision", .log = "log_average_precision",	\
		    .keep = "ap_keep", .keeps = keeps, .order = "ap_order" },			\
		.calls.kernels = "loss/average_precision.cu", .calls.emit = call,			\
	}

OP_ROW(box_ap, "average precision of boxes (COCO's mAP)",
    "Of detections [n, 4], x1, y1, x2, y2, with scores [n] and classes, class[K, n] or numbers [n].",
    "boxes scores classes truth size", 4, boxes_shape, emit_boxes);
OP_ROW(mask_ap, "average precision of masks (COCO's mAP)",
    "Of detections [n, height, width], inside where they are above 0.5, with scores [n] and classes, class[K, n] or numbers "
    "[n], and the target, the masks of the parts, [m, height, width], in the order of truth.",
    "masks scores classes target truth size", 5, masks_shape, emit_masks);
