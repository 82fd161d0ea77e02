/*
 * loss/average.cu - the mean of the elements of all samples, for losses that are one number a
 * sample.
 */
#include "loss/mean.cu"

KERNEL(average_kernel, (double *part, const elem *x, int64_t n))
{
	ROWS (p, LOSS_PARTS) {
		int64_t from = PART_FROM(n, p, LOSS_PARTS);
		int64_t count = PART_FROM(n, p + 1, LOSS_PARTS) - from;
		double sum = 0;

		ALONG_ADD (j, count, sum)
			sum += (double)VALUE(x[from + j]);
		sum = ROW_SUM(sum);
		FIRST
			part[p] = sum;
	}
}

static void
average_forward(real *out, void *work, const elem *x, int64_t n)
{
	LAUNCH_ROWS(average_kernel, LOSS_PARTS, ((double *)work, x, n));
	LAUNCH(mean_kernel, 1, (out, (const double *)work, n));
}

KERNEL(average_grad_kernel, (elem *dx, const real *dy, int64_t n))
{
	real share = *dy / (real)n;

	EACH (i, n)
		dx[i] = ELEM(share);
}

static void
average_backward(elem *dx, const real *dy, int64_t n)
{
	LAUNCH(average_grad_kernel, n, (dx, dy, n));
}
