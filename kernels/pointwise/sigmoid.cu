/*
 * pointwise/sigmoid.cu - 1 / (1 + exp(-x)). May run in place.
 */
#ifndef STOWAGE_POINTWISE_SIGMOID_CU
#define STOWAGE_POINTWISE_SIGMOID_CU

#include "pointwise/exp.cu"

KERNEL(sigmoid_kernel, (elem *y, const elem *x, int64_t n))
{
	MAP (y, x, n, e, ELEM(logistic(VALUE(e))));
}

static void
sigmoid_forward(elem *y, const elem *x, int64_t n)
{
	LAUNCH_MAP(sigmoid_kernel, n, (y, x, n));
}

KERNEL(sigmoid_grad_kernel, (elem *dx, const elem *dy, const elem *y, int64_t n))
{
	MAP_2 (dx, dy, y, n, d, e, ELEM(VALUE(d) * VALUE(e) * (1 - VALUE(e))));
}

static void
sigmoid_backward(elem *dx, const elem *dy, const elem *y, int64_t n)
{
	LAUNCH_MAP(sigmoid_grad_kernel, n, (dx, dy, y, n));
}

#endif
