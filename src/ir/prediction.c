/*
 * What a network predicts: the value that --predict writes, and that an exported model computes.
 */
#include "ir/prediction.h"

#include "ir/needed.h"
#include "ir/op.h"

/* Which tensors depend on a parameter? By tensor id. */
static bool *
find_learnt(const struct graph *g)
{
	bool *learnt = arena_array(g->module->arena, (size_t)g->module->next_tensor + 1,
	    sizeof(*learnt));
	int i, k;

	for (i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];
		bool any = false;

		for (k = 0; k < n->nin; k++)
			any |= n->in[k] && (n->in[k]->kind == T_PARAM || n->in[k]->averages || learnt[n->in[k]->id]);
		for (k = 0; any && k < n->nout; k++)
			if (n->out[k])
				learnt[n->out[k]->id] = true;
	}
	return learnt;
}

/* Only what a node defines is handed to keep_predictions, and only samples make rows. */
static bool
can_be_kept(const struct tensor *t)
{
	return t && t->def && t->batched;
}

/* The node itself hands it over, a piece at a time. */
static const struct tensor *
value_in_pieces(const struct graph *g, const struct node *n)
{
	struct tensor *t = ARENA_NEW(g->module->arena, struct tensor);

	*t = n->op->memory.pieces(n);
	return t;
}

/* Of one loss or metric: a loss may name its target first, and a target may itself be computed.
 * Without parameters any computed one will do. */
static const struct tensor *
operand_of(const struct graph *g, const struct node *n, const bool *learnt, bool *is_learnt)
{
	const struct tensor *computed = NULL;
	int k;

	*is_learnt = true;
	if (n->op->memory.pieces)
		return value_in_pieces(g, n);
	for (k = 0; k < n->nin; k++) {
		if (!can_be_kept(n->in[k]))
			continue;
		if (learnt[n->in[k]->id])
			return n->in[k];
		if (!computed)
			computed = n->in[k];
	}
	*is_learnt = false;
	return computed;
}

/* The spec says first what is first, in whatever order passes put nodes. */
static bool
is_before(const struct node *n, const struct node *other)
{
	return n->loc.src == other->loc.src && n->loc.beg < other->loc.beg;
}

static const struct tensor *
operand_of_kind(const struct graph *g, enum op_kind kind, const bool *learnt)
{
	const struct tensor *best = NULL;
	const struct node *of = NULL;
	bool best_is_learnt = false;
	int i;

	for (i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];
		const struct tensor *t = NULL;
		bool is_learnt = false;

		if (n->op->kind == kind || (kind == OP_LOSS && n->op->memory.pieces))
			t = operand_of(g, n, learnt, &is_learnt);
		if (!t || (of && is_learnt < best_is_learnt) ||
		    (of && is_learnt == best_is_learnt && !is_before(n, of)))
			continue;
		best = t;
		of = n;
		best_is_learnt = is_learnt;
	}
	return best;
}

const struct tensor *
graph_prediction(const struct graph *g)
{
	const struct tensor *t;
	bool *learnt;
	int i;

	if (!g)
		return NULL;
	learnt = find_learnt(g);
	t = operand_of_kind(g, OP_LOSS, learnt);
	if (!t)
		t = operand_of_kind(g, OP_METRIC, learnt);
	for (i = 0; !t && i < g->results.n; i++)
		if (!g->results.v[i].predicted && can_be_kept(g->results.v[i].tensor))
			t = g->results.v[i].tensor;
	return t;
}

int
graph_predictions(const struct graph *g, struct result **all)
{
	struct result *r = *all = arena_array(g->module->arena, (size_t)g->results.n + 1, sizeof(*r));
	int i, n = 0;

	r[n++] = (struct result){ .name = "prediction", .tensor = (struct tensor *)graph_prediction(g), .predicted = true };
	for (i = 0; i < g->results.n; i++)
		if (g->results.v[i].predicted)
			r[n++] = g->results.v[i];
	return n;
}

/* Does it depend on what inference does not have? */
static bool
needs_target(const struct graph *g, const struct tensor *t)
{
	bool *needed = arena_array(g->module->arena, (size_t)g->module->next_tensor + 1, sizeof(*needed));
	int i;

	needed[t->id] = true;
	needed_mark(g->nodes.v, g->nodes.n, needed, NULL);
	for (i = 0; i < g->inputs.n; i++)
		if (g->inputs.v[i]->kind == T_TARGET && needed[g->inputs.v[i]->id])
			return true;
	return false;
}

int
graph_outputs(const struct graph *g, struct result **all)
{
	int count = graph_predictions(g, all);

	(*all)[0].name = NULL;
	if ((*all)[0].tensor && (count == 1 || !needs_target(g, (*all)[0].tensor)))
		return count;
	++*all;
	return count - 1;
}

/* ---- nothing but that ---- */

static void
keep_needed(struct graph *g, bool *needed)
{
	int i, n;

	needed_mark(g->nodes.v, g->nodes.n, needed, NULL);
	for (i = n = 0; i < g->nodes.n; i++)
		if (needed_of(g->nodes.v[i], needed))
			g->nodes.v[n++] = g->nodes.v[i];
	g->nodes.n = n;
	for (i = n = 0; i < g->inputs.n; i++)
		if (needed[g->inputs.v[i]->id])
			g->inputs.v[n++] = g->inputs.v[i];
	g->inputs.n = n;
}

/* Weights of what is left out, such as the discriminator of a generator, take no room. */
static void
keep_weights(struct module *m, const bool *needed)
{
	int i, n = 0;

	for (i = 0; i < m->persistent.n; i++)
		if (needed[m->persistent.v[i]->id])
			m->persistent.v[n++] = m->persistent.v[i];
	m->persistent.n = n;
}

bool
module_infer(struct module *m)
{
	struct graph *g = m->forward;
	struct result *all;
	int count = graph_outputs(g, &all), i;
	bool *needed = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*needed));

	if (count == 0) {
		diag_error(m->diags, "settings", m->loc, "network '%s' computes nothing for each sample, so there is nothing to "
		    "infer", m->name);
		return false;
	}
	for (i = 0; i < count; i++)
		needed[all[i].tensor->id] = true;
	keep_needed(g, needed);
	keep_weights(m, needed);
	g->loss = NULL;
	g->results.n = 0;
	for (i = 0; i < count; i++) {
		if (!all[i].name)	/* what the first loss reads: it stands for itself now */
			all[i] = (struct result){ .name = "prediction", .tensor = all[i].tensor, .loc = all[i].tensor->loc };
		vec_push(m->arena, &g->results, all[i]);
	}
	m->set.train = false;
	m->set.validate = true;
	m->set.data = m->set.validate_data = (struct data_source){ 0 };
	m->inference = true;
	return true;
}
