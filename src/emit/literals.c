/* Small pieces of program text: literals, comments, broken lines. */
#include "emit/program.h"

#include <string.h>

void
emit_string(struct text *t, const char *s)
{
	if (!s) {
		text_puts(t, "NULL");
		return;
	}
	text_puts(t, "\"");
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\' || c == '?')
			text_printf(t, "\\%c", c);
		else if (c < ' ' || c == 0x7f)
			text_printf(t, "\\%03o", c);
		else
			text_add(t, s, 1);
	}
	text_puts(t, "\"");
}

const char *
emit_safe(struct arena *a, const char *s)
{
	char *copy = arena_strdup(a, s), *p;

	for (p = copy; *p; p++)
		if ((unsigned char)*p < ' ' || (p[0] == '/' && p > copy && p[-1] == '*') ||
		    (p[0] == '*' && p > copy && p[-1] == '/'))
			*p = '_';
	return copy;
}

static int
columns(const char *s, size_t n, int at)
{
	for (; n; n--, s++)
		at = *s == '\t' ? (at / TAB_WIDTH + 1) * TAB_WIDTH : at + ((*s & 0xc0) != 0x80);
	return at;
}

void
emit_wrapped(struct text *t, const char *prefix, const char *next, const char *words)
{
	int at = columns(prefix, strlen(prefix), 0);
	bool first = true;

	text_puts(t, prefix);
	while (*words) {
		size_t n = strcspn(words, " ");
		bool inside = false;

		/* a shape, "[3, 224, 224]", is one word */
		for (size_t i = 0; words[i]; i++) {
			inside = words[i] == '[' ? true : words[i] == ']' ? false : inside;
			if (words[i] == ' ' && !inside) {
				n = i;
				break;
			}
			n = i + 1;
		}
		if (!first && columns(words, n, at + 1) > LINE_WIDTH - 3) {
			text_puts(t, "\n");
			text_puts(t, next);
			at = columns(next, strlen(next), 0);
		} else if (!first) {
			text_puts(t, " ");
			at++;
		}
		text_add(t, words, n);
		at = columns(words, n, at);
		words += n;
		words += *words == ' ';
		first = false;
	}
}

const char *
emit_spec_path(const struct module *m)
{
	return m->src && m->src->path ? m->src->path : "a graph in text form";
}
