/*
 * no-loss: a network that is to be trained, by what its train section says, and has nothing to
 * minimise. The program for it only infers. A section that other networks of the file use too,
 * which have a loss, is theirs.
 */
#include "rulekit/edited_spec.h"

#include "ir/op.h"

/* Settings that mean nothing where nothing is trained. */
static const char *const training[] = {
	"optimizer", "epochs", "steps", "schedule", "clip", "accumulate", "freeze", "recompute",
	NULL
};

static const struct setting *
first_of_training(const struct amend *m)
{
	const struct setting *st;
	int i;

	for (i = 0; training[i]; i++)
		if ((st = amend_find(m, SEC_TRAIN, training[i])))
			return st;
	return NULL;
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	const struct section *s;
	const struct setting *st;
	struct amend settings;
	struct diag *g;

	if (m->forward->loss)
		return;
	edited_begin(l, &settings);
	st = first_of_training(&settings);
	s = amend_section(&settings, SEC_TRAIN);
	if (!st || (!s->name.text && l->file->has_loss))
		return;
	g = lint_report(l, rule, st->loc, "network '%s' has no loss, so %s does nothing: the "
	    "program only infers", m->name, st->key.text);
	diag_place(l->diags, g, m->loc, "the network is here");
	diag_help(l->diags, g, "end the network with what is to become small, such as loss "
	    "cross_entropy(logits, label) or loss mse(y, t); or leave the setting out");
}

const struct rule rule_no_loss = {
	.id = "SW210",
	.name = "no-loss",
	.family = FAMILY_HYGIENE,
	.severity = SEV_WARNING,
	.brief = "a network that is to be trained and has no loss",
	.doc = "Without a loss there are no gradients: what the train section says about training, "
	    "such as optimizer and epochs, does nothing, and the program that is written only "
	    "infers. A network for inference is fine, but needs none of that.\n\n"
	    "Reported where the train section of a network without a loss sets an optimizer, "
	    "epochs, steps, a schedule, clip, accumulate, freeze or recompute, unless it is also "
	    "that of another network in the file, which has a loss. End the network with a loss. "
	    "Keras stops there: \"No loss to compute. Provide a loss argument in compile()\".",
	.check = check,
	.needs = NEEDS_GRAPH,
};
