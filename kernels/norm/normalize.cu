/*
 * norm/normalize.cu - layernorm, rmsnorm, groupnorm, instancenorm and l2norm: ROWS of N neighbours,
 * each normalised by itself.
 *
 *     y = (x - mean) * scale * weight + bias
 *
 *     BY_DEVIATION    scale = 1 / sqrt(mean of (x - mean)^2 + eps)
 *     BY_ROOT_MEAN    scale = 1 / sqrt(mean of x^2 + eps), and nothing is subtracted
 *     BY_LENGTH       scale = 1 / max(sqrt(sum of x^2), eps), the same
 *
 * Each weight is that of PLACES neighbours. GROUPS rows after one another have weights of their
 * own, and then these begin anew: layernorm has a weight for each element of a row (groups = places
 * = 1), groupnorm one for each channel, of which GROUPS rows have all.
 *
 * A row is read twice for its statistics, the second time about its mean; it is mostly short enough
 * for the nearest cache, and on CUDA for registers (short_cuda.cu). Backward has x with the mean
 * and scale of each row, or, where there are no weights, y and the scale: with h = (x - mean) *
 * scale, which then is y, and g = dy * weight,
 *
 *     dx = scale * (g - mean of g - h * mean of g h)      BY_DEVIATION; else without mean of g,
 *                                                         BY_LENGTH with the sum of g h
 *
 * A formula behind it (pointwise/epilogue.cu), such as an activation, is done to what is stored.
 * Backward then has x in any case, and the bias; dy stands for what passes the formula, which is a
 * formula of dy and of the value, that is made from x as forward made it.
 */
#ifndef STOWAGE_NORM_NORMALIZE_CU
#define STOWAGE_NORM_NORMALIZE_CU

#include "kernel.h"
#include "pointwise/epilogue.cu"
#include "sizes.h"

enum { BY_DEVIATION, BY_ROOT_MEAN, BY_LENGTH };

/* Inlined wherever KIND is a constant, so that a loop is made for that formula. */
#ifdef __CUDACC__
#define FOR_KIND	DEVICE
#else
#define FOR_KIND	static inline __attribute__((always_inline))
#endif

/* The value at distance D from the mean, where each element has a weight; GAIN is the scale. And
 * where a channel has one, or none has: then GAIN is that times the weight. BIAS may be NULL. */
DEVICE real
row_value(real d, real gain, const elem *weight, const elem *bias, int64_t j)
{
	return bias ? d * gain * VALUE(weight[j]) + VALUE(bias[j]) : d * gain * VALUE(weight[j]);
}

DEVICE real
plane_value(real d, real gain, real offset)
{
	return d * gain + offset;
}

#ifdef __CUDACC__
#include "norm/row_cuda.cu"
#else
#include "norm/row_c.cu"
#endif

struct row {			/* what is known of one */
	real mean, scale;
};

DEVICE real
row_scale(row_total squares, int by, row_total eps, int64_t n)
{
	row_total length = sqrt(squares);

	if (by == BY_LENGTH)
		return (real)(1 / (length > eps ? length : eps));
	return (real)(1 / sqrt(squares / (row_total)n + eps));
}

/* What it takes to make a row of dx. */
struct row_slope {
	real mean, times;	/* h = (x or y - mean) * times */
	real scale, level, slope;	/* dx = scale * (g - level - h * slope) */
};

/* Where SUM is that of g, and DOT that of g h. */
DEVICE void
row_tilt(struct row_slope *s, row_total sum, row_total dot, int by, row_total eps, int64_t n)
{
	row_total share = by != BY_LENGTH ? 1 / (row_total)n : s->scale < (real)(1 / eps);

	s->level = by == BY_DEVIATION ? (real)(sum * share) : 0;
	s->slope = (real)(dot * share);
}

/* OF_X: of x, else of y. */
DEVICE struct row_slope
row_slope_begin(bool of_x, const real *mean, const real *scale, int64_t i)
{
	struct row_slope s = { mean ? mean[i] : 0, of_x ? scale[i] : 1, scale[i], 0, 0 };

	return s;
}

DEVICE real
row_dx(const struct row_slope *s, real g, elem v)
{
	return s->scale * (g - s->level - (VALUE(v) - s->mean) * s->times * s->slope);
}

#ifdef __CUDACC__
#include "norm/short_cuda.cu"
#endif

DEVICE struct row
row_of(const elem *x, int by, double eps, int64_t n)
{
	struct row r = { 0, 0 };

	if (by == BY_DEVIATION) {
		real first = VALUE(x[0]);

		r.mean = (real)(first + ROW_SUM(row_sum(x, first, n)) / (row_total)n);
	}
	r.scale = row_scale(ROW_SUM(row_squares(x, r.mean, n)), by, eps, n);
	return r;
}

/* WEIGHT and BIAS are a row's own, and may be NULL. */
FOR_KIND void
row_store(enum epilogue_kind kind, elem *y, const elem *x, const elem *weight, const elem *bias, struct row r, int64_t n,
    int64_t places)
{
	if (!weight)
		ALONG_EACH (j, n)
			y[j] = ELEM(epilogue_of_both(kind, (VALUE(x[j]) - r.mean) * r.scale, 0));
	else if (places > 1)
		planes_store(kind, y, x, weight, bias, r.mean, r.scale, n, places);
	else if (!bias)
		ALONG_EACH (j, n)
			y[j] = ELEM(epilogue_of_both(kind, row_value(VALUE(x[j]) - r.mean, r.scale, weight, NULL, j), 0));
	else
		ALONG_EACH (j, n)
			y[j] = ELEM(epilogue_of_both(kind, row_value(VALUE(x[j]) - r.mean, r.scale, weight, bias, j), 0));
}

KERNEL(normalize_kernel, (elem *y, real *mean, real *scale, const elem *x, const elem *weight,
    const elem *bias, enum epilogue_kind kind, int by, double eps, int64_t rows, int64_t n, int64_t groups,
    int64_t places))
{
	ROWS (i, rows) {
		int64_t at = i % groups * (n / places);
		struct row r = row_of(x + i * n, by, eps, n);

		FIRST {
			if (mean)
				mean[i] = r.mean;
			if (scale)
				scale[i] = r.scale;
		}
#define STORE(kind_, function, reads, known)							\
	case kind_:										\
		row_store(kind_, y + i * n, x + i * n, weight ? weight + at : NULL, bias ? bias + at : NULL, r, n,	\
		    places);									\
		break;
		EPILOGUE_CASES_ALL(kind, STORE)
#undef STORE
	}
}

/* MEAN, SCALE, WEIGHT and BIAS may each be NULL; y may be x. */
static void
normalize_forward(elem *y, real *mean, real *scale, const elem *x, const elem *weight,
    const elem *bias, struct epilogue then, int by, double eps, int64_t rows, int64_t n, int64_t groups, int64_t places)
{
#ifdef __CUDACC__
	if (short_forward(y, mean, scale, x, weight, bias, then.kind, by, eps, rows, n, groups, places))
		return;
#endif
	LAUNCH_ROWS(normalize_kernel, rows,
	    (y, mean, scale, x, weight, bias, then.kind, by, eps, rows, n, groups, places));
}

/* ---- backward ---- */

/* Of dy what passes the formula, at element J of a row at distance D from the mean. WEIGHT may be
 * NULL. */
FOR_KIND real
row_passed(enum epilogue_kind kind, real dy, real d, const struct row_slope *s, const elem *weight, const elem *bias,
    int64_t j)
{
	return epilogue_of_both(kind, dy, weight ? row_value(d, s->scale, weight, bias, j) : plane_value(d, s->scale, 0));
}

FOR_KIND real
row_weighted(enum epilogue_kind kind, const elem *dy, const elem *v, const struct row_slope *s, const elem *weight,
    const elem *bias, int64_t j)
{
	real g = row_passed(kind, VALUE(dy[j]), VALUE(v[j]) - s->mean, s, weight, bias, j);

	return weight ? g * VALUE(weight[j]) : g;
}

/* V is x, or where WEIGHT is NULL and there is no formula, y. */
FOR_KIND struct row_slope
row_slope_of(enum epilogue_kind kind, const elem *dy, const elem *v, const elem *weight, const elem *bias,
    const real *mean, const real *scale, int64_t i, int by, double eps, int64_t n)
{
	struct row_slope s = row_slope_begin(weight || kind != NO_EPILOGUE, mean, scale, i);
	struct row_dots d = row_dots(kind, dy, v, weight, bias, s.mean, s.scale, 0, n);

	d.sum = ROW_SUM(d.sum);
	d.dot = ROW_SUM(d.dot) * s.times;
	row_tilt(&s, d.sum, d.dot, by, eps, n);
	return s;
}

/* A row of dx, whose elements have a weight each, or none. */
FOR_KIND void
row_dx_store(enum epilogue_kind kind, elem *dx, real keep, const elem *dy, const elem *v, const elem *weight,
    const elem *bias, const real *mean, const real *scale, int64_t i, int by, double eps, int64_t n)
{
	struct row_slope s = row_slope_of(kind, dy, v, weight, bias, mean, scale, i, by, eps, n);

	ALONG_EACH (j, n)
		onto_store(&dx[j], row_dx(&s, row_weighted(kind, dy, v, &s, weight, bias, j), v[j]), keep);
}

KERNEL(normalize_dx_kernel, (elem *dx, struct onto onto, const elem *dy, enum epilogue_kind kind, const elem *v,
    const elem *weight, const elem *bias, const real *mean, const real *scale, int by, double eps, int64_t rows,
    int64_t n))
{
	real keep = onto_keep(onto);

	ROWS (i, rows) {
#define DX(kind_, function, reads, known)							\
	case kind_:										\
		row_dx_store(kind_, dx + i * n, keep, dy + i * n, v + i * n, weight, bias, mean, scale, i, by, eps, n);	\
		break;
		EPILOGUE_CASES_ALL(kind, DX)
#undef DX
	}
}

static void
rows_dx(elem *dx, struct onto onto, const elem *dy, enum epilogue_kind kind, const elem *v, const elem *weight,
    const elem *bias, const real *mean, const real *scale, int by, double eps, int64_t rows, int64_t n)
{
#ifdef __CUDACC__
	if (short_dx(dx, onto, dy, kind, v, weight, bias, mean, scale, by, eps, rows, n))
		return;
#endif
	LAUNCH_ROWS(normalize_dx_kernel, rows,
	    (dx, onto, dy, kind, v, weight, bias, mean, scale, by, eps, rows, n));
}

/* ---- backward, by channels: sums of dy and of dy h of each plane of a channel, in WORK ---- */

FOR_KIND void
plane_sums(enum epilogue_kind kind, double *work, const elem *dy, const elem *x, real weight, real bias,
    const real *mean, const real *scale, int64_t plane, int64_t row, int64_t places)
{
	struct row_dots d = row_dots(kind, dy + plane * places, x + plane * places, NULL, NULL, mean[row],
	    scale[row] * weight, bias, places);

	d.sum = ROW_SUM(d.sum);
	d.dot = ROW_SUM(d.dot);
	FIRST {
		work[2 * plane] = d.sum;
		work[2 * plane + 1] = d.dot * scale[row];
	}
}

/* What it takes to make row I of dx, whose channels have WEIGHT and their sums SUMS; */
DEVICE struct row_slope
planes_slope(const double *sums, const elem *weight, const real *mean, const real *scale, int64_t i, int64_t channels,
    int64_t places)
{
	struct row_slope s = row_slope_begin(true, mean, scale, i);
	double sum = 0, dot = 0;

	ALONG (c, channels) {
		sum += (double)VALUE(weight[c]) * sums[2 * c];
		dot += (double)VALUE(weight[c]) * sums[2 * c + 1];
	}
	sum = ROW_SUM(sum);
	dot = ROW_SUM(dot);
	row_tilt(&s, sum, dot, BY_DEVIATION, 0, channels * places);
	return s;
}

/* and an element of it, of a channel of that WEIGHT and BIAS. */
FOR_KIND real
plane_dx(enum epilogue_kind kind, const struct row_slope *s, elem dy, elem x, real weight, real bias)
{
	real g = epilogue_of_both(kind, VALUE(dy), plane_value(VALUE(x) - s->mean, s->scale * weight, bias));

	return row_dx(s, g * weight, x);
}

KERNEL(normalize_channels_kernel, (elem *dweight, elem *dbias, const double *work, int64_t samples,
    int64_t channels))
{
	ROWS (c, channels) {
		double sum = 0, dot = 0;

		ALONG (i, samples) {
			sum += work[2 * (i * channels + c)];
			dot += work[2 * (i * channels + c) + 1];
		}
		sum = ROW_SUM(sum);
		dot = ROW_SUM(dot);
		FIRST {
			if (dweight)
				dweight[c] = ELEM((real)dot);
			if (dbias)
				dbias[c] = ELEM((real)sum);
		}
	}
}

#ifdef __CUDACC__
#include "norm/normalize_cuda.cu"
#else
#include "norm/normalize_c.cu"
#endif

/* DX, DWEIGHT and DBIAS may each be NULL, and MEAN and BIAS; without WEIGHT, and a formula that was
 * done behind, X is y. PASSED is what passes that. dx may be dy or x. WORK has two doubles for each
 * channel of a sample, or for each weight and part of the rows. */
static void
normalize_backward(elem *dx, elem *dweight, elem *dbias, struct onto onto, void *work,
    const elem *dy, struct epilogue passed, const elem *x, const elem *weight, const elem *bias, const real *mean,
    const real *scale, int by, double eps, int64_t rows, int64_t n, int64_t groups, int64_t places)
{
	int64_t channels = n / places;

	if (weight && (groups > 1 || places > 1)) {
		planes_backward(dx, onto, (double *)work, dy, passed.kind, x, weight, bias, mean, scale, rows, channels,
		    groups, places);
		if (dweight || dbias)
			LAUNCH_ROWS(normalize_channels_kernel, groups * channels, (dweight, dbias,
			    (const double *)work, rows / groups, groups * channels));
	} else if (dweight || dbias) {
		rows_backward(dx, dweight, dbias, onto, (double *)work, dy, passed.kind, x, weight, bias, mean, scale, by,
		    eps, rows, n);
	} else {
		rows_dx(dx, onto, dy, passed.kind, x, weight, bias, mean, scale, by, eps, rows, n);
	}
}

/* ---- l2norm along another axis than the last: [outer, k, inner], a strip of neighbours at a time ---- */

KERNEL(normalize_axis_kernel, (elem *y, real *scale, const elem *x, double eps, int64_t outer,
    int64_t k, int64_t inner))
{
	int64_t strips = (inner + STRIP - 1) / STRIP;

	ROWS (r, outer * strips) {
		int64_t i = r % strips * STRIP, o = r / strips, at = o * k * inner + i;
		int64_t width = inner - i < STRIP ? inner - i : STRIP;
		double squares[STRIP_LANES] = { 0 };
		real by[STRIP_LANES];

		for (int64_t c = 0; c < k; c++)
			ALONG_EACH (j, width) {
				double v = VALUE(x[at + c * inner + j]);

				squares[LANE(j)] += v * v;
			}
		ALONG (j, width) {
			by[LANE(j)] = row_scale(squares[LANE(j)], BY_LENGTH, eps, k);
			if (scale)
				scale[o * inner + i + j] = by[LANE(j)];
		}
		for (int64_t c = 0; c < k; c++)
			ALONG_EACH (j, width)
				y[at + c * inner + j] = ELEM(VALUE(x[at + c * inner + j]) * by[LANE(j)]);
	}
}

/* SCALE may be NULL; y may be x. */
static void
normalize_axis_forward(elem *y, real *scale, const elem *x, double eps, int64_t outer, int64_t k,
    int64_t inner)
{
	LAUNCH_ROWS(normalize_axis_kernel, outer * ((inner + STRIP - 1) / STRIP),
	    (y, scale, x, eps, outer, k, inner));
}

KERNEL(normalize_axis_dx_kernel, (elem *dx, struct onto onto, const elem *dy, const elem *y,
    const real *scale, double eps, int64_t outer, int64_t k, int64_t inner))
{
	int64_t strips = (inner + STRIP - 1) / STRIP;
	real keep = onto_keep(onto);

	ROWS (r, outer * strips) {
		int64_t i = r % strips * STRIP, o = r / strips, at = o * k * inner + i;
		int64_t width = inner - i < STRIP ? inner - i : STRIP;
		struct row_slope s[STRIP_LANES];
		double dot[STRIP_LANES] = { 0 };

		for (int64_t c = 0; c < k; c++)
			ALONG_EACH (j, width)
				dot[LANE(j)] += (double)VALUE(dy[at + c * inner + j]) *
				    (double)VALUE(y[at + c * inner + j]);
		ALONG (j, width) {
			s[LANE(j)] = row_slope_begin(false, NULL, scale, o * inner + i + j);
			row_tilt(&s[LANE(j)], 0, dot[LANE(j)], BY_LENGTH, eps, k);
		}
		for (int64_t c = 0; c < k; c++)
			ALONG_EACH (j, width) {
				int64_t l = at + c * inner + j;

				onto_store(&dx[l], row_dx(&s[LANE(j)], VALUE(dy[l]), y[l]), keep);
			}
	}
}

/* dx may be dy or y. */
static void
normalize_axis_backward(elem *dx, struct onto onto, const elem *dy, const elem *y,
    const real *scale, double eps, int64_t outer, int64_t k, int64_t inner)
{
	LAUNCH_ROWS(normalize_axis_dx_kernel, outer * ((inner + STRIP - 1) / STRIP),
	    (dx, onto, dy, y, scale, eps, outer, k, inner));
}

#endif
