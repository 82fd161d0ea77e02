/* Models: where their text has a node, and what reading them tells. */
#include "lsp/models.h"

#include <string.h>

#include "base/filename.h"
#include "cli/model.h"

bool
document_is_model(const struct document *d)
{
	return model_is_named(d->path);
}

/* Has the editor the text that the model is? */
static bool
has_text(const struct document *d)
{
	return filename_ends(d->path, ".json");
}

struct source *
document_model(struct document *d, struct arena *a, struct model_told *told)
{
	if (has_text(d) && (d->text.n == 0 || !model_is_json(d->text.text))) {
		*told = (struct model_told){ .why = NULL };
		return NULL;
	}
	return model_take(a, d->path, has_text(d) ? d->text.text : NULL, d->text.n, told);
}

/* ---- places ---- */

static size_t
past_blanks(const struct text_lines *t, size_t at)
{
	return at + strspn(t->text + at, " \t\r\n");
}

/* The value of a key that begins at AT, if it is this string; its first byte, or 0. */
static size_t
value_at(const struct text_lines *t, size_t at, const char *string, size_t n)
{
	at = past_blanks(t, at);
	if (t->text[at] != ':')
		return 0;
	at = past_blanks(t, at + 1);
	return t->text[at] == '"' && strncmp(t->text + at + 1, string, n) == 0 && t->text[at + 1 + n] == '"' ? at : 0;
}

/* The first string that names that from there on; false: there is none. */
static bool
find_name(const struct text_lines *t, size_t from, const char *name, size_t n, size_t *beg)
{
	static const char key[] = "\"name\"";
	const char *at = t->text + from;

	while ((at = strstr(at, key))) {
		at += sizeof(key) - 1;
		if ((*beg = value_at(t, (size_t)(at - t->text), name, n)))
			return true;
	}
	return false;
}

/* Within a model that is a layer, a node's name stands behind that of the layer, and "/" between
 * them. */
json_t *
node_range(const struct server *s, const struct document *d, const char *node)
{
	size_t n, beg = 0;

	if (!node || !has_text(d))
		return range_json(s, &d->text, 0, 0);
	if (find_name(&d->text, 0, node, strlen(node), &beg))
		return range_json(s, &d->text, beg, beg + strlen(node) + 2);
	for (;; node += n + 1) {
		n = strcspn(node, "/");
		if (!find_name(&d->text, beg, node, n, &beg))
			return range_json(s, &d->text, 0, 0);
		if (!node[n])
			return range_json(s, &d->text, beg, beg + n + 2);
	}
}

/* ---- what is told ---- */

static void
add(json_t *list, json_t *range, int severity, json_t *message)
{
	json_array_append_new(list, json_pack("{s:o, s:i, s:s, s:s, s:o}", "range", range, "severity", severity, "code", "import",
	    "source", "stowage", "message", message ? message : json_string("its names are no UTF-8")));
}

void
add_told(const struct server *s, const struct document *d, const struct model_told *told, json_t *list)
{
	int i;

	if (told->why) {
		add(list, node_range(s, d, NULL), 1, json_string(told->why));
		return;
	}
	for (i = 0; i < told->problems.n; i++) {
		const struct import_problem *p = &told->problems.v[i];

		add(list, node_range(s, d, p->node), 1, json_sprintf("node '%s' (%s): %s", p->node, p->op, p->why));
	}
	for (i = 0; i < told->notes.n && told->problems.n == 0; i++)
		add(list, node_range(s, d, NULL), 3, json_string(told->notes.v[i]));
}
