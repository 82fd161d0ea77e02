/*
 * What batchnorm shares with its form that a formula belongs to (batchnorm_then.c): the attributes,
 * the places of operands and outputs, and the parts that are the same.
 */
#ifndef STOWAGE_OPS_BATCHNORM_H
#define STOWAGE_OPS_BATCHNORM_H

#include "formula/formula.h"
#include "ir/op.h"

#define BATCHNORM_ATTRS									\
	{ "eps", ATTR_REAL, "added to the variance before its root is taken",		\
	    .preset = "1e-5", .min = 1e-12, .max = 1 },					\
	{ "momentum", ATTR_REAL, "share of the batch's statistics in the new running ones",	\
	    .preset = "0.1", .min = 0, .max = 1 },					\
	{ "frozen", ATTR_BOOL, "weight and bias are kept with the statistics, and all four stay as they are",	\
	    .preset = "false" },								\
	{ "sync", ATTR_BOOL, "where ranks train together, the batch is that of all of them", .preset = "false" }

enum { X, WEIGHT, BIAS, RUNNING_MEAN, RUNNING_VAR, SKIP };
enum { Y, MEAN, INVSTD, NEW_MEAN, NEW_VAR };

#define BATCHNORM_SAVES	(SAVES_IN(X) | SAVES_IN(WEIGHT) | SAVES_OUT(MEAN) | SAVES_OUT(INVSTD) |	\
	    SAVES_IN(RUNNING_MEAN) | SAVES_IN(RUNNING_VAR))
#define BATCHNORM_OPTIONAL	(1u << MEAN | 1u << INVSTD | 1u << NEW_MEAN | 1u << NEW_VAR)

extern const struct op op_batchnorm, op_batchnorm_then, op_batchnorm_apply, op_batchnorm_then_apply, op_batchnorm_grad,
    op_batchnorm_then_grad, op_batchnorm_grad_of, op_batchnorm_marked, op_batchnorm_both, op_add;

/* Does this node take its statistics from the batch? */
bool		 batchnorm_uses_batch(const struct node *);
/* Into how many parts the kernels cut a channel (kernels/sizes.h). */
int64_t		 batchnorm_parts(const struct tensor *x, const struct target *);
struct affine	 batchnorm_workspace(const struct node *, const struct room *);
struct affine	 batchnorm_backward_workspace(const struct node *, const struct room *);
/* op->traffic: x is read for its statistics, where no convolution made these, and once more for y;
 * in backward, dy and x for their sums and for dx. */
struct affine	 batchnorm_traffic(const struct node *);
struct affine	 batchnorm_backward_traffic(const struct node *);
/* op->memory.alias: the new running statistics lie where the old ones do. */
int		 batchnorm_alias(const struct node *, int k);
/* op->gradient.again: fills the five inputs of APPLY, for which the statistics are known, or of the
 * node itself where they are fixed, and returns which of the two; NULL: it cannot be recomputed. */
const struct op	*batchnorm_again(const struct node *, const struct op *apply, struct tensor **in);
/* Of a backward node: the gradient of the forward node's k-th input; NULL when it is not wanted. */
struct tensor	*batchnorm_gradient_of(const struct node *, int k);
/* A backward node of that kind, which is given DY, and the gradients that are wanted of it; NULL:
 * none is. */
struct node	*batchnorm_differentiate(struct diff *, struct node *, const struct op *, struct tensor *dy);
/* calls.emit, with the skip that is read beside x, or NULL; of the second, forward whose statistics
 * are known; in backward with the bias, or NULL where all passes. */
void		 batchnorm_emit(struct emitter *, const struct node *, const struct tensor *skip);
void		 batchnorm_emit_apply(struct emitter *, const struct node *, const struct tensor *skip);
void		 batchnorm_emit_backward(struct emitter *, const struct node *, const struct tensor *bias);

/* ---- behind a convolution that adds up its channels (ops/conv.h) ---- */

/* Can it use such sums of T? Then it also reads them, behind its other operands. */
bool		 batchnorm_can_take_sums(const struct node *, const struct tensor *t);
/* What is read beside x; NULL: nothing. */
struct tensor	*batchnorm_skip(const struct node *);

/* ---- over the samples of all ranks ---- */

/* Is its sum over the batch one over all ranks, where these train together (sync=true)? Forward and
 * backward nodes. */
bool		 batchnorm_is_synced(const struct node *);
/* Appends to the graph what such a node is made of: sums, their addition over ranks, and what takes
 * the sum of all. */
void		 batchnorm_take_apart(struct graph *, const struct node *);

/* ---- with a formula before its gradient (batchnorm_then.c) ---- */

/* Is N a formula of two tensors that GRAD, the gradient of a batchnorm, is given? */
bool		 batchnorm_takes(const struct node *n, const struct node *grad);
/* Then GRAD makes what N made as its last output. */
void		 batchnorm_give(struct module *, const struct node *n, struct node *grad);

/* ---- relu behind a skip, of which bits are kept (batchnorm_marked.c) ---- */

/* The batchnorm_then whose y that batchnorm_grad_of reads, if what passes it can be kept as bits;
 * else NULL. */
struct node	*batchnorm_markable(struct arena *, const struct node *grad);
/* Then it keeps them, and the gradient reads them. */
void		 batchnorm_mark(struct module *, struct node *n, struct node *grad);
/* The batchnorm that makes the skip of such a one, if both can be done in one; else NULL. */
struct node	*batchnorm_beside(const struct node *n);
/* Can OTHER, which reads what GRAD makes of what passes and is the gradient of what N has beside
 * it, be done with that? Then they are, and so are N and what it has beside it: OTHER, and what
 * batchnorm_beside() says, are not needed any more. */
bool		 batchnorm_can_join_gradients(const struct node *grad, const struct node *beside, const struct node *other);
void		 batchnorm_join_both(struct module *, struct node *n, const struct node *beside, struct node *grad,
		    const struct node *other);

/* ---- with maximum pooling behind, on a GPU (batchnorm_pool.c) ---- */

/* Can a batchnorm do the pooling that reads its result? If nothing else reads that, it then does:
 * the pooling is not needed any more, and what it makes is the batchnorm's. */
bool		 batchnorm_can_pool(const struct node *, const struct node *pool);
void		 batchnorm_pool(struct module *, struct node *, const struct node *pool);
/* The same of the pooling's gradient, and of that of a batchnorm which reads what it makes. */
bool		 batchnorm_can_pool_gradients(const struct node *pool, const struct node *grad);
void		 batchnorm_pool_gradients(struct module *, const struct node *pool, struct node *grad);

#endif
