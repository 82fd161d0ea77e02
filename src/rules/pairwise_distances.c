/*
 * pairwise-distances: the differences of all pairs of vectors, [N, 1, D] - [1, M, D], whose squares
 * are summed over D afterwards: D times what the distances themselves take.
 */
#include "rulekit/graph_query.h"
#include "rulekit/measure.h"
#include "rulekit/place_set.h"

#define GROWTH	16	/* times the larger of what goes in */

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	struct arena *a = m->arena;
	struct place_set reported = { NULL };
	int64_t batch = m->train ? m->plan->batch : m->plan->validate_batch;
	int i;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		const struct tensor *x, *y;
		int64_t bytes, depth;
		struct diag *g;

		if (!node_is(n, "sub") || !node_repeats(n, GROWTH, &x, &y) ||
		    !node_pairs_vectors(n, x, y))
			continue;
		bytes = affine_at(tensor_bytes(n->out[0]), batch);
		if (!measure_is_hazard(m, bytes) || !place_is_new(&reported, l, rule, n->loc))
			continue;
		depth = tensor_elements_per_sample(x) * tensor_elements_per_sample(y) /
		    tensor_elements_per_sample(n->out[0]);
		g = lint_report(l, rule, n->loc, "'%s' holds the differences of all pairs, %s: %s, "
		    "%s", n->path, tensor_shape_text(a, n->out[0]), lint_human(a, bytes),
		    measure_share(m, bytes));
		diag_fact(l->diags, g, "%s B at batch %lld, of %s and %s; grows with B·N·M·D, and "
		    "its square and their gradients with it", lint_commas(a, bytes),
		    (long long)batch,
		    tensor_shape_text(a, x), tensor_shape_text(a, y));
		diag_help(l->diags, g, "|a - b|² = |a|² + |b|² - 2 ab: the products of the pairs, "
		    "dense(M, weight=b, bias=false), take %s, a part in %lld",
		    lint_human(a, bytes / depth), (long long)depth);
	}
}

const struct rule rule_pairwise_distances = {
	.id = "SW116",
	.name = "pairwise-distances",
	.family = FAMILY_MEMORY,
	.severity = SEV_WARNING,
	.brief = "the differences of all pairs of vectors are in memory at once",
	.doc = "N vectors less M others are N M D numbers, e B N M D bytes, made only to be "
	    "squared and summed over D; backward keeps them besides. As a code book, as "
	    "prototypes, as nearest neighbours it is written in a line, and of a few thousand "
	    "vectors it takes gigabytes.\n\n"
	    "Reported where the result is 16 times the larger operand or more, 256 MiB or more, "
	    "and a quarter of the device (without one, 1 GiB and half of the arena).\n\n"
	    "|a - b|^2 = |a|^2 + |b|^2 - 2 ab takes a product of matrices, e B N M bytes, and if "
	    "only the nearest counts |a|^2 falls out too. Rows in chunks bound even that. Seen as "
	    "distances of 80,000 points, 47.7 GiB (pytorch #57720).",
	.check = check,
	.needs = NEEDS_SKETCH,
};
