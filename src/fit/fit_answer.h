/*
 * Does it fit, and what is the largest batch that does? An answer compares the arena with what
 * remains of a memory after the driver, the context and the libraries.
 */
#ifndef STOWAGE_FIT_FIT_ANSWER_H
#define STOWAGE_FIT_FIT_ANSWER_H

#include "base/vec.h"
#include "plan/plan.h"
#include "target/target.h"
#include "fit/largest.h"

struct fit {
	int64_t memory;
	VEC(struct reserve) reserve;	/* items; none: the arena alone counts */
	bool reserve_given;	/* by the user, not estimated */
	int64_t reserved;	/* their sum */
	int64_t limit;		/* what is left for the arena; at least 0 */
	int64_t wanted;		/* the spec's micro-batch */
	int64_t arena, bound;	/* at that batch */
	bool fits;		/* does the wanted batch? */
	struct largest largest;
	int64_t validation;	/* bytes that validation at its own batch takes, where that alone is
				 * beyond the limit; else 0 */
};

/* Answers for the planned module M. RESERVE: bytes set aside; -1: the target's estimate. */
void	fit_answer(struct module *, int64_t memory, int64_t reserve, struct fit *);

#endif
