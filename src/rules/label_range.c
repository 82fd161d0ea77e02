/*
 * label-range: targets in the data files that a network cannot answer: class numbers beyond the
 * classes, and numbers beyond what the last activation gives or the loss is for. Reads the first
 * part of the files.
 */
#include "rulekit/data_look.h"
#include "rulekit/graph_query.h"

#include <math.h>

#include "ir/op.h"
#include "ops/labels.h"
#include "readers/reader.h"

#define NEARLY	1e-6	/* of the range's ends: rounding */
#define WHITE	255	/* of pictures */
#define FEW	20	/* times as many values lie within bounds as beyond */

struct range {
	double least, most;
};

struct census {			/* of the values that were looked at */
	struct range range, beyond;	/* of all, and of those that are outside */
	int64_t values, outside, fractions, ends;	/* at one end of the range: counted where that is of bytes */
	int64_t first;		/* row of the file, from 0, of the first that is outside */
};

static struct census
count(const struct data_look *d, const struct range *legal, bool whole, const int64_t *ignored)
{
	struct census c = { .range = { INFINITY, -INFINITY }, .beyond = { INFINITY, -INFINITY }, .first = -1 };
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
			c.ends += x == 0 || x == WHITE;
			if (x >= legal->least - NEARLY && x <= legal->most + NEARLY && !fraction)
				continue;
			c.outside++;
			c.beyond.least = fmin(c.beyond.least, x);
			c.beyond.most = fmax(c.beyond.most, x);
			c.first = c.first < 0 ? d->at[row] : c.first;
		}
	return c;
}

/* ---- classes ---- */

/* Of a table: do the labels stand in its first column, before the inputs? If ALL, each class there
 * is, too. */
static bool
are_first(const struct data_source *source, const struct data_look *d, const struct range *legal, bool all)
{
	uint64_t seen = 0;
	int64_t row;

	if (all && legal->most > 62)
		return false;
	if (d->field == 0 || d->width > 1 || !reader_has(source->reader, "label_first") || reader_flag(source, "label_first"))
		return false;
	for (row = 0; row < d->rows; row++) {
		double x = d->first[d->at[row] * d->stride - d->field];

		if (x < legal->least || x > legal->most || x != floor(x))
			return false;
		seen |= all ? (uint64_t)1 << (int)x : 0;
	}
	return !all || seen + 1 == (uint64_t)1 << ((int)legal->most + 1);
}

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
	if (c.fractions > 0 && are_first(source, &look, &legal, false))
		diag_help(l->diags, g, "column 1 holds such labels: label_first=true has targets before inputs");
	else if (c.fractions > 0)
		diag_help(l->diags, g, "a %s is a whole number; for numbers of any kind declare "
		    "f32[...]%s", t->tokens ? "token" : "class",
		    t->kind == T_TARGET ? " and use mse" : "");
	else if (t->tokens)
		diag_help(l->diags, g, "vocab=%g, if the tokens are right; the program stops at them",
		    c.range.most + 1);
	else if (c.range.least == 1 && c.range.most == t->classes)
		diag_help(l->diags, g, "they begin at 1: take 1 off in the file; or %d classes, of "
		    "which the first never comes", t->classes + 1);
	else if (t->kind == T_TARGET && c.beyond.least == WHITE && c.beyond.most == WHITE)
		diag_help(l->diags, g, "if %d marks what is not to count, as borders: ignore=%d in the loss, and in metrics", WHITE,
		    WHITE);
	else if (c.range.least < 0)
		diag_help(l->diags, g, "classes are numbered from 0: number them so in the file%s",
		    t->kind == T_TARGET ? "; or, where a label below 0 is to count for nothing, say so "
		    "in the loss by ignore=" : "");
	else if (t->kind == T_TARGET && are_first(source, &look, &legal, true))
		diag_help(l->diags, g, "column 1 holds just 0 to %d: label_first=true, if those are the labels; else %g classes",
		    t->classes - 1, c.range.most + 1);
	else
		diag_help(l->diags, g, "%g classes, if the labels are right; the program stops at "
		    "them", c.range.most + 1);
}

/* ---- numbers ---- */

/* What an answer can be, and how a message begins that says so. */
struct reach {
	struct range range;
	const char *opening;
	const char *last;	/* the activation that makes it so, or NULL: the loss does */
	bool chosen;		/* the spec says the bounds, which a few may be meant to lie beyond */
};

/* Losses whose targets have a range whatever the last layer is. */
static const struct {
	const char *loss, *opening;
	double most;
} losses[] = {
	{ "bce_with_logits", "a sigmoid, which bce_with_logits applies, gives", 1 },
	{ "focal", "a sigmoid, which focal applies, gives", 1 },
	{ "bce", "bce compares probabilities,", 1 },
	{ "kl_div", "kl_div compares probabilities,", 1 },
	{ "poisson_nll", "poisson_nll is for counts,", INFINITY },
};

/* Losses that are least where answer and target are the same. */
static const char *const distances[] = { "mse", "l1", "smooth_l1", "huber", "quantile" };

static const struct {
	const char *activation, *opening;
	struct range range;
} activations[] = {
	{ "sigmoid", "sigmoid gives", { 0, 1 } },
	{ "softmax", "softmax gives", { 0, 1 } },
	{ "tanh", "tanh gives", { -1, 1 } },
	{ "hardsigmoid", "hardsigmoid gives", { 0, 1 } },
	{ "relu", "relu gives", { 0, INFINITY } },
	{ "softplus", "softplus gives", { 0, INFINITY } },
	{ "exp", "exp gives", { 0, INFINITY } },
	{ "abs", "abs gives", { 0, INFINITY } },
	{ "relu6", "relu6 gives", { 0, 6 } },
	{ "elu", "elu gives", { -1, INFINITY } },	/* times its alpha */
	{ "selu", "selu gives", { -1.7581, INFINITY } },
	{ "gelu", "gelu gives", { -0.17005, INFINITY } },
	{ "silu", "silu gives", { -0.27847, INFINITY } },
	{ "mish", "mish gives", { -0.30884, INFINITY } },
	{ "hardtanh", "hardtanh gives", { 0, 0 } },	/* as its arguments say */
	{ "clamp", "clamp gives", { 0, 0 } },
};

#define COUNT(table)	(sizeof(table) / sizeof(*(table)))

static bool
is_distance(const struct node *loss)
{
	size_t i;

	for (i = 0; i < COUNT(distances); i++)
		if (node_is(loss, distances[i]))
			return true;
	return false;
}

/* False where an answer can be any number. */
static bool
reach_of(const struct node *loss, struct reach *reach)
{
	const struct node *last = tensor_maker(loss->in[0]);
	size_t i;

	for (i = 0; i < COUNT(losses); i++)
		if (node_is(loss, losses[i].loss)) {
			*reach = (struct reach){ { 0, losses[i].most }, losses[i].opening, NULL, false };
			return true;
		}
	for (i = 0; is_distance(loss) && i < COUNT(activations); i++)
		if (node_is(last, activations[i].activation)) {
			*reach = (struct reach){ activations[i].range, activations[i].opening,
				activations[i].activation, activations[i].range.most == 0 };
			if (node_is(last, "elu"))
				reach->range.least = -fabs(op_real(last, "alpha"));
			if (reach->chosen)
				reach->range = (struct range){ op_real(last, "least"), op_real(last, "most") };
			return true;
		}
	return false;
}

/* Are they bytes as of photographs, of which most lie between? */
static bool
are_shades(const struct census *c)
{
	return c->range.least >= 0 && c->range.most > WHITE / 2 && c->range.most <= WHITE && c->ends < c->values / 2;
}

static void
advise(struct lint *l, struct diag *g, const struct node *loss, const struct reach *reach,
    const struct census *c)
{
	const struct tensor *t = loss->in[1];

	if (reach->range.most == 1 && t->rank >= 3 && are_shades(c))
		diag_help(l->diags, g, reach->range.least < 0 ? "bytes of pictures: compare with (%s - 127.5) / 127.5; scale= does not "
		    "reach them, being of inputs" : "bytes of pictures: compare with %s / 255; scale= does not reach them, being of inputs",
		    t->name);
	else if (reach->range.most == 1 && c->range.least == 0 && c->range.most == WHITE)
		diag_help(l->diags, g, "a mask of %d for yes: divide by that in the file, where "
		    "scale= does not reach, being of inputs", WHITE);
	else if (reach->last)
		diag_help(l->diags, g, "leave %s out at the end; or bring the targets into its "
		    "range in the file", reach->last);
	else if (reach->range.most == INFINITY)
		diag_help(l->diags, g, "for numbers of any sign use mse");
	else if (node_is(loss, "kl_div"))
		diag_help(l->diags, g, "targets are shares of 1; for numbers of any size use mse");
	else if (c->range.least == -1 && c->range.most == 1)
		diag_help(l->diags, g, "%s is for answers of yes and no, 1 and 0: write 0 for -1 in the "
		    "file, or use soft_margin, whose targets are -1 and 1", loss->op->name);
	else
		diag_help(l->diags, g, "%s is for answers of yes and no, 1 and 0; for numbers use "
		    "mse", loss->op->name);
}

static void
check_numbers(const struct rule *rule, struct lint *l, const struct data_source *source,
    const struct node *loss)
{
	const struct tensor *t = loss->in[1];
	struct data_look look;
	struct reach reach;
	struct census c;
	struct diag *g;

	if (!reach_of(loss, &reach) || !data_look(l, source, t, &look))
		return;
	c = count(&look, &reach.range, false, NULL);
	if (c.outside == 0 || (reach.chosen && c.outside < c.values / FEW))
		return;
	if (reach.range.most == INFINITY)
		g = lint_report(l, rule, source->loc, "%s nothing below %.2g, and '%s' in \"%s\" goes "
		    "down to %g", reach.opening, reach.range.least, t->name, look.file, c.range.least);
	else
		g = lint_report(l, rule, source->loc, "%s %g to %g, and '%s' in \"%s\" goes from %g "
		    "to %g", reach.opening, reach.range.least, reach.range.most, t->name, look.file,
		    c.range.least, c.range.most);
	diag_place(l->diags, g, loss->loc, "the loss is here");
	diag_fact(l->diags, g, "%.3g %% of the first %lld values are out of reach, the first in row "
	    "%lld", 100 * (double)c.outside / (double)c.values, (long long)c.values,
	    (long long)c.first + 1);
	advise(l, g, loss, &reach, &c);
}

/* ---- far from 0 ---- */

#define FAR		10000	/* the root of the mean square of targets that no layer with usual weights answers soon */
#define FEWEST_ROWS	8

static double
size_of(const struct data_look *d)
{
	double squares = 0;
	int64_t row, i;

	for (row = 0; row < d->rows; row++)
		for (i = 0; i < d->width; i++)
			squares += data_value(d, row, i) * data_value(d, row, i);
	return sqrt(squares / ((double)d->rows * (double)d->width));
}

/* Targets far from 0, answered by a layer whose weights start for about 1. A single layer may be a
 * linear regression. */
static void
check_far(const struct rule *rule, struct lint *l, const struct data_source *source, const struct node *loss)
{
	const struct tensor *t = loss->in[1];
	const struct range all = { -INFINITY, INFINITY };
	struct data_look look;
	struct census c;
	struct diag *g;
	double size;

	if (!is_distance(loss) || !node_has_weights(tensor_maker(loss->in[0])) || trained_layers(l->module) < 2 ||
	    !data_look(l, source, t, &look) || look.rows < FEWEST_ROWS || !((size = size_of(&look)) >= FAR))
		return;
	c = count(&look, &all, false, NULL);
	g = lint_report(l, rule, source->loc, "'%s' in \"%s\" goes from %g to %g, and what is to answer it starts near 0", t->name,
	    look.file, c.range.least, c.range.most);
	diag_place(l->diags, g, loss->loc, "the loss is here");
	diag_fact(l->diags, g, "the root of their mean square is %.3g: the first errors, and with mse the gradients, are as large", size);
	diag_help(l->diags, g, "bring the targets to about 1 in the file, or the answers to their size: %.0e * ...",
	    pow(10, floor(log10(size))));
}

/* ---- bytes ---- */

/* An input that is bytes of pictures as they are, in whatever type; NULL: it is another thing. */
static const struct tensor *
bytes_of(const struct module *m, const struct tensor *t)
{
	const struct data_source *d = &m->set.data;

	while (node_is(t->def, "cast"))
		t = t->def->in[0];
	if (t->kind != T_INPUT || t->classes || t->rank < 3)
		return NULL;
	if (t->dtype == DT_U8)
		return t;
	return d->reader && d->reader->bytes && d->scale == 1 && reader_count_of(d, "std") == 0 &&
	    reader_count_of(d, "mean") == 0 ? t : NULL;
}

/* What bytes of an input are compared with: an autoencoder that scales what it reads and not what
 * it is to give. */
static void
check_bytes(const struct rule *rule, struct lint *l, const struct node *loss)
{
	const struct tensor *x;
	struct reach reach;
	struct diag *g;

	if (loss->op->kind != OP_LOSS || loss->nin < 2 || !loss->in[1] || !(x = bytes_of(l->module, loss->in[1])) ||
	    !reach_of(loss, &reach) || reach.range.most != 1)
		return;
	g = lint_report(l, rule, loss->loc, "%s %g to %g, and '%s' holds bytes, 0 to %d", reach.opening, reach.range.least,
	    reach.range.most, x->name, WHITE);
	diag_place(l->diags, g, x->loc, "'%s' is declared here", x->name);
	diag_help(l->diags, g, reach.range.least < 0 ? "compare with (%s - 127.5) / 127.5" : "compare with %s -> scale(1/255)", x->name);
}

/* ---- several at once ---- */

/* Shares of 1 that softmax gives, of which a sample wants several to be all of it. */
static void
check_several(const struct rule *rule, struct lint *l, const struct data_source *source, const struct node *loss)
{
	const struct tensor *t = loss->in[1];
	int64_t row, i, several = 0, first = -1;
	struct data_look look;
	struct diag *g;

	if ((!node_is(loss, "bce") && !is_distance(loss)) || !node_is(tensor_maker(loss->in[0]), "softmax") || t->rank != 1 ||
	    !data_look(l, source, t, &look))
		return;
	for (row = 0; row < look.rows; row++) {
		int64_t ones = 0;

		for (i = 0; i < look.width; i++) {
			double x = data_value(&look, row, i);

			if (x != 0 && x != 1)
				return;
			ones += x == 1;
		}
		several += ones > 1;
		first = ones > 1 && first < 0 ? look.at[row] : first;
	}
	if (several == 0)
		return;
	g = lint_report(l, rule, source->loc, "softmax gives shares that add up to 1, and a sample of '%s' in \"%s\" has several ones",
	    t->name, look.file);
	diag_place(l->diags, g, loss->loc, "the loss is here");
	diag_fact(l->diags, g, "of the first %lld samples %lld have more than one, the first in row %lld; softmax can give each of "
	    "two 0.5 at best", (long long)look.rows, (long long)several, (long long)first + 1);
	diag_help(l->diags, g, "leave softmax out, and use bce_with_logits: a yes or no for each");
}

/* ---- sides ---- */

/* Losses of targets of -1 and 1, given 0 and 1. Numbers between may be meant, as weights. */
static void
check_sides(const struct rule *rule, struct lint *l, const struct data_source *source,
    const struct node *loss)
{
	const struct tensor *t = loss->in[1];
	int64_t row, i, zeros = 0, ones = 0;
	struct data_look look;
	struct diag *g;

	if ((!node_is(loss, "hinge") && !node_is(loss, "soft_margin")) || !data_look(l, source, t, &look))
		return;
	for (row = 0; row < look.rows; row++)
		for (i = 0; i < look.width; i++) {
			zeros += data_value(&look, row, i) == 0;
			ones += data_value(&look, row, i) == 1;
		}
	if (zeros == 0 || zeros + ones < look.rows * look.width)
		return;
	g = lint_report(l, rule, source->loc, "%s is for targets of -1 and 1, and '%s' in \"%s\" has 0 "
	    "and 1", loss->op->name, t->name, look.file);
	diag_place(l->diags, g, loss->loc, "the loss is here");
	diag_fact(l->diags, g, "where a target is 0, of the first %lld values in %lld, the loss is the "
	    "same whatever the answer, and has no gradient", (long long)(zeros + ones),
	    (long long)zeros);
	diag_help(l->diags, g, "write -1 for 0 in the file; or use bce_with_logits, whose targets are 0 "
	    "and 1");
}

/* Is it a loss whose target is read from the data, as numbers? */
static bool
has_numbers(const struct node *n)
{
	return n->op->kind == OP_LOSS && n->nin > 1 && n->in[1] && n->in[1]->kind == T_TARGET &&
	    !n->in[1]->classes;
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
		if (has_numbers(f->nodes.v[i])) {
			check_numbers(rule, l, source, f->nodes.v[i]);
			check_sides(rule, l, source, f->nodes.v[i]);
			check_several(rule, l, source, f->nodes.v[i]);
			if (source == &l->module->set.data)
				check_far(rule, l, source, f->nodes.v[i]);
		}
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct settings *set = &l->module->set;
	int i;

	if (set->train)
		check_source(rule, l, &set->data);
	for (i = 0; set->train && i < l->module->forward->nodes.n; i++)
		check_bytes(rule, l, l->module->forward->nodes.v[i]);
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
	    "softmax 0 to 1, tanh -1 to 1, relu, softplus, exp and abs nothing below 0, elu, selu, gelu, silu and mish nothing far below. Else the loss cannot come near 0, "
	    "and training drives the activation where its slope is 0. What softmax gives adds up to 1, so a sample has a single 1. Targets of bce, "
	    "bce_with_logits, focal and kl_div are probabilities, those of poisson_nll counts; and "
	    "those of hinge and soft_margin are -1 and 1: one of 0 trains nothing.\n\n"
	    "Reported, too, of targets whose mean square has a root of 10,000 or more, as prices, that a layer with weights answers straight; and where an input's bytes are compared with what lies between 0 and 1, as of an autoencoder that scales "
	    "what it reads and not what it is to give. The first 64 KiB of each file are read, where the program would look for it: in the "
	    "current folder, then beside the spec. Files that are not there, lie outside the "
	    "project, or are not what their reader expects, are passed over. Number the classes from 0, or declare as many as "
	    "there are; leave the activation out, or scale the targets. Seen in pytorch #1204 and "
	    "Pytorch-UNet #258.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
