/*
 * Chance that is the same on every machine and in each run, for searches that want variety: Knuth's
 * generator of MMIX, whose high bits are the good ones. A search keeps its seed and gives its
 * address.
 */
#ifndef STOWAGE_BASE_CHANCE_H
#define STOWAGE_BASE_CHANCE_H

#include <stdint.h>

/* 64 bits, of which the highest are the best. */
static inline uint64_t
chance_bits(uint64_t *seed)
{
	return *seed = *seed * 6364136223846793005u + 1442695040888963407u;
}

/* From 0 to N - 1; N is positive. */
static inline int
chance_below(uint64_t *seed, int n)
{
	return (int)((chance_bits(seed) >> 33) % (uint64_t)n);
}

/* From 0 to below 1, in steps of 2^-24. */
static inline double
chance_share(uint64_t *seed)
{
	return (double)(chance_bits(seed) >> 40) / (1 << 24);
}

#endif
