/* Instances that can be packed without a gap, since they are pieces of a rectangle, some of which
 * no cuts through the whole make again. */
#ifndef STOWAGE_TESTS_WHEELS_H
#define STOWAGE_TESTS_WHEELS_H

#include "rectangles.h"

static int64_t
between(int64_t low, int64_t high, uint64_t *state)
{
	return low + 1 + (int64_t)((chance_bits(state) >> 33) % (uint64_t)(high - low - 1));
}

/* Two numbers within, in order. */
static void
two_between(int64_t low, int64_t high, int64_t *first, int64_t *second, uint64_t *state)
{
	do {
		*first = between(low, high, state);
		*second = between(low, high, state);
	} while (*first >= *second);
}

/* Four round a fifth. */
static void
cut_wheel(struct item *item, int n, struct item from, int at, uint64_t *state)
{
	int64_t x, y, low, high, top = from.offset + from.size;

	two_between(from.lower, from.upper, &x, &y, state);
	two_between(from.offset, top, &low, &high, state);
	item[at] = (struct item){ .lower = from.lower, .upper = x, .offset = from.offset, .size = high - from.offset };
	item[n] = (struct item){ .lower = x, .upper = from.upper, .offset = from.offset, .size = low - from.offset };
	item[n + 1] = (struct item){ .lower = y, .upper = from.upper, .offset = low, .size = top - low };
	item[n + 2] = (struct item){ .lower = from.lower, .upper = y, .offset = high, .size = top - high };
	item[n + 3] = (struct item){ .lower = x, .upper = y, .offset = low, .size = high - low };
}

/* The largest of eight pieces is cut, half of the time to a wheel. */
static void
cut_wheels(struct item *item, int n, int64_t height, int64_t instants, uint64_t state)
{
	int made = 1, i, k, at;
	int64_t part;

	item[0] = (struct item){ .size = height, .upper = instants };
	while (made < n) {
		for (at = chance_below(&state, made), i = 1; i < 8; i++) {
			k = chance_below(&state, made);
			at = item[k].size * (item[k].upper - item[k].lower) > item[at].size * (item[at].upper - item[at].lower) ? k : at;
		}
		if (chance_below(&state, 2) && made + 4 <= n && item[at].size > 2 && item[at].upper - item[at].lower > 2) {
			cut_wheel(item, made, item[at], at, &state);
			made += 4;
			continue;
		}
		item[made] = item[at];
		if (chance_below(&state, 2) && item[at].size > 1) {
			part = between(0, item[at].size, &state);
			item[made].offset += part;
			item[made].size -= part;
			item[at].size = part;
		} else if (item[at].upper - item[at].lower > 1) {
			item[at].upper = item[made].lower = between(item[at].lower, item[at].upper, &state);
		} else {
			continue;
		}
		made++;
	}
	for (i = 0; i < n; i++) {
		item[i].offset = -1;
		at = chance_below(&state, n);
		item[n] = item[i];
		item[i] = item[at];
		item[at] = item[n];
	}
}

#endif
