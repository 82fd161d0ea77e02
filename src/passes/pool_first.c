/*
 * pool-first: lets maximum pooling run before the rectifier that feeds it alone, so that the
 * rectifier has a quarter of the work (for windows of 2 x 2) and, what counts more, a quarter of
 * the result to keep for backward:
 *
 *     x [64, 224, 224] -> relu -> r [64, 224, 224] -> maxpool -> p [64, 112, 112]
 *     x [64, 224, 224] -> maxpool -> p [64, 112, 112] -> relu -> r [64, 112, 112]
 *
 * r is what the rectifier's gradient reads; the large one, which nothing else needs, no longer
 * exists, and x dies when it is pooled. VGG and LeNet gain; residual networks hardly do.
 *
 * The results are bit-identical. Let f be the rectifier, M the largest x of a window.
 *
 * - Forward. f never puts a smaller element above a larger one, so the largest f(x) is f(M). A
 *   window that contains NaN gives NaN either way: pooling and f both propagate it.
 * - Backward, a window with f(M) > 0. f keeps such elements apart, so the first x equal to M is
 *   the first f(x) equal to f(M): the same element gets dy, and f's gradient lets it pass either
 *   way. With NaN, the last of them wins, and it is the same one.
 * - A window with f(M) = 0. Pooling the f(x) points at the first element of all, pooling the x at
 *   another; the gradient of f is 0 at both, as is what arrives there from this window. Before,
 *   it was cut off after the windows' shares were added up, now it is before: since an element
 *   is either passed in all windows in which it wins or in none, in the same order, the sums agree.
 *
 * Which operators are such is said by their flags, OP_MAXIMUM and OP_AFTER_MAXIMUM (ir/op.h).
 *
 * Reads and writes: train, validate, before backward exists. Invariant after: no operator with
 * OP_AFTER_MAXIMUM whose result one OP_MAXIMUM reads, and nothing else, stands before it, if
 * that one makes fewer elements of it.
 */
#include "ir/pass.h"

#include "ir/op.h"
#include "passes/sums.h"

struct uses {			/* by the id of a tensor */
	int *reads;		/* how often it is read; a result is read once more */
	struct tensor **now;	/* what to read instead of it, or NULL */
};

/* Can POOL go before the node that makes R, which so gets less to do? */
static bool
can_overtake(const struct node *pool, const struct tensor *r, const int *reads)
{
	const struct node *f = r->def;

	return f && (f->op->flags & OP_AFTER_MAXIMUM) && reads[r->id] == 1 && !r->alias_of &&
	    tensor_elements_per_sample(pool->out[0]) < tensor_elements_per_sample(r);
}

static void
take_shape(struct tensor *t, const struct tensor *like)
{
	int i;

	t->rank = like->rank;
	for (i = 0; i < like->rank; i++)
		t->dim[i] = like->dim[i];
}

/* The node at AT goes before all that it can overtake; what read its result reads the last of
 * theirs from now on. */
static void
overtake(struct graph *g, int at, struct uses *u)
{
	struct node *pool = g->nodes.v[at], *first = NULL;
	struct tensor *p = pool->out[0], *last = pool->in[0], *r;

	for (r = last; can_overtake(pool, r, u->reads); r = first->in[0]) {
		first = r->def;
		take_shape(r, p);
	}
	if (!first)
		return;
	pool->in[0] = r;
	first->in[0] = p;
	u->reads[last->id] = u->reads[p->id];
	u->reads[p->id] = 1;
	u->now[p->id] = last;
	for (; g->nodes.v[at] != first; at--)
		g->nodes.v[at] = g->nodes.v[at - 1];
	g->nodes.v[at + 1] = first;
	g->nodes.v[at] = pool;
}

static void
pool_first(struct graph *g)
{
	struct arena *scratch = arena_child(g->module->arena);
	size_t all = (size_t)g->module->next_tensor + 1;
	struct uses u = { sums_reads(g, scratch), arena_array(scratch, all, sizeof(*u.now)) };
	int i, j;

#define NOW(t)	((t) && u.now[(t)->id] ? u.now[(t)->id] : (t))
	for (i = 0; i < g->nodes.n; i++) {
		struct node *n = g->nodes.v[i];

		for (j = 0; j < n->nin; j++)
			n->in[j] = NOW(n->in[j]);
		for (j = 0; j < n->nout; j++)
			if (n->out[j] && n->out[j]->alias_of)
				tensor_alias(n->out[j], NOW(n->out[j]->alias_of));
		if (n->op->flags & OP_MAXIMUM)
			overtake(g, i, &u);
	}
	for (i = 0; i < g->results.n; i++)
		g->results.v[i].tensor = NOW(g->results.v[i].tensor);
	g->loss = NOW(g->loss);
#undef NOW
	arena_free(scratch);
}

const struct pass pass_pool_first = {
	.name = "pool-first",
	.doc = "pool before a rectifier rather than after it",
	.optional = true,
	.rewrite = pool_first,
};
