/* Calls in texts that are being written. */
#include "lsp/call_site.h"

#include <string.h>

#define FARTHEST	16384	/* bytes to look at in each direction */

/* Where the comment or string that begins at BEG ends; BEG where none does. */
static int
skip(const char *s, int at, int end)
{
	if (s[at] == '#')
		while (at < end && s[at] != '\n')
			at++;
	else if (s[at] == '"')
		do
			at++;
		while (at < end && s[at] != '"' && s[at] != '\n');
	return at;
}

struct bracket_found {
	int at;			/* -1: none */
	int arguments;		/* where the one that the place is in begins */
	int index;
};

#define DEEPEST	256

/* The innermost round bracket that is open at AT, from BEG on, which is outside of any. */
static struct bracket_found
open_bracket(const char *s, int beg, int at)
{
	struct bracket_found open[DEEPEST];
	int n = 0, i;

	for (i = beg; i < at; i++) {
		i = skip(s, i, at);
		if (i >= at)
			break;
		if ((s[i] == '(' || s[i] == '[') && n < DEEPEST)
			open[n++] = (struct bracket_found){ s[i] == '(' ? i : -1, i + 1, 0 };
		else if ((s[i] == ')' || s[i] == ']') && n > 0)
			n--;
		else if (s[i] == '{' || s[i] == '}')
			n = 0;
		else if (s[i] == ',' && n > 0) {
			open[n - 1].index++;
			open[n - 1].arguments = i + 1;
		}
	}
	while (n > 0 && open[n - 1].at < 0)
		n--;
	return n > 0 ? open[n - 1] : (struct bracket_found){ -1, 0, 0 };
}

/* The start of a line that nothing of a bracket goes on in: one that is blank before, or ends a
 * statement surely, is not known; a brace is. */
static int
safe_start(const char *s, int at)
{
	int from = at;

	while (from > 0 && at - from < FARTHEST && s[from - 1] != '{' && s[from - 1] != '}')
		from--;
	while (from < at && from > 0 && s[from - 1] != '\n' && s[from - 1] != '{' && s[from - 1] != '}')
		from++;
	return from;
}

/* NAME of "NAME =" at that place; NULL: there is none. *AFTER: behind the =. */
static const char *
argument_name(struct arena *a, const char *s, int at, int end, int *after)
{
	int beg, stop;

	while (at < end && strchr(" \t\r\n", s[at]))
		at++;
	for (beg = at; at < end && is_name_byte(s[at]); at++)
		;
	stop = at;
	while (at < end && (s[at] == ' ' || s[at] == '\t'))
		at++;
	if (stop == beg || at >= end || s[at] != '=' || s[at + 1] == '=')
		return NULL;
	*after = at + 1;
	return arena_strndup(a, s + beg, (size_t)(stop - beg));
}

/* Names that arguments of the bracket have, but for the one in which AT is. */
static void
gather(struct arena *a, const char *s, int size, int open, int at, struct call_site *c)
{
	int depth = 0, i = open + 1, beg = i, after;
	const char *name;

	for (; i <= size && i - open < FARTHEST; i++) {
		if (i < size)
			i = skip(s, i, size);
		if (i >= size || s[i] == '{' || s[i] == '}' || (depth == 0 && (s[i] == ',' || s[i] == ')'))) {
			if ((at < beg || at > i) && (name = argument_name(a, s, beg, i, &after)))
				vec_push(a, &c->given, name);
			beg = i + 1;
			if (i >= size || s[i] != ',')
				return;
		} else if (s[i] == '(' || s[i] == '[') {
			depth++;
		} else if ((s[i] == ')' || s[i] == ']') && depth > 0) {
			depth--;
		}
	}
}

bool
call_site_at(struct arena *a, const struct text_lines *t, int at, struct call_site *c)
{
	const char *s = t->text;
	struct bracket_found open = open_bracket(s, safe_start(s, at), at);
	int end = open.at, after;

	*c = (struct call_site){ .index = open.index };
	if (open.at < 0)
		return false;
	while (end > 0 && (s[end - 1] == ' ' || s[end - 1] == '\t'))
		end--;
	for (c->head = end; c->head > 0 && is_name_byte(s[c->head - 1]); c->head--)
		;
	if (c->head == end)
		return false;
	c->name = arena_strndup(a, s + c->head, (size_t)(end - c->head));
	c->name_given = argument_name(a, s, open.arguments, (int)t->n, &after);
	c->argument = c->name_given && at >= after ? c->name_given : NULL;
	gather(a, s, (int)t->n, open.at, at, c);
	return true;
}
