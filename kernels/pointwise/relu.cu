/*
 * pointwise/relu.cu - max(0, x). May run in place.
 */
#ifndef STOWAGE_POINTWISE_RELU_CU
#define STOWAGE_POINTWISE_RELU_CU

#include "kernel.h"

/* Not-a-number passes through, as in relu_of(). */
KERNEL(relu_kernel, (elem *y, const elem *x, int64_t n))
{
	MAP (y, x, n, e, VALUE(e) <= 0 ? ELEM(0) : e);
}

static void
relu_forward(elem *y, const elem *x, int64_t n)
{
	LAUNCH_MAP(relu_kernel, n, (y, x, n));
}

KERNEL(relu_grad_kernel, (elem *dx, const elem *dy, const elem *y, int64_t n))
{
	MAP_2 (dx, dy, y, n, d, e, VALUE(e) <= 0 ? ELEM(0) : d);
}

static void
relu_backward(elem *dx, const elem *dy, const elem *y, int64_t n)
{
	LAUNCH_MAP(relu_grad_kernel, n, (dx, dy, y, n));
}

#endif
