/* csv: one table for all inputs and targets, whose fields stand side by side in a line. */
#include "readers/look.h"

#include <stdlib.h>
#include <string.h>

static const struct attr_spec attrs[] = {
	READER_ROWS,
	{ .name = "header", .type = ATTR_BOOL, .preset = "false",
	  .doc = "skips the first line, which names the columns" },
	{ .name = "label_first", .type = ATTR_BOOL, .preset = "false",
	  .doc = "targets come before inputs" },
	ATTRS_END
};

/* The next line that is not blank, without its end; NULL: there is none, or it is cut off. */
static const char *
next_line(const struct look *l, const char **at, const char **end)
{
	const char *stop = (const char *)l->bytes + l->size, *line, *newline;

	while (*at < stop) {
		line = *at;
		newline = memchr(line, '\n', (size_t)(stop - line));
		if (!newline && !l->whole)
			return NULL;
		*end = newline ? newline : stop;
		*at = newline ? newline + 1 : stop;
		if (*end > line && (*end)[-1] == '\r')
			(*end)--;
		if (*end > line)
			return line;
	}
	return NULL;
}

static const char *
skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/* Numbers between commas, so many that they fill the line. */
static bool
read_line(const char *p, const char *end, int64_t width, double *x)
{
	int64_t i;
	char *stop;

	for (i = 0; i < width; i++) {
		p = skip_blanks(p, end);
		if (p == end)
			return false;
		x[i] = strtod(p, &stop);
		if (stop == p || stop > end)
			return false;
		p = skip_blanks(stop, end);
		if (i + 1 < width && (p == end || *p++ != ','))
			return false;
	}
	return p == end;
}

static bool
look(struct look *l)
{
	const char *at = (const char *)l->bytes, *line, *end;
	int64_t most = (int64_t)l->size / (2 * l->width) + 1;

	if (reader_flag(l->source, "header"))
		next_line(l, &at, &end);
	l->value = arena_array(l->arena, (size_t)(most * l->width), sizeof(*l->value));
	for (l->rows = 0; l->rows < most && (line = next_line(l, &at, &end)); l->rows++)
		if (!read_line(line, end, l->width, l->value + l->rows * l->width))
			return false;
	l->all_rows = l->whole ? l->rows : -1;
	return true;
}

const struct reader reader_csv = {
	.name = "csv",
	.brief = "a table of numbers, a sample a line",
	.doc = "One table of numbers, a sample in each row: the values of the inputs, then those of "
	    "the targets.",
	.usage = "csv(\"rows.csv\", header=true)",
	.files = FILES_ONE,
	.attrs = attrs,
	.look = look,
};
