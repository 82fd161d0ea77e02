/*
 * dropout-last: dropout with no layer between it and the loss zeroes predictions. Reads the forward
 * graph.
 */
#include "rulekit/fix_edits.h"
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include "ir/op.h"

/* The dropout that zeroes what N, a loss, compares; NULL: there is none. */
static const struct node *
struck_out(const struct node *n)
{
	const struct tensor *t = n->op->kind == OP_LOSS && n->nin > 0 ? n->in[0] : NULL;
	const struct node *last = t ? t->def : NULL;

	while (last && last->in[0] && (node_is(last, "flatten") || node_is(last, "reshape")))
		last = last->in[0]->def;
	return node_is(last, "dropout") && op_real(last, "rate") != 0 ? last : NULL;
}

/* What it makes. */
static const struct tensor *
found(const struct node *n, const void *context)
{
	const struct node *last = struck_out(n);

	(void)context;
	return last ? last->out[0] : NULL;
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	struct place_set reported = { NULL }, needed = { NULL };
	int i;

	place_add_unfound(&needed, l, found, NULL);
	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		const struct node *last = struck_out(n);
		struct diag *g;

		if (!last || !place_is_new(&reported, l, rule, last->loc))
			continue;
		g = lint_report(l, rule, last->loc, "dropout strikes out predictions themselves: "
		    "nothing comes between it and %s", n->op->name);
		diag_place(l->diags, g, n->loc, "the loss is here");
		diag_help(l->diags, g, "put it before the last layer with weights");
		if (!place_has(&needed, last->loc))
			fix_take_out(l, g, last->loc, "leave this dropout out");
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
	    "loss measures the dice. Put it before the last layer with weights; the fix, which is "
	    "unsafe, leaves it out.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
