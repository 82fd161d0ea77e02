/*
 * counted-padding: what sequences are filled up with, counted by the loss. The data files show it:
 * rows of tokens that end in one number again and again, and targets that do at the same places.
 */
#include "rulekit/data_look.h"
#include "rulekit/fix_edits.h"
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include "ir/op.h"
#include "readers/reader.h"

#define FEWEST_ROWS	16
#define FEWEST_SHARE	0.2	/* of all positions that are filled up, so that it is worth a word */
#define SHORTEST	3	/* a run of one number that is no chance */

struct filled {
	double share;		/* of positions */
	double number;		/* of the target there */
	bool elsewhere;		/* it stands among what counts, too */
};

/* Where both are filled up; a share of 0: nowhere, or some rows end in a run of another number. */
static struct filled
filled_up(const struct data_look *x, const struct data_look *y)
{
	struct filled f = { 0 };
	int64_t rows = x->rows < y->rows ? x->rows : y->rows, row, i, filled = 0, whole = 0;
	double with = -1;

	for (row = 0; row < rows; row++) {
		int64_t a = data_last_run(x, row), b = data_last_run(y, row), run = a < b ? a : b;
		double last = data_value(x, row, x->width - 1);

		if (x->at[row] != y->at[row] || run == x->width)
			return (struct filled){ 0 };
		if (run < SHORTEST) {
			whole++;
			continue;
		}
		if (filled == 0) {
			with = last;
			f.number = data_value(y, row, y->width - 1);
		}
		if (last != with || data_value(y, row, y->width - 1) != f.number)
			return (struct filled){ 0 };
		filled += run;
	}
	if (rows < FEWEST_ROWS || whole == rows)
		return (struct filled){ 0 };
	for (row = 0; row < rows; row++) {
		int64_t a = data_last_run(x, row), b = data_last_run(y, row);

		for (i = 0; i < y->width - (a < b ? a : b); i++)
			f.elsewhere |= data_value(y, row, i) == f.number;
	}
	f.share = (double)filled / ((double)rows * (double)x->width);
	return f;
}

/* The only input of tokens as long as the target; NULL: there are none, or several. */
static const struct tensor *
words_beside(const struct graph *f, const struct tensor *target)
{
	const struct tensor *found = NULL;
	int i;

	for (i = 0; i < f->inputs.n; i++) {
		const struct tensor *t = f->inputs.v[i];

		if (t->kind != T_INPUT || !t->tokens || t->rank != 1 || t->dim[0] != target->dim[0])
			continue;
		if (found)
			return NULL;
		found = t;
	}
	return found;
}

/* Does it leave none of them out, and weigh none? */
static bool
counts_all(const struct node *n)
{
	const struct attr *weights = op_attr(n, "weights");

	return op_attr(n, "ignore")->n == 0 && weights->n == 0 && (n->nin < 3 || !n->in[2]) && n->in[1] &&
	    n->in[1]->kind == T_TARGET && n->in[1]->rank == 1;
}

static void
report(const struct rule *rule, struct lint *l, const struct node *n, const struct data_look *y, const struct tensor *x,
    const struct filled *f)
{
	const char *value = arena_printf(l->module->arena, "(%g)", f->number);
	struct diag *g = lint_report(l, rule, n->loc, "%.0f %% of what this %s counts is what rows are filled up with", 100 * f->share,
	    n->op->name);

	diag_place(l->diags, g, n->in[1]->loc, "'%s' is declared here", n->in[1]->name);
	diag_fact(l->diags, g, "in the first part of \"%s\" rows end in %g, and '%s' does at the same places: of %lld positions "
	    "%.0f are such", y->file, f->number, x->name, (long long)(y->rows * y->width), f->share * (double)y->rows * (double)y->width);
	if (f->elsewhere) {
		diag_help(l->diags, g, "%g is a class of what counts, too: write -1 in its place in the file, and ignore=(-1)", f->number);
		return;
	}
	diag_help(l->diags, g, "ignore=%s: a loss that counts them is low for a network that has learned where texts end", value);
	fix_argument(l, g, n->loc, "ignore", value, "leave what rows are filled up with out of the loss");
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	const struct data_source *source = &m->set.data;
	struct place_set reported = { NULL };
	int i;

	if (!m->set.train || !reader_has_files(source))
		return;
	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		const struct tensor *x = node_is(n, "cross_entropy") && n->nin > 1 && counts_all(n) ?
		    words_beside(m->forward, n->in[1]) : NULL;
		struct data_look tokens, labels;
		struct filled f;

		if (!x || !data_look(l, source, x, &tokens) || !data_look(l, source, n->in[1], &labels))
			continue;
		f = filled_up(&tokens, &labels);
		if (f.share >= FEWEST_SHARE && place_is_new(&reported, l, rule, n->loc))
			report(rule, l, n, &labels, x, &f);
	}
}

const struct rule rule_counted_padding = {
	.id = "SW349",
	.name = "counted-padding",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "a loss counts what sequences are filled up with",
	.doc = "Sequences of unlike lengths are filled up with one token to be of one length. A loss that counts these positions teaches "
	    "what is known already: where texts are short most of it is of them, it falls fast, and says little of the words; an "
	    "accuracy counts them, too. Losses take ignore= for that, as PyTorch's ignore_index.\n\n"
	    "Reported of a cross_entropy without ignore and weights whose target has a class for each token of an input, where "
	    "the first 64 KiB of the files have 16 rows or more, and a fifth or more of the positions are runs of three or more at the end of "
	    "rows, of one token and of one class in all of them.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
