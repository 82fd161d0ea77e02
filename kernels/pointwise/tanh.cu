/*
 * pointwise/tanh.cu - the hyperbolic tangent. May run in place.
 */
#ifndef STOWAGE_POINTWISE_TANH_CU
#define STOWAGE_POINTWISE_TANH_CU

#include "pointwise/exp.cu"

KERNEL(tanh_kernel, (elem *y, const elem *x, int64_t n))
{
	MAP (y, x, n, e, ELEM(tanh_of(VALUE(e))));
}

static void
tanh_forward(elem *y, const elem *x, int64_t n)
{
	LAUNCH_MAP(tanh_kernel, n, (y, x, n));
}

KERNEL(tanh_grad_kernel, (elem *dx, const elem *dy, const elem *y, int64_t n))
{
	MAP_2 (dx, dy, y, n, d, e, ELEM(VALUE(d) * (1 - VALUE(e) * VALUE(e))));
}

static void
tanh_backward(elem *dx, const elem *dy, const elem *y, int64_t n)
{
	LAUNCH_MAP(tanh_grad_kernel, n, (dx, dy, y, n));
}

#endif
