/*
 * label-range: targets in the data files that a network cannot answer: class numbers beyond the
 * classes, and numbers beyond what the last activation gives. Reads the first part of the files.
 */
#include "rulekit/data_look.h"
#include "rulekit/graph_query.h"

#include <math.h>

#include "ir/op.h"
#include "ops/labels.h"
#include "readers/reader.h"

#define NEARLY	1e-6	/* of the range's ends: rounding */
#define WHITE	255	/* of pictures */

struct range {
	double least, most;
};

struct census {			/* of the values that were looked at */
	struct range range;
	int64_t values, outside, fractions;
	int64_t first;		/* row of the file, from 0, of the first that is outside */
};

static struct census
count(const struct data_look *d, const struct range *legal, bool whole, const int64_t *ignored)
{
	struct census c = { .range = { INFINITY, -INFINITY }, .first = -1 };
	int64_t row, i;

	for (row = 0; row < d->rows; row++)
		for (i = 0; i < d->width; i++) {
			double x = data_value(d, row, i);
			bool fraction = whole && x != floor(x);

			if (ignored && x == (double)*ignored)
				continue;

			c.range.least = fmin(c.range.least, x);
			c.range.most = fmax(c.range.most, x);
			c.values++;
			c.fractions += fraction;
			if (x >= legal->least - NEARLY && x <= legal->most + NEARLY && !fraction)
				continue;
			c.outside++;
			c.first = c.first < 0 ? d->at[row] : c.first;
		}
	return c;
}

/* ---- classes ---- */

static void
check_classes(const struct rule *rule, struct lint *l, const struct data_source *source,
    const struct tensor *t)
{
	const struct range legal = { 0, t->classes - 1 };
	struct data_look look;
	struct census c;
	struct diag *g;
	int64_t label;

	if (!data_look(l, source, t, &look))
		return;
	c = count(&look, &legal, true, labels_ignored_of(l->module, t, &label) ? &label : NULL);
	if (c.outside == 0)
		return;
	g = lint_report(l, rule, source->loc, "'%s' is %s, 0 to %d, and \"%s\" holds others",
	    t->name, tensor_type_text(l->module->arena, t), t->classes - 1, look.file);
	diag_place(l->diags, g, t->loc, "'%s' is declared here", t->name);
	diag_fact(l->diags, g, "of %lld %s in its first part %lld are none of them, the first in "
	    "row %lld; they go from %g to %g", (long long)c.values, t->tokens ? "tokens" : "labels",
	    (long long)c.outside, (long long)c.first + 1, c.range.least, c.range.most);
	if (c.fractions > 0)
		diag_help(l->diags, g, "a %s is a whole number; for numbers of any kind declare "
		    "f32[...]%s", t->tokens ? "token" : "class",
		    t->kind == T_TARGET ? " and use mse" : "");
	else if (t->tokens)
		diag_help(l->diags, g, "vocab=%g, if the tokens are right; the program stops at them",
		    c.range.most + 1);
	else if (c.range.least == 1 && c.range.most == t->classes)
		diag_help(l->diags, g, "they begin at 1: take 1 off in the file; or %d classes, of "
		    "which the first never comes", t->classes + 1);
	else
		diag_help(l->diags, g, "%g classes, if the labels are right; the program stops at "
		    "them", c.range.most + 1);
}

/* ---- numbers ---- */

/* What the last layer can give; false where that is any number. */
static bool
range_of(const struct node *loss, struct range *range, const char **whose)
{
	const struct node *last = tensor_maker(loss->in[0]);

	*range = (struct range){ 0, 1 };
	if (node_is(loss, "bce_with_logits")) {
		*whose = "a sigmoid, which bce_with_logits applies,";
		return true;
	}
	if (!node_is(loss, "mse") || !last)
		return false;
	*whose = last->op->name;
	if (node_is(last, "tanh"))
		range->least = -1;
	else if (node_is(last, "relu"))
		range->most = INFINITY;
	return node_is(last, "tanh") || node_is(last, "relu") || node_is(last, "sigmoid") ||
	    node_is(last, "softmax");
}

static void
check_numbers(const struct rule *rule, struct lint *l, const struct data_source *source,
    const struct node *loss)
{
	const struct tensor *t = loss->nin > 1 ? loss->in[1] : NULL;
	struct data_look look;
	struct range range;
	struct census c;
	struct diag *g;
	const char *whose;

	if (!t || t->kind != T_TARGET || t->classes || !range_of(loss, &range, &whose) ||
	    !data_look(l, source, t, &look))
		return;
	c = count(&look, &range, false, NULL);
	if (c.outside == 0)
		return;
	if (range.most == INFINITY)
		g = lint_report(l, rule, source->loc, "%s gives nothing below 0, and '%s' in "
		    "\"%s\" goes down to %g", whose, t->name, look.file, c.range.least);
	else
		g = lint_report(l, rule, source->loc, "%s gives %g to %g, and '%s' in \"%s\" goes "
		    "from %g to %g", whose, range.least, range.most, t->name, look.file,
		    c.range.least, c.range.most);
	diag_place(l->diags, g, loss->loc, "the loss is here");
	diag_fact(l->diags, g, "%.3g %% of the first %lld values are out of reach, the first in row "
	    "%lld", 100 * (double)c.outside / (double)c.values, (long long)c.values,
	    (long long)c.first + 1);
	if (range.most == 1 && c.range.least == 0 && c.range.most == WHITE)
		diag_help(l->diags, g, "a mask of %d for yes: divide by that in the file, where "
		    "scale= does not reach, being of inputs", WHITE);
	else if (node_is(loss, "bce_with_logits"))
		diag_help(l->diags, g, "bce_with_logits is for answers of yes and no, 1 and 0; for "
		    "numbers use mse");
	else
		diag_help(l->diags, g, "leave %s out at the end; or bring the targets into its "
		    "range in the file", whose);
}

static void
check_source(const struct rule *rule, struct lint *l, const struct data_source *source)
{
	const struct graph *f = l->module->forward;
	int i;

	if (!reader_has_files(source))
		return;
	for (i = 0; i < f->inputs.n; i++)
		if (f->inputs.v[i]->classes)
			check_classes(rule, l, source, f->inputs.v[i]);
	for (i = 0; i < f->nodes.n; i++)
		if (f->nodes.v[i]->op->kind == OP_LOSS)
			check_numbers(rule, l, source, f->nodes.v[i]);
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct settings *set = &l->module->set;

	if (set->train)
		check_source(rule, l, &set->data);
	if (set->validate)
		check_source(rule, l, &set->validate_data);
}

const struct rule rule_label_range = {
	.id = "SW327",
	.name = "label-range",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "the data files hold targets that the network cannot answer",
	.doc = "Classes are numbered from 0: of K the last is K - 1. A label beyond them stops the "
	    "program when it opens the file; in PyTorch, where nothing looks, it is \"device-side "
	    "assert triggered\", with \"t >= 0 && t < n_classes\", after which the GPU must be "
	    "let go. A target that is a number must lie in what the last layer gives: sigmoid and "
	    "softmax 0 to 1, tanh -1 to 1, relu nothing below 0. Else the loss cannot come near 0, "
	    "and training drives the activation where its slope is 0.\n\n"
	    "The first 64 KiB of each file are read, where the program would look for it: in the "
	    "current folder, then beside the spec. Files that are not there, lie outside the "
	    "project, or are not what their reader expects, are passed over. Number the classes from 0, or declare as many as "
	    "there are; leave the activation out, or scale the targets. Seen in pytorch #1204 and "
	    "Pytorch-UNet #258.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
