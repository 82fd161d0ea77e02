/*
 * pointwise/gelu.cu - x times the distribution of a normal variable, or its form by tanh. May run
 * in place.
 */
#ifndef STOWAGE_POINTWISE_GELU_CU
#define STOWAGE_POINTWISE_GELU_CU

#include "product/epilogue.cu"

KERNEL(gelu_kernel, (elem *y, const elem *x, int64_t n))
{
	MAP (y, x, n, e, ELEM(gelu_of(VALUE(e))));
}

KERNEL(gelu_tanh_kernel, (elem *y, const elem *x, int64_t n))
{
	MAP (y, x, n, e, ELEM(gelu_tanh_of(VALUE(e))));
}

static void
gelu_forward(elem *y, const elem *x, int tanh_form, int64_t n)
{
	if (tanh_form)
		LAUNCH_MAP(gelu_tanh_kernel, n, (y, x, n));
	else
		LAUNCH_MAP(gelu_kernel, n, (y, x, n));
}

KERNEL(gelu_grad_kernel, (elem *dx, const elem *dy, const elem *x, int64_t n))
{
	MAP_2 (dx, dy, x, n, d, e, ELEM(gelu_grad_of(VALUE(d), VALUE(e))));
}

KERNEL(gelu_tanh_grad_kernel, (elem *dx, const elem *dy, const elem *x, int64_t n))
{
	MAP_2 (dx, dy, x, n, d, e, ELEM(gelu_tanh_grad_of(VALUE(d), VALUE(e))));
}

static void
gelu_backward(elem *dx, const elem *dy, const elem *x, int tanh_form, int64_t n)
{
	if (tanh_form)
		LAUNCH_MAP(gelu_tanh_grad_kernel, n, (dx, dy, x, n));
	else
		LAUNCH_MAP(gelu_grad_kernel, n, (dx, dy, x, n));
}

#endif
