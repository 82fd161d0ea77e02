/* csv: one table for all inputs and targets, whose fields stand side by side in a line. */
#include "readers/look.h"

#include <math.h>
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

static int64_t
fields_of(const char *line, const char *end)
{
	int64_t n = 1;

	for (; line < end; line++)
		n += *line == ',';
	return n;
}

/* Where the field ends. */
static const char *
field_end(const char *p, const char *end)
{
	const char *comma = memchr(p, ',', (size_t)(end - p));

	return comma ? comma : end;
}

/* Is a field a number, and nothing else? */
static bool
read_field(const char *p, const char *end, double *x)
{
	char *stop;

	p = skip_blanks(p, end);
	if (p == end)
		return false;
	*x = strtod(p, &stop);
	return stop != p && stop <= end && isfinite(*x) && skip_blanks(stop, end) == end;
}

/* As an editor counts. */
static int64_t
line_number(const struct look *l, const char *line)
{
	const char *p = (const char *)l->bytes;
	int64_t n = 1;

	for (; p < line; p++)
		n += *p == '\n';
	return n;
}

/* Does the field of that number in the line below a first line hold a number? Then the first one
 * names columns. */
static bool
names_columns(const struct look *l, const char *line, const char *end, int64_t i)
{
	const char *at = end, *next;
	double x;

	if (line_number(l, line) != 1 || reader_flag(l->source, "header") || !(next = next_line(l, &at, &end)))
		return false;
	for (; i > 0 && next < end; i--)
		next = field_end(next, end) + 1;
	return next < end && read_field(next, field_end(next, end), &x);
}

/* Does nothing stand there, or a word for that? */
static bool
is_missing(const char *field, size_t n)
{
	static const char *const word[] = { "", "?", "-", "NA", "N/A", "na", "NaN", "nan", "NULL", "null", "None" };
	size_t i;

	for (i = 0; i < sizeof(word) / sizeof(*word); i++)
		if (strlen(word[i]) == n && strncmp(word[i], field, n) == 0)
			return true;
	return false;
}

/* Field I of a line, from FIELD on, is no number. What it is stays in the file. */
static bool
refuse_field(struct look *l, const char *line, const char *end, int64_t i, const char *field)
{
	const char *stop = field_end(field, end), *cure;
	bool missing;

	field = skip_blanks(field, stop);
	while (stop > field && (stop[-1] == ' ' || stop[-1] == '\t'))
		stop--;
	missing = is_missing(field, (size_t)(stop - field));
	cure = missing ? "fill in what is missing in the file, or leave the line out" :
	    names_columns(l, line, end, i) ? "header=true skips a first line that names the columns" :
	    "columns hold numbers alone: number classes from 0 in the file, and leave other words out";
	return look_refuse(l, cure, "line %lld has no %s in column %lld", (long long)line_number(l, line),
	    missing ? "value" : "finite number", (long long)i + 1);
}

static bool
refuse_width(struct look *l, const char *line, const char *end, int64_t fields)
{
	const char *cure = NULL;

	if (fields == 1 && memchr(line, ';', (size_t)(end - line)))
		cure = "columns are parted by commas, not ';'";
	else if (fields == 1 && memchr(line, '\t', (size_t)(end - line)))
		cure = "columns are parted by commas, not tabs";
	return look_refuse(l, cure, "line %lld has %lld column%s, and inputs and targets take %lld",
	    (long long)line_number(l, line), (long long)fields, fields == 1 ? "" : "s", (long long)l->width);
}

/* Numbers between commas, so many that they fill the line. */
static bool
read_line(struct look *l, const char *line, const char *end, double *x)
{
	int64_t fields = fields_of(line, end), i;
	const char *p = line;

	if (fields != l->width)
		return refuse_width(l, line, end, fields);
	for (i = 0; i < l->width; i++, p = field_end(p, end) + 1)
		if (!read_field(p, field_end(p, end), x + i))
			return refuse_field(l, line, end, i, p);
	return true;
}

static bool
look(struct look *l)
{
	const char *at = (const char *)l->bytes, *line, *end;
	int64_t most = (int64_t)l->size / (2 * l->width) + 1;

	if (l->size >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)	/* a byte order mark */
		at += 3;
	if (reader_flag(l->source, "header"))
		next_line(l, &at, &end);
	l->value = arena_array(l->arena, (size_t)(most * l->width), sizeof(*l->value));
	for (l->rows = 0; l->rows < most && (line = next_line(l, &at, &end)); l->rows++)
		if (!read_line(l, line, end, l->value + l->rows * l->width))
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
