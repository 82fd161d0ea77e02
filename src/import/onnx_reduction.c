/* Sums, means and maxima along axes. */
#include "import/importer.h"

#include <string.h>

struct val *
reduced_along(struct importer *im, const char *ours, struct val *x, int axis)
{
	int64_t along = axis;
	struct call c;

	if (!x)
		return NULL;
	call_begin(&c, im, ours);
	call_like(&c, x);
	call_ints(&c, "axis", 1, &along);
	call_int(&c, "keep", true);
	return call_value(&c);
}

/* Axes of ours that a node reduces; NONE: it does nothing to any. False after cannot(). */
static bool
axes_of(struct importer *im, const struct model_node *n, const struct val *x, int64_t *axis, int *count, bool *none)
{
	const struct integers *given = val_integers(im, node_in(im, n, 1));
	const int64_t *v = given ? given->v : NULL;
	int i, k;

	if (!given && node_in(im, n, 1))
		return cannot(im, "its axes are computed");
	*count = given ? given->n : 0;
	if (!given && !attr_ints(n, "axes", count, &v) && !attr_int(n, "noop_with_empty_axes", 0))
		return cannot(im, "it makes one number of all samples");
	*none = *count == 0 && attr_int(n, "noop_with_empty_axes", 0);
	if (*count == 0 && !*none)
		return cannot(im, "it makes one number of all samples");
	if (*count > MODEL_RANK)
		return cannot(im, "its axes are not understood");
	for (i = 0; i < *count; i++) {
		if (!val_axis(im, x, v[i], &k))
			return false;
		axis[i] = k;
	}
	return true;
}

static struct val *
reduced(struct importer *im, const char *ours, struct val *x, const int64_t *axis, int count, bool keep)
{
	struct call c;
	int i;

	if (!x)
		return NULL;
	/* the mean of height and width is global_avgpool, which keeps them as 1 */
	if (keep && val_is_plain(x) && strcmp(ours, "mean") == 0 && count == 2 && x->t->rank == 3 && axis[0] + axis[1] == 3 &&
	    axis[0] != 0 && axis[1] != 0)
		return call_one(im, "global_avgpool", x, NULL, 0);
	call_begin(&c, im, ours);
	call_like(&c, x);
	for (i = 0; i < count && !keep; i++)	/* axes before the batch that are no more */
		c.source.at -= axis[i] < x->source.at;
	call_ints(&c, "axis", count, axis);
	if (keep)
		call_int(&c, "keep", true);
	return call_value(&c);
}

/* Of what is done to each element, one of ours, and what is done to that. */
static const struct {
	const char *name, *before, *ours, *after;	/* "mul": by itself */
} reductions[] = {
	{ "ReduceMean", NULL, "mean", NULL }, { "ReduceSum", NULL, "sum", NULL }, { "ReduceMax", NULL, "max", NULL },
	{ "ReduceMin", NULL, "min", NULL }, { "ReduceL1", "abs", "sum", NULL }, { "ReduceL2", "mul", "sum", "sqrt" },
	{ "ReduceSumSquare", "mul", "sum", NULL }, { "ReduceLogSum", NULL, "sum", "log" },
};

static bool
reduce(struct importer *im, const struct model_node *n)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1);
	bool keep = attr_int(n, "keepdims", 1), none;
	int64_t axis[MODEL_RANK];
	int count;
	size_t i;

	for (i = 0; strcmp(reductions[i].name, n->op) != 0; i++)
		;
	if (!x || !axes_of(im, n, x, axis, &count, &none))
		return false;
	if (reductions[i].before && strcmp(reductions[i].before, "mul") == 0)
		x = call_two(im, "mul", x, x);
	else if (reductions[i].before)
		x = call_one(im, reductions[i].before, x, NULL, 0);
	if (!none)
		x = reduced(im, reductions[i].ours, x, axis, count, keep);
	if (reductions[i].after)
		x = call_one(im, reductions[i].after, x, NULL, 0);
	return node_makes(im, n, x);
}

/* log(sum of e^x) is m + log(sum of e^(x - m)), where m is the largest, so that nothing is
 * infinite. */
static bool
log_of_sum(struct importer *im, const struct model_node *n)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1), *most, *sum;
	bool keep = attr_int(n, "keepdims", 1), none;
	int64_t axis[MODEL_RANK];
	int count;

	if (!x || !axes_of(im, n, x, axis, &count, &none))
		return false;
	if (none)
		return node_makes(im, n, x);
	most = reduced(im, "max", x, axis, count, true);
	sum = reduced(im, "sum", call_one(im, "exp", call_two(im, "sub", x, most), NULL, 0), axis, count, keep);
	if (!keep)
		most = reduced(im, "max", x, axis, count, false);
	return node_makes(im, n, call_two(im, "add", call_one(im, "log", sum, NULL, 0), most));
}

const struct onnx_op onnx_op_reduce_mean = { .name = "ReduceMean", .translate = reduce };
const struct onnx_op onnx_op_reduce_sum = { .name = "ReduceSum", .translate = reduce };
const struct onnx_op onnx_op_reduce_max = { .name = "ReduceMax", .translate = reduce };
const struct onnx_op onnx_op_reduce_min = { .name = "ReduceMin", .translate = reduce };
const struct onnx_op onnx_op_reduce_l1 = { .name = "ReduceL1", .translate = reduce };
const struct onnx_op onnx_op_reduce_l2 = { .name = "ReduceL2", .translate = reduce };
const struct onnx_op onnx_op_reduce_squares = { .name = "ReduceSumSquare", .translate = reduce };
const struct onnx_op onnx_op_reduce_log_sum = { .name = "ReduceLogSum", .translate = reduce };
const struct onnx_op onnx_op_reduce_log_sum_exp = { .name = "ReduceLogSumExp", .translate = log_of_sum };

/* Sums of all up to each, by a matrix of ones on one side of the diagonal. */
static bool
cumulative(struct importer *im, const struct model_node *n)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1);
	const struct integers *given = x ? known_integers(im, node_in(im, n, 1), "axis") : NULL;
	bool without = attr_int(n, "exclusive", 0), back = attr_int(n, "reverse", 0);
	int64_t i, j, extent;
	double *m;
	int axis;

	if (!given || given->n != 1 || !val_axis(im, x, given->v[0], &axis))
		return given && given->n != 1 ? cannot(im, "its axis is not one number") : false;
	extent = x->t->dim[axis];
	if (!(m = along_room(im, x, axis, extent)))
		return false;
	for (i = 0; i < extent; i++)
		for (j = 0; j < extent; j++)
			m[i * extent + j] = i == j ? !without : (j < i) != back;
	return node_makes(im, n, along_matrix(im, x, axis, extent, m));
}

const struct onnx_op onnx_op_cumulative = { .name = "CumSum", .translate = cumulative };
