/*
 * prune: removes nodes that nothing needs, and optional outputs nobody reads (a pooling index in
 * validation, the batch statistics of a frozen layer).
 *
 * Reads and writes: train, update, validate. A node stays if it has a side effect, updates a
 * persistent tensor, defines a result, or one of its outputs is read by a node that stays.
 * Invariants after: 1. every output is read, persistent, a result, or needed because its node is;
 * 2. inputs and targets that nobody reads are not staged.
 */
#include "ir/pass.h"

#include "ir/op.h"

/* Read after the step by whoever drives it: new persistent values, gradients of inputs (which are
 * made only when asked for). */
static bool
outlives_step(const struct tensor *t)
{
	return tensor_persistent(t) || (t->gradient_of && t->gradient_of->kind == T_INPUT);
}

static bool
is_needed(const struct node *n, const bool *read)
{
	int i;

	if (n->op->flags & OP_SIDE_EFFECT)
		return true;
	for (i = 0; i < n->nout; i++)
		if (n->out[i] && (read[n->out[i]->id] || outlives_step(n->out[i])))
			return true;
	return false;
}

static void
mark_read(const struct node *n, bool *read)
{
	int i;

	for (i = 0; i < n->nin; i++)
		if (n->in[i])
			read[n->in[i]->id] = true;
}

static void
drop_unread_outputs(struct node *n, const bool *read)
{
	int i;

	for (i = 0; i < n->nout; i++)
		if (n->out[i] && (n->op->memory.optional_out >> i & 1) && !read[n->out[i]->id] &&
		    !outlives_step(n->out[i]))
			n->out[i] = NULL;
}

static void
prune(struct graph *g, bool *read)
{
	int i, kept;

	for (i = 0; i < g->results.n; i++)
		read[g->results.v[i].tensor->id] = true;
	if (g->loss)
		read[g->loss->id] = true;
	for (i = g->nodes.n - 1; i >= 0; i--) {
		struct node *n = g->nodes.v[i];

		if (!is_needed(n, read)) {
			g->nodes.v[i] = NULL;
			continue;
		}
		drop_unread_outputs(n, read);
		mark_read(n, read);
	}
	for (i = 0, kept = 0; i < g->nodes.n; i++)
		if (g->nodes.v[i])
			g->nodes.v[kept++] = g->nodes.v[i];
	g->nodes.n = kept;
	for (i = 0, kept = 0; i < g->inputs.n; i++)
		if (read[g->inputs.v[i]->id])
			g->inputs.v[kept++] = g->inputs.v[i];
	g->inputs.n = kept;
}

static bool
run(struct module *m, const struct pass_options *o)
{
	struct graph *const graph[] = { m->update, m->train, m->validate };
	bool *read = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*read));
	size_t i;

	(void)o;
	/* update comes first: what it reads of train must stay there */
	for (i = 0; i < sizeof(graph) / sizeof(*graph); i++)
		if (graph[i])
			prune(graph[i], read);
	return true;
}

const struct pass pass_prune = {
	.name = "prune",
	.doc = "remove nodes and optional outputs that nobody reads",
	.in_bodies = true,
	.run = run,
};
