/*
 * Changing what a spec says. A new setting follows the style of its section:
 *
 *     train {                       on a line of its own, indented and aligned as the one before,
 *       batch      32  # comment    behind that one's comment
 *       accumulate 4
 *     }
 *     train { batch 32  accumulate 4  data ... }       or on its line, two blanks away
 */
#include "amend/amend.h"

#include <string.h>

#include "amend/lines.h"

static const char *const heads[] = {
	[SEC_TRAIN] = "train", [SEC_VALIDATE] = "validate", [SEC_DEVICE] = "device",
	[SEC_LINT] = "lint",
};

void
amend_init(struct amend *m, struct arena *a, const struct file *file, const char *network,
    const struct lang_options *options)
{
	*m = (struct amend){ .arena = a, .file = file, .options = options,
		.network = map_get(&file->network_named, network) };
	edits_init(&m->edits, a, file->src);
}

const struct section *
amend_section(const struct amend *m, enum section_kind kind)
{
	const struct section *s = m->network ?
	    file_first_section(m->file, kind, m->network->name.text) : NULL;

	return s ? s : file_first_section(m->file, kind, NULL);
}

const struct setting *
amend_find(const struct amend *m, enum section_kind kind, const char *key)
{
	const struct section *s = amend_section(m, kind);
	int i;

	for (i = 0; s && i < s->nsettings; i++)
		if (strcmp(s->setting[i].key.text, key) == 0)
			return &s->setting[i];
	return NULL;
}

static bool
is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	    (c >= 'A' && c <= 'Z');
}

/* TEXT for [beg, end), with a blank where it would become one word with what is beside it:
 * batch(64), (3+1)epochs. */
static bool
replace(struct amend *m, int beg, int end, const char *text)
{
	const char *s = m->file->src->text;
	size_t n = strlen(text);
	bool before = n && beg > 0 && is_word(s[beg - 1]) && is_word(text[0]);
	bool behind = n && is_word(text[n - 1]) && is_word(s[end]);

	return edits_add(&m->edits, beg, end, !before && !behind ? text :
	    arena_printf(m->arena, "%s%s%s", before ? " " : "", text, behind ? " " : ""));
}

/* ---- settings ---- */

/* Behind ANCHOR, on a line of its own or on the same. */
static bool
insert_behind(struct amend *m, const struct setting *anchor, const char *key, const char *value)
{
	const struct source *src = m->file->src;
	int beg = anchor->key.loc.beg, start = lines_begin(src, beg);
	int gap = anchor->value[0]->loc.beg - beg - (int)strlen(key);
	char *indent;

	if (!lines_begins_at(src, beg) || !lines_ends_at(src, anchor->loc.end))
		return replace(m, anchor->loc.end, anchor->loc.end,
		    arena_printf(m->arena, "  %s %s", key, value));
	indent = arena_strndup(m->arena, src->text + start, (size_t)(beg - start));
	if (loc_line(anchor->value[0]->loc) != loc_line(anchor->key.loc) || gap < 1)
		gap = 1;
	return edits_add(&m->edits, lines_end(src, anchor->loc.end), lines_end(src, anchor->loc.end),
	    arena_printf(m->arena, "%s%s%s%*s%s", lines_newline(src), indent, key, gap, "", value));
}

/* Into a section without settings: behind its brace. */
static bool
insert_first(struct amend *m, const struct section *s, const char *key, const char *value)
{
	const struct source *src = m->file->src;
	int at = s->name.text ? s->name.loc.end : s->head.end;

	while (at < src->size && src->text[at] != '{')
		at = src->text[at] == '#' ? lines_end(src, at) : at + 1;
	if (at == src->size)
		return false;
	return edits_add(&m->edits, at + 1, at + 1, arena_printf(m->arena, " %s %s%s", key, value,
	    src->text[at + 1] == '}' ? " " : ""));
}

static bool
insert_setting(struct amend *m, const struct section *s, const char *key, const char *value,
    const char *after)
{
	const struct setting *anchor = after ? amend_find(m, s->kind, after) : NULL;

	if (!anchor && s->nsettings)
		anchor = &s->setting[s->nsettings - 1];
	return anchor ? insert_behind(m, anchor, key, value) : insert_first(m, s, key, value);
}

bool
amend_set(struct amend *m, enum section_kind kind, const char *key, const char *value,
    const char *after)
{
	const struct section *s = amend_section(m, kind);
	const struct setting *st = amend_find(m, kind, key);

	if (!s) {
		vec_push(m->arena, &m->fresh, ((struct amend_setting){ kind, key, value }));
		return true;
	}
	if (!st)
		return insert_setting(m, s, key, value, after);
	if (st->nvalues == 1)
		return amend_value(m, st->value[0], value, false);
	return replace(m, st->value[0]->loc.beg, st->value[st->nvalues - 1]->loc.end, value);
}

bool
amend_append(struct amend *m, enum section_kind kind, const char *key, const char *value)
{
	const struct setting *st = amend_find(m, kind, key);
	int end;

	if (!st)
		return amend_set(m, kind, key, value, NULL);
	end = st->value[st->nvalues - 1]->loc.end;
	return replace(m, end, end, arena_printf(m->arena, ", %s", value));
}

/* ---- params ---- */

/* How often a word is in the text, comments and strings aside. A block's parameter of the same name
 * counts too: then the param is rather left alone. */
static int
uses_of(const struct source *src, const char *word)
{
	size_t length = strlen(word), n;
	const char *s;
	int uses = 0;

	for (s = src->text; *s; s += n) {
		n = 1;
		if (*s == '#')
			n = strcspn(s, "\n");
		else if (*s == '"')
			n = 1 + strcspn(s + 1, "\"\n") + (s[1 + strcspn(s + 1, "\"\n")] == '"');
		else if (is_word(*s)) {
			while (is_word(s[n]))
				n++;
			uses += n == length && memcmp(s, word, n) == 0;
		}
	}
	return uses;
}

static bool
is_defined(const struct amend *m, const char *name)
{
	int i;

	for (i = 0; m->options && i < m->options->ndefines; i++)
		if (strcmp(m->options->define[i].name, name) == 0)
			return true;
	return false;
}

/* Why the param's literal cannot stand for a use of it; NULL: it can. */
static const char *
param_stays(const struct amend *m, const struct global *g, bool everywhere)
{
	if (is_defined(m, g->name.text))
		return "is set with -D";
	if (g->value->kind != E_NUM && g->value->kind != E_SIZE)
		return "is computed";
	return !everywhere && uses_of(m->file->src, g->name.text) > 2 ? "is used elsewhere" : NULL;
}

/* The literal of the param that E names, where that can stand for it; else E. */
static const struct expr *
behind_param(struct amend *m, const struct expr *e, bool everywhere)
{
	const char *why;
	int i;

	for (i = 0; e->kind == E_NAME && i < m->file->globals.n; i++) {
		const struct global *g = &m->file->globals.v[i];

		if (strcmp(g->name.text, e->name) != 0)
			continue;
		why = param_stays(m, g, everywhere);
		if (!why)
			return g->value;
		m->left = arena_printf(m->arena, "param '%s' %s, so it stays, and is not asked "
		    "here any more", e->name, why);
	}
	return e;
}

bool
amend_value(struct amend *m, const struct expr *e, const char *text, bool everywhere)
{
	const struct source *src = m->file->src;

	e = behind_param(m, e, everywhere);
	if (e->loc.src != src)
		return false;
	return replace(m, e->loc.beg, e->loc.end, text);
}

/* ---- sections that are not there yet ---- */

static bool
is_first_of_kind(const struct amend *m, int i)
{
	int j;

	for (j = 0; j < i; j++)
		if (m->fresh.v[j].kind == m->fresh.v[i].kind)
			return false;
	return true;
}

struct edits *
amend_done(struct amend *m)
{
	const struct source *src = m->file->src;
	int i, j, at = m->network ? m->network->loc.end : src->size;

	if (lines_ends_at(src, at))
		at = lines_end(src, at);
	for (i = 0; i < m->fresh.n; i++) {
		struct text t;

		if (!is_first_of_kind(m, i))
			continue;
		text_init(&t, m->arena);
		text_printf(&t, "%s%s%s%s {", lines_newline(src), heads[m->fresh.v[i].kind],
		    m->file->networks.n > 1 && m->network ? " " : "",
		    m->file->networks.n > 1 && m->network ? m->network->name.text : "");
		for (j = i; j < m->fresh.n; j++)
			if (m->fresh.v[j].kind == m->fresh.v[i].kind)
				text_printf(&t, "%s%s %s", j == i ? " " : "  ", m->fresh.v[j].key,
				    m->fresh.v[j].value);
		text_puts(&t, " }");
		edits_add(&m->edits, at, at, t.s);
	}
	m->fresh.n = 0;
	return &m->edits;
}
