/* Losses of training graphs, but those that are formulas of elements; of these the mean. */
#include "export/training.h"

#include <math.h>

#include "ops/labels.h"
#include "ops/targets.h"

static const char *
sum_of_all(struct exporter *x, const char *v)
{
	return make(x, "ReduceSum", IN(v), AS(attr_is_int("keepdims", 0)));
}

static const char *
mean_of_all(struct exporter *x, const char *v)
{
	return make(x, "ReduceMean", IN(v), AS(attr_is_int("keepdims", 0)));
}

/* A sum over what its elements weigh together; over nothing it is 0. */
static const char *
over(struct exporter *x, const char *sum, const char *total)
{
	const char *some = two(x, "Greater", total, real_constant(x, 0));

	return two(x, "Div", sum, make(x, "Where", IN(some, total, real_constant(x, INFINITY)), AS_IS));
}

void
loss_train(struct exporter *x, const struct node *n)
{
	const char *each = formula_value(x, n);

	if (!x->failed)
		result(x, n->out[0], mean_of_all(x, each));
}

static void
average(struct exporter *x, const struct node *n)
{
	result(x, n->out[0], mean_of_all(x, value_of(x, n->in[0])));
}

EXPORT_OP_ROW(average, .train = average);

/* What weighs nothing may be no number. */
static void
weighted_mean(struct exporter *x, const struct node *n)
{
	const char *weights = stopped(x, value_of(x, n->in[1])), *zero = real_constant(x, 0), *v;

	v = two(x, "Mul", weights, value_of(x, n->in[0]));
	v = make(x, "Where", IN(two(x, "Equal", weights, zero), zero, v), AS_IS);
	result(x, n->out[0], over(x, sum_of_all(x, v), sum_of_all(x, weights)));
}

EXPORT_OP_ROW(weighted_mean, .train = weighted_mean);

/* ---- labels ---- */

static void
class_weights(struct exporter *x, const struct node *n)
{
	const struct attr *a = &n->attr[0];
	int64_t count = a->n;

	result(x, n->out[0], reals_constant(x, 1, &count, a->real));
}

EXPORT_OP_ROW(class_weights, .write = class_weights);

struct labelled {		/* labels stand where the classes' axis is, as one of one */
	struct exporter *x;
	const struct node *n;
	int64_t axis, classes;
	int rank;
	const char *counts;		/* which of them do */
	const char *at;			/* labels, and 0 in place of those that don't */
	const char *of_class;		/* what each class weighs; NULL: 1 */
};

/* Those that are no class do not count, nor do those that the loss ignores. */
static struct labelled
labels_read(struct exporter *x, const struct node *n)
{
	const struct tensor *logits = n->in[0], *target = n->in[1];
	int axis = target_axis(logits, target);
	struct labelled l = { .x = x, .n = n, .axis = axis + logits->batched, .classes = logits->dim[axis],
		.rank = logits->rank + logits->batched };
	const char *zero = int_constant(x, 0), *label;
	int64_t ignored;

	label = two(x, "Unsqueeze", cast_to(x, value_of(x, target), ELEMENT_I64), int_constant(x, l.axis));
	l.counts = two(x, "And", two(x, "GreaterOrEqual", label, zero), two(x, "Less", label, int_constant(x, l.classes)));
	if (labels_ignored(n, &ignored))
		l.counts = two(x, "And", l.counts, one(x, "Not", two(x, "Equal", label, int_constant(x, ignored))));
	l.at = make(x, "Where", IN(l.counts, label, zero), AS_IS);
	if (operand(n, LABELS_OF_CLASS))
		l.of_class = value_of(x, n->in[LABELS_OF_CLASS]);
	return l;
}

/* What a label's class weighs. */
static const char *
of_class(const struct labelled *l)
{
	return l->of_class ? two(l->x, "Gather", l->of_class, l->at) : real_constant(l->x, 1);
}

/* (1 - s) w[t] log p[t] + s / K sum over k of w[k] log p[k] */
static const char *
log_of_label(const struct labelled *l, const char *logs)
{
	struct exporter *x = l->x;
	double smoothing = op_real(l->n, "smoothing");
	const char *v = make(x, "GatherElements", IN(logs, l->at), AS(attr_is_int("axis", l->axis))), *all = logs;
	int64_t dim[MAX_RANK + 1];
	int i;

	if (l->of_class)
		v = two(x, "Mul", v, of_class(l));
	if (smoothing == 0)
		return v;
	for (i = 0; i < l->rank; i++)
		dim[i] = i == l->axis ? l->classes : 1;
	if (l->of_class)
		all = two(x, "Mul", all, reshaped(x, l->of_class, false, l->rank, dim));
	all = two(x, "Mul", reduced(x, "ReduceSum", all, 1, &l->axis, true), real_constant(x, smoothing / (double)l->classes));
	return two(x, "Add", two(x, "Mul", v, real_constant(x, 1 - smoothing)), all);
}

/* What labels weigh by themselves, or all labels of a sample alike. */
static const char *
of_label(const struct labelled *l, const struct tensor *t)
{
	static const int64_t ones[MAX_RANK] = { 1, 1, 1, 1, 1, 1, 1, 1 };

	if (t->rank == 0 && t->batched)
		return reshaped(l->x, value_of(l->x, t), true, l->rank - 1, ones);
	return t->rank == 0 ? value_of(l->x, t) : two(l->x, "Unsqueeze", value_of(l->x, t), int_constant(l->x, l->axis));
}

static void
cross_entropy(struct exporter *x, const struct node *n)
{
	struct labelled l = labels_read(x, n);
	const char *logs = make(x, "LogSoftmax", IN(value_of(x, n->in[0])), AS(attr_is_int("axis", l.axis))), *zero = real_constant(x, 0), *v;

	v = log_of_label(&l, logs);
	if (operand(n, LABELS_OF_LABEL))
		v = two(x, "Mul", v, of_label(&l, n->in[LABELS_OF_LABEL]));
	v = make(x, "Where", IN(l.counts, v, zero), AS_IS);
	v = labels_are_counted(n) ? over(x, sum_of_all(x, v), sum_of_all(x, make(x, "Where", IN(l.counts, of_class(&l), zero), AS_IS))) :
	    mean_of_all(x, v);
	result(x, n->out[0], one(x, "Neg", v));
}

EXPORT_OP_ROW(cross_entropy, .train = cross_entropy);
