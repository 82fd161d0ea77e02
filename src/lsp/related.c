/* Specs that use a file. */
#include "lsp/related.h"

#include <string.h>

#include "cli/compile.h"
#include "lsp/workspace.h"

static bool
sees(const struct tree *t, const char *path)
{
	int i;

	for (i = 0; i < t->files.n; i++)
		if (strcmp(t->files.v[i].path, path) == 0)
			return true;
	return false;
}

/* Takes the document, unless the spec has nothing to do with the file PATH. */
static void
relate(struct server *s, struct arena *a, struct relations *r, struct document *d, const char *path)
{
	struct related one = { .path = real_path(a, d->path), .document = d };
	int i;

	for (i = 0; i < r->all.n; i++)
		if (strcmp(r->all.v[i].path, one.path) == 0)
			return;
	if (!(one.tree = tree_make(s, d)))
		return;
	if (r->all.n > 0 && !sees(one.tree, path))
		tree_free(one.tree);
	else
		vec_push(a, &r->all, one);
}

struct relating {
	struct server *server;
	struct arena *arena;
	struct relations *relations;
	const char *path;
};

static void
relate_file(void *context, const char *file, const struct source *src)
{
	struct relating *x = context;
	struct document *d;

	if (!strstr(src->text, "use") && strcmp(real_path(x->arena, file), x->path) != 0)
		return;
	d = ARENA_NEW(x->arena, struct document);
	d->path = arena_strdup(x->arena, file);
	d->text = (struct text_lines){ .text = arena_strdup(x->arena, src->text), .n = (size_t)src->size };
	relate(x->server, x->arena, x->relations, d, x->path);
}

void
related_find(struct server *s, struct arena *a, struct document *d, const char *path, bool shared,
    struct relations *r)
{
	struct relating x = { s, a, r, path };
	struct document *o;
	int i;

	relate(s, a, r, d, path);
	for (o = s->documents; o && shared; o = o->next)
		relate(s, a, r, o, path);
	if (shared && *path == '/')
		workspace_files(s, a, compile_root(a, path, false), relate_file, &x);
	for (i = 0; i < r->all.n; i++)
		r->all.v[i].spec = spec_at(s, a, &r->all.v[i].diags, r->all.v[i].path, &r->all.v[i].evaluated);
}

void
related_free(struct relations *r)
{
	int i;

	for (i = 0; i < r->all.n; i++)
		tree_free(r->all.v[i].tree);
}

/* ---- their networks ---- */

static bool
is_within(struct arena *a, struct loc l, struct loc whole, const char *path)
{
	return l.src && l.beg >= whole.beg && l.end <= whole.end &&
	    (l.src == whole.src || strcmp(l.src->path, whole.src->path) == 0 ||
	    strcmp(real_path(a, l.src->path), path) == 0);
}

static bool
module_covers(struct arena *a, const struct module *m, struct loc l, const char *path)
{
	int i;

	for (i = 0; m->forward && i < m->forward->nodes.n; i++)
		if (is_within(a, m->forward->nodes.v[i]->loc, l, path))
			return true;
	return false;
}

bool
related_covers(struct arena *a, const struct relations *r, struct loc l)
{
	const char *path = real_path(a, l.src->path);
	int i, k;

	for (i = 0; i < r->all.n; i++) {
		const struct related *s = &r->all.v[i];

		for (k = 0; s->spec && k < s->spec->modules.n; k++)
			if (module_covers(a, s->spec->modules.v[k], l, path))
				return true;
		for (k = 0; k < s->evaluated.blocks.n; k++)
			if (is_within(a, s->evaluated.blocks.v[k].use, l, path))
				return true;
	}
	return false;
}

void
related_forms(struct arena *a, struct relations *r)
{
	int i, k;

	for (i = 0; i < r->all.n; i++) {
		struct related *s = &r->all.v[i];

		s->form = arena_array(a, s->spec ? (size_t)s->spec->modules.n + 1 : 1, sizeof(*s->form));
		for (k = 0; s->spec && k < s->spec->modules.n; k++)
			s->form[k] = form_of(a, s->spec->modules.v[k]);
	}
}

static enum sameness
spec_compare(struct server *changed, struct arena *a, const struct related *s, bool own)
{
	enum sameness least = SAME_ALL, same;
	struct diags diags;
	struct spec *new = spec_at(changed, a, &diags, s->path, NULL);
	int i;

	if (!s->spec || !new || s->spec->modules.n != new->modules.n || diags_new_error(&s->diags, &diags))
		return SAME_NOT;
	if (s->diags.errors)
		return own ? SAME_NOT : SAME_ALL;
	for (i = 0; i < new->modules.n; i++) {
		struct form f = form_of(a, new->modules.v[i]);

		if ((same = forms_compare(&s->form[i], &f)) < least)
			least = same;
	}
	return least;
}

enum sameness
related_compare(struct server *changed, struct arena *a, const struct relations *r)
{
	enum sameness least = SAME_ALL, same;
	int i;

	for (i = 0; i < r->all.n && least != SAME_NOT; i++)
		if ((same = spec_compare(changed, a, &r->all.v[i], i == 0)) < least)
			least = same;
	return least;
}
