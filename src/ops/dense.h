/*
 * Operators of dense layers: with and without a formula behind them, and the gradients of their
 * parameters, apart and together.
 */
#ifndef STOWAGE_OPS_DENSE_H
#define STOWAGE_OPS_DENSE_H

#include "ir/op.h"

extern const struct op op_dense, op_dense_grad_input;
/* in: as op_dense, and what the formula reads beside; out: a formula of what that makes */
extern const struct op op_dense_then;
/* in: dy, weight, what else the formula reads, such as the gradient of an activation; out: what
 * that makes of dy weight */
extern const struct op op_dense_grad_input_then;

extern const struct op op_dense_grad_weight, op_dense_grad_bias;
/* in: as op_dense_grad_weight; out: what the two make */
extern const struct op op_dense_grad_weight_bias;

/* The gradient of a bias that is added to rows, given that of what comes of it: the sum of DY's
 * rows. Of another bias that was added to the same rows it is the same, which is copied. */
void	dense_bias_gradient(struct diff *, struct node *, struct tensor *dy, struct tensor *bias);

#endif
