/*
 * Marks on the numbers 0 to n - 1, with the nearest mark on either side: a tree of bits, 64 to a
 * word, in which a level has a bit for each word of the level below that is not zero. Everything
 * costs O(log n) with a base of 64, so four words for millions.
 */
#ifndef STOWAGE_BASE_MARKS_H
#define STOWAGE_BASE_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

#define MARKS_LEVELS	6	/* 64^6 is more than an int holds */

struct marks {
	uint64_t *level[MARKS_LEVELS];
	int words[MARKS_LEVELS];
	int levels;
};

void	marks_init(struct marks *, struct arena *, int n);
void	marks_set(struct marks *, int i);
void	marks_clear(struct marks *, int i);
int	marks_next(const struct marks *, int i);	/* the first at I or after it; -1: none */
int	marks_prev(const struct marks *, int i);	/* the last at I or before it; -1: none */

#endif
