/*
 * reduce_scatter, reduce_scattered, all_gather, all_gathered: what comes before and after an update
 * that each rank makes of its piece of a parameter alone, with the state of that (shard optimizer).
 * Each is begun by one node and waited for by another; what stands between them runs meanwhile.
 *
 *     g = reduce_scatter(g); ...; g = reduce_scattered(g)	a rank's piece of the sum of all ranks' gradients
 *     p = adam(p, g, m, v)					its piece of the new weights
 *     p = all_gather(p); ...; p = all_gathered(p)		all of them
 *
 * All work in place. Where ranks share out gradients, too (shard gradients), that piece of the sum
 * gets bytes of its own, which the last addition writes to, and the whole gradient's are free from
 * the wait on:
 *
 *     g, s = reduce_scatter(g); ...; s = reduce_scattered(g, s)	s: as long as the largest rank's piece
 *
 * Where they share out parameters (shard parameters), a piece is all that a rank keeps, and the
 * whole gets bytes of its own; the piece is to be as it was until all is there:
 *
 *     w = all_gather(p); ...; w = all_gathered(w, p)
 *
 * Several that follow one another are one call (plan/exchanges.c), wherever their tensors lie: a
 * table has their places.
 */
#include "ir/op.h"

#include "calls/emitter.h"

/* The whole gradient, if something persists; a piece of it never lies there. */
static int
scatter_alias(const struct node *n, int k)
{
	return k == 0 ? op_alias_persistent(n, k) : -1;
}

/* The piece, where it has bytes of its own. */
static int
scattered_alias(const struct node *n, int k)
{
	(void)k;
	return n->nin - 1;
}

/* The parameter, where a rank has room for all of it; else it gets bytes of its own. */
static int
gather_alias(const struct node *n, int k)
{
	return k == 0 && n->in[0] && !n->in[0]->shared ? 0 : -1;
}

static struct call_arg
arg_spans(const struct emitter *e, const struct sum_call *s)
{
	return arg_text(arena_printf(e->module->arena, "ring_spans + %d", s->span));
}

static void
emit_begin(struct emitter *e, const struct node *n, const char *function)
{
	const struct sum_call *s = emit_call_between(e, n);

	if (s)
		emit_call(e, function, arg_text("arena"), arg_spans(e, s), arg_int(s->spans),
		    arg_int(dtype_bytes(s->first->dtype)));
}

static void
emit_scatter(struct emitter *e, const struct node *n)
{
	emit_begin(e, n, "reduce_scatter_begin");
}

static void
emit_gather(struct emitter *e, const struct node *n)
{
	emit_begin(e, n, "all_gather_begin");
}

static void
emit_end(struct emitter *e, const struct node *n)
{
	const struct sum_call *s = emit_call_between(e, n);

	if (s)
		emit_call(e, "shard_end", arg_spans(e, s));
}

const struct op op_reduce_scatter = {
	.name = "reduce_scatter",
	.kind = OP_INTERNAL,
	.brief = "begins to add up what all ranks have of it, of which each gets its piece",
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.memory.alias = scatter_alias,
	.memory.inplace = 1u << 0,
	.ranks.between = BETWEEN_SCATTER,
	.calls.kernels = "update/shard.cu",
	.calls.emit = emit_scatter,
};

const struct op op_reduce_scattered = {
	.name = "reduce_scattered",
	.kind = OP_INTERNAL,
	.brief = "waits until a rank's piece of the sum is there",
	.operands = "x piece",
	.min_operands = 1, .max_operands = 2,
	.memory.alias = scattered_alias,
	.ranks = { BETWEEN_SCATTER, true },
	.calls.kernels = "update/shard.cu",
	.calls.emit = emit_end,
};

const struct op op_all_gather = {
	.name = "all_gather",
	.kind = OP_INTERNAL,
	.brief = "begins to bring to all ranks the piece that each of them has",
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.memory.alias = gather_alias,
	.ranks.between = BETWEEN_GATHER,
	.calls.kernels = "update/shard.cu",
	.calls.emit = emit_gather,
};

const struct op op_all_gathered = {
	.name = "all_gathered",
	.kind = OP_INTERNAL,
	.brief = "waits until all pieces are there",
	.operands = "x piece",
	.min_operands = 1, .max_operands = 2,
	.memory.alias = op_alias_first,
	.ranks = { BETWEEN_GATHER, true },
	.calls.kernels = "update/shard.cu",
	.calls.emit = emit_end,
};
