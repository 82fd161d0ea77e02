/*
 * Items that can have one place in turn, made one: a smaller instance.
 */
#ifndef STOWAGE_PACK_PACKING_LANES_H
#define STOWAGE_PACK_PACKING_LANES_H

#include "pack/packing_impl.h"

struct lanes;

/* Of an instance without alignments or tails. *LEFT: what is to be solved, in the arena; no more
 * bytes are alive in it at any time. In attempts after the first, 0, some items have nobody after
 * them, others in each. */
struct lanes	*lanes_new(struct arena *, const struct instance *, int attempt, struct instance *left, struct effort *);
/* The offsets of what was LEFT, to the instance's jobs. */
void		 lanes_undo(const struct lanes *, const struct instance *left, struct instance *);

#endif
