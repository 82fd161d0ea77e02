/*
 * The free blocks of an allocator's model, by their number: which is the smallest that serves, at
 * the lowest address among equals? Of branches side by side thousands are free at once.
 */
#ifndef STOWAGE_FRAMEWORKS_FREE_BLOCKS_H
#define STOWAGE_FRAMEWORKS_FREE_BLOCKS_H

#include <stdint.h>

#include "base/vec.h"

struct free_block {
	int64_t size, address;
	int smaller, larger;	/* subtrees, one more than the root's number; 0: none */
};

struct free_blocks {		/* all zero: none */
	VEC(struct free_block) at;	/* by number; of those that are not free, anything */
	int root;		/* one more than its number; 0: none */
};

void	free_blocks_put(struct arena *, struct free_blocks *, int block, int64_t size, int64_t address);
void	free_blocks_take(struct free_blocks *, int block);
int	free_blocks_best(const struct free_blocks *, int64_t size);	/* stays where it is; -1: none */

#endif
