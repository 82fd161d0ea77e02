/*
 * Recompute: trading time for memory. Each activation that backward reads is either kept, or
 * recomputed from what is kept. step.h defines the states that a tensor may have, and their cost.
 *
 *     recompute.c           the pass: what the spec asks for, and rewriting the graph
 *     recompute_named.c     what the spec names
 *     recompute_budget.c    whether a choice fits, as the passes that follow see it
 *     recompute_orders.c    in which orders of the step it is searched
 *     recompute_search.c    choosing the states: without a budget, or among few tensors all choices
 *     recompute_exact.c     the cheapest way of all to a budget, in networks of about a dozen layers
 *     recompute_sets.c      the step as events over sets of tensors, for that
 *     recompute_ladder.c    choosing states for a budget, by many descents; a smaller budget never
 *                           gives a higher peak
 *     recompute_known.c     what descents came to that a second search would make again
 *     recompute_descent.c   one descent on states: moves, made as long as they help
 *     recompute_gaps.c      one descent on the list of what runs: each gap of each copy is a move
 *     recompute_parts.c     the list with checkpoints at regular distances, for long networks
 *     recompute_evict.c     such a list made in one pass, in which something goes where room is needed
 *     recompute_evict_facts.c what such passes know before they begin
 *     recompute_climb.c     the best of many passes
 *     recompute_refine.c    less that is made again, where the last resort fits
 *     recompute_steps.c     such lists, and striking out what need not be made again
 *     recompute_tried.c     what trials have shown, by the choice
 *     recompute_moves.c     moves, and estimates of their value
 *     recompute_vain.c      moves that need no trial
 *     recompute_reach.c     how many samples there is room for, about
 *     step_model.c          the step as flat arrays, for these files and for order.c
 *     step_trial.c          one run of the step under a choice: its exact peak and its cost
 *
 * The result is ordinary IR: copies of forward nodes (node->again) among those of backward. They
 * compute bit for bit what forward computed: the same kernels on the same values.
 */
#ifndef STOWAGE_SCHEDULE_RECOMPUTE_H
#define STOWAGE_SCHEDULE_RECOMPUTE_H

#include "schedule/step.h"

/* Events in all trials of a search for a budget: a second or so. And in all those together by which
 * questions of a planned network are answered (pass_options->search_work). */
#define RECOMPUTE_WORK		((int64_t)16 << 20)
#define RECOMPUTE_LONGEST	(2 * RECOMPUTE_WORK)	/* where nothing was found for a budget that the spec names */
#define RECOMPUTE_MOST		(3 * RECOMPUTE_WORK)	/* of all searches for it, after which nothing is looked for that costs less */
#define RECOMPUTE_SECOND	((int64_t)4 << 20)	/* half of what a second of a processor does of it, about: there may be two */
#define RECOMPUTE_QUESTIONS	((int64_t)24 << 20)
#define RECOMPUTE_QUESTION	3	/* one may do that part of what is left, so that one in vain leaves something for others */
#define RECOMPUTE_BATCHES	(5 * RECOMPUTE_WORK)	/* in all those for the largest batch */

#define RECOMPUTE_SHARED	3	/* for a budget that the spec names, that part of the work is what shares are of, */
#define RECOMPUTE_REFINED	4	/* and that is for what a last resort makes again in vain */

#define RECOMPUTE_PLANNED	3000	/* and as many events the passes beside a search are, for each node */
#define RECOMPUTE_LARGE		4000	/* nodes of a step, to plan which takes as long as dozens of trials */
#define RECOMPUTE_VISITS	32	/* placing a buffer so often is worth an event, */
#define RECOMPUTE_VISITS_FAR	8	/* or so often, where there are thousands */

/* Rewrites GRAPH (the model's, or a clone of it whose tensors MAP gives) as the last trial ran. */
void	recompute_apply(const struct model *, struct graph *, struct tensor *const *map);

/* ---- recompute_search.c ---- */

struct search_limits {
	int64_t budget;		/* bytes of train's transient buffers to get down to */
	int64_t work;		/* events in all trials, of which each kind of search has a share */
	int64_t most_work;	/* in all of the model, those before included, after which the search ends */
	bool products;		/* may convolutions and matrix products run again? */
	bool unasked;		/* nobody asked for it but the card: where little is wanting, little is searched */
	bool asked;		/* the spec names the budget */
	bool any;		/* whatever fits will do, however much it makes again */
	/* Does the choice really fit? The passes that follow may lower a trial's peak further. */
	bool (*fits)(struct model *, void *context);
	/* Nothing that was searched fits: is there what does if that is looked at with more effort?
	 * Then the model's trial is of it. NULL: it is not asked. */
	bool (*fits_after_all)(struct model *, void *context);
	void *context;
};

/* Of how many tensors recompute_cheapest() asks whether to keep them; 0: of none, or too many. With
 * few of them it probably ends. */
int	recompute_questions(struct model *);
#define RECOMPUTE_FEW	26
/* Finds the cheapest way to the budget, at a cost of MOST or less: multiply-adds, and a quarter of
 * the bytes that are read and written. Leaves its trial in model->trial; false where there is none
 * that fits, or it takes too long to tell: then everything is kept. */
bool	recompute_cheapest(struct model *, const struct search_limits *, double most);

/* Walks from the choice that keeps everything to ever lower peaks, and stops at the first choice
 * that fits; else at the lowest. Where it goes does not depend on the budget, so a smaller one
 * never gives a higher peak, unless one of them uses up its work (model->work): then the lowest
 * choice so far is what it comes to. Leaves the choice in model->state and its trial in
 * model->trial; true if it fits. */
bool	recompute_go_down(struct model *, const struct search_limits *);

/* On from a step that fits: the same with less that is made again. False where nothing is found;
 * the model's trial is of any step. */
struct steps;
bool	recompute_refine(struct model *, const struct search_limits *, struct steps *);

/* What of these is the first to fit, beginning with the choice in model->state. */
bool	recompute_search(struct model *, const struct search_limits *);
/* Without a budget: as low as memory is worth it, without products. */
void	recompute_cheaply(struct model *);

#endif
