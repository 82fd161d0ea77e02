/* What values are made of, by the ids of tensors. */
#ifndef STOWAGE_IR_NEEDED_H
#define STOWAGE_IR_NEEDED_H

#include "ir/ir.h"

/* Does the node make anything that is marked? */
bool	needed_of(const struct node *, const bool *needed);

/* Marks, beside what is marked, all that the nodes, which run in this order, make it of; but for
 * what LEAVE says, NULL: of nothing. */
void	needed_mark(struct node *const *, int count, bool *needed, bool (*leave)(const struct tensor *));

#endif
