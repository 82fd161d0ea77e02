/*
 * What the chain of methods (packing.c) and its searches (packing_work.c) share.
 */
#ifndef STOWAGE_PACK_PACKING_WORK_H
#define STOWAGE_PACK_PACKING_WORK_H

#include "pack/packing_impl.h"

struct range {
	int64_t bound;		/* proved: not below */
	int64_t height;		/* found */
};

/* A piece, and how far it came. */
struct work {
	struct instance *in;
	struct range r;
	struct search_turns *at_bound, *between;	/* NULL: none yet. The first goes on in the next turn, */
	struct search_turns *below, *far_below;		/* and the third at each lower capacity */
	bool dived;		/* at the bound */
	int64_t dived_below;	/* the height that ways down do not lead below; 0: not tried yet */
	int64_t dived_in_vain;	/* the last capacity that they did not lead to by slices; 0: none yet */
	bool stretched;		/* elastic ejection came to rest */
	int64_t held;		/* of its effort, for larger pieces: it is not worth that */
};

/* One search with a part of the effort; narrows the range. */
enum search_end	work_search_at(struct search_turns *, struct instance *, int64_t capacity, struct range *,
		    struct effort *, int parts, enum search_end (*search)(struct search_turns *, int64_t, struct effort *));
/* What searches need, once. */
void	work_make_searches(struct work *);
/* The first way down at a capacity, once. */
void	work_dive(struct work *, int64_t capacity, struct effort *);
/* Ways down in all orders, at a capacity and between it and the height. */
void	work_dive_on(struct work *, int64_t capacity, struct effort *);
/* Searches between what was TRIED in vain and the height: at ever fewer capacities, or at many that
 * differ. */
void	work_bisect(struct work *, int64_t tried, struct effort *, int parts);
void	work_search_between(struct work *, int64_t tried, struct effort *);
/* Below the height: ways down; then just below it, and again as far below what is found there as
 * that was below the one before. Where all else has come to rest, one that is asked for a byte less
 * may yet find it at once. */
void	work_search_below(struct work *, int64_t tried, struct effort *);

#endif
