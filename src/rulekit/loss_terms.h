/*
 * The terms of losses: what is added up in them, by which factor. Means and sums over axes are
 * looked through; what they are taken over is not counted in the factor, which is for its sign.
 */
#ifndef STOWAGE_RULEKIT_LOSS_TERMS_H
#define STOWAGE_RULEKIT_LOSS_TERMS_H

#include "lint/rule.h"

#define MOST_TERMS	64	/* of all losses */

struct loss_term {
	const struct tensor *of;	/* no sum, mean or multiple of others */
	double factor;
	const struct result *in;
};

struct loss_terms {
	struct loss_term v[MOST_TERMS];
	int n, visits;
	bool all;			/* begins true; false: there are too many, and some are left out */
};

/* Adds those of one more loss. */
void	loss_terms_add(struct loss_terms *, const struct result *);

/* Is it a mean or a sum, or does it give the same another shape? */
bool	node_is_average(const struct node *);

#endif
