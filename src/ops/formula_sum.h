/*
 * formula_sum: sums of a formula of elements along axes. The pass sums-of-formulas makes it of a
 * sum and of the pointwise that it alone reads.
 */
#ifndef STOWAGE_OPS_FORMULA_SUM_H
#define STOWAGE_OPS_FORMULA_SUM_H

#include "ir/op.h"

extern const struct op op_formula_sum;

/* Makes SUM, a sum of OF's one result, one of OF's formula. False, and nothing is changed: it is no
 * sum along axes, or operands are repeated in more ways than one beside those of the sum itself. */
bool	formula_sum_make(struct arena *, struct node *sum, const struct node *of);

#endif
