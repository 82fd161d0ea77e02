/*
 * Orders of windows that were searched for before: a network is planned for speed and then with the
 * least bytes, or at several budgets, and most of its windows are the same each time. A window is
 * known by 64 bits of a hash of all that the search sees, so its order is the one that would have
 * been found, but for two that share them by chance: of as many as are kept, less than one time in
 * 10^12. Whoever takes an order over sees that it keeps to the window's edges.
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
/* NULL: no window with that hash was searched for. */
const struct known_order	*known_orders_find(const struct known_orders *, uint64_t key, int n);
/* Of those that were kept. */
int	known_orders_count(const struct known_orders *);
/* Keeps a copy, if there is room. */
void	known_orders_keep(struct known_orders *, const struct known_order *);

#endif
