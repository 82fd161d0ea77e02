/*
 * What a network predicts: the value that --predict writes, and that an exported model computes.
 */
#include "ir/prediction.h"

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

/* The operand of the first loss or metric that the network computes: a loss may name its target
 * first, and a target may itself be computed. Without parameters any computed one will do. */
static const struct tensor *
operand_of_kind(const struct graph *g, enum op_kind kind, const bool *learnt)
{
	const struct tensor *computed = NULL;
	int i, k;

	for (i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];

		if (kind == OP_LOSS && n->op->memory.pieces)
			return value_in_pieces(g, n);
		for (k = 0; n->op->kind == kind && k < n->nin; k++) {
			if (!can_be_kept(n->in[k]))
				continue;
			if (learnt[n->in[k]->id])
				return n->in[k];
			if (!computed)
				computed = n->in[k];
		}
	}
	return computed;
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
		if (can_be_kept(g->results.v[i].tensor))
			t = g->results.v[i].tensor;
	return t;
}
