/*
 * average: validates with the running averages of weights, where the spec wants some (ema).
 *
 * Reads: the updates of train, or of update where micro-batches accumulate. Writes: what nodes of
 * validate read. Invariants after: a parameter of which an average is kept is read by no node of
 * validate. Running statistics are averages already, and stay as they are; so do frozen parameters.
 * Where each rank has but its piece of an average, it is brought to all of them in place of the
 * parameter, by passes/gather.c.
 */
#include "ir/pass.h"

#include "ops/optimizers.h"

/* By a parameter's id, its average. */
static struct tensor **
find_averages(struct module *m, const struct graph *g)
{
	struct tensor **of = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(struct tensor *));
	int i, k;

	for (i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];

		for (k = 0; n->phase == PHASE_UPDATE && k < n->nin; k++)
			if (n->in[k] && n->in[k]->averages)
				of[n->in[k]->copies->id] = n->in[k];
	}
	return of;
}

static bool
run(struct module *m, const struct pass_options *o)
{
	struct tensor **of;
	int i, k;

	(void)o;
	if (m->set.ema == 0 || !m->train || !m->validate || module_averages_apart(m))
		return true;
	of = find_averages(m, m->update ? m->update : m->train);
	for (i = 0; i < m->validate->nodes.n; i++) {
		struct node *n = m->validate->nodes.v[i];

		for (k = 0; k < n->nin; k++)
			if (n->in[k] && of[n->in[k]->id])
				n->in[k] = of[n->in[k]->id];
	}
	return true;
}

const struct pass pass_average = {
	.name = "average",
	.doc = "validate with running averages of weights",
	.run = run,
};
