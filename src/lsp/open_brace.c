/* Braces without an end. */
#include "lsp/open_brace.h"

#include <string.h>

#include "lsp/call_site.h"

#define DEEPEST	16	/* braces of a spec are not nested; those of one that is being written may be */

struct word {
	const char *s;		/* NULL: none */
	size_t n;
};

struct scan {
	struct word last, before;	/* the two words, or strings, that stand before a place */
	enum brace_owner open[DEEPEST];
	int depth;
};

static bool
is_one_of(struct word w, const char *const *names)
{
	for (; w.s && *names; names++)
		if (strlen(*names) == w.n && strncmp(*names, w.s, w.n) == 0)
			return true;
	return false;
}

/* Of a brace behind those words: `train {`, `train net {`, `network train {`, `block b(n) {`. */
static enum brace_owner
owner(const struct scan *c)
{
	static const char *const sections[] = { "train", "validate", "device", "lint", NULL };
	static const char *const bodies[] = { "network", "block", NULL };

	if (is_one_of(c->before, sections))
		return BRACE_SECTION;
	return is_one_of(c->last, sections) && !is_one_of(c->before, bodies) ? BRACE_SECTION : BRACE_BODY;
}

static void
see_word(struct scan *c, const char *s, size_t n)
{
	c->before = c->last;
	c->last = (struct word){ s, n };
}

static void
see_sign(struct scan *c, char sign)
{
	const struct word none = { NULL, 0 };

	if (sign == '{') {
		if (c->depth == DEEPEST)	/* the outermost matters least */
			memmove(c->open, c->open + 1, sizeof(*c->open) * (size_t)--c->depth);
		c->open[c->depth++] = owner(c);
	} else if (sign == '}' && c->depth > 0) {
		c->depth--;
	}
	c->last = c->before = none;
}

/* Bytes of the word, string, comment, blank or sign at S, before END. */
static size_t
token_length(const char *s, const char *end)
{
	const char *at = s + 1;

	if (*s == '#' || *s == '"')
		while (at < end && *at != '\n' && !(*s == '"' && *at == '"'))
			at++;
	else if (is_name_byte(*s))
		while (at < end && is_name_byte(*at))
			at++;
	return (size_t)(at - s) + (*s == '"' && at < end && *at == '"');
}

enum brace_owner
open_brace(const struct text_lines *t, int at)
{
	struct scan c = { .depth = 0 };
	const char *s = t->text, *end = t->text + at;
	size_t n;

	for (; s < end; s += n) {
		n = token_length(s, end);
		if (is_name_byte(*s) || *s == '"')
			see_word(&c, s, n);
		else if (*s != '#' && !strchr(" \t\r\n", *s))
			see_sign(&c, *s);
	}
	return c.depth > 0 ? c.open[c.depth - 1] : BRACE_NONE;
}
