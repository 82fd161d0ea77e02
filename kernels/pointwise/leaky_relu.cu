/*
 * pointwise/leaky_relu.cu - x, or below 0 slope * x. May run in place.
 */
#ifndef STOWAGE_POINTWISE_LEAKY_RELU_CU
#define STOWAGE_POINTWISE_LEAKY_RELU_CU

#include "kernel.h"

KERNEL(leaky_relu_kernel, (elem *y, const elem *x, real slope, int64_t n))
{
	MAP (y, x, n, e, ELEM(VALUE(e) > 0 ? VALUE(e) : slope * VALUE(e)));
}

static void
leaky_relu_forward(elem *y, const elem *x, real slope, int64_t n)
{
	LAUNCH_MAP(leaky_relu_kernel, n, (y, x, slope, n));
}

/* y has the sign of x, since the slope is not negative */
KERNEL(leaky_relu_grad_kernel, (elem *dx, const elem *dy, const elem *y, real slope, int64_t n))
{
	MAP_2 (dx, dy, y, n, d, e, ELEM(VALUE(e) > 0 ? VALUE(d) : slope * VALUE(d)));
}

static void
leaky_relu_backward(elem *dx, const elem *dy, const elem *y, real slope, int64_t n)
{
	LAUNCH_MAP(leaky_relu_grad_kernel, n, (dx, dy, y, slope, n));
}

#endif
