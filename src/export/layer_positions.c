/* Positions: those that turn queries and keys, and sinusoids. Angles are made here, in double
 * precision. */
#include "export/exporter.h"

#include <math.h>
#include <string.h>

#include "ops/shapes.h"

#define AXES	(MAX_RANK + 3)

struct turning {
	struct exporter *x;
	const struct node *n;
	int rank;		/* of [..., T, heads, width], with the batch */
	int64_t positions, heads, width, dims;
	bool neighbours;	/* pairs are 2 j and 2 j + 1 */
};

/* [T, 1, pairs] of cosines or sines; where pairs are neighbours [T, 1, pairs, 1]. */
static const char *
table(const struct turning *t, double (*of)(double))
{
	const struct node *n = t->n;
	int64_t pairs = t->dims / 2, dim[] = { t->positions, 1, pairs, 1 }, p, j;
	double *v = arena_array(t->x->arena, (size_t)(t->positions * pairs), sizeof(*v));

	for (p = 0; p < t->positions; p++)
		for (j = 0; j < pairs; j++)
			v[p * pairs + j] = of((op_real(n, "first") + (double)p) / op_real(n, "stretch") *
			    pow(op_real(n, "base"), -2.0 * (double)j / (double)t->dims));
	return reals_constant(t->x, 3 + t->neighbours, dim, v);
}

/* Of [..., dims] the pairs turned, and put back where they were. */
static const char *
turned(const struct turning *t, const char *v, const struct tensor *in)
{
	const char *cosine = table(t, cos), *sine = table(t, sin), *a, *b, *y[2];
	int64_t dim[AXES], half = t->neighbours ? 1 : t->dims / 2;
	int axis = t->rank - 1, k = in->rank - 2;

	memcpy(dim, in->dim, (size_t)k * sizeof(*dim));
	dim[k] = t->positions;
	dim[k + 1] = t->heads;
	dim[k + 2] = t->dims / 2;
	dim[k + 3] = 2;
	if (t->neighbours) {
		v = reshaped(t->x, v, in->batched, k + 4, dim);
		axis++;
	}
	a = sliced(t->x, v, axis, 0, half);
	b = sliced(t->x, v, axis, half, 2 * half);
	y[0] = two(t->x, "Sub", two(t->x, "Mul", a, cosine), two(t->x, "Mul", b, sine));
	y[1] = two(t->x, "Add", two(t->x, "Mul", a, sine), two(t->x, "Mul", b, cosine));
	v = make(t->x, "Concat", IN(y[0], y[1]), AS(attr_is_int("axis", axis)));
	dim[k + 2] = t->dims;
	return t->neighbours ? reshaped(t->x, v, in->batched, k + 3, dim) : v;
}

static void
rope(struct exporter *x, const struct node *n)
{
	const struct tensor *in = n->in[0];
	int64_t row = in->dim[in->rank - 1], rest = op_int(n, "rest"), dim[AXES];
	struct turning t = { .x = x, .n = n, .rank = in->rank + 1 + in->batched, .positions = in->dim[in->rank - 2],
		.heads = op_int(n, "heads"), .dims = op_int(n, "dims"), .neighbours = op_bool(n, "interleaved") };
	const char *all = value_of(x, in), *heads, *y;
	int last = in->rank - 1 + in->batched;

	t.width = (row - rest) / t.heads;
	t.dims = t.dims ? t.dims : t.width;
	memcpy(dim, in->dim, (size_t)in->rank * sizeof(*dim));
	dim[in->rank - 1] = t.heads;
	dim[in->rank] = t.width;
	heads = reshaped(x, rest ? sliced(x, all, last, 0, row - rest) : all, in->batched, in->rank + 1, dim);
	y = turned(&t, t.dims < t.width ? sliced(x, heads, t.rank - 1, 0, t.dims) : heads, in);
	if (t.dims < t.width)
		y = make(x, "Concat", IN(y, sliced(x, heads, t.rank - 1, t.dims, t.width)),
		    AS(attr_is_int("axis", t.rank - 1)));
	dim[in->rank - 1] = row - rest;
	y = reshaped(x, y, in->batched, in->rank, dim);
	if (rest)
		y = make(x, "Concat", IN(y, sliced(x, all, last, row - rest, row)), AS(attr_is_int("axis", last)));
	result(x, n->out[0], y);
}

EXPORT_OP_ROW(rope, .write = rope);

static void
sinusoid(struct exporter *x, const struct node *n)
{
	const struct tensor *y = n->out[0];
	int64_t positions = y->dim[0], width = y->dim[1], p, j;
	bool neighbours = op_bool(n, "interleaved");
	double *v = arena_array(x->arena, (size_t)(positions * width), sizeof(*v));

	for (p = 0; p < positions; p++)
		for (j = 0; j < width / 2; j++) {
			double angle = (op_real(n, "first") + (double)p) * pow(op_real(n, "base"), -2.0 * (double)j / (double)width);

			v[p * width + (neighbours ? 2 * j : j)] = sin(angle);
			v[p * width + (neighbours ? 2 * j + 1 : width / 2 + j)] = cos(angle);
		}
	result(x, y, reals_constant(x, 2, y->dim, v));
}

EXPORT_OP_ROW(sinusoid, .write = sinusoid);
