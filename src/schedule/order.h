/*
 * The order of nodes in which a graph needs least memory, as far as it is found: the pass, and what
 * it does to one graph.
 */
#ifndef STOWAGE_SCHEDULE_ORDER_H
#define STOWAGE_SCHEDULE_ORDER_H

#include "ir/pass.h"

extern const struct pass pass_order;

void	order_graph(struct graph *, const struct pass_options *);

#endif
