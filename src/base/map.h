/*
 * A map from names to pointers, in an arena: open addressing, doubling at half full. Keys are not
 * copied. Order of insertion is kept in `entry`, so that suggestions come out the same every time.
 */
#ifndef STOWAGE_BASE_MAP_H
#define STOWAGE_BASE_MAP_H

#include "base/arena.h"

struct map_entry {
	const char *key;
	void *value;
	unsigned hash;			/* of the key: others are told apart without reading them */
};

struct map {
	struct map_entry *entry;	/* in order of insertion */
	int n, cap;
	int *slot;			/* index into entry + 1; 0: free */
	int nslots;			/* a power of two, or 0 */
};

void	*map_get(const struct map *, const char *key);	/* NULL when absent */
void	 map_put(struct arena *, struct map *, const char *key, void *value);	/* a new key */
void	 map_set(struct map *, const char *key, void *value);	/* a key that is there */

/* Takes out all that was put in after the first N. */
void	map_cut(struct map *, int n);

#endif
