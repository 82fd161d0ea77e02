/* Where names are defined and used. */
#include <string.h>

#include "lsp/method.h"
#include "lsp/document_tree.h"
#include "lsp/references.h"

static const struct use *
use_at(struct server *s, struct document *d, const json_t *params, struct tree **t)
{
	size_t at;

	*t = document_tree(s, d);
	return *t && position_of(s, d, params, &at) ? tree_use_at(*t, (int)at) : NULL;
}

static struct answer
definition(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	struct tree *t;
	const struct use *u = use_at(s, d, params, &t);
	size_t at;
	int i;

	if (u && s->client.link_support)
		return answer_with(json_pack("[{s:o, s:o, s:o, s:o}]", "originSelectionRange",
		    loc_range(s, u->loc), "targetUri", source_uri(s, u->symbol->loc.src), "targetRange",
		    loc_range(s, u->symbol->whole), "targetSelectionRange", loc_range(s, u->symbol->loc)));
	if (u)
		return answer_with(loc_location(s, u->symbol->loc));
	if (!t || !position_of(s, d, params, &at))
		return answer_with(NULL);
	for (i = 0; i < t->file->imports.n; i++)	/* the file that is used */
		if (loc_holds(t->file->imports.v[i].loc, (int)at))
			return answer_with(json_pack("{s:o, s:{s:{s:i,s:i}, s:{s:i,s:i}}}", "uri",
			    used_uri(a, d, t->file->imports.v[i].path), "range", "start", "line", 0, "character", 0,
			    "end", "line", 0, "character", 0));
	return answer_with(NULL);
}

static struct answer
references(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	bool all = json_is_true(json_object_get(json_object_get(params, "context"), "includeDeclaration"));
	struct tree *t;
	const struct use *u = use_at(s, d, params, &t);
	struct places places = { .all = { NULL, 0, 0 } };
	json_t *list;
	int i;

	if (!u)
		return answer_with(NULL);
	references_find(s, a, u->symbol, &places);
	list = json_array();
	for (i = 0; i < places.all.n; i++)
		if (all || !places.all.v[i].definition)	/* what is nowhere is not appended */
			json_array_append_new(list, loc_location(s, places.all.v[i].loc));
	return answer_with(list);
}

static struct answer
highlight(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	struct tree *t;
	const struct use *u = use_at(s, d, params, &t);
	json_t *list;
	int i;

	(void)a;
	if (!u)
		return answer_with(NULL);
	list = json_array();
	for (i = 0; i < t->uses.n; i++) {
		const struct use *o = &t->uses.v[i];

		if (o->symbol == u->symbol && o->loc.src == t->file->src)
			json_array_append_new(list, json_pack("{s:o, s:i}", "range", loc_range(s, o->loc),
			    "kind", o->definition ? 3 : 2));
	}
	return answer_with(list);
}

const struct lsp_method lsp_method_definition = {
	.name = "textDocument/definition", .answer = definition, .provider = "definitionProvider",
};

const struct lsp_method lsp_method_references = {
	.name = "textDocument/references", .answer = references, .provider = "referencesProvider",
};

const struct lsp_method lsp_method_highlight = {
	.name = "textDocument/documentHighlight", .answer = highlight, .provider = "documentHighlightProvider",
};
