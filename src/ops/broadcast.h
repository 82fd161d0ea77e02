/*
 * What operators share whose operands are repeated along axes.
 */
#ifndef STOWAGE_OPS_BROADCAST_H
#define STOWAGE_OPS_BROADCAST_H

#include "ir/op.h"

extern const struct op op_broadcast;

/* May X be repeated to the shape of what the node makes? An error, where equal and repeated axes
 * alternate too often. */
bool	broadcast_fits(struct build *, const struct node *, const struct tensor *x);
/* For shape() of a node whose operands are all of each sample or none is: where only some of the
 * COUNT from FIRST on depend on the batch, a node before it repeats the others. Operands may be
 * NULL. */
void	broadcast_samples(struct build *, struct node *, int first, int count);
/* Contributes DY, which has the shape of the node's results, to operand K's gradient, summed over
 * the axes it was repeated along. */
void	broadcast_pass_back(struct diff *, const struct node *, int k, struct tensor *dy);

#endif
