/*
 * pointwise/philox.cu - random numbers that need no state, so that backward can draw again what
 * forward drew.
 *
 * The generator is Philox-4x32 with 7 rounds (Salmon, Moraes, Dror and Shaw, "Parallel random
 * numbers: as easy as 1, 2, 3", SC 2011): a keyed bijection of a 128-bit counter, so that the
 * number of element i of stream s in draw d is a function of those and the seed alone, whatever
 * the number of threads, on a CPU and a GPU alike. One call gives four elements their numbers.
 */
#ifndef STOWAGE_POINTWISE_PHILOX_CU
#define STOWAGE_POINTWISE_PHILOX_CU

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
philox_key(uint64_t seed, uint64_t stream_id)
{
	uint64_t z = seed + (stream_id + 1) * 0x9E3779B97F4A7C15u;

	z = (z ^ z >> 33) * 0xFF51AFD7ED558CCDu;
	z = (z ^ z >> 33) * 0xC4CEB9FE1A85EC53u;
	return z ^ z >> 33;
}

#endif
