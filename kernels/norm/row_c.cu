/*
 * norm/row_c.cu - sums along a row in C: in lanes of reals, enough of them to keep vector units
 * busy, which are emptied into a double before they are long, pair by pair: a chain of additions
 * would take longer than the row.
 */
#ifndef STOWAGE_NORM_ROW_C_CU
#define STOWAGE_NORM_ROW_C_CU

#include "kernel.h"

#define ROW_LANES	64
#define ROW_FULL	(16 * ROW_LANES)	/* elements, after which they are emptied */

typedef double row_total;	/* a sum along a row */

struct row_dots {
	row_total sum, dot;	/* of g, and of g (x - mean) */
};

/* A row of y, whose channels have each a WEIGHT, and a BIAS unless it is NULL. */
FOR_KIND void
planes_store(enum epilogue_kind kind, elem *y, const elem *x, const elem *weight, const elem *bias, real mean, real scale,
    int64_t n, int64_t places)
{
	PLACES (c, p, n / places, places) {
		int64_t j = c * places + p;

		y[j] = ELEM(epilogue_of_both(kind, plane_value(VALUE(x[j]) - mean, scale * VALUE(weight[c]),
		    bias ? VALUE(bias[c]) : 0), 0));
	}
}

DEVICE real
row_lanes(real lane[ROW_LANES])
{
#define ROW_FOLD(width)	PRAGMA(omp simd) for (int q = 0; q < (width); q++) lane[q] += lane[q + (width)]
	ROW_FOLD(32);
	ROW_FOLD(16);
	ROW_FOLD(8);
	ROW_FOLD(4);
#undef ROW_FOLD
	return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

/* From J on, what lanes add up before they are emptied; all that is left, where it is less than one
 * each. */
DEVICE int64_t
row_stretch(int64_t j, int64_t n)
{
	int64_t left = n - j;

	return left > ROW_FULL ? ROW_FULL : left < ROW_LANES ? left : left / ROW_LANES * ROW_LANES;
}

/* TERM adds what element J has to lane Q. */
#define ALONG_LANES(j, q, from, count, term)	do {						\
	int64_t left_ = (count) % ROW_LANES, whole_ = (from) + (count) - left_;			\
	for (int64_t at_ = (from); at_ < whole_; at_ += ROW_LANES)				\
		PRAGMA(omp simd) for (int64_t q = 0; q < ROW_LANES; q++) {			\
			int64_t j = at_ + q;							\
			term;									\
		}										\
	PRAGMA(omp simd) for (int64_t q = 0; q < left_; q++) {					\
		int64_t j = whole_ + q;								\
		term;										\
	}											\
} while (0)

DEVICE double
row_sum(const elem *x, real from, int64_t n)
{
	double sum = 0;

	for (int64_t i = 0, count; i < n; i += count) {
		real lane[ROW_LANES] = { 0 };

		count = row_stretch(i, n);
		ALONG_LANES(j, q, i, count, lane[q] += VALUE(x[j]) - from);
		sum += row_lanes(lane);
	}
	return sum;
}

DEVICE double
row_squares(const elem *x, real from, int64_t n)
{
	double sum = 0;

	for (int64_t i = 0, count; i < n; i += count) {
		real lane[ROW_LANES] = { 0 };

		count = row_stretch(i, n);
		ALONG_LANES(j, q, i, count,
		    lane[q] += (VALUE(x[j]) - from) * (VALUE(x[j]) - from));
		sum += row_lanes(lane);
	}
	return sum;
}

/* Of elements of dy what passes KIND, a constant: at distance D from the mean, of them and of D *
 * GAIN + OFFSET, or where each has a WEIGHT, of D * GAIN * WEIGHT and a BIAS, which may be NULL. */
FOR_KIND struct row_dots
row_dots(enum epilogue_kind kind, const elem *dy, const elem *x, const elem *weight, const elem *bias, real mean,
    real gain, real offset, int64_t n)
{
	struct row_dots s = { 0, 0 };

	for (int64_t i = 0, count; i < n; i += count) {
		real sum[ROW_LANES] = { 0 }, dot[ROW_LANES] = { 0 };

		count = row_stretch(i, n);
#define ADD(value, times)	real d = VALUE(x[j]) - mean, g = epilogue_of_both(kind, VALUE(dy[j]), value) times;	\
		    sum[q] += g; dot[q] += g * d
		if (!weight)
			ALONG_LANES(j, q, i, count, ADD(plane_value(d, gain, offset), ));
		else if (!bias || kind == NO_EPILOGUE)
			ALONG_LANES(j, q, i, count, ADD(row_value(d, gain, weight, NULL, j), * VALUE(weight[j])));
		else
			ALONG_LANES(j, q, i, count, ADD(row_value(d, gain, weight, bias, j), * VALUE(weight[j])));
#undef ADD
		s.sum += row_lanes(sum);
		s.dot += row_lanes(dot);
	}
	return s;
}

#endif
