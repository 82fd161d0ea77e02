/*
 * no-validation: a network that is trained but never validated. It reads the settings alone, so it
 * costs nothing; it is a warning, because a benchmark on synthetic data needs no validation.
 */
#include "lint/rule.h"

static void
check(const struct rule *rule, struct lint *lint)
{
	const struct module *m = lint->module;
	struct diag *d;

	if (!m->set.train || m->set.validate || m->set.data.samples > 0)
		return;
	d = lint_report(lint, rule, m->loc, "'%s' is trained but never validated", m->name);
	if (d)
		diag_help(lint->diags, d, "add a validate block with data that training does not see");
}

const struct rule rule_no_validation = {
	.id = "EX101",
	.name = "no-validation",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "a network is trained without validation data",
	.doc = "Without a validate block only the training loss is reported, which falls even while "
	    "the network merely learns its data by heart. Give it data it does not train on: a file "
	    "of its own, or every fifth row with keep_every=5 (and skip_every=5 in train).",
	.check = check,
	.needs = NEEDS_GRAPH,
};
