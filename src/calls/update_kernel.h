/*
 * Kernels for optimizers that are formulas: one pass over the elements of all parameters that are
 * updated together (kernels/update/updates.cu).
 */
#ifndef STOWAGE_CALLS_UPDATE_KERNEL_H
#define STOWAGE_CALLS_UPDATE_KERNEL_H

#include "calls/emitter.h"
#include "formula/formula.h"

/* Operands of an update's formula, in this order; then the states. Its results are the new states
 * and the new weight. */
enum update_operand {
	UPDATE_WEIGHT, UPDATE_GRADIENT,
	UPDATE_RATE,	/* the learning rate */
	UPDATE_DECAY,	/* the weight decay of this parameter */
	UPDATE_COUNT,	/* which update this is, from 1 */
	UPDATE_FIX_1, UPDATE_FIX_2,	/* 1 - beta1 ^ count, 1 - beta2 ^ count */
	UPDATE_STATE
};

struct update_kernel {
	const struct formula *f;
	double beta[2];		/* of the above */
	int64_t every;		/* it is made in one of so many steps */
};

/* Writes the kernel, unless the program has it; and the call, for the rows of e->together. */
void	update_kernel_define(struct emitter *, const struct update_kernel *);
void	update_kernel_call(struct emitter *, const struct update_kernel *, const struct tensor *clip);

#endif
