/*
 * Bytes for rules: which are worth a warning, what parameters and their training take, and what a
 * cure saves. Everything lives in the module's arena.
 */
#ifndef STOWAGE_RULEKIT_MEASURE_H
#define STOWAGE_RULEKIT_MEASURE_H

#include "lint/rule.h"
#include "plan/plan.h"

#define SMALLEST_HAZARD	((int64_t)256 << 20)	/* below this no card runs out of memory */

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
void	measure_saving(struct lint *, struct diag *, const struct module *, const char *what, ...)
	    __attribute__((format(printf, 4, 5)));

/* Is this tensor's buffer alive where the plan is largest? Of a sketch: may it be? */
bool	measure_at_peak(const struct module *, const struct tensor *);

/* By the id of a parameter: the node that updates it in the planned module, or NULL. With these,
 * the bytes of a parameter with its gradient and optimizer state, as they are in the plan. */
struct node	**measure_updates(const struct module *);
int64_t	measure_trained_bytes(const struct module *, struct node *const *update,
	    const struct tensor *param);

#endif
