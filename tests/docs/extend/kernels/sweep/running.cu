/*
 * sweep/running.cu - y[j] = x[j] + keep y[j - 1] along rows of N elements, and its gradient. A row
 * is one thread's. Both kernels may run in place.
 */
#include "kernel.h"

KERNEL(running_kernel, (elem *y, const elem *x, real keep, int64_t rows, int64_t n))
{
	EACH (r, rows) {
		real sum = 0;

		for (int64_t j = r * n; j < (r + 1) * n; j++) {
			sum = VALUE(x[j]) + keep * sum;
			y[j] = ELEM(sum);
		}
	}
}

static void
running_forward(elem *y, const elem *x, real keep, int64_t rows, int64_t n)
{
	LAUNCH(running_kernel, rows, (y, x, keep, rows, n));
}

KERNEL(running_grad_kernel, (elem *dx, const elem *dy, real keep, int64_t rows, int64_t n))
{
	EACH (r, rows) {
		real sum = 0;

		for (int64_t j = (r + 1) * n - 1; j >= r * n; j--) {
			sum = VALUE(dy[j]) + keep * sum;
			dx[j] = ELEM(sum);
		}
	}
}

static void
running_backward(elem *dx, const elem *dy, real keep, int64_t rows, int64_t n)
{
	LAUNCH(running_grad_kernel, rows, (dx, dy, keep, rows, n));
}
