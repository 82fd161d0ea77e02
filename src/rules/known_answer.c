/*
 * known-answer: a target that takes no network: it is the same in all samples, or an input holds
 * it. Reads the data files of training.
 */
#include "rulekit/data_look.h"
#include "rulekit/graph_query.h"

#include <math.h>

#include "ir/op.h"
#include "readers/reader.h"

#define FEWEST	16	/* samples that say so */
#define EXACT	1e-9	/* of the largest: rounding of what was read alike */

/* The one target that a network with one loss compares with; NULL: there are others. */
static const struct tensor *
only_target(const struct module *m)
{
	const struct tensor *found = NULL;
	int i;

	for (i = 0; i < m->forward->inputs.n; i++) {
		const struct tensor *t = m->forward->inputs.v[i];

		if (t->kind != T_TARGET)
			continue;
		if (found || tensor_elements_per_sample(t) != 1)
			return NULL;
		found = t;
	}
	return found;
}

static bool
is_one_value(const struct data_look *d)
{
	int64_t row;

	for (row = 1; row < d->rows; row++)
		if (data_value(d, row, 0) != data_value(d, 0, 0))
			return false;
	return true;
}

/* Is the target factor * input + offset in each row? Then *FACTOR, which is not 0. */
static bool
tells(const struct data_look *x, int64_t at, const struct data_look *y, double *factor, double *offset)
{
	double x0 = data_value(x, 0, at), y0 = data_value(y, 0, 0), largest = fabs(y0);
	int64_t row, far = 0, rows = x->rows < y->rows ? x->rows : y->rows;

	for (row = 1; row < rows; row++) {
		if (fabs(data_value(x, row, at) - x0) > fabs(data_value(x, far, at) - x0))
			far = row;
		largest = fmax(largest, fabs(data_value(y, row, 0)));
	}
	if (rows < FEWEST || far == 0)
		return false;
	*factor = (data_value(y, far, 0) - y0) / (data_value(x, far, at) - x0);
	*offset = y0 - *factor * x0;
	for (row = 0; row < rows; row++)
		if (x->at[row] != y->at[row] ||
		    fabs(data_value(y, row, 0) - *factor * data_value(x, row, at) - *offset) > EXACT * largest)
			return false;
	return *factor != 0;
}

static void
report_constant(const struct rule *rule, struct lint *l, const struct tensor *t, const struct data_look *y)
{
	const struct data_source *source = &l->module->set.data;
	struct diag *g = lint_report(l, rule, source->loc, "'%s' is %g in all %lld samples of \"%s\": there is nothing to learn",
	    t->name, data_value(y, 0, 0), (long long)y->rows, y->file);

	diag_place(l->diags, g, t->loc, "'%s' is declared here", t->name);
	diag_help(l->diags, g, "look whether it is the column that was meant");
}

static void
report_told(const struct rule *rule, struct lint *l, const struct tensor *t, const struct data_look *y,
    const struct tensor *input, const struct data_look *x, int64_t at, double factor, double offset)
{
	const struct data_source *source = &l->module->set.data;
	bool same = factor == 1 && offset == 0;
	struct diag *g = lint_report(l, rule, source->loc, "an input holds the answer: number %lld of '%s' is '%s'%s",
	    (long long)at + 1, input->name, t->name, same ? "" : " in another scale");

	diag_place(l->diags, g, input->loc, "'%s' is declared here", input->name);
	if (same)
		diag_fact(l->diags, g, "in all %lld samples of the first part of \"%s\" they are the same", (long long)y->rows,
		    y->file);
	else
		diag_fact(l->diags, g, "in all %lld samples of the first part of \"%s\" '%s' is %g times that number, with %g added",
		    (long long)y->rows, y->file, t->name, factor, offset);
	if (source->reader->files == FILES_ONE)
		diag_fact(l->diags, g, "these are columns %lld and %lld", (long long)(x->field + at + 1), (long long)(y->field + 1));
	diag_help(l->diags, g, "leave that column out of the file, or count the columns again: a network that reads its answer learns "
	    "nothing else");
}

static bool
check_input(const struct rule *rule, struct lint *l, const struct tensor *t, const struct data_look *y,
    const struct tensor *input)
{
	struct data_look x;
	double factor, offset;
	int64_t at;

	if (input->kind != T_INPUT || input->rank > 1 || input->tokens || !data_look(l, &l->module->set.data, input, &x))
		return false;
	for (at = 0; at < x.width; at++)
		if (tells(&x, at, y, &factor, &offset)) {
			report_told(rule, l, t, y, input, &x, at, factor, offset);
			return true;
		}
	return false;
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	const struct tensor *t = m->set.train && reader_has_files(&m->set.data) ? only_target(m) : NULL;
	int64_t numbers = 0;
	struct data_look y;
	int i;

	if (!t || !data_look(l, &m->set.data, t, &y) || y.rows < FEWEST)
		return;
	if (is_one_value(&y)) {
		if (y.rows == y.samples)	/* of a part of the file it may be the order */
			report_constant(rule, l, t, &y);
		return;
	}
	for (i = 0; i < m->forward->inputs.n; i++)
		if (m->forward->inputs.v[i]->kind == T_INPUT)
			numbers += tensor_elements_per_sample(m->forward->inputs.v[i]);
	for (i = 0; i < m->forward->inputs.n && numbers > 1; i++)	/* of one number that is the whole task */
		if (check_input(rule, l, t, &y, m->forward->inputs.v[i]))
			return;
}

const struct rule rule_known_answer = {
	.id = "SW346",
	.name = "known-answer",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "a target that is the same in all samples, or among the inputs",
	.doc = "Where an input is the target, perhaps in another scale, the network learns to copy it: the loss falls at once, in "
	    "validation, too, and the model is of no use where the answer is not known yet. Most often a table was read with the "
	    "column of the answer among its inputs, or with one that was made of it (Kaufman and others: Leakage in data mining, "
	    "2012). And a target that never changes can be learned by a bias.\n\n"
	    "Reported of networks with one target of one number, where the first 64 KiB of the files say so in each of 16 samples "
	    "or more: an input of vectors one of whose numbers is the target times a factor, with an offset; and, where that "
	    "is the whole file, a target that is one number in all of them. Quiet where a single number is read in all, and of sequences, "
	    "maps and targets of several numbers, as of autoencoders.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
