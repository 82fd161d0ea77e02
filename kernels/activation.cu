/*
 * activation.cu - functions applied to each element. All may run in place: y may be x, dx may be
 * dy.
 */
#include "epilogue.cu"
#include "exp.cu"
#include "kernel.h"

/* Not-a-number passes through, as in relu_of(). */
KERNEL(relu_kernel, (elem *y, const elem *x, int64_t n))
{
	EACH (i, n)
		y[i] = VALUE(x[i]) <= 0 ? ELEM(0) : x[i];
}

static void
relu_forward(elem *y, const elem *x, int64_t n)
{
	LAUNCH(relu_kernel, n, (y, x, n));
}

KERNEL(relu_grad_kernel, (elem *dx, const elem *dy, const elem *y, int64_t n))
{
	EACH (i, n)
		dx[i] = VALUE(y[i]) <= 0 ? ELEM(0) : dy[i];
}

static void
relu_backward(elem *dx, const elem *dy, const elem *y, int64_t n)
{
	LAUNCH(relu_grad_kernel, n, (dx, dy, y, n));
}

KERNEL(leaky_relu_kernel, (elem *y, const elem *x, real slope, int64_t n))
{
	EACH (i, n) {
		real v = VALUE(x[i]);

		y[i] = ELEM(v > 0 ? v : slope * v);
	}
}

static void
leaky_relu_forward(elem *y, const elem *x, real slope, int64_t n)
{
	LAUNCH(leaky_relu_kernel, n, (y, x, slope, n));
}

/* y has the sign of x, since the slope is not negative */
KERNEL(leaky_relu_grad_kernel, (elem *dx, const elem *dy, const elem *y, real slope, int64_t n))
{
	EACH (i, n) {
		real d = VALUE(dy[i]);

		dx[i] = ELEM(VALUE(y[i]) > 0 ? d : slope * d);
	}
}

static void
leaky_relu_backward(elem *dx, const elem *dy, const elem *y, real slope, int64_t n)
{
	LAUNCH(leaky_relu_grad_kernel, n, (dx, dy, y, slope, n));
}

KERNEL(sigmoid_kernel, (elem *y, const elem *x, int64_t n))
{
	EACH (i, n)
		y[i] = ELEM(logistic(VALUE(x[i])));
}

static void
sigmoid_forward(elem *y, const elem *x, int64_t n)
{
	LAUNCH(sigmoid_kernel, n, (y, x, n));
}

KERNEL(sigmoid_grad_kernel, (elem *dx, const elem *dy, const elem *y, int64_t n))
{
	EACH (i, n) {
		real s = VALUE(y[i]);

		dx[i] = ELEM(VALUE(dy[i]) * s * (1 - s));
	}
}

static void
sigmoid_backward(elem *dx, const elem *dy, const elem *y, int64_t n)
{
	LAUNCH(sigmoid_grad_kernel, n, (dx, dy, y, n));
}

KERNEL(tanh_kernel, (elem *y, const elem *x, int64_t n))
{
	EACH (i, n)
		y[i] = ELEM(tanh_of(VALUE(x[i])));
}

static void
tanh_forward(elem *y, const elem *x, int64_t n)
{
	LAUNCH(tanh_kernel, n, (y, x, n));
}

KERNEL(tanh_grad_kernel, (elem *dx, const elem *dy, const elem *y, int64_t n))
{
	EACH (i, n) {
		real t = VALUE(y[i]);

		dx[i] = ELEM(VALUE(dy[i]) * (1 - t * t));
	}
}

static void
tanh_backward(elem *dx, const elem *dy, const elem *y, int64_t n)
{
	LAUNCH(tanh_grad_kernel, n, (dx, dy, y, n));
}

KERNEL(gelu_kernel, (elem *y, const elem *x, int64_t n))
{
	EACH (i, n)
		y[i] = ELEM(gelu_of(VALUE(x[i])));
}

KERNEL(gelu_tanh_kernel, (elem *y, const elem *x, int64_t n))
{
	EACH (i, n)
		y[i] = ELEM(gelu_tanh_of(VALUE(x[i])));
}

static void
gelu_forward(elem *y, const elem *x, int tanh_form, int64_t n)
{
	if (tanh_form)
		LAUNCH(gelu_tanh_kernel, n, (y, x, n));
	else
		LAUNCH(gelu_kernel, n, (y, x, n));
}

KERNEL(gelu_grad_kernel, (elem *dx, const elem *dy, const elem *x, int64_t n))
{
	EACH (i, n)
		dx[i] = ELEM(gelu_grad_of(VALUE(dy[i]), VALUE(x[i])));
}

KERNEL(gelu_tanh_grad_kernel, (elem *dx, const elem *dy, const elem *x, int64_t n))
{
	EACH (i, n)
		dx[i] = ELEM(gelu_tanh_grad_of(VALUE(dy[i]), VALUE(x[i])));
}

static void
gelu_backward(elem *dx, const elem *dy, const elem *x, int tanh_form, int64_t n)
{
	if (tanh_form)
		LAUNCH(gelu_tanh_grad_kernel, n, (dx, dy, x, n));
	else
		LAUNCH(gelu_grad_kernel, n, (dx, dy, x, n));
}

KERNEL(silu_kernel, (elem *y, const elem *x, int64_t n))
{
	EACH (i, n) {
		real v = VALUE(x[i]);

		y[i] = ELEM(v * logistic(v));
	}
}

static void
silu_forward(elem *y, const elem *x, int64_t n)
{
	LAUNCH(silu_kernel, n, (y, x, n));
}

KERNEL(silu_grad_kernel, (elem *dx, const elem *dy, const elem *x, int64_t n))
{
	EACH (i, n) {
		real v = VALUE(x[i]), s = logistic(v);

		dx[i] = ELEM(VALUE(dy[i]) * s * (1 + v * (1 - s)));
	}
}

static void
silu_backward(elem *dx, const elem *dy, const elem *x, int64_t n)
{
	LAUNCH(silu_grad_kernel, n, (dx, dy, x, n));
}
