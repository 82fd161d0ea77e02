/*
 * fuse-norm: lets batchnorm add a skip and rectify in the sweep in which it normalises:
 *
 *     x -> batchnorm -> z -> relu -> y                  x -> batchnorm_relu -> y
 *     x -> batchnorm -> z, z + skip -> s -> relu -> y   x, skip -> batchnorm_add_relu -> y
 *
 * and so with relu6. Such a chain is bound by memory, not by arithmetic. Forward reads or writes 3 tensors where it did
 * 5, and with a skip 4 where it did 8; backward without a skip 5 where it did 8, and it no longer
 * reads y, which need not be kept for it (ops/batchnorm_relu.c).
 *
 * No plan becomes larger. What was z's is now x's, of the same size, until y takes its place; a
 * tensor of backward is gone, as is a reader of y. The node stands where the batchnorm stood, or
 * with a skip where the relu did, and keeps the batchnorm's path: if a spec asks to recompute the
 * layers that contain it, x is still inside, and y still their output.
 *
 * Results in f32 and f64 are bit-identical, forward and backward. In 16 bits z and s were rounded,
 * and no longer are.
 *
 * Reads and writes: train, validate, before backward exists and after those passes that look for a
 * relu. Invariant after: no relu alone reads a batchnorm, or a sum of one with a tensor of its shape,
 * but where the batchnorm is applied again before the skip is there.
 */
#include <math.h>

#include "ir/pass.h"
#include "passes/sums.h"

#include "ops/batchnorm.h"
#include "ops/pointwise.h"

#define LONGEST	16	/* terms: no formula with more is looked at */

struct fusing {
	struct graph *g;
	const int *reads;	/* by the id of a tensor */
	int *place;		/* by the id of a tensor: the node that makes it */
};

/* The node of that operator that makes T for one reader alone, or NULL. */
static struct node *
maker(const struct fusing *f, const struct tensor *t, const struct op *op)
{
	struct node *n = t->def;

	return n && n->op == op && n->out[0] == t && f->reads[t->id] == 1 && !t->alias_of ? n : NULL;
}

static bool
is_alike(const struct tensor *a, const struct tensor *b)
{
	return a->dtype == b->dtype && a->batched == b->batched && tensor_same_shape(a, b);
}

/* Does another application of the layer continue from the running statistics of this one? Then it
 * must not run later than it did. */
static bool
is_continued(const struct fusing *f, const struct node *n)
{
	int k;

	for (k = NEW_MEAN; k <= NEW_VAR; k++)
		if (n->out[k] && f->reads[n->out[k]->id])
			return true;
	return false;
}

/* The batchnorm among the operands of ADD that can wait for the other, which is *SKIP. Where both
 * are, the earlier one: it has the longer to wait with its result. */
static struct node *
summand(const struct fusing *f, const struct node *add, struct tensor **skip)
{
	struct node *best = NULL;
	int k;

	for (k = 0; k < 2; k++) {
		struct node *n = maker(f, add->in[k], &op_batchnorm);

		if (!n || !is_alike(add->in[k], add->in[1 - k]) || is_continued(f, n))
			continue;
		if (best && f->place[best->out[Y]->id] < f->place[n->out[Y]->id])
			continue;
		best = n;
		*skip = add->in[1 - k];
	}
	return best;
}

/* Does N rectify, and up to which bound? 0: there is none. */
static bool
is_rectifier(struct arena *a, const struct node *n, double *top)
{
	const struct formula *f;
	int i;

	*top = 0;
	if (n->op == &op_relu || n->nin != 1 || !pointwise_has_formula(n))
		return n->op == &op_relu;
	f = pointwise_formula(a, n);
	for (i = 0; i < f->terms.n && f->terms.n < LONGEST; i++) {
		*top = f->terms.v[i].operand == TERM_NUMBER ? f->terms.v[i].number : 0;
		if (*top > 0 && formula_same(f, formula_parse(a, arena_printf(a,
		    "x0: where(x0 <= 0, 0, where(x0 >= %.17g, %.17g, x0))", *top, *top))))
			return true;
	}
	return false;
}

/* Is it that number in every type of elements? The narrowest has eight bits of it. */
static bool
is_stored_exactly(double number)
{
	int exponent;
	double scaled = ldexp(frexp(number, &exponent), 8);

	return scaled == floor(scaled);
}

/* The AT-th node rectifies, up to TOP: what feeds it does so itself from now on, and *GONE are those nodes that
 * are not needed. */
static void
fuse(struct fusing *f, int at, double top, bool *gone)
{
	struct node **v = f->g->nodes.v, *relu = v[at], *add, *norm;
	struct tensor *skip = NULL;

	if ((norm = maker(f, relu->in[0], &op_batchnorm))) {
		gone[at] = true;
	} else {
		/* backward asks of what is stored whether it has come up to the bound */
		add = is_stored_exactly(top) ? maker(f, relu->in[0], &op_add) : NULL;
		norm = add ? summand(f, add, &skip) : NULL;
		if (!norm)
			return;
		gone[f->place[add->out[0]->id]] = gone[f->place[norm->out[Y]->id]] = true;
		v[at] = norm;
	}
	batchnorm_join(f->g->module, norm, skip, top, relu->out[0]);
}

static void
fuse_norm(struct graph *g)
{
	struct arena *a = g->module->arena;
	struct fusing f = { g, sums_reads(g), arena_array(a, (size_t)g->module->next_tensor + 1,
	    sizeof(*f.place)) };
	bool *gone = arena_array(a, (size_t)g->nodes.n + 1, sizeof(*gone));
	int i, kept = 0;
	double top;

	for (i = 0; i < g->nodes.n; i++)
		if (g->nodes.v[i]->nout && g->nodes.v[i]->out[0])
			f.place[g->nodes.v[i]->out[0]->id] = i;
	for (i = 0; i < g->nodes.n; i++)
		if (is_rectifier(a, g->nodes.v[i], &top))
			fuse(&f, i, top, gone);
	for (i = 0; i < g->nodes.n; i++)
		if (!gone[i])
			g->nodes.v[kept++] = g->nodes.v[i];
	g->nodes.n = kept;
}

const struct pass pass_fuse_norm = {
	.name = "fuse-norm",
	.doc = "normalise, add a skip and rectify in one sweep",
	.optional = true,
	.rewrite = fuse_norm,
};
