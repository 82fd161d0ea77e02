/* Outlines: the symbols of a document, of the workspace, and who uses which block. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/filename.h"
#include "lsp/method.h"
#include "lsp/references.h"
#include "lsp/markdown.h"
#include "lsp/workspace.h"

static const int symbol_kinds[] = {	/* the protocol's SymbolKind */
	[SYMBOL_PARAM] = 14, [SYMBOL_BLOCK] = 5, [SYMBOL_NETWORK] = 2, [SYMBOL_FORMAL] = 26,
	[SYMBOL_INPUT] = 8, [SYMBOL_TARGET] = 8, [SYMBOL_DEF] = 13, [SYMBOL_LABEL] = 7,
	[SYMBOL_RESULT] = 24, [SYMBOL_DEVICE] = 19,
};

static json_t *
outline(const struct server *s, struct arena *a, const struct symbol *sym)
{
	struct text detail;

	text_init(&detail, a);
	words_symbol(&detail, sym);
	return json_pack("{s:s, s:s, s:i, s:o, s:o}", "name", sym->name, "detail", detail.s, "kind",
	    symbol_kinds[sym->kind], "range", loc_range(s, sym->whole), "selectionRange",
	    loc_range(s, sym->loc));
}

static bool
is_top(const struct symbol *s)
{
	return s->kind == SYMBOL_PARAM || s->kind == SYMBOL_BLOCK || s->kind == SYMBOL_NETWORK ||
	    s->kind == SYMBOL_DEVICE;
}

struct inner {			/* a symbol and the body that it is in */
	const void *body;
	const struct symbol *symbol;
	json_t *of;		/* of the body's own symbol: its children */
	int order;
};

/* By body, with the body's own symbol first. */
static int
by_body(const void *a, const void *b)
{
	const struct inner *x = a, *y = b;

	if (x->body != y->body)
		return (uintptr_t)x->body < (uintptr_t)y->body ? -1 : 1;
	return !x->of != !y->of ? (x->of ? -1 : 1) : x->order - y->order;
}

/* What is at file level, and in each block and network what is there. */
static json_t *
outlines(const struct server *s, struct arena *a, const struct tree *t)
{
	json_t *list = json_array(), *children = NULL;
	VEC(struct inner) all = { 0 };
	const void *body = NULL;
	int i;

	for (i = 0; i < t->symbols.n; i++) {
		const struct symbol *sym = t->symbols.v[i];
		struct inner in = { sym->block ? (const void *)sym->block : sym->network, sym, NULL, i };
		json_t *one;

		if (sym->loc.src != t->file->src || !sym->name || !*sym->name)
			continue;
		if (is_top(sym)) {
			json_array_append_new(list, one = outline(s, a, sym));
			if (sym->kind != SYMBOL_BLOCK && sym->kind != SYMBOL_NETWORK)
				continue;
			json_object_set_new(one, "children", in.of = json_array());
		}
		vec_push(a, &all, in);
	}
	if (all.n > 1)
		qsort(all.v, (size_t)all.n, sizeof(*all.v), by_body);
	for (i = 0; i < all.n; i++) {
		const struct inner *in = &all.v[i];

		if (i == 0 || in->body != body)
			children = NULL;
		body = in->body;
		if (in->of)
			children = in->of;
		else if (children)
			json_array_append_new(children, outline(s, a, in->symbol));
	}
	return list;
}

static struct answer
document_symbols(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	struct tree *t = document_tree(s, d);

	(void)params;
	return answer_with(t ? outlines(s, a, t) : NULL);
}

static bool
matches(const char *name, const char *query)
{
	for (; *query; query++) {	/* its letters, in their order */
		while (*name && strncasecmp(name, query, 1) != 0)
			name++;
		if (!*name++)
			return false;
	}
	return true;
}

struct query {
	struct server *server;
	const char *letters;
	json_t *list;
};

static const char *
container(const struct symbol *s)
{
	if (s->kind != SYMBOL_BLOCK && s->block)
		return s->block->name.text;
	return s->kind != SYMBOL_NETWORK && s->network ? s->network->name.text : "";
}

static void
see_tree(void *context, const struct tree *t)
{
	struct query *q = context;
	int i;

	for (i = 0; i < t->symbols.n; i++) {
		const struct symbol *sym = t->symbols.v[i];

		if (sym->loc.src == t->file->src && sym->name && *sym->name && sym->kind != SYMBOL_FORMAL &&
		    matches(sym->name, q->letters))
			json_array_append_new(q->list, json_pack("{s:s, s:i, s:o, s:s}", "name", sym->name,
			    "kind", symbol_kinds[sym->kind], "location", loc_location(q->server, sym->loc),
			    "containerName", container(sym)));
	}
}

static struct answer
workspace_symbols(struct server *s, struct document *none, const json_t *params, struct arena *a)
{
	const char *letters = json_string_value(json_object_get(params, "query"));
	struct query q = { s, letters ? letters : "", json_array() };

	(void)none;
	workspace_each(s, a, NULL, see_tree, &q);
	return answer_with(q.list);
}

/* ---- who uses which block ---- */

static json_t *
call_item(const struct server *s, const struct symbol *sym)
{
	return json_pack("{s:s, s:i, s:o, s:o, s:o}", "name", sym->name, "kind", symbol_kinds[sym->kind],
	    "uri", source_uri(s, sym->loc.src), "range", loc_range(s, sym->whole), "selectionRange",
	    loc_range(s, sym->loc));
}

static bool
has_body(const struct symbol *s)
{
	return s->kind == SYMBOL_BLOCK || s->kind == SYMBOL_NETWORK;
}

static struct answer
prepare_calls(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	struct tree *t = document_tree(s, d);
	const struct use *u;
	size_t at;

	(void)a;
	if (!t || !position_of(s, d, params, &at) || !(u = tree_use_at(t, (int)at)) || !has_body(u->symbol))
		return answer_with(NULL);
	return answer_with(json_pack("[o]", call_item(s, u->symbol)));
}

/* The block or network of a CallHierarchyItem, and the tree that has it. */
static const struct symbol *
called(struct server *s, const json_t *params, struct tree **t)
{
	const json_t *item = json_object_get(params, "item");
	const char *uri = json_string_value(json_object_get(item, "uri"));
	struct document *d;
	struct position p;
	int i;

	if (!json_position(json_object_get(json_object_get(item, "selectionRange"), "start"), &p) || !uri)
		return NULL;
	for (d = s->documents; d; d = d->next) {
		*t = document_tree(s, d);
		for (i = 0; *t && i < (*t)->symbols.n; i++) {
			const struct symbol *sym = (*t)->symbols.v[i];
			json_t *item_of = has_body(sym) ? call_item(s, sym) : NULL;
			bool same = item_of && json_equal(json_object_get(item_of, "uri"),
			    json_object_get(item, "uri")) && json_equal(json_object_get(item_of,
			    "selectionRange"), json_object_get(item, "selectionRange"));

			json_decref(item_of);
			if (same)
				return sym;
		}
	}
	return NULL;
}

/* The block or network around a place. */
static const struct symbol *
around(const struct tree *t, struct loc l)
{
	int i;

	for (i = 0; i < t->symbols.n; i++)
		if (has_body(t->symbols.v[i]) && t->symbols.v[i]->whole.src == l.src &&
		    loc_holds(t->symbols.v[i]->whole, l.beg))
			return t->symbols.v[i];
	return NULL;
}

/* Uses of blocks, by the block or network that they are in, or by the block used. */
static json_t *
calls(struct server *s, const struct tree *t, const struct symbol *of, bool incoming)
{
	json_t *list = json_array();
	int i, k;

	for (i = 0; i < t->symbols.n; i++) {
		const struct symbol *other = t->symbols.v[i];
		json_t *ranges = json_array();

		for (k = 0; has_body(other) && k < t->uses.n; k++) {
			const struct use *u = &t->uses.v[k];
			const struct symbol *used = incoming ? of : other, *in = incoming ? other : of;

			if (!u->definition && u->symbol == used && used->kind == SYMBOL_BLOCK &&
			    around(t, u->loc) == in)
				json_array_append_new(ranges, loc_range(s, u->loc));
		}
		if (json_array_size(ranges))
			json_array_append_new(list, json_pack("{s:o, s:O}", incoming ? "from" : "to",
			    call_item(s, other), "fromRanges", ranges));
		json_decref(ranges);
	}
	return list;
}

static struct answer
incoming_calls(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	struct tree *t;
	const struct symbol *sym = called(s, params, &t);

	(void)d, (void)a;
	return answer_with(sym ? calls(s, t, sym, true) : NULL);
}

static struct answer
outgoing_calls(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	struct tree *t;
	const struct symbol *sym = called(s, params, &t);

	(void)d, (void)a;
	return answer_with(sym ? calls(s, t, sym, false) : NULL);
}

const struct lsp_method lsp_method_document_symbol = {
	.name = "textDocument/documentSymbol", .answer = document_symbols, .provider = "documentSymbolProvider",
};

const struct lsp_method lsp_method_workspace_symbol = {
	.name = "workspace/symbol", .answer = workspace_symbols, .any_document = true, .provider = "workspaceSymbolProvider",
};

const struct lsp_method lsp_method_prepare_calls = {
	.name = "textDocument/prepareCallHierarchy", .answer = prepare_calls, .provider = "callHierarchyProvider",
};

const struct lsp_method lsp_method_incoming_calls = {
	.name = "callHierarchy/incomingCalls", .answer = incoming_calls, .any_document = true,
};

const struct lsp_method lsp_method_outgoing_calls = {
	.name = "callHierarchy/outgoingCalls", .answer = outgoing_calls, .any_document = true,
};
