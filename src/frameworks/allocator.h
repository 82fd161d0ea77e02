/* Models of frameworks' allocators, as forecasts ask them: a block for each tensor made. */
#ifndef STOWAGE_FRAMEWORKS_ALLOCATOR_H
#define STOWAGE_FRAMEWORKS_ALLOCATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

#define ENDLESS_POOL	((int64_t)1 << 61)	/* what is asked for is counted */

struct allocator {		/* a model of one */
	const char *rounds;	/* what becomes of a request: "rounded to 512 B" */
	const char *reserves;	/* what it takes of the device */
	bool pooled;		/* it fails where its pool has no more; else it only counts */
	void *(*make)(struct arena *, int64_t pool);
	int (*alloc)(void *, int64_t bytes);	/* a handle, or -1 */
	void (*release)(void *, int handle);
	int64_t (*in_use)(const void *);	/* bytes of blocks handed out */
	int64_t (*reserved)(const void *);
};

extern const struct allocator allocator_torch_cache, allocator_bfc;

#endif
