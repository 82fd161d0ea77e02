/*
 * norm/row_cuda.cu - sums along a row on CUDA: each thread's own, of which a row has one for each 256 elements,
 * so that a real is wide enough. ROW_SUM makes them one.
 */
#ifndef STOWAGE_NORM_ROW_CUDA_CU
#define STOWAGE_NORM_ROW_CUDA_CU

#include "kernel.h"

struct row_dots {
	double sum, dot;	/* of g, and of g (x - mean) */
};

DEVICE double
row_sum(const elem *x, real from, int64_t n)
{
	real sum = 0;

	ALONG (j, n)
		sum += VALUE(x[j]) - from;
	return sum;
}

DEVICE double
row_squares(const elem *x, real from, int64_t n)
{
	real sum = 0;

	ALONG (j, n) {
		real d = VALUE(x[j]) - from;

		sum += d * d;
	}
	return sum;
}

/* WEIGHT may be NULL. */
DEVICE struct row_dots
row_dots(const elem *dy, const elem *x, const elem *weight, real mean, int64_t n)
{
	struct row_dots d;
	real sum = 0, dot = 0;

	ALONG (j, n) {
		real g = weight ? VALUE(dy[j]) * VALUE(weight[j]) : VALUE(dy[j]);

		sum += g;
		dot += g * (VALUE(x[j]) - mean);
	}
	d.sum = sum;
	d.dot = dot;
	return d;
}

#endif
