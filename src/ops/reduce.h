/*
 * Sums of a tensor over some of its axes: the operators that users name (ops/reductions.c), and the
 * gradients of operands that were repeated.
 */
#ifndef STOWAGE_OPS_REDUCE_H
#define STOWAGE_OPS_REDUCE_H

#include "ir/op.h"
#include "ops/shapes.h"

struct emitter;

extern const struct op op_reduce_to;

/* What records of sums with a formula behind them have alike (ops/then.h). */
#define REDUCE_THEN(joined)								\
	.kind = OP_INTERNAL,								\
	.operands = "x beside",								\
	.min_operands = 1, .max_operands = 2,						\
	.then = { &joined, 2 },								\
	.calls.kernels = "pointwise/reduce.cu",						\
	.calls.note = then_note,							\
	.calls.define = then_define

/* Does N sum its operand along axes? Then TO has the operand's shape with extents of 1 along these,
 * or without its batch, and each sum is multiplied by FACTOR. */
bool	reduce_takes(const struct node *n, struct tensor *to, double *factor);

bool	reductions_take(const struct node *n, struct tensor *to, double *factor);	/* of sum and mean alone */

/* Has B as many elements as A at every batch? */
bool	reduce_is_whole(const struct tensor *a, const struct tensor *b);

/* TO is the sum of the node's operand, times FACTOR, over the axes that TO, of equal rank or none,
 * does not run along. */
void	reduce_emit(struct emitter *, const struct node *, const struct tensor *to, double factor);
/* Pieces that such sums are cut into, if their groups are G; and their scratch memory, where a
 * formula of the operand and of OTHER, or NULL, is summed. */
int64_t	reduce_pieces(const struct tensor *from, const struct tensor *to, const struct groups *g);
struct affine	reduce_room(const struct tensor *from, const struct tensor *to, const struct tensor *other);

#endif
