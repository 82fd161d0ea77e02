/*
 * equal-units: two layers in a row whose weights all begin at one number, so that the units between
 * them are one unit many times; and one whose weights do, at another than 0, ahead of any layer.
 * Reads the forward graph.
 */
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include <math.h>

#include "ir/op.h"

enum { X, WEIGHT, BIAS };

/* The one number at which all of the tensor starts; false: it has several, or is no parameter. */
static bool
starts_at(const struct tensor *t, double *number)
{
	struct init init;

	if (!t || t->kind != T_PARAM)
		return false;
	init = tensor_init(t);
	*number = init.kind == INIT_CONSTANT ? init.value : 0;
	return init.kind == INIT_ZEROS || init.kind == INIT_CONSTANT;
}

static const struct tensor *
operand(const struct node *n, int k)
{
	return k < n->nin ? n->in[k] : NULL;
}

/* A layer each unit of which is given all of its input. */
static bool
joins_all(const struct node *n)
{
	return node_is(n, "dense") || ((node_is(n, "conv") || node_is(n, "conv_transpose")) && op_int(n, "groups") == 1);
}

/* How many units a layer has that begin alike, at *NUMBER; 0: they do not. */
static int64_t
equal_units(const struct node *n, double *number)
{
	const struct tensor *y;

	if (!joins_all(n) || !starts_at(operand(n, WEIGHT), number) || n->in[WEIGHT]->frozen)
		return 0;
	y = n->out[0];
	return y->rank ? y->dim[node_is(n, "dense") ? y->rank - 1 : 0] : 0;
}

/* Does it the same to each unit? */
static bool
keeps_equal(const struct node *n)
{
	static const char *const name[] = { "maxpool", "avgpool", "global_avgpool", "flatten", "batchnorm", NULL };
	int i;

	for (i = 0; name[i]; i++)
		if (node_is(n, name[i]))
			return true;
	return (n->op->flags & OP_ELEMENTWISE) && !(n->op->flags & OP_RANDOM) && n->nin == 1;
}

/* The next layer with weights, if nothing else reads what lies between. */
static const struct node *
next_layer(const struct tensor_readers *readers, const struct node *n)
{
	const struct node *next = only_reader(readers, n);

	while (next && keeps_equal(next) && next->in[X] == n->out[0]) {
		n = next;
		next = only_reader(readers, n);
	}
	return next && joins_all(next) && next->in[X] == n->out[0] ? next : NULL;
}

static void
report(const struct rule *rule, struct lint *l, const struct node *n, const struct node *next, int64_t units)
{
	const struct tensor *bias = operand(n, BIAS);
	bool alike;
	double number = 0, behind = 0, first = 0;
	struct diag *g;

	starts_at(operand(n, WEIGHT), &number);
	starts_at(operand(next, WEIGHT), &behind);
	alike = !bias || starts_at(bias, &first);
	g = lint_report(l, rule, n->loc, "all weights of '%s' begin at %g, and all of '%s' at %g: the %lld units between are %s",
	    n->path, number, next->path, behind, (long long)units, alike ? "one" : "one but for their biases");
	diag_place(l->diags, g, next->loc, "the next layer is here");
	if (alike)
		diag_fact(l->diags, g, "units with equal weights give equal answers and get equal gradients, so they stay equal "
		    "in every step");
	else if (number == 0)
		diag_fact(l->diags, g, "until these weights have moved the answer is the same whatever the input");
	diag_help(l->diags, g, "leave weight= out: a layer's own weights begin uniformly in +-1/sqrt(inputs); or init=normal(%.2g)",
	    sqrt(2.0 / (double)(tensor_elements_per_sample(n->in[WEIGHT]) / units)));
}

/* Units that begin as one, and get gradients that differ by a factor each. */
static void
report_single(const struct rule *rule, struct lint *l, const struct node *n, const struct node *next, int64_t units, double number)
{
	int64_t inputs = tensor_elements_per_sample(n->in[WEIGHT]) / units;
	double first;
	bool alike = !operand(n, BIAS) || starts_at(operand(n, BIAS), &first);
	struct diag *g;

	g = lint_report(l, rule, n->loc, "all %lld weights of '%s' begin at %g: its %lld units begin as one%s", (long long)(units * inputs),
	    n->path, number, (long long)units, alike ? "" : " but for their biases");
	diag_place(l->diags, g, next->loc, "the next layer is here");
	if (alike)
		diag_fact(l->diags, g, "their gradients are one direction, times what the next layer weighs each by: the units part "
		    "slowly, and along a line");
	diag_help(l->diags, g, "leave weight= out: a layer's own weights begin uniformly in +-1/sqrt(inputs); or init=normal(%.2g)",
	    sqrt(2.0 / (double)inputs));
}

/* Does it add up several inputs that are all weighed alike, and not by 0? Zeros are in use. */
static bool
is_flat(const struct node *n, int64_t units, double number)
{
	return number != 0 && tensor_elements_per_sample(n->in[WEIGHT]) / units > 1;
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	struct place_set reported = { NULL };
	struct tensor_readers readers;
	double number, behind;
	int64_t units;
	int i;

	if (!m->set.train)
		return;
	readers = readers_of(l);
	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i], *next;

		units = equal_units(n, &number);
		next = units > 1 ? next_layer(&readers, n) : NULL;
		if (next && equal_units(next, &behind) > 0 && place_is_new(&reported, l, rule, n->loc))
			report(rule, l, n, next, units);
		else if (next && is_flat(n, units, number) && place_is_new(&reported, l, rule, n->loc))
			report_single(rule, l, n, next, units, number);
	}
}

const struct rule rule_equal_units = {
	.id = "SW342",
	.name = "equal-units",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "units of a layer that all begin as one",
	.doc = "Units that begin with the same weights give the same answers. If the next layer's weights are equal, too, they get "
	    "the same gradients, and stay equal for ever: a layer of a thousand of them can do what one can. At zeros the first "
	    "gets no gradient at all before the second has moved. Weights begin at random for nothing but this: \"the initial "
	    "parameters need to break symmetry between different units\" (Goodfellow, Bengio and Courville: Deep learning, "
	    "2016, 8.4).\n\n"
	    "Reported of dense, conv and conv_transpose with one number in weight=parameter(..., init=zeros, ones or "
	    "constant(c)), where nothing but activations, pooling, flatten and batchnorm lies between it and another such layer; "
	    "and, of a number other than 0 and several inputs, another layer of any weights. "
	    "Biases that begin at random make units differ, by these alone. Quiet for zeros in a single layer: in the last, or at "
	    "the end of a residual branch, they are in use (Zhang, Dauphin and Ma: Fixup initialization, 2019; Hu and others: "
	    "LoRA, 2021), and so for frozen layers, groups, and dropout between.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
