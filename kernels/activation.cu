/*
 * activation.cu - functions applied to each element. All may run in place: y may be x, dx may be
 * dy.
 */
#include "exp.cu"
#include "kernel.h"

/* Not-a-number passes through, so that it shows in the loss instead of being taken for 0. */
KERNEL(relu_kernel, (real *y, const real *x, int64_t n))
{
	EACH (i, n)
		y[i] = x[i] <= 0 ? 0 : x[i];
}

static void
relu_forward(real *y, const real *x, int64_t n)
{
	LAUNCH(relu_kernel, n, (y, x, n));
}

KERNEL(relu_grad_kernel, (real *dx, const real *dy, const real *y, int64_t n))
{
	EACH (i, n)
		dx[i] = y[i] <= 0 ? 0 : dy[i];
}

static void
relu_backward(real *dx, const real *dy, const real *y, int64_t n)
{
	LAUNCH(relu_grad_kernel, n, (dx, dy, y, n));
}

KERNEL(leaky_relu_kernel, (real *y, const real *x, real slope, int64_t n))
{
	EACH (i, n)
		y[i] = x[i] > 0 ? x[i] : slope * x[i];
}

static void
leaky_relu_forward(real *y, const real *x, real slope, int64_t n)
{
	LAUNCH(leaky_relu_kernel, n, (y, x, slope, n));
}

/* y has the sign of x, since the slope is not negative */
KERNEL(leaky_relu_grad_kernel, (real *dx, const real *dy, const real *y, real slope, int64_t n))
{
	EACH (i, n)
		dx[i] = y[i] > 0 ? dy[i] : slope * dy[i];
}

static void
leaky_relu_backward(real *dx, const real *dy, const real *y, real slope, int64_t n)
{
	LAUNCH(leaky_relu_grad_kernel, n, (dx, dy, y, slope, n));
}

KERNEL(sigmoid_kernel, (real *y, const real *x, int64_t n))
{
	EACH (i, n)
		y[i] = logistic(x[i]);
}

static void
sigmoid_forward(real *y, const real *x, int64_t n)
{
	LAUNCH(sigmoid_kernel, n, (y, x, n));
}

KERNEL(sigmoid_grad_kernel, (real *dx, const real *dy, const real *y, int64_t n))
{
	EACH (i, n)
		dx[i] = dy[i] * y[i] * (1 - y[i]);
}

static void
sigmoid_backward(real *dx, const real *dy, const real *y, int64_t n)
{
	LAUNCH(sigmoid_grad_kernel, n, (dx, dy, y, n));
}

KERNEL(tanh_kernel, (real *y, const real *x, int64_t n))
{
	EACH (i, n)
		y[i] = tanh_of(x[i]);
}

static void
tanh_forward(real *y, const real *x, int64_t n)
{
	LAUNCH(tanh_kernel, n, (y, x, n));
}

KERNEL(tanh_grad_kernel, (real *dx, const real *dy, const real *y, int64_t n))
{
	EACH (i, n)
		dx[i] = dy[i] * (1 - y[i] * y[i]);
}

static void
tanh_backward(real *dx, const real *dy, const real *y, int64_t n)
{
	LAUNCH(tanh_grad_kernel, n, (dx, dy, y, n));
}

#define INV_SQRT_2PI	REAL(0.39894228040143268)
#define SQRT_2_OVER_PI	REAL(0.79788456080286536)
#define GELU_CUBIC	REAL(0.044715)

KERNEL(gelu_kernel, (real *y, const real *x, int64_t n))
{
	EACH (i, n)
		y[i] = x[i] * normal_below(x[i]);
}

KERNEL(gelu_tanh_kernel, (real *y, const real *x, int64_t n))
{
	EACH (i, n) {
		real v = x[i];

		y[i] = REAL(0.5) * v * (1 + tanh_of(SQRT_2_OVER_PI * (v + GELU_CUBIC * v * v * v)));
	}
}

static void
gelu_forward(real *y, const real *x, int tanh_form, int64_t n)
{
	if (tanh_form)
		LAUNCH(gelu_tanh_kernel, n, (y, x, n));
	else
		LAUNCH(gelu_kernel, n, (y, x, n));
}

KERNEL(gelu_grad_kernel, (real *dx, const real *dy, const real *x, int64_t n))
{
	EACH (i, n) {
		real v = x[i];
		real density = INV_SQRT_2PI * exp_of(REAL(-0.5) * v * v);

		dx[i] = dy[i] * (normal_below(v) + v * density);
	}
}

KERNEL(gelu_tanh_grad_kernel, (real *dx, const real *dy, const real *x, int64_t n))
{
	EACH (i, n) {
		real v = x[i];
		real t = tanh_of(SQRT_2_OVER_PI * (v + GELU_CUBIC * v * v * v));
		real inner = SQRT_2_OVER_PI * (1 + 3 * GELU_CUBIC * v * v);

		dx[i] = dy[i] * REAL(0.5) * (1 + t + v * (1 - t * t) * inner);
	}
}

static void
gelu_backward(real *dx, const real *dy, const real *x, int tanh_form, int64_t n)
{
	if (tanh_form)
		LAUNCH(gelu_tanh_grad_kernel, n, (dx, dy, x, n));
	else
		LAUNCH(gelu_grad_kernel, n, (dx, dy, x, n));
}

KERNEL(silu_kernel, (real *y, const real *x, int64_t n))
{
	EACH (i, n)
		y[i] = x[i] * logistic(x[i]);
}

static void
silu_forward(real *y, const real *x, int64_t n)
{
	LAUNCH(silu_kernel, n, (y, x, n));
}

KERNEL(silu_grad_kernel, (real *dx, const real *dy, const real *x, int64_t n))
{
	EACH (i, n) {
		real s = logistic(x[i]);

		dx[i] = dy[i] * s * (1 + x[i] * (1 - s));
	}
}

static void
silu_backward(real *dx, const real *dy, const real *x, int64_t n)
{
	LAUNCH(silu_grad_kernel, n, (dx, dy, x, n));
}
