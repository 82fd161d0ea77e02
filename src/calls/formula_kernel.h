/*
 * Kernels for formulas: the text of one, and calls of it. Two nodes with the same formula, and
 * operands that are repeated in the same way, have one kernel.
 */
#ifndef STOWAGE_CALLS_FORMULA_KERNEL_H
#define STOWAGE_CALLS_FORMULA_KERNEL_H

#include "calls/emitter.h"
#include "formula/formula.h"

/* Writes the kernel of F, whose operands are the node's inputs and whose results are its outputs,
 * unless the program has it. */
void	formula_kernel_define(struct emitter *, const struct node *, const struct formula *f);
void	formula_kernel_call(struct emitter *, const struct node *, const struct formula *f);

/* ---- for other kernels that a formula is part of ---- */

#define FORMULA_KERNEL_NAME	"@"	/* in a text, for the name that it will have */

/* A number as a literal of the type `real`, for formula_c(); the first argument is the emitter. */
const char	*formula_literal(void *, double);
/* Writes TEXT under the name BASE, or one that begins so, unless the program has it. It is the
 * kernel of that formula, or, where F is NULL, of none. */
void		formula_kernel_write(struct emitter *, const char *base, const struct formula *, const char *text);
/* The name under which that text was written. */
const char	*formula_kernel_written(const struct emitter *, const char *text);

#endif
