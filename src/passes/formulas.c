/*
 * formulas: makes each layer whose operator is a formula (op->formula), and says nothing of its
 * gradient, a pointwise with that formula.
 *
 * Reads and writes: train, validate. Invariant after: no such operator is in them.
 */
#include "ir/pass.h"

#include "ops/pointwise.h"

static bool
run_graph(struct module *m, struct graph *g)
{
	int i;

	for (i = 0; g && i < g->nodes.n; i++) {
		struct node *n = g->nodes.v[i];
		const struct formula *f;

		if (!n->op->formula || n->op->kind != OP_LAYER || n->op->gradient.build)
			continue;
		if (!(f = pointwise_formula(m->arena, n))) {
			diag_error(m->diags, "internal", n->loc, "the formula of '%s' cannot be read", n->op->name);
			return false;
		}
		pointwise_set(m->arena, n, f);
	}
	return true;
}

static bool
run(struct module *m, const struct pass_options *o)
{
	(void)o;
	return run_graph(m, m->train) && run_graph(m, m->validate);
}

const struct pass pass_formulas = {
	.name = "formulas",
	.doc = "make operators that are formulas of elements one operator",
	.in_bodies = true,
	.run = run,
};
