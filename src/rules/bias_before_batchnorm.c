/*
 * bias-before-batchnorm: a bias that batch normalisation subtracts again at once. Reads the forward
 * graph; the bytes are the plan's.
 */
#include "rulekit/fix_edits.h"
#include "rulekit/graph_query.h"
#include "rulekit/measure.h"
#include "rulekit/place_set.h"

#include "ir/op.h"

/* Does the layer add one number to all that batch normalisation takes a mean of: is its bias along
 * axis 0? Not that of dense layers on sequences, [positions, features]. */
static bool
adds_to_channels(const struct node *n)
{
	return node_is(n, "conv") || node_is(n, "conv_transpose") ||
	    (node_is(n, "dense") && n->out[0]->rank == 1);
}

/* The batch normalisation that cancels the bias of N; NULL: none. */
static const struct node *
normalised(const struct tensor_readers *r, const struct node *n)
{
	const struct node *next = n->nin > 2 && n->in[2] ? only_reader(r, n) : NULL;

	return node_is(next, "batchnorm") && n->in[2]->kind == T_PARAM && !n->in[2]->frozen &&
	    adds_to_channels(n) ? next : NULL;
}

/* The bytes of all biases that the text of N makes: a block used twice has two. */
static int64_t
bytes_there(struct lint *l, const struct tensor_readers *r, struct node *const *update, const struct node *n)
{
	const struct graph *f = l->module->forward;
	int64_t sum = 0;
	int i;

	for (i = 0; i < f->nodes.n; i++) {
		const struct node *o = f->nodes.v[i];

		if (o->loc.src == n->loc.src && o->loc.beg == n->loc.beg && o->loc.end == n->loc.end && normalised(r, o))
			sum += measure_trained_bytes(l->module, update, o->in[2]);
	}
	return sum;
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	struct tensor_readers r = readers_of(l);
	struct node **update = measure_updates(m);
	struct place_set reported = { NULL }, needed = { NULL };
	int i;

	for (i = 0; i < m->forward->nodes.n; i++)
		if (!normalised(&r, m->forward->nodes.v[i]))
			place_add(&needed, l, m->forward->nodes.v[i]->loc);
	for (i = 0; m->train && i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		struct diag *g;

		if (!normalised(&r, n) || !place_is_new(&reported, l, rule, n->loc))
			continue;
		g = lint_report(l, rule, n->loc, "the bias of '%s' does nothing: batchnorm "
		    "subtracts it with the mean", n->path);
		diag_help(l->diags, g, "%s(..., bias=false): %s B less, and a pass over its "
		    "output's gradient", n->op->name, lint_commas(m->arena,
		    bytes_there(l, &r, update, n)));
		if (!place_has(&needed, n->loc))
			fix_argument(l, g, n->loc, "bias", "false", "write bias=false");
	}
}

const struct rule rule_bias_before_batchnorm = {
	.id = "SW309",
	.name = "bias-before-batchnorm",
	.family = FAMILY_TRAINING,
	.severity = SEV_NOTE,
	.brief = "a bias right before batch normalisation",
	.doc = "Batch normalisation subtracts the mean of its input, and with it any constant "
	    "that the layer before added; it has a bias of its own. The first bias never changes "
	    "a result, its gradient is 0 but for rounding, and it costs a sum over the whole "
	    "gradient of the layer's output. Write bias=false, as torchvision's networks do.\n\n"
	    "The fix is unsafe, though every output of training stays the same but for rounding: "
	    "a checkpoint trained with the bias holds its share in the running mean, and would "
	    "not fit any more.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
