/* Places and addresses of the protocol, of JSON and of sources. */
#include "lsp/server.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/filename.h"
#include "findings/report.h"
#include "lang/library.h"
#include "lsp/heap.h"
#include "lsp/models.h"

static int
hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
	    c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

char *
uri_path(const char *uri)
{
	static const char scheme[] = "file://";
	char *path, *to;
	const char *s;

	if (!uri || strncmp(uri, scheme, sizeof(scheme) - 1) != 0 ||
	    !(s = strchr(uri + sizeof(scheme) - 1, '/')))
		return NULL;
	path = to = heap_get(strlen(s) + 1);
	for (; *s; s++)
		if (*s == '%' && hex(s[1]) >= 0 && hex(s[2]) >= 0 && (hex(s[1]) || hex(s[2]))) {
			*to++ = (char)(16 * hex(s[1]) + hex(s[2]));
			s += 2;
		} else {
			*to++ = *s;
		}
	*to = '\0';
	filename_normalise(path);
	return path;
}

/* An editor takes one file by two spellings for two files: one through ".." is never sent, nor one
 * from the working folder. */
json_t *
uri_json(const char *path)
{
	bool plain = path[0] == '/' && !strstr(path, "/../") && !strstr(path, "/./");
	char uri[REPORT_PATH], *real = plain ? NULL : realpath(path, NULL);
	bool good = report_uri(real ? real : path, uri, sizeof(uri));

	free(real);
	return good ? json_sprintf("file://%s", uri) : json_string("file:///");
}

/* The protocol's numbers end there; what is beyond is past all ends anyhow. */
static int64_t
within_uinteger(json_int_t n)
{
	return n < 0 ? -1 : n > INT32_MAX ? INT32_MAX : n;
}

bool
json_position(const json_t *j, struct position *p)
{
	const json_t *line = json_object_get(j, "line"), *character = json_object_get(j, "character");

	if (!json_is_integer(line) || !json_is_integer(character))
		return false;
	*p = (struct position){ within_uinteger(json_integer_value(line)),
		within_uinteger(json_integer_value(character)) };
	return true;
}

json_t *
position_json(const struct server *s, const struct text_lines *t, size_t offset)
{
	struct position p = text_position(t, offset, s->client.utf8);

	return json_pack("{s:I, s:I}", "line", (json_int_t)p.line, "character", (json_int_t)p.character);
}

json_t *
range_json(const struct server *s, const struct text_lines *t, size_t beg, size_t end)
{
	return json_pack("{s:o, s:o}", "start", position_json(s, t, beg), "end", position_json(s, t, end));
}

static const struct document *
document_of_source(const struct server *s, const struct source *src)
{
	const struct document *d;
	char *real;

	for (d = s->documents; d; d = d->next)
		if (strcmp(d->path, src->path) == 0)
			return d;
	if (src->path[0] == '/')
		return document_at(s, src->path);
	if (!(real = realpath(src->path, NULL)))
		return NULL;
	d = document_at(s, real);
	free(real);
	return d;
}

/* Has the document that text? Findings come hundreds at a time from one source: it is compared
 * once. */
static bool
has_text_of(struct server *s, const struct document *d, const struct source *src)
{
	if (s->compared.source == src && s->compared.document == d)
		return d != NULL;
	if (!d || d->text.n != (size_t)src->size || memcmp(d->text.text, src->text, d->text.n) != 0)
		return false;
	s->compared = (struct compared){ src, d };
	return true;
}

static json_t *
source_range(const struct server *s, const struct source *src, int beg, int end)
{
	struct text_lines t = { .text = NULL };
	const struct document *d = document_of_source(s, src);
	json_t *range;

	if (has_text_of((struct server *)s, d, src))
		return range_json(s, &d->text, (size_t)beg, (size_t)end);
	text_replace(&t, 0, 0, src->text, (size_t)src->size);
	range = range_json(s, &t, (size_t)beg, (size_t)end);
	text_lines_free(&t);
	return range;
}

json_t *
loc_range(const struct server *s, struct loc l)
{
	const struct document *d;

	if (!l.src)
		return json_pack("{s:{s:i, s:i}, s:{s:i, s:i}}", "start", "line", 0, "character", 0,
		    "end", "line", 0, "character", 0);
	if (l.src->origins && (d = document_of_source(s, l.src)))
		return node_range(s, d, loc_origin(l) ? loc_origin(l)->node : NULL);
	return source_range(s, l.src, l.beg, l.end);
}

static json_t *
library_uri(const char *path)
{
	char file[PATH_MAX];

	return library_installed(path, file, sizeof(file)) ? uri_json(file) : NULL;
}

json_t *
used_uri(struct arena *a, const struct document *d, const char *path)
{
	const char *file = filename_join(a, filename_folder(a, filename_absolute(a, d->path)), path);

	return library_in_place_of(a, path, file) ? library_uri(path) : uri_json(file);
}

json_t *
source_uri(const struct server *s, const struct source *src)
{
	const struct document *d = src->shipped ? NULL : document_of_source(s, src);

	if (src->shipped)
		return library_uri(src->path);
	return d ? json_string(d->uri) : uri_json(src->path);
}

json_t *
loc_location(const struct server *s, struct loc l)
{
	return json_pack("{s:o, s:o}", "uri", source_uri(s, l.src), "range", loc_range(s, l));
}

json_t *
text_edit(const struct server *s, const struct source *src, int beg, int end, const char *text)
{
	return json_pack("{s:o, s:s}", "range", source_range(s, src, beg, end), "newText", text);
}

json_t *
workspace_edit(const struct server *s, json_t *changes)
{
	json_t *list, *edits;
	const char *uri;

	if (!s->client.versioned_edits)
		return json_pack("{s:o}", "changes", changes);
	list = json_array();
	json_object_foreach(changes, uri, edits) {
		const struct document *d = document_find(s, uri);

		json_array_append_new(list, json_pack("{s:{s:s, s:o}, s:O}", "textDocument", "uri", uri,
		    "version", d ? json_integer(d->version) : json_null(), "edits", edits));
	}
	json_decref(changes);
	return json_pack("{s:o}", "documentChanges", list);
}

bool
position_of(const struct server *s, const struct document *d, const json_t *params, size_t *at)
{
	struct position p;

	if (!json_position(json_object_get(params, "position"), &p))
		return false;
	*at = text_offset(&d->text, p, s->client.utf8);
	return true;
}
