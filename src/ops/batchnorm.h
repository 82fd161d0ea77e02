/*
 * What batchnorm shares with its forms that a relu belongs to (batchnorm_relu.c): the attributes,
 * the places of operands and outputs, and the parts that are the same.
 */
#ifndef STOWAGE_OPS_BATCHNORM_H
#define STOWAGE_OPS_BATCHNORM_H

#include <float.h>

#include "ir/op.h"

#define BATCHNORM_ATTRS									\
	{ "eps", ATTR_REAL, "added to the variance before its root is taken",		\
	    .preset = "1e-5", .min = 1e-12, .max = 1 },					\
	{ "momentum", ATTR_REAL, "share of the batch's statistics in the new running ones",	\
	    .preset = "0.1", .min = 0, .max = 1 },					\
	{ "frozen", ATTR_BOOL, "weight and bias are kept with the statistics, and all four stay as they are",	\
	    .preset = "false" },								\
	{ "sync", ATTR_BOOL, "where ranks train together, the batch is that of all of them", .preset = "false" }

/* Behind these in the forms that a relu belongs to. */
#define BATCHNORM_TOP									\
	{ "top", ATTR_REAL, "results are at most that, as relu6's are at most 6; 0: there is no such bound",	\
	    .preset = "0", .min = 0, .max = DBL_MAX }

enum { X, WEIGHT, BIAS, RUNNING_MEAN, RUNNING_VAR, SKIP };
enum { Y, MEAN, INVSTD, NEW_MEAN, NEW_VAR };

#define BATCHNORM_SAVES	(SAVES_IN(X) | SAVES_IN(WEIGHT) | SAVES_OUT(MEAN) | SAVES_OUT(INVSTD) |	\
	    SAVES_IN(RUNNING_MEAN) | SAVES_IN(RUNNING_VAR))
#define BATCHNORM_OPTIONAL	(1u << MEAN | 1u << INVSTD | 1u << NEW_MEAN | 1u << NEW_VAR)

extern const struct op op_batchnorm, op_batchnorm_relu, op_batchnorm_add_relu, op_batchnorm_apply, op_batchnorm_relu_apply,
    op_batchnorm_grad, op_batchnorm_relu_grad, op_add, op_relu;

/* Does this node take its statistics from the batch? */
bool		 batchnorm_uses_batch(const struct node *);
/* Into how many parts the kernels cut a channel (kernels/sizes.h). */
int64_t		 batchnorm_parts(const struct tensor *x, const struct target *);
struct affine	 batchnorm_workspace(const struct node *, const struct room *);
struct affine	 batchnorm_backward_workspace(const struct node *, const struct room *);
/* op->traffic: x is read for its statistics and once more for y; in backward, dy and x for their sums and for dx. */
struct affine	 batchnorm_traffic(const struct node *);
struct affine	 batchnorm_backward_traffic(const struct node *);
/* op->memory.alias: the new running statistics lie where the old ones do. */
int		 batchnorm_alias(const struct node *, int k);
/* op->gradient.again: fills the five inputs of APPLY, for which the statistics are known, or of the node
 * itself where they are fixed, and returns which of the two; NULL: it cannot be recomputed. */
const struct op	*batchnorm_again(const struct node *, const struct op *apply, struct tensor **in);
/* Of a backward node: the gradient of the forward node's k-th input; NULL when it is not wanted. */
struct tensor	*batchnorm_gradient_of(const struct node *, int k);
/* A backward node of that kind, which is given DY, and the gradients that are wanted of it. */
void		 batchnorm_differentiate(struct diff *, struct node *, const struct op *,
		    struct tensor *dy);
/* TOP: batchnorm_top(), or "NAN" where there is no relu. */
void		 batchnorm_emit_backward(struct emitter *, const struct node *, const char *top);

/* ---- over the samples of all ranks ---- */

/* Is its sum over the batch one over all ranks, where these train together (sync=true)? Forward and backward nodes. */
bool		 batchnorm_is_synced(const struct node *);
/* Appends to the graph what such a node is made of: sums, their addition over ranks, and what takes the sum of all. */
void		 batchnorm_take_apart(struct graph *, const struct node *);

/* ---- with a relu ---- */

/* The upper bound of the relu in such a node, as kernels are given it: "NAN" where there is none. */
const char	*batchnorm_top(struct emitter *, const struct node *);

/* Turns the batchnorm node into one that makes Y, relu(its output), or with SKIP relu(its output +
 * SKIP); with a TOP above 0 it is at most that. */
void		 batchnorm_join(struct module *, struct node *batchnorm, struct tensor *skip,
		    double top, struct tensor *y);

/* Is MASK what of a gradient passes the relu of a batchnorm_add_relu, and GRAD the gradient of the batchnorm in it, which
 * is given that? The formula's text is made in the arena. */
bool		 batchnorm_takes_mask(struct arena *, const struct node *mask, const struct node *grad);
/* Then GRAD makes what MASK made as its last output. */
void		 batchnorm_give_mask(struct module *, const struct node *mask, struct node *grad);

#endif
