/*
 * activation.cu - functions applied to each element. All may run in place: y may be x, dx may be
 * dy.
 */
#include "exp.cu"
#include "kernel.h"

/* Not-a-number passes through, so that it shows in the loss instead of being taken for 0. */
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

#define INV_SQRT_2PI	REAL(0.39894228040143268)
#define SQRT_2_OVER_PI	REAL(0.79788456080286536)
#define GELU_CUBIC	REAL(0.044715)

KERNEL(gelu_kernel, (elem *y, const elem *x, int64_t n))
{
	EACH (i, n) {
		real v = VALUE(x[i]);

		y[i] = ELEM(v * normal_below(v));
	}
}

KERNEL(gelu_tanh_kernel, (elem *y, const elem *x, int64_t n))
{
	EACH (i, n) {
		real v = VALUE(x[i]);

		y[i] = ELEM(REAL(0.5) * v *
		    (1 + tanh_of(SQRT_2_OVER_PI * (v + GELU_CUBIC * v * v * v))));
	}
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
	EACH (i, n) {
		real v = VALUE(x[i]);
		real density = INV_SQRT_2PI * exp_of(REAL(-0.5) * v * v);

		dx[i] = ELEM(VALUE(dy[i]) * (normal_below(v) + v * density));
	}
}

KERNEL(gelu_tanh_grad_kernel, (elem *dx, const elem *dy, const elem *x, int64_t n))
{
	EACH (i, n) {
		real v = VALUE(x[i]);
		real t = tanh_of(SQRT_2_OVER_PI * (v + GELU_CUBIC * v * v * v));
		real inner = SQRT_2_OVER_PI * (1 + 3 * GELU_CUBIC * v * v);

		dx[i] = ELEM(VALUE(dy[i]) * REAL(0.5) * (1 + t + v * (1 - t * t) * inner));
	}
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
