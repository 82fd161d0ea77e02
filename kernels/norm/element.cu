/*
 * norm/element.cu - what batch normalisation does to an element, and to one of the gradient, alike
 * in forward and in backward.
 */
#ifndef STOWAGE_NORM_ELEMENT_CU
#define STOWAGE_NORM_ELEMENT_CU

#include "pointwise/epilogue.cu"
#include "kernel.h"

/* An element whose distance from the channel's mean is D. What THEN does to that is
 * epilogue_value(); what of an element of dy passes it is epilogue_of_both() of that and of this
 * value. */
DEVICE real
bn_value(real d, real gain, real offset)
{
	return d * gain + offset;
}

/* The offset for bn_value(). BIAS is NULL where nobody asks for the value. */
DEVICE real
bn_offset(const elem *bias, int64_t c)
{
	return bias ? VALUE(bias[c]) : 0;
}

#endif
