/*
 * Renaming what a spec names, in all files that see it. Nothing is promised that was not tried:
 * with the edits every name must stand for what it stood for, each network must be the same graph,
 * and no path may differ but where it says the name.
 */
#include "lsp/rename.h"

#include <ctype.h>
#include <string.h>

#include "base/filename.h"
#include "lsp/method.h"
#include "lsp/references.h"
#include "syntax/parse.h"

/* ---- may it be called that? ---- */

static bool
is_word(const char *s)
{
	if (isdigit((unsigned char)*s))
		return false;
	return *s && s[strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static bool
is_keyword(struct arena *a, const char *word)
{
	const char *text = arena_printf(a, "param %s = 1\n", word);
	struct diags quiet;
	struct file *f;

	diags_init(&quiet, a);
	f = parse_file(a, &quiet, source_from_text(a, "", text, strlen(text)));
	return quiet.errors || f->globals.n != 1 || strcmp(f->globals.v[0].name.text, word) != 0;
}

static bool
has_own_meaning(const char *name)
{
	return strcmp(name, "in") == 0 || strcmp(name, "index") == 0;
}

static const char *
bad_name(struct arena *a, const char *name)
{
	if (!is_word(name))
		return arena_printf(a, "'%s' is no name: it takes letters, digits and underscores, and begins "
		    "with no digit", name);
	if (has_own_meaning(name))
		return arena_printf(a, "'%s' has a meaning of its own and cannot be defined", name);
	if (is_keyword(a, name))
		return arena_printf(a, "'%s' is a keyword", name);
	if (strcmp(name, "out") == 0)
		return "'out' is what a block gives back, and nothing else";
	return NULL;
}

/* Why what is there cannot be renamed; NULL: it can. */
static const char *
fixed_name(const struct symbol *s)
{
	if (!s->name || !is_word(s->name) || has_own_meaning(s->name))
		return "that has no name of its own";
	if (s->loc.src->shipped)
		return "that comes with Stowage, and is what it is called for everybody";
	if (strcmp(s->name, "out") == 0 && s->kind == SYMBOL_DEF)
		return "'out' is what a block gives back: that is its name";
	return NULL;
}

/* ---- is it taken? ---- */

static const char *
place_text(struct arena *a, struct loc l)
{
	return arena_printf(a, "line %d of %s", loc_line(l), filename_shown(a, l.src->path));
}

static bool
shares_names(const struct symbol *s, const struct symbol *o)
{
	bool local = s->block || s->network;

	if (s->kind == SYMBOL_RESULT || o->kind == SYMBOL_RESULT || s->kind == SYMBOL_NETWORK ||
	    o->kind == SYMBOL_NETWORK || s->kind == SYMBOL_DEVICE || o->kind == SYMBOL_DEVICE)
		return s->kind == o->kind && (s->kind != SYMBOL_RESULT || s->network == o->network);
	if (s->kind == SYMBOL_BLOCK || s->kind == SYMBOL_PARAM)
		return o->kind == SYMBOL_BLOCK || o->kind == SYMBOL_PARAM;
	return local && s->block == o->block && s->network == o->network &&
	    o->kind != SYMBOL_BLOCK && o->kind != SYMBOL_PARAM;
}

static void
check_taken(struct renaming *r, const struct tree *t)
{
	const struct symbol *s = NULL, *o;
	int i;

	for (i = 0; i < t->symbols.n && !s; i++)
		if (loc_same(t->symbols.v[i]->loc, r->symbol->loc))
			s = t->symbols.v[i];
	for (i = 0; s && i < t->symbols.n && !r->why; i++) {
		o = t->symbols.v[i];
		if (o != s && o->name && strcmp(o->name, r->name) == 0 && shares_names(s, o))
			r->why = arena_printf(r->arena, "'%s' is taken: it is defined in %s", r->name,
			    place_text(r->arena, o->loc));
	}
}

/* ---- do all names mean the same? ---- */

static int
by_file_and_place(const struct use *u, const char *path, struct loc l)
{
	int c = u->loc.src == l.src ? 0 : strcmp(u->loc.src->path, path);

	return c ? c : (u->loc.beg > l.beg) - (u->loc.beg < l.beg);
}

/* Which use defines the symbol, as an index; -1: none. */
static int
definition_of(const struct tree *t, const struct symbol *s)
{
	int low = 0, high = t->uses.n - 1;

	while (low <= high) {
		int mid = low + (high - low) / 2;
		int c = by_file_and_place(&t->uses.v[mid], s->loc.src->path, s->loc);

		if (c == 0)
			return mid;
		if (c < 0)
			low = mid + 1;
		else
			high = mid - 1;
	}
	return -1;
}

/* Where the byte of a text with the changes was before; of another file, what it is. */
static int
place_before(const struct renaming *r, struct loc l)
{
	const char *path = real_path(r->arena, l.src->path);
	int i, k, at = l.beg;

	for (i = 0; i < r->changes.all.n; i++) {
		const struct edits *e = r->changes.all.v[i].edits;

		if (strcmp(r->changes.all.v[i].path, path) != 0)
			continue;
		for (k = 0; k < e->all.n && e->all.v[k].beg < at; k++)
			at -= (int)strlen(e->all.v[k].text) - (e->all.v[k].end - e->all.v[k].beg);
	}
	return at;
}

static void
check_uses(struct renaming *r, const struct tree *old, const struct tree *new)
{
	int i;

	for (i = 0; i < old->uses.n || i < new->uses.n; i++) {
		const struct use *x = i < old->uses.n ? &old->uses.v[i] : NULL;
		const struct use *y = i < new->uses.n ? &new->uses.v[i] : NULL;

		if (x && y && place_before(r, y->loc) == x->loc.beg &&
		    definition_of(old, x->symbol) == definition_of(new, y->symbol))
			continue;
		r->why = arena_printf(r->arena, "'%s' would mean something else in %s", r->name,
		    place_text(r->arena, y && (!x || place_before(r, y->loc) <= x->loc.beg) ? y->loc : x->loc));
		return;
	}
}

/* ---- are the networks the same? ---- */

/* Are the paths equal but for the name? Behind a name there may be a number, "_2". */
static bool
is_renamed(const struct renaming *r, const char *old, const char *new)
{
	size_t from = strlen(r->symbol->name), to = strlen(r->name);

	for (;;) {
		size_t x = strcspn(old, "."), y = strcspn(new, ".");
		bool same = x == y && strncmp(old, new, x) == 0;

		if (!same && !(x >= from && y >= to && x - from == y - to && (x == from || old[from] == '_') &&
		    strncmp(old, r->symbol->name, from) == 0 && strncmp(new, r->name, to) == 0 &&
		    strncmp(old + from, new + to, x - from) == 0))
			return false;
		if (!old[x] || !new[y])
			return !old[x] && !new[y];
		old += x + 1;
		new += y + 1;
	}
}

static void
check_network(struct renaming *r, const struct form *old, const struct form *new)
{
	int i;

	if (forms_compare(old, new) == SAME_NOT)
		r->why = arena_printf(r->arena, "the network %s would not be the same", old->name);
	for (i = 0; !r->why && i < old->paths.n; i++)
		if (!is_renamed(r, old->paths.v[i], new->paths.v[i]))
			r->why = arena_printf(r->arena, "the path %s would become %s", old->paths.v[i],
			    new->paths.v[i]);
}

static void
check_spec(struct renaming *r, struct server *changed, struct related *s)
{
	struct diags diags;
	struct spec *new = spec_at(changed, r->arena, &diags, s->path, NULL);
	const struct diag *g = new ? diags_new_error(&s->diags, &diags) : NULL;
	int i;

	if (g)
		r->why = arena_printf(r->arena, "it would bring the error \"%s\"", g->message);
	if (!new || (s->spec && s->spec->modules.n != new->modules.n))
		r->why = arena_printf(r->arena, "%s cannot be read with it", filename_shown(r->arena, s->path));
	for (i = 0; !r->why && s->spec && i < new->modules.n; i++) {
		struct form f;

		if (s->spec->modules.v[i]->broken)	/* there is no network to compare */
			continue;
		f = form_of(r->arena, new->modules.v[i]);
		check_network(r, &s->form[i], &f);
	}
}

static void
check(struct renaming *r)
{
	struct server *changed = changed_server(r->server, r->arena, &r->changes);
	int i;

	for (i = 0; i < r->specs.all.n && !r->why; i++) {
		struct document *d = document_at(changed, r->specs.all.v[i].path);
		struct tree *t = tree_make(changed, d ? d : r->specs.all.v[i].document);

		if (t)
			check_uses(r, r->specs.all.v[i].tree, t);
		tree_free(t);
		if (!r->why)
			check_spec(r, changed, &r->specs.all.v[i]);
	}
}

/* ---- the methods ---- */

static const struct use *
use_there(struct server *s, struct document *d, const json_t *params)
{
	struct tree *t = document_tree(s, d);
	size_t at;

	return t && position_of(s, d, params, &at) ? tree_use_at(t, (int)at) : NULL;
}

static struct answer
prepare(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	const struct use *u = use_there(s, d, params);
	const char *why = u ? fixed_name(u->symbol) : NULL;

	(void)a;
	if (!u)
		return answer_with(NULL);
	if (why)
		return answer_error(LSP_REQUEST_FAILED, why);
	return answer_with(json_pack("{s:o, s:s}", "range", loc_range(s, u->loc), "placeholder",
	    u->symbol->name));
}

/* What a block or param is called is seen wherever its file is used; so are paths. */
static bool
is_shared(const struct symbol *s)
{
	return s->block || s->kind == SYMBOL_PARAM;
}

static struct answer
rename_symbol(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	const char *name = json_string_value(json_object_get(params, "newName"));
	const struct use *u = use_there(s, d, params);
	struct renaming r = { .server = s, .arena = a, .name = name };
	int i;

	if (!name)
		return answer_error(RPC_INVALID_PARAMS, "there is no new name");
	if (!u)
		return answer_error(LSP_REQUEST_FAILED, "there is no name here that can be changed");
	r.symbol = u->symbol;
	if (!(r.why = fixed_name(u->symbol)))
		r.why = bad_name(a, name);
	if (r.why)
		return answer_error(LSP_REQUEST_FAILED, r.why);
	if (strcmp(name, u->symbol->name) == 0)
		return answer_with(NULL);
	related_find(s, a, d, real_path(a, r.symbol->loc.src->path), is_shared(r.symbol), &r.specs);
	for (i = 0; i < r.specs.all.n && !r.why; i++)
		check_taken(&r, r.specs.all.v[i].tree);
	if (!r.why)
		rename_edits(&r);
	if (!r.why)
		check(&r);
	related_free(&r.specs);
	if (r.why)
		return answer_error(LSP_REQUEST_FAILED, r.why);
	return answer_with(workspace_edit(s, changes_json(s, &r.changes)));
}

static void
offer(const struct client *c, json_t *capabilities)
{
	(void)c;
	json_object_set_new(capabilities, "renameProvider", json_pack("{s:b}", "prepareProvider", 1));
}

const struct lsp_method lsp_method_prepare_rename = {
	.name = "textDocument/prepareRename", .answer = prepare, .offer = offer,
};

const struct lsp_method lsp_method_rename = {
	.name = "textDocument/rename", .when = ALONE, .answer = rename_symbol,
};
