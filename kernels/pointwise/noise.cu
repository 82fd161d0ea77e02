/*
 * pointwise/noise.cu - numbers drawn at random for each element: uniform, and normal by Box and
 * Muller.
 *
 * They are the same on every target, bit for bit: what is between the generator's bits and a number
 * are integers and operations of float that are rounded as IEEE 754 says, each by itself. So where
 * a product and a sum are to be one operation, that is written as fmaf, and there is none that a
 * compiler could fuse otherwise; logarithm, sine and cosine are polynomials (those of Cephes),
 * since libraries differ. In f64 too, a normal number has the precision of a float.
 */
#include "pointwise/philox.cu"
#include "kernel.h"

/* -2 ln((a + 1/2) / 2^32), which is from 0 to 45.8 */
DEVICE float
noise_square(uint32_t a)
{
	float u = fmaf((float)a, 0x1p-32f, 0x1p-33f), m, s, z, p, e, below;
	uint32_t raw, rest;

	memcpy(&raw, &u, sizeof(raw));
	rest = raw - 0x3f3504f3u;	/* that of sqrt 1/2: u = 2^e m with m from there to sqrt 2 */
	e = (float)((int32_t)rest >> 23);
	rest = (rest & 0x7fffffu) + 0x3f3504f3u;
	memcpy(&m, &rest, sizeof(m));
	below = fmaf((float)~a, -0x1p-32f, -0x1p-33f);	/* u - 1, of which u near 1 has lost much */
	below = e == 0 ? below : m - 1;
	s = below / (2 + below);
	z = s * s;
	p = fmaf(0.222222222f, z, 0.285714286f);
	p = fmaf(p, z, 0.4f);
	p = fmaf(p, z, 0.666666667f);
	p = fmaf(s, fmaf(p, z, 2), e * 0.693147181f);	/* ln m = 2 atanh(s) */
	return p < 0 ? -2 * p : 0;
}

/* Two normal numbers, from 32 bits for their length and 32 for their direction. */
DEVICE void
noise_pair(uint32_t a, uint32_t b, float *x, float *y)
{
	float length = sqrtf(noise_square(a)), t = (float)(int32_t)(b << 2) * 3.6572952e-10f;	/* pi / 2^33 */
	float z = t * t, s, c;
	uint32_t quarter = b >> 30;

	s = fmaf(fmaf(-1.9515295891e-4f, z, 8.3321608736e-3f), z, -1.6666654611e-1f);
	s = fmaf(t * z, s, t);
	c = fmaf(fmaf(2.443315711809948e-5f, z, -1.388731625493765e-3f), z, 4.166664568298827e-2f);
	c = fmaf(z * z, c, fmaf(z, -0.5f, 1));
	*x = length * (quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s);
	*y = length * (quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c);
}

KERNEL(noise_kernel, (elem *y, const struct step *s, uint64_t stream_id, bool normal, real base,
    real size, int64_t n))
{
	uint64_t key = philox_key(s->seed, stream_id), draw = s->draw;
	int64_t first = FIRST_OF(n, s);

	EACH (i, (first % 4 + n + 3) / 4) {
		struct philox c = philox(key, (uint64_t)(first / 4 + i), draw);
		int64_t at = 4 * i - first % 4;
		float v[4];

		if (normal) {
			noise_pair(c.v[0], c.v[1], &v[0], &v[1]);
			noise_pair(c.v[2], c.v[3], &v[2], &v[3]);
		} else {
			for (int j = 0; j < 4; j++)
				v[j] = (float)(c.v[j] >> 8) * 0x1p-24f;
		}
		for (int j = 0; j < 4; j++)
			if ((!first || at + j >= 0) && at + j < n)
				y[at + j] = ELEM(R(fma)(size, (real)v[j], base));
	}
}

/* MEAN and DEVIATION of each number */
static void
noise_normal(elem *y, const struct step *s, uint64_t stream_id, real mean, real deviation, int64_t n)
{
	LAUNCH(noise_kernel, (n + 3) / 4, (y, s, stream_id, true, mean, deviation, n));
}

/* from LOW on, over SIZE */
static void
noise_uniform(elem *y, const struct step *s, uint64_t stream_id, real low, real size, int64_t n)
{
	LAUNCH(noise_kernel, (n + 3) / 4, (y, s, stream_id, false, low, size, n));
}
