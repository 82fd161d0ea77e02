/* The boxes of `anchors`, as the program and an exported model have them. */
#ifndef STOWAGE_OPS_ANCHORS_H
#define STOWAGE_OPS_ANCHORS_H

#include "ir/ir.h"

/* Half the extents of the boxes about a place, in pixels, at most ANCHOR_SHAPES of them, in the
 * order in which boxes stand; returns how many. Whole numbers: they are rounded in float, as
 * torchvision has them. */
int	anchor_shapes(const struct node *, double *across, double *down);

#endif
