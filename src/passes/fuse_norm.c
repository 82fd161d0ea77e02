/*
 * fuse-norm: lets what can before backward is built (op->then.can) do the formula behind it in the
 * sweep in which it stores its result: normalisations an activation mostly, batchnorm also the
 * addition of a skip, or both:
 *
 *     x -> groupnorm -> z -> silu -> y                  x -> groupnorm_then(silu) -> y
 *     x -> batchnorm -> z, z + skip -> s -> relu -> y   x, skip -> batchnorm_then(relu(z + skip)) -> y
 *     x -> maxpool -> p -> relu -> y                    x -> maxpool_then(relu) -> y
 *
 * Maximum pooling says by the place of a maximum that nothing passes, which is all that its
 * gradient reads (ops/maxpool.c), so y need not be kept for it; pool-first is what moves rectifiers
 * there.
 *
 * Normalisations are bound by memory, not by arithmetic. Forward reads or writes 3 tensors where it
 * did 5, and with a skip 4 where it did 8; backward without a skip 5 where it did 8, and it no
 * longer reads z or y, which need not be kept for it (ops/batchnorm_then.c, ops/normalize_grad.c).
 *
 * Formulas are joined one after the other, as long as the operator can do what comes of it. What
 * was z's is now x's, of the same size, until y takes its place; a tensor of backward is gone, as
 * is a reader of y. In the same order no plan becomes larger; of 1,762 plans of random small
 * networks ten did, by 1.6 % at most, since nodes are ordered anew. The node stands where the
 * normalisation stood, or with a skip where the formula did that reads it, and keeps the
 * normalisation's path: if a spec asks to recompute the layers that contain it, x is still inside,
 * and y still their output.
 *
 * Results in f32 and f64 are those of separate nodes, but that a compiler may round a product and a
 * sum once; with relu and sums they are bit-identical, forward and backward. In 16 bits z and s
 * were rounded, and no longer are.
 *
 * There are half as many formulas at most as kernels take (EPILOGUES_MOST), since most come with
 * what passes them back.
 *
 * Reads and writes: train, validate, before backward exists and after those passes that look for a
 * relu. Invariant after: no such formula alone reads such an operator's result, but with a skip
 * where another result of that is read before the skip is there, and unless there are so many.
 */
#include "ir/pass.h"

#include "ops/pointwise.h"
#include "ops/then.h"
#include "passes/sums.h"

#define MOST	(EPILOGUES_MOST / 2)	/* formulas: each may come with what passes it back */

struct fusing {
	struct graph *g;
	const int *reads;	/* by the id of a tensor */
	int *place;		/* by the id of a tensor: the node that makes it */
	struct then_set formulas;	/* that are done so far */
};

static bool
is_alike(const struct tensor *a, const struct tensor *b)
{
	return a->dtype == b->dtype && a->batched == b->batched && tensor_same_shape(a, b);
}

/* Is it a formula of one tensor or two, all as large as its result? */
static bool
is_formula(const struct node *n)
{
	int k;

	if (!pointwise_has_formula(n) || n->nin < 1 || n->nin > 2 || n->nout != 1 || n->out[0]->alias_of)
		return false;
	for (k = 0; k < n->nin; k++)
		if (!is_alike(n->in[k], n->out[0]))
			return false;
	return true;
}

/* Is another result of the node read, as where another application of the layer continues from its
 * running statistics? Then it must not run later than it did. */
static bool
is_continued(const struct fusing *f, const struct node *n)
{
	int k;

	for (k = 1; k < n->nout; k++)
		if (n->out[k] && f->reads[n->out[k]->id])
			return true;
	return false;
}

/* What makes operand K of that formula for it alone, and can wait for the other, if there is one;
 * or NULL. */
static struct node *
maker_of(const struct fusing *f, const struct node *n, int k)
{
	const struct tensor *t = n->in[k];
	struct node *maker = t->def;

	if (!maker || maker->out[0] != t || f->reads[t->id] != 1 || t->alias_of || !then_takes(maker, n->nin) ||
	    !maker->op->then.can)
		return NULL;
	return n->nin > 1 && is_continued(f, maker) ? NULL : maker;
}

/* Which operand of the formula is made so. Where both are, that of the earlier: it has the longer
 * to wait with its result.
 * -1: none. */
static int
made_for(const struct fusing *f, const struct node *n)
{
	int best = -1, k;

	for (k = 0; k < n->nin; k++)
		if (maker_of(f, n, k) && (best < 0 || f->place[n->in[k]->id] < f->place[n->in[best]->id]))
			best = k;
	return best;
}

/* If what can do it makes an operand of the AT-th node, it does that itself from now on, and GONE
 * are those that are not needed. */
static void
fuse(struct fusing *f, int at, bool *gone)
{
	struct module *m = f->g->module;
	struct node *n = f->g->nodes.v[at], *maker;
	const struct formula *then;
	int k = is_formula(n) ? made_for(f, n) : -1, place;

	if (k < 0)
		return;
	maker = n->in[k]->def;
	then = then_both(m->arena, maker, n, k);
	if (!maker->op->then.can(m->arena, maker, then) || !then_admits(&f->formulas, then, MOST))
		return;
	place = f->place[n->in[k]->id];
	gone[n->nin > 1 ? place : at] = true;
	if (n->nin > 1) {
		f->g->nodes.v[at] = maker;
		place = at;
	}
	then_join(m, m->arena, maker, then, n, k);
	maker->out[0] = n->out[0];
	n->out[0]->def = maker;
	f->place[n->out[0]->id] = place;
}

static void
fuse_norm(struct graph *g)
{
	struct arena *scratch = arena_child(g->module->arena);
	struct fusing f = { .g = g, .reads = sums_reads(g, scratch),
	    .place = arena_array(scratch, (size_t)g->module->next_tensor + 1, sizeof(*f.place)) };
	bool *gone = arena_array(scratch, (size_t)g->nodes.n + 1, sizeof(*gone));
	int i;

	then_gather(&f.formulas, g->module);
	for (i = 0; i < g->nodes.n; i++)
		if (g->nodes.v[i]->nout && g->nodes.v[i]->out[0])
			f.place[g->nodes.v[i]->out[0]->id] = i;
	for (i = 0; i < g->nodes.n; i++)
		fuse(&f, i, gone);
	ir_drop(g, gone);
	arena_free(scratch);
}

const struct pass pass_fuse_norm = {
	.name = "fuse-norm",
	.doc = "normalise, add a skip and apply an activation in one sweep, and pool and rectify",
	.optional = true,
	.rewrite = fuse_norm,
};
