/*
 * What the pass fuse-loss takes from losses: a loss, its gradient, and both in one node.
 */
#ifndef STOWAGE_OPS_LOSSES_H
#define STOWAGE_OPS_LOSSES_H

#include "ir/op.h"

extern const struct op op_cross_entropy, op_cross_entropy_grad;
extern const struct op op_mean_loss_grad;	/* of losses that are formulas: ops/mean_loss.h */
/* in: logits, target, the scale of the loss where it has one; out: the gradient of the logits, for
 * a loss whose own gradient is what op_seed makes, and the loss */
extern const struct op op_cross_entropy_with_grad, op_mean_loss_with_grad;

extern const struct op op_seed;

struct tape;

/* torchvision's sigmoid_focal_loss() of values of so many bytes; with alpha where it WEIGHS: what
 * it returns, and *KNOWN, a variable of it until then (matched_focal.c). */
int	focal_torch(struct tape *, int x, int y, int64_t bytes, bool weighs, int *known);

#endif
