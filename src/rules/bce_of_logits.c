/*
 * bce-of-logits: a loss that takes probabilities or their logarithms, given what is neither: what a
 * layer makes of weights or relu leaves, which may be any number, or for a logarithm the
 * probability itself. Reads the forward graph.
 */
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include "ir/op.h"

static bool
is_unbounded(const struct node *n)
{
	return node_is(n, "dense") || node_is(n, "conv") || node_is(n, "conv_transpose") || node_is(n, "relu") ||
	    node_is(n, "tanh");
}

static bool
is_probability(const struct node *n)
{
	return node_is(n, "softmax") || node_is(n, "sigmoid");
}

static void
tell_bce(const struct rule *rule, struct lint *l, const struct node *n, const struct node *last)
{
	struct diag *g = lint_report(l, rule, n->loc, "bce takes probabilities, from 0 to 1, and %s leaves %s", last->op->name,
	    node_is(last, "relu") ? "numbers above 1, too" : node_is(last, "tanh") ? "numbers below 0, too" : "numbers of any size");

	diag_place(l->diags, g, last->loc, "that is here");
	diag_help(l->diags, g, "bce_with_logits in its place%s, which applies sigmoid itself and loses no digits",
	    node_is(last, "relu") ? ", without that relu" : node_is(last, "tanh") ? ", without that tanh" : "");
}

static void
tell_kl_div(const struct rule *rule, struct lint *l, const struct node *n, const struct node *last)
{
	bool probability = is_probability(last);
	struct diag *g = lint_report(l, rule, n->loc, "kl_div takes logarithms of probabilities, and %s leaves %s", last->op->name,
	    probability ? "the probabilities themselves" : node_is(last, "relu") ? "numbers from 0 on" :
	    node_is(last, "tanh") ? "numbers above 0, too" : "numbers of any size");

	diag_place(l->diags, g, last->loc, "that is here");
	if (!node_is(last, "tanh"))
		diag_fact(l->diags, g, node_is(last, "softmax") ? "of those it is least where the largest target has all of 1, not where they "
	    "are the targets" : probability ? "of those it is least where all are 1, whatever the targets" :
	    "it falls as they grow, without a bound, whatever the targets");
	if (probability)
		diag_help(l->diags, g, "write %s -> log", last->op->name);
	else
		diag_help(l->diags, g, "write softmax -> log %s", node_is(last, "relu") ? "in place of relu" :
		    node_is(last, "tanh") ? "in place of tanh" : "behind it");
}

/* ---- overlap of masks ---- */

/* What a number is a multiple of, with or without something added. */
static const struct node *
past_scale(const struct tensor *t)
{
	const struct node *n = t->def;

	while (node_is(n, "scale"))
		n = n->in[0]->def;
	return n;
}

/* Is it read from the data as what is to be answered, as it is or as numbers, one-hot, or in
 * another form? */
static bool
is_target(const struct tensor *t)
{
	const struct node *n = t->def;

	while (node_is(n, "cast") || node_is(n, "scale") || node_is(n, "one_hot") || node_is(n, "permute") || node_is(n, "transpose") ||
	    node_is(n, "flatten") || node_is(n, "reshape")) {
		t = n->in[0];
		n = t->def;
	}
	return t->kind == T_TARGET;
}

/* Is it the sum of T? */
static bool
sums(const struct tensor *of, const struct tensor *t)
{
	const struct node *n = past_scale(of);

	return node_is(n, "sum") && n->in[0] == t;
}

/* Of 2 sum(p t) / (sum(p) + sum(t)): p, if nothing bounds it; else NULL. */
static const struct node *
shared_logits(const struct node *n)
{
	const struct node *both, *product, *whole;
	int k;

	if (!node_is(n, "div") || n->nin < 2 || !n->in[0] || !n->in[1] || !node_is(both = past_scale(n->in[0]), "sum") ||
	    !node_is(whole = past_scale(n->in[1]), "add") || whole->nin < 2 || !whole->in[1])
		return NULL;
	product = both->in[0]->def;
	for (k = 0; node_is(product, "mul") && product->nin > 1 && product->in[1] && k < 2; k++) {
		const struct tensor *x = product->in[k], *t = product->in[1 - k];

		if (is_target(t) && x->def && is_unbounded(tensor_maker(x)) &&
		    ((sums(whole->in[0], x) && sums(whole->in[1], t)) || (sums(whole->in[1], x) && sums(whole->in[0], t))))
			return tensor_maker(x);
	}
	return NULL;
}

static void
tell_overlap(const struct rule *rule, struct lint *l, const struct node *n, const struct node *last)
{
	struct diag *g = lint_report(l, rule, n->loc, "the share that two masks have in common takes probabilities, and %s leaves %s",
	    last->op->name, node_is(last, "relu") ? "numbers above 1, too" : node_is(last, "tanh") ? "numbers below 0, too" :
	    "numbers of any size");

	diag_place(l->diags, g, last->loc, "that is here");
	diag_fact(l->diags, g, "2 sum(p t) / (sum(p) + sum(t)) is at most 1 of numbers from 0 to 1 alone: of others it has no upper end, and "
	    "the sum below may be 0");
	diag_help(l->diags, g, "sigmoid %s", node_is(last, "relu") || node_is(last, "tanh") ? "in its place" : "behind it");
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	struct place_set reported = { NULL };
	int i;

	for (i = 0; m->set.train && i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		bool bce = node_is(n, "bce"), kl = node_is(n, "kl_div");
		const struct node *last = bce || kl ? tensor_maker(n->in[0]) : NULL, *shared = shared_logits(n);

		if (shared && place_is_new(&reported, l, rule, n->loc))
			tell_overlap(rule, l, n, shared);
		if (!last || (!is_unbounded(last) && !(kl && is_probability(last))) ||
		    !place_is_new(&reported, l, rule, n->loc))
			continue;
		if (bce)
			tell_bce(rule, l, n, last);
		else
			tell_kl_div(rule, l, n, last);
	}
}

const struct rule rule_bce_of_logits = {
	.id = "SW330",
	.name = "bce-of-logits",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "a loss of probabilities is given numbers that are none",
	.doc = "bce takes the logarithm of a probability and of what is missing from it to 1: both must lie between 0 and 1. What a "
	    "dense layer or a convolution makes may be any number, what relu leaves any above 0, and tanh goes below 0: outside of that range the logarithm "
	    "is cut off, so that such samples have a large loss and no gradient, or training stops (PyTorch ends with an assertion on the "
	    "device, \"input_val >= zero && input_val <= one\").\n\n"
	    "Write bce_with_logits, which makes the probability itself and keeps digits that sigmoid and a logarithm after it lose. In a "
	    "network that answers with probabilities, sigmoid stands behind the last layer.\n\n"
	    "kl_div, as PyTorch's, takes logarithms of probabilities and is least where they match the target. Of numbers that are no "
	    "logarithms of shares of 1 it has no least: it falls as long as they grow. Write softmax -> log before it.\n\n"
	    "And the overlap of masks, as dice of std/losses.nn: 2 sum(p t) / (sum(p) + sum(t)) of what a layer answers straight, where p are to be "
	    "probabilities.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
