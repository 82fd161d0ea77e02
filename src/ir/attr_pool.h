/*
 * Attributes of nodes that say the same, kept once: those of a convolution take 832 bytes, and a deep network repeats few
 * layers many times. What is kept is never changed, so it is asked for once a node's shape is known, which may complete what
 * the spec says.
 *
 * A pool that is all zero is empty. It lives as long as what makes the nodes, its attributes as long as their arena.
 */
#ifndef STOWAGE_IR_ATTR_POOL_H
#define STOWAGE_IR_ATTR_POOL_H

#include <stdint.h>

#include "ir/op.h"

struct pooled_attrs {
	const struct op *op;
	struct attr *attr;
	uint64_t hash;
};

struct attr_pool {		/* open addressing, at most half full */
	struct pooled_attrs *v;
	size_t room, n;		/* a power of two; of it in use */
};

/* Those of the operator in that arena, without their places in the text; a copy of their own if a body is among them, since
 * that is planned for its node. */
struct attr	*attr_pool_keep(struct attr_pool *, struct arena *, const struct op *, const struct attr *);

#endif
