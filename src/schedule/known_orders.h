/*
 * Orders of windows that were searched for before: a network is planned for speed and then with the least bytes, or at
 * several budgets, and most of its windows are the same each time. Nothing is taken over unless all that the search sees
 * is the same, so the order is the one that would have been found.
 */
#ifndef STOWAGE_SCHEDULE_KNOWN_ORDERS_H
#define STOWAGE_SCHEDULE_KNOWN_ORDERS_H

#include <stdint.h>

#include "base/arena.h"

struct known_orders;

struct known_order {
	uint64_t key;		/* a hash of what the search sees */
	int n;			/* nodes */
	int64_t gain;		/* bytes by which the peak falls; 0: nothing better was found */
	unsigned char *node;	/* NULL without a gain: which of the window comes first, ... */
};

/* None yet. They will lie in that arena. */
struct known_orders	*known_orders_new(struct arena *);
/* NULL: the same was not searched for. */
const struct known_order	*known_orders_find(const struct known_orders *, uint64_t key, int n);
/* Keeps a copy, if there is room. */
void	known_orders_keep(struct known_orders *, const struct known_order *);

#endif
