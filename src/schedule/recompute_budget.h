/*
 * What the pass (recompute.c) asks of a choice: what the passes that follow make of it, and whether
 * that fits a budget (recompute_budget.c); and in which orders of the step it is searched
 * (recompute_orders.c).
 */
#ifndef STOWAGE_SCHEDULE_RECOMPUTE_BUDGET_H
#define STOWAGE_SCHEDULE_RECOMPUTE_BUDGET_H

#include "schedule/recompute_impl.h"

#define MOST_CLOSE	4	/* plans to be placed with more effort, where none fits; */
#define MOST_ASKED	1	/* for one question among many, the closest */

struct close {			/* what would fit, were it placed as low as its lower bound */
	struct module *planned;	/* up to place, in an arena of its own */
	struct steps steps;
	bool placed;		/* with more effort */
};

struct budget {
	struct module *m;
	const struct pass_options *o;
	int64_t bytes;
	bool thorough;		/* what is close is placed with more effort at once: in small networks */
	struct module *planned;	/* what fits */
	struct close close[MOST_CLOSE];	/* that with the smallest arena first */
	int nclose;
	int64_t most_work;	/* of the model, after which what is close is left as it is; 0: however much */
	bool at_last;		/* none of all that was searched fits; what does is a last resort */
};

/* ---- recompute_budget.c ---- */

/* The module as it is, its graphs copied, in an arena of its own; train is rewritten as the model's
 * last trial. */
struct module	*budget_copy_of_trial(const struct module *, const struct model *, struct arena *);

/* Options of the passes that follow. */
struct pass_options	budget_options(const struct pass_options *);
/* What the passes that follow make of the model's last trial: the bytes of its arena, or their
 * lower bound. */
int64_t	arena_of_trial(struct module *, const struct pass_options *, struct model *, bool bound_only);
/* Does the model's last trial fit the struct budget? Then that has it, planned. */
bool	fits_budget(struct model *, void *budget);
/* Nothing fits as it is placed with a network's effort. What is close gets more, in an order that
 * does not depend on the budget, so that for a smaller one the arena is no larger. The model's
 * trial is of what fits. */
bool	budget_place_close(struct model *, void *budget);
/* Something fits; of what is close and costs less, the cheapest takes its place that does so, too,
 * with more effort. A smaller budget, for which nothing else fits, would be given it. */
void	budget_place_cheaper(struct budget *, struct model *);
void	budget_forget_close(struct budget *);
/* The smallest arena that was found, that of the last trial included. */
int64_t	budget_least_found(struct budget *, struct model *);

/* ---- recompute_orders.c ---- */

/* The cheapest way in the order that stands, or in another, of two or, if MANY, of more: of each
 * there are budgets for which it is cheaper by some percent. The model's trial is of what fits, and
 * where that is in another order, so is the graph. */
bool	search_orders(struct budget *, struct model *, const struct search_limits *, bool many);
/* What fits is ordered as its own step asks for, and there less is made again, where that is found.
 * The model's trial is of what fits. */
void	refine_in_own_order(struct budget *, struct model *, const struct search_limits *);
/* All the way down in the other order; what its trials come to is ordered once more, so this may
 * fit where no way does. Else the model's trial is again that which it was: events of the other
 * order mean other nodes in this. */
bool	go_down_in_other_order(struct budget *, struct model *, const struct search_limits *);

#endif
