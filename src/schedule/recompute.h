/*
 * Recompute: trading time for memory. Each activation that backward reads is kept, or made again
 * from what is kept. schedule/step.h says what states a tensor may have, and what they cost.
 *
 *     recompute.c           the pass: what the spec asks for, and rewriting the graph
 *     recompute_search.c    choosing the states: without a budget, or among few tensors
 *     recompute_ladder.c    choosing them to a budget, by many descents
 *     recompute_descent.c   one descent: moves, made while they help
 *     recompute_moves.c     moves, and what they seem to be worth
 *
 * The result is IR like any other: copies of forward nodes (node->again) among those of backward.
 * What they compute is bit for bit what forward computed: the same kernels on the same values.
 */
#ifndef STOWAGE_SCHEDULE_RECOMPUTE_H
#define STOWAGE_SCHEDULE_RECOMPUTE_H

#include "schedule/step.h"

/* Rewrites GRAPH (the model's, or a clone of it whose tensors MAP gives) as the last trial ran. */
void	recompute_apply(const struct model *, struct graph *, struct tensor *const *map);

/* ---- recompute_search.c ---- */

struct search_limits {
	int64_t budget;		/* bytes of train's transient buffers to get down to */
	bool products;		/* may convolutions and matrix products run again? */
	/* Does the choice really fit? The passes that follow may lower a trial's peak further. */
	bool (*fits)(struct model *, void *context);
	void *context;
};

/* Walks from the choice in model->state to ever lower peaks, and stops at the first choice that
 * fits; else at the lowest. Where it goes does not depend on the budget, so a smaller one never
 * gives a higher peak. Leaves the choice in model->state and its trial in model->trial; true if it
 * fits. */
bool	recompute_search(struct model *, const struct search_limits *);

#endif
