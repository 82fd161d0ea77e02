/*
 * Where samples come from: idx("images", "labels", scale=1/255), npy(...), csv("file.csv"),
 * synthetic(1000). Files bind to inputs and then targets in the order of the network, or by name.
 */
#include "lang/expander.h"

#include <math.h>
#include <string.h>

#define MOST_FILES	((int)(sizeof(((struct data_source *)0)->file) / sizeof(char *)))
#define MOST_SAMPLES	((int64_t)1 << 40)

struct format {
	const char *name;
	enum data_kind kind;
	bool a_file_each;	/* for every input and target */
	bool one_file;
	const char *options;	/* that it takes by name */
	const char *usage;
};

static const struct format formats[] = {
	{ "idx", DATA_IDX, true, false, "scale skip_every keep_every",
	    "idx(\"images\", \"labels\", scale=1/255)" },
	{ "npy", DATA_NPY, true, false, "scale skip_every keep_every",
	    "npy(\"x.npy\", \"y.npy\")" },
	{ "csv", DATA_CSV, false, true, "scale skip_every keep_every header label_first",
	    "csv(\"rows.csv\", header=true)" },
	{ "synthetic", DATA_SYNTHETIC, false, false, "samples", "synthetic(samples=1000)" },
};

struct reading {
	struct expander *ex;
	const struct format *format;
	struct data_source *d;
	struct tensor *const *staged;
	int nstaged, next;
	const char **file;	/* by staged tensor; csv: one */
};

static const struct format *
format_find(struct expander *ex, const struct expr *e)
{
	struct names names = { NULL, 0, 0 };
	struct diag *g;
	size_t i;

	if (e->kind == E_BAD)
		return NULL;
	if (e->kind != E_CALL && e->kind != E_NAME) {
		g = ex_error(ex, "data", e->loc, "data comes from a format:");
		diag_help(ex->d, g, "%s, %s, %s or %s", formats[0].usage, formats[1].usage,
		    formats[2].usage, formats[3].usage);
		return NULL;
	}
	for (i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		if (strcmp(formats[i].name, e->name) == 0)
			return &formats[i];
		names_add(ex->a, &names, formats[i].name);
	}
	g = ex_error(ex, "data", e->head.src ? e->head : e->loc, "there is no data format '%s'",
	    e->name);
	if (!names_suggest(ex, g, e->name, &names))
		diag_help(ex->d, g, "formats are idx, npy, csv and synthetic");
	return NULL;
}

static bool
takes(const struct format *f, const char *option)
{
	size_t len = strlen(option);
	const char *s;

	for (s = f->options; *s; s += strcspn(s, " "), s += *s == ' ')
		if (strcspn(s, " ") == len && strncmp(s, option, len) == 0)
			return true;
	return false;
}

static void
read_option(struct reading *r, const char *name, const struct value *v)
{
	struct data_source *d = r->d;

	if (v->kind == V_POISON)
		return;
	if (strcmp(name, "scale") == 0) {
		if (v->kind != V_NUMBER || !isfinite(v->num.real))
			ex_error(r->ex, "data", v->loc, "scale must be a number, not %s",
			    value_text(r->ex->a, v));
		else
			d->scale = v->num.real;
	} else if (strcmp(name, "skip_every") == 0)
		want_int(r->ex, v, "skip_every", 2, MOST_SAMPLES, &d->skip_every);
	else if (strcmp(name, "keep_every") == 0)
		want_int(r->ex, v, "keep_every", 1, MOST_SAMPLES, &d->keep_every);
	else if (strcmp(name, "samples") == 0)
		want_int(r->ex, v, "samples", 1, MOST_SAMPLES, &d->samples);
	else if (v->kind != V_BOOL)
		ex_error(r->ex, "data", v->loc, "%s must be true or false, not %s", name,
		    value_text(r->ex->a, v));
	else if (strcmp(name, "header") == 0)
		d->header = v->flag;
	else
		d->label_first = v->flag;
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
		ex_error(r->ex, "data", v->loc, "'%s' has a file already", r->format->one_file ?
		    "data" : r->staged[k]->name);
	r->file[k] = v->text;
}

static void
read_named(struct reading *r, const struct arg *a, const struct value *v)
{
	struct names names = { NULL, 0, 0 };
	struct diag *g;
	const char *s;
	int i;

	if (takes(r->format, a->name)) {
		read_option(r, a->name, v);
		return;
	}
	for (i = 0; r->format->a_file_each && i < r->nstaged; i++) {
		if (strcmp(r->staged[i]->name, a->name) == 0) {
			bind_file(r, i, v);
			return;
		}
		names_add(r->ex->a, &names, r->staged[i]->name);
	}
	for (s = r->format->options; *s; s += strcspn(s, " "), s += *s == ' ')
		names_add(r->ex->a, &names, arena_strndup(r->ex->a, s, strcspn(s, " ")));
	g = ex_error(r->ex, "data", a->name_loc, r->format->a_file_each ? "%s has no option, input "
	    "or target '%s'" : "%s has no option '%s'", r->format->name, a->name);
	names_suggest(r->ex, g, a->name, &names);
}

static void
read_positional(struct reading *r, const struct value *v)
{
	int room = r->format->a_file_each ? r->nstaged : r->format->one_file ? 1 : 0;

	if (r->format->kind == DATA_SYNTHETIC && r->next++ == 0) {
		read_option(r, "samples", v);
		return;
	}
	if (r->format->kind != DATA_SYNTHETIC && r->next < room) {
		bind_file(r, r->next++, v);
		return;
	}
	if (v->kind != V_POISON)
		ex_error(r->ex, "data", v->loc, r->format->a_file_each ?
		    "one file too many: the network has %d inputs and targets" :
		    "%d argument%s is all this takes without a name", r->format->a_file_each ?
		    r->nstaged : 1, "");
}

/* Files in the order in which the graph stages; an input nobody reads needs none. */
static void
settle_files(struct reading *r, const struct expr *e)
{
	struct graph *g = r->ex->m->forward;
	int i, j;

	if (r->format->one_file) {
		if (!r->file[0])
			ex_error(r->ex, "data", e->loc, "%s needs a file: %s", r->format->name,
			    r->format->usage);
		r->d->file[0] = r->file[0];
		r->d->nfiles = 1;
		return;
	}
	for (i = 0; i < g->inputs.n; i++)
		for (j = 0; j < r->nstaged; j++) {
			if (r->staged[j] != g->inputs.v[i])
				continue;
			if (!r->file[j])
				ex_error(r->ex, "data", e->loc, "no file is given for '%s'",
				    r->staged[j]->name);
			if (r->d->nfiles < MOST_FILES)
				r->d->file[r->d->nfiles] = r->file[j];
			r->d->nfiles++;
		}
	if (r->d->nfiles > MOST_FILES) {
		ex_error(r->ex, "data", e->loc, "at most %d inputs and targets can have files",
		    MOST_FILES);
		r->d->nfiles = MOST_FILES;
	}
}

void
data_read(struct expander *ex, const struct setting *st, struct data_source *d,
    struct tensor *const *staged, int nstaged)
{
	struct expr *e = st->value[0];
	struct reading r = { .ex = ex, .format = format_find(ex, e), .d = d, .staged = staged,
		.nstaged = nstaged };
	int i, before = ex->d->errors;

	*d = (struct data_source){ .scale = 1, .loc = st->loc };
	if (!r.format)
		return;
	d->kind = r.format->kind;
	r.file = arena_array(ex->a, (size_t)nstaged + 1, sizeof(*r.file));
	for (i = 0; i < e->nargs; i++) {
		struct value v = setting_value(ex, e->arg[i].value);

		if (e->arg[i].name)
			read_named(&r, &e->arg[i], &v);
		else
			read_positional(&r, &v);
	}
	if (ex->d->errors > before || ex->incomplete)
		return;
	if (d->kind == DATA_SYNTHETIC) {
		if (d->samples == 0)
			ex_error(ex, "data", e->loc, "synthetic data needs a count: %s",
			    r.format->usage);
	} else
		settle_files(&r, e);
	if (d->skip_every && d->keep_every)
		ex_error(ex, "data", e->loc, "skip_every and keep_every leave nothing together: "
		    "one leaves out the rows that the other keeps");
}
