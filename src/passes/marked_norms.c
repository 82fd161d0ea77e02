/*
 * marked-norms: for speed on a GPU, what passes the relu that ends a residual block is kept as
 * bits, a sixteenth of y's bytes, and backward reads these in place of y. And a projection beside
 * the block, whose batchnorm is the skip, is normalised in the same sweep, and so is its gradient:
 *
 *     z = batchnorm(x2); y = batchnorm_then(x, z)        y, marks = batchnorm_both(x, x2)
 *     dx, p = batchnorm_grad_of(dy, x, y)                dx, dx2 = batchnorm_both_grad(dy, x, x2, marks)
 *     dx2 = batchnorm_grad(p, x2)
 *
 * so neither z nor p is ever in memory: forward reads and writes 5 tensors where it did 7, backward
 * 8 where it did 12. The bits live as long as y, and dx2 as p, so that is done where the device has
 * room for that, or bytes do not matter. Results are those of separate nodes: bit-identical, but
 * that z is not rounded in 16 bits.
 *
 * Reads and writes: train after formula-in-norm. Invariant after: no batchnorm_grad_of reads the y
 * of a relu whose channels are whole packs, where there was room.
 */
#include "ir/pass.h"

#include "target/target.h"
#include "ops/batchnorm.h"
#include "passes/sums.h"
#include "schedule/step.h"

struct marking {
	struct graph *g;
	const int *reads;	/* by the id of a tensor */
	bool *gone;		/* by place in the graph */
	int *place;		/* by the id of a node */
};

/* Is there room for marks of all that is made by the step? */
static bool
has_room(struct graph *g, const struct pass_options *o, struct arena *a)
{
	struct model *m = step_model(a, g, o, STEP_ONCE);

	return m && step_try(m) && step_is_roomy(g->module, o, m);
}

/* Does anything before node N read a statistic of OTHER, which will be made there? */
static bool
is_read_before(const struct marking *s, const struct node *other, const struct node *n)
{
	int i, j, k;

	for (i = s->place[other->id] + 1; i < s->place[n->id]; i++)
		for (j = 0; j < s->g->nodes.v[i]->nin; j++)
			for (k = MEAN; k <= NEW_VAR; k++)
				if (s->g->nodes.v[i]->in[j] && tensor_root(s->g->nodes.v[i]->in[j]) == tensor_root(other->out[k]))
					return true;
	return false;
}

/* The forward node N and GRAD become ones for both, if the skip is made by a batchnorm for N
 * alone. */
static bool
join(struct marking *s, struct node *n, struct node *grad)
{
	struct node *other = batchnorm_beside(n), *other_grad;
	int at;

	if (!other || s->reads[other->out[Y]->id] != 1 || is_read_before(s, other, n))
		return false;
	at = sums_reader_after(s->g, s->reads, grad->out[grad->nout - 1], s->place[grad->id]);
	other_grad = s->g->nodes.v[at];
	if (!at || !batchnorm_can_join_gradients(grad, other, other_grad))
		return false;
	s->gone[s->place[other->id]] = s->gone[s->place[other_grad->id]] = true;
	batchnorm_join_both(s->g->module, n, other, grad, other_grad);
	return true;
}

static void
mark(struct graph *g, struct arena *a)
{
	struct module *m = g->module;
	struct marking s = { g, sums_reads(g, a), arena_array(a, (size_t)g->nodes.n + 1, sizeof(bool)),
	    arena_array(a, (size_t)m->next_node + 1, sizeof(int)) };
	int i;

	for (i = 0; i < g->nodes.n; i++)
		s.place[g->nodes.v[i]->id] = i;
	for (i = 0; i < g->nodes.n; i++) {
		struct node *grad = g->nodes.v[i], *n = batchnorm_markable(a, grad);

		if (n && !join(&s, n, grad))
			batchnorm_mark(m, n, grad);
	}
	ir_drop(g, s.gone);
}

static bool
run(struct module *m, const struct pass_options *o)
{
	struct arena *a;

	if (!o->speed || !m->train || !o->target->splits_sums || !ir_has(m->train, &op_batchnorm_grad_of))
		return true;
	a = arena_child(m->arena);
	if (has_room(m->train, o, a))
		mark(m->train, a);
	arena_free(a);
	return true;
}

const struct pass pass_marked_norms = {
	.name = "marked-norms",
	.doc = "for speed, keep what passes behind a skip as bits, and normalise a projection beside it in one sweep",
	.optional = true,
	.thorough = true,
	.run = run,
};
