/*
 * bounded-logits: an activation between the last layer and a loss that takes logits, so that these
 * cannot take the values the loss wants; or between that layer and the sigmoid or softmax that
 * answers. Softmax and sigmoid before a loss that applies them itself are reported by
 * softmax-before-cross-entropy. Reads the forward graph.
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

/* Other activations, and between what they leave logits. */
static const struct {
	const char *op;
	double least, most;
} bounds[] = {
	{ "relu6", 0, 6 },
	{ "hardsigmoid", 0, 1 },
	{ "hardtanh", -1, 1 },
	{ "softsign", -1, 1 },
	{ "softplus", 0, INFINITY },
	{ "exp", 0, INFINITY },
	{ "elu", -1, INFINITY },
	{ "gelu", -0.17, INFINITY },
	{ "silu", -0.28, INFINITY },
};

/* Of hardtanh and elu other bounds may be given. */
static bool
has_own_bounds(const struct node *n)
{
	return (node_is(n, "hardtanh") && (op_real(n, "least") != -1 || op_real(n, "most") != 1)) ||
	    (node_is(n, "elu") && op_real(n, "alpha") != 1);
}

/* The row of BOUNDS of an activation right behind a layer with weights; -1: it is none. */
static int
bounds_of(const struct node *n)
{
	size_t i;

	for (i = 0; n && i < sizeof(bounds) / sizeof(*bounds); i++)
		if (node_is(n, bounds[i].op))
			return has_own_bounds(n) || !node_has_weights(tensor_maker(n->in[0])) ? -1 : (int)i;
	return -1;
}

static double
answer(double logit)
{
	return 1 / (1 + exp(-logit));
}

/* CLASSES of cross_entropy, or 0: yes and no. */
static void
check_bounds(const struct rule *rule, struct lint *l, const struct node *loss, const struct node *last, int i, int classes)
{
	double least = bounds[i].least, most = bounds[i].most;
	bool open = isinf(most);
	const char *range = open ? arena_printf(l->module->arena, "from %g on", least) :
	    arena_printf(l->module->arena, "between %g and %g", least, most);
	struct diag *g = lint_report(l, rule, last->loc, "%s takes logits of any value, and %s leaves those %s",
	    loss->op->name, last->op->name, range);

	diag_place(l->diags, g, loss->loc, "the loss is here");
	if (classes && !open)
		diag_fact(l->diags, g, "with %d classes the loss cannot fall below log(1 + %d / e^%g) = %.2g", classes, classes - 1,
		    most - least, log1p((classes - 1) / exp(most - least)));
	else if (!classes && open)
		diag_fact(l->diags, g, "no answer is below %.2g", answer(least));
	else if (!classes)
		diag_fact(l->diags, g, "answers lie between %.2g and %.2g", answer(least), answer(most));
	diag_help(l->diags, g, "leave %s out: the last layer has no activation", last->op->name);
}

static bool
has_unit_rows(const struct tensor *w)
{
	return w && w->rank == 2 && w->def && node_is(w->def, "l2norm") &&
	    (op_int(w->def, "axis") == -1 || op_int(w->def, "axis") == 1);
}

/* Are they cosines, that is products of vectors of length 1 with others of length 1? */
static bool
are_cosines(const struct node *last)
{
	return node_is(last, "dense") && node_is(tensor_maker(last->in[0]), "l2norm") && tensor_maker(last->in[0])->out[0]->rank == 1 &&
	    has_unit_rows(last->in[1]);
}

/* How far from 0 such logits are at most, if by no more than cosines are; else 0. */
static double
reach_of_cosines(const struct node *last)
{
	double by = 1;

	for (; node_is(last, "scale") && op_real(last, "offset") == 0; last = tensor_maker(last->in[0]))
		by *= fabs(op_real(last, "factor"));
	return by <= 1 && are_cosines(last) ? by : 0;
}

static void
check_cosines(const struct rule *rule, struct lint *l, const struct node *loss, const struct node *last)
{
	double classes = loss->in[1]->classes, most = reach_of_cosines(last);
	struct diag *g = lint_report(l, rule, last->loc, most == 1 ? "cross_entropy takes logits of any value, and cosines lie between -1 and 1" :
	    "cross_entropy takes logits of any value, and cosines times %.3g lie between -%.3g and %.3g", most, most, most);

	diag_place(l->diags, g, loss->loc, "the loss is here");
	diag_fact(l->diags, g, "with %.0f classes the loss cannot fall below log(1 + %.0f / e^%.3g) = %.2f", classes, classes - 1,
	    2 * most, log1p((classes - 1) / exp(2 * most)));
	if (most < 0.5)
		diag_help(l->diags, g, "divide them by %.3g", most);
	else
		diag_help(l->diags, g, "multiply them, by 16 or 30 or by a parameter");
}

/* hinge and soft_margin tell two sides of 0 apart. */
static void
check_sides(const struct rule *rule, struct lint *l, const struct node *loss, const struct node *last)
{
	struct diag *g = lint_report(l, rule, last->loc, "%s takes answers of either sign, and %s leaves none below 0",
	    loss->op->name, last->op->name);

	diag_place(l->diags, g, loss->loc, "the loss is here");
	diag_fact(l->diags, g, "where a target is -1 the loss cannot fall below %s", node_is(loss, "hinge") ? "1" : "log 2 = 0.69");
	diag_help(l->diags, g, "leave %s out: the last layer has no activation", last->op->name);
}

/* Activations that leave no logarithm below 0. */
static bool
is_above_zero(const struct node *n)
{
	return (node_is(n, "relu") || node_is(n, "relu6") || node_is(n, "softplus") || node_is(n, "sigmoid") || node_is(n, "softmax")) &&
	    (node_has_weights(tensor_maker(n->in[0])) || node_is(tensor_maker(n->in[0]), "batchnorm"));
}

/* poisson_nll takes the logarithm of a count that is expected. */
static void
check_count(const struct rule *rule, struct lint *l, const struct node *loss, const struct node *last)
{
	struct diag *g = lint_report(l, rule, last->loc, "poisson_nll takes logarithms of any sign, and %s leaves none below 0", last->op->name);

	diag_place(l->diags, g, loss->loc, "the loss is here");
	diag_fact(l->diags, g, "what it expects is e to the power of that, never below 1, however often the target is 0");
	diag_help(l->diags, g, "leave %s out: poisson_nll makes a count above 0 of any number itself", last->op->name);
}

/* The activation between the last layer with weights and the sigmoid or softmax that answers; NULL:
 * there is none. */
static const struct node *
cut_answer(const struct node *last)
{
	const struct node *before = node_is(last, "sigmoid") || node_is(last, "softmax") ? tensor_maker(last->in[0]) : NULL;

	return before && (is_bounded(before, false) || is_bounded(before, true)) &&
	    node_has_weights(tensor_maker(before->in[0])) ? before : NULL;
}

/* Which logits an activation leaves. */
static const char *
left_by(const struct node *n)
{
	return node_is(n, "relu") ? "from 0 on" : node_is(n, "tanh") ? "between -1 and 1" : "between 0 and 1";
}

/* What sigmoid or softmax, LAST, still answers. */
static void
tell_answers(struct lint *l, struct diag *g, const struct node *last, const struct node *before)
{
	int axis = node_is(last, "softmax") ? (int)op_int(last, "axis") : 0;
	double others = (double)last->in[0]->dim[axis < 0 ? axis + last->in[0]->rank : axis] - 1, most = exp(node_is(before, "tanh") ? 2 : 1);

	if (node_is(last, "sigmoid"))
		diag_fact(l->diags, g, node_is(before, "relu") ? "no answer is below a half" : node_is(before, "tanh") ?
		    "answers lie between 0.27 and 0.73" : "answers lie between 0.5 and 0.73");
	else if (node_is(before, "relu"))
		diag_fact(l->diags, g, "where all of a sample's are below 0, it answers the same of all classes, and nothing has a "
		    "gradient");
	else
		diag_fact(l->diags, g, "of %.0f classes none is answered with more than %.2g", others + 1, most / (most + others));
}

static void
check_answer(const struct rule *rule, struct lint *l, const struct node *last, const struct node *before)
{
	struct diag *g = lint_report(l, rule, before->loc, "%s takes logits of any value, and %s leaves those %s",
	    last->op->name, before->op->name, left_by(before));

	diag_place(l->diags, g, last->loc, "that is here");
	tell_answers(l, g, last, before);
	diag_help(l->diags, g, "leave %s out: the last layer has no activation but %s", before->op->name, last->op->name);
}

static void
check_other(const struct rule *rule, struct lint *l, const struct node *loss, struct place_set *reported)
{
	const struct node *last = loss->op->kind == OP_LOSS && loss->in[0] ? tensor_maker(loss->in[0]) : NULL;
	bool sides = node_is(loss, "hinge") || node_is(loss, "soft_margin");
	const struct node *before = last ? cut_answer(last) : NULL;

	if (!last)
		return;
	if (sides && (node_is(last, "sigmoid") || node_is(last, "relu") || node_is(last, "softmax"))) {
		if (place_is_new(reported, l, rule, last->loc))
			check_sides(rule, l, loss, last);
	} else if (node_is(loss, "poisson_nll") && is_above_zero(last)) {
		if (place_is_new(reported, l, rule, last->loc))
			check_count(rule, l, loss, last);
	} else if (node_is(loss, "cross_entropy") && reach_of_cosines(last) > 0 && loss->in[1]->classes > 1) {
		if (place_is_new(reported, l, rule, last->loc))
			check_cosines(rule, l, loss, last);
	} else if (before && place_is_new(reported, l, rule, before->loc)) {
		check_answer(rule, l, last, before);
	}
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

		if (bounds_of(last) >= 0 && (!ce || classes > 1)) {
			if (place_is_new(&reported, l, rule, last->loc))
				check_bounds(rule, l, n, last, bounds_of(last), classes);
			continue;
		}
		if (!last || !is_bounded(last, bce) || (ce && classes < 2)) {
			check_other(rule, l, n, &reported);
			continue;
		}
		if (!place_is_new(&reported, l, rule, last->loc))
			continue;
		g = lint_report(l, rule, last->loc, "%s takes logits of any value, and %s leaves "
		    "those %s", n->op->name, last->op->name, left_by(last));
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
	    "fall below log(1 + (K - 1) / e^2), after sigmoid not below log(1 + (K - 1) / e). relu6, hardtanh, hardsigmoid, "
	    "softsign, softplus, exp, elu, gelu and silu right behind a layer with weights bound them likewise.\n\n"
	    "Reported, too, of hinge and soft_margin, which tell two sides of 0 apart, behind sigmoid, softmax or relu; of poisson_nll, which takes logarithms of counts, behind an activation that leaves none below 0; of relu, tanh and sigmoid before the "
	    "sigmoid or softmax that answers; and of cosines, whose loss has the bound of tanh unless something multiplies "
	    "them (Wang and others: NormFace, 2017). Leave the activation of the last layer out. Seen in PyTorch's forum (\"Cross entropy "
	    "loss is not decreasing\", 43814) and on AI Stack Exchange (8491).",
	.check = check,
	.needs = NEEDS_GRAPH,
};
