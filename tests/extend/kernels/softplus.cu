/*
 * softplus.cu - log(1 + exp(beta x)) / beta, written so that exp never overflows. Both kernels may
 * run in place.
 */
#include "kernel.h"

KERNEL(softplus_kernel, (real *y, const real *x, real beta, int64_t n))
{
	EACH (i, n) {
		real t = beta * x[i];

		y[i] = ((t > 0 ? t : 0) + R(log1p)(R(exp)(-R(fabs)(t)))) / beta;
	}
}

static void
softplus_forward(real *y, const real *x, real beta, int64_t n)
{
	LAUNCH(softplus_kernel, n, (y, x, beta, n));
}

KERNEL(softplus_grad_kernel, (real *dx, const real *dy, const real *y, real beta, int64_t n))
{
	EACH (i, n)
		dx[i] = -dy[i] * R(expm1)(-beta * y[i]);
}

static void
softplus_backward(real *dx, const real *dy, const real *y, real beta, int64_t n)
{
	LAUNCH(softplus_grad_kernel, n, (dx, dy, y, beta, n));
}
