/*
 * The largest micro-batch within so many bytes, with its proof: the batch was planned and verified,
 * and its successor has, at one instant, more bytes alive than there are. Where what to make again
 * is searched for, for each batch anew, there is no such proof, and larger batches may fit.
 *
 * A plan holds every graph of the program in one arena: the training step, the update, validation.
 * So an answer covers each moment of a run. The first step takes no more than those after it, for
 * optimizer state lies in the arena from the start; the last, smaller batch of an epoch runs the
 * same plan with fewer samples, in a part of each buffer.
 */
#ifndef STOWAGE_FIT_LARGEST_H
#define STOWAGE_FIT_LARGEST_H

#include "ir/ir.h"

struct largest_plan {
	int64_t arena, bound;	/* bytes; INT64_MAX where there is no plan */
};

struct largest {
	int64_t batch;		/* 0: not even one sample fits */
	int64_t next_batch;	/* the least that was found not to fit: batch + 1, but where searched; 0: none was */
	struct largest_plan at, next;	/* of batch (nothing when it is 0), and of next_batch */
	bool fixed;		/* what lives from step to step alone is beyond the limit: next.bound is
				 * that, and nothing was planned */
	bool searched;		/* for what to make again: of next_batch nothing was found that fits, and those
				 * between, or any larger, were not tried */
	bool proved;		/* next.bound is beyond the limit, and no search for it was cut short */
	bool endless;		/* no successor: the language has no larger batch */
	int plans;		/* made to find it */
};

/* M has a plan. Validation follows the batch unless the spec says its own. */
void	largest_batch(struct module *, int64_t limit, struct largest *);

#endif
