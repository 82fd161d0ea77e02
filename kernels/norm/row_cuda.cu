/*
 * norm/row_cuda.cu - sums along a row on CUDA: each thread's own, of which a row has one for each 256 elements,
 * so that a real is wide enough. ROW_SUM makes them one.
 */
#ifndef STOWAGE_NORM_ROW_CUDA_CU
#define STOWAGE_NORM_ROW_CUDA_CU

#include "kernel.h"

typedef real row_total;		/* a sum along a row */

struct row_dots {
	row_total sum, dot;	/* of g, and of g (x - mean) */
};

DEVICE row_total
row_sum(const elem *x, real from, int64_t n)
{
	real sum = 0;

	ALONG (j, n)
		sum += VALUE(x[j]) - from;
	return sum;
}

DEVICE row_total
row_squares(const elem *x, real from, int64_t n)
{
	real sum = 0;

	ALONG (j, n) {
		real d = VALUE(x[j]) - from;

		sum += d * d;
	}
	return sum;
}

/* Of elements of dy what passes KIND: at distance D from the mean, of them and of D * GAIN + OFFSET, or where each has a
 * WEIGHT, of D * GAIN * WEIGHT and a BIAS, which may be NULL. */
FOR_KIND struct row_dots
row_dots(enum epilogue_kind kind, const elem *dy, const elem *x, const elem *weight, const elem *bias, real mean,
    real gain, real offset, int64_t n)
{
	struct row_dots s;
	real sum = 0, dot = 0;

	ALONG (j, n) {
		real d = VALUE(x[j]) - mean;
		real g = epilogue_of_both(kind, VALUE(dy[j]), weight ? row_value(d, gain, weight, bias, j) :
		    plane_value(d, gain, offset));

		g = weight ? g * VALUE(weight[j]) : g;
		sum += g;
		dot += g * d;
	}
	s.sum = sum;
	s.dot = dot;
	return s;
}

#endif
