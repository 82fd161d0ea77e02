/* Documents as they are opened, changed and closed. */
#include "lsp/server.h"

#include <stdlib.h>
#include <string.h>

#include "base/filename.h"
#include "lsp/heap.h"
#include "lsp/job.h"
#include "lsp/known.h"
#include "lsp/method.h"
#include "lsp/models.h"
#include "lsp/document_tree.h"
#include "lsp/publish.h"

struct document *
document_find(const struct server *s, const char *uri)
{
	struct document *d;

	for (d = s->documents; d; d = d->next)
		if (uri && strcmp(d->uri, uri) == 0)
			return d;
	return NULL;
}

struct document *
document_of(const struct server *s, const json_t *params)
{
	return document_find(s, json_string_value(json_object_get(json_object_get(params, "textDocument"),
	    "uri")));
}

struct document *
document_at(const struct server *s, const char *path)
{
	struct document *d;
	bool same;

	for (d = s->documents; d; d = d->next) {
		char *real = realpath(d->path, NULL);

		same = strcmp(real ? real : d->path, path) == 0;
		free(real);
		if (same)
			return d;
	}
	return NULL;
}

/* OWN: by its own text, and by nothing else. */
static void
touch(struct server *s, struct document *d, bool own)
{
	if (!own) {
		memory_drop(&d->known_findings);
		memory_drop(&d->known_facts);
	}
	d->dirty = true;
	d->facts_version = -1;	/* though its own text may be the same */
	json_decref(d->files);	/* until it is checked again, it may use any */
	d->files = NULL;
	tree_free(d->tree);
	d->tree = NULL;
	jobs_stop_of(s, d);
}

/* All are analysed again: something that any may depend on has changed. */
static void
touch_each(struct server *s)
{
	struct document *d;

	for (d = s->documents; d; d = d->next)
		touch(s, d, false);
}

static bool
may_use(const struct document *d, const char *path)
{
	size_t i;

	for (i = 0; i < json_array_size(d->files); i++)
		if (strcmp(json_string_value(json_array_get(d->files, i)), path) == 0)
			return true;
	return !d->files;
}

/* The document has changed, and with it those that use it. */
static void
touch_users(struct server *s, struct document *changed)
{
	char *real = realpath(changed->path, NULL);
	struct document *d;

	for (d = s->documents; d; d = d->next)
		if (d == changed || may_use(d, real ? real : changed->path))
			touch(s, d, d == changed);
	free(real);
}

struct tree *
document_tree(struct server *s, struct document *d)
{
	if (!d->tree && !document_is_model(d))
		d->tree = tree_make(s, d);
	return d->tree;
}

static char *
copy(const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(heap_get(n), s, n);
}

/* False: the text would be too long. */
static bool
put(struct document *d, size_t beg, size_t end, const json_t *text)
{
	size_t n = json_string_length(text);

	if (n > LONGEST_TEXT || d->text.n - (end - beg) + n > LONGEST_TEXT)
		return false;
	if (!text_replace(&d->text, beg, end, json_string_value(text), n))
		heap_end();
	return true;
}

static void
document_open(struct server *s, const json_t *item)
{
	const char *uri = json_string_value(json_object_get(item, "uri"));
	const json_t *text = json_object_get(item, "text");
	struct document *d;

	if (!uri || !json_is_string(text))
		return;
	if ((d = document_find(s, uri)))	/* it is open already: the text counts */
		document_close(s, d);
	d = heap_get(sizeof(*d));
	*d = (struct document){ .uri = copy(uri), .path = uri_path(uri) };
	if (!d->path)
		d->path = copy(strchr(uri, ':') ? strchr(uri, ':') + 1 : uri);
	d->version = json_integer_value(json_object_get(item, "version"));
	d->findings_version = d->facts_version = -1;
	if (!put(d, 0, 0, text))
		server_log(s, "%s: the text is too long: nothing is said of it", uri);
	d->next = s->documents;
	s->documents = d;
	touch_each(s);
}

/* One change; false: it makes no sense, and nothing is known of the text any more. */
static bool
change(struct server *s, struct document *d, const json_t *change)
{
	const json_t *range = json_object_get(change, "range"), *text = json_object_get(change, "text");
	struct position from, to;
	size_t beg = 0, end = d->text.n;

	if (!json_is_string(text))
		return false;
	if (range && !json_is_null(range)) {
		if (!json_position(json_object_get(range, "start"), &from) ||
		    !json_position(json_object_get(range, "end"), &to))
			return false;
		beg = text_offset(&d->text, from, s->client.utf8);
		end = text_offset(&d->text, to, s->client.utf8);
		if (end < beg)
			return false;
	}
	return put(d, beg, end, text);
}

static void
document_change(struct server *s, const json_t *params)
{
	struct document *d = document_of(s, params);
	const json_t *changes = json_object_get(params, "contentChanges");
	size_t i;

	if (!d)
		return;
	for (i = 0; i < json_array_size(changes); i++)
		if (!change(s, d, json_array_get(changes, i)))
			server_log(s, "%s: a change was not understood, and is left out", d->uri);
	d->version = json_integer_value(json_object_get(json_object_get(params, "textDocument"), "version"));
	touch_users(s, d);
}

void
document_close(struct server *s, struct document *d)
{
	struct document **p = &s->documents;

	while (*p != d)
		p = &(*p)->next;
	*p = d->next;
	jobs_stop_of(s, d);
	requests_drop(s, d);
	publish_drop(s, d);
	tree_free(d->tree);
	text_lines_free(&d->text);
	json_decref(d->facts);
	json_decref(d->files);
	memory_drop(&d->known_findings);
	memory_drop(&d->known_facts);
	free(d->uri);
	free(d->path);
	free(d);
	touch_each(s);
}

/* ---- the methods ---- */

static void
did_open(struct server *s, const json_t *params)
{
	document_open(s, json_object_get(params, "textDocument"));
}

static void
did_close(struct server *s, const json_t *params)
{
	struct document *d = document_of(s, params);

	if (d)
		document_close(s, d);
}

static void
touch_all(struct server *s, const json_t *params)
{
	(void)params;
	touch_each(s);
}

static void
offer_sync(const struct client *c, json_t *capabilities)
{
	(void)c;
	json_object_set_new(capabilities, "textDocumentSync", json_pack("{s:b, s:i, s:{s:b}}",
	    "openClose", 1, "change", 2, "save", "includeText", 0));
}

const struct lsp_method lsp_method_did_open = {
	.name = "textDocument/didOpen", .notice = did_open, .offer = offer_sync,
};

const struct lsp_method lsp_method_did_change = {
	.name = "textDocument/didChange", .notice = document_change,
};

const struct lsp_method lsp_method_did_close = {
	.name = "textDocument/didClose", .notice = did_close,
};

/* A file on disk that others use, data, or a project file may be another now. */
const struct lsp_method lsp_method_did_save = {
	.name = "textDocument/didSave", .notice = touch_all,
};

const struct lsp_method lsp_method_did_change_files = {
	.name = "workspace/didChangeWatchedFiles", .notice = touch_all,
};
