/*
 * pointwise/silu.cu - x / (1 + exp(-x)). May run in place.
 */
#ifndef STOWAGE_POINTWISE_SILU_CU
#define STOWAGE_POINTWISE_SILU_CU

#include "pointwise/exp.cu"

DEVICE real
silu_grad_of(real dy, real x)
{
	real s = logistic(x);

	return dy * s * (1 + x * (1 - s));
}

KERNEL(silu_kernel, (elem *y, const elem *x, int64_t n))
{
	MAP (y, x, n, e, ELEM(VALUE(e) * logistic(VALUE(e))));
}

static void
silu_forward(elem *y, const elem *x, int64_t n)
{
	LAUNCH_MAP(silu_kernel, n, (y, x, n));
}

KERNEL(silu_grad_kernel, (elem *dx, const elem *dy, const elem *x, int64_t n))
{
	MAP_2 (dx, dy, x, n, d, e, ELEM(silu_grad_of(VALUE(d), VALUE(e))));
}

static void
silu_backward(elem *dx, const elem *dy, const elem *x, int64_t n)
{
	LAUNCH_MAP(silu_grad_kernel, n, (dx, dy, x, n));
}

#endif
