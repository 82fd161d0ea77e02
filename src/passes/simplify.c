/*
 * simplify: drops nodes that only pass an input on (dropout outside training, a pad by nothing), so
 * that neither time nor memory is planned for them. What moves no element, as a permute of axes of
 * one place, is the same bytes under another shape: it becomes a reshape, which is a view, and so
 * is its gradient.
 *
 * Reads and writes: train, validate. An operator says in op->simplify.identity() which input its
 * output equals, and in op->simplify.unchanged() the same of further outputs. Invariants after: 1.
 * neither answers for any node; 2. what only puts elements elsewhere does so with one at least.
 * Dead code goes in `prune`, which runs when backward exists: before that, nobody can tell which
 * saved outputs are read.
 */
#include "ir/pass.h"

#include <string.h>

#include "ir/op.h"
#include "ops/move.h"

extern const struct op op_reshape;

static void
drop_unchanged(const struct graph *g, struct node *n, struct tensor **same)
{
	int k, from;

	for (k = 1; n->op->simplify.unchanged && k < n->nout; k++) {
		from = n->out[k] ? n->op->simplify.unchanged(g, n, k) : -1;
		if (from < 0)
			continue;
		same[n->out[k]->id] = n->in[from];
		n->out[k] = NULL;
	}
}

static void
reshape_instead(struct module *m, struct node *n)
{
	struct tensor *y = n->out[0];
	struct moving how;
	struct attr *shape;

	if (!n->op->calls.moves)
		return;
	n->op->calls.moves(n, &how);
	if (!move_is_nothing(&how, y, n->in[0]))
		return;
	n->op = &op_reshape;
	n->attr = op_presets(m->arena, &op_reshape);
	shape = op_preset(&op_reshape, n->attr, "shape");
	shape->given = true;
	shape->n = y->rank;
	memcpy(shape->v, y->dim, (size_t)y->rank * sizeof(*shape->v));
	tensor_alias(y, n->in[0]);
}

static void
drop_identities(struct graph *g)
{
	struct module *m = g->module;
	struct arena *scratch = arena_child(m->arena);
	struct tensor **same = arena_array(scratch, (size_t)m->next_tensor + 1, sizeof(*same));
	int i, j, kept = 0;

#define SAME(t)	((t) && same[(t)->id] ? same[(t)->id] : (t))
	for (i = 0; i < g->nodes.n; i++) {
		struct node *n = g->nodes.v[i];
		struct tensor *x;

		for (j = 0; j < n->nin; j++)
			n->in[j] = SAME(n->in[j]);
		for (j = 0; j < n->nout; j++)
			if (n->out[j] && n->out[j]->alias_of)
				tensor_alias(n->out[j], SAME(n->out[j]->alias_of));
		drop_unchanged(g, n, same);
		x = n->op->simplify.identity ? n->op->simplify.identity(g, n) : NULL;
		if (x) {
			same[n->out[0]->id] = x;
			continue;
		}
		reshape_instead(m, n);
		g->nodes.v[kept++] = n;
	}
	g->nodes.n = kept;
	for (i = 0; i < g->results.n; i++)
		g->results.v[i].tensor = SAME(g->results.v[i].tensor);
	g->loss = SAME(g->loss);
#undef SAME
	arena_free(scratch);
}

const struct pass pass_simplify = {
	.name = "simplify",
	.doc = "drop nodes whose output equals an input, or make a view of it",
	.in_bodies = true,
	.rewrite = drop_identities,
};
