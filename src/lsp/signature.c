/* What a call takes, while it is written. */
#include "lsp/signature.h"

#include <limits.h>
#include <string.h>

#include "lsp/call_shape.h"
#include "lsp/markdown.h"
#include "lsp/method.h"
#include "readers/reader.h"

const struct attr_spec *
call_attrs(const struct call_site *call)
{
	const struct op *op = words_op(call->name);
	const struct reader *r = op ? NULL : reader_find(call->name);

	return op ? op->attrs : r ? r->attrs : NULL;
}

const struct block *
call_block(const struct tree *t, const struct call_site *call)
{
	const struct symbol *s = map_get(t->files.v[0].names, call->name);

	return s && s->kind == SYMBOL_BLOCK ? s->block : NULL;
}

struct signature {
	struct arena *arena;
	struct text label;
	json_t *parameters;
	int leading;		/* of them stand for tensors or files, which other arguments follow */
	int given;		/* of these, arguments; where they are more, the last stands for the rest */
};

static void
begin(struct signature *g, struct arena *a, const char *name)
{
	*g = (struct signature){ .arena = a, .parameters = json_array() };
	text_init(&g->label, a);
	text_printf(&g->label, "%s(", name);
}

/* "kernel", or "stride=1", of N letters; DOC may be NULL. */
static void
add_parameter(struct signature *g, const char *name, size_t n, const char *preset, size_t npreset, json_t *doc)
{
	size_t beg;

	if (json_array_size(g->parameters))
		text_puts(&g->label, ", ");
	beg = g->label.n;
	text_add(&g->label, name, n);
	if (preset)
		text_printf(&g->label, "=%.*s", (int)npreset, preset);
	json_array_append_new(g->parameters, doc ? json_pack("{s:[i, i], s:o}", "label", (int)beg, (int)g->label.n,
	    "documentation", doc) : json_pack("{s:[i, i]}", "label", (int)beg, (int)g->label.n));
}

static json_t *
end(struct signature *g, const char *brief)
{
	text_puts(&g->label, ")");
	return json_pack("{s:s, s:o, s:s}", "label", g->label.s, "parameters", g->parameters, "documentation", brief);
}

/* The first N operands of an operator, of which a last "..." is for all that follow. */
static void
add_operands(struct signature *g, const struct op *op, int n)
{
	const char *s = op->operands;
	size_t letters;

	for (; s && *s && g->leading < n; s += letters + (s[letters] == ' ')) {
		letters = strcspn(s, " ");
		add_parameter(g, s, letters, NULL, 0, NULL);
		g->leading++;
	}
	g->given = n;
}

static void
add_inputs(struct signature *g, const struct block *b, int n)
{
	int i, k;

	if (n > 0 && block_inputs_named(b) == 0) {
		add_parameter(g, "in", 2, NULL, 0, NULL);
		g->leading++;
	}
	for (i = 0; i < b->nstmts; i++)
		for (k = 0; b->stmt[i].kind == S_INPUT && k < b->stmt[i].nnames && g->leading < n; k++, g->leading++)
			add_parameter(g, b->stmt[i].name[k].text, strlen(b->stmt[i].name[k].text), NULL, 0, NULL);
	g->given = n;
}

static void
add_formals(struct signature *g, const struct block *b)
{
	int i;

	for (i = 0; i < b->nformals; i++) {
		const struct formal *f = &b->formal[i];
		struct loc value = f->value ? f->value->loc : f->name.loc;

		add_parameter(g, f->name.text, strlen(f->name.text), f->value ? value.src->text + value.beg : NULL,
		    (size_t)(value.end - value.beg), NULL);
	}
}

static void
add_attrs(struct signature *g, const struct attr_spec *attrs)
{
	struct text doc;

	for (; attrs && attrs->name; attrs++) {
		text_init(&doc, g->arena);
		words_attr(&doc, attrs);
		add_parameter(g, attrs->name, strlen(attrs->name), attrs->preset, attrs->preset ? strlen(attrs->preset) : 0,
		    markdown(&doc));
	}
}

/* Files come first, and have no names of their own. */
static void
add_files(struct signature *g, const struct reader *r)
{
	if (!r || r->files == FILES_NONE)
		return;
	add_parameter(g, r->files == FILES_ONE ? "file" : "files...", r->files == FILES_ONE ? 4 : 8, NULL, 0, NULL);
	g->leading = 1;
	g->given = INT_MAX;
}

/* How many tensors are among the arguments: those that are written, or, as long as nothing else is,
 * as many as it needs. */
static int
tensors_of(const struct call_shape *shape, int least)
{
	bool others = shape->call && shape->call->nargs > shape->tensors;

	return !shape->call || shape->piped || others || shape->tensors >= least ? shape->tensors : least;
}

/* Which parameter the argument is. */
static int
active(const struct call_site *call, const struct signature *g, const struct attr_spec *attrs, const struct block *block)
{
	int i;

	for (i = 0; call->name_given && attrs && attrs[i].name; i++)
		if (strcmp(attrs[i].name, call->name_given) == 0)
			return g->leading + i;
	for (i = 0; call->name_given && block && i < block->nformals; i++)
		if (strcmp(block->formal[i].name.text, call->name_given) == 0)
			return g->leading + i;
	if (call->index >= g->given)
		return g->leading + call->index - g->given;
	return call->index < g->leading ? call->index : g->leading - 1;
}

static struct answer
signature(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	struct tree *t = document_tree(s, d);
	const struct block *block;
	const struct op *op;
	struct call_shape shape;
	struct call_site call;
	struct signature g;
	size_t at;

	if (!t || !position_of(s, d, params, &at) || !call_site_at(a, &d->text, (int)at, &call))
		return answer_with(NULL);
	op = words_op(call.name);
	block = call_block(t, &call);
	shape = call_shape_at(t, call.head, op, block);
	begin(&g, a, call.name);
	if (block) {
		add_inputs(&g, block, tensors_of(&shape, block_inputs_named(block) ? block_inputs_named(block) : 1));
		add_formals(&g, block);
	} else if (op || call_attrs(&call)) {
		if (op && op->kind != OP_OPTIMIZER)
			add_operands(&g, op, tensors_of(&shape, op->min_operands));
		add_files(&g, op ? NULL : reader_find(call.name));
		add_attrs(&g, call_attrs(&call));
	} else {
		json_decref(g.parameters);
		return answer_with(NULL);
	}
	return answer_with(json_pack("{s:[o], s:i, s:i}", "signatures", end(&g, op && !block ? op->brief : ""),
	    "activeSignature", 0, "activeParameter", active(&call, &g, block ? NULL : call_attrs(&call), block)));
}

static void
offer_signature(const struct client *c, json_t *capabilities)
{
	(void)c;
	json_object_set_new(capabilities, "signatureHelpProvider", json_pack("{s:[s, s, s]}",
	    "triggerCharacters", "(", ",", "="));
}

const struct lsp_method lsp_method_signature_help = {
	.name = "textDocument/signatureHelp", .answer = signature, .offer = offer_signature,
};
