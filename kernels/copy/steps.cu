/*
 * copy/steps.cu - what a scan does around the nodes of its steps: rows in and out of a sequence,
 * states from one step to the next, and sums of gradients over all steps.
 */
#ifndef STOWAGE_COPY_STEPS_CU
#define STOWAGE_COPY_STEPS_CU

#include "kernel.h"

/* N elements of each row; rows are so far apart, in x perhaps 0. */
KERNEL(steps_move_kernel, (elem *y, int64_t to, const elem *x, int64_t from, int64_t rows, int64_t n))
{
	EACH_PLACE (p, r, i, 1, rows, n) {
		(void)p;
		y[r * to + i] = x[r * from + i];
	}
}

static void
steps_move(elem *y, int64_t to, const elem *x, int64_t from, int64_t rows, int64_t n)
{
	LAUNCH(steps_move_kernel, rows * n, (y, to, x, from, rows, n));
}

KERNEL(steps_clear_kernel, (elem *y, int64_t n))
{
	EACH (i, n)
		y[i] = ELEM(0);
}

static void
steps_clear(elem *y, int64_t n)
{
	LAUNCH(steps_clear_kernel, n, (y, n));
}

KERNEL(steps_clear_reals_kernel, (real *y, int64_t n))
{
	EACH (i, n)
		y[i] = 0;
}

static void
steps_clear_reals(real *y, int64_t n)
{
	LAUNCH(steps_clear_reals_kernel, n, (y, n));
}

KERNEL(steps_sum_kernel, (real *sum, const elem *x, int64_t n))
{
	EACH (i, n)
		sum[i] += VALUE(x[i]);
}

static void
steps_sum(real *sum, const elem *x, int64_t n)
{
	LAUNCH(steps_sum_kernel, n, (sum, x, n));
}

KERNEL(steps_round_kernel, (elem *y, const real *x, int64_t n))
{
	EACH (i, n)
		y[i] = ELEM(x[i]);
}

static void
steps_round(elem *y, const real *x, int64_t n)
{
	LAUNCH(steps_round_kernel, n, (y, x, n));
}

/* Of a state that all samples begin with. */
KERNEL(steps_samples_kernel, (elem *y, const elem *x, int64_t samples, int64_t n))
{
	EACH (i, n) {
		real sum = 0;

		for (int64_t s = 0; s < samples; s++)
			sum += VALUE(x[s * n + i]);
		y[i] = ELEM(sum);
	}
}

static void
steps_samples(elem *y, const elem *x, int64_t samples, int64_t n)
{
	LAUNCH(steps_samples_kernel, samples * n, (y, x, samples, n));
}

#endif
