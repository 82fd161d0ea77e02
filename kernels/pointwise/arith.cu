/*
 * pointwise/arith.cu - sums and products of tensors, with broadcasting, and the sums that are its
 * gradient.
 *
 * A broadcast is described by groups of neighbouring axes that every operand either runs along or
 * stays put in (struct groups; [64, 256, 14, 14] * [256, 1, 1] is three groups: 64, 256, 196, of
 * which the second operand runs along the middle one). The innermost group is a loop without
 * index arithmetic.
 */
#include "kernel.h"

#define GROUPS	6

struct groups {
	int64_t n[GROUPS];	/* extents; unused groups come first, as 1 */
	int64_t full[GROUPS];	/* strides of the full shape, */
	int64_t a[GROUPS];	/* of operand a, */
	int64_t b[GROUPS];	/* and of b: 0 where it stays put */
};

/* RUNS_A and RUNS_B have bit g set where the operand runs along group g. */
static inline struct groups
groups_of(int64_t n0, int64_t n1, int64_t n2, int64_t n3, int64_t n4, int64_t n5, int64_t runs_a,
    int64_t runs_b)
{
	int64_t n[GROUPS] = { n0, n1, n2, n3, n4, n5 }, full = 1, a = 1, b = 1;
	struct groups s;

	for (int g = GROUPS - 1; g >= 0; g--) {
		s.n[g] = n[g];
		s.full[g] = full;
		s.a[g] = runs_a >> g & 1 ? a : 0;
		s.b[g] = runs_b >> g & 1 ? b : 0;
		full *= n[g];
		a *= runs_a >> g & 1 ? n[g] : 1;
		b *= runs_b >> g & 1 ? n[g] : 1;
	}
	return s;
}

static inline int64_t
groups_rows(struct groups s)
{
	return s.full[0] * s.n[0] / s.n[GROUPS - 1];
}

enum { COMBINE_ADD, COMBINE_SUB, COMBINE_MUL, COMBINE_FIRST };

DEVICE real
combine(int how, real a, real b)
{
	return how == COMBINE_ADD ? a + b : how == COMBINE_SUB ? a - b :
	    how == COMBINE_MUL ? a * b : a;
}

KERNEL(combine_kernel, (int how, elem *y, const elem *a, const elem *b, int64_t n))
{
	MAP_2 (y, a, b, n, e, f, ELEM(combine(how, VALUE(e), VALUE(f))));
}

#define COMBINE_CHUNK	4096	/* elements of the innermost group that a thread takes at once */

KERNEL(combine_groups_kernel, (int how, elem *y, const elem *a, const elem *b, struct groups s,
    int64_t rows))
{
	int64_t inner = s.n[GROUPS - 1], chunks = (inner + COMBINE_CHUNK - 1) / COMBINE_CHUNK;

	ROWS (r, rows * chunks) {
		int64_t at = r % chunks * COMBINE_CHUNK, row = r / chunks;
		int64_t count = inner - at < COMBINE_CHUNK ? inner - at : COMBINE_CHUNK;
		int64_t i = row, ia = at * s.a[GROUPS - 1], ib = at * s.b[GROUPS - 1];
		elem *out = y + row * inner + at;

		for (int g = GROUPS - 2; g >= 0; g--) {
			ia += i % s.n[g] * s.a[g];
			ib += i % s.n[g] * s.b[g];
			i /= s.n[g];
		}
		if (s.a[GROUPS - 1] && s.b[GROUPS - 1]) {
			ALONG_EACH (j, count)
				out[j] = ELEM(combine(how, VALUE(a[ia + j]), VALUE(b[ib + j])));
		} else if (s.a[GROUPS - 1]) {
			real put = VALUE(b[ib]);

			ALONG_EACH (j, count)
				out[j] = ELEM(combine(how, VALUE(a[ia + j]), put));
		} else {
			real put = VALUE(a[ia]);

			ALONG_EACH (j, count)
				out[j] = ELEM(combine(how, put,
				    VALUE(b[ib + j * s.b[GROUPS - 1]])));
		}
	}
}

static void
combine_groups(int how, elem *y, const elem *a, const elem *b, struct groups s)
{
	int64_t chunks = (s.n[GROUPS - 1] + COMBINE_CHUNK - 1) / COMBINE_CHUNK;

	LAUNCH_ROWS(combine_groups_kernel, groups_rows(s) * chunks,
	    (how, y, a, b, s, groups_rows(s)));
}

static void
add_forward(elem *y, const elem *a, const elem *b, int64_t n)
{
	LAUNCH_MAP(combine_kernel, n, (COMBINE_ADD, y, a, b, n));
}

static void
sub_forward(elem *y, const elem *a, const elem *b, int64_t n)
{
	LAUNCH_MAP(combine_kernel, n, (COMBINE_SUB, y, a, b, n));
}

static void
mul_forward(elem *y, const elem *a, const elem *b, int64_t n)
{
	LAUNCH_MAP(combine_kernel, n, (COMBINE_MUL, y, a, b, n));
}

static void
add_broadcast(elem *y, const elem *a, const elem *b, int64_t n0, int64_t n1, int64_t n2,
    int64_t n3, int64_t n4, int64_t n5, int64_t runs_a, int64_t runs_b)
{
	combine_groups(COMBINE_ADD, y, a, b, groups_of(n0, n1, n2, n3, n4, n5, runs_a, runs_b));
}

static void
sub_broadcast(elem *y, const elem *a, const elem *b, int64_t n0, int64_t n1, int64_t n2,
    int64_t n3, int64_t n4, int64_t n5, int64_t runs_a, int64_t runs_b)
{
	combine_groups(COMBINE_SUB, y, a, b, groups_of(n0, n1, n2, n3, n4, n5, runs_a, runs_b));
}

static void
mul_broadcast(elem *y, const elem *a, const elem *b, int64_t n0, int64_t n1, int64_t n2,
    int64_t n3, int64_t n4, int64_t n5, int64_t runs_a, int64_t runs_b)
{
	combine_groups(COMBINE_MUL, y, a, b, groups_of(n0, n1, n2, n3, n4, n5, runs_a, runs_b));
}

static void
broadcast_forward(elem *y, const elem *a, int64_t n0, int64_t n1, int64_t n2, int64_t n3,
    int64_t n4, int64_t n5, int64_t runs_a)
{
	combine_groups(COMBINE_FIRST, y, a, a, groups_of(n0, n1, n2, n3, n4, n5, runs_a, runs_a));
}

/* ---- sums over the groups that operand a of the span (here: the result) stays put in ---- */

/* The offset, in a tensor of that stride, of the I-th choice of indices of the outer groups that
 * the result runs along (KEPT), or of the others. */
DEVICE int64_t
groups_place(const struct groups *s, bool kept, int64_t i, const int64_t *stride)
{
	int64_t at = 0;

	for (int g = GROUPS - 2; g >= 0; g--)
		if ((s->a[g] != 0) == kept) {
			at += i % s->n[g] * stride[g];
			i /= s->n[g];
		}
	return at;
}

DEVICE int64_t
groups_count(const struct groups *s, bool kept)
{
	int64_t n = 1;

	for (int g = 0; g < GROUPS - 1; g++)
		if ((s->a[g] != 0) == kept)
			n *= s->n[g];
	return n;
}

/* The innermost group is summed: each result, or part of one, is a row. */
KERNEL(reduce_rows_kernel, (elem *out, double *work, const elem *dy, const elem *other, real sign,
    struct groups s, int64_t outs, int64_t parts))
{
	int64_t inner = s.n[GROUPS - 1], total = groups_count(&s, false) * inner;

	ROWS (r, outs * parts) {
		int64_t o = r / parts, p = r % parts, end = PART_FROM(total, p + 1, parts);
		int64_t base = groups_place(&s, true, o, s.full);
		int64_t base_b = groups_place(&s, true, o, s.b);
		double sum = 0;

		for (int64_t t = PART_FROM(total, p, parts), count; t < end; t += count) {
			int64_t j0 = t % inner, seg = t / inner;
			const elem *d = dy + base + groups_place(&s, false, seg, s.full) + j0;
			const elem *v = other;
			real put = sign;

			count = inner - j0 < end - t ? inner - j0 : end - t;
			if (v) {
				v += base_b + groups_place(&s, false, seg, s.b);
				put = VALUE(v[0]);
			}
			if (v && s.b[GROUPS - 1]) {
				ALONG_ADD (j, count, sum)
					sum += (double)VALUE(d[j]) * (double)VALUE(v[j0 + j]);
			} else {
				ALONG_ADD (j, count, sum)
					sum += (double)VALUE(d[j]) * (double)put;
			}
		}
		sum = ROW_SUM(sum);
		FIRST {
			if (parts == 1)
				out[o] = ELEM((real)sum);
			else
				work[p * outs + o] = sum;
		}
	}
}

/* The innermost group is kept: neighbouring results are summed side by side. */
KERNEL(reduce_columns_kernel, (elem *out, double *work, const elem *dy, const elem *other,
    real sign, struct groups s, int64_t outs, int64_t parts))
{
	int64_t inner = s.n[GROUPS - 1], chunks = (inner + STRIP - 1) / STRIP;
	int64_t total = groups_count(&s, false);

	ROWS (r, outs / inner * chunks * parts) {
		int64_t p = r % parts, chunk = r / parts % chunks, o = r / parts / chunks;
		int64_t end = PART_FROM(total, p + 1, parts);
		int64_t j0 = chunk * STRIP;
		int64_t count = inner - j0 < STRIP ? inner - j0 : STRIP;
		int64_t base = groups_place(&s, true, o, s.full) + j0;
		int64_t base_b = groups_place(&s, true, o, s.b) + j0 * s.b[GROUPS - 1];
		double sum[STRIP_LANES] = { 0 };

		for (int64_t t = PART_FROM(total, p, parts); t < end; t++) {
			const elem *d = dy + base + groups_place(&s, false, t, s.full), *v;

			if (!other) {
				ALONG (j, count)
					sum[LANE(j)] += (double)VALUE(d[j]) * (double)sign;
				continue;
			}
			v = other + base_b + groups_place(&s, false, t, s.b);
			ALONG (j, count)
				sum[LANE(j)] += (double)VALUE(d[j]) *
				    (double)VALUE(v[j * s.b[GROUPS - 1]]);
		}
		ALONG (j, count) {
			int64_t at = o * inner + j0 + j;

			if (parts == 1)
				out[at] = ELEM((real)sum[LANE(j)]);
			else
				work[p * outs + at] = sum[LANE(j)];
		}
	}
}

KERNEL(reduce_parts_kernel, (elem *out, const double *work, int64_t outs, int64_t parts))
{
	EACH (o, outs) {
		double sum = 0;

		for (int64_t p = 0; p < parts; p++)
			sum += work[p * outs + o];
		out[o] = ELEM((real)sum);
	}
}

/* out = the sum of dy * other, or of sign * dy where other is NULL, over the groups that out
 * (RUNS_OUT) does not run along. PARTS > 1: WORK has a double for each part of each result. */
static void
reduce_to(elem *out, void *work, const elem *dy, const elem *other, real sign, int64_t n0,
    int64_t n1, int64_t n2, int64_t n3, int64_t n4, int64_t n5, int64_t runs_out,
    int64_t runs_other, int64_t parts)
{
	struct groups s = groups_of(n0, n1, n2, n3, n4, n5, runs_out, runs_other);
	int64_t outs = 1, chunks = (n5 + STRIP - 1) / STRIP;
	double *w = (double *)work;

	for (int g = 0; g < GROUPS; g++)
		outs *= s.a[g] ? s.n[g] : 1;
	if (s.a[GROUPS - 1])
		LAUNCH_ROWS(reduce_columns_kernel, outs / n5 * chunks * parts,
		    (out, w, dy, other, sign, s, outs, parts));
	else
		LAUNCH_ROWS(reduce_rows_kernel, outs * parts,
		    (out, w, dy, other, sign, s, outs, parts));
	if (parts > 1)
		LAUNCH(reduce_parts_kernel, outs, (out, w, outs, parts));
}

/* ---- one operand ---- */

KERNEL(scale_kernel, (elem *y, const elem *x, real factor, real offset, int64_t n))
{
	MAP (y, x, n, e, ELEM(VALUE(e) * factor + offset));
}

static void
scale_forward(elem *y, const elem *x, real factor, real offset, int64_t n)
{
	LAUNCH_MAP(scale_kernel, n, (y, x, factor, offset, n));
}

/* ---- reals, where elements are narrow: losses are added up and weighted in f32 ---- */

#if NARROW

KERNEL(combine_reals_kernel, (int how, real *y, const real *a, const real *b, int64_t n))
{
	EACH (i, n)
		y[i] = combine(how, a[i], b[i]);
}

static void
add_forward_reals(real *y, const real *a, const real *b, int64_t n)
{
	LAUNCH(combine_reals_kernel, n, (COMBINE_ADD, y, a, b, n));
}

static void
sub_forward_reals(real *y, const real *a, const real *b, int64_t n)
{
	LAUNCH(combine_reals_kernel, n, (COMBINE_SUB, y, a, b, n));
}

static void
mul_forward_reals(real *y, const real *a, const real *b, int64_t n)
{
	LAUNCH(combine_reals_kernel, n, (COMBINE_MUL, y, a, b, n));
}

KERNEL(scale_reals_kernel, (real *y, const real *x, real factor, real offset, int64_t n))
{
	EACH (i, n)
		y[i] = x[i] * factor + offset;
}

static void
scale_forward_reals(real *y, const real *x, real factor, real offset, int64_t n)
{
	LAUNCH(scale_reals_kernel, n, (y, x, factor, offset, n));
}

#endif
