/*
 * What memory and training rules share: which bytes are worth a warning, who reads what, and what a
 * cure saves. Everything lives in the module's arena.
 */
#ifndef STOWAGE_RULES_MEASURE_H
#define STOWAGE_RULES_MEASURE_H

#include <string.h>

#include "ir/op.h"
#include "lint/engine.h"

#include "plan/plan.h"

#define SMALLEST_HAZARD	((int64_t)256 << 20)	/* below this nobody's card is in danger */

/* Are so many bytes a hazard? At least SMALLEST_HAZARD, and a quarter of the device's memory; where
 * there is no device 1 GiB, and half of the arena. Of a sketch: may they be? */
bool	measure_is_hazard(const struct module *, int64_t bytes);

/* Is that possible, whatever arena a whole plan has? */
bool	measure_may_be_hazard(const struct module *, int64_t bytes);
/* What training takes in any order, and with recomputation of what is cheap. */
int64_t	measure_least_training(const struct module *);

/* "31 % of the device" or "of the arena" */
const char	*measure_share(const struct module *, int64_t bytes);

/* The help "WHAT needs A, B less" of a module planned otherwise; nothing where that saves nothing
 * or has no plan. WHAT is a format. */
void	measure_cure(struct lint *, struct diag *, const struct module *, const char *what, ...)
	    __attribute__((format(printf, 4, 5)));

/* Is this tensor's buffer alive where the plan is largest? Of a sketch: may it be? */
bool	measure_at_peak(const struct module *, const struct tensor *);

/* By the id of a parameter: the node that updates it in the planned module, or NULL. With these, the
 * bytes of a parameter with its gradient and optimizer state, as they are in the plan. */
struct node	**measure_updates(const struct module *);
int64_t	measure_trained_bytes(const struct module *, struct node *const *update,
	    const struct tensor *param);

/* Who reads what in the forward graph: found once for all rules. */
struct readers	readers_of(struct lint *);
/* The only reader of out[0], or NULL. */
struct node	*only_reader(const struct readers *, const struct node *);

/* The operand's maker, past nodes that give each element a place of its own, unchanged: views and
 * dropout. NULL for inputs and parameters. */
struct node	*measure_maker(const struct tensor *);

static inline bool
measure_is(const struct node *n, const char *op)	/* NULL is nothing */
{
	return n && *n->op->name == *op && strcmp(n->op->name, op) == 0;
}

/* Does the node's arithmetic repeat both operands, so that its result is GROWTH times the larger or
 * more? What they were before they were repeated. */
bool	measure_repeats(const struct node *, int64_t growth, const struct tensor **x,
	    const struct tensor **y);

/* Of [N, 1, D] and [1, M, D] the result is [N, M, D], and this is true: all pairs of vectors. Of a
 * column and a row, [N, 1] and [1, M], nothing is in both. */
bool	measure_of_vectors(const struct node *, const struct tensor *x, const struct tensor *y);

/* The first batch normalisation of training that takes its statistics from the batch (a frozen one
 * does not), or NULL; and over how many positions of one sample it takes them. */
const struct node	*measure_batchnorm(const struct module *);
int64_t	measure_positions(const struct node *);

/* One finding a place: a block used sixteen times has one mistake. Places of the spec's own file
 * cost a byte for each of its bytes; those of imported files are looked for among the findings. */
struct once {
	bool *seen;
};

bool	once_more(struct once *, struct lint *, const struct rule *, struct loc);

#endif
