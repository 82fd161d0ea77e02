/*
 * norm/element.cu - what batch normalisation does to an element, and to one of the gradient, alike
 * in forward and in backward.
 */
#ifndef STOWAGE_NORM_ELEMENT_CU
#define STOWAGE_NORM_ELEMENT_CU

#include "kernel.h"

/* An element whose distance from the channel's mean is D. */
DEVICE real
bn_value(real d, real gain, real offset)
{
	return d * gain + offset;
}

/* As rectified(), and at most TOP; if that is NaN, there is no such bound. A value that is NaN passes. */
DEVICE elem
bn_rectified(real value, real top)
{
	return value <= 0 ? ELEM(0) : value >= top ? ELEM(top) : ELEM(value);
}

/* What of an element of dy arrives at the batchnorm: nothing where relu made 0 of its result, or TOP. */
DEVICE real
bn_passed(elem dy, real d, real gain, real offset, real top)
{
	real value = bn_value(d, gain, offset);

	return value <= 0 || value >= top ? 0 : VALUE(dy);
}

/* What of an element of dy passes a relu of which Y is the result. */
DEVICE elem
bn_masked(elem dy, elem y, real top)
{
	return VALUE(y) <= 0 || VALUE(y) >= top ? ELEM(0) : dy;
}

/* Gain and offset for bn_passed: without a relu, those that let everything through. BIAS is NULL
 * then. */
DEVICE real
bn_relu_gain(const elem *weight, const elem *bias, const real *invstd, int64_t c)
{
	return bias ? VALUE(weight[c]) * invstd[c] : 0;
}

DEVICE real
bn_relu_offset(const elem *bias, int64_t c)
{
	return bias ? VALUE(bias[c]) : 1;
}

#endif
