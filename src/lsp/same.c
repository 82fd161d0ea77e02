/* Edits of several files, and comparing the networks before and after. */
#include "lsp/same.h"

#include <stdlib.h>
#include <string.h>

#include "base/filename.h"
#include "base/map.h"
#include "cli/compile.h"
#include "ir/dotted_path.h"

/* ---- changes ---- */

const char *
real_path(struct arena *a, const char *path)
{
	char *real = realpath(path, NULL);
	const char *kept = arena_strdup(a, real ? real : path);

	free(real);
	return kept;
}

struct edits *
changes_of(struct arena *a, struct changes *c, const struct source *src)
{
	const char *path = real_path(a, src->path);
	struct source *copy;
	int i;

	for (i = 0; i < c->all.n; i++)
		if (strcmp(c->all.v[i].path, path) == 0)
			return c->all.v[i].edits;
	copy = source_from_text(a, arena_strdup(a, src->path), src->text, (size_t)src->size);
	vec_push(a, &c->all, ((struct change){ path, edits_new(a, copy) }));
	return c->all.v[c->all.n - 1].edits;
}

json_t *
changes_json(const struct server *s, const struct changes *c)
{
	json_t *all = json_object();
	int i, k;

	for (i = 0; i < c->all.n; i++) {
		const struct edits *e = c->all.v[i].edits;
		json_t *uri = source_uri(s, e->src), *list = json_array();

		for (k = 0; k < e->all.n; k++)
			json_array_append_new(list, text_edit(s, e->src, e->all.v[k].beg, e->all.v[k].end,
			    e->all.v[k].text));
		if (e->all.n)
			json_object_set(all, json_string_value(uri), list);
		json_decref(list);
		json_decref(uri);
	}
	return all;
}

static void
add_document(struct server *s, struct arena *a, const char *path, const char *text, size_t n)
{
	struct document *d = ARENA_NEW(a, struct document);

	d->uri = d->path = arena_strdup(a, path);
	d->text = (struct text_lines){ .text = arena_strndup(a, text, n), .n = n };
	d->next = s->documents;
	s->documents = d;
}

struct server *
changed_server(struct server *s, struct arena *a, const struct changes *c)
{
	struct server *copy = ARENA_NEW(a, struct server);
	const struct document *d;
	int i;

	*copy = (struct server){ .client = s->client };
	for (i = 0; i < c->all.n; i++) {
		const struct source *new = edits_apply(c->all.v[i].edits);

		add_document(copy, a, new->path, new->text, (size_t)new->size);
	}
	for (d = s->documents; d; d = d->next)
		if (!document_at(copy, real_path(a, d->path)))
			add_document(copy, a, d->path, d->text.text ? d->text.text : "", d->text.n);
	return copy;
}

/* ---- compiling ---- */

static struct source *
source_at(struct server *s, struct arena *a, const char *path)
{
	const struct document *d = document_at(s, path);
	const char *why;

	if (d)
		return source_from_text(a, arena_strdup(a, d->path), d->text.text ? d->text.text : "",
		    d->text.n);
	return source_read_below(a, "/", path, &why);
}

struct spec *
spec_at(struct server *s, struct arena *a, struct diags *diags, const char *path,
    struct evaluated *evaluated)
{
	struct lang_options *o = ARENA_NEW(a, struct lang_options);
	struct source *src = source_at(s, a, path);
	struct unsaved *texts = NULL;
	const struct document *d;

	diags_init(diags, a);
	if (!src)
		return NULL;
	for (d = s->documents; d; d = d->next) {
		struct unsaved *one = ARENA_NEW(a, struct unsaved);

		*one = (struct unsaved){ .path = real_path(a, d->path), .text = d->text.text ?
			d->text.text : "", .size = d->text.n, .next = texts };
		texts = one;
	}
	*o = (struct lang_options){ .unsaved = texts, .evaluated = evaluated,
		.operators = (int)s->operators,
		.root = compile_root(a, filename_absolute(a, src->path), false) };
	return spec_load(a, diags, src, o);
}

/* ---- the form of a network ---- */

static void
take_name(struct arena *a, struct form *f, const char **name)
{
	vec_push(a, &f->paths, *name ? *name : "");
	*name = "";
}

static void
take_tensor(struct arena *a, struct form *f, struct tensor *t)
{
	if (!t)
		return;
	take_name(a, f, &t->name);
	t->loc.src = NULL;
}

/* The first of the patterns that a path matches, as the part of the path that it names; NULL:
 * none. */
static const char *
named_part(struct arena *a, const struct pattern *p, int n, const char *path)
{
	size_t length;
	int i;

	for (i = 0; i < n; i++)
		if ((length = path_match(p[i].text, path)))
			return arena_strndup(a, path, length);
	return NULL;
}

/* What is recomputed together, by the number of its first node. */
static void
print_recomputed(FILE *out, struct arena *a, const struct module *m)
{
	struct map group = { NULL, 0, 0, NULL, 0 };
	const struct graph *g = m->forward;
	int i, *first;

	for (i = 0; m->set.nrecompute && i < g->nodes.n; i++) {
		const char *part = named_part(a, m->set.recompute_pattern, m->set.nrecompute,
		    g->nodes.v[i]->path);

		if (!part)
			continue;
		if (!(first = map_get(&group, part))) {
			first = ARENA_NEW(a, int);
			*first = i;
			map_put(a, &group, part, first);
		}
		fprintf(out, "recompute %d in %d\n", i, *first);
	}
}

static void
print_data(FILE *out, const char *what, const struct data_source *d)
{
	int i;

	for (i = 0; i < d->nfiles; i++)
		fprintf(out, "%s %d \"%s\"\n", what, i, d->file[i] ? d->file[i] : "");
	if (d->reader)
		fprintf(out, "%s scale %.17g skip %lld keep %lld\n", what, d->scale,
		    (long long)d->skip_every, (long long)d->keep_every);
}

/* What counts and stands in no graph. */
static void
print_settings(FILE *out, struct arena *a, const struct module *m)
{
	int i;

	for (i = 0; i < m->persistent.n; i++)
		if (m->persistent.v[i]->undecayed)
			fprintf(out, "undecayed %d\n", i);
	for (i = 0; i < m->persistent.n; i++)
		if (m->persistent.v[i]->group)
			fprintf(out, "group %d of %d\n", m->persistent.v[i]->group, i);
	for (i = 0; i < m->persistent.n; i++)
		if (m->persistent.v[i]->turn)
			fprintf(out, "update %d moves %d\n", m->persistent.v[i]->turn, i);
	for (i = 0; i < m->set.ngroups; i++)
		fprintf(out, "group lr %d %.17g decay %d %.17g\n", m->set.group[i].has_lr, m->set.group[i].lr,
		    m->set.group[i].has_decay, m->set.group[i].decay);
	print_recomputed(out, a, m);
	print_data(out, "data", &m->set.data);
	print_data(out, "validation", &m->set.validate_data);
}

static void
take_graph(struct arena *a, struct form *f, struct graph *g)
{
	int i, k;

	for (i = 0; i < g->inputs.n; i++)
		take_tensor(a, f, g->inputs.v[i]);
	for (i = 0; i < g->nodes.n; i++) {
		struct node *n = g->nodes.v[i];

		take_name(a, f, &n->path);
		n->loc.src = NULL;
		for (k = 0; k < n->nout; k++)
			take_tensor(a, f, n->out[k]);
	}
	for (i = 0; i < g->results.n; i++) {
		take_name(a, f, &g->results.v[i].name);
		g->results.v[i].loc.src = NULL;
	}
}

/* The losses that updates name, by their places among the results. */
static void
take_turns(struct arena *a, struct module *m)
{
	int i, k, j;

	for (i = 0; m->forward && i < m->set.nturns; i++) {
		struct turn *t = &m->set.turn[i];
		const char **place = arena_array(a, (size_t)t->nlosses + 1, sizeof(*place));

		for (k = 0; k < t->nlosses; k++)
			for (j = 0, place[k] = t->loss[k]; j < m->forward->results.n; j++)
				if (strcmp(m->forward->results.v[j].name, t->loss[k]) == 0)
					place[k] = arena_printf(a, "result %d", j);
		t->loss = place;
	}
}

struct form
form_of(struct arena *a, struct module *m)
{
	struct form f = { .name = m->name, .weights = m->persistent.n };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	bool bad = false;
	int i;

	if (out)
		print_settings(out, a, m);
	for (i = 0; i < m->persistent.n; i++)
		take_tensor(a, &f, m->persistent.v[i]);
	take_turns(a, m);
	if (m->forward)
		take_graph(a, &f, m->forward);
	m->name = "";
	if (!out)
		return f;
	ir_print(out, m);
	bad = ferror(out) != 0;
	bad |= fclose(out) != 0;
	if (!bad && text)
		f.text = arena_strdup(a, text);
	free(text);
	return f;
}

enum sameness
forms_compare(const struct form *x, const struct form *y)
{
	enum sameness same = SAME_ALL;
	int i;

	if (!x->text || !y->text || strcmp(x->text, y->text) != 0 || x->paths.n != y->paths.n ||
	    x->weights != y->weights)
		return SAME_NOT;
	for (i = 0; i < x->paths.n; i++)
		if (strcmp(x->paths.v[i], y->paths.v[i]) != 0) {
			if (i < x->weights)
				return SAME_BUT_WEIGHTS;
			same = SAME_BUT_PATHS;
		}
	return same;
}

const struct diag *
diags_new_error(const struct diags *old, const struct diags *new)
{
	int i, k;

	if (new->errors <= old->errors)
		return NULL;
	for (i = 0; i < new->all.n; i++) {
		const struct diag *g = new->all.v[i];

		if (g->severity != SEV_ERROR)
			continue;
		for (k = 0; k < old->all.n && strcmp(old->all.v[k]->message, g->message) != 0; k++)
			;
		if (k == old->all.n)
			return g;
	}
	for (i = 0; i < new->all.n && new->all.v[i]->severity != SEV_ERROR; i++)
		;
	return i < new->all.n ? new->all.v[i] : NULL;
}
