/*
 * Differentiation, as operators see it: op->gradient.build() builds the backward nodes of one
 * forward node with these functions, and contributions to one tensor's gradient add up by
 * themselves.
 */
#ifndef STOWAGE_IR_DIFF_H
#define STOWAGE_IR_DIFF_H

#include "formula/formula_pool.h"
#include "ir/attr_pool.h"

struct diff {
	struct module *m;
	struct graph *g;
	struct tensor **gradient;	/* by the id of a forward tensor: the sum so far */
	int *parts;			/* and how many contributions were named so far */
	bool *wants;			/* by the id of a forward tensor */
	int ntensors;			/* ids below are forward's */
	struct intern attrs;		/* of backward nodes, */
	struct intern formulas;	/* and their formulas */
};

/* Without gradients yet, over all tensors that there are. */
void		 diff_begin(struct diff *, struct arena *scratch, struct graph *);
/* Marks what is made of a tensor that is marked as wanted. */
void		 diff_mark(struct diff *);
/* Differentiates the first N nodes, the last first; false after an error. */
bool		 diff_nodes(struct diff *, int n);

/* The gradient arriving at an output; NULL when none does. */
struct tensor	*diff_of(struct diff *, const struct tensor *forward_output);
/* Does this input need a gradient? */
bool		 diff_wants(struct diff *, const struct tensor *input);
/* A backward node for N with N's attributes. Its outputs are added with diff_output(). */
struct node	*diff_node(struct diff *, const struct node *n, const struct op *, int nin,
		    struct tensor *const *in);
/* Attributes of its own for such a node, as its operator has them, all zero. */
struct attr	*diff_attrs(struct diff *, struct node *backward);
/* The same of which one says all, ATTR, which the node shares with others that have them. */
void		 diff_share_attrs(struct diff *, struct node *backward, const struct attr *attr);
/* An output shaped like LIKE, contributed to LIKE's gradient (contributions add up). */
struct tensor	*diff_output(struct diff *, struct node *backward, struct tensor *like);
/* An output shaped like LIKE that contributes to no gradient yet, for other backward nodes to read;
 * it is called after LIKE and SUFFIX. */
struct tensor	*diff_between(struct diff *, struct node *backward, struct tensor *like,
		    const char *suffix);
/* Contributes an existing tensor to LIKE's gradient (add passes its gradient through). */
void		 diff_add(struct diff *, struct tensor *like, struct tensor *gradient);
/* The commonest gradient rule: dx = OP(dy, saved...), one backward node for in[0]. */
bool		 diff_unary(struct diff *, struct node *n, const struct op *, int nsaved,
		    struct tensor *const *saved);
/* A tensor for the gradient of LIKE that no node makes yet. */
struct tensor	*diff_like(struct diff *, struct tensor *like, const char *suffix);

#endif
