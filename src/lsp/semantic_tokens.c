/* What the words of a text are, for colours that a grammar of patterns cannot give. */
#include <stdlib.h>
#include <string.h>

#include "lsp/method.h"
#include "lsp/markdown.h"
#include "syntax/parse.h"

#include "grammar/parser.h"

enum token_type {
	TYPE_KEYWORD, TYPE_VARIABLE, TYPE_PARAMETER, TYPE_FUNCTION, TYPE_CLASS, TYPE_NAMESPACE, TYPE_PROPERTY,
	TYPE_NUMBER, TYPE_STRING, TYPE_COMMENT, TYPE_OPERATOR, TYPE_TYPE, TYPES
};

static const char *const type_names[TYPES] = {
	"keyword", "variable", "parameter", "function", "class", "namespace", "property", "number", "string",
	"comment", "operator", "type",
};

#define MODIFIER_DEFINITION	1u
#define MODIFIER_LIBRARY	2u	/* defaultLibrary: the language's own operators */

struct mark {
	int beg, end;
	enum token_type type;
	unsigned modifiers;
	int order;		/* in which they were found */
};

struct marks_of {
	struct arena *arena;
	const struct source *src;
	VEC(struct mark) all;
};

static void
mark(struct marks_of *m, struct loc l, enum token_type type, unsigned modifiers)
{
	if (l.src == m->src && l.end > l.beg)
		vec_push(m->arena, &m->all, ((struct mark){ l.beg, l.end, type, modifiers, m->all.n }));
}

static enum token_type
type_of(const struct symbol *s)
{
	static const enum token_type type[] = {
		[SYMBOL_PARAM] = TYPE_VARIABLE, [SYMBOL_BLOCK] = TYPE_CLASS, [SYMBOL_NETWORK] = TYPE_NAMESPACE,
		[SYMBOL_FORMAL] = TYPE_PARAMETER, [SYMBOL_INPUT] = TYPE_VARIABLE,
		[SYMBOL_TARGET] = TYPE_VARIABLE, [SYMBOL_DEF] = TYPE_VARIABLE, [SYMBOL_LABEL] = TYPE_PROPERTY,
		[SYMBOL_RESULT] = TYPE_PROPERTY, [SYMBOL_DEVICE] = TYPE_NAMESPACE,
	};

	return type[s->kind];
}

static void
mark_expr(void *context, const struct expr *e)
{
	struct marks_of *m = context;
	struct loc head = e->kind == E_CALL ? e->head : e->loc;
	int i;

	if ((e->kind == E_CALL || e->kind == E_NAME) && words_op(e->name))
		mark(m, head, TYPE_FUNCTION, MODIFIER_LIBRARY);
	else if (e->kind == E_CALL)
		mark(m, head, TYPE_FUNCTION, 0);
	for (i = 0; i < e->nargs; i++)
		if (e->arg[i].name)
			mark(m, e->arg[i].name_loc, TYPE_PARAMETER, 0);
}

static void
mark_tokens(struct marks_of *m, const struct tape *tape)
{
	int i;

	for (i = 0; i < tape->all.n; i++) {
		const struct token *t = &tape->all.v[i];

		switch (t->kind) {
		case TOK_USE: case TOK_PARAM: case TOK_BLOCK: case TOK_NETWORK: case TOK_TRAIN: case TOK_VALIDATE:
		case TOK_DEVICE: case TOK_LINT: case TOK_INPUT: case TOK_TARGET: case TOK_LOSS: case TOK_METRIC:
		case TOK_IF: case TOK_THEN: case TOK_ELSE: case TOK_TRUE: case TOK_FALSE:
			mark(m, t->loc, TYPE_KEYWORD, 0);
			break;
		case TOK_NUM: case TOK_SIZE: case TOK_DURATION:
			mark(m, t->loc, TYPE_NUMBER, 0);
			break;
		case TOK_STR:
			mark(m, t->loc, TYPE_STRING, 0);
			break;
		}
	}
}

static void
mark_settings(struct marks_of *m, const struct file *f)
{
	int i, k;

	for (i = 0; i < f->sections.n; i++)
		for (k = 0; k < f->sections.v[i]->nsettings; k++)
			mark(m, f->sections.v[i]->setting[k].key.loc, TYPE_PROPERTY, 0);
	for (i = 0; i < f->networks.n; i++)
		for (k = 0; k < f->networks.v[i]->nstmts; k++)
			if (f->networks.v[i]->stmt[k].type)
				mark(m, f->networks.v[i]->stmt[k].type->name_loc, TYPE_TYPE, 0);
}

/* Of two marks at one place the first that was found counts: uses come before words. */
static int
by_place(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	return x->beg != y->beg ? (x->beg > y->beg) - (x->beg < y->beg) : x->order - y->order;
}

static void
put_mark(json_t *data, const struct server *s, const struct document *d, const struct mark *k,
    struct position *last)
{
	struct position p = text_position(&d->text, (size_t)k->beg, s->client.utf8);
	struct position end = text_position(&d->text, (size_t)k->end, s->client.utf8);

	if (end.line != p.line)
		return;
	json_array_append_new(data, json_integer(p.line - last->line));
	json_array_append_new(data, json_integer(p.line == last->line ? p.character - last->character :
	    p.character));
	json_array_append_new(data, json_integer(end.character - p.character));
	json_array_append_new(data, json_integer(k->type));
	json_array_append_new(data, json_integer(k->modifiers));
	*last = p;
}

static struct answer
tokens(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	const json_t *range = json_object_get(params, "range");
	struct tree *t = document_tree(s, d);
	struct marks_of m = { .arena = a };
	struct position last = { 0, 0 }, from, to;
	size_t beg = 0, end = d->text.n;
	json_t *data;
	int i, reached = 0;

	if (!t)
		return answer_with(NULL);
	if (json_position(json_object_get(range, "start"), &from) &&
	    json_position(json_object_get(range, "end"), &to)) {
		beg = text_offset(&d->text, from, s->client.utf8);
		end = text_offset(&d->text, to, s->client.utf8);
	}
	m.src = t->file->src;
	for (i = 0; i < t->uses.n; i++)
		mark(&m, t->uses.v[i].loc, type_of(t->uses.v[i].symbol),
		    t->uses.v[i].definition ? MODIFIER_DEFINITION : 0);
	tree_walk(t->file, mark_expr, &m);
	mark_settings(&m, t->file);
	mark_tokens(&m, t->tape);
	if (m.all.n)
		qsort(m.all.v, (size_t)m.all.n, sizeof(*m.all.v), by_place);
	data = json_array();
	for (i = 0; i < m.all.n; i++) {
		const struct mark *k = &m.all.v[i];

		if (k->beg < reached || (size_t)k->end <= beg || (size_t)k->beg >= end)
			continue;
		put_mark(data, s, d, k, &last);
		reached = k->end;
	}
	return answer_with(json_pack("{s:o}", "data", data));
}

static void
offer(const struct client *c, json_t *capabilities)
{
	json_t *types = json_array();
	int i;

	(void)c;
	for (i = 0; i < TYPES; i++)
		json_array_append_new(types, json_string(type_names[i]));
	json_object_set_new(capabilities, "semanticTokensProvider", json_pack("{s:{s:o, s:[s, s]}, s:b, s:b}",
	    "legend", "tokenTypes", types, "tokenModifiers", "definition", "defaultLibrary", "full", 1,
	    "range", 1));
}

const struct lsp_method lsp_method_semantic_tokens = {
	.name = "textDocument/semanticTokens/full", .answer = tokens, .offer = offer,
};

const struct lsp_method lsp_method_semantic_tokens_range = {
	.name = "textDocument/semanticTokens/range", .answer = tokens,
};
