/*
 * dropout-last: dropout with no layer between it and the loss strikes out predictions. Reads the
 * forward graph.
 */
#include "rules/measure.h"

#include "ops/op.h"

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	struct once once = { NULL };
	int i;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		const struct tensor *t = n->op->kind == OP_LOSS && n->nin > 0 ? n->in[0] : NULL;
		const struct node *last = t ? t->def : NULL;
		struct diag *g;

		while (last && last->in[0] && (measure_is(last, "flatten") ||
		    measure_is(last, "reshape")))
			last = last->in[0]->def;
		if (!measure_is(last, "dropout") || op_real(last, "rate") == 0 ||
		    !once_more(&once, l, rule, last->loc))
			continue;
		g = lint_report(l, rule, last->loc, "dropout strikes out predictions themselves: "
		    "nothing comes between it and %s", n->op->name);
		diag_place(l->diags, g, n->loc, "the loss is here");
		diag_help(l->diags, g, "put it before the last layer with weights");
	}
}

const struct rule rule_dropout_last = {
	.id = "SW305",
	.name = "dropout-last",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "dropout right before the loss",
	.doc = "Dropout sets numbers to 0 at random and scales the others, so that layers after "
	    "it do not rely on any one. Right before the loss no layer comes after it: the "
	    "predictions themselves are struck out, a logit of the right class at a time, and the "
	    "loss measures the dice. Put it before the last layer with weights.",
	.check = check,
};
