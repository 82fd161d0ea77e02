/*
 * batchnorm-accumulate: the micro-batches of an accumulated update are what batch normalisation
 * takes its statistics from, not the batch. A single sample is reported by batchnorm-batch-1.
 */
#include "rulekit/graph_query.h"

#include "fit/whatif.h"
#include "plan/plan.h"

#define MOST_SAMPLES	1024	/* of a micro-batch that is looked for */

/* The fewest samples of a rank's micro-batch that are enough for N, for the same update; 0: there
 * are none. */
static int64_t
enough(const struct module *m, const struct node *n)
{
	int64_t share = settings_rank_batch(&m->set), micro;

	for (micro = 1; micro <= MOST_SAMPLES && micro <= share; micro++)
		if (share % micro == 0 && batchnorm_samples(m, n, micro) >= FEWEST_SAMPLES)
			return micro;
	return 0;
}

static void
tell_cure(struct lint *l, struct diag *g, const struct node *n, int64_t micro)
{
	struct module *m = l->module, *other;
	struct settings set = m->set;
	int64_t more;

	if (micro == 0)
		return;
	set.accumulate = settings_rank_batch(&set) / micro;
	if (!set.validate_fixed)
		set.validate_batch = micro;
	if (!(other = whatif(m, &set)))
		return;
	more = other->plan->arena_bytes - m->plan->arena_bytes;
	diag_help(l->diags, g, "accumulate %lld, micro-batches of %lld for the same update, needs "
	    "%s, %s %s", (long long)set.accumulate, (long long)batchnorm_samples(m, n, micro),
	    lint_human(m->arena, other->plan->arena_bytes),
	    lint_human(m->arena, more < 0 ? -more : more), more < 0 ? "less" : "more");
}

/* Of parts that any number of ranks shares out: fewer of them, each with enough samples. */
static void
tell_fewer_parts(struct lint *l, struct diag *g)
{
	const struct settings *set = &l->module->set;
	int64_t parts = set->parts;

	while (parts > 2 && parts > settings_ranks(set) && set->batch / parts < FEWEST_SAMPLES)
		parts /= 2;
	if (parts < set->parts && set->batch / parts >= FEWEST_SAMPLES)
		diag_help(l->diags, g, "`deterministic %lld` has parts of %lld samples", (long long)parts,
		    (long long)(set->batch / parts));
	diag_help(l->diags, g, "a larger batch; or freeze the normalisation of a network that is trained already");
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	const struct node *n = m->set.accumulate > 1 || m->set.parts ? first_batchnorm(m) : NULL;
	int64_t micro = n ? batchnorm_samples(m, n, m->plan->batch) : 0;
	struct diag *g;

	if (!n || micro >= FEWEST_SAMPLES || micro < 2)
		return;
	g = lint_report(l, rule, m->set.batch_loc, "batch normalisation sees %s of "
	    "%lld, not the batch of %lld", m->set.parts ? "parts" : "micro-batches", (long long)micro, (long long)m->set.batch);
	diag_place(l->diags, g, n->loc, "'%s' is the first of them", n->path);
	diag_fact(l->diags, g, "its mean and variance are over %lld samples of %lld positions; "
	    "%s adds up gradients, not statistics", (long long)micro,
	    (long long)batchnorm_positions(n), m->set.parts ? "deterministic" : "accumulating");
	if (m->set.parts) {
		tell_fewer_parts(l, g);
		return;
	}
	tell_cure(l, g, n, enough(m, n));
	diag_help(l->diags, g, "fewer, larger micro-batches: recompute auto makes room for them; "
	    "or freeze the normalisation of a network that is trained already");
}

const struct rule rule_batchnorm_accumulate = {
	.id = "SW302",
	.name = "batchnorm-accumulate",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "batch normalisation sees the micro-batch, not the batch",
	.doc = "accumulate makes one update from several micro-batches: the same gradient as from "
	    "the whole batch, except through batch normalisation, whose mean and variance are "
	    "those of each micro-batch. Advice to accumulate instead of a smaller batch forgets "
	    "that.\n\n"
	    "Reported below 16 samples a micro-batch. Wu and He (Group normalization, 2018) "
	    "measured for ResNet-50 on ImageNet an error of 23.6 % at 32 samples, 24.8 % at 8 and "
	    "34.7 % at 2. The parts of deterministic are micro-batches, too. Cures: larger micro-batches with recompute; frozen normalisation; a "
	    "network without it.",
	.check = check,
	.needs = NEEDS_SKETCH,
};
