/*
 * update/shard.cu - gradients and weights where each rank keeps the optimizer's state of its piece
 * of each parameter alone, and updates that (shard optimizer): the two halves of a ring, with the
 * update between them.
 *
 *     rank 0    rank 1    rank 2
 *     g g g     g g g     g g g		what each has made
 *     G . .     . G .     . . G		reduce_scatter: its piece of the sum; the rest means nothing any more
 *     W . .     . W .     . . W		its piece of the weights is updated by that, with its state
 *     W W W     W W W     W W W		all_gather: all have all weights
 *
 * Where parameters are shared out, W of a rank is all that it keeps, and the row of all lies
 * elsewhere, for a while.
 *
 * Where gradients are shared out, too, G is written to bytes of its own by the last addition, and
 * those of g are free again.
 */
#ifndef STOWAGE_UPDATE_SHARD_CU
#define STOWAGE_UPDATE_SHARD_CU

#include "update/exchange.cu"

/* Begins to add up gradients over all ranks, of which each gets its piece. */
static void
reduce_scatter_begin(unsigned char *arena, const struct ring_span *span, int spans, int bytes)
{
	ALONE
		exchange_begin(span, (char *)arena, span, spans, bytes, RING_ADDS, false);
}

/* Begins to bring weights to all ranks, of which each has its piece. */
static void
all_gather_begin(unsigned char *arena, const struct ring_span *span, int spans, int bytes)
{
	ALONE
		exchange_begin(span, (char *)arena, span, spans, bytes, RING_SPREADS, false);
}

/* Either is there from here on: what began with that span. */
static void
shard_end(const struct ring_span *span)
{
	ALONE
		exchange_end(span);
}

#endif
