/* The order of a graph's nodes that does not depend on the order of a spec's statements. */
#ifndef STOWAGE_IR_DEPTH_FIRST_H
#define STOWAGE_IR_DEPTH_FIRST_H

#include "ir/ir.h"

/* Puts the nodes into the order in which the results need them: what a node reads first comes
 * first, with all that it is made from; losses come after what all of them are made from. Those
 * that change what persists keep their places among all that use it, and what no result needs comes
 * last, as it stood. */
void	ir_depth_first(struct graph *);

#endif
