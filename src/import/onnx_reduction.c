/* Sums, means and maxima along axes. */
#include "import/importer.h"

#include <string.h>

static bool
reduce_of(struct importer *im, const struct model_node *n, struct val *x, const char *ours)
{
	bool keep = attr_int(n, "keepdims", 1);
	const struct integers *given = val_integers(im, node_in(im, n, 1));
	const int64_t *v = given ? given->v : NULL;
	int64_t axis[MODEL_RANK];
	int i, count = given ? given->n : 0, k;
	struct call c;

	if (!x)
		return false;
	if (!given && !attr_ints(n, "axes", &count, &v))
		return cannot(im, "it makes one number of all samples");
	if (count == 0 && attr_int(n, "noop_with_empty_axes", 0)) {
		val_alias(im, n->out[0], x);
		return true;
	}
	if (count == 0)
		return cannot(im, "it makes one number of all samples");
	if (count > MODEL_RANK)
		return cannot(im, "its axes are not understood");
	for (i = 0; i < count; i++) {
		if (!val_axis(im, x, v[i], &k))
			return false;
		axis[i] = k;
	}
	/* the mean of height and width is global_avgpool, which keeps them as 1 */
	if (keep && val_is_plain(x) && strcmp(ours, "mean") == 0 && count == 2 && x->t->rank == 3 && axis[0] + axis[1] == 3 &&
	    axis[0] != 0 && axis[1] != 0) {
		call_begin(&c, im, "global_avgpool");
		call_in(&c, x);
		return call_end(&c, n->out[0]);
	}
	call_begin(&c, im, ours);
	call_like(&c, x);
	for (i = 0; i < count && !keep; i++)	/* axes before the batch that are no more */
		c.source.at -= axis[i] < x->source.at;
	call_ints(&c, "axis", count, axis);
	if (keep)
		call_int(&c, "keep", true);
	return call_end(&c, n->out[0]);
}

static bool
reduce(struct importer *im, const struct model_node *n, const char *ours)
{
	return reduce_of(im, n, val_laid(im, node_in(im, n, 0), -1), ours);
}

/* The root of the sum of squares. */
static bool
length(struct importer *im, const struct model_node *n)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1);
	const char *name = arena_join(im->arena, n->out[0], ".", "sum");
	struct model_node sum = *n;
	struct call c;

	if (!x)
		return false;
	call_begin(&c, im, "mul");
	call_like(&c, x);
	call_in(&c, x);
	sum.out = &name;
	if (!reduce_of(im, &sum, call_value(&c), "sum"))
		return false;
	call_begin(&c, im, "sqrt");
	call_like(&c, val_of(im, name));
	return call_end(&c, n->out[0]);
}

static bool
mean(struct importer *im, const struct model_node *n)
{
	return reduce(im, n, "mean");
}

static bool
sum(struct importer *im, const struct model_node *n)
{
	return reduce(im, n, "sum");
}

static bool
largest(struct importer *im, const struct model_node *n)
{
	return reduce(im, n, "max");
}

static bool
least(struct importer *im, const struct model_node *n)
{
	return reduce(im, n, "min");
}

const struct onnx_op onnx_op_reduce_mean = { .name = "ReduceMean", .translate = mean };
const struct onnx_op onnx_op_reduce_sum = { .name = "ReduceSum", .translate = sum };
const struct onnx_op onnx_op_reduce_l2 = { .name = "ReduceL2", .translate = length };
const struct onnx_op onnx_op_reduce_max = { .name = "ReduceMax", .translate = largest };
const struct onnx_op onnx_op_reduce_min = { .name = "ReduceMin", .translate = least };
