/*
 * learning-rate-ranks: a learning rate that was for one rank. The batch of a spec is that of all
 * ranks, whose gradients are averaged; many scripts name the batch of one process, and its rate.
 * Which of the two a rate was meant for no spec says, so the rule speaks only of the recipe whose
 * rates are published by batch: sgd with momentum, batch normalisation, a classifier.
 */
#include "rulekit/graph_query.h"

#include "ir/op.h"

#include <math.h>

#define USUAL_RATE	0.1	/* He and others, 2016: of this many samples */
#define USUAL_BATCH	256
#define MOST_SCALED	8192	/* up to which Goyal and others, 2017, found rates to grow with the batch */
#define FEWEST_SCALED	512
#define LEAST_MOMENTUM	0.85	/* theirs is 0.9 */
#define NEAR		0.01	/* a relative difference that rounding makes */

static double
published_rate(double samples)
{
	return USUAL_RATE * samples / USUAL_BATCH;
}

static bool
is_near(double x, double y)
{
	return fabs(x - y) <= NEAR * y;
}

static bool
classifies(const struct module *m)
{
	bool found = false;
	int i;

	for (i = 0; i < m->forward->nodes.n; i++)
		found |= node_is(m->forward->nodes.v[i], "cross_entropy");
	return found;
}

static bool
is_published_recipe(const struct module *m)
{
	const struct settings *set = &m->set;

	return set->optimizer && set->optimizer_loc.src && !set->nturns && !strcmp(set->optimizer->name, "sgd") &&
	    optimizer_real(set, "momentum") >= LEAST_MOMENTUM && set->batch >= FEWEST_SCALED && set->batch <= MOST_SCALED &&
	    first_batchnorm(m) && classifies(m);
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	int64_t ranks = settings_data_ranks(&m->set), batch = m->set.batch;
	double lr, share = (double)batch / (double)ranks;
	struct diag *g;

	if (!m->train || ranks < 2 || !is_published_recipe(m))
		return;
	lr = optimizer_real(&m->set, "lr");
	if (!is_near(lr, published_rate(share)))
		return;
	g = lint_report(l, rule, m->set.optimizer_loc, "a learning rate of %g is the published one of the %.6g samples of a rank; "
	    "a batch has %lld", lr, share, (long long)batch);
	diag_fact(l->diags, g, "%g at %d samples (He and others, 2016), in proportion to the batch (Goyal and others, 2017, "
	    "arXiv 1706.02677), is %.4g at %.6g", USUAL_RATE, USUAL_BATCH, published_rate(share), share);
	diag_fact(l->diags, g, "batch is that of all %lld ranks, whose gradients are averaged: steps are as on one rank with %lld "
	    "samples", (long long)ranks, (long long)batch);
	diag_help(l->diags, g, "by the same source lr=%.4g after a warm-up of five epochs: schedule constant(warmup=5 epochs)", published_rate((double)batch));
	diag_help(l->diags, g, "or batch %.6g, if that is what the rate was tuned for", share);
}

const struct rule rule_learning_rate_ranks = {
	.id = "SW332",
	.name = "learning-rate-ranks",
	.family = FAMILY_TRAINING,
	.severity = SEV_NOTE,
	.brief = "a learning rate that was published for the batch of one rank",
	.doc = "batch is what an update sees on all ranks together, and their gradients are averaged: a spec computes the same on any "
	    "number of them. In scripts that start a process for each device the batch is often that of one process, and so may the "
	    "learning rate be that was copied from there. It is then too low by the number of ranks, which no message tells: "
	    "the loss falls, only slower.\n\n"
	    "The published rate for residual networks is 0.1 at 256 samples (He and others: Deep residual learning for image "
	    "recognition, 2016), and in proportion to the batch up to 8192, after a warm-up of five epochs (Goyal and others: "
	    "Accurate, large minibatch SGD, 2017, arXiv 1706.02677): 0.1 batch / 256.\n\n"
	    "Reported, as a note, where the rate is that of a rank's share, 0.1 (batch / ranks) / 256, to 1 %, and all else is of that "
	    "recipe: sgd with a momentum of at least 0.85, batch normalisation, cross_entropy, a batch of 512 to 8192. Quiet for "
	    "any other rate or optimizer. A rate that was tuned for the whole batch on purpose is as good; lint settings and comments "
	    "silence it.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
