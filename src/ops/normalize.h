/*
 * What normalisations and their gradients share (normalize.c, normalize_grad.c): the places of
 * operands and results, and what rows are.
 */
#ifndef STOWAGE_OPS_NORMALIZE_H
#define STOWAGE_OPS_NORMALIZE_H

#include "calls/emitter.h"
#include "ir/op.h"

enum { X, WEIGHT, BIAS };
enum { Y, SCALE, MEAN };

/* what a row is divided by: attribute `by` of gradients, in its order, as norm/normalize.cu calls
 * it */
enum statistic { DEVIATION, ROOT_MEAN, LENGTH };

struct norm {
	enum statistic by;
	int axis;		/* rows are this axis (LENGTH), or it and those behind it */
	int64_t groups;		/* not 0: rows are so many groups of channels, each with a weight */
	double eps;
};

/* How x lies for the kernels: ROWS of N neighbours, of which GROUPS have weights of their own,
 * PLACES neighbours each. */
struct rows {
	const char *rows;
	int64_t n, groups, places;
};

/* Of forward and of backward nodes. */
struct norm	normalize_norm(const struct node *);
int64_t		normalize_length(const struct norm *, const struct tensor *x);	/* of a row */
struct rows	normalize_rows(struct emitter *, const struct norm *, const struct tensor *x);
/* Do its rows' elements lie apart? */
bool		normalize_is_strided(const struct norm *, const struct tensor *x);
/* The kernels' BY_..., by which a row is divided. */
struct call_arg	normalize_by(const struct norm *);

/* NULL: it has none. */
static inline struct tensor *
normalize_operand(const struct node *n, int k)
{
	return n->nin > k ? n->in[k] : NULL;
}

/* op->gradient.build */
bool		normalize_gradient(struct diff *, struct node *);

#endif
