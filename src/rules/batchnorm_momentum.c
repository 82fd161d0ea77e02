/*
 * batchnorm-momentum: a number meant for another framework. Here, as in PyTorch, momentum is the
 * share of the new batch in the running statistics; in Keras and TensorFlow it is that of the old
 * ones.
 */
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include "ir/op.h"
#include "plan/plan.h"

#define MOST	0.5

static bool
is_frozen(const struct node *n)
{
	int j;

	for (j = 1; j < n->nin; j++)
		if (n->in[j] && n->in[j]->kind == T_STATISTIC && n->in[j]->frozen)
			return true;
	return false;
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	struct place_set reported = { NULL };
	int i;

	for (i = 0; m->train && i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		double momentum;
		struct diag *g;

		if (!node_is(n, "batchnorm") || is_frozen(n))
			continue;
		momentum = op_real(n, "momentum");
		if ((momentum > 0 && momentum <= MOST) || !place_is_new(&reported, l, rule, n->loc))
			continue;
		if (momentum == 0) {
			g = lint_report(l, rule, n->loc, "momentum=0 leaves the running statistics "
			    "of '%s' at 0 and 1, whatever the data", n->path);
			diag_fact(l->diags, g, "validation normalises by them, training by the "
			    "batch's");
		} else {
			g = lint_report(l, rule, n->loc, "momentum=%g replaces %.3g %% of the "
			    "running statistics of '%s' with each batch", momentum, 100 * momentum,
			    n->path);
			diag_fact(l->diags, g, "what validation normalises by is little more than "
			    "the last batch: the %lld samples before weigh %.3g %%",
			    (long long)m->plan->batch, 100 * (1 - momentum) * momentum);
		}
		diag_help(l->diags, g, "momentum is the share of the new here, as in PyTorch (0.1 "
		    "by default)%s", momentum > 0 ? arena_printf(m->arena, "; %g in Keras is "
		    "momentum=%g", momentum, 1 - momentum) : "");
	}
}

const struct rule rule_batchnorm_momentum = {
	.id = "SW318",
	.name = "batchnorm-momentum",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "batch normalisation with another framework's momentum",
	.doc = "running = (1 - momentum) * running + momentum * batch: here and in PyTorch "
	    "momentum is the share of the new batch, 0.1 by default. In Keras, TensorFlow and "
	    "Caffe it is that of the old ones, 0.99 by default, which is 0.01 here. Taken over as "
	    "it is, 0.99 makes validation depend on the last batch alone: its results jump from "
	    "epoch to epoch, though training is unharmed.\n\n"
	    "Reported above 0.5, and for 0, which leaves the statistics as they started. Write 1 "
	    "less the number. Seen in pix2pix-tensorflow #126, pretrained-models.pytorch #44 and "
	    "PyTorch's examples #289.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
