/*
 * read-padding: the last state of a recurrent layer that has gone over what sequences are filled up
 * with. The data files show that they are; reads the forward graph, too.
 */
#include "rulekit/data_look.h"
#include "rulekit/graph_query.h"

#include "ir/op.h"
#include "ops/recurrent.h"
#include "ops/shapes.h"
#include "readers/reader.h"

#define FEWEST_ROWS	16
#define FEWEST_SHARE	0.3	/* of all positions */
#define SHORTEST	3	/* a run of one number that is no chance */

/* ---- the files ---- */

struct filled {
	double number, mean;	/* what rows end in, and how many of it there are in a row */
};

/* False where few positions are, or rows end in unlike numbers. */
static bool
is_filled_up(const struct data_look *d, struct filled *f)
{
	int64_t row, all = 0;
	bool any = false;

	for (row = 0; row < d->rows; row++) {
		double last = data_value(d, row, d->width - 1);
		int64_t n = data_last_run(d, row);

		if (n < SHORTEST)
			continue;
		if (any && last != f->number)
			return false;
		any = true;
		f->number = last;
		all += n;
	}
	f->mean = d->rows ? (double)all / (double)d->rows : 0;
	return d->rows >= FEWEST_ROWS && f->mean >= FEWEST_SHARE * (double)d->width;
}

/* ---- the graph ---- */

/* Does it leave each position where it is, and tell nothing of where texts end? */
static bool
keeps_place(const struct node *n)
{
	static const char *const name[] = { "dense", "dropout", "layernorm", NULL };
	int i;

	for (i = 0; name[i]; i++)
		if (node_is(n, name[i]))
			return true;
	return (n->op->flags & OP_ELEMENTWISE) && n->nin == 1;
}

/* Is it the last position alone? */
static bool
takes_last(const struct node *n)
{
	const struct attr *start = op_attr(n, "start");
	int64_t length = n->in[0]->dim[0];

	return op_attr(n, "axis")->n == 1 && shape_axis_at(op_attr(n, "axis")->v[0], n->in[0]) == 0 && start->n == 1 &&
	    (start->v[0] == -1 || start->v[0] == length - 1);
}

/* What reads a tensor alone, past the joining of one direction's states with nothing. */
static const struct node *
reader_of(const struct tensor_readers *r, const struct tensor *t)
{
	const struct node *n = t && r->count[t->id] == 1 ? r->last[t->id] : NULL;

	return node_is(n, "concat") && n->nin == 1 ? reader_of(r, n->out[0]) : n;
}

static bool
is_read_at_end(const struct tensor_readers *r, const struct node *n)
{
	const struct node *of_states = reader_of(r, recurrent_states(n)), *of_last = NULL;

	if (n->nout > RECURRENT_LAST)
		of_last = reader_of(r, n->out[RECURRENT_LAST]);
	return node_is(of_states, "slice") ? takes_last(of_states) : !of_states && of_last;
}

/* The layer of such words whose end is all that is read; NULL: there is none. */
static const struct node *
reads_to_end(struct lint *l, const struct tensor *words)
{
	const struct graph *f = l->module->forward;
	bool *aligned = arena_array(l->module->arena, (size_t)l->module->next_tensor + 1, sizeof(*aligned));
	struct tensor_readers readers = readers_of(l);
	int i;

	for (i = 0; i < f->nodes.n; i++) {
		const struct node *n = f->nodes.v[i];

		if (n->nin == 0 || !n->in[0] || n->nout == 0)
			continue;
		if (node_is(n, "recurrent") && aligned[n->in[0]->id] && !op_bool(n, "reverse") && !n->in[RECURRENT_LENGTHS]) {
			if (is_read_at_end(&readers, n))
				return n;
			aligned[recurrent_states(n)->id] = true;
		} else if (n->out[0] && ((node_is(n, "embedding") && n->in[0] == words) ||
		    (aligned[n->in[0]->id] && (keeps_place(n) || (node_is(n, "concat") && n->nin == 1))))) {
			aligned[n->out[0]->id] = true;
		}
	}
	return NULL;
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	int i;

	if (!m->set.train || !reader_has_files(&m->set.data))
		return;
	for (i = 0; i < m->forward->inputs.n; i++) {
		const struct tensor *t = m->forward->inputs.v[i];
		struct filled f = { 0 };
		struct data_look look;
		const struct node *n;
		struct diag *g;

		if (t->kind != T_INPUT || !t->tokens || t->rank != 1 || !(n = reads_to_end(l, t)) ||
		    !data_look(l, &m->set.data, t, &look) || !is_filled_up(&look, &f))
			continue;
		g = lint_report(l, rule, n->loc, "the last state of '%s' is that behind %.0f tokens that fill a row up, in the mean",
		    (n->part_of ? n->part_of : n)->path, f.mean);
		diag_place(l->diags, g, t->loc, "'%s' is declared here", t->name);
		diag_fact(l->diags, g, "in the first part of \"%s\" rows of %lld end in %g again and again, which the layer reads after the text",
		    look.file, (long long)look.width, f.number);
		diag_help(l->diags, g, "fill up at the front in the file; or say how many tokens a sample has, by an input class[%lld] as the "
		    "last operand of the layer", (long long)look.width + 1);
	}
}

const struct rule rule_read_padding = {
	.id = "SW351",
	.name = "read-padding",
	.family = FAMILY_TRAINING,
	.severity = SEV_NOTE,
	.brief = "the last state of a recurrent layer is that behind padding",
	.doc = "Sequences of unlike lengths are filled up to one. A recurrent layer goes on over what they are filled up with, and its last "
	    "state is what it makes of the text and of that: what it read long before fades. Keras' pad_sequences fills up at the "
	    "front for this reason, and PyTorch has pack_padded_sequence.\n\n"
	    "Reported of lstm, gru and rnn without lengths, right behind an embedding of tokens and layers of one position, of "
	    "which the last state alone is read, where the first 64 KiB of the files have 16 rows or more and rows end in runs of "
	    "one and the same token, 30 % of all positions or more. Here a last operand class[T + 1] says how many steps count. Quiet for "
	    "means and maxima of all states, attention, and where something masks.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
