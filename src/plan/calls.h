/*
 * The instants of a plan as calls, and chains of calls of which each depends on the one before it.
 * What is returned belongs to nobody; struct chains lies in the arena it is made in.
 */
#ifndef STOWAGE_PLAN_CALLS_H
#define STOWAGE_PLAN_CALLS_H

#include "plan/plan.h"

/* By buffer, the length of the longest chain of calls that ends with its last writer, and with any
 * that has read it since. */
struct chains {
	const struct plan *p;
	int *written, *read;
};

void	chains_init(struct chains *, const struct plan *, struct arena *);
/* The longest chain that a call, of the COUNT instants from FIRST on, is to come after. */
int	chains_before(const struct chains *, int first, int count);
/* The call is the end of one of that length. Calls come in the order of instants, or all in the
 * opposite one. */
void	chains_over(struct chains *, int first, int count, int length);

#endif
