/*
 * What the exact search for what to recompute shares: the step as events over sets of tensors
 * (recompute_sets.c), and the search among them (recompute_exact.c). Private to these two.
 *
 * A *set* is a word; its bits are the tensors of forward that may be dropped: those that can be
 * made again, and those from which others are. All else is there from its first use to its last,
 * whatever is chosen. So is what one node alone reads and overwrites, as a convolution's output
 * before an activation: to keep that is never better than to keep what comes of it, which takes the
 * same bytes. Where the latter is made again, the former is made on the way.
 */
#ifndef STOWAGE_SCHEDULE_RECOMPUTE_EXACT_H
#define STOWAGE_SCHEDULE_RECOMPUTE_EXACT_H

#include "schedule/recompute_impl.h"

#define MOST_BITS	64
#define MOST_TIGHT	8	/* nodes for which a bound is kept */

struct set_event {		/* a node runs, in its turn or again */
	uint64_t reads, makes;
	uint64_t over;		/* the bit that its first output may overwrite, if that then dies */
	int64_t bytes;		/* needed beside what is in the set before */
	int64_t spared;		/* of them, where the bit is overwritten */
	double cost;		/* of running again */
	int before;		/* and the node before which that must be: weights change there */
};

struct tight {			/* a node that needs more than the budget if nothing is dropped */
	int node;
	uint64_t idle;		/* there, but neither read nor made by it */
	int64_t above;		/* bytes above the budget */
};

#define ROOMS		(1u << 12)	/* a power of two */

struct known_room {		/* for a tight node, with these of its idle tensors there */
	uint64_t have;
	int tight;		/* 0: nothing is here; else its number + 1 */
	double cost;
};

struct sets {
	struct model *m;
	int n;			/* bits */
	int value[MOST_BITS];
	int64_t bytes[MOST_BITS];
	int *way;		/* by value: what it is made from, to be made first whenever it is; or -1 */
	struct set_event *own;	/* by node, in its turn */
	struct set_event *again;	/* by bit: what makes it again; cost is infinite where nothing can */
	int64_t *between;	/* by node: bytes of what is no bit, before it runs */
	uint64_t *needed;	/* by node: made before it, and read by it or later */
	uint64_t *useful;	/* by node: that, and all that it would be made from */
	uint64_t first;		/* there before the first node */
	uint64_t makeable;	/* can be made again */
	int by_price[MOST_BITS];	/* bits, the cheapest byte first */
	struct tight tight[MOST_TIGHT];	/* under the budget that is looked at */
	int ntight;
	struct known_room *room;	/* what was found of it */
	bool ended;		/* has a search come to its most states? */
};

/* The model's step; NULL where a word has too few bits for it. */
struct sets	*sets_new(struct model *);
/* Finds the nodes that are tight under a budget. */
void	sets_set_budget(struct sets *, int64_t budget);
int64_t	sets_bytes(const struct sets *, uint64_t set);
/* What must run again at least if SET is there before NODE, as cost; HUGE_VAL where it cannot
 * be. */
double	sets_least_cost(const struct sets *, uint64_t set, int node);
/* Bits that nodes from NODE on need, with all they would be made from. */
uint64_t	sets_wanted(const struct sets *, uint64_t set, int node);

#endif
