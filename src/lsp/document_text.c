/*
 * stowage/text: the text of a document as the server has it, { "textDocument": { "uri" } } to {
 * "text", "version" }. It is for those who look for the reason why an editor and the server
 * disagree, and for tests.
 */
#include "lsp/method.h"

static struct answer
text(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	(void)s, (void)params, (void)a;
	return answer_with(json_pack("{s:o, s:I}", "text", json_stringn(d->text.n ? d->text.text : "", d->text.n),
	    "version", (json_int_t)d->version));
}

const struct lsp_method lsp_method_text = {
	.name = "stowage/text", .answer = text, .of_models = true,
};
