/*
 * What the pass fuse-pool takes from maxpool: its operators, with and without a rectifier.
 */
#ifndef STOWAGE_OPS_MAXPOOL_H
#define STOWAGE_OPS_MAXPOOL_H

#include "ir/op.h"

extern const struct op op_maxpool, op_maxpool_relu;	/* of the same attributes */

/* Can the stored positions of this maxpool express that there is none? */
bool	maxpool_can_rectify(const struct node *);

#endif
