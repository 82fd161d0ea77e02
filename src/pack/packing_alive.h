/*
 * Which of many lifetimes overlap one, for those who ask that of every item: most of what a packer
 * does. They are asked in one run, without a branch, since nobody can foresee which do; compilers
 * make four or more at once of it.
 */
#ifndef STOWAGE_PACK_PACKING_ALIVE_H
#define STOWAGE_PACK_PACKING_ALIVE_H

#include <stdint.h>

#define LIVES	24	/* at once */

/* Bit i: is [lower[i], upper[i]) alive at some time in [FROM, TO)? Both arrays have LIVES. */
static inline uint32_t
lives_between(const int *lower, const int *upper, int from, int to)
{
	static const uint32_t bit[LIVES] = {
		1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 7, 1 << 8, 1 << 9, 1 << 10, 1 << 11,
		1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18, 1 << 19, 1 << 20, 1 << 21, 1 << 22,
		1 << 23,
	};
	uint32_t set = 0;
	int i;

	for (i = 0; i < LIVES; i++)
		set |= bit[i] & -(uint32_t)((lower[i] < to) & (upper[i] > from));
	return set;
}

#endif
