/*
 * What passes and other operators take from maxpool: its operators, with and without a formula
 * behind it, and their gradient.
 */
#ifndef STOWAGE_OPS_MAXPOOL_H
#define STOWAGE_OPS_MAXPOOL_H

#include "ops/pool.h"

#define MAXPOOL_ATTRS									\
	POOL_KERNEL,									\
	{ "pad", ATTR_FRAME, "places added around the input, which never win; at most half the "	\
	    "kernel; same: as many as make the output's extents those of the input divided by the "	\
	    "stride, rounded up", .preset = "0", .choices = "same", .min = 0, .max = 16384 },	\
	POOL_CEIL

extern const struct op op_maxpool, op_maxpool_then, op_maxpool_grad;	/* of the same attributes, and a formula */
extern const struct op op_adaptive_maxpool_grad;

/* Do the places that GRAD, a maximum's gradient, reads say of some that nothing passes to them? */
bool		maxpool_is_gated(struct arena *, const struct node *grad);

/* calls.note and calls.define of what does a formula to maxima whose places are its last output,
 * which may be absent; and the argument of its call behind then_arg(), what of 1 and of a maximum
 * passes that. */
void		maxpool_note(struct emitter *, const struct node *);
void		maxpool_define(struct emitter *, const struct node *);
struct call_arg	maxpool_passed(struct emitter *, const struct node *);

#endif
