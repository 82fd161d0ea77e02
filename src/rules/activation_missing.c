/*
 * activation-missing: two dense layers with nothing but dropout between them, which are one. Reads
 * the forward graph; what the spec without the first takes is planned.
 */
#include "rulekit/edited_spec.h"
#include "rulekit/fix_edits.h"
#include "rulekit/graph_query.h"
#include "rulekit/measure.h"
#include "rulekit/place_set.h"

#include "amend/cut.h"

/* The dense layer that N's output alone goes to, past dropout. */
static const struct node *
next_dense(const struct tensor_readers *r, const struct node *n)
{
	const struct node *next = only_reader(r, n);

	while (next && node_is(next, "dropout"))
		next = only_reader(r, next);
	return node_is(next, "dense") && next->in[1] ? next : NULL;
}

/* Which layers have another right behind, by the id of what they make. */
static bool *
found_in(const struct module *m, const struct tensor_readers *r)
{
	bool *found = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*found));
	int i;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];

		if (node_is(n, "dense") && next_dense(r, n))
			found[n->out[0]->id] = true;
	}
	return found;
}

static struct module *
without(struct lint *l, const struct node *n)
{
	struct cut_place place;
	struct amend m;

	edited_begin(l, &m);
	if (n->loc.src != l->module->src || !cut_find(&place, m.arena, l->file, n->loc) ||
	    !cut_out(&m.edits, &place))
		return NULL;
	return edited_plan(l, &m);
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	struct tensor_readers r = readers_of(l);
	struct node **update = measure_updates(m);
	struct place_set reported = { NULL }, needed = { NULL };
	int plans = 0, i;

	place_add_unmarked(&needed, l, found_in(m, &r));
	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		const struct node *next = node_is(n, "dense") ? next_dense(&r, n) : NULL;
		int64_t in, mid, out;
		struct diag *g;

		if (!next)
			continue;
		mid = n->in[1]->dim[0], in = n->in[1]->dim[1], out = next->in[1]->dim[0];
		if (mid < (in < out ? in : out) || !place_is_new(&reported, l, rule, n->loc))
			continue;
		g = lint_report(l, rule, n->loc, "'%s' and '%s' are one linear layer: no "
		    "activation comes between them", n->path, next->path);
		diag_place(l->diags, g, next->loc, "the second is here");
		if ((double)in * (double)out < (double)mid * (double)(in + out))
			diag_fact(l->diags, g, "weights %lld x %lld and %lld x %lld do what one of "
			    "%lld x %lld can; the first takes %s B, with gradient and state",
			    (long long)mid, (long long)in, (long long)out, (long long)mid,
			    (long long)out, (long long)in, lint_commas(m->arena,
			    measure_trained_bytes(m, update, n->in[1])));
		diag_help(l->diags, g, "write dense(%lld) -> relu, or leave the first layer out",
		    (long long)mid);
		if (!place_has(&needed, n->loc))
			fix_behind(l, g, n->loc, "relu", "put relu behind it");
		if (edited_affords(l, plans) && ++plans)
			measure_saving(l, g, without(l, n), "the network without '%s'", n->path);
	}
}

const struct rule rule_activation_missing = {
	.id = "SW308",
	.name = "activation-missing",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "two dense layers without an activation between them",
	.doc = "A dense layer of a dense layer is a dense layer: W2 (W1 x + b1) + b2. Without a "
	    "function that is not linear in between, the first one only costs weights, with their "
	    "gradients and optimizer state, and time. (Framework users write it when moving from "
	    "Keras, whose layers take activation= and default to none.)\n\n"
	    "Quiet where the layer between is narrower than both its neighbours: that is a "
	    "factorisation, which saves weights. Put relu or another activation between, or leave "
	    "one out.",
	.check = check,
	.needs = NEEDS_SKETCH,
};
