/*
 * What the same training would take in another framework (frameworks/framework.h), as an interval.
 *
 *     low     exact tensors of the most economical step, in the allocator's blocks; of a framework whose
 *             order is not known, the tensors alone that are alive when forward is over
 *     high    the tensors of a wasteful one (struct eager_ask, `most`): gradients that stay from step to
 *             step, copies of what convolutions read and write; and what the framework keeps for cuBLAS
 *
 * Both are peaks of what the allocator handed out (torch.cuda.max_memory_allocated(), TensorFlow's
 * peak bytes in use). The card needs more: there is a context, and PyTorch's allocator reserves
 * more than it hands out, as nvidia-smi shows. That is the second pair, card_low to card_high.
 * (TensorFlow's takes the whole card in advance, or regions that double: what a card then shows
 * says nothing of a network.)
 *
 * A run trains, and validates if the spec does: validation is forward alone, at its own batch, and
 * the larger peak of the two counts. Forecasts are estimates; bench/reported.md holds them against
 * figures that people published.
 */
#ifndef STOWAGE_FRAMEWORKS_FORECAST_H
#define STOWAGE_FRAMEWORKS_FORECAST_H

#include "frameworks/framework.h"

struct forecast {
	const struct framework *framework;
	bool known;
	const char *why_not;
	const char *assumes;	/* what both ends rest on: a clause; NULL: nothing that runs may do otherwise */
	bool validating;	/* the peak is in validation, at batch eager.batch */
	struct eager eager;	/* the step or the validation that holds the peak, at its least */
	int64_t tensors;	/* bytes alive at the peak, exactly */
	int64_t unrolled;	/* what its lowering of a layer adds */
	int64_t allocated;	/* both in the allocator's blocks */
	int64_t reserved;	/* of the device, by the allocator */
	int64_t blas;		/* workspaces kept for cuBLAS, where it keeps them */
	int64_t most_allocated, most_reserved;	/* the same of a wasteful step, without blas */
	int64_t low, high;	/* the peak that the allocator hands out lies between */
	int64_t context;	/* of a process, an estimate, */
	int64_t context_low, context_high;	/* and what the interval takes of it */
	int64_t card_low, card_high;	/* what the card needs lies between */
};

/* The module's run at a micro-batch. */
void	forecast(const struct module *, const struct framework *, int64_t batch, struct forecast *);

/*
 * Validation alone, at its batch: under no_grad, or with what autograd keeps where that was
 * forgotten (recorded). The second is never what a run needs; it is what such a mistake costs.
 */
void	forecast_validation(const struct module *, const struct framework *, int64_t batch,
	    bool recorded, struct forecast *);

/* The batch at which the module validates if it trains at that micro-batch; 0: it does not. */
int64_t	forecast_validation_batch(const struct module *, int64_t batch);

#define FORECAST_MOST	((int64_t)1 << 20)	/* searches end here: that batch, or more */

/*
 * The largest micro-batches for which a device that gives the framework POOL bytes is enough: HIGH
 * by exact tensors, which no run can pass; LOW by the most that a step takes, which any run should
 * reach. 0: not even one sample. What a context takes is no part of the pool.
 */
void	forecast_largest(const struct module *, const struct framework *, int64_t pool,
	    int64_t *low, int64_t *high);

/* That no forecast counts attention's scores, which a run that has it written out stores: a clause.
 * NULL: the network has none. */
const char	*forecast_without_scores(const struct module *);

/* Do the tensors alone of a run at that batch have room in the pool? Else no run has. */
bool	forecast_may_fit(const struct module *, const struct framework *, int64_t batch, int64_t pool);

/* Does a run at that batch surely have room in the pool, as the allocator would divide it? */
bool	forecast_fits(const struct module *, const struct framework *, int64_t batch, int64_t pool);

/* The same on a device of so many bytes, whose context is then no less and no more than that of
 * card_low and card_high. */
void	forecast_largest_on(const struct module *, const struct framework *, int64_t memory,
	    int64_t *low, int64_t *high);

#endif
