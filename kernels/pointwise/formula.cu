/*
 * pointwise/formula.cu - what kernels that are written for a program's own formulas are made of:
 * functions, and loops over the elements of several tensors.
 *
 *     KERNEL(silu_kernel, (elem *y0, const elem *x0, int64_t n))
 *     {
 *             EACH_PACK (i, n, ADDRESS(y0) | ADDRESS(x0)) {
 *                     TAKE (x0, i, n);
 *                     GIVE (y0);
 *                     EACH_LANE (j) {
 *                             real a = VALUE(ITEM(x0, i, j));
 *
 *                             ITEM(y0, i, j) = ELEM(a * logistic(a));
 *                     }
 *                     PUT (y0, i, n);
 *             }
 *     }
 *
 * On CUDA a thread takes 16 bytes of each tensor at a time, where all begin at such a boundary; in
 * C this is a loop over elements. SPREAD (r, j, rows, inner) visits the elements of [rows, inner],
 * where operands are repeated along axes.
 */
#ifndef STOWAGE_POINTWISE_FORMULA_CU
#define STOWAGE_POINTWISE_FORMULA_CU

#include "pointwise/exp.cu"

#ifdef __CUDACC__

#define ADDRESS(x)	(uintptr_t)(x)
#define EACH_PACK(i, n, addresses)								\
	for (int64_t i = (blockIdx.x * (int64_t)blockDim.x + threadIdx.x) * MAP_PACK,		\
	    all_ = ((addresses) % sizeof(struct map_pack)) == 0; i < (n);			\
	    i += (int64_t)gridDim.x * blockDim.x * MAP_PACK)
#define TAKE(x, i, n)	struct map_pack x##_ = pack_take(x, i, n, all_)
#define GIVE(y)	struct map_pack y##_
#define PACKS_IN(n)	(((n) + MAP_PACK - 1) / MAP_PACK)
#define EACH_LANE(j)	_Pragma("unroll") for (int j = 0; j < MAP_PACK; j++)
#define ITEM(x, i, j)	x##_.at[j]
#define PUT(y, i, n)	pack_put(y, y##_, i, n, all_)

DEVICE struct map_pack
pack_take(const elem *x, int64_t i, int64_t n, int64_t whole)
{
	struct map_pack p = {};

	if (whole && i + MAP_PACK <= n)
		return *(const struct map_pack *)(x + i);
	for (int j = 0; j < MAP_PACK; j++)
		if (i + j < n)
			p.at[j] = x[i + j];
	return p;
}

DEVICE void
pack_put(elem *y, struct map_pack p, int64_t i, int64_t n, int64_t whole)
{
	if (whole && i + MAP_PACK <= n) {
		*(struct map_pack *)(y + i) = p;
		return;
	}
	for (int j = 0; j < MAP_PACK; j++)
		if (i + j < n)
			y[i + j] = p.at[j];
}

#define SPREAD(r, j, rows, inner)	EACH (at_, (rows) * (inner))			\
	for (int64_t r = quotient(at_, inner), j = at_ - r * (inner), once_ = 1; once_; once_ = 0)

#else

#define EACH_PACK(i, n, addresses)	EACH (i, n)
#define PACKS_IN(n)	(n)
#define TAKE(x, i, n)	((void)0)
#define GIVE(y)	((void)0)
#define EACH_LANE(j)
#define ITEM(x, i, j)	x[i]
#define PUT(y, i, n)	((void)0)
#define SPREAD(r, j, rows, inner)	ROWS (r, rows) ALONG_EACH (j, inner)

#endif

DEVICE int64_t
rest_of(int64_t j, int64_t by)
{
	return j - quotient(j, by) * by;
}

/* ---- functions ---- */

#if defined(USE_DOUBLE) || defined(__CUDACC__)

DEVICE real
log_of(real x)
{
	return R(log)(x);
}

DEVICE real
log1p_of(real x)
{
	return R(log1p)(x);
}

DEVICE real
expm1_of(real x)
{
	return R(expm1)(x);
}

DEVICE real
erf_of(real x)
{
	return R(erf)(x);
}

#else

/* x = 2^n m with m within [1 / sqrt 2, sqrt 2): log x = n ln 2 + 2 atanh((m - 1) / (m + 1)), whose
 * series has odd powers of at most 0.172. What is not positive or not finite is left to the
 * comparisons at the end. */
DEVICE float
log_of(float x)
{
	float scaled = x < 1.17549435e-38f ? x * 8388608.0f : x, shift = x < 1.17549435e-38f ? -23.0f : 0;
	uint32_t raw, rest;
	float m, n, s, u, p;

	memcpy(&raw, &scaled, sizeof(raw));
	rest = raw - 0x3f3504f3u;	/* that of sqrt 1/2 */
	n = (float)((int32_t)rest >> 23) + shift;
	rest = (rest & 0x7fffffu) + 0x3f3504f3u;
	memcpy(&m, &rest, sizeof(m));
	s = (m - 1) / (m + 1);
	u = s * s;
	p = 0.222222222f;
	p = p * u + 0.285714286f;
	p = p * u + 0.4f;
	p = p * u + 0.666666667f;
	p = n * 0.693145752f + (n * 1.42860677e-6f + (s * u * p + 2 * s));
	p = x == INFINITY ? INFINITY : p;
	p = x == 0 ? -INFINITY : p;
	return x < 0 || x != x ? NAN : p;
}

/* log(1 + x) = log(u) + (x - (u - 1)) / u, with u = 1 + x rounded */
DEVICE float
log1p_of(float x)
{
	float u = 1 + x, lost = (x - (u - 1)) / u;

	return log_of(u) + (u > 0 && u < INFINITY ? lost : 0);
}

/* near 0, where exp x - 1 cancels, its Taylor series */
DEVICE float
expm1_of(float x)
{
	float p = 1.0f / 5040;

	p = p * x + 1.0f / 720;
	p = p * x + 1.0f / 120;
	p = p * x + 1.0f / 24;
	p = p * x + 1.0f / 6;
	p = p * x + 0.5f;
	p = p * x * x + x;
	return x > -0.5f && x < 0.5f ? p : exp_of(x) - 1;
}

/* near 0, where 2 normal(x sqrt 2) - 1 cancels, the series of erf */
DEVICE float
erf_of(float x)
{
	float u = x * x, p = -1.0f / 1320;

	p = p * u + 1.0f / 216;
	p = p * u - 1.0f / 42;
	p = p * u + 0.1f;
	p = p * u - 1.0f / 3;
	p = 1.12837917f * (x + x * u * p);
	return x > -0.5f && x < 0.5f ? p : 2 * normal_below(x * 1.41421356f) - 1;
}

#endif

/* not-a-number stays one */
DEVICE real
rectified(real x)
{
	return x <= 0 ? 0 : x;
}

DEVICE real
leaky_of(real x, real slope)
{
	return x > 0 ? x : slope * x;
}

DEVICE real
rsqrt_of(real x)
{
	return 1 / R(sqrt)(x);
}

DEVICE real
pow_of(real x, real y)
{
	return R(pow)(x, y);
}

DEVICE real
sign_of(real x)
{
	return x > 0 ? 1 : x < 0 ? -1 : x;
}

/* log(1 + exp x), without overflow */
DEVICE real
softplus_of(real x)
{
	return (x > 0 ? x : 0) + log1p_of(exp_of(x > 0 ? -x : x));
}

/* not-a-number wins */
DEVICE real
min_of(real a, real b)
{
	return a < b || a != a ? a : b;
}

DEVICE real
max_of(real a, real b)
{
	return a > b || a != a ? a : b;
}

#endif
