/*
 * endless-loss: a loss that is a distance times a number below 0, so that training makes the
 * distance as large as it can. Reads the forward graph.
 */
#include "rulekit/graph_query.h"

#include <math.h>

#include "ir/op.h"

static bool
is_target(const struct tensor *t)
{
	while (t && (node_is(t->def, "reshape") || node_is(t->def, "cast")))
		t = t->def->in[0];
	return t && t->kind == T_TARGET;
}

/* Is it never below 0, without an upper end, and an error of a target? */
static bool
is_distance(const struct node *n)
{
	static const char *const name[] = { "mse", "l1", "smooth_l1", "huber", "log_cosh", "cross_entropy", "bce_with_logits",
		"hinge", "soft_margin", NULL };
	bool squared = node_is(n, "abs") || node_is(n, "square") || (node_is(n, "pow") && n->nin == 1 && op_real(n, "exponent") == 2);
	const struct node *of = squared ? n->in[0]->def : n;
	int i;

	if (!of || of->nin < 2 || (!is_target(of->in[1]) && !(squared && is_target(of->in[0]))))
		return false;
	for (i = 0; name[i] && !node_is(n, name[i]); i++)
		;
	return name[i] || (squared && node_is(of, "sub"));
}

static bool
is_average(const struct node *n)
{
	return node_is(n, "mean") || node_is(n, "sum") || node_is(n, "average") || node_is(n, "reshape");
}

/* The distance that a loss is a multiple of, and by what; NULL: it is none. */
static const struct node *
distance_of(const struct tensor *loss, double *factor)
{
	const struct node *n = loss->def;

	*factor = 1;
	while (n && n->nin > 0 && n->in[0] && (is_average(n) || node_is(n, "scale") || node_is(n, "neg"))) {
		if (node_is(n, "scale"))
			*factor *= op_real(n, "factor");
		else if (node_is(n, "neg"))
			*factor = -*factor;
		n = n->in[0]->def;
	}
	return n && n->nin > 0 && is_distance(n) ? n : NULL;
}

/* The only loss of a network; NULL: there are several, which may hold one another. */
static const struct result *
only_loss(const struct graph *f)
{
	const struct result *found = NULL;
	int i;

	for (i = 0; i < f->results.n; i++)
		if (f->results.v[i].is_loss) {
			if (found)
				return NULL;
			found = &f->results.v[i];
		}
	return found;
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	const struct result *loss = m->set.train && m->set.nturns == 0 ? only_loss(m->forward) : NULL;
	const struct node *distance;
	double factor;
	struct diag *g;

	if (!loss || !(distance = distance_of(loss->tensor, &factor)) || factor >= 0)
		return;
	g = lint_report(l, rule, loss->tensor->def ? loss->tensor->def->loc : loss->loc, "the loss is %g times '%s': training makes "
	    "that as large as it can", factor, distance->path);
	if (loss->tensor->def && distance != loss->tensor->def)
		diag_place(l->diags, g, distance->loc, "it is made here");
	diag_fact(l->diags, g, "an error has no upper end, so the loss has no lower one, and weights grow until they are not numbers");
	diag_help(l->diags, g, "training makes a loss small: leave the sign out");
}

const struct rule rule_endless_loss = {
	.id = "SW348",
	.name = "endless-loss",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "the only loss is a distance times a number below 0",
	.doc = "Training makes the loss as small as it can. Of a distance with the sign changed, as minus a mean squared error or minus "
	    "a cross-entropy, that is as far from the targets as weights can go: it falls without an end. A score that is to grow, as a "
	    "likelihood or a reward, is what takes a minus; an error does not.\n\n"
	    "Reported of a network's only loss, if it is a mean, a sum or a multiple of mse, l1 and their like, cross_entropy, "
	    "bce_with_logits, hinge, a square or abs of a difference from a target, by a factor below 0 in all. Quiet of what is compared with no target, where several losses are added, "
	    "which may hold one another as those of adversaries do, and with turns.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
