/*
 * Optimizers that are formulas (op->formula): "g = gradient + weight_decay * p; state v = alpha * v
 * + (1 - alpha) * g * g; p - lr * g / (sqrt(v) + eps)". Names are the parameter's element `p`, its
 * gradient, attributes, the count of updates `t`, `fix1` and `fix2`, which are 1 - beta1^t and 1 -
 * beta2^t, and what a part before defines. A state is a number that each element keeps: it starts
 * at 0, and where it is defined its new value takes the place of the old. What nothing needs with
 * the attributes as they are is no state. The last part is the new weight.
 */
#ifndef STOWAGE_OPS_UPDATE_FORMULA_H
#define STOWAGE_OPS_UPDATE_FORMULA_H

#include "ir/op.h"
#include "ops/optimizers.h"

bool	update_formula_shape(struct build *, struct node *);
void	update_formula_define(struct emitter *, const struct node *);
void	update_formula_emit(struct emitter *, const struct node *);

#endif
