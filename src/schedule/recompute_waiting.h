/*
 * Choices that wait: each was found on the way down to a budget, and may be taken, unless one that
 * is lower costs less (recompute_ladder.c). The highest comes first.
 */
#ifndef STOWAGE_SCHEDULE_RECOMPUTE_WAITING_H
#define STOWAGE_SCHEDULE_RECOMPUTE_WAITING_H

#include "schedule/recompute_impl.h"

#define MOST_WAITING	32

struct waiting_choice {
	struct steps steps;
	int64_t most;		/* the peak, in bytes, for which it was proposed */
};

struct waiting {		/* a ring */
	struct waiting_choice v[MOST_WAITING];
	int front, n, room;
};

/* With room for so many, up to MOST_WAITING. */
void		waiting_init(struct waiting *, struct model *, int room);
bool		waiting_is_full(const struct waiting *);
/* There must be room. MOST is in bytes. */
void		waiting_put(struct waiting *, const struct steps *, int64_t most);
/* The highest; NULL: none waits. */
struct steps	*waiting_first(struct waiting *);
/* It leaves, but stays as it is until the next one is put. */
void		waiting_take(struct waiting *);
/* What is as high as a choice, and costs no less, goes. Tells the peaks for which those were
 * proposed that cost more, the highest first, MOST_WAITING at most; returns how many. */
int		waiting_displace(struct waiting *, const struct steps *, int64_t *dearer);

#endif
