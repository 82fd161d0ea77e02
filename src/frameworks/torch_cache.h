/*
 * PyTorch's caching allocator on CUDA as a model: what a series of requests makes it reserve of the
 * device.
 *
 * Its rules, as they are without settings of PYTORCH_CUDA_ALLOC_CONF. A request is rounded up to
 * 512 B. Up to 1 MiB it is served from the small pool, whose segments have 2 MiB; below 10 MiB from
 * segments of 20 MiB; from 10 MiB on it has a segment of its own, rounded up to 2 MiB. The smallest
 * free block of the pool that is large enough is taken, at the lowest address among equals, and
 * split if 512 B (small) or more than 1 MiB (large) remain. A freed block joins its free neighbours
 * of the segment. Segments stay reserved until the device has no more: that last resort is not
 * modelled, so what is reserved is what PyTorch takes while there is memory left.
 */
#ifndef STOWAGE_FRAMEWORKS_TORCH_CACHE_H
#define STOWAGE_FRAMEWORKS_TORCH_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "frameworks/free_blocks.h"

struct torch_block {
	int64_t address, size;
	int prev, next;		/* neighbours of the segment; -1: none */
	bool small, used;
	int next_spare;		/* of an unused entry; -1: none */
};

struct torch_cache {
	struct arena *arena;
	int64_t allocated, reserved;	/* bytes now */
	int64_t most_allocated;		/* ever */
	VEC(struct torch_block) blocks;
	struct free_blocks free[2];	/* large, small */
	int spare;		/* unused entries of blocks */
	bool overflow;		/* beyond 63 bits: nothing is counted any more */
};

void	torch_cache_init(struct torch_cache *, struct arena *);

/* Returns a handle for torch_cache_free(), or -1 when beyond 63 bits. */
int	torch_cache_alloc(struct torch_cache *, int64_t bytes);
void	torch_cache_free(struct torch_cache *, int block);

#endif
