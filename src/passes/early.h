/*
 * Nodes that run as early as they may: what the passes update and last-sums share.
 */
#ifndef STOWAGE_PASSES_EARLY_H
#define STOWAGE_PASSES_EARLY_H

#include "ir/ir.h"

/* Moves the nodes from FIRST on, each to just after the last node that defines what it reads or
 * reads what it overwrites, behind those of them that do. */
void	early_nodes(struct graph *, int first);

#endif
