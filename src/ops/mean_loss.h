/*
 * Losses that are the mean over the batch and all elements of a formula of a prediction and a
 * target (op->formula). What each has beside its formula is here; their gradient follows by
 * calculus.
 */
#ifndef STOWAGE_OPS_MEAN_LOSS_H
#define STOWAGE_OPS_MEAN_LOSS_H

#include "formula/formula.h"
#include "ir/op.h"
#include "ops/shapes.h"

/* Prediction and target of one shape; the target may be u8. */
bool	mean_loss_shape(struct build *, struct node *);
bool	mean_loss_gradient(struct diff *, struct node *);
void	mean_loss_define(struct emitter *, const struct node *);
void	mean_loss_emit(struct emitter *, const struct node *);

/* For the pass fuse-loss: is it such a loss; and makes it one node with the gradient of `x`, whose
 * operands and results fuse-loss gives it. */
bool	mean_loss_is(const struct op *);
void	mean_loss_fuse(struct arena *, struct node *);

#endif
