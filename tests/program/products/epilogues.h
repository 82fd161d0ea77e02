/*
 * Epilogues of products, as a program has them that was written for a network
 * (src/calls/epilogue.c): for tests of the kernels alone, in front of which this stands.
 */
#ifndef TESTS_EPILOGUES_H
#define TESTS_EPILOGUES_H

#define EPILOGUES(CASE)							\
	CASE(DO_RELU, relu_then, false, OF_RELU)				\
	CASE(DO_GELU, gelu_then, false, OF_NOBODY)				\
	CASE(DO_GELU_TANH, gelu_tanh_then, false, OF_GELU_TANH)		\
	CASE(DO_RELU_GRAD, relu_grad_then, true, OF_NOBODY)		\
	CASE(DO_GELU_GRAD, gelu_grad_then, true, OF_NOBODY)		\
	CASE(DO_GELU_TANH_GRAD, gelu_tanh_grad_then, true, OF_GELU_TANH_GRAD)	\
	CASE(DO_ADD_RELU, add_relu_then, true, OF_NOBODY)

#include "pointwise/formula.cu"

#define ROOT_2_PI	REAL(0.79788456080286536)

DEVICE real
relu_then(real v, real s)
{
	(void)s;
	return rectified(v);
}

DEVICE real
gelu_then(real v, real s)
{
	(void)s;
	return v * normal_below(v);
}

DEVICE real
gelu_tanh_then(real v, real s)
{
	(void)s;
	return REAL(0.5) * v * (1 + tanh_of(ROOT_2_PI * (v + REAL(0.044715) * v * v * v)));
}

DEVICE real
relu_grad_then(real v, real s)
{
	return s <= 0 ? 0 : v;
}

DEVICE real
add_relu_then(real v, real s)
{
	return rectified(v + s);
}

DEVICE real
gelu_grad_then(real v, real s)
{
	return v * normal_below(s) + v * s * (REAL(0.39894228040143268) * exp_of(REAL(-0.5) * s * s));
}

DEVICE real
gelu_tanh_grad_then(real v, real s)
{
	real t = tanh_of(ROOT_2_PI * (s + REAL(0.044715) * s * s * s));

	return v * REAL(0.5) * (1 + t + s * (1 - t * t) * ROOT_2_PI * (1 + 3 * REAL(0.044715) * s * s));
}

#endif
