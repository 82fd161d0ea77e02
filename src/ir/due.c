#include "ir/due.h"

#include "ir/op.h"

/* What moves a parameter: its turn, if that is left out of most steps. */
static unsigned
bits_of_update(const struct module *m, const struct node *n)
{
	int turn = n->in[0] ? tensor_root(n->in[0])->turn : 0;

	return turn && m->set.turn[turn - 1].every > 1 ? 1u << (turn - 1) : EVERY_STEP;
}

/* Does the node make a new value of a parameter, or bring that to all ranks? Not one that brings
 * what is read next. */
static bool
is_update(const struct node *n)
{
	return n->op->kind == OP_OPTIMIZER || (n->op->ranks.between == BETWEEN_GATHER && n->in[0] &&
	    tensor_root(n->in[0])->kind == T_PARAM && !tensor_root(n->in[0])->shared);
}

static void
read_by_all(const struct graph *g, unsigned *wanted)
{
	int i;

	for (i = 0; i < g->results.n; i++)
		wanted[g->results.v[i].tensor->id] = EVERY_STEP;
	if (g->loss)
		wanted[g->loss->id] = EVERY_STEP;
}

/* Which results of the node are read, for which updates? Those that nothing reads are no reason for
 * it to run. */
static unsigned
bits_of_readers(const struct node *n, const unsigned *wanted)
{
	unsigned bits = 0;
	int k;

	for (k = 0; k < n->nout; k++)
		if (n->out[k])
			bits |= wanted[n->out[k]->id];
	return bits ? bits : EVERY_STEP;
}

/* Is it a sum over ranks of what micro-batches have added up? What each of them needs itself, as
 * statistics do, is none, nor are gradients of which ranks keep pieces. */
static bool
sums_up_all(const struct module *m, const struct node *n)
{
	enum between between = n->op->ranks.between;

	return (between == BETWEEN_SUM || (between == BETWEEN_SCATTER && !module_shares_out(m, SHARD_GRADIENTS))) &&
	    n->in[0]->kind == T_GRADIENT;
}

bool
module_sends_last(const struct module *m)
{
	int i;

	for (i = 0; m->train && m->update && i < m->train->nodes.n; i++)
		if (sums_up_all(m, m->train->nodes.v[i]))
			return true;
	return false;
}

/* Of micro-batches: such sums are for the last alone. */
static unsigned *
due_of_last(const struct graph *g)
{
	unsigned *due = arena_array(g->module->arena, (size_t)g->nodes.n + 1, sizeof(*due));
	int i;

	for (i = 0; i < g->nodes.n; i++)
		due[i] = sums_up_all(g->module, g->nodes.v[i]) ? LAST_STEP : EVERY_STEP;
	return due;
}

unsigned *
module_due(const struct module *m)
{
	const struct graph *g = m->train;
	unsigned *wanted, *due;
	int i, k;

	if (module_sends_last(m))
		return due_of_last(g);
	if (!g || !settings_leave_out(&m->set))
		return NULL;
	wanted = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*wanted));
	due = arena_array(m->arena, (size_t)g->nodes.n + 1, sizeof(*due));
	read_by_all(g, wanted);
	for (i = g->nodes.n - 1; i >= 0; i--) {
		const struct node *n = g->nodes.v[i];

		due[i] = is_update(n) ? bits_of_update(m, n) : bits_of_readers(n, wanted);
		for (k = 0; k < n->nin; k++)
			if (n->in[k])
				wanted[n->in[k]->id] |= due[i];
	}
	return due;
}
