/*
 * pointwise/exp.cu - exponentials for loops over many elements.
 *
 * The functions of a C library are calls that keep a loop from being vectorised, so for float there
 * are versions here made of arithmetic alone, good to about 1e-7 of the result. Double precision
 * and CUDA, whose own functions are inlined, use the library's.
 */
#ifndef STOWAGE_POINTWISE_EXP_CU
#define STOWAGE_POINTWISE_EXP_CU

#include "kernel.h"

#if defined(USE_DOUBLE) || defined(__CUDACC__)

DEVICE real
exp_of(real x)
{
	return R(exp)(x);
}

DEVICE real
tanh_of(real x)
{
	return R(tanh)(x);
}

/* the standard normal distribution function; of float, the tail below -2 is as exact as 1 + erf
 * leaves it, as PyTorch's is */
DEVICE real
normal_below(real x)
{
#ifdef USE_DOUBLE
	return 0.5 * erfc(-x * 0.70710678118654752);
#else
	return REAL(0.5) * (1 + R(erf)(x * REAL(0.70710678118654752)));
#endif
}

#else

/* X, but at least -87 and at most 88; not-a-number stays one. By masks: of a choice a compiler
 * makes branches, works out for each what follows from its constant, and takes all of them in a
 * vector: more work, and numbers so small that they cost a hundred times as much. */
DEVICE float
exp_range(float x)
{
	int32_t low = -(x < -87.0f), high = -(x > 88.0f), raw;

	memcpy(&raw, &x, sizeof(raw));
	raw = (raw & ~(low | high)) | (low & (int32_t)0xc2ae0000) | (high & 0x42b00000);
	memcpy(&x, &raw, sizeof(x));
	return x;
}

/* exp x = 2^n exp f with |f| <= ln 2 / 2, where the Taylor series needs eight terms. Adding
 * 1.5 * 2^23 rounds to an integer and leaves it in the low bits. Saturates near 1e-38 and 1e38. */
DEVICE float
exp_of(float x)
{
	float shifted, n, f, p;
	uint32_t raw;

	x = exp_range(x);
	shifted = x * 1.44269504f + 12582912.0f;
	n = shifted - 12582912.0f;
	f = x - n * 0.693145752f;
	f = f - n * 1.42860677e-6f;	/* the rest of ln 2 */
	p = 1.0f / 5040;
	p = p * f + 1.0f / 720;
	p = p * f + 1.0f / 120;
	p = p * f + 1.0f / 24;
	p = p * f + 1.0f / 6;
	p = p * f + 0.5f;
	p = p * f + 1;
	p = p * f + 1;
	memcpy(&raw, &shifted, sizeof(raw));
	raw = (raw + 127) << 23;
	memcpy(&n, &raw, sizeof(n));
	return p * n;
}

/* (1 - e) / (1 + e) with e = exp(-2 |x|), and near 0, where that cancels, x plus an odd polynomial
 * fitted to the rest. */
DEVICE float
tanh_of(float x)
{
	float size = fabsf(x), e = exp_of(-2 * size), u = x * x, near_0, far;

	near_0 = -0.00590586576f;
	near_0 = near_0 * u + 0.0208053822f;
	near_0 = near_0 * u - 0.0537866828f;
	near_0 = near_0 * u + 0.133319582f;
	near_0 = near_0 * u - 0.333332993f;
	near_0 = x + x * u * near_0;
	far = (1 - e) / (1 + e);
	far = copysignf(far, x);
	return size < 0.6f ? near_0 : far;
}

/* erfc z = exp(-z z) t Q(t) with t = 1 / (1 + 0.3 z) and Q fitted for 0 <= z <= 9.5, to 2e-8. */
DEVICE float
normal_below(float x)
{
	float z = fabsf(x) * 0.707106781f, t = 1 / (1 + 0.3f * z), q, tail;

	q = -0.129434169f;
	q = q * t + 0.485096893f;
	q = q * t - 0.51122738f;
	q = q * t + 0.546396148f;
	q = q * t - 0.0936320373f;
	q = q * t + 0.214436628f;
	q = q * t + 0.148482336f;
	q = q * t + 0.170691949f;
	q = q * t + 0.169189614f;
	tail = 0.5f * t * q * exp_of(-0.5f * x * x);	/* as in its derivative, which so shares it */
	return x < 0 ? tail : 1 - tail;
}

#endif

DEVICE real
logistic(real x)
{
	return 1 / (1 + exp_of(-x));
}

#endif	/* STOWAGE_POINTWISE_EXP_CU */
