/*
 * How long an update of a pipeline takes, by how long its stages do.
 */
#ifndef STOWAGE_PLAN_TURNS_H
#define STOWAGE_PLAN_TURNS_H

#include "plan/plan.h"

struct stage_time {			/* of a stage, with one micro-batch */
	double forward, backward;
};

/* Of a planned stage: on a card nanoseconds by its roofline (estimate.h), else multiply-adds. */
struct stage_time	plan_turn(const struct module *);
/* How long all STAGES take together for so many micro-batches, in the unit of their turns. */
double		plan_turns_take(const struct stage_time *, int64_t stages, int64_t micro_batches, struct arena *);

#endif
