/*
 * Items that can lie together, where nothing may be wasted, made one: a smaller instance.
 */
#ifndef STOWAGE_PACK_PACKING_GLUE_H
#define STOWAGE_PACK_PACKING_GLUE_H

#include "pack/packing_impl.h"

struct glue;

/* Of an instance without alignments or tails. *left: what is to be solved, in the instance's arena.
 * The first ATTEMPT, 0, is the most careful; a later one does as the fourth before it, but guesses
 * otherwise. */
struct glue	*glue_new(struct instance *, int attempt, struct instance *left, struct effort *);
/* Glues more, of which some may be wrong; false if there is nothing to guess. The effort is the one
 * above. */
bool		 glue_guess(struct glue *, struct instance *left);
/* The offsets of what was LEFT, to the instance's jobs or a copy of them in the same order. */
void		 glue_undo(const struct glue *, const struct instance *left, struct job *);

#endif
