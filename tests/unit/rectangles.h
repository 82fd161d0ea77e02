/* Instances that can be packed without a gap, since they are pieces of a rectangle. */
#ifndef STOWAGE_TESTS_RECTANGLES_H
#define STOWAGE_TESTS_RECTANGLES_H

#include "base/chance.h"
#include "plan/placed.h"

/* A rectangle cut at random, again and again: it can be put together without a gap. Sizes are
 * multiples of UNIT. */
static void
cut_rectangle(struct item *item, int n, int64_t instants, int64_t unit, uint64_t seed)
{
	int made = 1, i;

	item[0] = (struct item){ .size = 1 << 20, .upper = instants };
	while (made < n) {
		struct item *from = &item[chance_below(&seed, made)], *to = &item[made];
		int64_t part = chance_below(&seed, 1000);

		*to = *from;
		if (chance_below(&seed, 2)) {
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
