/*
 * no-effect: layers whose output is their input. Numbers count only if the spec has them as
 * literals: dropout(0) is a mistake, dropout(rate) with a rate of 0 an experiment. In a block used
 * more than once, it must be so each time.
 */
#include "rulekit/fix_edits.h"
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include <ctype.h>

#include "ir/op.h"
#include "plan/plan.h"

/* Marks tensors that are never below 0. */
static bool
never_negative(const struct node *n, const bool *positive)
{
	static const char *const makes[] = { "relu", "sigmoid", "softmax", NULL };
	static const char *const keeps[] = { "maxpool", "avgpool", "global_avgpool", "dropout",
		"flatten", "reshape", "crop", "upsample", NULL };
	int i;

	for (i = 0; makes[i]; i++)
		if (node_is(n, makes[i]))
			return true;
	for (i = 0; keeps[i]; i++)
		if (node_is(n, keeps[i]))
			return n->in[0] && positive[n->in[0]->id];
	return false;
}

/* Does the spec say it by numbers? */
static bool
is_literal(struct loc at)
{
	int i;

	for (i = at.beg; at.src && i < at.end; i++)
		if (isalpha((unsigned char)at.src->text[i]))
			return false;
	return at.src != NULL;
}

/* Is the attribute a number in the spec, and are all of it V? */
static bool
is_written(const struct node *n, const char *name, int64_t v)
{
	const struct attr *a = op_attr(n, name);
	int i;

	if (!is_literal(op_attr_loc(n, name)))
		return false;
	for (i = 0; i < a->n; i++)
		if (a->v[i] != v)
			return false;
	return a->n > 0 || a->r == (double)v;
}

/* Why it does nothing; NULL: it may do something. */
static const char *
why_idle(const struct node *n, const bool *positive)
{
	if (node_is(n, "relu") && n->in[0] && positive[n->in[0]->id])
		return "nothing it is given is below 0";
	if (node_is(n, "dropout") && is_written(n, "rate", 0))
		return "a rate of 0 drops nothing";
	if ((node_is(n, "maxpool") || node_is(n, "avgpool")) && is_written(n, "kernel", 1) &&
	    tensor_same_shape(n->in[0], n->out[0]))
		return "a window of one cell is that cell";
	if ((node_is(n, "pad") || node_is(n, "crop")) && is_written(n, "sides", 0))
		return "there is nothing on any side";
	if (node_is(n, "upsample") && is_written(n, "factor", 1))
		return "once as high and wide is as it was";
	if (node_is(n, "scale") && is_written(n, "factor", 1) && op_real(n, "offset") == 0)
		return "a factor of 1 changes nothing";
	if (node_is(n, "leaky_relu") && is_written(n, "slope", 1))
		return "a slope of 1 bends nothing";
	if (node_is(n, "concat") && n->nin == 1)
		return "there is nothing to join one tensor with";
	return NULL;
}

/* The recurrent layer that a node is the first part of, where that has a dropout between layers and
 * is a single one. */
static const struct node *
idle_dropout(const struct node *n)
{
	const struct node *layer = n->part_of;

	if (!node_is(n, "recurrent") || !layer || (!node_is(layer, "lstm") && !node_is(layer, "gru") && !node_is(layer, "rnn")))
		return NULL;
	return op_real(layer, "dropout") > 0 && op_int(layer, "layers") == 1 && is_literal(op_attr_loc(layer, "dropout")) &&
	    (!op_attr_loc(layer, "layers").src || is_literal(op_attr_loc(layer, "layers"))) ? layer : NULL;
}

static void
report_dropout(const struct rule *rule, struct lint *l, const struct node *layer)
{
	struct diag *g = lint_report(l, rule, layer->loc, "dropout=%g of '%s' drops nothing: it stands between layers, and there is one",
	    op_real(layer, "dropout"), layer->path);

	diag_help(l->diags, g, "%s(...) -> dropout(%g), or layers=2; PyTorch's does the same, and warns", layer->op->name,
	    op_real(layer, "dropout"));
}

static void
report(const struct rule *rule, struct lint *l, const struct node *n, const char *why)
{
	struct module *m = l->module;
	int64_t batch = m->train ? m->plan->batch : m->plan->validate_batch;
	struct diag *g = lint_report(l, rule, n->loc, "'%s' gives what it is given: %s",
	    n->path, why);

	diag_fact(l->diags, g, "%s of %s B at batch %lld; frameworks run it, forward and backward",
	    tensor_shape_text(m->arena, n->out[0]),
	    lint_commas(m->arena, affine_at(tensor_bytes(n->out[0]), batch)), (long long)batch);
	diag_help(l->diags, g, "leave it out");
	fix_take_out(l, g, n->loc, "leave out what does nothing");
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	const struct graph *f = m->forward;
	bool *positive = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*positive));
	struct place_set useful = { NULL }, reported = { NULL };
	int i;

	for (i = 0; i < f->nodes.n; i++) {
		const struct node *n = f->nodes.v[i];

		if (n->nout == 0 || !n->out[0] || n->nin == 0)
			continue;
		positive[n->out[0]->id] = never_negative(n, positive);
		if (!why_idle(n, positive))
			place_add(&useful, l, n->loc);
	}
	for (i = 0; i < f->nodes.n; i++) {
		const struct node *n = f->nodes.v[i];
		const char *why = n->nout && n->out[0] && n->nin ? why_idle(n, positive) : NULL;

		if (idle_dropout(n) && place_is_new(&reported, l, rule, n->loc))
			report_dropout(rule, l, idle_dropout(n));
		if (why && n->loc.src == m->src && !place_has(&useful, n->loc) &&
		    place_is_new(&reported, l, rule, n->loc))
			report(rule, l, n, why);
	}
}

const struct rule rule_no_effect = {
	.id = "SW204",
	.name = "no-effect",
	.family = FAMILY_HYGIENE,
	.severity = SEV_WARNING,
	.brief = "a layer that gives what it is given",
	.doc = "relu of what is never below 0 (another relu, also past pooling and dropout; "
	    "sigmoid; softmax), dropout(0), maxpool(1), scale(1), leaky_relu(1), pad(0), crop(0), upsample(1), "
	    "concat of a single tensor, dropout= of a recurrent layer with layers=1: they change nothing, and read as if they did. Often a "
	    "number was meant to be another. Here most are dropped before anything is planned; "
	    "frameworks run them, and keep masks and copies for backward.\n\n"
	    "Numbers count only where the spec has them as such, not as parameters that happen to "
	    "be 0; a layer of a block must be idle wherever the block is used. Take it out. An "
	    "activation after a block that ends in one is the commonest (pylint's and clippy's "
	    "rules of like kind are useless-return and no_effect).",
	.check = check,
	.needs = NEEDS_GRAPH,
};
