/* What a call takes, while it is written. */
#include "lsp/signature.h"

#include <string.h>

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

static json_t *
signature_of_block(struct arena *a, const struct block *b)
{
	json_t *parameters = json_array();
	struct text label;
	int i;

	text_init(&label, a);
	text_printf(&label, "%s(", b->name.text);
	for (i = 0; i < b->nformals; i++) {
		const struct formal *f = &b->formal[i];
		size_t beg;

		if (i)
			text_puts(&label, ", ");
		beg = label.n;
		text_puts(&label, f->name.text);
		if (f->value)
			text_printf(&label, "=%.*s", f->value->loc.end - f->value->loc.beg,
			    f->value->loc.src->text + f->value->loc.beg);
		json_array_append_new(parameters, json_pack("{s:[i, i]}", "label", (int)beg, (int)label.n));
	}
	text_puts(&label, ")");
	return json_pack("{s:s, s:o}", "label", label.s, "parameters", parameters);
}

static json_t *
signature_of_attrs(struct arena *a, const char *name, const struct attr_spec *attrs, const char *brief)
{
	json_t *parameters = json_array();
	struct text label, doc;
	int i;

	text_init(&label, a);
	text_printf(&label, "%s(", name);
	for (i = 0; attrs && attrs[i].name; i++) {
		size_t beg;

		if (i)
			text_puts(&label, ", ");
		beg = label.n;
		text_printf(&label, "%s%s%s", attrs[i].name, attrs[i].preset ? "=" : "",
		    attrs[i].preset ? attrs[i].preset : "");
		text_init(&doc, a);
		words_attr(&doc, &attrs[i]);
		json_array_append_new(parameters, json_pack("{s:[i, i], s:o}", "label", (int)beg, (int)label.n,
		    "documentation", markdown(&doc)));
	}
	text_puts(&label, ")");
	return json_pack("{s:s, s:o, s:s}", "label", label.s, "parameters", parameters, "documentation", brief);
}

/* Which parameter the argument is. */
static int
active(const struct call_site *call, const struct attr_spec *attrs, const struct block *block)
{
	int i;

	for (i = 0; call->argument && attrs && attrs[i].name; i++)
		if (strcmp(attrs[i].name, call->argument) == 0)
			return i;
	for (i = 0; call->argument && block && i < block->nformals; i++)
		if (strcmp(block->formal[i].name.text, call->argument) == 0)
			return i;
	return call->index;
}

static struct answer
signature(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	struct tree *t = document_tree(s, d);
	const struct block *block;
	const struct op *op;
	struct call_site call;
	json_t *one;
	size_t at;

	if (!t || !position_of(s, d, params, &at) || !call_site_at(a, &d->text, (int)at, &call))
		return answer_with(NULL);
	op = words_op(call.name);
	if ((block = call_block(t, &call)))
		one = signature_of_block(a, block);
	else if (op || call_attrs(&call))
		one = signature_of_attrs(a, call.name, call_attrs(&call), op ? op->brief : "");
	else
		return answer_with(NULL);
	return answer_with(json_pack("{s:[o], s:i, s:i}", "signatures", one, "activeSignature", 0,
	    "activeParameter", active(&call, block ? NULL : call_attrs(&call), block)));
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
