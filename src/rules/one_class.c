/*
 * one-class: a softmax over a single number, by itself, within cross_entropy or within attention:
 * it is 1 whatever the number is. Reads the forward graph.
 */
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include "ir/op.h"

/* Of attention: is there one position that asks, and one that is weighed, or a window that holds
 * but one? Several that ask one thing are in use, as pictures that are told their class. */
static bool
is_alone(const struct node *n)
{
	const struct tensor *q = n->in[0], *k = n->nin > 1 && n->in[1] ? n->in[1] : q;

	return op_int(n, "window") == 1 || (q->rank > 1 && k->rank > 1 && q->dim[q->rank - 2] == 1 && k->dim[k->rank - 2] == 1);
}

static bool
is_over_one(const struct node *n)
{
	const struct tensor *x = n->nin ? n->in[0] : NULL;
	int64_t axis;

	if (node_is(n, "attend"))
		return is_alone(n);
	if (node_is(n, "cross_entropy"))
		return n->in[1] && n->in[1]->classes == 1;
	if (!node_is(n, "softmax") || !x || x->rank == 0)
		return false;
	axis = op_int(n, "axis");
	return x->dim[axis < 0 ? axis + x->rank : axis] == 1;
}

static void
report_attention(const struct rule *rule, struct lint *l, const struct node *n)
{
	const struct node *layer = n->part_of ? n->part_of : n;
	struct diag *g = lint_report(l, rule, n->loc, "'%s' has one position to look at: its weight is 1, whatever the query", layer->path);

	diag_fact(l->diags, g, "it is a linear layer of what stands there, and its queries and keys do not learn: %s",
	    op_int(n, "window") == 1 ? "window=1 is a position itself" : tensor_shape_text(l->module->arena, n->in[0]));
	if (op_int(n, "window") == 1)
		diag_help(l->diags, g, "a position sees those nearer than window: 2 has one on each side; or write dense in its place");
	else
		diag_help(l->diags, g, "attention is among rows, [positions, width]: give it several, or write dense in its place");
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
		if (node_is(n, "attend")) {
			report_attention(rule, l, n);
			continue;
		}
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
	.brief = "softmax, cross_entropy or attention over a single number",
	.doc = "softmax divides by the sum over all classes: of one class that is 1, whatever its "
	    "logit, so that cross_entropy is 0 and has no gradient. A yes or no with one output is "
	    "bce_with_logits' (a sigmoid); with softmax it takes two. The accuracy is then the "
	    "share of one answer in the data, and does not move. And attention of one position to itself or to another one, as of a vector that was "
	    "reshaped to [1, width] or with window=1, gives what stands there: queries and keys do nothing.\n\n"
	    "Seen as Dense(1, activation='softmax') on Cross Validated (481881: fails even when "
	    "given the answer) and in many questions like it.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
