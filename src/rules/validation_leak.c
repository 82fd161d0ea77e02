/*
 * validation-leak: validation on rows that training sees. Reads the settings alone: the same files,
 * and of each row whether skip_every and keep_every let it into both.
 */
#include "rulekit/data_split.h"

#include "readers/reader.h"

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	const struct data_source *d = &m->set.validate_data;
	struct diag *g;
	double seen;

	if (!m->set.train || !m->set.validate || !data_same_files(&m->set.data, d))
		return;
	seen = data_shared(&m->set.data, d);
	if (seen == 0)
		return;
	g = lint_report(l, rule, d->loc, "validation reads what training reads: %.3g %% of its "
	    "rows of \"%s\"", 100 * seen, d->file[0]);
	diag_place(l->diags, g, m->set.data.loc, "training reads it here");
	diag_fact(l->diags, g, "its loss and metrics then say how well those rows are remembered");
	if (reader_has(d->reader, "from"))
		diag_help(l->diags, g, "data of its own; or to=0.9 in train and from=0.9 in validate, which holds "
		    "back the last tenth");
	else
		diag_help(l->diags, g, "data of its own; or skip_every=5 in train and keep_every=5 in "
		    "validate, which holds back a fifth");
}

const struct rule rule_validation_leak = {
	.id = "SW312",
	.name = "validation-leak",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "validation on data that training sees",
	.doc = "A network can learn its training data by heart. Measured on the same rows it looks "
	    "better the more it has: validation is to tell that apart, and cannot. Most often a "
	    "data setting was copied from train to validate.\n\n"
	    "Reported where both read the same files and some row passes both choices: with "
	    "skip_every=n in one and keep_every=n in the other, none does; nor do to=0.9 and from=0.9 of one "
	    "text overlap. The commonest kind of "
	    "leakage that Kapoor and Narayanan found in 294 papers of 17 fields (Leakage and the "
	    "reproducibility crisis in machine-learning-based science, 2023).",
	.check = check,
	.needs = NEEDS_GRAPH,
};
