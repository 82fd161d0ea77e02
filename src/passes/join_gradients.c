/*
 * join-gradients: where contributions to a gradient are formulas, they are made where they are
 * added up:
 *
 *     a = dy * s,  b = dm / n,  dx = a + b          dx = dy * s + dm / n
 *
 * as behind a tensor that is scaled by what is made of its own mean, in blocks that squeeze and
 * excite: a is never written, nor read, and neither is b, which repeats a number for each channel.
 *
 * A contribution is joined with the sum that alone reads it. Nothing else lives longer: it has at
 * most one operand of its result's size, which lives on in place of the result, or stands directly
 * before the sum. What it reads is still what it was: no weight that an update changes before the
 * sum. But a product that makes the other contribution later can add it onto the first
 * (forks-in-place), which costs no more; there the first is left as it is.
 *
 * In 16 bits the contributions are not rounded before they are added, and a compiler may round a
 * product and a sum once.
 *
 * Reads and writes: train after sums-of-formulas. Invariant after: no sum of gradients is the only
 * reader of a formula of its shape, but for those.
 */
#include "ir/pass.h"

#include "ops/pointwise.h"
#include "passes/joined.h"
#include "passes/sums.h"

extern const struct op op_grad_sum;

struct adding {
	struct graph *g;
	const int *reads;	/* by the id of a tensor */
	int *place;		/* by the id of a tensor: the node that makes it; -1: none */
};

/* Could the node that makes another contribution of SUM than T, after T, add it onto that? */
static bool
is_added_onto(const struct adding *s, const struct node *sum, const struct tensor *t)
{
	int k;

	for (k = 0; k < sum->nin; k++) {
		const struct tensor *other = sum->in[k];
		const struct node *n = other != t ? other->def : NULL;

		if (n && n->op->memory.onto && !op_base(n) && n->out[0] == other && s->reads[other->id] == 1 &&
		    s->place[other->id] > s->place[t->id] && tensor_alike(other, t))
			return true;
	}
	return false;
}

/* Is a weight that MAKER reads changed by a node between it and place AT? */
static bool
reads_what_changes(const struct adding *s, const struct node *maker, int at)
{
	int i, j, k;

	for (k = 0; k < maker->nin; k++) {
		const struct tensor *root = tensor_root(maker->in[k]);

		for (i = s->place[maker->out[0]->id] + 1; i < at && tensor_persistent(root); i++) {
			const struct node *n = s->g->nodes.v[i];

			for (j = 0; j < n->nout && !op_is_view(n->op); j++)
				if (n->out[j] && tensor_root(n->out[j]) == root)
					return true;
		}
	}
	return false;
}

/* Is T, which SUM reads at place AT, a formula that can be made there? */
static bool
can_join(const struct adding *s, const struct node *sum, const struct tensor *t, int at)
{
	struct tensor *in[FORMULA_OPERANDS];
	const struct node *maker = t->def;
	struct arena *scratch;
	int k, uses = 0;
	bool cheap;

	if (!maker || !pointwise_has_formula(maker) || maker->nout != 1 || t->alias_of || s->place[t->id] < 0 ||
	    !tensor_alike(t, sum->out[0]) || joined_operands(maker, sum, in) < 0)
		return false;
	for (k = 0; k < sum->nin; k++)
		uses += sum->in[k] == t;
	if (s->reads[t->id] != uses || is_added_onto(s, sum, t) || (joined_whole(maker) > 1 && s->place[t->id] + 1 != at) ||
	    reads_what_changes(s, maker, at))
		return false;
	scratch = arena_child(s->g->module->arena);
	cheap = formula_cost(joined_formula(scratch, maker, sum, in)) <= JOINED_DEAREST;
	arena_free(scratch);
	return cheap;
}

/* Whether those of SUM, at place AT, are made there. */
static void
join_all(struct adding *s, struct node *sum, int at, bool *gone)
{
	int k;

	for (k = 0; k < sum->nin; k++) {
		struct tensor *t = sum->in[k];

		if (!can_join(s, sum, t, at))
			continue;
		joined_make(s->g->module, t->def, sum);
		gone[s->place[t->id]] = true;
		k = -1;	/* its operands are others now */
	}
}

static bool
run(struct module *m, const struct pass_options *o)
{
	struct arena *a = arena_child(m->arena);
	struct graph *g = m->train;
	struct adding s = { .g = g };
	int i, k;
	bool *gone;

	(void)o;
	if (g && ir_has(g, &op_grad_sum)) {
		s.reads = sums_reads(g, a);
		s.place = arena_array(a, (size_t)m->next_tensor + 1, sizeof(*s.place));
		gone = arena_array(a, (size_t)g->nodes.n + 1, sizeof(*gone));
		for (i = 0; i < m->next_tensor; i++)
			s.place[i] = -1;
		for (i = 0; i < g->nodes.n; i++)
			for (k = 0; k < g->nodes.v[i]->nout; k++)
				if (g->nodes.v[i]->out[k])
					s.place[g->nodes.v[i]->out[k]->id] = i;
		for (i = 0; i < g->nodes.n; i++)
			if (g->nodes.v[i]->op == &op_grad_sum)
				join_all(&s, g->nodes.v[i], i, gone);
		ir_drop(g, gone);
	}
	arena_free(a);
	return true;
}

const struct pass pass_join_gradients = {
	.name = "join-gradients",
	.doc = "make contributions to a gradient that are formulas where they are added up",
	.optional = true,
	.run = run,
};
