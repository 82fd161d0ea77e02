/*
 * Operators of dense layers: with and without a formula behind them, the gradients of their
 * parameters, apart and together, and those whose relu is kept as bits.
 */
#ifndef STOWAGE_OPS_DENSE_H
#define STOWAGE_OPS_DENSE_H

#include "ir/split.h"
#include "ops/product.h"

#define DENSE_ATTRS											\
	{ "units", ATTR_INT, "size of the last dimension of the output", .required = true,		\
	    .min = 1, .max = (double)LARGEST_EXTENT },							\
	BIAS_ATTR("add a trained number to each unit"),						\
	{ "weight", ATTR_TENSOR, "a layer whose weight, or a tensor, of shape [units, in], is used instead "	\
	    "of one of its own: weight=tok", .required = false },						\
	SPLIT_ATTR("ranks: where several train together, each has its share of the weights")

extern const struct op op_dense, op_dense_grad_input;
/* in: as op_dense, and what the formula reads beside; out: a formula of what that makes */
extern const struct op op_dense_then;
/* in: dy, weight, what else the formula reads, such as the gradient of an activation; out: what
 * that makes of dy weight */
extern const struct op op_dense_grad_input_then;

extern const struct op op_dense_grad_weight, op_dense_grad_bias;
/* in: as op_dense_grad_weight; out: what the two make */
extern const struct op op_dense_grad_weight_bias;

/* What they take of scratch memory and of time; the rows of their products at the running batch, of
 * which T holds one each. */
struct affine	dense_work(const struct node *, const struct room *);
struct affine	dense_work_of_input(const struct node *, const struct room *);
struct affine	dense_macs(const struct node *);
const char	*dense_rows(struct emitter *, const struct tensor *t);

/* in: as op_dense; out: relu of what that makes, and the bits of what passes (dense_gated.c) */
extern const struct op op_dense_gated;
/* in: as op_dense_grad_input, and such bits; out: what passes of what that makes */
extern const struct op op_dense_grad_input_gated;
/* in: a gradient, and such bits; out: what passes of it */
extern const struct op op_dense_gated_grad;
/* The result of the dense_then whose relu GRAD, a gradient, applies, and reads nothing else for:
 * bits would do. NULL: it is not so. */
struct tensor	*dense_gate(struct arena *, const struct node *grad);
/* Bytes of the bits of such a result. And they are made: what makes it, and that gradient, have
 * them. */
struct affine	dense_gate_bytes(const struct tensor *y);
void	dense_gate_apply(struct module *, struct node *, struct node *grad);

/* The gradient of a bias that is added to rows, given that of what comes of it: the sum of DY's
 * rows. Of another bias that was added to the same rows it is the same, which is copied. */
void	dense_bias_gradient(struct diff *, struct node *, struct tensor *dy, struct tensor *bias);

#endif
