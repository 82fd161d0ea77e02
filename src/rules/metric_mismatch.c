/*
 * metric-mismatch: a metric of something that no loss trains, accuracy where numbers are predicted,
 * of what is never below 0, of as many answers as there are classes, or past labels that the loss
 * counts. A walk backward over the
 * forward graph marks what the losses are made of, a walk forward what other parameters go into.
 */
#include "rulekit/graph_query.h"

#include <string.h>

#include "amend/cut.h"
#include "ir/op.h"
#include "ops/labels.h"

/* Marks what the losses are made of. */
static void
mark_loss(const struct module *m, bool *seen)
{
	const struct graph *g = m->forward;
	int i, j;

	for (i = 0; i < g->results.n; i++)
		if (g->results.v[i].is_loss)
			seen[g->results.v[i].tensor->id] = true;
	if (g->loss)
		seen[g->loss->id] = true;
	for (i = g->nodes.n - 1; i >= 0; i--) {
		const struct node *n = g->nodes.v[i];
		bool any = false;

		for (j = 0; j < n->nout; j++)
			any |= n->out[j] && seen[n->out[j]->id];
		for (j = 0; any && j < n->nin; j++)
			if (n->in[j])
				seen[n->in[j]->id] = true;
	}
}

/* Marks what is made of parameters that no loss reaches, and that are not frozen on purpose. */
static void
mark_untrained(const struct module *m, const bool *seen, bool *untrained)
{
	int i, j;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		bool any = false;

		for (j = 0; j < n->nin; j++) {
			const struct tensor *t = n->in[j];

			any |= t && (untrained[t->id] ||
			    (t->kind == T_PARAM && !t->frozen && !seen[t->id]));
		}
		for (j = 0; j < n->nout; j++)
			if (n->out[j])
				untrained[n->out[j]->id] = any;
	}
}

static bool
compares(const struct expr *e, const char *target)
{
	return e->kind == E_CALL && e->nargs >= 2 && !e->arg[0].name && !e->arg[1].name &&
	    e->arg[0].value->kind == E_NAME && e->arg[1].value->kind == E_NAME &&
	    (!target || strcmp(e->arg[1].value->name, target) == 0);
}

/* Measures what the only loss of the same target compares with it. */
static void
fix(struct lint *l, struct diag *d, struct loc metric)
{
	struct arena *a = l->diags->arena;
	struct edits *e = edits_new(a, metric.src);
	const struct expr *call, *loss = NULL;
	struct cut_place p;
	int i;

	if (!metric.src || !cut_find(&p, a, l->file, metric) || !p.network ||
	    !compares(call = cut_layer(&p), NULL))
		return;
	for (i = 0; i < p.network->nstmts; i++) {
		const struct stmt *s = &p.network->stmt[i];

		if (s->kind != S_LOSS || !compares(s->expr, call->arg[1].value->name))
			continue;
		if (loss)
			return;
		loss = s->expr;
	}
	if (loss && edits_add(e, call->arg[0].value->loc.beg, call->arg[0].value->loc.end,
	    loss->arg[0].value->name))
		diag_fix(l->diags, d, false, e, "measure '%s', which the loss trains",
		    loss->arg[0].value->name);
}

/* By tensor id: the mse that trains it, unless it is trained as yes or no too. */
static const struct node **
find_regressions(const struct module *m)
{
	size_t most = (size_t)m->next_tensor + 1;
	const struct node **mse = arena_array(m->arena, most, sizeof(*mse));
	bool *logits = arena_array(m->arena, most, sizeof(*logits));
	int i;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];

		if (node_is(n, "bce_with_logits") && n->in[0]) {
			logits[n->in[0]->id] = true;
			mse[n->in[0]->id] = NULL;
		} else if (node_is(n, "mse") && n->in[0] && !logits[n->in[0]->id])
			mse[n->in[0]->id] = n;
	}
	return mse;
}

static bool
counts_yes_and_no(const struct node *metric)
{
	return node_is(metric, "accuracy") && metric->nin > 1 && metric->in[1] &&
	    metric->in[1]->classes == 0;
}

/* More than that is an error of the language. */
static bool
counts_all_classes(const struct node *metric)
{
	return node_is(metric, "accuracy") && metric->nin > 1 && metric->in[1] && metric->in[1]->classes > 1 &&
	    op_int(metric, "top") == metric->in[1]->classes;
}

static void
report_all(const struct rule *rule, struct lint *l, const struct result *r, long long classes)
{
	struct diag *d = lint_report(l, rule, r->loc, "accuracy with top=%lld of %lld classes counts every answer as right",
	    classes, classes);

	diag_help(l->diags, d, classes > 2 ? "top=2, or without top, which is 1" : "without top, which is 1");
}

/* What makes the answers that accuracy takes for yes or no, if none of them can be below 0; NULL:
 * they can. relu is none: 0 is a no, so that it leaves each answer on its side. */
static const struct node *
positive_maker(const struct tensor *answers)
{
	static const char *const name[] = { "sigmoid", "softmax", "softplus", "exp", NULL };
	const struct node *n = tensor_maker(answers);
	int i;

	while (n && node_is(n, "scale") && op_real(n, "factor") > 0 && op_real(n, "offset") >= 0)
		n = tensor_maker(n->in[0]);
	for (i = 0; n && name[i]; i++)
		if (node_is(n, name[i]))
			return n;
	return NULL;
}

static void
report_positive(const struct rule *rule, struct lint *l, const struct result *r, const struct node *maker)
{
	struct diag *d = lint_report(l, rule, r->loc, "accuracy takes whatever is above 0 for yes, and %s makes nothing below 0: "
	    "each answer counts as yes", maker->op->name);
	bool classes = node_is(maker, "softmax");

	diag_place(l->diags, d, maker->loc, "it is made here");
	diag_fact(l->diags, d, "it is the share where x > 0 and target > 0.5 agree, so here that of the targets above 0.5, whatever "
	    "is learnt");
	if (classes)
		diag_help(l->diags, d, "as target of a metric the label itself, class[K]: of labels the largest answer counts");
	else if (node_is(maker, "sigmoid"))
		diag_help(l->diags, d, "give it what sigmoid reads, or take 0.5 away: accuracy(p - 0.5, target)");
	else
		diag_help(l->diags, d, "take away from x what parts yes from no, as accuracy(x - 0.5, target)");
}

static void
report_regression(const struct rule *rule, struct lint *l, const struct result *r,
    const struct node *loss)
{
	struct diag *d = lint_report(l, rule, r->loc, "accuracy counts answers of yes and no, and "
	    "mse trains '%s' to numbers", loss->in[0]->name);

	diag_place(l->diags, d, loss->loc, "the loss is here");
	diag_fact(l->diags, d, "it is the share where x > 0 and target > 0.5 agree: of 0 and 1 "
	    "learnt to the digit, an answer of 0.01 for 0 is wrong");
	diag_help(l->diags, d, "bce_with_logits, if the target is yes or no; else mse as the "
	    "metric");
}

/* A loss that counts labels which the metric N passes over, though they are none of the classes;
 * NULL: there is none, or another loss passes over them, too. */
static const struct node *
counts_ignored(const struct module *m, const struct node *n, int64_t *label)
{
	const struct node *found = NULL;
	int64_t other;
	int i;

	if (!node_is(n, "accuracy") || !labels_ignored(n, label) || (*label >= 0 && *label < n->in[1]->classes))
		return NULL;
	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *k = m->forward->nodes.v[i];

		if (k->op->kind != OP_LOSS || k->nin < 2 || k->in[1] != n->in[1])
			continue;
		if (labels_ignored(k, &other))
			return NULL;
		found = node_is(k, "cross_entropy") ? k : found;
	}
	return found;
}

static void
report_ignored(const struct rule *rule, struct lint *l, const struct result *r, const struct node *loss, long long label)
{
	struct diag *d = lint_report(l, rule, r->loc, "accuracy passes over label %lld, and cross_entropy counts it, though it is none of "
	    "%d classes", label, loss->in[1]->classes);

	diag_place(l->diags, d, loss->loc, "the loss is here");
	diag_help(l->diags, d, "ignore=%lld in cross_entropy, too", label);
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	const struct graph *g = m->forward;
	size_t most = (size_t)m->next_tensor + 1;
	bool *seen = arena_array(m->arena, most, sizeof(*seen));
	bool *untrained = arena_array(m->arena, most, sizeof(*untrained));
	const struct node **mse, *loss;
	int64_t label;
	int i;

	if (!m->set.train)
		return;
	mark_loss(m, seen);
	mark_untrained(m, seen, untrained);
	mse = find_regressions(m);
	for (i = 0; i < g->results.n; i++) {
		const struct result *r = &g->results.v[i];
		const struct node *n = r->tensor->def;
		const struct tensor *of = r->predicted || !n || n->nin < 1 ? r->tensor : n->in[0];
		struct diag *d;

		if (!r->is_loss && counts_yes_and_no(n) && positive_maker(n->in[0]))
			report_positive(rule, l, r, positive_maker(n->in[0]));
		else if (!r->is_loss && counts_yes_and_no(n) && n->in[0] && mse[n->in[0]->id])
			report_regression(rule, l, r, mse[n->in[0]->id]);
		if (!r->is_loss && (loss = counts_ignored(m, n, &label)))
			report_ignored(rule, l, r, loss, (long long)label);
		if (!r->is_loss && counts_all_classes(n))
			report_all(rule, l, r, (long long)n->in[1]->classes);
		if (r->is_loss || !n || !of || !untrained[of->id])
			continue;
		if (r->predicted) {
			lint_report(l, rule, r->loc, "--predict would write '%s', which no loss trains", of->name);
			continue;
		}
		d = lint_report(l, rule, r->loc, "metric %s measures '%s', which no loss trains", n->op->name,
		    of->name);
		diag_help(l->diags, d, "measure what the loss reads");
		fix(l, d, r->loc);
	}
}

const struct rule rule_metric_mismatch = {
	.id = "SW307",
	.name = "metric-mismatch",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "a metric of something that no loss trains to be so",
	.doc = "A metric is to say how well training goes. One of a tensor that no loss reads, "
	    "made by layers that no loss reaches, stays as it was initialised: the run looks as "
	    "if it learnt nothing. It happens when a head is renamed in the loss and forgotten in "
	    "the metric.\n\n"
	    "Reported too: accuracy of what mse trains. Of numbers it says nothing, as in Keras, "
	    "where it stays near 0; of yes and no it wants logits, which are below 0 for no. Use "
	    "bce_with_logits, or mse as the metric. And accuracy whose top is the number of classes, which is always 1; with an ignore= that is "
	    "none of the classes, where no loss of that target has one; "
	    "and accuracy of yes and no where sigmoid, softmax, softplus or exp makes the answers: it takes each above 0 for yes, "
	    "0.01 as well.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
