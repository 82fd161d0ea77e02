/* The one layout of a spec, as `stowage fmt` makes it, of a document or of some lines of it. */
#include <string.h>

#include "fmt/format.h"
#include "lsp/method.h"
#include "lsp/document_tree.h"

/* Leaves out of an edit what it keeps: one of a line's indentation begins with the end of the line
 * before. */
static struct edit
least_edit(const struct source *old, struct arena *a, struct edit e)
{
	size_t n = strlen(e.text);

	while (e.beg < e.end && n > 0 && old->text[e.beg] == e.text[0] && e.text[0] != '\r') {
		e.beg++;
		e.text++;
		n--;
	}
	while (e.beg < e.end && n > 0 && old->text[e.end - 1] == e.text[n - 1]) {
		e.end--;
		n--;
	}
	e.text = arena_strndup(a, e.text, n);
	if (e.end > 0 && old->text[e.end - 1] == '\r' && old->text[e.end] == '\n') {
		e.end++;	/* no position is between the two */
		e.text = arena_printf(a, "%s\n", e.text);
	}
	return e;
}

/* Edits within the bytes [from, to]; null where the text has syntax errors. */
static struct answer
layout(struct server *s, struct document *d, struct arena *a, size_t from, size_t to)
{
	struct source *old = source_from_text(a, d->path, d->text.text, d->text.n), *new;
	struct edits *edits = edits_new(a, old);
	struct diags quiet;
	json_t *list;
	int i;

	diags_init(&quiet, a);
	if (!(new = fmt_source(a, &quiet, old)))
		return answer_with(NULL);
	fmt_edits(edits, a, old, new);
	list = json_array();
	for (i = 0; i < edits->all.n; i++) {
		struct edit e = least_edit(old, a, edits->all.v[i]);

		if ((size_t)e.beg >= from && (size_t)e.end <= to)
			json_array_append_new(list, text_edit(s, old, e.beg, e.end, e.text));
	}
	return answer_with(list);
}

static struct answer
format_document(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	(void)params;
	return layout(s, d, a, 0, d->text.n);
}

static struct answer
format_range(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	const json_t *range = json_object_get(params, "range");
	struct position from, to;

	if (!json_position(json_object_get(range, "start"), &from) ||
	    !json_position(json_object_get(range, "end"), &to))
		return answer_error(RPC_INVALID_PARAMS, "the range is none");
	from.character = 0;
	if (to.character > 0)	/* else it ends before that line */
		to = (struct position){ to.line + 1, 0 };
	return layout(s, d, a, text_offset(&d->text, from, s->client.utf8),
	    text_offset(&d->text, to, s->client.utf8));
}

/* After a '}' the lines of what it closes. */
static struct answer
format_on_type(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	struct tree *t = document_tree(s, d);
	const struct body *b;
	const struct section *sec;
	size_t at;

	if (!position_of(s, d, params, &at))
		return answer_error(RPC_INVALID_PARAMS, "the position is none");
	if (t && (b = tree_body_at(t, (int)at)))
		return layout(s, d, a, (size_t)b->loc.beg, at);
	if (t && (sec = tree_section_at(t, (int)at)))
		return layout(s, d, a, (size_t)sec->loc.beg, at);
	return answer_with(NULL);
}

static void
offer_on_type(const struct client *c, json_t *capabilities)
{
	(void)c;
	json_object_set_new(capabilities, "documentOnTypeFormattingProvider",
	    json_pack("{s:s}", "firstTriggerCharacter", "}"));
}

const struct lsp_method lsp_method_formatting = {
	.name = "textDocument/formatting", .answer = format_document, .provider = "documentFormattingProvider",
};

const struct lsp_method lsp_method_range_formatting = {
	.name = "textDocument/rangeFormatting", .answer = format_range, .provider = "documentRangeFormattingProvider",
};

const struct lsp_method lsp_method_on_type_formatting = {
	.name = "textDocument/onTypeFormatting", .answer = format_on_type, .offer = offer_on_type,
};
