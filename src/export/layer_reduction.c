/* Reductions along axes. The batch is never reduced. */
#include "export/exporter.h"

#include "ops/shapes.h"

/* The axes as ONNX counts them; all that there are, where none are named. */
static int
axes_of(const struct node *n, int64_t *axes)
{
	const struct attr *a = op_attr(n, "axis");
	int count = a->n > 0 ? a->n : n->in[0]->rank, i;

	for (i = 0; i < count; i++)
		axes[i] = onnx_axis(n->in[0], a->n > 0 ? a->v[i] : i);
	return count;
}

static void
reduction(struct exporter *x, const struct node *n, const char *op)
{
	int64_t axes[MAX_RANK];
	int count = axes_of(n, axes);

	result(x, n->out[0], count ? reduced(x, op, value_of(x, n->in[0]), count, axes, op_bool(n, "keep")) :
	    value_of(x, n->in[0]));
}

static void
sum(struct exporter *x, const struct node *n)
{
	reduction(x, n, "ReduceSum");
}

EXPORT_OP_ROW(sum, .write = sum);

static void
mean(struct exporter *x, const struct node *n)
{
	reduction(x, n, "ReduceMean");
}

EXPORT_OP_ROW(mean, .write = mean);

static void
largest(struct exporter *x, const struct node *n)
{
	reduction(x, n, "ReduceMax");
}

EXPORT_OP_ROW(max, .write = largest);

static void
smallest(struct exporter *x, const struct node *n)
{
	reduction(x, n, "ReduceMin");
}

EXPORT_OP_ROW(min, .write = smallest);

/* The sum of squares of what is left without the mean, by their number or one less. */
static const char *
variance(struct exporter *x, const struct node *n)
{
	const struct tensor *t = n->in[0];
	int64_t axes[MAX_RANK];
	double number = 1;
	const char *v = value_of(x, t);
	int count = axes_of(n, axes), i;

	for (i = 0; i < count; i++)
		number *= (double)t->dim[axes[i] - t->batched];
	v = two(x, "Sub", v, reduced(x, "ReduceMean", v, count, axes, true));
	v = reduced(x, "ReduceSum", two(x, "Mul", v, v), count, axes, op_bool(n, "keep"));
	return two(x, "Div", v, real_constant(x, op_bool(n, "unbiased") ? number - 1 : number));
}

static void
var(struct exporter *x, const struct node *n)
{
	result(x, n->out[0], variance(x, n));
}

EXPORT_OP_ROW(var, .write = var);

static void
deviation(struct exporter *x, const struct node *n)
{
	result(x, n->out[0], one(x, "Sqrt", variance(x, n)));
}

EXPORT_OP_ROW(std, .write = deviation);

/* ---- places ---- */

/* Of several axes, these are brought to the end, and are then one. */
static void
place(struct exporter *x, const struct node *n, const char *op)
{
	const struct tensor *t = n->in[0];
	int64_t axes[MAX_RANK], order[MAX_RANK + 1], rest[MAX_RANK], all = 1;
	int count = axes_of(n, axes), rank = t->rank + t->batched, i, k, kept = 0, r = 0;
	bool gone[MAX_RANK + 1] = { false };
	const char *v = value_of(x, t);

	for (i = 0; i < count; i++)
		gone[axes[i]] = true;
	for (i = k = 0; k < 2; i = 0, k++)
		for (; i < rank; i++)
			if (gone[i] == (k > 0))
				order[kept++] = i;
	for (i = t->batched; i < rank; i++) {
		if (gone[i])
			all *= t->dim[i - t->batched];
		else
			rest[r++] = t->dim[i - t->batched];
	}
	rest[r] = all;
	v = reshaped(x, transposed(x, v, rank, order), t->batched, r + 1, rest);
	v = make(x, op, IN(v), AS(attr_is_int("axis", -1), attr_is_int("keepdims", 0)));
	v = cast_to(x, v, ELEMENT_I32);	/* as classes are */
	result(x, n->out[0], op_bool(n, "keep") ? reshaped_as(x, v, n->out[0]) : v);
}

static void
argmax(struct exporter *x, const struct node *n)
{
	place(x, n, "ArgMax");
}

EXPORT_OP_ROW(argmax, .write = argmax);

static void
argmin(struct exporter *x, const struct node *n)
{
	place(x, n, "ArgMin");
}

EXPORT_OP_ROW(argmin, .write = argmin);
