/*
 * normal.h - normal numbers out of hashed bits, by Box and Muller, on the host and on a device: the
 * same bits on each machine and however they are compiled, so that a device may draw what the host
 * would send.
 *
 * Logarithm and cosine are polynomials in double (those of fdlibm), since libraries differ. Each
 * operation is one that IEEE 754 rounds by itself: where a product and a sum are to be one, that is
 * written as fma, and no other product is an operand of a sum, so that there is none that a
 * compiler could fuse. Both are right to about a unit in the last place, so as floats the numbers
 * are those of a library's logarithm and cosine.
 */
#ifndef STOWAGE_HOST_NORMAL_H
#define STOWAGE_HOST_NORMAL_H

#include "hash.h"

#define NORMAL_ONE	((uint64_t)1 << 53)	/* so many numbers from 0 to 1 are drawn from */

/* ln(k / 2^53), K from 1 to 2^53 */
DEVICE_TOO double
normal_log(uint64_t k)
{
	double x = (double)k, e, m, f, s, z, p, half;
	uint64_t raw, rest;

	memcpy(&raw, &x, sizeof(raw));
	rest = raw - 0x3fe6a09e667f3bcdu;	/* that of sqrt 1/2: k = 2^e m with m from there to sqrt 2 */
	e = (double)((int64_t)rest >> 52) - 53;
	rest = (rest & 0xfffffffffffffu) + 0x3fe6a09e667f3bcdu;
	memcpy(&m, &rest, sizeof(m));
	f = m - 1;
	s = f / (m + 1);	/* ln m = 2 atanh(s) = f - f^2 / 2 + s (f^2 / 2 + z p) */
	z = s * s;
	p = fma(z, 1.479819860511658591e-01, 1.531383769920937332e-01);
	p = fma(z, p, 1.818357216161805012e-01);
	p = fma(z, p, 2.222219843214978396e-01);
	p = fma(z, p, 2.857142874366239149e-01);
	p = fma(z, p, 3.999999999940941908e-01);
	p = fma(z, p, 6.666666666666735130e-01);
	half = f * 0.5;
	p = fma(s, fma(half, f, z * p), e * 1.90821492927058770002e-10);	/* ln 2 in two parts */
	return fma(e, 6.93147180369123816490e-01, f - fma(half, f, -p));
}

/* cos(a), A from 0 to 2 pi */
DEVICE_TOO double
normal_cos(double a)
{
	double quarter = (double)(int)fma(a, 0.63661977236758134308, 0.5), r, z, s, c;

	r = fma(-quarter, 1.57079632679489655800, a);	/* pi / 2 in two parts */
	r = fma(-quarter, 6.12323399573676603587e-17, r);
	z = r * r;
	s = fma(z, 1.58969099521155010221e-10, -2.50507602534068634195e-08);
	s = fma(z, s, 2.75573137070700676789e-06);
	s = fma(z, s, -1.98412698298579493134e-04);
	s = fma(z, s, 8.33333333332248946124e-03);
	s = fma(z, s, -1.66666666666666324348e-01);
	s = fma(r * z, s, r);
	c = fma(z, -1.13596475577881948265e-11, 2.08757232129817482790e-09);
	c = fma(z, c, -2.75573143513906633035e-07);
	c = fma(z, c, 2.48015872894767294178e-05);
	c = fma(z, c, -1.38888888888741095749e-03);
	c = fma(z, c, 4.16666666666666019037e-02);
	c = fma(z * z, c, fma(z, -0.5, 1.0));
	return quarter == 1 ? -s : quarter == 2 ? -c : quarter == 3 ? s : c;
}

/* mean 0, deviation 1 */
DEVICE_TOO double
seed_normal(uint64_t seed, uint64_t stream, uint64_t counter)
{
	uint64_t u = seed_bits(seed, stream, 2 * counter) >> 11, v = seed_bits(seed, stream, 2 * counter + 1) >> 11;
	double length = sqrt(-2 * normal_log(NORMAL_ONE - u));

	return length * normal_cos(6.283185307179586477 * ((double)v / (double)NORMAL_ONE));
}

#endif
