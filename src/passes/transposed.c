/*
 * transposed: matrix products read what a transpose would make as it lies.
 *
 *     k -> transpose -> k' ; matmul(q, k')          matmul(q, k, transpose_b=true)
 *
 * Only where nobody else reads the transpose's result, which then is not made. Nothing changes in
 * the numbers: a product's sums have one order, however its operands lie.
 *
 * Reads and writes: train, validate, before backward exists. Invariant after: no transpose of the
 * last two axes is read by products of matrices alone.
 */
#include "ir/pass.h"
#include "passes/sums.h"

#include "ops/matmul.h"

/* By the id of a tensor: how often products read it that could read what it is transposed from. */
static int *
products_reading(const struct graph *g, struct arena *a)
{
	int *n = arena_array(a, (size_t)g->module->next_tensor + 1, sizeof(*n));
	int i, k;

	for (i = 0; i < g->nodes.n; i++)
		for (k = 0; k < 2; k++)
			if (matmul_can_transpose(g->nodes.v[i], k))
				n[g->nodes.v[i]->in[k]->id]++;
	return n;
}

static void
transposed(struct graph *g)
{
	struct arena *scratch = arena_child(g->module->arena);
	const int *reads = sums_reads(g, scratch), *products = products_reading(g, scratch);
	int i, k, kept = 0;

	for (i = 0; i < g->nodes.n; i++)
		for (k = 0; k < 2; k++) {
			struct node *n = g->nodes.v[i];
			const struct tensor *t = matmul_can_transpose(n, k) ? n->in[k] : NULL;

			if (t && t->def && permute_is_transpose(t->def) && reads[t->id] == products[t->id])
				matmul_read_transposed(g->module, n, k, t->def->in[0]);
		}
	for (i = 0; i < g->nodes.n; i++) {
		struct node *n = g->nodes.v[i];
		const struct tensor *t = n->nout > 0 ? n->out[0] : NULL;

		if (!t || !permute_is_transpose(n) || !products[t->id] || reads[t->id] != products[t->id])
			g->nodes.v[kept++] = n;
	}
	g->nodes.n = kept;
	arena_free(scratch);
}

const struct pass pass_transposed = {
	.name = "transposed",
	.doc = "let matrix products read what transpose would make as it lies",
	.optional = true,
	.rewrite = transposed,
};
