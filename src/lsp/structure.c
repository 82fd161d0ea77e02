/* The shape of a text: what folds, what a selection grows to, which of its words are files. */
#include <string.h>

#include "base/filename.h"
#include "lsp/method.h"
#include "lsp/document_tree.h"

/* ---- folding ---- */

struct folds {
	const struct document *document;
	json_t *list;
};

static void
add_fold(struct folds *f, size_t beg, size_t end, const char *kind)
{
	struct position from = text_position(&f->document->text, beg, true);
	struct position to = text_position(&f->document->text, end, true);
	json_t *one;

	if (to.line <= from.line)
		return;
	one = json_pack("{s:I, s:I}", "startLine", (json_int_t)from.line, "endLine", (json_int_t)to.line);
	if (kind)
		json_object_set_new(one, "kind", json_string(kind));
	json_array_append_new(f->list, one);
}

static void
fold_loc(struct folds *f, struct loc l)
{
	if (l.src)
		add_fold(f, (size_t)l.beg, (size_t)l.end, NULL);
}

static bool
is_comment_line(const struct text_lines *t, int line)
{
	size_t at = t->start[line];

	while (t->text[at] == ' ' || t->text[at] == '\t')
		at++;
	return t->text[at] == '#';
}

static void
fold_comments(struct folds *f)
{
	const struct text_lines *t = &f->document->text;
	int from, to;

	for (from = 0; from < t->lines; from = to + 1) {
		for (to = from; to < t->lines && is_comment_line(t, to); to++)
			;
		if (to - from > 1)
			add_fold(f, t->start[from], t->start[to - 1], "comment");
	}
}

static struct answer
folding(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	struct tree *t = document_tree(s, d);
	struct folds f = { d, NULL };
	int i, k;

	(void)params, (void)a;
	if (!t)
		return answer_with(NULL);
	f.list = json_array();
	for (i = 0; i < t->bodies.n; i++) {
		const struct body *b = &t->bodies.v[i];
		const struct stmt *stmt = b->block ? b->block->stmt : b->network->stmt;
		int n = b->block ? b->block->nstmts : b->network->nstmts;

		if (b->loc.src != t->file->src)
			continue;
		fold_loc(&f, b->loc);
		for (k = 0; k < n; k++)
			fold_loc(&f, stmt[k].loc);
	}
	for (i = 0; i < t->file->sections.n; i++)
		fold_loc(&f, t->file->sections.v[i]->loc);
	fold_comments(&f);
	return answer_with(f.list);
}

/* ---- selections that grow ---- */

#define MOST_RANGES	64

struct growth {
	int at;
	struct loc range[MOST_RANGES];	/* from the outermost to the innermost */
	int n;
};

static void
grow(struct growth *g, struct loc l)
{
	const struct loc *last = g->n ? &g->range[g->n - 1] : NULL;

	if (loc_holds(l, g->at) && g->n < MOST_RANGES &&
	    (!last || (l.beg >= last->beg && l.end <= last->end && (l.beg > last->beg || l.end < last->end))))
		g->range[g->n++] = l;
}

static void
grow_expr(void *context, const struct expr *e)
{
	grow(context, e->loc);
	if (e->kind == E_CALL || e->kind == E_LABEL)
		grow(context, e->head);
}

static void
grow_statements(struct growth *g, const struct stmt *stmt, int n)
{
	int i;

	for (i = 0; i < n; i++)
		grow(g, stmt[i].loc);
}

static json_t *
selection(struct server *s, const struct document *d, const struct tree *t, size_t at)
{
	struct growth g = { .at = (int)at };
	json_t *range = json_pack("{s:o}", "range", range_json(s, &d->text, 0, d->text.n));
	int i;

	for (i = 0; i < t->bodies.n; i++)
		if (t->bodies.v[i].loc.src == t->file->src) {
			const struct body *b = &t->bodies.v[i];

			grow(&g, b->loc);
			grow_statements(&g, b->block ? b->block->stmt : b->network->stmt,
			    b->block ? b->block->nstmts : b->network->nstmts);
		}
	for (i = 0; i < t->file->sections.n; i++) {
		int k;

		grow(&g, t->file->sections.v[i]->loc);
		for (k = 0; k < t->file->sections.v[i]->nsettings; k++)
			grow(&g, t->file->sections.v[i]->setting[k].loc);
	}
	tree_walk(t->file, grow_expr, &g);
	for (i = 0; i < g.n; i++)
		range = json_pack("{s:o, s:o}", "range", loc_range(s, g.range[i]), "parent", range);
	return range;
}

static struct answer
selections(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	const json_t *positions = json_object_get(params, "positions");
	struct tree *t = document_tree(s, d);
	json_t *list = json_array();
	struct position p;
	size_t i;

	(void)a;
	for (i = 0; t && i < json_array_size(positions); i++)
		if (json_position(json_array_get(positions, i), &p))
			json_array_append_new(list, selection(s, d, t, text_offset(&d->text, p, s->client.utf8)));
	return answer_with(list);
}

/* ---- links ---- */

struct links {
	struct server *server;
	struct document *document;
	struct arena *arena;
	json_t *list;
};

static void
add_link(struct links *l, struct loc at, const char *path)
{
	json_array_append_new(l->list, json_pack("{s:o, s:o}", "range", loc_range(l->server, at), "target",
	    used_uri(l->arena, l->document, path)));
}

/* The quoted part of a place. */
static struct loc
quoted(struct loc l)
{
	while (l.beg < l.end && l.src->text[l.beg] != '"')
		l.beg++;
	l.beg += l.beg < l.end;
	l.end -= l.end > l.beg && l.src->text[l.end - 1] == '"';
	return l;
}

static void
link_data(struct links *l, const struct setting *st)
{
	int i, k;

	for (i = 0; i < st->nvalues; i++)
		for (k = 0; k < st->value[i]->nargs; k++) {
			const struct expr *e = st->value[i]->arg[k].value;

			if (e && e->kind == E_STR)
				add_link(l, quoted(e->loc), e->name);
		}
}

static struct answer
links(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	struct tree *t = document_tree(s, d);
	struct links l = { s, d, a, NULL };
	int i, k;

	(void)params;
	if (!t || d->path[0] != '/')
		return answer_with(NULL);
	l.list = json_array();
	for (i = 0; i < t->file->imports.n; i++)
		add_link(&l, quoted(t->file->imports.v[i].loc), t->file->imports.v[i].path);
	for (i = 0; i < t->file->sections.n; i++)
		for (k = 0; k < t->file->sections.v[i]->nsettings; k++)
			if (strcmp(t->file->sections.v[i]->setting[k].key.text, "data") == 0)
				link_data(&l, &t->file->sections.v[i]->setting[k]);
	return answer_with(l.list);
}

static void
offer_links(const struct client *c, json_t *capabilities)
{
	(void)c;
	json_object_set_new(capabilities, "documentLinkProvider", json_pack("{s:b}", "resolveProvider", 0));
}

const struct lsp_method lsp_method_folding_range = {
	.name = "textDocument/foldingRange", .answer = folding, .provider = "foldingRangeProvider",
};

const struct lsp_method lsp_method_selection_range = {
	.name = "textDocument/selectionRange", .answer = selections, .provider = "selectionRangeProvider",
};

const struct lsp_method lsp_method_document_link = {
	.name = "textDocument/documentLink", .answer = links, .offer = offer_links,
};
