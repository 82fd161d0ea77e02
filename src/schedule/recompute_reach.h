/*
 * For about how many samples a budget is enough where what to make again is chosen: a guess, to be
 * planned.
 */
#ifndef STOWAGE_SCHEDULE_RECOMPUTE_REACH_H
#define STOWAGE_SCHEDULE_RECOMPUTE_REACH_H

#include "schedule/step.h"

/* The most samples, of up to MOST, at which one pass that lets values go stays within BUDGET, bytes
 * of train's transient buffers; 0: none. FROM: where to begin. The model's prices and its trial are
 * of any batch afterwards. */
int64_t	recompute_reach(struct model *, int64_t budget, int64_t from, int64_t most);

#endif
