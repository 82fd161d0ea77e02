/*
 * Packings that were searched for before: questions of a network often come to buffers that another
 * question had, and a search for their places takes most of a plan's time. Nothing is taken over
 * unless every size and every life is the same, so the plan is the one that would have been made.
 */
#ifndef STOWAGE_PLAN_PLACED_H
#define STOWAGE_PLAN_PLACED_H

#include "pack/packing.h"

struct placed;

/* None yet. They will lie in that arena. */
struct placed	*placed_new(struct arena *);
/* Was the same searched for? Then its places are set, as packing_solve() did without options. */
bool	placed_find(const struct placed *, struct packing *, struct packing_result *);
/* Keeps an answer of packing_solve(), if it was expensive and there is room. */
void	placed_keep(struct placed *, const struct packing *, const struct packing_result *);

#endif
