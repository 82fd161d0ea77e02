/*
 * The items placed so far, sorted by offset, and the gap that one more finds among them.
 */
#ifndef STOWAGE_PACK_PACKING_SHELF_H
#define STOWAGE_PACK_PACKING_SHELF_H

#include "pack/packing_impl.h"

struct shelf;

enum fit { FIT_BEST, FIT_LOWEST };	/* the tightest gap; the first from below */

/* With room for N items; it lives in the arena. */
struct shelf	*shelf_new(struct arena *, int n);
void		 shelf_clear(struct shelf *);
/* Where the job would lie; it is not put there. */
int64_t		 shelf_room(struct shelf *, const struct job *, enum fit);
/* The job, at its offset. */
void		 shelf_put(struct shelf *, const struct job *);
/* Steps since it was last asked. */
int64_t		 shelf_visits(struct shelf *);

#endif
