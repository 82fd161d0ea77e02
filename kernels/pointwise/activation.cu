/*
 * pointwise/activation.cu - functions applied to each element. All may run in place: y may be x, dx
 * may be dy.
 */
#include "product/epilogue.cu"
#include "pointwise/exp.cu"
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
