/* Instances that can be packed without a gap, since they are pieces of a rectangle; and random
 * numbers. */
#ifndef STOWAGE_TESTS_RECTANGLES_H
#define STOWAGE_TESTS_RECTANGLES_H

#include "plan/placed.h"

static uint64_t
next(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/* A rectangle cut at random, again and again: it can be put together without a gap. Sizes are
 * multiples of UNIT. */
static void
cut_rectangle(struct item *item, int n, int64_t instants, int64_t unit, uint64_t seed)
{
	int made = 1, i;

	item[0] = (struct item){ .size = 1 << 20, .upper = instants };
	while (made < n) {
		struct item *from = &item[next(&seed) % (uint64_t)made], *to = &item[made];
		int64_t part = (int64_t)(next(&seed) % 1000);

		*to = *from;
		if (next(&seed) % 2) {
			part = from->size * part / 1000 / unit * unit;
			if (part == 0)
				continue;
			to->size = part;
			from->size -= part;
		} else {
			part = from->lower + (from->upper - from->lower) * part / 1000;
			if (part == from->lower)
				continue;
			to->lower = from->upper = part;
		}
		made++;
	}
	for (i = 0; i < n; i++)
		item[i].offset = -1;
}

#endif
