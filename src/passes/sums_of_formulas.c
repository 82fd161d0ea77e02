/*
 * sums-of-formulas: what is summed along axes, and by nothing else read, is made where it is added
 * up:
 *
 *     x - mean -> d, d * d -> s, sum(s)        x, mean -> sum of (x - mean) ^ 2
 *
 * so that it never exists. Gradients of operands that were repeated are such sums, as of the scale
 * of channels: the sum of dy * x.
 *
 * The sum stands where the formula stood, so that nothing lives longer but the sum itself, in place
 * of what it is of.
 *
 * Reads and writes: train, validate. Invariant after: every node that is left reads what it read,
 * or makes that itself.
 */
#include "ir/pass.h"

#include "ops/formula_sum.h"
#include "ops/pointwise.h"
#include "passes/sums.h"

static void
join_sums(struct graph *g)
{
	struct arena *a = g->module->arena, *scratch = arena_child(a);
	const int *reads = sums_reads(g, scratch);
	int *place = arena_array(scratch, (size_t)g->module->next_tensor + 1, sizeof(*place));	/* 1 the first node */
	bool *gone = arena_array(scratch, (size_t)g->nodes.n + 1, sizeof(*gone));
	int i;

	for (i = 0; i < g->nodes.n; i++) {
		struct node *n = g->nodes.v[i];
		const struct tensor *t = n->nin > 0 ? n->in[0] : NULL;
		int at = t && t->def && pointwise_has_formula(t->def) ? place[t->id] : 0;

		if (n->out[0])
			place[n->out[0]->id] = i + 1;
		if (at == 0 || !n->out[0] || reads[t->id] != 1 || t->alias_of || t->def->nout != 1 || !formula_sum_make(a, n, t->def))
			continue;
		g->nodes.v[at - 1] = n;
		gone[i] = true;
	}
	ir_drop(g, gone);
	arena_free(scratch);
}

const struct pass pass_sums_of_formulas = {
	.name = "sums-of-formulas",
	.doc = "make what is only summed where it is added up",
	.optional = true,
	.rewrite = join_sums,
};
