/*
 * Sums of several contributions to one gradient, made in the bytes of the first: what the passes
 * gradients-in-place and forks-in-place share.
 */
#ifndef STOWAGE_PASSES_SUMS_H
#define STOWAGE_PASSES_SUMS_H

#include "ir/ir.h"

/*
 * Removes every `sum` of two gradients of that kind where the node that makes the later of them can
 * add onto the earlier (op->memory.onto), which nobody reads any more by then.
 */
void	sums_fold(struct graph *, enum tensor_kind);

/* Behind place I, that of the node that alone reads T, by sums_reads(); 0: there is none. */
int	sums_reader_after(const struct graph *, const int *reads, const struct tensor *t, int i);

/* How often each tensor is read by the graph, by id; results count. */
int	*sums_reads(const struct graph *, struct arena *);

/* By the id of a root: the last two nodes to read its class, tensors that share its bytes. A
 * result is read past the last node; -1: there is none. */
struct last_reads {
	int *last, *before;
};

struct last_reads	sums_last_reads(const struct graph *, struct arena *);

#endif
