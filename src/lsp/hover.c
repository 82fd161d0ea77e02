/* What stands under the pointer. */
#include <string.h>

#include "lsp/method.h"
#include "lsp/markdown.h"
#include "readers/reader.h"
#include "target/gpu.h"

struct hover {
	struct server *server;
	struct document *document;
	struct text text;
	struct loc at;		/* what it is about; no source: nothing */
};

static const struct setting *
setting_at(const struct section *sec, int at)
{
	int i;

	for (i = 0; sec && i < sec->nsettings; i++)
		if (loc_holds(sec->setting[i].loc, at))
			return &sec->setting[i];
	return NULL;
}

static void
hover_card(struct hover *h, const char *name)
{
	const struct gpu *g = gpu_find(name);
	char buf[SIZE_TEXT];

	if (!g)
		return;
	text_printf(&h->text, "**%s**: %s by CUDA, sm_%d", g->name, size_human(buf, gpu_memory(g)),
	    g->arch);
	if (g->multiprocessors)
		text_printf(&h->text, ", %d multiprocessors", g->multiprocessors);
	if (g->l2_mib)
		text_printf(&h->text, ", %d MiB of L2 cache", g->l2_mib);
}

/* A setting's name, or what its value names. */
static void
hover_setting(struct hover *h, const struct section *sec, const struct setting *st, int at)
{
	const struct setting_kind *k = setting_kind(sec->kind, st->key.text);
	const struct reader *r;
	const struct op *op;
	int i;

	if (k && loc_holds(st->key.loc, at)) {
		h->at = st->key.loc;
		words_setting(&h->text, k);
		return;
	}
	for (i = 0; i < st->nvalues; i++) {
		const struct expr *e = st->value[i];
		struct loc head = e->kind == E_CALL ? e->head : e->loc;

		if (!loc_holds(head, at) || !e->name)
			continue;
		h->at = head;
		if (strcmp(st->key.text, "optimizer") == 0 && (op = words_op(e->name)))
			words_operator(&h->text, op);
		else if (strcmp(st->key.text, "data") == 0 && (r = reader_find(e->name)))
			text_printf(&h->text, "```stowage\ndata %s\n```\n%s\n\n%s", r->usage, r->brief,
			    r->doc);
		else if (sec->kind == SEC_DEVICE && e->kind == E_STR)
			hover_card(h, e->name);
	}
}

/* A name that something of the document defines. */
static void
hover_symbol(struct hover *h, const struct use *u)
{
	const struct symbol *s = u->symbol;

	h->at = u->loc;
	text_puts(&h->text, "```stowage\n");
	words_symbol(&h->text, s);
	text_puts(&h->text, "\n```\n");
	if (s->kind == SYMBOL_BLOCK)
		words_comment(&h->text, s->whole);
	if (s->loc.src->shipped)
		words_shipped(&h->text, s->loc.src->path);
	if (s->kind == SYMBOL_NETWORK)
		words_network(&h->text, facts_network(h->document, s->name));
}

/* The last layer of a pipe: whose output a definition names. */
static const struct expr *
last_layer(const struct expr *e)
{
	while (e && (e->kind == E_PIPE || e->kind == E_LABEL))
		e = e->kind == E_PIPE ? e->b : e->a;
	return e;
}

struct labelled {
	const struct expr *layer, *label;
};

static void
see_label(void *context, const struct expr *e)
{
	struct labelled *l = context;

	if (e->kind == E_LABEL && e->a == l->layer)
		l->label = e;
}

/* The label of the layer: the figures are there if it has one. NULL: none. */
static const struct expr *
label_of(const struct tree *t, const struct expr *layer)
{
	struct labelled l = { layer, NULL };

	tree_walk(t->file, see_label, &l);
	return l.label;
}

/* The figures of a layer, or of the block that is used in its place. */
static void
hover_layer(struct hover *h, const struct tree *t, const struct expr *e)
{
	int64_t batch = facts_batch(h->document);
	const struct expr *label;
	const json_t *layer;

	if (!e || !e->name)
		return;
	layer = facts_layer(h->document, e->head.src ? e->head : e->loc);
	if (!layer && (label = label_of(t, e)))
		layer = facts_layer(h->document, label->head);
	if (layer)
		words_layer(&h->text, layer, batch);
	else
		words_use(&h->text, facts_use(h->document, e->kind == E_CALL ? e->head : expr_word(e)), batch);
}

static void
hover_code(struct hover *h, struct tree *t, int at)
{
	const struct use *u = tree_use_at(t, at);
	const struct expr *e = tree_layer_at(t, at);
	const struct op *op = e && e->kind != E_LABEL ? words_op(e->name) : NULL;

	if (u) {
		hover_symbol(h, u);
		if (u->symbol->kind == SYMBOL_DEF && u->symbol->loc.src == t->file->src)
			hover_layer(h, t, last_layer(u->symbol->expr));
		else if (e)
			hover_layer(h, t, last_layer(e));
	} else if (op) {
		h->at = e->kind == E_CALL ? e->head : e->loc;
		hover_layer(h, t, e);
		words_operator(&h->text, op);
	}
}

/* A file that comes with Stowage, where it is used. */
static void
hover_import(struct hover *h, const struct tree *t, int at)
{
	int i, k;

	for (i = 0; i < t->file->imports.n; i++) {
		const struct import *use = &t->file->imports.v[i];

		for (k = 0; loc_holds(use->loc, at) && k < t->files.n; k++)
			if (t->files.v[k].file->src->shipped && strcmp(t->files.v[k].path, use->path) == 0) {
				h->at = use->loc;
				words_library(&h->text, t->files.v[k].file);
			}
	}
}

static struct answer
hover(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	struct tree *t = document_tree(s, d);
	struct hover h = { .server = s, .document = d };
	const struct section *sec;
	const struct setting *st;
	size_t at;

	if (!t || !position_of(s, d, params, &at))
		return answer_with(NULL);
	text_init(&h.text, a);
	sec = tree_section_at(t, (int)at);
	st = setting_at(sec, (int)at);
	if (st)
		hover_setting(&h, sec, st, (int)at);
	if (!h.text.n)
		hover_code(&h, t, (int)at);
	if (!h.text.n)
		hover_import(&h, t, (int)at);
	if (!h.text.n)
		return answer_with(NULL);
	return answer_with(json_pack("{s:o, s:o}", "contents", markdown(&h.text), "range",
	    loc_range(s, h.at)));
}

const struct lsp_method lsp_method_hover = {
	.name = "textDocument/hover", .when = WITH_FACTS, .answer = hover, .provider = "hoverProvider",
};
