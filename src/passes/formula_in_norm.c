/*
 * formula-in-norm: on a GPU, lets the gradient of a batchnorm make the formula of two tensors
 * before it, in the first of its two sweeps; mostly what of a gradient passes the relu behind the
 * sum of the batchnorm and a skip:
 *
 *     p = relu_grad(dy, y); dx = batchnorm_grad(p, x)     dx, p = batchnorm_grad_of(dy, x, y)
 *
 * p is the gradient of the skip, too, so it exists in any case; but it need not be read once more
 * for the sums, which is an eighth of what both read and write, and there is one kernel less.
 *
 * The joined node stands where the batchnorm's gradient stood, if that is the first to read p. y
 * and dy are then alive beside scratch memory and what else it makes, so that is done only where
 * all stays below the peak of training: no plan gets larger, but for speed, where there is room. In
 * C all that is done by the same processors, whose caches have p of small layers, and nothing is
 * joined. Results are bit-identical.
 *
 * Reads and writes: train after order. Invariant after: no such pair, where there is room.
 */
#include "ir/pass.h"

#include "target/target.h"
#include "ops/batchnorm.h"
#include "schedule/step.h"

#define NEAR	16	/* nodes from one to the other, at most: updates lie between */

static bool
reads(const struct node *n, const struct tensor *t)
{
	int k;

	for (k = 0; k < n->nin; k++)
		if (n->in[k] && tensor_root(n->in[k]) == t)
			return true;
	return false;
}

/* The node that the I-th can be joined to, which is the first to read what that makes; 0: there is
 * none. */
static int
norm_after(const struct graph *g, int i)
{
	const struct node *n = g->nodes.v[i];
	int j;

	for (j = i + 1; n->nout == 1 && n->out[0] && j < g->nodes.n && j <= i + NEAR; j++)
		if (reads(g->nodes.v[j], n->out[0]))
			return batchnorm_takes(n, g->nodes.v[j]) ? j : 0;
	return 0;
}

/* Its operands live on until J; what it makes does not live before. */
static bool
fits(const struct graph *g, const struct trial *t, int i, int j)
{
	int64_t more = affine_at(op_bytes(g->nodes.v[i]), g->batch);

	for (; i < j; i++)
		if (t->live[i + 1] > t->peak - more)
			return false;
	return true;
}

static void
join(struct graph *g, const struct pass_options *o)
{
	struct arena *a = arena_child(g->module->arena);
	struct model *m = step_model(a, g, o, STEP_ONCE);
	int i, j, kept = 0;

	if (m && step_try(m)) {
		bool roomy = step_is_roomy(g->module, o, m);

		for (i = 0; i < g->nodes.n; i++) {
			j = norm_after(g, i);
			if (j && (roomy || fits(g, m->trial, i, j)))
				batchnorm_give(g->module, g->nodes.v[i], g->nodes.v[j]);
			else
				g->nodes.v[kept++] = g->nodes.v[i];
		}
		g->nodes.n = kept;
	}
	arena_free(a);
}

static bool
run(struct module *m, const struct pass_options *o)
{
	if (m->train && o->target->splits_sums && ir_has(m->train, &op_batchnorm_grad))
		join(m->train, o);
	return true;
}

const struct pass pass_formula_in_norm = {
	.name = "formula-in-norm",
	.doc = "let batch norm's gradient make what it is given by a formula",
	.optional = true,
	.thorough = true,
	.run = run,
};
