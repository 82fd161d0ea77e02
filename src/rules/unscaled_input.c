/*
 * unscaled-input: large numbers straight into a layer with weights: bytes of 0 to 255, the numbers
 * of classes, pictures whose mean and deviation are of another scale, or columns of the data files
 * that are far from 1. Batch normalisation behind that layer divides a scale that all have out
 * again, so then it is right. Walks on from each input through layers that leave its range as it
 * is, or move it.
 */
#include "rulekit/fix_edits.h"
#include "rulekit/edited_spec.h"
#include "rulekit/graph_query.h"
#include "rulekit/input_columns.h"
#include "rulekit/place_set.h"

#include <math.h>
#include <string.h>

#include "readers/reader.h"

#define LARGE	30	/* the root of a map's mean square, above which it is far from 1, */
#define LARGE_COLUMN	50	/* and of a column's: temperatures and ages are no such numbers */
#define WHITE	255	/* the largest byte */

struct finding {		/* why an input is unscaled, by its type and what the spec says of it */
	const struct tensor *input;
	double white;		/* bytes go up to 255, classes to the last */
	double factor, offset;	/* by which they have been moved since */
	bool normal;		/* by mean= and std=, of which the least and the most follow */
	double least, most;
};

struct reading {		/* what a layer reads of data files that are there */
	struct input_column *column;
	int n, large, inputs;	/* columns; those far from 1, and of how many inputs these are */
	const struct input_column *worst, *mildest;	/* by the root of the mean square; by the deviation, of those that vary */
	const struct input_column *tiny;	/* one that was scaled twice, or NULL */
};

static bool
file_of_bytes(const struct module *m)
{
	return m->set.data.reader && m->set.data.reader->bytes;
}

/* By its type a map of bytes is a picture, where it has the channels of one: a vector or rows of
 * bytes, or the planes of a board, may as well be 0 and 1. */
static bool
is_picture(const struct tensor *t)
{
	int64_t first = t->dim[0], last = t->rank > 0 ? t->dim[t->rank - 1] : 0, second = t->rank > 3 ? t->dim[1] : 0;

	return t->dtype == DT_U8 && t->rank >= 3 && (first == 1 || first == 3 || first == 4 || last == 3 || last == 4 ||
	    second == 1 || second == 3 || second == 4);
}

static bool
holds_bytes(const struct module *m, const struct tensor *input)
{
	if (input->kind != T_INPUT || input->classes)
		return false;
	return is_picture(input) || (file_of_bytes(m) && reader_count_of(&m->set.data, "std") == 0);
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

		f->least = i == 0 ? least : fmin(least, f->least);
		f->most = i == 0 ? most : fmax(most, f->most);
		widest = fmax(widest, most - least);
	}
	f->normal = fmax(fabs(f->least), fabs(f->most)) >= LARGE || widest < NARROW;
	return f->normal;
}

/* Is the input unscaled by its type, of files that cannot be read? */
static struct finding *
find(struct input_looks *k, const struct tensor *input)
{
	const struct lint *l = k->l;
	const struct module *m = l->module;
	struct finding *f = ARENA_NEW(m->arena, struct finding);

	f->input = input;
	f->factor = 1;
	f->white = input->classes ? input->classes - 1 : WHITE;
	if (input->kind != T_INPUT)
		return NULL;
	if (input->classes)
		return f->white >= LARGE * sqrt(3) ? f : NULL;	/* the root of their mean square, if all are alike */
	if (reader_count_of(&m->set.data, "std") == 0 && input_look(k, input))
		return NULL;	/* they say themselves what they are */
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

#define SMALL	0.02	/* the span of bytes that were divided by 255, and once more by 20 or more */

/* Were bytes scaled twice? */
static bool
is_tiny(const struct finding *f)
{
	return !f->normal && !f->input->classes && fabs(f->factor) * f->white < SMALL;
}

/* Is it to be told of, where a layer with weights reads it? */
static bool
is_off(const struct finding *f)
{
	return f->normal || is_tiny(f) || (fabs(f->factor) * f->white >= LARGE && largest_byte(f) >= LARGE);
}

/* The first among the numbers that a layer reads that is off by its type, as it has been moved;
 * false: there is none. */
static bool
find_off(const struct input_numbers *held, struct finding *const *from, struct finding *f)
{
	const struct input_number *was = NULL, *x;
	int64_t i;

	for (i = 0; i < held->n; i++, was = x) {
		x = &held->v[i];
		if (!x->of || !from[x->of->id] || (was && was->of == x->of && was->factor == x->factor && was->offset == x->offset))
			continue;
		*f = *from[x->of->id];
		if (f->normal && (x->factor != 1 || x->offset != 0))
			continue;	/* of another scale again */
		f->factor *= x->factor;
		f->offset = f->offset * x->factor + x->offset;
		if (is_off(f))
			return true;
	}
	return false;
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
	else if (file && m->set.data.scale > 1)
		diag_help(l->diags, g, "scale= is what bytes are multiplied by: 1/255 was meant, of train and validate?");
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

/* ---- what data files hold ---- */

static bool
is_large(const struct input_column *c)
{
	double size = column_size(c);

	return isfinite(size) && size >= (c->at == ALL_OF_IT ? LARGE : LARGE_COLUMN);
}

#define DIVIDED	0.05	/* at most: it was meant to make something smaller */

/* Is next to nothing left of what something was there of? */
static bool
is_gone(const struct input_column *c)
{
	double span = c->most - c->least, factor = fabs(c->factor), few = c->of->rank < 3 ? 1.0 / 3 : 1;

	return factor <= DIVIDED * few && span >= 0.5 && span * factor < SMALL / few;
}

/* Fills the reading in. False: none of it is off, or nothing is known. */
static bool
look_at(struct input_looks *k, const struct input_numbers *held, struct reading *r)
{
	int i, j, gone = 0;

	*r = (struct reading){ NULL };
	r->n = input_columns(k, held, &r->column);
	for (i = 0; i < r->n; i++) {
		const struct input_column *c = &r->column[i];

		if (!r->worst || column_size(c) > column_size(r->worst))
			r->worst = c;
		if (c->spread > 0 && (!r->mildest || column_spread(c) < column_spread(r->mildest)))
			r->mildest = c;
		gone += is_gone(c);
		if (!r->tiny && is_gone(c) && c->of->rank >= 3)
			r->tiny = c;
		if (!is_large(c))
			continue;
		for (j = 0; j < i && !(is_large(&r->column[j]) && r->column[j].of == c->of); j++)
			;
		r->inputs += j == i;
		r->large++;
	}
	r->tiny = !r->tiny && gone > 0 && gone == r->n ? r->column : r->tiny;	/* of columns all */
	return (r->large > 0 && isfinite(column_size(r->worst))) || r->tiny;
}

/* Does nothing in the network move it? */
static bool
is_as_read(const struct module *m, const struct input_column *c)
{
	return c->offset == 0 && c->factor == (c->of->dtype == DT_U8 ? 1 : m->set.data.scale);
}

static void
tell_column(struct lint *l, struct diag *g, const struct input_column *c)
{
	const char *what = c->at == ALL_OF_IT ? "" : arena_printf(l->module->arena,
	    "column %lld of ", (long long)(c->look->field + c->at + 1));
	const char *then = c->factor == 1 && c->offset == 0 ? "" : arena_printf(l->module->arena,
	    "; it is read as %.4g to %.4g", column_least(c), column_most(c));

	diag_fact(l->diags, g, "%s\"%s\" goes from %.4g to %.4g: mean %.4g, standard deviation "
	    "%.4g%s", what, c->look->file, c->least, c->most, c->mean, c->spread, then);
}

/* A whole number that no value exceeds: that of bytes, where it may be. */
static double
largest(const struct input_column *c)
{
	double most = fmax(fabs(c->most), fabs(c->least));

	return c->least >= 0 && most <= WHITE && (most == WHITE || (c->at == ALL_OF_IT && most > WHITE / 2)) ? WHITE : ceil(most);
}

/* Would scale=1/BY in data, which is for all inputs, leave none of them small? */
static bool
serves_all(struct input_looks *k, double by)
{
	const struct graph *f = k->l->module->forward;
	struct input_column *v;
	int i, j, n;

	for (i = 0; i < f->inputs.n; i++) {
		const struct tensor *t = f->inputs.v[i];

		if (t->kind != T_INPUT || t->classes || t->dtype == DT_U8)
			continue;
		n = input_columns_of(k, t, &v);
		for (j = 0; j < n && hypot(v[j].mean, v[j].spread) * LARGE > by; j++)
			;
		if (n == 0 || j < n)
			return false;
	}
	return true;
}

/* The names of the inputs whose columns are large: the first three. */
static const char *
names_of(struct lint *l, const struct reading *r)
{
	const char *list = "";
	int i, j, n = 0;

	for (i = 0; i < r->n && n < 3; i++) {
		for (j = 0; j < i && !(r->column[j].of == r->column[i].of && is_large(&r->column[j])); j++)
			;
		if (j < i || !is_large(&r->column[i]))
			continue;
		n++;
		list = arena_printf(l->module->arena, "%s%s'%s'", list, n == 1 ? "" : n == r->inputs ? " and " : ", ",
		    r->column[i].of->name);
	}
	return r->inputs > n ? arena_printf(l->module->arena, "%s and %d more", list, r->inputs - n) : list;
}

/* Which columns of the one file are large, where they are few; "": many, or of several files. */
static const char *
list_of(struct lint *l, const struct reading *r)
{
	const char *list = "";
	int i;

	if (r->large < 2 || r->large == r->n || r->large > 8)
		return "";
	for (i = 0; i < r->n; i++) {
		const struct input_column *c = &r->column[i];

		if (c->at == ALL_OF_IT || c->look->file != r->worst->look->file)
			return "";
		if (is_large(c))
			list = arena_printf(l->module->arena, "%s%s%lld", list, *list ? ", " : "", (long long)(c->look->field + c->at + 1));
	}
	return arena_printf(l->module->arena, " (%s)", list);
}

/* Each large column less its mean, by its deviation; NULL: they are too many, or several parts
 * of inputs. */
static const char *
centred(struct lint *l, const struct input_numbers *held, const struct reading *r)
{
	const char *text = NULL, *part;
	int i, n = 0;

	for (i = 0; i < r->n; i++) {
		const struct input_column *c = &r->column[i];
		bool is_part = c->at == ALL_OF_IT ? !input_numbers_are_all(held, c->of) : c->look->width > 1;

		if (!is_large(c))
			continue;
		if (++n > 3 || c->spread == 0 || column_has_stray(c) || !is_as_read(l->module, c) || (is_part && r->large > 1) ||
		    (c->of->rank == 2 && column_spread(c) > column_size(c) / 2))
			return NULL;
		part = c->at == ALL_OF_IT ? "[...]" : arena_printf(l->module->arena, "[%lld:%lld]", (long long)c->at, (long long)c->at + 1);
		text = arena_printf(l->module->arena, "%s%s(%s%s - %.*g) / %.4g", text ? text : "", text ? ", " : "", c->of->name,
		    is_part ? part : "", column_digits(c), c->mean * c->factor, column_spread(c));
	}
	return text;
}

static void
advise(struct lint *l, struct diag *g, struct input_looks *k, const struct input_numbers *held, const struct reading *r)
{
	const struct input_column *c = r->worst;
	const char *name = input_numbers_are_all(held, c->of) ? c->of->name : NULL, *text;
	bool even = columns_are_even(r->column, r->n);

	if (!even && (text = centred(l, held, r)))
		diag_help(l->diags, g, "%s: less the mean, by the deviation, here or in the file; or batchnorm before it, which learns both", text);
	else if (!even && c->of->rank == 2)
		diag_help(l->diags, g, "take each column's mean off and divide by its deviation, in the file; or of each by itself, in the network");
	else if (!even)
		diag_help(l->diags, g, "take each column's mean off and divide by its deviation, in the file; or %s, which learns both",
		    name ? arena_printf(l->module->arena, "%s -> batchnorm -> ...", name) : "batchnorm before it");
	else if (!is_as_read(l->module, c))
		diag_help(l->diags, g, "divide them by %.4g, too", fmax(fabs(column_least(c)), fabs(column_most(c))));
	else if (c->of->dtype != DT_U8 && l->module->set.data.scale > 1 && hypot(c->mean, c->spread) < LARGE)
		diag_help(l->diags, g, "scale= is what they are multiplied by: leave it out, of train and validate, or write the reciprocal");
	else if (c->of->dtype != DT_U8 && serves_all(k, largest(c)))
		diag_help(l->diags, g, "scale=1/%.0f in data, of train and validate; or %s%sscale(1/%.0f) -> ...", largest(c),
		    name ? name : "", name ? " -> " : "", largest(c));
	else
		diag_help(l->diags, g, "%s%sscale(1/%.0f) -> ...", name ? name : "", name ? " -> " : "",
		    largest(c) * fabs(c->factor));
}

static void
tell_columns(struct lint *l, struct diag *g, const struct reading *r)
{
	const struct input_column *c = r->worst;

	diag_place(l->diags, g, l->module->set.data.loc, "the data are here");
	tell_column(l, g, c);
	if (r->mildest && r->mildest != c)
		tell_column(l, g, r->mildest);
	if (c->at != ALL_OF_IT && r->n > 1)
		diag_fact(l->diags, g, "%d of %d columns%s are larger than %d in the first %lld "
		    "rows; weights start for numbers of about 1", r->large, r->n, list_of(l, r), LARGE_COLUMN, (long long)c->look->rows);
	else
		diag_fact(l->diags, g, "that is in the first %lld %s; weights start for numbers "
		    "of about 1", (long long)(c->look->there ? c->look->there : c->look->rows),
		    c->look->there ? "numbers" : c->look->rows == 1 ? "row" : "rows");
}

/* Puts batch normalisation before a layer of the network's body that reads columns as they are. */
static void
fix(struct lint *l, struct diag *g, const struct node *n, const struct input_numbers *held, const struct reading *r)
{
	struct cut_place p;
	struct amend m;
	int i;

	for (i = 0; i < r->n; i++)
		if (r->column[i].at == ALL_OF_IT || !is_as_read(l->module, &r->column[i]))
			return;
	if (n->in[0]->rank == 1 && held->placed && r->n == held->n && !columns_are_even(r->column, r->n) && fix_amend(l, &m) &&
	    cut_find(&p, m.arena, l->file, n->loc) && !p.block &&
	    edited_before(l, &m, n->loc, "batchnorm"))
		fix_amended(l, g, false, &m, "normalise the columns before it");
}

static void
report_tiny(const struct rule *rule, struct lint *l, const struct node *n, const struct input_column *c)
{
	double scale = l->module->set.data.scale;
	struct diag *g = lint_report(l, rule, n->loc, "'%s' reads '%s' as numbers of %.4g to %.4g: they are scaled twice", n->path,
	    c->of->name, column_least(c), column_most(c));

	diag_place(l->diags, g, l->module->set.data.loc, "the data are here");
	tell_column(l, g, c);
	if (c->of->dtype == DT_U8 || scale == 1)
		diag_help(l->diags, g, "once is enough: %s -> scale(1/%.0f)", c->of->name, largest(c));
	else if (is_as_read(l->module, c))
		diag_help(l->diags, g, "leave scale= out, of train and validate: in the file they are of about 1 already");
	else
		diag_help(l->diags, g, "once is enough: scale=1/%.0f in data, or %s -> scale(1/%.0f)", largest(c), c->of->name, largest(c));
}

static void
report_columns(const struct rule *rule, struct lint *l, struct input_looks *k, const struct node *n,
    const struct input_numbers *held, const struct reading *r)
{
	const struct input_column *c = r->worst;
	struct diag *g;

	if (r->large == 0) {
		report_tiny(rule, l, n, r->tiny);
		return;
	}
	if (c->factor == 1 && c->offset == 0)
		g = lint_report(l, rule, n->loc, "'%s' reads %s as %s in the file, with numbers of %.4g: nothing scales them", n->path,
		    names_of(l, r), r->inputs == 1 ? "it is" : "they are", fmax(fabs(c->most), fabs(c->least)));
	else
		g = lint_report(l, rule, n->loc, "'%s' reads %s as numbers of %.4g to %.4g: weights start for numbers of about 1",
		    n->path, names_of(l, r), column_least(c), column_most(c));
	tell_columns(l, g, r);
	advise(l, g, k, held, r);
	fix(l, g, n, held, r);
}

/* ---- what is to be told of the others ---- */

static void
report(const struct rule *rule, struct lint *l, const struct node *n, const struct finding *f)
{
	struct diag *g;

	if (f->normal) {
		g = lint_report(l, rule, n->loc, "'%s' reads '%s' as numbers of %.4g to %.4g: mean and std are of another scale",
		    n->path, f->input->name, f->least, f->most);
		tell_normal(l, g);
		return;
	}
	g = lint_report(l, rule, n->loc, "'%s' reads '%s' as %s %.4g to %.4g: %s", n->path, f->input->name, is_moved(f) || f->input->classes ? "numbers of" : "bytes of",
	    f->factor < 0 ? f->white * f->factor + f->offset : f->offset,
	    f->factor < 0 ? f->offset : f->white * f->factor + f->offset,
	    is_tiny(f) ? "they are scaled twice" : f->factor == 1 ? "nothing scales them" : fabs(f->factor) < 1 ?
	    "what scales them leaves them large" : arena_printf(l->module->arena, "they are multiplied by %g", f->factor));
	tell_bytes(l, g, f);
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

static void
check_node(const struct rule *rule, struct lint *l, struct input_looks *k, const struct node *n, const struct input_numbers *held,
    struct finding *const *from, struct place_set *reported)
{
	struct reading r;
	struct finding f;

	if (look_at(k, held, &r)) {
		if ((is_as_read(l->module, r.tiny ? r.tiny : r.worst) || starts_as_usual(n)) && place_is_new(reported, l, rule, n->loc))
			report_columns(rule, l, k, n, held, &r);
	} else if (find_off(held, from, &f) && (!is_moved(&f) || starts_as_usual(n)) && place_is_new(reported, l, rule, n->loc))
		report(rule, l, n, &f);
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	const struct graph *f = m->forward;
	struct finding **from = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*from));
	struct tensor_readers r = readers_of(l);
	const struct input_numbers *held;
	struct place_set reported = { NULL };
	struct input_looks looked;
	int looks = LOOKS, i;

	if (!m->set.train)
		return;
	input_looks(&looked, l);
	for (i = 0; i < f->inputs.n; i++)
		from[f->inputs.v[i]->id] = find(&looked, f->inputs.v[i]);
	held = input_numbers(l);
	for (i = 0; i < f->nodes.n; i++) {
		const struct node *n = f->nodes.v[i];

		if (n->nin > 0 && n->in[0] && held[n->in[0]->id].n > 0 && node_has_weights(n) && !normalises(only_reader(&r, n)) &&
		    !is_normalised(f, n->out[0], &looks))
			check_node(rule, l, &looked, n, &held[n->in[0]->id], from, &reported);
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
	    "Reported where a layer with weights is the first to read them, of the columns that it reads: past slices, splits, "
	    "concatenations and axes in another order. Of data files the first "
	    "64 KiB are read, where they are there, of which 8 rows say something of a column, and 1024 numbers of a map: a column of vectors counts whose root mean square, sqrt(mean^2 + deviation^2), is 50 or more, or a map as a "
	    "whole of 30, so that "
	    "years and prices do beside shares. "
	    "Classes and tokens, of 53 or more, that are read as numbers. Otherwise u8 inputs of three or more extents and 1, 3 or 4 channels, for vectors of bytes, and boards, may be one-hot, and IDX "
	    "files without scale=, whose usual contents are bytes. "
	    "And pictures of which mean= and std= make numbers of 30 and more, as ImageNet's of 0 to 1 do of bytes, or numbers that all but "
	    "agree, as those of bytes do beside scale=1/255. "
	    "Bytes that are divided by 255 twice, in the data and in the network, are told of, too, and columns all of which were of about 1 before. What adds to bytes and does not divide them, as x - 127.5, makes none of them smaller, and is told of where the "
	    "layer's weights start as usual: AlexNet's, which reads bytes less their mean, start smaller. "
	    "A normalisation right behind that layer, batchnorm behind all concatenations of it, or a scale, batchnorm or arithmetic "
	    "before it, makes it good. The fix, which is unsafe, puts batchnorm before the layer, "
	    "where columns differ.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
