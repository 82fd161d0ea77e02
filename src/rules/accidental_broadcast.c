/*
 * accidental-broadcast: two tensors repeated against each other, [N, 1] with [1, N], so that the
 * result is the product of both. Two broadcasts, or one and an operator's own, make it. All pairs
 * of vectors are pairwise-distances'.
 */
#include "rulekit/graph_query.h"
#include "rulekit/measure.h"
#include "rulekit/place_set.h"

#define GROWTH	16	/* times the larger of what goes in */

static void
report(const struct rule *rule, struct lint *l, const struct node *n, const struct tensor *x,
    const struct tensor *y, int64_t batch, int64_t bytes)
{
	struct arena *a = l->module->arena;
	const struct tensor *most = tensor_elements_per_sample(x) > tensor_elements_per_sample(y) ?
	    x : y;
	struct diag *g = lint_report(l, rule, n->loc, "'%s' repeats %s and %s into %s: %s, %s",
	    n->path, tensor_shape_text(a, x), tensor_shape_text(a, y),
	    tensor_shape_text(a, n->out[0]), lint_human(a, bytes),
	    measure_share(l->module, bytes));

	diag_fact(l->diags, g, "%s B at batch %lld, %lld times the larger operand; grows with the "
	    "product of the repeated axes", lint_commas(a, bytes), (long long)batch,
	    (long long)(tensor_elements_per_sample(n->out[0]) / tensor_elements_per_sample(most)));
	diag_help(l->diags, g, "was element by element meant? Then give both one shape (reshape), "
	    "which takes %s", lint_human(a, affine_at(tensor_bytes(most), batch)));
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	struct place_set reported = { NULL };
	int64_t batch = m->train ? m->plan->batch : m->plan->validate_batch;
	int i;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		const struct tensor *x, *y;
		int64_t bytes;

		if (!node_repeats(n, GROWTH, &x, &y) ||
		    (node_is(n, "sub") && node_pairs_vectors(n, x, y)))
			continue;	/* the latter is pairwise-distances' */
		bytes = affine_at(tensor_bytes(n->out[0]), batch);
		if (!measure_is_hazard(m, bytes) || !place_is_new(&reported, l, rule, n->loc))
			continue;
		report(rule, l, n, x, y, batch, bytes);
	}
}

const struct rule rule_accidental_broadcast = {
	.id = "SW104",
	.name = "accidental-broadcast",
	.family = FAMILY_MEMORY,
	.severity = SEV_WARNING,
	.brief = "two tensors are repeated against each other into a far larger one",
	.doc = "A column [N, 1] with a row [1, N] gives [N, N]: e B N M bytes where e B N were "
	    "meant, and no error tells. Frameworks do so in silence for (B, 1) with (B); here it "
	    "must be written broadcast(...), which is seen as easily as it is forgotten.\n\n"
	    "Reported where the result is 16 times the larger operand or more, 256 MiB or more, "
	    "and a quarter of the device (without one, 1 GiB and half of the arena).\n\n"
	    "Where all pairs are meant, work on fewer at a time, or on a product of matrices "
	    "(dense), which never holds them. Seen as a tensor [510, 510, 510, 510] of 252 GiB "
	    "(triplet-reid #94). All pairs of vectors are pairwise-distances'.",
	.check = check,
	.needs = NEEDS_SKETCH,
};
