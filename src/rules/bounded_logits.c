/*
 * bounded-logits: an activation between the last layer and a loss that takes logits, so that these
 * cannot take the values the loss wants. Softmax and sigmoid before a loss that applies them itself
 * are reported by softmax-before-cross-entropy. Reads the forward graph.
 */
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include <math.h>

#include "ir/op.h"

static void
tell_cross_entropy(struct lint *l, struct diag *g, const struct node *last, double classes)
{
	if (node_is(last, "relu"))
		diag_fact(l->diags, g, "where all logits of a sample are below 0, its loss is "
		    "log(%.0f) = %.2f and has no gradient", classes, log(classes));
	else
		diag_fact(l->diags, g, "with %.0f classes the loss cannot fall below "
		    "log(1 + %.0f / e%s) = %.2f", classes, classes - 1,
		    node_is(last, "tanh") ? "^2" : "", log1p((classes - 1) /
		    exp(node_is(last, "tanh") ? 2 : 1)));
}

/* What yes and no are answered with; of focal, which weighs errors, nothing is said of the loss. */
static void
tell_bce(struct lint *l, struct diag *g, const struct node *last, bool weighs)
{
	if (node_is(last, "relu"))
		diag_fact(l->diags, g, "no answer is below 0.5%s", weighs ? "" : ": where it should be 0, the loss "
		    "cannot fall below log 2 = 0.69");
	else if (node_is(last, "tanh"))
		diag_fact(l->diags, g, "answers lie between 0.27 and 0.73%s", weighs ? "" : ", and the loss above "
		    "log(1 + 1/e) = 0.31, whatever is learnt");
	else
		diag_fact(l->diags, g, "answers lie between 0.5 and 0.73%s", weighs ? "" : ": where one should be 0, "
		    "the loss cannot fall below log 2 = 0.69");
}

static bool
is_bounded(const struct node *last, bool bce)
{
	return node_is(last, "relu") || node_is(last, "tanh") ||
	    node_is(last, bce ? "softmax" : "sigmoid");
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	struct place_set reported = { NULL };
	int i;

	for (i = 0; m->set.train && i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		bool ce = node_is(n, "cross_entropy"), focal = node_is(n, "focal"), bce = focal || node_is(n, "bce_with_logits");
		const struct node *last = ce || bce ? tensor_maker(n->in[0]) : NULL;
		int classes = ce && n->in[1] ? n->in[1]->classes : 0;
		struct diag *g;

		if (!last || !is_bounded(last, bce) || (ce && classes < 2) ||
		    !place_is_new(&reported, l, rule, last->loc))
			continue;
		g = lint_report(l, rule, last->loc, "%s takes logits of any value, and %s leaves "
		    "those %s", n->op->name, last->op->name,
		    node_is(last, "relu") ? "from 0 on" :
		    node_is(last, "tanh") ? "between -1 and 1" : "between 0 and 1");
		diag_place(l->diags, g, n->loc, "the loss is here");
		if (ce)
			tell_cross_entropy(l, g, last, classes);
		else
			tell_bce(l, g, last, focal);
		diag_help(l->diags, g, "leave %s out: the last layer has no activation",
		    last->op->name);
	}
}

const struct rule rule_bounded_logits = {
	.id = "SW316",
	.name = "bounded-logits",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "an activation bounds the logits that a loss takes",
	.doc = "Logits are any real numbers: cross_entropy, bce_with_logits and focal make probabilities "
	    "of them. After relu none is below 0: bce_with_logits then never answers less than a "
	    "half, and in cross_entropy a sample whose logits are all below 0 has the same loss, "
	    "log K of K classes, whatever the weights, and no gradient; networks have stayed at "
	    "2.30, which is log 10, from the first step to the last. After tanh the loss cannot "
	    "fall below log(1 + (K - 1) / e^2), after sigmoid not below log(1 + (K - 1) / e).\n\n"
	    "Leave the activation of the last layer out. Seen in PyTorch's forum (\"Cross entropy "
	    "loss is not decreasing\", 43814) and on AI Stack Exchange (8491).",
	.check = check,
	.needs = NEEDS_GRAPH,
};
