/*
 * softmax-before-cross-entropy: probabilities where the loss wants logits, and takes a softmax of
 * its own: cross_entropy, and ctc of each step. The same of sigmoid before bce_with_logits and
 * focal, and of exp before poisson_nll. What is between them counts: ctc takes the logarithm of a
 * softmax as well. Reads the forward graph.
 */
#include "rulekit/fix_edits.h"
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include <math.h>

#include "ir/op.h"
#include "plan/plan.h"

static int64_t
bytes_of_output(const struct module *m, const struct node *n)
{
	return affine_at(tensor_bytes(n->out[0]), m->train ? m->plan->batch :
	    m->plan->validate_batch);
}

static void
tell_bounds(struct lint *l, struct diag *g, const struct node *loss)
{
	int classes = loss->nin > 1 && loss->in[1] ? loss->in[1]->classes : 0;

	if (node_is(loss, "ctc"))
		diag_fact(l->diags, g, "with %d classes no step can give one of them more than e / (e + %d) = "
		    "%.3g, however sure the network is", classes, classes - 1,
		    exp(1) / (exp(1) + classes - 1));
	else if (node_is(loss, "poisson_nll"))
		diag_fact(l->diags, g, "what it expects is then e to the power of that, never below 1: where it should be 10, "
		    "exp is to give log(10) = 2.3");
	else if (node_is(loss, "focal"))
		diag_fact(l->diags, g, "of a sigmoid's answers, 0 to 1, it makes 0.5 to 0.73: no answer is below a "
		    "half");
	else if (!node_is(loss, "cross_entropy"))
		diag_fact(l->diags, g, "the loss lies between log(1 + 1/e) = 0.31 and log(1 + e) = "
		    "1.31, whatever the answer");
	else if (classes > 1)
		diag_fact(l->diags, g, "with %d classes the loss cannot fall below "
		    "log(1 + %d / e) = %.2f", classes, classes - 1, log1p((classes - 1) / exp(1)));
}

/* What made it, past a transpose that brings classes to the front. */
static const struct node *
maker_of(const struct tensor *t)
{
	const struct node *n = tensor_maker(t);

	return node_is(n, "transpose") ? tensor_maker(n->in[0]) : n;
}

/* exp(x) / sum(exp(x)): a softmax that is written out. */
static bool
is_hand_softmax(const struct node *n)
{
	const struct node *sum = node_is(n, "div") && n->nin > 1 && n->in[1] ? n->in[1]->def : NULL;

	while (node_is(sum, "broadcast") || node_is(sum, "reshape"))
		sum = sum->in[0]->def;
	return node_is(sum, "sum") && sum->in[0] == n->in[0] && node_is(n->in[0]->def, "exp");
}

/* The softmax whose output is the loss's logits; NULL: there is none. */
static const struct node *
applied_twice(const struct node *loss)
{
	bool many = node_is(loss, "cross_entropy") || node_is(loss, "ctc");
	bool bce = node_is(loss, "bce_with_logits") || node_is(loss, "focal"), counts = node_is(loss, "poisson_nll");
	const struct node *last = many || bce || counts ? maker_of(loss->in[0]) : NULL;

	return (many && (node_is(last, "softmax") || is_hand_softmax(last))) || (bce && node_is(last, "sigmoid")) || (counts && node_is(last, "exp")) ?
	    last : NULL;
}

/* What it makes. */
static const struct tensor *
found(const struct node *n, const void *context)
{
	const struct node *last = applied_twice(n);

	(void)context;
	return last ? last->out[0] : NULL;
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	struct place_set reported = { NULL }, needed = { NULL };
	int i;

	place_add_unfound(&needed, l, found, NULL);
	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		const struct node *last = applied_twice(n);
		struct diag *g;
		bool hand;

		if (!last || !place_is_new(&reported, l, rule, last->loc))
			continue;
		hand = is_hand_softmax(last);
		g = lint_report(l, rule, last->loc, "%s is applied twice: %s takes %s and does "
		    "it itself", hand ? "softmax, written out," : last->op->name, n->op->name, node_is(n, "poisson_nll") ? "logarithms" : "logits");
		diag_place(l->diags, g, n->loc, "the loss is here");
		tell_bounds(l, g, n);
		if (hand) {
			diag_help(l->diags, g, "leave exp and the quotient out: %s of what exp reads, which overflows nowhere", n->op->name);
			continue;
		}
		diag_help(l->diags, g, "leave %s out: %s B less are made at batch %lld, and as "
		    "many in "
		    "backward", last->op->name, lint_commas(m->arena, bytes_of_output(m, last)),
		    (long long)(m->train ? m->plan->batch : m->plan->validate_batch));
		if (!place_has(&needed, last->loc))
			fix_take_out(l, g, last->loc, arena_printf(m->arena, "leave %s out",
			    last->op->name));
	}
}

const struct rule rule_softmax_before_cross_entropy = {
	.id = "SW304",
	.name = "softmax-before-cross-entropy",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "softmax before cross_entropy or ctc, sigmoid before bce_with_logits or focal, exp before poisson_nll",
	.doc = "cross_entropy takes logits and works on their log-softmax; bce_with_logits and focal on "
	    "their log-sigmoid. Given probabilities they take a softmax of numbers between 0 and "
	    "1: a network that is right and certain still has a loss of log(1 + (K - 1) / e) for "
	    "K classes, 1.46 for ten, and learns slowly. Nothing fails, so that it is found "
	    "late. ctc takes the softmax of each step itself, too, where other frameworks' want its "
	    "logarithm; that may stand here as well, since its softmax is the same once more, but "
	    "probabilities may not. A softmax that is written out, exp(x) / sum(exp(x)), is told of likewise. poisson_nll takes the logarithm of the mean that is expected, as PyTorch's does by default "
	    "and Keras' does not, so exp before it is once too often.\n\n"
	    "Leave the softmax out of the network; predictions order the classes the same way "
	    "without. It also makes, and keeps for backward, a tensor as large as the logits. One "
	    "of the commonest questions of PyTorch's forum (\"should I use softmax with "
	    "CrossEntropyLoss\"). The fix is unsafe: the loss becomes the one "
	    "that was meant.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
