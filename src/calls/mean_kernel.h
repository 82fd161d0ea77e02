/*
 * Kernels for the mean of a formula over all elements, which element-wise losses are, and for its
 * gradient.
 */
#ifndef STOWAGE_CALLS_MEAN_KERNEL_H
#define STOWAGE_CALLS_MEAN_KERNEL_H

#include "calls/emitter.h"
#include "formula/formula.h"

enum mean_way {
	MEAN_FORWARD,	/* the mean of result 0 */
	MEAN_BACKWARD,	/* the gradient of an operand: result 0 times what the mean's own is an element */
	MEAN_BOTH	/* the mean of result 0, and a gradient made of result 1 for a mean whose own is the seed */
};

/*
 * A call of such a kernel. OPERAND[i] is what the formula reads, floating point or u8, all of one
 * shape.
 *
 *     MEAN_FORWARD   OUT <- the mean                      WITH: nothing
 *     MEAN_BACKWARD  DX                                   WITH: the mean's gradient
 *     MEAN_BOTH      DX, OUT <- the mean                  WITH: the scale of the loss, or NULL
 */
struct mean_call {
	enum mean_way way;
	const struct formula *f;
	const struct tensor *const *operand;
	const struct tensor *dx, *out, *with;
};

/* Writes the kernel, unless the program has it; and the call, with the node's workspace. */
void	mean_kernel_define(struct emitter *, const struct mean_call *);
void	mean_kernel_call(struct emitter *, const struct node *, const struct mean_call *);

#endif
