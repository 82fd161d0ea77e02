/*
 * TensorFlow's device allocator, BFC ("best fit with coalescing"), as a model: what a series of
 * requests does to a card's memory, down to the byte.
 *
 * The rules, as TensorFlow 1.x has them with growing memory. A request is rounded up to 256 B. It
 * is served from the smallest free chunk that is large enough, at the lowest address among equals;
 * the chunk is split if it is at least twice the request, or if 128 MiB or more would be wasted.
 * If no chunk is large enough, a region is requested from the device: 1 MiB first and then twice
 * the last, or the next doubling that holds the request, but never more than is left of the pool. A
 * freed chunk joins its free neighbours of the same region.
 */
#ifndef STOWAGE_FRAMEWORKS_BFC_H
#define STOWAGE_FRAMEWORKS_BFC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "frameworks/free_blocks.h"

#define BFC_GRAIN	256

struct bfc_chunk {
	int64_t address, size;	/* of all COUNT requests together */
	int64_t unit;		/* bytes of each request but the last, which takes the rest */
	int64_t count;		/* requests in it; 0: free */
	int prev, next;		/* neighbours by address in the same region; -1: none */
	int next_spare;		/* of an unused entry; -1: none */
};

struct bfc {
	struct arena *arena;
	int64_t pool;		/* bytes the device lets it have */
	int64_t regions;	/* bytes taken from it so far */
	int64_t next_region;
	int64_t in_use;		/* bytes of chunks handed out */
	VEC(struct bfc_chunk) chunks;
	struct free_blocks free;
	int spare;		/* unused entries of chunks */
};

void	bfc_init(struct bfc *, struct arena *, int64_t pool);

/* Returns a handle for bfc_free(), or -1 when the pool cannot serve it. */
int	bfc_alloc(struct bfc *, int64_t bytes);
void	bfc_free(struct bfc *, int chunk);

/* COUNT requests of the same size one after the other, at a cost that does not grow with COUNT.
 * Returns how many were served; they cannot be freed. */
int64_t	bfc_alloc_many(struct bfc *, int64_t bytes, int64_t count);

/* The same, all or nothing that is worth going on with, to be freed together. */
struct bfc_run {
	VEC(int) chunks;
};

bool	bfc_alloc_run(struct bfc *, int64_t bytes, int64_t count, struct bfc_run *);
void	bfc_free_run(struct bfc *, const struct bfc_run *);

/* How many chunks of exactly SIZE bytes are in use, as the allocator's dump lists them. */
int64_t	bfc_census(const struct bfc *, int64_t size);

#endif
