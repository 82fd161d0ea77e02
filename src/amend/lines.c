/* Lines of a text, for code that edits it. */
#include "amend/lines.h"

#include <string.h>

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool
ends(const struct source *src, int at)
{
	return at == src->size || src->text[at] == '\n' ||
	    (src->text[at] == '\r' && src->text[at + 1] == '\n');
}

int
lines_begin(const struct source *src, int at)
{
	return src->line_start[loc_line((struct loc){ src, at, at }) - 1];
}

int
lines_end(const struct source *src, int at)
{
	int end = lines_next(src, at);

	if (end > at && src->text[end - 1] == '\n')
		end -= end - 2 >= at && src->text[end - 2] == '\r' ? 2 : 1;
	return end;
}

int
lines_next(const struct source *src, int at)
{
	int line = loc_line((struct loc){ src, at, at });

	return line < src->lines ? src->line_start[line] : src->size;
}

int
lines_skip(const struct source *src, int at)
{
	while (at < src->size && is_blank(src->text[at]))
		at++;
	return at;
}

int
lines_skip_back(const struct source *src, int at)
{
	while (at > 0 && is_blank(src->text[at - 1]))
		at--;
	return at;
}

bool
lines_begins_at(const struct source *src, int at)
{
	at = lines_skip_back(src, at);
	return at == 0 || src->text[at - 1] == '\n';
}

bool
lines_ends_at(const struct source *src, int at)
{
	at = lines_skip(src, at);
	return ends(src, at) || src->text[at] == '#';
}

bool
lines_is_empty(const struct source *src, int at)
{
	return ends(src, lines_skip(src, lines_begin(src, at)));
}

const char *
lines_newline(const struct source *src)
{
	const char *s = memchr(src->text, '\n', (size_t)src->size);

	return s && s > src->text && s[-1] == '\r' ? "\r\n" : "\n";
}

bool
lines_has_comment(const struct source *src, int beg, int end)
{
	bool string = false;

	for (; beg < end; beg++) {
		char c = src->text[beg];

		if (c == '"')
			string = !string;
		else if (c == '\n')
			string = false;
		else if (c == '#' && !string)
			return true;
	}
	return false;
}
