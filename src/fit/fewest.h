/* On how many ranks does the update fit that the spec asks for? */
#ifndef STOWAGE_FIT_FEWEST_H
#define STOWAGE_FIT_FEWEST_H

#include "fit/fit_answer.h"

struct fewest {
	int64_t ranks;	/* 0: none is known */
	int64_t batch, arena;	/* a rank's micro-batch then, and the bytes of its plan */
};

/* The fewest that divide the update of M, which trains on several, each with that limit; 1 where
 * one alone holds it. */
void	fit_fewest_ranks(struct module *m, const struct fit *, struct fewest *);

#endif
