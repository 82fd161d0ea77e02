/*
 * moving-target: a loss both of whose sides depend on trained parameters, so that training can make
 * them agree on nothing. One walk over the forward graph.
 */
#include "rulekit/fix_edits.h"
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include "ir/op.h"

#define MOST_WALKED	2000000		/* nodes, for the fixes of all losses */

/* The trained parameters that a tensor is made of. */
static void
collect(struct lint *l, const struct tensor *t, struct fix_names *names)
{
	const struct module *m = l->module;
	bool *wanted = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*wanted));
	int i, j;

	wanted[t->id] = true;
	for (i = m->forward->nodes.n - 1; i >= 0; i--) {
		const struct node *n = m->forward->nodes.v[i];
		bool any = false;

		for (j = 0; j < n->nout; j++)
			any |= n->out[j] && wanted[n->out[j]->id];
		for (j = 0; any && j < n->nin; j++) {
			const struct tensor *x = n->in[j];

			if (!x || wanted[x->id])
				continue;
			wanted[x->id] = true;
			if (x->kind == T_PARAM && !x->frozen)
				vec_push(m->arena, names, x->name);
		}
	}
}

static void
fix(struct lint *l, struct diag *g, const struct node *loss)
{
	struct fix_names first = { NULL, 0, 0 }, second = { NULL, 0, 0 };

	collect(l, loss->in[0], &first);
	collect(l, loss->in[1], &second);
	fix_freeze(l, g, &second, &first, "freeze the second side");
}

/* Does what it makes stand still, whatever it reads? */
static bool
stands_still(const struct node *n)
{
	return (node_is(n, "scale") && op_real(n, "factor") == 0) || node_is(n, "stop_gradient");
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	bool *trained = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*trained));
	struct place_set reported = { NULL };
	int64_t walked = 0;
	int i, j;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		bool any = false;
		struct diag *g;

		for (j = 0; j < n->nin && !stands_still(n); j++)
			any |= n->in[j] && (trained[n->in[j]->id] ||
			    (n->in[j]->kind == T_PARAM && !n->in[j]->frozen));
		for (j = 0; j < n->nout; j++)
			if (n->out[j])
				trained[n->out[j]->id] = any;
		if (n->op->kind != OP_LOSS || n->nin < 2 || !n->in[0] || !n->in[1] ||
		    !op_operand_is(n->op, 1, "target") ||	/* but weights */
		    n->in[0] == n->in[1] ||	/* that is same-operand's */
		    !trained[n->in[0]->id] || !trained[n->in[1]->id] ||
		    !place_is_new(&reported, l, rule, n->loc))
			continue;
		g = lint_report(l, rule, n->loc, "both sides of this %s are trained: it is least "
		    "where both are constant", n->op->name);
		diag_help(l->diags, g, "compare with a target or an input; or freeze the layers "
		    "that make one side");
		if (walked < MOST_WALKED)
			fix(l, g, n);
		walked += 2 * (int64_t)m->forward->nodes.n;
	}
}

const struct rule rule_moving_target = {
	.id = "SW306",
	.name = "moving-target",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "a loss compares two things that are both trained",
	.doc = "A loss between two outputs of trained layers, with no target and no input on "
	    "either side, is least where both are the same constant, and training finds that: the "
	    "representation collapses. Compare with a target, with an input (autoencoders do), or "
	    "with what a frozen network makes. Two networks that are to agree need something else "
	    "to keep them apart; then allow this.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
