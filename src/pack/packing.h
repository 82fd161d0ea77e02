/*
 * packing: dynamic storage allocation. Items with a size and a lifetime get offsets so that items
 * alive together do not overlap and the height, the end of the highest item, is small. It is
 * NP-hard; the chain of methods is in packing.c.
 *
 * Items belong to the caller, who gives and reads them in its own order. Everything else lives in
 * the given arena.
 */
#ifndef STOWAGE_PACK_PACKING_H
#define STOWAGE_PACK_PACKING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct item {
	int64_t size;
	int64_t lower, upper;	/* alive in [lower, upper) */
	int64_t offset;		/* the answer */
	int64_t alignment;	/* of this offset, any number; 0: the packing's */
};

struct packing {
	struct item *item;
	int n;
	int alignment;	/* a power of two. Every size is padded to it, the topmost too */
};

struct packing_options {
	int64_t capacity;	/* an answer within it will do; 0: as low as can be found */
	int64_t visits;		/* how much to search, in steps, alike on all machines, where more never
				 * gives a worse answer; 0: as a network is planned */
	double seconds;		/* the same by the clock, from now, but at least what a network gets; 0: no limit */
};

struct packing_result {
	int64_t height;		/* of the offsets that were set */
	int64_t max_live;	/* what those alive at one time need: their sizes, and what alignments waste */
	int64_t bound;		/* proved: no packing is lower. At least max_live */
	bool optimal;		/* height == bound */
	int64_t visits;		/* steps of the search, alike on all machines */
};

/* What those alive at one time need, padded and aligned: no packing is lower. */
int64_t	packing_lower_bound(struct arena *, const struct packing *);

/* The steps that a network of so many items gets. */
int64_t	packing_turn(int items);

/* Places all items; options may be NULL. Where the options' capacity is below the bound that comes
 * back, there is no packing within it. The sum of sizes must stay below 2^62. */
struct packing_result	packing_solve(struct arena *, struct packing *,
			    const struct packing_options *);

enum packing_fault { PACKING_RIGHT, PACKING_OVERLAP, PACKING_MISALIGNED, PACKING_OUTSIDE };

/* packing_check.c, which shares nothing with the solver: are all offsets multiples of their
 * alignment, within [0, capacity), and free of overlaps? *first and *second: whose are not. */
enum packing_fault	packing_check(struct arena *, const struct packing *, int64_t capacity,
			    int *first, int *second);

#endif
