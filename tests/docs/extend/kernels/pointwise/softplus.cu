/*
 * pointwise/softplus.cu - log(1 + exp(beta x)) / beta, written so that exp never overflows. Both
 * kernels may run in place.
 */
#include "kernel.h"

KERNEL(softplus_kernel, (elem *y, const elem *x, real beta, int64_t n))
{
	EACH (i, n) {
		real t = beta * VALUE(x[i]);

		y[i] = ELEM(((t > 0 ? t : 0) + R(log1p)(R(exp)(-R(fabs)(t)))) / beta);
	}
}

static void
softplus_forward(elem *y, const elem *x, real beta, int64_t n)
{
	LAUNCH(softplus_kernel, n, (y, x, beta, n));
}

KERNEL(softplus_grad_kernel, (elem *dx, const elem *dy, const elem *y, real beta, int64_t n))
{
	EACH (i, n)
		dx[i] = ELEM(-VALUE(dy[i]) * R(expm1)(-beta * VALUE(y[i])));
}

static void
softplus_backward(elem *dx, const elem *dy, const elem *y, real beta, int64_t n)
{
	LAUNCH(softplus_grad_kernel, n, (dx, dy, y, beta, n));
}
