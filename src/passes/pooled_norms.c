/*
 * pooled-norms: on a GPU, lets batchnorm do the maximum pooling behind it in the sweep in which it
 * normalises, and lets its gradient gather what the pooling's would scatter, as in the stems of
 * residual and dense networks:
 *
 *     z = batchnorm(x); y, index = maxpool_then(z)                 y, index = batchnorm_pool_then(x)
 *     dz = maxpool_grad(dy, index); dx = batchnorm_grad(dz, x)     dx = batchnorm_pool_grad(dy, x, index)
 *
 * z and dz, the network's largest tensors there, are never in memory. With windows of 3 x 3 and a
 * stride of 2, forward reads and writes 2.4 tensors of x's size where it did 4.4, backward 3.8
 * where it did 6.4. In C both are done by the same processors, whose caches have rows of z, and
 * nothing is joined.
 *
 * No plan gets larger: y and places are fewer bytes than z, dy and places than dz, and they take
 * its place; so that is done for the fewest bytes, too. Forward and backward are joined each for
 * itself, since what a step makes again stays as it is. Results are those of separate nodes,
 * bit-identical, but that z and dz are not rounded in 16 bits: there, where rounding would have
 * made equals of two elements of a window, the larger gets the gradient.
 *
 * Reads and writes: train, validate, after order. Invariant after: no maxpool alone reads a
 * batchnorm whose channels lie last, but one that would have it do much over again, and the same of
 * their gradients.
 */
#include "ir/pass.h"

#include "target/target.h"
#include "ops/batchnorm.h"
#include "ops/maxpool.h"
#include "passes/sums.h"

/* Does a node from place I to place J overwrite what N reads? */
static bool
is_overwritten(const struct graph *g, const struct node *n, int i, int j)
{
	int k, o;

	for (; i < j; i++)
		for (o = 0; o < g->nodes.v[i]->nout; o++)
			for (k = 0; k < n->nin; k++)
				if (g->nodes.v[i]->out[o] && tensor_root(g->nodes.v[i]->out[o]) == tensor_root(n->in[k]))
					return true;
	return false;
}

/* Node I and the one that alone reads its result become one, forward where the first stood,
 * backward where the second did. Returns the place of the other, which is not needed any more; -1:
 * they do not. */
static int
join(const struct graph *g, const int *reads, int i)
{
	struct node *n = g->nodes.v[i], *next;
	int j = n->op == &op_batchnorm || n->op == &op_maxpool_grad ? sums_reader_after(g, reads, n->out[0], i) : 0;

	if (!j)
		return -1;
	next = g->nodes.v[j];
	if (batchnorm_can_pool(n, next)) {
		batchnorm_pool(g->module, n, next);
		return j;
	}
	if (!batchnorm_can_pool_gradients(n, next) || is_overwritten(g, n, i, j))
		return -1;
	batchnorm_pool_gradients(g->module, n, next);
	return i;
}

static void
join_all(struct graph *g, struct arena *a)
{
	const int *reads = sums_reads(g, a);
	bool *gone = arena_array(a, (size_t)g->nodes.n + 1, sizeof(*gone));
	int i, other;

	for (i = 0; i < g->nodes.n; i++)
		if ((other = join(g, reads, i)) >= 0)
			gone[other] = true;
	ir_drop(g, gone);
}

static bool
run(struct module *m, const struct pass_options *o)
{
	struct arena *a;

	if (!o->target->splits_sums)
		return true;
	a = arena_child(m->arena);
	if (m->train)
		join_all(m->train, a);
	if (m->validate)
		join_all(m->validate, a);
	arena_free(a);
	return true;
}

const struct pass pass_pooled_norms = {
	.name = "pooled-norms",
	.doc = "on a GPU, normalise and pool in one sweep, forward and backward",
	.optional = true,
	.run = run,
};
