/*
 * The data settings, read by the records of the readers (readers/reader.h). Files bind to inputs
 * and then targets in the order of the network, or by name.
 */
#include "lang/expander.h"

#include <math.h>
#include <string.h>

#include "readers/reader.h"

#define MOST_FILES	((int)(sizeof(((struct data_source *)0)->file) / sizeof(char *)))

struct reading {
	struct expander *ex;
	const struct reader *reader;
	struct attr *attr;	/* by reader->attrs */
	struct tensor *const *staged;
	int nstaged, next;
	const char **file;	/* by staged tensor, or one */
};

static const struct reader *
reader_of(struct expander *ex, const struct expr *e)
{
	struct names names = { NULL, 0, 0 };
	char list[TEXT_LIST];
	struct diag *g;
	int i;

	if (e->kind == E_BAD)
		return NULL;
	if (e->kind != E_CALL && e->kind != E_NAME) {
		g = ex_error(ex, "data", e->loc, "data comes from a format:");
		diag_help(ex->d, g, "%s", text_list(list, sizeof(list), reader_usage, " or "));
		return NULL;
	}
	if (reader_find(e->name))
		return reader_find(e->name);
	for (i = 0; i < reader_count; i++)
		names_add(ex->a, &names, reader_name(i));
	g = ex_error(ex, "data", e->head.src ? e->head : e->loc, "there is no data format '%s'",
	    e->name);
	if (!names_suggest(ex, g, e->name, &names))
		diag_help(ex->d, g, "formats are %s", text_list(list, sizeof(list), reader_name,
		    " and "));
	return NULL;
}

/* One number, or some in parentheses. */
static void
read_reals(struct reading *r, const struct attr_spec *s, const struct value *v, struct attr *a)
{
	const struct value *item = v->kind == V_TUPLE ? v->item : v;
	int n = v->kind == V_TUPLE ? v->n : 1, i;
	double *real = arena_array(r->ex->a, MAX_REALS, sizeof(*real));

	for (i = 0; i < n && i < MAX_REALS; i++) {
		if (item[i].kind == V_POISON)
			return;
		if (item[i].kind != V_NUMBER || item[i].size || !isfinite(item[i].num.real) || item[i].num.real < s->min ||
		    item[i].num.real > s->max)
			break;
		real[i] = item[i].num.real;
	}
	if (n < 1 || i < n) {
		ex_error(r->ex, "data", v->loc, "%s must be a number from %g to %g or up to %d of them in "
		    "parentheses, not %s", s->name, s->min, s->max, MAX_REALS, value_text(r->ex->a, v));
		return;
	}
	a->real = real;
	a->n = n;
	a->given = true;
}

static void
read_attr(struct reading *r, int k, const struct value *v)
{
	const struct attr_spec *s = &r->reader->attrs[k];
	struct attr *a = &r->attr[k];
	const char *must_be = "true or false";

	if (v->kind == V_POISON)
		return;
	if (!want_plain(r->ex, v, s->name))
		return;
	if (s->type == ATTR_REALS) {
		read_reals(r, s, v, a);
		return;
	}
	if (s->type == ATTR_INT) {
		a->given |= want_int(r->ex, v, s->name, (int64_t)s->min, (int64_t)s->max, &a->i);
		return;
	}
	if (s->type == ATTR_REAL && v->kind == V_NUMBER && isfinite(v->num.real)) {
		if ((s->min != 0 || s->max != 0) && (v->num.real < s->min || v->num.real > s->max))
			ex_error(r->ex, "data", v->loc, "%s must be from %g to %g, not %s", s->name, s->min, s->max,
			    value_text(r->ex->a, v));
		a->r = v->num.real;
		a->given = true;
		return;
	}
	if (s->type == ATTR_BOOL && v->kind == V_BOOL) {
		a->i = v->flag;
		a->given = true;
		return;
	}
	if (s->type == ATTR_REAL)
		must_be = "a number";
	ex_error(r->ex, "data", v->loc, "%s must be %s, not %s", s->name, must_be,
	    value_text(r->ex->a, v));
}

static void
bind_file(struct reading *r, int k, const struct value *v)
{
	if (v->kind == V_POISON)
		return;
	if (v->kind != V_STRING || !*v->text) {
		ex_error(r->ex, "data", v->loc, "a file's name is text in quotes, not %s",
		    v->kind == V_STRING ? "empty" : value_text(r->ex->a, v));
		return;
	}
	if (r->file[k])
		ex_error(r->ex, "data", v->loc, "'%s' has a file already", r->reader->files == FILES_EACH ?
		    r->staged[k]->name : "data");
	r->file[k] = v->text;
}

static void
say_who_has(struct reading *r, struct diag *g, const char *option)
{
	struct text t;
	int i;

	text_init(&t, r->ex->a);
	for (i = 0; reader_table[i]; i++)
		if (reader_has(reader_table[i], option))
			text_printf(&t, "%s%s", t.n ? ", " : "", reader_table[i]->name);
	if (t.n)
		diag_help(r->ex->d, g, "other readers have it: %s", t.s);
}

static void
read_named(struct reading *r, const struct arg *a, const struct value *v)
{
	const struct attr_spec *s = r->reader->attrs;
	bool each = r->reader->files == FILES_EACH;
	struct names names = { NULL, 0, 0 };
	struct diag *g;
	int i;

	for (i = 0; s[i].name; i++)
		if (strcmp(s[i].name, a->name) == 0) {
			read_attr(r, i, v);
			return;
		}
	for (i = 0; each && i < r->nstaged; i++) {
		if (strcmp(r->staged[i]->name, a->name) == 0) {
			bind_file(r, i, v);
			return;
		}
		names_add(r->ex->a, &names, r->staged[i]->name);
	}
	for (i = 0; s[i].name; i++)
		names_add(r->ex->a, &names, s[i].name);
	g = ex_error(r->ex, "data", a->name_loc, each ? "%s has no option, input or target '%s'" :
	    "%s has no option '%s'", r->reader->name, a->name);
	if (!names_suggest(r->ex, g, a->name, &names))
		say_who_has(r, g, a->name);
}

static int
count_attrs(const struct reader *r)
{
	int n = 0;

	while (r->attrs[n].name)
		n++;
	return n;
}

/* How many arguments may come without a name? */
static int
room(const struct reading *r)
{
	switch (r->reader->files) {
	case FILES_NONE:
		return count_attrs(r->reader);
	case FILES_ONE:
		return 1;
	case FILES_MANY:
		return MOST_FILES;
	case FILES_EACH:
		return r->nstaged;
	}
	return 0;
}

static void
read_positional(struct reading *r, const struct value *v)
{
	int most = room(r);

	if (r->next < most) {
		if (r->reader->files == FILES_NONE)
			read_attr(r, r->next++, v);
		else
			bind_file(r, r->next++, v);
		return;
	}
	if (v->kind == V_POISON)
		return;
	if (r->reader->files == FILES_EACH)
		ex_error(r->ex, "data", v->loc, "one file too many: the network has %d inputs and "
		    "targets", most);
	else
		ex_error(r->ex, "data", v->loc, "%d argument%s is all this takes without a name",
		    most, most == 1 ? "" : "s");
}

/* Files in the order in which the graph stages; an input nobody reads needs none. */
static void
settle_files(struct reading *r, struct data_source *d, const struct expr *e)
{
	struct graph *g = r->ex->m->forward;
	int i, j;

	for (i = 0; i < g->inputs.n; i++)
		for (j = 0; j < r->nstaged; j++) {
			if (r->staged[j] != g->inputs.v[i])
				continue;
			if (!r->file[j])
				ex_error(r->ex, "data", e->loc, "no file is given for '%s'",
				    r->staged[j]->name);
			if (d->nfiles < MOST_FILES)
				d->file[d->nfiles] = r->file[j];
			d->nfiles++;
		}
	if (d->nfiles > MOST_FILES) {
		ex_error(r->ex, "data", e->loc, "at most %d inputs and targets can have files",
		    MOST_FILES);
		d->nfiles = MOST_FILES;
	}
}

/* Is there all that the reader cannot do without? */
static void
settle(struct reading *r, struct data_source *d, const struct expr *e)
{
	const struct attr_spec *s = r->reader->attrs;
	bool each = r->reader->files == FILES_EACH;
	const char *why;
	int i;

	while (!each && d->nfiles < MOST_FILES && r->file[d->nfiles]) {
		d->file[d->nfiles] = r->file[d->nfiles];
		d->nfiles++;
	}
	why = r->reader->unfit ? r->reader->unfit(r->ex->a, d, r->staged, r->nstaged) : NULL;
	if (why)
		ex_error(r->ex, "data", e->loc, "%s: %s", r->reader->name, why);
	for (i = 0; s[i].name; i++)
		if (s[i].required && !r->attr[i].given)
			ex_error(r->ex, "data", e->loc, "%s data needs %s: %s", r->reader->name,
			    r->reader->needs, r->reader->usage);
	if (each)
		settle_files(r, d, e);
	else if (r->reader->files != FILES_NONE && !d->nfiles)
		ex_error(r->ex, "data", e->loc, "%s needs a file: %s", r->reader->name, r->reader->usage);
}

/* What the rest of the compiler asks of every source. */
static void
keep_attrs(struct data_source *d, const struct attr *attr)
{
	d->attr = attr;
	d->scale = reader_real(d, "scale", 1);
	d->skip_every = reader_int(d, "skip_every", 0);
	d->keep_every = reader_int(d, "keep_every", 0);
	d->samples = reader_int(d, "samples", 0);
}

void
data_read(struct expander *ex, const struct setting *st, struct data_source *d,
    struct tensor *const *staged, int nstaged)
{
	struct expr *e = st->value[0];
	struct reading r = { .ex = ex, .reader = reader_of(ex, e), .staged = staged,
		.nstaged = nstaged };
	int i, before = ex->d->errors;

	*d = (struct data_source){ .reader = r.reader, .scale = 1, .loc = st->loc };
	if (!r.reader)
		return;
	r.attr = arena_array(ex->a, (size_t)count_attrs(r.reader) + 1, sizeof(*r.attr));
	r.file = arena_array(ex->a, (size_t)(nstaged > MOST_FILES ? nstaged : MOST_FILES) + 1,
	    sizeof(*r.file));
	for (i = 0; i < e->nargs; i++) {
		struct value v = setting_value(ex, e->arg[i].value);

		if (e->arg[i].name)
			read_named(&r, &e->arg[i], &v);
		else
			read_positional(&r, &v);
	}
	keep_attrs(d, r.attr);
	if (ex->d->errors > before || ex->incomplete)
		return;
	settle(&r, d, e);
	if (d->skip_every && d->keep_every)
		ex_error(ex, "data", e->loc, "skip_every and keep_every leave nothing together: "
		    "one leaves out the rows that the other keeps");
}
