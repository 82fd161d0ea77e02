/* Inlining a block at one use, or at all of them: then its definition goes. */
#include <string.h>

#include "lsp/references.h"
#include "lsp/refactor.h"

#define MOST_USES	100	/* of one block, for all of them to be inlined */

/* A use of the block outside of itself; no source: there is none. */
static struct loc
next_use(const struct tree *t, const char *name)
{
	const struct symbol *b = NULL;
	int i;

	for (i = 0; i < t->symbols.n; i++)
		if (t->symbols.v[i]->kind == SYMBOL_BLOCK && strcmp(t->symbols.v[i]->name, name) == 0 && !b)
			b = t->symbols.v[i];
	for (i = 0; b && i < t->uses.n; i++)
		if (t->uses.v[i].symbol == b && !t->uses.v[i].definition && t->uses.v[i].loc.src == t->file->src)
			return t->uses.v[i].loc;
	return (struct loc){ NULL, 0, 0 };
}

static bool
is_used_elsewhere(const struct relations *r, const struct symbol *b)
{
	int i, k;

	for (i = 1; i < r->all.n; i++)
		for (k = 0; k < r->all.v[i].tree->uses.n; k++) {
			const struct use *u = &r->all.v[i].tree->uses.v[k];

			if (!u->definition && loc_same(u->symbol->loc, b->loc) && !loc_same(u->loc, b->loc) &&
			    strcmp(real_path(r->all.v[i].tree->arena, u->loc.src->path), r->all.v[0].path) != 0)
				return true;
		}
	return false;
}

/* The text without the block's definition. */
static const char *
without_block(struct arena *a, const struct tree *t, const char *name)
{
	const struct source *src = t->file->src;
	struct edits *e = edits_new(a, src);
	int i, beg, end;

	for (i = 0; i < t->file->blocks.n; i++) {
		const struct block *b = t->file->blocks.v[i];

		if (strcmp(b->name.text, name) != 0)
			continue;
		beg = item_start(src, b->loc.beg);
		for (end = b->loc.end; end < src->size && src->text[end] != '\n'; end++)
			;
		while (end < src->size && src->text[end] == '\n')
			end++;
		edits_add(e, beg, end, "");
		return edits_apply(e)->text;
	}
	return NULL;
}

static void
inline_all(struct refactoring *x, const char *name)
{
	struct server *s = x->server;
	struct document *d = x->document;
	const char *text, *path = real_path(x->arena, x->document->path);
	struct edits *e;
	int n;

	for (n = 0; n < MOST_USES; n++) {
		struct changes c = { .all = { NULL, 0, 0 } };
		struct tree *t = document_tree(s, d);
		struct loc l = t ? next_use(t, name) : (struct loc){ NULL, 0, 0 };
		struct refactoring one;

		if (!l.src)
			break;
		one = inline_use(s, d, x->arena, l);
		if (!one.best)
			return;
		vec_push(x->arena, &c.all, ((struct change){ path, one.best }));
		s = changed_server(s, x->arena, &c);
		d = document_at(s, path);
	}
	if (n == 0 || n == MOST_USES || !d || !document_tree(s, d) ||
	    !(text = without_block(x->arena, document_tree(s, d), name)))
		return;
	e = edits_new(x->arena, x->src);
	edits_add(e, 0, x->src->size, text);
	refactor_try(x, e);
}

static json_t *
inline_definition(struct server *s, struct document *d, struct arena *a, const struct use *u)
{
	struct refactoring x;
	struct loc all = { u->loc.src, 0, u->loc.src->size };
	json_t *action = NULL;

	if (refactor_begin(&x, s, d, a, all, true) && !is_used_elsewhere(&x.specs, u->symbol)) {
		x.drops = true;
		inline_all(&x, u->symbol->name);
		action = refactor_action(&x, arena_printf(a, "inline block %s everywhere, and remove it",
		    u->symbol->name), "refactor.inline");
	}
	refactor_end(&x);
	return action;
}

json_t *
inline_action(struct server *s, struct document *d, struct arena *a, size_t beg, size_t end)
{
	struct tree *t = document_tree(s, d);
	const struct use *u = t ? tree_use_at(t, (int)beg) : NULL;
	struct refactoring x;

	if (!u || u->symbol->kind != SYMBOL_BLOCK || (int)end > u->loc.end)
		return NULL;
	if (u->definition)
		return inline_definition(s, d, a, u);
	x = inline_use(s, d, a, u->loc);
	return refactor_action(&x, arena_printf(a, "inline block %s", u->symbol->name), "refactor.inline");
}
