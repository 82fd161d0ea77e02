/*
 * same-operand: one tensor on both sides, where that leaves nothing to compute: x - x, a loss of y
 * against itself, x + x; or joins it with itself before weights that would do as much of one. (x *
 * x is a square, and concat(x, x, x) makes grey pictures three channels.)
 */
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include "ir/op.h"

/* Are two of one tensor joined along what a layer alone multiplies by weights and sums? */
static bool
joins_itself(const struct tensor_readers *r, const struct node *n)
{
	const struct node *reader = node_is(n, "concat") && n->nin == 2 && n->in[0]->def ? only_reader(r, n) : NULL;
	int axis = reader ? (int)op_int(n, "axis") : 0;

	axis += axis < 0 ? n->in[0]->rank : 0;
	return (node_is(reader, "dense") && axis == n->in[0]->rank - 1) ||
	    (node_is(reader, "conv") && axis == 0 && op_int(reader, "groups") == 1);
}

static bool
is_same(const struct tensor_readers *r, const struct node *n)
{
	return n->nin >= 2 && n->in[0] && n->in[0] == n->in[1] && (node_is(n, "sub") ||
	    node_is(n, "add") || n->op->kind == OP_LOSS || n->op->kind == OP_METRIC || joins_itself(r, n));
}

static const char *
consequence(const struct node *n)
{
	if (node_is(n, "add"))
		return "twice that one; 2 * x says so";
	if (node_is(n, "concat"))
		return "no more than that one: the layer behind it adds up two weights of each number";
	if (node_is(n, "sub") || node_is(n, "mse"))
		return "0, whatever it holds, and so is its gradient";
	return "no comparison with anything";
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	const struct graph *f = m->forward;
	struct tensor_readers r = readers_of(l);
	struct place_set differs = { NULL }, reported = { NULL };
	int i;

	for (i = 0; i < f->nodes.n; i++)
		if (!is_same(&r, f->nodes.v[i]))
			place_add(&differs, l, f->nodes.v[i]->loc);
	for (i = 0; i < f->nodes.n; i++) {
		const struct node *n = f->nodes.v[i];
		struct diag *g;

		if (!is_same(&r, n) || n->loc.src != m->src || place_has(&differs, n->loc) ||
		    !place_is_new(&reported, l, rule, n->loc))
			continue;
		g = lint_report(l, rule, n->loc, "both operands of %s are '%s'", n->op->name,
		    n->in[0]->name);
		diag_fact(l->diags, g, "that is %s", consequence(n));
		diag_help(l->diags, g, "was another tensor meant?");
	}
}

const struct rule rule_same_operand = {
	.id = "SW205",
	.name = "same-operand",
	.family = FAMILY_HYGIENE,
	.severity = SEV_WARNING,
	.brief = "one tensor on both sides of a difference, a sum or a loss",
	.doc = "x - x is 0, a loss of y against y is too, and main + main leaves the shortcut out "
	    "that should have been the other operand: a name was copied, or completed to the wrong "
	    "one. Shapes agree, so nothing else tells.\n\n"
	    "Reported for sub, add, losses and metrics whose operands are one tensor, and concat of two before a dense layer or a convolution, in blocks "
	    "only where that is so in every use. Name the other tensor. clippy's eq_op and "
	    "SonarQube's S1764 are the same of programs.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
