/*
 * half-read: the state at one end of a layer that reads both ways, of which one direction has read
 * a single position there. Reads the forward graph.
 */
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include "ir/op.h"
#include "ops/shapes.h"

/* Are these the states of both directions of a recurrent layer, side by side? */
static bool
reads_both_ways(const struct node *n)
{
	return node_is(n, "concat") && n->nin == 2 && n->in[0]->rank == 2 && op_int(n, "axis") != 0 &&
	    node_is(n->in[0]->def, "recurrent") && node_is(n->in[1]->def, "recurrent") &&
	    n->in[0] == node_value(n->in[0]->def) && n->in[1] == node_value(n->in[1]->def) &&
	    op_bool(n->in[0]->def, "reverse") != op_bool(n->in[1]->def, "reverse");
}

/* The one position that a slice takes of so many; -1: it takes several. */
static int64_t
position_of(const struct node *n)
{
	int64_t start, stop, length = n->in[0]->dim[0];

	if (op_attr(n, "axis")->n != 1 || shape_axis_at(op_attr(n, "axis")->v[0], n->in[0]) != 0)
		return -1;
	start = op_attr(n, "start")->v[0] + (op_attr(n, "start")->v[0] < 0 ? length : 0);
	stop = op_attr(n, "stop")->v[0] + (op_attr(n, "stop")->v[0] < 0 ? length : 0);
	return stop - start == 1 ? start : -1;
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	struct place_set reported = { NULL };
	struct tensor_readers readers;
	int i;

	if (!m->set.train)
		return;
	readers = readers_of(l);
	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i], *states;
		const struct node *layer;
		int64_t at, length;
		struct diag *g;

		if (!node_is(n, "slice") || !reads_both_ways(states = n->in[0]->def) || only_reader(&readers, states) != n)
			continue;
		length = n->in[0]->dim[0];
		at = position_of(n);
		if (length < 3 || (at != 0 && at != length - 1) || !place_is_new(&reported, l, rule, n->loc))
			continue;
		layer = states->part_of ? states->part_of : states;
		g = lint_report(l, rule, n->loc, "half of position %lld of '%s' has read nothing but that position", (long long)at,
		    layer->path);
		diag_place(l->diags, g, layer->loc, "it reads both ways");
		diag_fact(l->diags, g, "the direction that %s begins at position %lld of %lld: its state there is of one step",
		    at == 0 ? "reads forwards" : "comes back", (long long)at, (long long)length);
		diag_help(l->diags, g, ".last in its place, the state of each direction when it has read all; or mean(..., axis=0)");
	}
}

const struct rule rule_half_read = {
	.id = "SW347",
	.name = "half-read",
	.family = FAMILY_TRAINING,
	.severity = SEV_NOTE,
	.brief = "the last position of a recurrent layer that reads both ways",
	.doc = "A layer with bidirectional=true gives at each position the state of two directions, side by side. At the last position "
	    "the one that comes back has just begun: half of what is taken there knows one step of the sequence. It is what "
	    "out[:, -1] of a bidirectional LSTM takes in PyTorch; h_n, which Keras gives with return_sequences=False, has the "
	    "last state of each direction.\n\n"
	    "Reported where one position at an end is all that is read of such a layer. Write .last, which has the last states of "
	    "both (of all layers, where there are several), or a mean or maximum of all positions.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
