/*
 * batchnorm-batch-1: batch normalisation of a single sample. Reads the training graph and the
 * micro-batch.
 */
#include "rulekit/graph_query.h"

#include "fit/whatif.h"
#include "plan/plan.h"

#define ENOUGH	16	/* samples: as batchnorm-accumulate has it */

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	const struct node *n = first_batchnorm(m);
	struct diag *g;
	int64_t arena;

	if (!n || m->plan->batch != 1)
		return;
	if (batchnorm_positions(n) == 1)
		g = lint_report(l, rule, n->loc, "'%s' normalises one number by itself: its output "
		    "is its bias, whatever the input", n->path);
	else
		g = lint_report(l, rule, n->loc, "'%s' normalises each sample by itself: the "
		    "micro-batch is 1", n->path);
	diag_fact(l->diags, g, "mean and variance are over %lld position%s of one sample; "
	    "validation uses their running averages, which are of something "
	    "else", (long long)batchnorm_positions(n),
	    batchnorm_positions(n) == 1 ? "" : "s");
	if ((arena = whatif_batch(m, ENOUGH)) < INT64_MAX)
		diag_help(l->diags, g, "micro-batches of %d need %s, %s more", ENOUGH,
		    lint_human(m->arena, arena), lint_human(m->arena, arena -
		    m->plan->arena_bytes));
	diag_help(l->diags, g, m->set.accumulate > 1 ? "accumulate fewer, larger micro-batches" :
	    "a larger batch: `stowage fit` says how large it may be");
}

const struct rule rule_batchnorm_batch_1 = {
	.id = "SW303",
	.name = "batchnorm-batch-1",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "batch normalisation of a single sample",
	.doc = "With a micro-batch of 1, batch normalisation takes mean and variance from one "
	    "sample: of a map, over its positions; of a vector, over a single number, which gives "
	    "(x - x) / sqrt(0 + eps), that is nothing of the input. PyTorch stops with \"Expected "
	    "more than 1 value per channel when training\"; other frameworks train a network that "
	    "has learnt nothing, or one whose validation, by running averages, does not match its "
	    "training.\n\n"
	    "Use a larger batch, freeze the normalisation, or leave it out. Seen in "
	    "deeplabv3plus-pytorch #34.",
	.check = check,
	.needs = NEEDS_SKETCH,
};
