/*
 * The search of packing_flat.c by itself, for what is full all the time.
 */
#ifndef STOWAGE_PACK_PACKING_FLAT_H
#define STOWAGE_PACK_PACKING_FLAT_H

#include "pack/packing_impl.h"

/* Tries to pack an instance without alignments or tails within its max_live, so often. False: not
 * found. */
bool	flat_solve(struct instance *, int tries, struct effort *);
/* An answer, however high, that wastes little where little can be. Jobs may come into another
 * order. */
void	flat_stack(struct instance *, struct effort *);

#endif
