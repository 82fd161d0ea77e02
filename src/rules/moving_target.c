/*
 * moving-target: a loss both of whose sides depend on trained parameters, so that training can make
 * them agree on nothing; unless another loss, with a side that stands still, trains all that one of
 * them is made of. A walk over the forward graph, and two for each such loss.
 */
#include "rulekit/fix_edits.h"
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include "ir/op.h"

#define MOST_WALKED	2000000		/* nodes, for all losses; those behind are not judged */

/* By tensor: does it depend on a trained parameter? */
static bool
is_moving(const bool *trained, const struct tensor *t)
{
	return t && (trained[t->id] || (t->kind == T_PARAM && !t->frozen));
}

/* Adds to WANTED, by tensor, all that is needed to make what is in it. */
static void
add_needed(const struct module *m, bool *wanted)
{
	int i, j;

	for (i = m->forward->nodes.n - 1; i >= 0; i--) {
		const struct node *n = m->forward->nodes.v[i];
		bool any = false;

		for (j = 0; j < n->nout; j++)
			any |= n->out[j] && wanted[n->out[j]->id];
		for (j = 0; any && j < n->nin; j++)
			if (n->in[j])
				wanted[n->in[j]->id] = true;
	}
}

/* The trained parameters that a tensor is made of; those that are HELD by another loss, if any is
 * given, are left out. */
static void
collect(struct lint *l, const struct tensor *t, struct fix_names *names, const bool *held)
{
	const struct module *m = l->module;
	bool *wanted = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*wanted));
	int i, j;

	wanted[t->id] = true;
	add_needed(m, wanted);
	for (i = m->forward->nodes.n - 1; i >= 0; i--) {
		const struct node *n = m->forward->nodes.v[i];

		for (j = 0; j < n->nin; j++) {
			const struct tensor *x = n->in[j];

			if (!x || x->kind != T_PARAM || x->frozen || !wanted[x->id] || (held && held[x->id]))
				continue;
			wanted[x->id] = false;		/* once */
			vec_push(m->arena, names, x->name);
		}
	}
}

/* Does a loss with a side that stands still train all that T is made of? */
static bool
is_held(struct lint *l, const struct tensor *t, const bool *held)
{
	struct fix_names free = { NULL, 0, 0 };

	collect(l, t, &free, held);
	return free.n == 0;
}

static void
fix(struct lint *l, struct diag *g, const struct node *loss)
{
	struct fix_names first = { NULL, 0, 0 }, second = { NULL, 0, 0 };

	collect(l, loss->in[0], &first, NULL);
	collect(l, loss->in[1], &second, NULL);
	fix_freeze(l, g, &second, &first, "freeze the second side");
}

/* Does what it makes stand still, whatever it reads? */
static bool
stands_still(const struct node *n)
{
	return (node_is(n, "scale") && op_real(n, "factor") == 0) || node_is(n, "stop_gradient");
}

/* By tensor: which depend on trained parameters. */
static bool *
find_trained(const struct module *m)
{
	bool *trained = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*trained));
	int i, j;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		bool any = false;

		for (j = 0; j < n->nin && !stands_still(n); j++)
			any |= is_moving(trained, n->in[j]);
		for (j = 0; j < n->nout; j++)
			if (n->out[j])
				trained[n->out[j]->id] = any;
	}
	return trained;
}

/* A loss of two sides, the second of which is no weight of samples. */
static bool
compares(const struct node *n)
{
	return n->op->kind == OP_LOSS && n->nin >= 2 && n->in[0] && n->in[1] && op_operand_is(n->op, 1, "target");
}

/* By tensor: all that is trained by losses of which one side, and no more, stands still. */
static bool *
find_held(const struct module *m, const bool *trained)
{
	bool *held = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*held));
	int i;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];

		if (compares(n) && is_moving(trained, n->in[0]) != is_moving(trained, n->in[1]))
			held[n->in[is_moving(trained, n->in[1])]->id] = true;
	}
	add_needed(m, held);
	return held;
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	bool *trained = find_trained(m), *held = find_held(m, trained);
	struct place_set reported = { NULL };
	int64_t walked = 0;
	int i;

	for (i = 0; i < m->forward->nodes.n && walked < MOST_WALKED; i++) {
		const struct node *n = m->forward->nodes.v[i];
		struct diag *g;

		if (!compares(n) || !is_moving(trained, n->in[0]) || !is_moving(trained, n->in[1]) || n->in[0] == n->in[1])
			continue;	/* the same twice is same-operand's */
		walked += 2 * (int64_t)m->forward->nodes.n;
		if (is_held(l, n->in[0], held) || is_held(l, n->in[1], held) || !place_is_new(&reported, l, rule, n->loc))
			continue;
		walked += 2 * (int64_t)m->forward->nodes.n;
		g = lint_report(l, rule, n->loc, "both sides of this %s are trained: it is least "
		    "where both are constant", n->op->name);
		diag_help(l->diags, g, "compare with a target or an input; or freeze the layers "
		    "that make one side");
		fix(l, g, n);
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
	    "to keep them apart; then allow this. Quiet where a loss with a target or an input trains all layers of "
	    "one side: those cannot collapse (Wu and others: R-Drop, 2021).",
	.check = check,
	.needs = NEEDS_GRAPH,
};
