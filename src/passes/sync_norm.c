/*
 * sync-norm: takes batch normalisation with sync=true apart where ranks train together, so that the
 * sums which it is made of are added up over all of them: two sums over ranks for each, one forward
 * and one backward, which the step waits for (ops/batchnorm_sync.c). It runs when nodes are in
 * their last order: until then each is one, which counts the same bytes but for two numbers a
 * channel, and fuses, runs again and is placed as any other; and its sums do not hold up those of
 * gradients, which wait for one another.
 *
 * Where the batch is parts (deterministic), a micro-batch is one of these, of which one rank has
 * all samples: nothing is left to add up.
 *
 * Reads and writes: train after buckets. Invariants after: 1. no batch normalisation in training
 * has sync, if ranks share its micro-batches out, but in the gradient of weights whose input has
 * none; 2. the order of all other nodes is what it was.
 */
#include "ir/pass.h"

#include "ops/batchnorm.h"

static bool
run(struct module *m, const struct pass_options *o)
{
	struct graph *g = m->train;
	struct node **old;
	int n, i;

	(void)o;
	if (!g || settings_data_ranks(&m->set) <= 1 || module_parts(m))
		return true;
	old = g->nodes.v;
	n = g->nodes.n;
	g->nodes.v = NULL;
	g->nodes.n = g->nodes.cap = 0;
	for (i = 0; i < n; i++)
		if (batchnorm_is_synced(old[i]))
			batchnorm_take_apart(g, old[i]);
		else
			vec_push(m->arena, &g->nodes, old[i]);
	return true;
}

const struct pass pass_sync_norm = {
	.name = "sync-norm",
	.doc = "add up the sums of batch normalisation with sync=true over ranks",
	.run = run,
};
