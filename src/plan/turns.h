/*
 * How long an update of a pipeline takes, by how long its stages do.
 */
#ifndef STOWAGE_PLAN_TURNS_H
#define STOWAGE_PLAN_TURNS_H

#include "plan/plan.h"

struct stage_time {			/* of a stage, with one micro-batch */
	double forward, backward;
};

struct turns {
	double takes;		/* an update, but for what updates the weights: on a card nanoseconds by its roofline (estimate.h), else
				 * multiply-adds; 0: nothing */
	double waits;		/* the share of it for which a rank waits for others, on average, 0 to 1 */
	int64_t slowest;	/* the rank that has the most to do */
	double slowest_waits;	/* and its share */
};

/* Of a module of stages that are planned. */
struct turns	plan_turns(const struct module *);
/* How long all STAGES take together for so many micro-batches, in the unit of their turns. */
double		plan_turns_take(const struct stage_time *, int64_t stages, int64_t micro_batches, struct arena *);

#endif
