/*
 * unscaled-input: large numbers straight into a layer with weights: bytes of 0 to 255, the numbers
 * of classes, pictures whose mean and deviation are of another scale, or columns of the data files
 * that are far from 1. Batch normalisation behind that layer divides a scale that all have out
 * again, so then it is right. Walks on from each input through layers that leave its range as it
 * is, or move it.
 */
#include "rulekit/data_look.h"
#include "rulekit/fix_edits.h"
#include "rulekit/edited_spec.h"
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include <math.h>
#include <string.h>

#include "readers/reader.h"

#define LARGE	30	/* the root of a map's mean square, above which it is far from 1, */
#define LARGE_COLUMN	50	/* and of a column's: temperatures and ages are no such numbers */
#define WHITE	255	/* the largest byte */
#define FEWEST	8	/* rows that say something of a column */

struct column {			/* of vectors; of maps all their numbers are one */
	int64_t index;
	double least, most, mean, spread;
};

struct finding {		/* why an input is unscaled */
	const struct tensor *input;
	double white;		/* bytes go up to 255, classes to the last */
	double factor, offset;	/* by which they have been moved since */
	bool normal;		/* by mean= and std=, of which the least and the most of .worst follow */
	bool known;		/* by the files' contents, which follow */
	const char *file;
	int64_t field, rows, large, columns;
	struct column worst, mildest;	/* by the root of the mean square, of those that vary */
};

/* The I-th of so many columns, of equal width. */
static struct column
column_of(const struct data_look *d, int64_t i, int64_t columns, double scale)
{
	struct column c = { .index = i, .least = INFINITY, .most = -INFINITY };
	int64_t row, k, width = d->width / columns;
	double n = (double)d->rows * (double)width, sum = 0, squares = 0;

	for (row = 0; row < d->rows; row++)
		for (k = i * width; k < (i + 1) * width; k++) {
			double x = data_value(d, row, k) * scale;

			sum += x;
			squares += x * x;
			c.least = fmin(c.least, x);
			c.most = fmax(c.most, x);
		}
	c.mean = sum / n;
	c.spread = sqrt(fmax(0, squares / n - c.mean * c.mean));
	return c;
}

static double
size_of(const struct column *c)
{
	return hypot(c->mean, c->spread);
}

/* Fills the finding in by what the columns hold. False: they say nothing. */
static bool
look_at(const struct lint *l, struct finding *f)
{
	const struct data_source *source = &l->module->set.data;
	double scale = f->input->dtype == DT_U8 ? 1 : source->scale;
	struct data_look look;
	int64_t i;

	if (reader_count_of(source, "std") > 0)
		return false;	/* they are normalised as they are read */
	if (!data_look(l, source, f->input, &look) || look.rows < FEWEST)
		return false;
	f->file = look.file;
	f->field = look.field;
	f->rows = look.rows;
	f->columns = f->input->rank > 1 ? 1 : look.width;
	for (i = 0; i < f->columns; i++) {
		struct column c = column_of(&look, i, f->columns, scale);

		f->large += size_of(&c) >= (f->input->rank > 1 ? LARGE : LARGE_COLUMN);
		if (i == 0 || size_of(&c) > size_of(&f->worst))
			f->worst = c;
		if (c.spread > 0 && (f->mildest.spread == 0 || c.spread < f->mildest.spread))
			f->mildest = c;
	}
	f->known = isfinite(size_of(&f->worst));
	return f->known;
}

static bool
file_of_bytes(const struct module *m)
{
	return m->set.data.reader && m->set.data.reader->bytes;
}

/* By its type a map of bytes is a picture; a vector or rows of them may as well be one-hot. */
static bool
holds_bytes(const struct module *m, const struct tensor *input)
{
	if (input->kind != T_INPUT || input->classes)
		return false;
	return (input->dtype == DT_U8 && input->rank >= 3) || (file_of_bytes(m) && reader_count_of(&m->set.data, "std") == 0);
}

#define NARROW	0.1	/* what the whole range of a picture is at least */

/* Are mean= and std= of another scale than the pictures? Of 0 to 1 beside bytes as they are, most
 * often, or of bytes beside scale=1/255. */
static bool
is_normalised_wrongly(const struct module *m, struct finding *f)
{
	const struct data_source *d = &m->set.data;
	int n = reader_count_of(d, "std"), means = reader_count_of(d, "mean"), i;
	double widest = 0;

	if (n == 0 || !file_of_bytes(m) || f->input->dtype == DT_U8 || f->input->rank != 3)
		return false;
	for (i = 0; i < n || i < means; i++) {
		double mean = reader_real_at(d, "mean", i, 0), std = reader_real_at(d, "std", i, 1);
		double least = -mean / std, most = (WHITE * d->scale - mean) / std;

		f->worst.least = i == 0 ? least : fmin(least, f->worst.least);
		f->worst.most = i == 0 ? most : fmax(most, f->worst.most);
		widest = fmax(widest, most - least);
	}
	f->normal = fmax(fabs(f->worst.least), fabs(f->worst.most)) >= LARGE || widest < NARROW;
	return f->normal;
}

static bool
keeps_range(const struct node *n)
{
	static const char *const name[] = { "cast", "flatten", "reshape", "pad", "crop", "maxpool",
		"avgpool", "upsample", "dropout", "relu", "slice", "concat", NULL };
	int i;

	for (i = 0; name[i] && !node_is(n, name[i]); i++)
		;
	return name[i] != NULL;
}

/* Is the input unscaled? By its files, where they can be read, else by its type. */
static struct finding *
find(const struct lint *l, const struct tensor *input)
{
	const struct module *m = l->module;
	struct finding *f = ARENA_NEW(m->arena, struct finding);

	f->input = input;
	f->factor = 1;
	f->white = input->classes ? input->classes - 1 : WHITE;
	if (input->kind != T_INPUT)
		return NULL;
	if (input->classes)
		return f->white >= LARGE * sqrt(3) ? f : NULL;	/* the root of their mean square, if all are alike */
	if (look_at(l, f))
		return f->large > 0 ? f : NULL;
	if (input->dtype != DT_U8 && file_of_bytes(m)) {
		f->factor = m->set.data.scale;
		f->offset = 0 - reader_real_at(&m->set.data, "mean", 0, 0);
	}
	return holds_bytes(m, input) || is_normalised_wrongly(m, f) ? f : NULL;
}

/* The largest that bytes are, as they have been moved. */
static double
largest_byte(const struct finding *f)
{
	return fmax(fabs(f->offset), fabs(f->white * f->factor + f->offset));
}

static bool
is_moved(const struct finding *f)
{
	return f->factor != 1 || f->offset != 0;
}

/* What a factor and an offset make of bytes; NULL: they are of a usual size, or not known. */
static struct finding *
moved(const struct lint *l, const struct node *n, const struct finding *from)
{
	struct finding *f;

	if (from->known || from->normal)
		return NULL;	/* whose columns differ */
	f = ARENA_NEW(l->module->arena, struct finding);
	*f = *from;
	f->factor = from->factor * op_real(n, "factor");
	f->offset = from->offset * op_real(n, "factor") + op_real(n, "offset");
	return f;
}

#define SMALL	0.02	/* the span of bytes that were divided by 255, and once more by 20 or more */

/* Were bytes scaled twice? */
static bool
is_tiny(const struct finding *f)
{
	return !f->known && !f->normal && !f->input->classes && fabs(f->factor) * f->white < SMALL;
}

/* Is it to be told of, where a layer with weights reads it? */
static bool
is_off(const struct finding *f)
{
	return f->known || f->normal || is_tiny(f) || (fabs(f->factor) * f->white >= LARGE && largest_byte(f) >= LARGE);
}

/* Are its weights trained, and started for numbers of about 1? AlexNet's are not, beside bytes less
 * their mean. */
static bool
starts_as_usual(const struct node *n)
{
	const struct tensor *w = n->in[1];
	struct init init = w ? tensor_init(w) : (struct init){ INIT_ZEROS, 0 };
	double inputs = w && w->dim[0] ? (double)tensor_elements_per_sample(w) / (double)w->dim[0] : 1;

	return w && w->kind == T_PARAM && !w->frozen && init.kind == INIT_UNIFORM && init.value * init.value * inputs > 0.5;
}

static void
tell_bytes(struct lint *l, struct diag *g, const struct finding *f)
{
	const struct module *m = l->module;
	const struct tensor *from = f->input;
	bool file = file_of_bytes(m) && !from->classes;

	diag_place(l->diags, g, file ? m->set.data.loc : from->loc, !file ? "the input is here" :
	    m->set.data.scale == 1 ? "the data come without scale=" : "the data are here");
	diag_fact(l->diags, g, "its weights start for numbers of about 1: its outputs, and its "
	    "gradient, are %s %g times as large", is_tiny(f) ? "at most" : "up to", largest_byte(f));
	if (is_tiny(f))
		diag_help(l->diags, g, "once is enough: scale=1/255 in data, or %s -> scale(1/255)", from->name);
	else if (from->classes)
		diag_help(l->diags, g, "%s -> embedding(%d, ...) gives each a vector of its own: their numbers say nothing", from->name,
		    from->classes);
	else if (is_moved(f) && !(file && f->factor == m->set.data.scale))
		diag_help(l->diags, g, "divide them by %g, too", largest_byte(f));
	else
		diag_help(l->diags, g, from->dtype == DT_U8 ? "%s -> scale(1/255) -> ..." :
	    "scale=1/255 in data, of train and validate; or %s -> scale(1/255) -> ...", from->name);
}

static void
tell_normal(struct lint *l, struct diag *g)
{
	const struct data_source *d = &l->module->set.data;
	double mean = reader_real_at(d, "mean", 0, 0), std = reader_real_at(d, "std", 0, 1);

	diag_place(l->diags, g, d->loc, "the data are here");
	diag_fact(l->diags, g, "a picture's bytes go from 0 to 255, times %.4g: (0 - %.4g) / %.4g = %.4g, and (%.4g - %.4g) / %.4g = %.4g",
	    d->scale, mean, std, -mean / std, WHITE * d->scale, mean, std, (WHITE * d->scale - mean) / std);
	diag_help(l->diags, g, d->scale == 1 ? "scale=1/255 in data, of train and validate: mean and std are of numbers of 0 to 1" :
	    "mean and std of the numbers that scale makes; those of bytes go without scale=");
}

static void
tell_column(struct lint *l, struct diag *g, const struct finding *f, const struct column *c)
{
	const char *what = f->input->rank > 1 ? "" : arena_printf(l->module->arena,
	    "column %lld of ", (long long)(f->field + c->index + 1));

	diag_fact(l->diags, g, "%s\"%s\" goes from %.4g to %.4g: mean %.4g, standard deviation "
	    "%.4g", what, f->file, c->least, c->most, c->mean, c->spread);
}

/* Do the columns have much the same range, so that one factor serves them all? */
static bool
is_even(const struct finding *f)
{
	return f->columns == 1 || (f->mildest.spread > 0 &&
	    size_of(&f->worst) < LARGE * f->mildest.spread);
}

/* A whole number that no value exceeds: that of bytes, where it may be. */
static double
largest(const struct finding *f)
{
	double most = fmax(fabs(f->worst.most), fabs(f->worst.least));

	return f->worst.least >= 0 && most > WHITE / 2 && most <= WHITE ? WHITE : ceil(most);
}

static void
tell_columns(struct lint *l, struct diag *g, const struct finding *f)
{
	const struct module *m = l->module;

	diag_place(l->diags, g, m->set.data.loc, "the data are here");
	tell_column(l, g, f, &f->worst);
	if (f->columns > 1 && f->mildest.index != f->worst.index)
		tell_column(l, g, f, &f->mildest);
	if (f->columns > 1)
		diag_fact(l->diags, g, "%lld of %lld columns are larger than %d in the first %lld "
		    "rows; weights start for numbers of about 1", (long long)f->large,
		    (long long)f->columns, LARGE_COLUMN, (long long)f->rows);
	else
		diag_fact(l->diags, g, "that is in the first %lld rows; weights start for numbers "
		    "of about 1", (long long)f->rows);
	if (is_even(f))
		diag_help(l->diags, g, "scale=1/%.0f in data, of train and validate; or %s -> "
		    "scale(1/%.0f) -> ...", largest(f), f->input->name, largest(f));
	else
		diag_help(l->diags, g, "take each column's mean off and divide by its deviation, in "
		    "the file; or %s -> batchnorm -> ..., which learns both", f->input->name);
}

/* Puts batch normalisation before a layer of the network's body that reads columns as they are. */
static void
fix(struct lint *l, struct diag *g, const struct node *n, const struct finding *f)
{
	struct cut_place p;
	struct amend m;

	if (n->in[0] == f->input && f->input->rank == 1 && !is_even(f) && fix_amend(l, &m) &&
	    cut_find(&p, m.arena, l->file, n->loc) && !p.block &&
	    edited_before(l, &m, n->loc, "batchnorm"))
		fix_amended(l, g, false, &m, "normalise the columns before it");
}

static void
report(const struct rule *rule, struct lint *l, const struct node *n, const struct finding *f)
{
	struct diag *g;

	if (f->normal) {
		g = lint_report(l, rule, n->loc, "'%s' reads '%s' as numbers of %.4g to %.4g: mean and std are of another scale",
		    n->path, f->input->name, f->worst.least, f->worst.most);
		tell_normal(l, g);
		return;
	}
	if (!f->known) {
		g = lint_report(l, rule, n->loc, "'%s' reads '%s' as %s %.4g to %.4g: %s", n->path, f->input->name, is_moved(f) || f->input->classes ? "numbers of" : "bytes of",
		    f->factor < 0 ? f->white * f->factor + f->offset : f->offset,
		    f->factor < 0 ? f->offset : f->white * f->factor + f->offset,
		    is_tiny(f) ? "they are scaled twice" : "nothing scales them");
		tell_bytes(l, g, f);
		return;
	}
	g = lint_report(l, rule, n->loc, "'%s' reads '%s' as it is in the file, with numbers of "
	    "%.4g: nothing scales them", n->path, f->input->name,
	    fmax(fabs(f->worst.most), fabs(f->worst.least)));
	tell_columns(l, g, f);
	fix(l, g, n, f);
}

/* Is what it makes of one scale, whatever that of its input? */
static bool
normalises(const struct node *n)
{
	return node_is(n, "batchnorm") || node_is(n, "layernorm") || node_is(n, "rmsnorm") ||
	    node_is(n, "groupnorm") || node_is(n, "instancenorm") || node_is(n, "l2norm");
}

#define LOOKS	1000	/* at who reads something: a bound, far above what occurs */

/* Does batch normalisation alone read it, of each channel by itself, perhaps past concatenations,
 * as of DenseNet's first maps? */
static bool
is_normalised(const struct graph *g, const struct tensor *t, int *looks)
{
	bool read = false;
	int i, k;

	for (i = 0; i < g->nodes.n && *looks > 0; i++) {
		const struct node *n = g->nodes.v[i];

		for (k = 0; k < n->nin; k++) {
			if (n->in[k] != t)
				continue;
			--*looks;
			read = true;
			if (!node_is(n, "batchnorm") &&
			    !(node_is(n, "concat") && is_normalised(g, n->out[0], looks)))
				return false;
		}
	}
	return read && *looks > 0;
}

/* What is known of the input of a node, and of a concatenation of the first that anything is known
 * of. */
static struct finding *
read_by(const struct node *n, struct finding *const *from)
{
	struct finding *in = NULL;
	int i;

	for (i = 0; i < n->nin && !in && (i == 0 || node_is(n, "concat")); i++)
		in = n->in[i] ? from[n->in[i]->id] : NULL;
	return in;
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	const struct graph *f = m->forward;
	struct finding **from = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*from));
	struct tensor_readers r = readers_of(l);
	struct place_set reported = { NULL };
	int looks = LOOKS, i;

	for (i = 0; m->set.train && i < f->inputs.n; i++)
		from[f->inputs.v[i]->id] = find(l, f->inputs.v[i]);
	for (i = 0; m->set.train && i < f->nodes.n; i++) {
		const struct node *n = f->nodes.v[i];
		struct finding *in = read_by(n, from);

		if (!in)
			continue;
		if (keeps_range(n) && n->out[0])
			from[n->out[0]->id] = in;
		else if (node_is(n, "scale"))
			from[n->out[0]->id] = moved(l, n, in);
		else if (node_has_weights(n) && is_off(in) && (!is_moved(in) || starts_as_usual(n)) && !normalises(only_reader(&r, n)) &&
		    !is_normalised(f, n->out[0], &looks) && place_is_new(&reported, l, rule, n->loc))
			report(rule, l, n, in);
	}
}

const struct rule rule_unscaled_input = {
	.id = "SW314",
	.name = "unscaled-input",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "bytes, or columns far from 1, go into a layer with weights as they are",
	.doc = "Weights start so that numbers of about 1 stay about 1. Pixels of 0 to 255 come out "
	    "up to 255 times as large, and gradients of the first layer with them: training "
	    "diverges at a usual learning rate, or crawls at one that does not. That inputs be "
	    "centred and of like variance is section 4.3 of Efficient backprop (LeCun and others, "
	    "1998).\n\n"
	    "Reported where a layer with weights is the first to read them. Of data files the first "
	    "64 KiB are read, where they are there: a column of vectors counts whose root mean square, sqrt(mean^2 + deviation^2), is 50 or more, or a map as a "
	    "whole of 30, so that "
	    "years and prices do beside shares. "
	    "Classes and tokens, of 53 or more, that are read as numbers. Otherwise u8 inputs of three or more extents, for vectors of bytes may be one-hot, and IDX "
	    "files without scale=, whose usual contents are bytes. "
	    "And pictures of which mean= and std= make numbers of 30 and more, as ImageNet's of 0 to 1 do of bytes, or numbers that all but "
	    "agree, as those of bytes do beside scale=1/255. "
	    "Bytes that are divided by 255 twice, in the data and in the network, are told of, too. What adds to bytes and does not divide them, as x - 127.5, makes none of them smaller, and is told of where the "
	    "layer's weights start as usual: AlexNet's, which reads bytes less their mean, start smaller. "
	    "A normalisation right behind that layer, batchnorm behind all concatenations of it, or a scale, batchnorm or arithmetic "
	    "before it, makes it good. The fix, which is unsafe, puts batchnorm before the layer, "
	    "where columns differ.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
