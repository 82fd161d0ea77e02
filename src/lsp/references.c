/* Finding all uses of a symbol. */
#include "lsp/references.h"

#include <stdlib.h>
#include <string.h>

#include "base/filename.h"
#include "lsp/workspace.h"

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
	src->shipped = u->loc.src->shipped;
	vec_push(a, &p->all, ((struct place){ { src, u->loc.beg, u->loc.end }, u->definition }));
}

struct finding {
	struct arena *arena;
	const struct symbol *symbol;
	struct places *places;
};

static void
add_uses(void *context, const struct tree *t)
{
	struct finding *f = context;
	int i;

	for (i = 0; i < t->uses.n; i++)
		if (loc_same(t->uses.v[i].symbol->loc, f->symbol->loc))
			add_place(f->arena, f->places, &t->uses.v[i]);
}

/* Names of a body are known nowhere else. */
static bool
is_local(const struct symbol *s)
{
	return s->kind != SYMBOL_PARAM && s->kind != SYMBOL_BLOCK && s->kind != SYMBOL_FORMAL;
}

void
references_find(struct server *s, struct arena *a, const struct symbol *sym, struct places *p)
{
	struct finding f = { a, sym, p };
	struct document *d;

	if (!is_local(sym) && sym->loc.src->path[0] == '/') {
		workspace_each(s, a, sym->name, add_uses, &f);
		return;
	}
	for (d = s->documents; d; d = d->next)
		if (document_tree(s, d))
			add_uses(&f, d->tree);
}
