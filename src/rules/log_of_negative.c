/*
 * log-of-negative: a logarithm, a root or a broken power of numbers some of which are below 0: of
 * what a layer with weights, tanh or a norm gives, and of columns of the data files. Reads the
 * forward graph, and the first part of the files.
 */
#include "rulekit/graph_query.h"
#include "rulekit/input_columns.h"
#include "rulekit/place_set.h"

#include <math.h>

#include "ir/op.h"

/* What N does of numbers below 0 is not a number; of 0 itself infinite. NULL: it is defined. */
static const char *
undefined_of(const struct node *n, bool *at_zero)
{
	*at_zero = node_is(n, "log") || node_is(n, "rsqrt");
	if (*at_zero || node_is(n, "sqrt"))
		return n->op->name;
	if (!node_is(n, "pow") || n->nin != 1 || op_real(n, "exponent") == floor(op_real(n, "exponent")))
		return NULL;
	*at_zero = op_real(n, "exponent") < 0;
	return "such a power";
}

/* Does a bias that the spec says keep it above 0, perhaps? */
static bool
is_lifted(const struct node *n)
{
	const struct tensor *bias = n->nin > 2 ? n->in[2] : NULL;
	struct init init;

	if (!bias)
		return false;
	if (bias->kind != T_PARAM)
		return true;
	init = tensor_init(bias);
	return init.kind == INIT_CONSTANT && init.value != 0;
}

/* Layers whose answers are of both signs before they are trained. */
static bool
has_both_signs(const struct node *n)
{
	if (!n)
		return false;
	if (node_has_weights(n)) {
		struct init init = n->nin > 1 && n->in[1] && n->in[1]->kind == T_PARAM ? tensor_init(n->in[1]) :
		    (struct init){ INIT_CONSTANT, 0 };

		return (init.kind == INIT_UNIFORM || init.kind == INIT_NORMAL) && !n->in[1]->frozen && !is_lifted(n);
	}
	return node_is(n, "layernorm") || node_is(n, "batchnorm") || node_is(n, "instancenorm") || node_is(n, "groupnorm");
}

/* The layer that makes N's operand below 0 for many inputs; NULL: none is known to. */
static const struct node *
made_by(const struct node *n)
{
	const struct node *maker = tensor_maker(n->in[0]);

	if (has_both_signs(maker))
		return maker;
	return node_is(maker, "tanh") && has_both_signs(tensor_maker(maker->in[0])) ? maker : NULL;
}

static void
report_layer(const struct rule *rule, struct lint *l, const struct node *n, const char *what, const struct node *maker)
{
	struct diag *g = lint_report(l, rule, n->loc, "'%s' is not a number where '%s' is below 0", n->path, maker->path);

	diag_place(l->diags, g, maker->loc, "it is made here");
	diag_fact(l->diags, g, "before it is trained a %s gives numbers of both signs: for about half of all inputs %s of them is not "
	    "a number, and neither is the loss", maker->op->name, what);
	if (node_is(n, "log"))
		diag_help(l->diags, g, "%s -> softplus -> log; or leave log out, and let '%s' be the logarithm that is wanted",
		    maker->op->name, maker->path);
	else
		diag_help(l->diags, g, "%s -> softplus -> %s: softplus is above 0", maker->op->name, n->op->name);
}

static void
report_column(const struct rule *rule, struct lint *l, const struct node *n, const char *what,
    const struct input_column *c)
{
	double least = column_least(c);
	struct diag *g = lint_report(l, rule, n->loc, "'%s' is %s: \"%s\" holds numbers %s", n->path,
	    least < 0 ? "not a number in places" : "infinite in places", c->look->file, least < 0 ? "below 0" : "that are 0");

	diag_place(l->diags, g, c->of->loc, "'%s' is declared here", c->of->name);
	if (c->at == ALL_OF_IT)
		diag_fact(l->diags, g, "in its first part they go from %g to %g", column_least(c), column_most(c));
	else
		diag_fact(l->diags, g, "in its first part column %lld goes from %g to %g", (long long)(c->look->field + c->at + 1),
		    column_least(c), column_most(c));
	if (least < 0)
		diag_help(l->diags, g, "%s of what is above 0 alone: leave other columns out of it, or those that were standardised "
		    "before", what);
	else
		diag_help(l->diags, g, node_is(n, "log") ? "log1p(x), which is 0 there; or log(x + 1e-6)" : "x + 1e-6 before it");
}

/* The column that N is not defined of; NULL: the files hold none, or nothing is known. */
static const struct input_column *
worst_column(struct input_looks *k, const struct node *n, const struct input_numbers *numbers, bool at_zero)
{
	const struct input_column *worst = NULL;
	struct input_column *column;
	int i, count = input_columns(k, &numbers[n->in[0]->id], &column);

	for (i = 0; i < count; i++) {
		double least = column_least(&column[i]);

		if ((least < 0 || (at_zero && least == 0)) && (!worst || least < column_least(worst)))
			worst = &column[i];
	}
	return worst;
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	const struct input_numbers *numbers = NULL;
	struct place_set reported = { NULL };
	struct tensor_readers readers;
	struct input_looks looks;
	int i;

	for (i = 0; m->set.train && i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i], *maker;
		const struct input_column *worst = NULL;
		bool at_zero;
		const char *what = n->nin && n->in[0] ? undefined_of(n, &at_zero) : NULL;

		if (!what)
			continue;
		if (!numbers) {
			input_looks(&looks, l);
			numbers = data_numbers(l);
			readers = readers_of(l);
		}
		maker = made_by(n);
		worst = maker ? NULL : worst_column(&looks, n, numbers, at_zero);
		if (worst && node_is_guarded(&readers, n, column_least(worst) == 0))
			worst = NULL;
		if ((!maker && !worst) || !place_is_new(&reported, l, rule, n->loc))
			continue;
		if (maker)
			report_layer(rule, l, n, what, maker);
		else
			report_column(rule, l, n, what, worst);
	}
}

const struct rule rule_log_of_negative = {
	.id = "SW345",
	.name = "log-of-negative",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "a logarithm or a root of numbers below 0",
	.doc = "The logarithm of a number below 0 is not a number, nor is its root or a power that is no integer; one such sample makes "
	    "the loss of its batch NaN, and after that all weights.\n\n"
	    "Reported of log, sqrt, rsqrt and powers that are no integer, right behind a layer with weights, a norm, or tanh of these, whose answers "
	    "are of both signs before they are trained; perhaps past dropout, flatten and reshape. And of what is read from the "
	    "data files, where their first part holds a number below 0, or, for log and rsqrt, 0 itself: columns that were "
	    "standardised before they came to a logarithm are the commonest, and counts that are targets. Quiet where where() or a bound "
	    "leaves the result out, where something is added between, behind layers "
	    "whose bias starts above 0 or whose weights are made of other tensors, and of frozen weights, as a bank of filters. "
	    "Write softplus or exp before it; log1p of counts.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
