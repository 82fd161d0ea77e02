/* The matcher: one pass without going back, so a pattern costs no more than the text it covers. */
#include "model/oom_pattern.h"

#include <string.h>

#define MOST_BREAK	200	/* bytes of white space and quotation marks at one place */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* Past white space; where that ends a line, also past the marks at the start of the next. */
static const char *
blanks(const char *s, const char *end)
{
	const char *from = s;
	bool ended = false;

	for (; s < end && s - from < MOST_BREAK; s++) {
		ended |= *s == '\n';
		if (!is_blank(*s) && !(ended && (*s == '>' || *s == '|')))
			break;
	}
	return s;
}

/* The same, between two letters: only where the line ends. */
static const char *
line_break(const char *s, const char *end)
{
	return s < end && *s == '\n' ? blanks(s, end) : s;
}

/* ---- numbers ---- */

/* Digits, with commas if it is WHOLE; 0 when beyond 63 bits. */
static const char *
digits(const char *s, const char *end, int64_t *n, bool *good)
{
	const char *from = s;

	*n = 0;
	*good = s < end && is_digit(*s);
	for (; s < end && s - from < 40; s++) {
		if (*s == ',' && s > from && s + 3 < end && is_digit(s[1]) && is_digit(s[2]) &&
		    is_digit(s[3]))
			continue;
		if (!is_digit(*s))
			break;
		if (__builtin_mul_overflow(*n, 10, n) || __builtin_add_overflow(*n, *s - '0', n)) {
			*good = false;
			*n = 0;
		}
	}
	return s;
}

static const struct {
	const char *name;	/* longer ones before those they begin with */
	int shift;
} unit[] = {	/* every framework means powers of two, whatever it writes */
	{ "bytes", 0 }, { "byte", 0 }, { "Bytes", 0 }, { "KiB", 10 }, { "MiB", 20 },
	{ "GiB", 30 }, { "TiB", 40 }, { "KB", 10 }, { "MB", 20 }, { "GB", 30 }, { "TB", 40 },
	{ "kB", 10 }, { "Kb", 10 }, { "K", 10 }, { "M", 20 }, { "G", 30 }, { "T", 40 },
	{ "B", 0 },
};

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static const char *
read_unit(const char *s, const char *end, int *shift)
{
	const char *at, *n;
	size_t i;

	for (i = 0; i < sizeof(unit) / sizeof(*unit); i++) {
		for (n = unit[i].name, at = s; *n; n++) {
			if (n > unit[i].name)
				at = line_break(at, end);
			if (at >= end || *at++ != *n)
				break;
		}
		if (*n || (at < end && is_letter(*at)))
			continue;
		*shift = unit[i].shift;
		return at;
	}
	return NULL;
}

/* Whole and part of a number that a line break may cut, since a unit must follow. */
static const char *
size_digits(const char *s, const char *end, int64_t *whole, int64_t *part, int *places)
{
	bool point = false;
	int n = 0, commas = 0;

	*whole = *part = 0;
	*places = 0;
	for (; s < end && n + commas < 40; s++) {
		if (*s == '\n') {
			const char *next = line_break(s, end);

			if (n == 0 || next >= end || (!is_digit(*next) && *next != '.'))
				break;
			s = next - 1;
			continue;
		}
		if (*s == ',' && n > 0 && !point) {
			commas++;
			continue;
		}
		if (*s == '.' && n > 0 && !point) {
			point = true;
			continue;
		}
		if (!is_digit(*s))
			break;
		n++;
		if (point && *places < 6) {
			*part = 10 * *part + (*s - '0');
			++*places;
		} else if (!point && *whole < INT64_MAX / 16) {
			*whole = 10 * *whole + (*s - '0');
		}
	}
	return n ? s : NULL;
}

static const char *
size(const char *s, const char *end, struct oom_size *to)
{
	int64_t whole, part, scale = 1, bytes;
	int places, shift = 0, i;

	if (!(s = size_digits(s, end, &whole, &part, &places)) ||
	    !(s = read_unit(blanks(s, end), end, &shift)))
		return NULL;
	for (i = 0; i < places; i++)
		scale *= 10;
	if (whole > INT64_MAX >> (shift + 1))
		return NULL;
	bytes = (whole << shift) + (part << shift) / scale;
	*to = (struct oom_size){ true, bytes, ((int64_t)1 << shift) / scale / 2 };
	return s;
}

/* ---- shapes and names ---- */

static const char *
shape(const char *s, const char *end, struct oom_shape *to)
{
	struct oom_shape found = { .known = true };
	const char *from = s;
	bool good;
	char close;

	while (s < end && s - from < 16 && (is_letter(*s) || is_digit(*s)))
		s++;		/* f32[ */
	s = line_break(s, end);
	if (s >= end || (*s != '[' && *s != '('))
		return NULL;
	close = *s++ == '[' ? ']' : ')';
	for (;;) {
		s = blanks(s, end);
		if (s >= end)
			return NULL;
		if (*s == close)
			break;
		if (found.rank == MAX_RANK)
			return NULL;
		for (from = s; s < end && is_digit(*s); s++)
			;
		digits(from, s, &found.dim[found.rank], &good);
		if (!good || found.dim[found.rank++] > LARGEST_EXTENT)
			return NULL;
		s = blanks(s, end);
		if (s < end && *s == ',')
			s++;
		else if (s >= end || *s != close)
			return NULL;
	}
	*to = found;
	return s + 1;
}

static const char *
name(const char *s, const char *end, char to[OOM_NAME])
{
	int n = 0;

	while (s < end && n < OOM_NAME - 1 && *s > ' ' && *s < 127 && !strchr("'\"()[]{}=,;", *s))
		to[n++] = *s++;
	to[n] = '\0';
	return n ? s : NULL;
}

static const char *
word(const char *s, const char *end)
{
	const char *from = s;

	while (s < end && s - from < 64 && !is_blank(*s))
		s++;
	return s > from ? s : NULL;
}

/* ---- */

static const char *
sign(char c, const char *s, const char *end, struct oom_match *m)
{
	int64_t n;
	bool good;

	switch (c) {
	case '%':
		return size(s, end, &m->size);
	case '#':
		s = digits(s, end, &n, &good);
		if (good && m->numbers < 2)
			m->number[m->numbers++] = n;
		return good ? s : NULL;
	case '$':
		return shape(s, end, &m->shape);
	case '&':
		return name(s, end, m->name);
	default:
		return word(s, end);
	}
}

const char *
oom_pattern(const char *pattern, const char *s, const char *end, struct oom_match *m)
{
	const char *p;

	m->numbers = 0;
	m->size = (struct oom_size){ false, 0, 0 };
	m->shape.known = false;
	m->name[0] = '\0';
	for (p = pattern; *p; p++) {
		if (*p == ' ') {
			s = blanks(s, end);
			continue;
		}
		if (p > pattern && s < end && *s == '\n')
			s = line_break(s, end);
		if (strchr("%#$&@", *p)) {
			if (!(s = sign(*p, s, end, m)))
				return NULL;
		} else if (s >= end || *s++ != *p) {
			return NULL;
		}
	}
	return s;
}
