/*
 * What the search for a dissection (packing_dissect.c) and the finding of what can be joined in one
 * (packing_dissect_join.c) share.
 */
#ifndef STOWAGE_PACK_PACKING_DISSECT_H
#define STOWAGE_PACK_PACKING_DISSECT_H

#include "pack/packing_impl.h"

#define MOST_PARTS	5

/* Two of one lifetime, above each other; two of one size, after each other; five round each
 * other. */
enum join { STACK, ROW, WHEEL };

enum edge { BEGIN, END };

/* Of a wheel: the first to begin, the lower and the upper; the last to end, the lower and the
 * upper; and what they lie round. */
enum { LOW_FIRST, HIGH_FIRST, LOW_LAST, HIGH_LAST, HUB };

struct rect {
	int64_t size;
	int edge[2];		/* sections */
	int next[2], last[2];	/* in the list of those with that edge; -1 */
	enum join how;
	int part[MOST_PARTS], parts;	/* 0: an item */
	int place;		/* in the list of those that are part of no other; -1 */
	int ways, wheels;	/* that it can be joined, and of these the wheels */
};

/* One way to join some. */
struct way {
	enum join how;
	int part[MOST_PARTS];
	int rivals;		/* others that have some of these */
};

struct dissection {
	struct rect *rect;	/* items first */
	int *unused, nunused;
	int *first[2];		/* by edge and section: a list of rectangles; -1 */
	int instants;
	int *left, nleft;	/* those that are part of no other */
	struct way *way;
	int ways;
	int *joined, njoined;	/* since the last change was kept, */
	int *broken, nbroken;
	int *loose, nloose;	/* and what that left */
	int *barred, nbarred;	/* what was broken up and is not to be made again at once */
	int *near;		/* room for twice as many as there are items */
	uint64_t seed;
	int64_t looks, most_looks;	/* at rectangles and ways */
};

/* As many are enough: those that are left out are found again when what they have changes. */
#define MOST_WAYS	(1 << 16)

static inline int
join_parts(enum join how)
{
	return how == WHEEL ? MOST_PARTS : 2;
}

/* Into the lists, and out of them. */
void	dissect_put(struct dissection *, int rect);
void	dissect_take(struct dissection *, int rect);
/* Adds all ways to join one with others that are in the lists. */
void	dissect_find_ways(struct dissection *, int rect);
/* What is made that way; its parts are out of the lists, and it is in. */
int	dissect_join(struct dissection *, const struct way *);

#endif
