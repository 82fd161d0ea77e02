/*
 * Attributes of nodes that say the same, kept once: those of a convolution take 832 bytes, and a
 * deep network repeats few layers many times. What is kept is never changed, so it is asked for
 * once a node's shape is known, which may complete what the spec says.
 */
#ifndef STOWAGE_IR_ATTR_POOL_H
#define STOWAGE_IR_ATTR_POOL_H

#include "base/intern.h"
#include "ir/op.h"

/* Those of the operator in that arena, without their places in the text; a copy of their own if a
 * body is among them, since that is planned for its node. */
struct attr	*attr_pool_keep(struct intern *, struct arena *, const struct op *, const struct attr *);

#endif
