/*
 * A dense layer together with the cross-entropy of its outputs, as one node that never has all the
 * logits: what passes/chunk_loss.c makes of the two.
 */
#ifndef STOWAGE_OPS_DENSE_CROSS_ENTROPY_H
#define STOWAGE_OPS_DENSE_CROSS_ENTROPY_H

#include "ir/ir.h"

struct head {
	struct node *dense;
	struct node *loss;	/* a cross_entropy of the dense layer's outputs */
	struct node *accuracy;	/* of the same outputs and labels, or NULL */
};

/* May these three become one node? The classes must lie on the axis that the layer makes, and the
 * labels be there before it. */
bool	head_suits(const struct head *);

/* Appends that node to the graph. It defines the tensors that LOSS and ACCURACY defined, whose
 * nodes are to be dropped with the dense layer's. ROWS: logits made at a time. */
struct node	*head_join(struct graph *, const struct head *, int64_t rows);

#endif
