/*
 * What the pass fuse-dense takes from dense: its operators, with and without an activation.
 */
#ifndef STOWAGE_OPS_DENSE_H
#define STOWAGE_OPS_DENSE_H

#include "ops/op.h"

enum dense_then { DENSE_RELU, DENSE_GELU, DENSE_GELU_TANH };	/* attribute `then`, in its order */

extern const struct op op_dense, op_dense_grad_input;
/* in: as op_dense; out: the activation of what that makes */
extern const struct op op_dense_then;
/* in: dy, weight, what the activation's gradient reads; out: that gradient */
extern const struct op op_dense_grad_input_then;

/* The attributes of a dense node, or of its gradient, and THEN. */
struct attr	*dense_attrs_then(struct arena *, const struct node *dense, enum dense_then then);

#endif
