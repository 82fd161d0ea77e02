/*
 * dropout-before-batchnorm: the variance that batch normalisation learns is that of dropped
 * numbers, and in validation nothing is dropped. Directly, or with one layer with weights between.
 * Reads the forward graph.
 */
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include "ir/op.h"

static const struct node *
skip_views(const struct tensor_readers *r, const struct node *n)
{
	while (node_is(n, "flatten") || node_is(n, "reshape"))
		n = only_reader(r, n);
	return n;
}

/* The normalisation that sees what N drops; *DIRECT if no weights are between. */
static const struct node *
normalised(const struct tensor_readers *r, const struct node *n, bool *direct)
{
	const struct node *next = skip_views(r, only_reader(r, n));

	*direct = node_is(next, "batchnorm");
	if (node_is(next, "conv") || node_is(next, "dense") ||
	    node_is(next, "conv_transpose"))
		next = skip_views(r, only_reader(r, next));
	return node_is(next, "batchnorm") ? next : NULL;
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	struct tensor_readers r = readers_of(l);
	struct place_set reported = { NULL };
	int i;

	for (i = 0; m->train && i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i], *norm;
		double rate;
		struct diag *g;
		bool direct;

		if (!node_is(n, "dropout") || (rate = op_real(n, "rate")) == 0 || rate == 1 ||
		    !(norm = normalised(&r, n, &direct)) ||
		    !place_is_new(&reported, l, rule, n->loc))
			continue;
		g = lint_report(l, rule, n->loc, "'%s' normalises in validation by a variance that "
		    "dropout has made larger", norm->path);
		diag_place(l->diags, g, norm->loc, "that is here");
		diag_fact(l->diags, g, "with rate %g, validation's variance %sis as little as %.3g "
		    "of what the running statistics hold", rate,
		    direct ? "" : "behind the weights ",
		    1 - rate);
		diag_help(l->diags, g, "dropout behind the last batchnorm, or none: it regularises "
		    "too");
	}
}

const struct rule rule_dropout_before_batchnorm = {
	.id = "SW319",
	.name = "dropout-before-batchnorm",
	.family = FAMILY_TRAINING,
	.severity = SEV_NOTE,
	.brief = "dropout before batch normalisation shifts its variance",
	.doc = "In training dropout scales what it leaves by 1 / (1 - p): numbers of mean c and "
	    "variance v leave it with (c^2 + v) / (1 - p) - c^2. That is what the running "
	    "statistics hold. In validation nothing is dropped and the variance is v, a share of "
	    "at most 1 - p of it, which the layers behind were not trained on.\n\n"
	    "Reported where dropout is right before batchnorm, or one layer with weights lies "
	    "between, which averages a part of it out. Put dropout behind the last "
	    "normalisation. A note, since Wide ResNets live with it. Li, Chen, Hu and Yang: "
	    "Understanding the disharmony between dropout and batch normalization by variance "
	    "shift, CVPR 2019.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
