/*
 * What operators of two tensors share: the rule of broadcasting, its kernels and its gradient.
 */
#ifndef STOWAGE_OPS_BROADCAST_H
#define STOWAGE_OPS_BROADCAST_H

#include "ir/op.h"

struct emitter;

extern const struct op op_broadcast;

/* Equal rank, extents equal or 1; a scalar with anything; only one operand is repeated. */
bool	broadcast_shape(struct build *, struct node *);
/* For shape() of a node whose operands are all of each sample or none is: where only some of the COUNT from FIRST on
 * depend on the batch, a node before it repeats the others. Operands may be NULL. */
void	broadcast_samples(struct build *, struct node *, int first, int count);
/* Calls NAME_forward or NAME_broadcast, with the operator's name. */
void	broadcast_emit(struct emitter *, const struct node *);
/* y = x op other, where FUNCTION is "add", "sub" or "mul". */
void	broadcast_combine(struct emitter *, const char *function, const struct tensor *y,
	    const struct tensor *x, const struct tensor *other);
/* Contributes dy to operand K's gradient, summed over the axes it was repeated along. */
void	broadcast_pass_back(struct diff *, const struct node *, int k);

#endif
