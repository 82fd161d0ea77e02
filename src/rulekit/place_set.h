/*
 * Sets of places of a spec. A block used sixteen times is sixteen times as many nodes, but one
 * text: a mistake in it is reported once, and its text may only be changed where that suits all of
 * them.
 */
#ifndef STOWAGE_RULEKIT_PLACE_SET_H
#define STOWAGE_RULEKIT_PLACE_SET_H

#include "lint/rule.h"

struct place_table;

/* At a few bytes each: a spec may have thousands of networks. */
struct place_set {
	struct place_table *has;	/* NULL: nothing yet */
};

/* Adds the place of a finding; false if it is there already, or, in an imported file, among the
 * findings of that rule in other networks. */
bool	place_is_new(struct place_set *, struct lint *, const struct rule *, struct loc);

/* Adds a place of the spec's own file. */
void	place_add(struct place_set *, struct lint *, struct loc);

/* Adds every node of the forward graph but those that make what FOUND returns of one (NULL:
 * nothing). */
void	place_add_unfound(struct place_set *, struct lint *,
	    const struct tensor *(*found)(const struct node *, const void *context), const void *context);

bool	place_has(const struct place_set *, struct loc);

#endif
