/*
 * phases: derives the train and validate graphs from the forward graph of the spec.
 *
 * Reads: module->forward, settings. Writes: module->train (when the spec has a loss),
 * module->validate (when it validates, or has nothing to train: then it is the inference graph).
 *
 * Invariants after: 1. train runs at settings_micro_batch() samples, validate at validate_batch;
 * 2. every node's `training` is its graph's; 3. the two share persistent tensors and nothing else;
 * 4. train stages no target that only a metric reads; 5. nodes stand depth-first, whatever
 * the order of the spec's statements, but for large networks.
 *
 * Where micro-batches accumulate, labels that a loss counts come from the data: the host counts
 * those of the whole update before its first micro-batch.
 */
#include "ir/pass.h"

#include "ir/depth_first.h"
#include "ops/labels.h"

static void
keep_losses_only(struct graph *g)
{
	int i, n = 0;

	for (i = 0; i < g->results.n; i++)
		if (g->results.v[i].is_loss)
			g->results.v[n++] = g->results.v[i];
	g->results.n = n;
}

static bool
labels_are_there(struct module *m)
{
	int i;

	for (i = 0; m->train && i < m->train->nodes.n; i++) {
		const struct node *n = m->train->nodes.v[i];
		struct diag *g;

		if (!labels_host_counts(m, m->train, n) || !labels_of(n)->def)
			continue;
		g = diag_error(m->diags, "settings", n->loc, "the labels of %s are computed, and with ignore or weights "
		    "an update of several micro-batches or ranks must know all of its labels before the first", n->op->name);
		diag_help(m->diags, g, "leave out %s, or give it labels of the data", m->set.ranks <= 1 ? "accumulate" :
		    m->set.accumulate > 1 ? "ranks and accumulate" : "ranks");
		return false;
	}
	return true;
}

/* A large network, in which the passes see too little at a time to undo it, begins as its author
 * wrote it. */
#define MOST_NODES	200	/* of forward */

static void
arrange(const struct module *m, struct graph *g)
{
	if (m->forward->nodes.n <= MOST_NODES)
		ir_depth_first(g);
}

static bool
run(struct module *m, const struct pass_options *o)
{
	(void)o;
	if (m->set.train) {
		m->train = ir_clone(m, m->forward, "train", true, NULL);
		m->train->batch = settings_micro_batch(&m->set);
		keep_losses_only(m->train);
		arrange(m, m->train);
	}
	if (m->set.validate || !m->set.train) {
		m->validate = ir_clone(m, m->forward, "validate", false, NULL);
		m->validate->batch = m->set.validate_batch;
		arrange(m, m->validate);
	}
	return labels_are_there(m);
}

const struct pass pass_phases = {
	.name = "phases",
	.doc = "copy the network into a training and a validation graph",
	.run = run,
};
