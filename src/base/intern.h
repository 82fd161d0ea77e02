/*
 * Things that are the same, kept once: a set of them, by hash, with open addressing and doubling at
 * half full. What "the same" means, and how a thing is copied, its user knows.
 *
 * A set that is all zero is empty. It lives as long as what asks it; it and the things lie in its
 * user's arena.
 */
#ifndef STOWAGE_BASE_INTERN_H
#define STOWAGE_BASE_INTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct interned {
	void *thing;
	uint64_t hash;
};

struct intern {
	struct interned *v;
	size_t room, n;		/* a power of two; of it in use */
};

typedef bool intern_same(const void *a, const void *b);

/* A hash that goes on with a word; intern_end() once all are in. */
static inline uint64_t
intern_mix(uint64_t h, uint64_t word)
{
	return (h ^ word ^ h >> 29) * 0x9e3779b97f4a7c15u;
}

static inline uint64_t
intern_end(uint64_t h)
{
	return h ^ h >> 32;
}

/* Where the thing lies that is the same as KEY, whose hash that is. NULL lies there if none did:
 * the caller puts its copy. */
void	**intern_place(struct intern *, struct arena *, const void *key, uint64_t hash, intern_same *);

#endif
