/*
 * label-smoothing: a share of the labels so large that it was meant as what is left of them. Reads
 * the forward graph.
 */
#include "rulekit/fix_edits.h"
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include "ir/op.h"

#define MOST	0.5	/* usual is 0.1; up to 0.4 was tried against labels that are wrong */

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	struct place_set reported = { NULL };
	int i;

	for (i = 0; m->set.train && i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		double share = node_is(n, "cross_entropy") ? op_real(n, "smoothing") : 0;
		int classes = n->nin > 1 && n->in[1] ? n->in[1]->classes : 0;
		struct diag *g;

		if (share <= MOST || classes < 2 || !place_is_new(&reported, l, rule, n->loc))
			continue;
		g = lint_report(l, rule, n->loc, "smoothing=%g takes %.0f %% of each label away", share, 100 * share);
		diag_fact(l->diags, g, "of %d classes the right one is to get %.3g, and each other %.3g", classes,
		    1 - share + share / classes, share / classes);
		if (share >= 0.8 && share < 1) {
			const char *value = arena_printf(m->arena, "%.2g", 1 - share);

			diag_help(l->diags, g, "smoothing=%s, if %g is what the right class is to keep; usual is 0.1", value, share);
			fix_argument(l, g, n->loc, "smoothing", value, "take that much away, and leave the rest");
		} else {
			diag_help(l->diags, g, "usual is 0.1");
		}
	}
}

const struct rule rule_label_smoothing = {
	.id = "SW343",
	.name = "label-smoothing",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "label smoothing that takes most of each label away",
	.doc = "smoothing=s gives s / K of each label to each of K classes, and leaves the right one 1 - s + s / K (Szegedy and others: "
	    "Rethinking the inception architecture, 2016, with 0.1). With 0.9 of ten classes that is 0.19, and 0.09 for each "
	    "other: the network is taught to be unsure, and its gradients are little more than noise. Most often it was "
	    "meant as what the right class keeps, as the 0.9 for real pictures in GANs.\n\n"
	    "Reported above 0.5. Against labels that are wrong up to 0.4 was tried (Lukasik and others: Does label smoothing "
	    "mitigate label noise?, 2020).",
	.check = check,
	.needs = NEEDS_GRAPH,
};
