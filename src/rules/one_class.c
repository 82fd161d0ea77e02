/*
 * one-class: a softmax over a single number, by itself or within cross_entropy: it is 1 whatever
 * the number is. Reads the forward graph.
 */
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include "ir/op.h"

static bool
is_over_one(const struct node *n)
{
	const struct tensor *x = n->nin ? n->in[0] : NULL;
	int64_t axis;

	if (node_is(n, "cross_entropy"))
		return n->in[1] && n->in[1]->classes == 1;
	if (!node_is(n, "softmax") || !x || x->rank == 0)
		return false;
	axis = op_int(n, "axis");
	return x->dim[axis < 0 ? axis + x->rank : axis] == 1;
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	struct place_set reported = { NULL };
	int i;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		struct diag *g;

		if (!is_over_one(n) || !place_is_new(&reported, l, rule, n->loc))
			continue;
		if (node_is(n, "softmax"))
			g = lint_report(l, rule, n->loc, "softmax over one number is 1, whatever "
			    "the number: axis %lld of %s", (long long)op_int(n, "axis"),
			    tensor_shape_text(m->arena, n->in[0]));
		else
			g = lint_report(l, rule, n->loc, "cross_entropy over one class is 0, "
			    "whatever the logits: there is nothing to choose");
		diag_fact(l->diags, g, "its gradient is 0, so what is before it does not learn");
		diag_help(l->diags, g, node_is(n, "softmax") ? "sigmoid, for a yes or no; or "
		    "another axis" : "for a yes or no: a target f32[1] and bce_with_logits, or two "
		    "classes");
	}
}

const struct rule rule_one_class = {
	.id = "SW317",
	.name = "one-class",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "softmax or cross_entropy over a single class",
	.doc = "softmax divides by the sum over all classes: of one class that is 1, whatever its "
	    "logit, so that cross_entropy is 0 and has no gradient. A yes or no with one output is "
	    "bce_with_logits' (a sigmoid); with softmax it takes two. The accuracy is then the "
	    "share of one answer in the data, and does not move.\n\n"
	    "Seen as Dense(1, activation='softmax') on Cross Validated (481881: fails even when "
	    "given the answer) and in many questions like it.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
