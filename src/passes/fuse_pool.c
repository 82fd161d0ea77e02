/*
 * fuse-pool: lets maximum pooling rectify what it stores:
 *
 *     x -> maxpool -> p -> relu -> y        x -> maxpool_relu -> y
 *
 * Backward no longer has a gradient of the rectifier to make: where y is 0, the place of the maximum
 * says so, which is all that maxpool's gradient reads (ops/maxpool.c). So y need not be kept for
 * it, and forward and backward each save a sweep. pool-first is what moves rectifiers there.
 *
 * No plan gets larger: y is made where p was, in as many bytes, and has a reader less. The results
 * are bit-identical. The node keeps the pooling's path, as batchnorm does its own in fuse-norm.
 *
 * Reads and writes: train, validate, before backward exists and after those passes that look for a
 * relu. Invariant after: no relu alone reads a maxpool, but one whose windows have 256 cells.
 */
#include "ir/pass.h"
#include "passes/sums.h"

#include "ops/maxpool.h"

/* RELU reads what a pooling makes for it alone, which does both from now on. */
static bool
fuse(struct node *relu, const int *reads)
{
	struct tensor *p = relu->in[0], *y = relu->out[0];
	struct node *pool = p->def;

	if (!pool || pool->op != &op_maxpool || pool->out[0] != p || reads[p->id] != 1 ||
	    p->alias_of || y->alias_of || !maxpool_can_rectify(pool))
		return false;
	pool->op = &op_maxpool_relu;
	pool->out[0] = y;
	y->def = pool;
	return true;
}

static void
fuse_pool(struct graph *g)
{
	struct arena *scratch = arena_child(g->module->arena);
	const int *reads = sums_reads(g, scratch);
	const struct op *relu = op_find("relu");
	int i, kept = 0;

	for (i = 0; i < g->nodes.n; i++)
		if (g->nodes.v[i]->op != relu || !fuse(g->nodes.v[i], reads))
			g->nodes.v[kept++] = g->nodes.v[i];
	g->nodes.n = kept;
	arena_free(scratch);
}

const struct pass pass_fuse_pool = {
	.name = "fuse-pool",
	.doc = "let maximum pooling rectify what it stores",
	.optional = true,
	.rewrite = fuse_pool,
};
