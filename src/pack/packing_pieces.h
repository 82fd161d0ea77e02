/*
 * The pieces that packing_glue.c makes blocks of, and packing_divide.c and packing_subsets.c tell
 * apart at their instants.
 */
#ifndef STOWAGE_PACK_PACKING_PIECES_H
#define STOWAGE_PACK_PACKING_PIECES_H

#include "pack/packing_impl.h"

#define MOST_SUMS	4000	/* that pieces at an instant make, beside themselves */
#define MOST_ADDED	4
#define MOST_UNITS	14	/* of which all sums are compared */

enum side { BIRTH, DEATH };

/* Which sums are compared, from what is told apart best to what is not: of some pieces; of all,
 * where those with the same lifetime are one (WHOLE), or not. */
enum sums { SINGLES, PAIRS_ALIKE, FOUR_ALIKE, PAIRS, FOUR, WHOLE, ANY, KINDS_OF_SUMS };

struct piece {
	int64_t size;
	int64_t within;		/* its offset in the parent */
	int edge[2];		/* by side: instants */
	int next[2], last[2];	/* in the list of those with that edge; -1 */
	int parent;		/* the piece that it went into; -1 */
};

struct block {
	int *piece, n;
	int *inner, ninner;	/* instants at which all are in it */
	int *time, ntimes;	/* the times of those, in their order */
	int first, last;	/* other times, at which some begin, and end */
};

struct sum {
	int64_t size;
	int piece[MOST_ADDED], n;
};

struct subset {
	int64_t size;
	unsigned units;		/* a bit each */
};

struct glue {
	struct instance *in;
	struct piece *piece;	/* jobs first, in their order */
	int npieces;
	int *time, ninstants;	/* by instant: the section that begins; first one for each, then more for the same */
	int *first[2];		/* by side and instant: a list of pieces; -1 */
	int *version;		/* by instant: how often its lists changed; */
	int *looked, *most;	/* when its block was looked for, and of how many pieces at most; */
	int *divided[KINDS_OF_SUMS];	/* and its sums were */
	struct block block;
	int *mark, *inner;	/* by piece, by instant: of which block; so many were looked for: */
	int marks;
	int *vain;		/* by instant: pieces of its block that has no solution */
	struct sum *dead, *born;	/* room for what pieces at an instant make */
	struct subset *subset[2];	/* by side; the same, of all sets */
	int64_t odds, least_odds;	/* that equal sums are not chance */
	uint64_t seed;
	bool alike, guessed;	/* those with the same lifetime were stacked; instants were divided at random */
	struct effort *effort;
};

/* ---- packing_glue.c ---- */

void	glue_move_edge(struct glue *, int piece, int side, int instant);

/* ---- packing_divide.c: an instant of their own for some that end at one, and some that begin, with the same sum of sizes.
 * False: nothing was told apart. ---- */

/* Only sums that no others there have, and not by chance, as the odds are. */
bool	glue_divide(struct glue *, enum sums);
/* One instant, at random. */
bool	glue_divide_by_chance(struct glue *);
/* Another at the same time: one whose pieces have been glued, where there is no room for more; -1:
 * there is none. */
int	glue_new_instant(struct glue *, int instant);

/* packing_subsets.c: one instant; false: nothing was told apart. WHOLE: those with the same
 * lifetime stay together. */
bool	glue_divide_all(struct glue *, int instant, bool whole);

#endif
