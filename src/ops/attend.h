/*
 * What the core of attention (attend.c) and the layer around it (attention.c) share: attributes, and
 * the shapes that follow from them.
 */
#ifndef STOWAGE_OPS_ATTEND_H
#define STOWAGE_OPS_ATTEND_H

#include "ir/op.h"

#define MOST_HEADS	65536

#define ATTEND_ATTRS									\
	{ "heads", ATTR_INT, "how many times attention is computed, side by side, each on its share of "	\
	    "the last dimension", .required = true, .min = 1, .max = MOST_HEADS },	\
	{ "kv_heads", ATTR_INT, "heads of keys and values, each for as many neighbouring heads of queries; "	\
	    "0: as many as heads", .preset = "0", .min = 0, .max = MOST_HEADS },	\
	{ "causal", ATTR_BOOL, "position i sees positions 0 to i alone", .preset = "false" },	\
	{ "window", ATTR_INT, "positions this far away or farther are not seen; 0: all are",	\
	    .preset = "0", .min = 0, .max = (double)LARGEST_EXTENT },			\
	{ "scale", ATTR_REAL, "factor of the products of queries and keys; 0: 1 / sqrt(numbers of a head)",	\
	    .preset = "0", .min = 0, .max = 1e6 },					\
	{ "dropout", ATTR_REAL, "share of probabilities that become 0 in training", .preset = "0",	\
	    .min = 0, .max = 1 }

/* attend's torch.calls (attend_torch.c) */
void	attend_torch(struct tape *, const struct node *);

#endif
