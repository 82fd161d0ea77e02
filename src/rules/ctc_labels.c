/*
 * ctc-labels: labels that no way through the steps of a ctc can spell: more of them than there are
 * steps, or the blank among them. Reads the forward graph, and the first part of the data files.
 */
#include "rulekit/data_look.h"
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include "readers/reader.h"

enum { LOGITS, TARGET, LENGTHS, COUNTS, OPERANDS };

struct spelling {
	const struct node *ctc;
	int64_t blank;
	struct data_look labels;
	struct data_look number[OPERANDS];	/* of labels, of steps: where the loss is given these */
	bool known[OPERANDS];
};

struct census {
	int64_t samples, labels;
	int64_t blanks, first_blank;	/* labels that are the blank; the row of the first */
	int64_t short_ones, first_short, needs, has;	/* samples with too few steps; the first of them */
};

/* ---- the files ---- */

/* What the files say of one operand. */
static bool
look_at(const struct lint *l, const struct data_source *source, const struct tensor *t, struct data_look *out)
{
	return t && (t->kind == T_TARGET || t->kind == T_INPUT) && data_look(l, source, t, out);
}

/* False where nothing is known of which labels count. */
static bool
spelling_of(struct lint *l, const struct data_source *source, const struct node *n, struct spelling *s)
{
	int k;

	*s = (struct spelling){ .ctc = n, .blank = op_int(n, "blank") };
	if (!look_at(l, source, n->in[TARGET], &s->labels))
		return false;
	for (k = LENGTHS; k < OPERANDS; k++) {
		s->known[k] = n->in[k] && look_at(l, source, n->in[k], &s->number[k]);
		if (n->in[k] && !s->known[k] && k == LENGTHS)
			return false;
		if (s->known[k] && s->number[k].rows < s->labels.rows)
			s->labels.rows = s->number[k].rows;
	}
	return s->labels.rows > 0;
}

/* The number of a sample, at most so many. */
static int64_t
number_of(const struct spelling *s, int k, int64_t row, int64_t most)
{
	double x = s->known[k] ? data_value(&s->number[k], row, 0) : (double)most;

	return x >= 0 && x < (double)most ? (int64_t)x : most;
}

/* A step for each label, and one for the blank between two that are equal. */
static struct census
count(const struct spelling *s)
{
	struct census c = { 0 };
	int64_t row, i;

	for (row = 0; row < s->labels.rows; row++) {
		int64_t n = number_of(s, LENGTHS, row, s->labels.width), needs = n;
		int64_t has = number_of(s, COUNTS, row, s->ctc->in[LOGITS]->dim[0]);

		for (i = 0; i < n; i++) {
			double label = data_value(&s->labels, row, i);

			if (label == (double)s->blank && c.blanks++ == 0)
				c.first_blank = s->labels.at[row];
			needs += i > 0 && label == data_value(&s->labels, row, i - 1);
		}
		if (needs > has && c.short_ones++ == 0) {
			c.first_short = s->labels.at[row];
			c.needs = needs;
			c.has = has;
		}
		c.labels += n;
		c.samples++;
	}
	return c;
}

/* ---- findings ---- */

static void
report_blanks(const struct rule *rule, struct lint *l, const struct spelling *s, const struct census *c)
{
	const struct tensor *t = s->ctc->in[TARGET];
	struct diag *g = lint_report(l, rule, s->ctc->loc, "%lld is the blank, and \"%s\" has it among the labels of '%s'",
	    (long long)s->blank, s->labels.file, t->name);

	diag_place(l->diags, g, t->loc, "'%s' is declared here", t->name);
	diag_fact(l->diags, g, "of %lld labels in its first part that count %lld are %lld, the first in row %lld",
	    (long long)c->labels, (long long)c->blanks, (long long)s->blank, (long long)c->first_blank + 1);
	if (!s->ctc->in[LENGTHS])
		diag_help(l->diags, g, "if %lld is what short ones are filled up with: say how many labels a sample has, by a target "
		    "class[%lld] behind '%s' in ctc", (long long)s->blank, (long long)t->dim[0] + 1, t->name);
	else if (s->blank == 0)
		diag_help(l->diags, g, "labels from 1 on in the file; or one class more, and blank=%d, the last", t->classes);
	else
		diag_help(l->diags, g, "a class of its own for the blank, that no label has");
}

static void
tell_more_steps(struct lint *l, struct diag *g, const struct node *n)
{
	diag_help(l->diags, g, "more steps: a smaller stride before; or leave such samples out; zero_infinity=%s",
	    op_bool(n, "zero_infinity") ? "true passes over them, so that nothing learns of them" :
	    "true passes over them");
}

static const char *
outcome(const struct node *n)
{
	return op_bool(n, "zero_infinity") ? "takes no part in training" : "has an infinite loss, and its gradient is not a number";
}

static void
report_short(const struct rule *rule, struct lint *l, const struct spelling *s, const struct census *c)
{
	const struct node *n = s->ctc;
	struct diag *g;

	if (op_bool(n, "zero_infinity") && c->short_ones <= c->samples / 2)	/* a few are what that is for */
		return;
	g = lint_report(l, rule, n->loc, "labels in \"%s\" that no way through the steps can spell: such a sample %s",
	    s->labels.file, outcome(n));
	diag_fact(l->diags, g, "of %lld samples in its first part these are %lld, the first in row %lld: its labels need %lld "
	    "steps, and there are %lld", (long long)c->samples, (long long)c->short_ones, (long long)c->first_short + 1,
	    (long long)c->needs, (long long)c->has);
	diag_fact(l->diags, g, "each label needs a step, and two equal ones a blank between them");
	tell_more_steps(l, g, n);
}

/* By the declarations alone. */
static void
check_shapes(const struct rule *rule, struct lint *l, const struct node *n)
{
	int64_t steps = n->in[LOGITS]->dim[0], most = n->in[TARGET]->dim[0];
	struct diag *g;

	if (most <= steps || (n->in[LENGTHS] && op_bool(n, "zero_infinity")))
		return;
	if (n->in[LENGTHS])
		g = lint_report(l, rule, n->loc, "a sample of more than %lld labels %s: there are %lld steps, and '%s' may hold %lld",
		    (long long)steps, outcome(n), (long long)steps, n->in[TARGET]->name, (long long)most);
	else
		g = lint_report(l, rule, n->loc, "%lld labels have no way through %lld steps: each sample %s", (long long)most,
		    (long long)steps, outcome(n));
	diag_place(l->diags, g, n->in[TARGET]->loc, "'%s' is declared here", n->in[TARGET]->name);
	diag_fact(l->diags, g, "the logits are %s; each label needs a step, and two equal ones a blank between them",
	    tensor_shape_text(l->module->arena, n->in[LOGITS]));
	if (n->in[LENGTHS])
		tell_more_steps(l, g, n);
	else
		diag_help(l->diags, g, "more steps: a smaller stride before; or, where fewer labels count, a target class[%lld] behind "
		    "'%s' in ctc, which says how many", (long long)most + 1, n->in[TARGET]->name);
}

/* Of one file at most. */
static bool
check_source(const struct rule *rule, struct lint *l, const struct data_source *source, const struct node *n,
    bool *known)
{
	struct spelling s;
	struct census c;

	if (!reader_has_files(source) || !spelling_of(l, source, n, &s))
		return false;
	*known = true;
	c = count(&s);
	if (c.blanks > 0)
		report_blanks(rule, l, &s, &c);
	if (c.short_ones > 0 && (c.blanks == 0 || n->in[LENGTHS]))	/* else they are filled up, perhaps */
		report_short(rule, l, &s, &c);
	return c.blanks + c.short_ones > 0;
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct settings *set = &l->module->set;
	const struct graph *f = l->module->forward;
	struct place_set reported = { NULL };
	int i;

	for (i = 0; i < f->nodes.n; i++) {
		const struct node *n = f->nodes.v[i];
		bool known = false;

		if (!node_is(n, "ctc") || !place_is_new(&reported, l, rule, n->loc))
			continue;
		if (!(set->train && check_source(rule, l, &set->data, n, &known)) &&
		    !(set->validate && check_source(rule, l, &set->validate_data, n, &known)) && !known)
			check_shapes(rule, l, n);
	}
}

const struct rule rule_ctc_labels = {
	.id = "SW340",
	.name = "ctc-labels",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "labels of ctc that no way through its steps can spell",
	.doc = "ctc sums over all ways in which the steps can spell the labels, each step being one class or the blank. A label needs a "
	    "step, and two equal ones a blank between them: L labels take L to 2 L - 1 steps. With fewer there is no way, the loss "
	    "is infinite and its gradient not a number, and all weights with it after the first step; zero_infinity=true passes "
	    "over such samples, of which then nothing is learned. And the class that is the blank (the first, unless blank= says "
	    "otherwise) is no label: one that has its number is spelt as nothing.\n\n"
	    "Reported where the first 64 KiB of the files hold such labels; with zero_infinity=true, where more than half of the "
	    "samples have too few steps. Where no file can be read, of a target that may hold more labels than there are steps. "
	    "Strides and pooling before take steps away; those of a recognizer of lines are most often its width. Seen in many "
	    "questions on CTC losses that are inf or nan (Graves and others: Connectionist temporal classification, 2006).",
	.check = check,
	.needs = NEEDS_GRAPH,
};
