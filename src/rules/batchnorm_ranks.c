/*
 * batchnorm-ranks: where several ranks train together, batch normalisation takes its statistics
 * from the samples that one of them has, if it does not say sync=true. A single sample is reported
 * by batchnorm-batch-1, and micro-batches by batchnorm-accumulate.
 */
#include "rulekit/graph_query.h"

#include "plan/plan.h"

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	const struct node *n = settings_data_ranks(&m->set) > 1 ? first_batchnorm(m) : NULL;
	int64_t micro = m->plan->batch;
	struct diag *g;

	if (!n || m->set.parts || micro >= FEWEST_SAMPLES || micro < 2 || m->set.accumulate > 1 || batchnorm_samples(m, n, micro) > micro)
		return;
	g = lint_report(l, rule, m->set.ranks_loc.src ? m->set.ranks_loc : m->set.batch_loc, "batch normalisation sees "
	    "the %lld samples of a rank, not the batch of %lld", (long long)micro, (long long)m->set.batch);
	diag_place(l->diags, g, n->loc, "'%s' is the first of them", n->path);
	diag_fact(l->diags, g, "its mean and variance are over %lld samples of %lld positions; ranks add up gradients, "
	    "not statistics", (long long)micro, (long long)batchnorm_positions(n));
	diag_help(l->diags, g, "batchnorm(sync=true) takes them over the samples of all ranks, which then wait for one another "
	    "at each of them, forward and backward");
	diag_help(l->diags, g, "or fewer ranks or a larger batch, so that each has at least %d; a normalisation of each sample "
	    "by itself (groupnorm, layernorm); or freeze that of a network that is trained already", FEWEST_SAMPLES);
}

const struct rule rule_batchnorm_ranks = {
	.id = "SW329",
	.name = "batchnorm-ranks",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "batch normalisation sees a rank's share of the batch, not the batch",
	.doc = "ranks divides the batch of an update: each rank has its share, and all add up their gradients. That is the "
	    "gradient of the whole batch, except through batch normalisation, whose mean and variance are those of "
	    "the share. So a network that was tuned on one device trains differently on eight, without a word of it.\n\n"
	    "Reported below 16 samples a rank. Wu and He (Group normalization, 2018) measured for ResNet-50 on "
	    "ImageNet, on 8 GPUs, an error of 23.6 % at 32 samples a GPU, 24.8 % at 8 and 34.7 % at 2. Cures: "
	    "sync=true, with which its sums are over the samples of all ranks; fewer ranks, a larger batch, group or layer normalisation, frozen normalisation.",
	.check = check,
	.needs = NEEDS_SKETCH,
};
