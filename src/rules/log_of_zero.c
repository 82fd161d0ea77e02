/*
 * log-of-zero: a logarithm of what an activation makes exactly 0, which is minus infinity. Reads
 * the forward graph.
 */
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

/* What makes N's operand 0 for about half of all inputs; NULL: nothing is known to. */
static const struct node *
zeroed_by(const struct node *n)
{
	const struct node *maker = node_is(n, "log") ? tensor_maker(n->in[0]) : NULL;

	return node_is(maker, "relu") || node_is(maker, "relu6") ? maker : NULL;
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	struct place_set reported = { NULL };
	int i;

	for (i = 0; m->set.train && i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i], *maker = zeroed_by(n);
		struct diag *g;

		if (!maker || !place_is_new(&reported, l, rule, n->loc))
			continue;
		g = lint_report(l, rule, n->loc, "'%s' is minus infinity where '%s' makes 0", n->path, maker->path);
		diag_place(l->diags, g, maker->loc, "it is made here");
		diag_fact(l->diags, g, "%s makes 0 of every number below it, at the start of about half of them", maker->op->name);
		diag_help(l->diags, g, "softplus in place of %s, which is never 0; or log(x + 1e-6), or log1p", maker->op->name);
	}
}

const struct rule rule_log_of_zero = {
	.id = "SW339",
	.name = "log-of-zero",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "a logarithm of what relu makes 0",
	.doc = "log(0) is minus infinity, and a loss of that is infinite or not a number, and all weights with it after the "
	    "first step. relu makes exactly 0 of every number below it: before a network is trained, of about half of "
	    "all.\n\n"
	    "Reported of log right behind relu or relu6, perhaps past dropout, flatten and reshape. Quiet where something is added "
	    "between. Write softplus, which is never 0, or add a small number.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
