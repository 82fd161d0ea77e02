/*
 * Operators that only put elements elsewhere: permute, slice, concat, pad, roll and their like.
 * Each says by axes where what it makes lies in what it reads (op->calls.moves); the kernels, the
 * gradient and the order in memory are the same for all (kernels/copy/move.cu).
 */
#ifndef STOWAGE_OPS_MOVE_H
#define STOWAGE_OPS_MOVE_H

#include "ir/op.h"

#define MOVE_AXES	9	/* axes of a move, the batch included, once they are merged: as kernels have it */
#define MOVE_RUNS	3
#define MOVE_PARTS	(MAX_RANK + 4)

/* in place of an axis */
#define MOVE_BATCH	(-1)
#define MOVE_NOWHERE	(-2)	/* x has no such axis, and is repeated along it */

struct move_run {		/* neighbouring indices of y that step evenly through x */
	int64_t n;
	int64_t start, by;	/* the first index of x, and the step; START < 0: the constant */
};

/* An axis of what is moved, or a part of one: [C r] is [C] and [r], whose indices step by r and by
 * 1. */
struct move_part {
	int out, in;		/* the axes of y and of x */
	int64_t out_step, in_step;	/* of an index, within these */
	int64_t out_start;	/* where it begins in the axis of y */
	int64_t n, of;		/* indices in y, and in x: per sample, so of the batch 1 */
	int nruns;		/* 0: each index of y is the same in x */
	struct move_run run[MOVE_RUNS];
};

struct moving {
	int n;
	struct move_part part[MOVE_PARTS];
	double value;		/* what has no place in x holds this */
};

/* Begins a description: the batch, as the two tensors have it. */
void			 move_start(struct moving *, const struct tensor *y, const struct tensor *x);
/* Another part, of N indices, the same in y and in x; until it is changed. */
struct move_part	*move_part(struct moving *, int out, int in, int64_t n);
void			 move_run(struct move_part *, int64_t n, int64_t start, int64_t by);

/* Does it put every element where it is already? */
bool	move_is_nothing(const struct moving *, const struct tensor *y, const struct tensor *x);

/* Calls: y from x; and dx, or what is added to it, from dy. */
void	move_emit_forward(struct emitter *, const struct tensor *y, const struct tensor *x,
	    const struct moving *);
void	move_emit_backward(struct emitter *, const struct node *, const struct tensor *dx, const struct tensor *dy,
	    const struct moving *);

/* ---- for the records of operators that make one tensor of one, and say how in calls.moves ---- */

bool	move_gradient(struct diff *, struct node *);
void	move_emit(struct emitter *, const struct node *);

#endif
