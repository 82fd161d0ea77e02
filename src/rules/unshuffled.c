/*
 * unshuffled: training on files in the order in which they lie. Reads the settings, and how many
 * samples the files hold, as far as they say.
 */
#include "rulekit/data_look.h"
#include "rulekit/edited_spec.h"
#include "rulekit/fix_edits.h"

#include "readers/reader.h"

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	int64_t samples;
	struct loc where;
	struct diag *g;

	if (!m->train || m->set.shuffle || !reader_has_files(&m->set.data))
		return;
	samples = data_samples(l, &m->set.data);
	if (samples > 0 && samples <= m->set.batch)
		return;
	where = edited_setting(l, SEC_TRAIN, "shuffle", m->set.data.loc);
	g = lint_report(l, rule, where, "every epoch visits the samples in the order of the file");
	diag_fact(l->diags, g, "batches are the same %lld neighbours each time; where a file is "
	    "sorted by class, most batches hold one class only", (long long)m->set.batch);
	diag_help(l->diags, g, "leave shuffle out: it is true by default, and the seed makes it the "
	    "same order in every run");
	fix_setting(l, g, false, SEC_TRAIN, "shuffle", "true", NULL, "write shuffle true");
}

const struct rule rule_unshuffled = {
	.id = "SW321",
	.name = "unshuffled",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "training visits the samples of a file in their order",
	.doc = "The gradient of a batch stands for that of all samples only if the batch is a fair "
	    "draw of them. Files are seldom in random order: sorted by class, by day, by patient. "
	    "Read from first to last, batches pull one way and then another, batch normalisation "
	    "sees one class at a time, and the last ones of an epoch weigh most.\n\n"
	    "Reported for shuffle false where training reads files. (Samples made at random need "
	    "no shuffling, nor does an epoch of one batch; and runs repeat in any case: the order "
	    "follows from seed.) Advised by "
	    "LeCun, Bottou, Orr and Mueller (Efficient backprop, section 4.2, 1998) and Bengio "
	    "(Practical recommendations, 2012). Seen in NVIDIA DIGITS #29, where the network then "
	    "answered the same class for everything.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
