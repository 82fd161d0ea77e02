/*
 * pointwise/dropout.cu - dropout without a stored mask: backward draws the same numbers again.
 *
 * The generator is Philox-4x32 with 7 rounds (Salmon, Moraes, Dror and Shaw, "Parallel random
 * numbers: as easy as 1, 2, 3", SC 2011): a keyed bijection of a 128-bit counter, so that the
 * number of element i of stream s in draw d is a function of those and the seed alone, whatever
 * the number of threads, on a CPU and a GPU alike. One call gives four elements their numbers.
 */
#include "kernel.h"

struct philox {
	uint32_t v[4];
};

DEVICE struct philox
philox(uint64_t key, uint64_t low, uint64_t high)
{
	uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
	struct philox c;

	c.v[0] = (uint32_t)low;
	c.v[1] = (uint32_t)(low >> 32);
	c.v[2] = (uint32_t)high;
	c.v[3] = (uint32_t)(high >> 32);
	for (int round = 0; round < 7; round++) {
		uint64_t a = (uint64_t)0xD2511F53u * c.v[0], b = (uint64_t)0xCD9E8D57u * c.v[2];

		c.v[0] = (uint32_t)(b >> 32) ^ c.v[1] ^ k0;
		c.v[1] = (uint32_t)b;
		c.v[2] = (uint32_t)(a >> 32) ^ c.v[3] ^ k1;
		c.v[3] = (uint32_t)a;
		k0 += 0x9E3779B9u;
		k1 += 0xBB67AE85u;
	}
	return c;
}

/* Spreads seed and stream over the 64 bits of a key (the finaliser of MurmurHash3). */
DEVICE uint64_t
dropout_key(uint64_t seed, uint64_t stream_id)
{
	uint64_t z = seed + (stream_id + 1) * 0x9E3779B97F4A7C15u;

	z = (z ^ z >> 33) * 0xFF51AFD7ED558CCDu;
	z = (z ^ z >> 33) * 0xC4CEB9FE1A85EC53u;
	return z ^ z >> 33;
}

KERNEL(dropout_kernel, (elem *y, const elem *x, const struct step *s, uint64_t stream_id,
    double rate, int64_t n))
{
	uint64_t key = dropout_key(s->seed, stream_id), draw = s->draw;
	uint64_t dropped = (uint64_t)(rate * 4294967296.0);	/* numbers below it drop */
	real gain = rate < 1 ? (real)(1 / (1 - rate)) : 0;

	EACH (i, (n + 3) / 4) {
		struct philox c = philox(key, (uint64_t)i, draw);
		int64_t at = 4 * i;

		for (int j = 0; j < 4; j++)
			if (at + j < n)
				y[at + j] = ELEM(c.v[j] < dropped ? 0 :
				    VALUE(x[at + j]) * gain);
	}
}

/* Also backward: the same elements of dy are dropped. Y may be X. */
static void
dropout(elem *y, const elem *x, const struct step *s, uint64_t stream_id, double rate, int64_t n)
{
	LAUNCH(dropout_kernel, (n + 3) / 4, (y, x, s, stream_id, rate, n));
}

/* Of [b, places, channels] the same elements are dropped as of [b, channels, places]. */
KERNEL(dropout_last_kernel, (elem *y, const elem *x, const struct step *s, uint64_t stream_id,
    double rate, int64_t b, int64_t channels, int64_t places))
{
	uint64_t key = dropout_key(s->seed, stream_id), draw = s->draw;
	uint64_t dropped = (uint64_t)(rate * 4294967296.0);
	real gain = rate < 1 ? (real)(1 / (1 - rate)) : 0;

	EACH_PLACE (i, p, c, b, places, channels) {
		int64_t at = (i * places + p) * channels + c, k = (i * channels + c) * places + p;
		struct philox numbers = philox(key, (uint64_t)(k / 4), draw);

		y[at] = ELEM(numbers.v[k % 4] < dropped ? 0 : VALUE(x[at]) * gain);
	}
}

static void
dropout_last(elem *y, const elem *x, const struct step *s, uint64_t stream_id, double rate,
    int64_t b, int64_t channels, int64_t places)
{
	LAUNCH(dropout_last_kernel, b * channels * places,
	    (y, x, s, stream_id, rate, b, channels, places));
}
