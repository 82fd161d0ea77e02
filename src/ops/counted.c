/*
 * Metrics that are no means over samples: each batch is counted, counts add up, and the host makes
 * the metric of them (kernels/loss/counts.cu, kernels/loss/metrics.cu), so that it is that of all
 * samples whatever the batch is. Each is a row at the end.
 */
#include "calls/emitter.h"
#include "ops/shapes.h"
#include "ops/targets.h"

#define MOST_TABLE	4096	/* classes of a table of classes by classes: 128 MiB */

static bool
counts(struct build *b, struct node *n, int64_t numbers)
{
	return op_output(b, n, NULL, T_SCALAR, DT_F64, false, 1, &numbers) != NULL;
}

static bool
labels(struct build *b, struct node *n)
{
	int axis;

	return n->in[1]->classes ? target_labels(b, n, &axis) :
	    op_error(b, n, "%s: target is %s, but this metric is of labels, class[K]; for yes or no, class[2] "
	    "beside logits of two", n->op->name, op_operand_text(b, n->in[1]));
}

static bool
classes_shape(struct build *b, struct node *n)
{
	return labels(b, n) && counts(b, n, 3 * (int64_t)n->in[1]->classes);
}

static bool
table_shape(struct build *b, struct node *n)
{
	int64_t k = n->in[1]->classes;

	if (!labels(b, n))
		return false;
	if (k > MOST_TABLE)
		return op_error(b, n, "%s: a table of %lld classes by %lld would be too large to read; at most %d",
		    n->op->name, (long long)k, (long long)k, MOST_TABLE);
	return counts(b, n, k * k);
}

static bool
surprise_shape(struct build *b, struct node *n)
{
	return labels(b, n) && counts(b, n, 2);
}

static bool
fit_shape(struct build *b, struct node *n)
{
	return target_alike(b, n) && counts(b, n, 4);
}

static void
emit_labels(struct emitter *e, const struct node *n, const char *function)
{
	struct channels k = emit_axis(e, n->in[0], target_axis(n->in[0], n->in[1]));

	emit_call(e, function, arg_tensor(n->out[0]), arg_work(n), arg_tensor(n->in[0]), arg_tensor(n->in[1]),
	    arg_text(k.rows), arg_int(k.channels), arg_int(k.places));
}

static void
emit_classes(struct emitter *e, const struct node *n)
{
	emit_labels(e, n, "counts_classes");
}

static void
emit_table(struct emitter *e, const struct node *n)
{
	emit_labels(e, n, "counts_table");
}

static void
emit_surprise(struct emitter *e, const struct node *n)
{
	emit_labels(e, n, "counts_surprise");
}

static void
emit_fit(struct emitter *e, const struct node *n)
{
	emit_call(e, "counts_fit", arg_tensor(n->out[0]), arg_tensor(n->in[0]), TARGET_ARGS(n->in[1]),
	    arg_count(n->in[0]));
}

/* An answer for each label. */
static struct affine
answers(const struct node *n, const struct room *room)
{
	(void)room;
	return (struct affine){ 0, tensor_elements_per_sample(n->in[1]) * (int64_t)sizeof(int32_t) };
}

static struct affine
two_sums(const struct node *n, const struct room *room)
{
	(void)n, (void)room;
	return (struct affine){ 2 * LOSS_PARTS * (int64_t)sizeof(double), 0 };
}

/* ---- the records ---- */

#define OP_ROW(id, title, text, shapes, call, ...)						\
	extern const struct op op_##id;								\
	const struct op op_##id = {								\
		.name = #id, .kind = OP_METRIC, .brief = title, .doc = text,			\
		.operands = "logits target", .min_operands = 2, .max_operands = 2,		\
		.shape = shapes,								\
		.counts.of = "metric_" #id, .calls.kernels = "loss/counts.cu", .calls.emit = call,	\
		__VA_ARGS__									\
	}

#define OF_CLASSES										\
	" It is the mean over the classes that are labels or answers, as scikit-learn's average=\"macro\" has it, of all "	\
	"samples together; the log has that of each class, in a field whose name ends in _by_class. Labels outside the "	\
	"classes, such as those that a loss ignores, do not count. Shapes are those of cross_entropy."

OP_ROW(precision, "right answers among the answers of a class",
    "Of the answers that name a class, the share that is right." OF_CLASSES,
    classes_shape, emit_classes, .counts.log = "log_precision", .memory.workspace = answers,
    .memory.layout = target_layout);
OP_ROW(recall, "right answers among the labels of a class",
    "Of the labels of a class, the share that is answered rightly." OF_CLASSES,
    classes_shape, emit_classes, .counts.log = "log_recall", .memory.workspace = answers,
    .memory.layout = target_layout);
OP_ROW(f1, "harmonic mean of precision and recall",
    "2 right / (answers + labels) of a class." OF_CLASSES,
    classes_shape, emit_classes, .counts.log = "log_f1", .memory.workspace = answers,
    .memory.layout = target_layout);
OP_ROW(iou, "intersection over union",
    "right / (answers + labels - right) of a class, also called Jaccard's index." OF_CLASSES,
    classes_shape, emit_classes, .counts.log = "log_iou", .memory.workspace = answers,
    .memory.layout = target_layout);
OP_ROW(confusion, "share of right answers, and what was taken for what",
    "The share of right answers, as accuracy; the log has the table of it, for each label how often it was answered as "
    "each class, in a field whose name ends in _by_class. At most 4096 classes. Labels outside the classes do not "
    "count.",
    table_shape, emit_table, .counts.log = "log_confusion", .memory.workspace = answers,
    .memory.layout = target_layout);
OP_ROW(perplexity, "exponential of the mean cross-entropy",
    "exp(mean(cross_entropy)) over all labels, however they are batched. Labels outside the classes do not count.",
    surprise_shape, emit_surprise, .memory.workspace = two_sums,
    .memory.layout = target_layout);
OP_ROW(r2, "share of the targets' variance that is explained",
    "1 - sum((target - x)^2) / sum((target - mean(target))^2) over all elements of all samples, the coefficient of "
    "determination. Where all targets are one number it is 1 if all are met, else 0.",
    fit_shape, emit_fit, .memory.layout = op_layout_either);
