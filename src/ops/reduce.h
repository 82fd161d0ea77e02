/*
 * Sums of a tensor over some of its axes: the operators that users name (ops/reductions.c), and the gradients of
 * operands that were repeated.
 */
#ifndef STOWAGE_OPS_REDUCE_H
#define STOWAGE_OPS_REDUCE_H

#include "ir/op.h"

struct emitter;

extern const struct op op_reduce_to, op_reduce_negated, op_mul_grad;

/* Has B as many elements as A at every batch? */
bool	reduce_is_whole(const struct tensor *a, const struct tensor *b);

/* TO is FROM's sum, or that of its products with OTHER, times FACTOR, over the axes that TO, of equal rank or
 * none, does not run along. */
void	reduce_emit(struct emitter *, const struct node *, const struct tensor *to,
	    const struct tensor *other, double factor);
/* Scratch memory of that. */
struct affine	reduce_room(const struct tensor *from, const struct tensor *to, const struct tensor *other);

#endif
