/*
 * Kernels for formulas: the text of one, and calls of it. Two nodes with the same formula, and operands that
 * are repeated in the same way, have one kernel.
 */
#ifndef STOWAGE_CALLS_FORMULA_KERNEL_H
#define STOWAGE_CALLS_FORMULA_KERNEL_H

#include "calls/emitter.h"
#include "formula/formula.h"

/* Writes the kernel of F, whose operands are the node's inputs and whose results are its outputs, unless the
 * program has it. */
void	formula_kernel_define(struct emitter *, const struct node *, const struct formula *f);
void	formula_kernel_call(struct emitter *, const struct node *, const struct formula *f);

#endif
