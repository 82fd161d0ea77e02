/*
 * What passes take from maxpool: its operators, with and without a rectifier, and their gradient.
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

extern const struct op op_maxpool, op_maxpool_relu, op_maxpool_grad;	/* of the same attributes */

/* Can the stored positions of this maxpool express that there is none? */
bool	maxpool_can_rectify(const struct node *);

#endif
