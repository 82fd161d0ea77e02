/* Finding all uses of a symbol. */
#include "lsp/references.h"

#include <stdlib.h>
#include <string.h>

#include "base/filename.h"
#include "cli/compile.h"
#include "cli/paths.h"

#define MOST_SPECS	2000

bool
loc_same(struct loc a, struct loc b)
{
	char *x, *y;
	bool same;

	if (a.beg != b.beg || a.end != b.end)
		return false;
	if (a.src == b.src || strcmp(a.src->path, b.src->path) == 0)
		return true;
	x = realpath(a.src->path, NULL);
	y = realpath(b.src->path, NULL);
	same = x && y && strcmp(x, y) == 0;
	free(x);
	free(y);
	return same;
}

static void
add_place(struct arena *a, struct places *p, const struct use *u)
{
	struct source *src;
	int i;

	for (i = 0; i < p->all.n; i++)
		if (loc_same(p->all.v[i].loc, u->loc))
			return;
	src = source_from_text(a, arena_strdup(a, u->loc.src->path), u->loc.src->text,
	    (size_t)u->loc.src->size);
	vec_push(a, &p->all, ((struct place){ { src, u->loc.beg, u->loc.end }, u->definition }));
}

static void
add_uses(struct arena *a, struct places *p, const struct tree *t, const struct symbol *sym)
{
	const struct source *last = NULL;
	int i;

	(void)last;
	for (i = 0; i < t->uses.n; i++)
		if (loc_same(t->uses.v[i].symbol->loc, sym->loc))
			add_place(a, p, &t->uses.v[i]);
}

/* Names of a body are known nowhere else. */
static bool
is_local(const struct symbol *s)
{
	return s->kind != SYMBOL_PARAM && s->kind != SYMBOL_BLOCK && s->kind != SYMBOL_FORMAL;
}

/* A spec that is not open. */
static void
add_file_uses(struct server *s, struct arena *a, struct places *p, const char *path, const struct symbol *sym)
{
	struct document d = { .uri = NULL };
	struct tree *t;
	const char *why;
	const struct source *src = source_read_below(a, "/", path, &why);

	if (!src || !strstr(src->text, sym->name))
		return;
	d.path = arena_strdup(a, path);
	if (!text_replace(&d.text, 0, 0, src->text, (size_t)src->size))
		return;
	if ((t = tree_make(s, &d)))
		add_uses(a, p, t, sym);
	tree_free(t);
	text_lines_free(&d.text);
}

void
references_find(struct server *s, struct arena *a, const struct symbol *sym, struct places *p)
{
	struct paths specs = { .failures = 0 };
	struct document *d;
	int i;

	for (d = s->documents; d; d = d->next)
		if (document_tree(s, d))
			add_uses(a, p, d->tree, sym);
	if (is_local(sym) || sym->loc.src->path[0] != '/')
		return;
	paths_add(a, &specs, compile_root(a, filename_absolute(a, sym->loc.src->path), false));
	for (i = 0; i < specs.path.n && i < MOST_SPECS; i++)
		if (!document_at(s, specs.path.v[i]))
			add_file_uses(s, a, p, specs.path.v[i], sym);
}
