/*
 * What a sweep (packing_sweep.c) and the filling of gaps at one of its instants
 * (packing_sweep_fill.c) share.
 */
#ifndef STOWAGE_PACK_PACKING_SWEEP_H
#define STOWAGE_PACK_PACKING_SWEEP_H

#include "pack/packing_impl.h"

#define UNTIL_NOW	(-1)	/* of what is free */
#define WALL		INT_MAX	/* the bottom and the limit, which last */

/* Bytes above each other that all end at one instant, or are free. */
struct run {
	int64_t size;
	int end;		/* an instant, or UNTIL_NOW */
};

struct put {
	int64_t offset;
	int job;
};

/* A gap, and what lies below and above it. */
struct gap {
	int64_t size;
	int below, above;	/* instants at which those end, or WALL */
};

struct birth {
	int64_t size;
	int end, job;
	int gap;		/* that it is put into; -1: none yet */
};

struct rank {
	double key;
	int which;
};

/* All that is born at an instant, and the gaps of one state. */
struct fill {
	struct gap *gap;
	struct birth *birth;	/* may come into another order */
	int gaps, births;
	int *order;		/* gaps, as they are filled */
	struct birth *spare;	/* room for as many */
	struct rank *rank;	/* room for as many as there are gaps or births, and one more */
	int *stack;		/* room for births, and one more */
	const double *lasting;	/* by instant: 0 where it is now, up to 1 for what lasts */
	uint64_t seed;
	int steps;		/* that may still be done for one try */
	int64_t looks;		/* items and gaps that were looked at for it */
	struct effort *effort;
};

/* What it costs that two such ends lie above each other. */
double	fill_border(const struct fill *, int end, int other);
/* Puts all births into gaps at random, so that none is too full. False: none was found. */
bool	fill_gaps(struct fill *);
/* Births of one gap as they are to lie there, upwards: their numbers in fill->stack, and -1 for
 * what is free. How many. */
int	fill_stack(struct fill *, int gap);

#endif
