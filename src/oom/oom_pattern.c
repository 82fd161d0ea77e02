/* The matcher: one pass without going back, so a pattern costs no more than the text it covers. */
#include "oom/oom_pattern.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "oom/oom_counted.h"
#include "oom/oom_status.h"

#define MOST_SHIFT	40	/* by which millionths of a unit still fit */
#define MOST_WORD	256	/* bytes of a word that does not matter, as of a path */
#define OF_WORDING	3	/* words of a sentence's beginning */
#define MOST_BREAK	200	/* bytes of white space and quotation marks at one place */

static bool
is_line_end(char c)
{
	return c == '\n' || c == OOM_BREAK;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || is_line_end(c);
}

/* "**" as Markdown has it around what it makes bold: two, and no row of them. */
static bool
is_bold(const char *s, const char *end)
{
	return end - s > 2 && s[0] == '*' && s[1] == '*' && s[2] != '*';
}

/* Past white space and bold's marks; where that ends a line, also past the marks at the start of
 * the next. */
static const char *
blanks(const char *s, const char *end)
{
	const char *from = s;
	bool ended = false;

	for (; s < end && s - from < MOST_BREAK; s++) {
		ended |= is_line_end(*s);
		if (is_bold(s, end))
			s++;
		else if (!is_blank(*s) && !(ended && (*s == '>' || *s == '|')))
			break;
	}
	return s;
}

/* The same, between two letters: only where the line ends. */
static const char *
line_break(const char *s, const char *end)
{
	return s < end && is_line_end(*s) ? blanks(s, end) : s;
}

/* ---- numbers ---- */

/* Digits, with commas between thousands if those may be; 0 when beyond 63 bits. */
static const char *
digits(const char *s, const char *end, bool commas, int64_t *n, bool *good)
{
	const char *from = s;

	*n = 0;
	*good = s < end && is_digit(*s);
	for (; s < end && s - from < 40; s++) {
		if (commas && *s == ',' && s > from && s + 3 < end && is_digit(s[1]) &&
		    is_digit(s[2]) && is_digit(s[3]))
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

/* The same for a number that is no pattern's end, but for a word's: where the line ends in it
 * and the next begins with a digit, that belongs to it, unless REST says that another number
 * follows. */
static const char *
number(const char *s, const char *end, bool commas, const char *rest, int64_t *n, bool *good)
{
	const char *at = digits(s, end, commas, n, good), *next;
	char joined[64];
	size_t have = (size_t)(at - s), more = 0;

	rest += strspn(rest, " ");
	if (!*good || !*rest || (*rest == '\b' && !rest[1]) || strchr("%#&@", *rest) || at >= end || !is_line_end(*at) ||
	    have >= sizeof(joined) / 2)
		return at;
	next = blanks(at, end);
	while (next + more < end && more < sizeof(joined) / 2 && is_digit(next[more]))
		more++;
	if (more == 0)
		return at;
	memcpy(joined, s, have);
	memcpy(joined + have, next, more);
	digits(joined, joined + have + more, commas, n, good);
	return next + more;
}

static const struct {
	const char *name;	/* longer ones before those they begin with */
	int shift;
} unit[] = {	/* every framework means powers of two, whatever unit it writes */
	{ "bytes", 0 }, { "byte", 0 }, { "Bytes", 0 }, { "KiB", 10 }, { "MiB", 20 },
	{ "GiB", 30 }, { "TiB", 40 }, { "PiB", 50 }, { "EiB", 60 },
	{ "kib", 10 }, { "mib", 20 }, { "gib", 30 }, { "KB", 10 }, { "MB", 20 }, { "GB", 30 }, { "TB", 40 },
	{ "kB", 10 }, { "Kb", 10 }, { "Mb", 20 }, { "Gb", 30 }, { "K", 10 }, { "M", 20 }, { "G", 30 }, { "T", 40 },
	{ "B", 0 },
};

static bool
begins_name(char c)
{
	return is_letter(c) || c == '_';
}

static bool
is_in_word(char c)
{
	return begins_name(c) || is_digit(c);
}

static const char *
read_unit(const char *s, const char *end, int *shift)
{
	const char *at, *n;
	size_t i;

	for (i = 0; i < sizeof(unit) / sizeof(*unit); i++) {
		for (n = unit[i].name, at = s; *n; n++) {
			at = n > unit[i].name ? line_break(at, end) : at;
			if (at >= end || *at++ != *n)
				break;
		}
		if (*n || (at < end && begins_name(*at) && (*at != '_' || (at + 1 < end && is_in_word(at[1])))))
			continue;	/* a sign of emphasis may end it */
		*shift = unit[i].shift;
		return at;
	}
	return NULL;
}

/* Does the comma at S stand between thousands? Else it is that of a decimal, as many languages
 * write it. */
static bool
is_thousands(const char *s, const char *end)
{
	int n = 0;

	for (s++; n < 4; n++) {
		s = line_break(s, end);
		if (s >= end || !is_digit(*s))
			break;
		s++;
	}
	return n == 3;
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
		if (is_line_end(*s)) {
			const char *next = line_break(s, end);

			if (n == 0 || next >= end || (!is_digit(*next) && *next != '.'))
				break;
			s = next - 1;
			continue;
		}
		if (*s == ',' && n > 0 && !point && is_thousands(s, end)) {
			commas++;
			continue;
		}
		if (*s == ',' && commas > 0 && s + 1 < end && is_digit(s[1]))
			return NULL;		/* "153,700,88": neither thousands nor a decimal */
		if ((*s == '.' || *s == ',') && n > 0 && !point) {
			point = true;
			continue;
		}
		if (!is_digit(*s))
			break;
		n++;
		if (point && *places < 6) {
			*part = 10 * *part + (*s - '0');
			++*places;
		} else if (!point) {
			*whole = *whole <= (INT64_MAX - 9) / 10 ? 10 * *whole + (*s - '0') : INT64_MAX;
		}
	}
	return n ? s : NULL;
}

static const char *
size(const char *s, const char *end, struct oom_size *to, bool *beyond)
{
	int64_t whole, part, scale = 1, bytes;
	int places, shift = 0, low, i;

	if (!(s = size_digits(s, end, &whole, &part, &places)) ||
	    !(s = read_unit(blanks(s, end), end, &shift)))
		return NULL;
	for (i = 0; i < places; i++)
		scale *= 10;
	if (shift == 0 && part > 0)
		return NULL;		/* there are no parts of a byte */
	if (whole > INT64_MAX >> (shift + 1)) {
		*beyond = true;
		return s;
	}
	low = shift < MOST_SHIFT ? shift : MOST_SHIFT;
	bytes = (whole << shift) + ((part << low) / scale << (shift - low));
	*to = (struct oom_size){ true, bytes, ((int64_t)1 << shift) / scale / 2 };
	return s;
}

/* ---- shapes and names ---- */

/* "dim { size: 10000 } dim { size: 14 }", as TensorFlow wrote at first. */
static const char *
shape_of_dims(const char *s, const char *end, struct oom_shape *to)
{
	struct oom_match m;
	const char *next;

	to->known = true;
	to->rank = 0;
	while ((next = oom_pattern("dim { size: # }", s, end, &m))) {
		if (to->rank == OOM_RANK || m.number[0] > LARGEST_EXTENT)
			return NULL;
		to->dim[to->rank++] = m.number[0];
		s = blanks(next, end);
	}
	return to->rank ? s : NULL;
}

/* What may stand between two extents: a comma, a semicolon, an x, or blanks alone. */
static const char *
separator(const char *s, const char *end, char close)
{
	const char *at = blanks(s, end);

	if (at < end && (*at == ',' || *at == ';' || *at == 'x'))
		return at + 1;
	return at < end && (*at == close || (at > s && is_digit(*at))) ? at : NULL;
}

/* XLA's layout, right behind the extents: axes from the most minor to the major,
 * "{1,0:T(8,128)}". */
static void
layout(const char *s, const char *end, struct oom_shape *of)
{
	int axis, n;

	of->minor[0] = of->minor[1] = -1;
	if (s >= end || *s != '{')
		return;
	for (n = 0, s++; n < of->rank; n++, s++) {
		for (axis = 0; s < end && is_digit(*s) && axis < OOM_RANK; s++)
			axis = 10 * axis + (*s - '0');
		if (s >= end || !is_digit(s[-1]) || axis >= of->rank ||
		    (n + 1 < of->rank ? *s != ',' : *s != '}' && *s != ':'))
			return;
		if (n < 2)
			of->minor[n] = axis;
	}
	of->laid = n > 0;
}

static const char *
shape(const char *s, const char *end, struct oom_shape *to)
{
	static const char opens[] = "[({<", closes[] = "])}>";
	struct oom_shape found = { .known = false };
	const char *from, *kind;
	char close;
	bool good;

	if (s < end && *s == 'd' && (from = shape_of_dims(s, end, &found))) {
		*to = found;
		return from;
	}
	found = (struct oom_shape){ .known = true };
	from = s;
	while (s < end && s - from < 32 && (begins_name(*s) || is_digit(*s) || *s == '.'))
		s++;		/* f32[, torch.Size([, TensorShape([ */
	s = line_break(s, end);
	if (s + 1 < end && *s == '(' && s[1] == '[')
		s++;
	if (s >= end || !(kind = memchr(opens, *s, 4)))
		return NULL;
	close = closes[kind - opens];
	for (s++;;) {
		s = blanks(s, end);
		if (s >= end)
			return NULL;
		if (*s == close)
			break;
		if (found.rank == OOM_RANK)
			return NULL;
		s = number(s, end, false, "]", &found.dim[found.rank], &good);
		if (!good || found.dim[found.rank++] > LARGEST_EXTENT ||
		    !(s = separator(s, end, close)))
			return NULL;
	}
	layout(s + 1, end, &found);
	*to = found;
	return s + 1;
}

static bool
is_of_name(const char *s, const char *end)
{
	return s < end && *s > ' ' && *s < 127 && !strchr("'\"()[]{}=,;", *s);
}

/* What only closes a quote, as in "by op `", is no name. Of one that is longer than all the room a
 * mark tells. */
static const char *
name(const char *s, const char *end, char to[OOM_NAME])
{
	bool any = false;
	int n = 0;

	for (; n < OOM_NAME - 1 && is_of_name(s, end); s++) {
		any |= *s != '`';
		to[n++] = *s;
	}
	if (is_of_name(s, end))
		memcpy(to + n - 3, "...", 3);
	to[any ? n : 0] = '\0';
	return any ? s : NULL;
}

/* Extents one after the other on a line, two at least: what follows them is no extent. */
static const char *
extents(const char *s, const char *end, struct oom_shape *to)
{
	struct oom_shape found = { .known = true };
	const char *after = NULL;
	bool good;

	while (s < end && is_digit(*s)) {
		if (found.rank == OOM_RANK)
			return NULL;
		s = digits(s, end, false, &found.dim[found.rank], &good);
		if (!good || found.dim[found.rank++] > LARGEST_EXTENT)
			return NULL;
		after = s;
		if (end - s > 1 && *s == 'x' && is_digit(s[1]))
			s++;
		while (s < end && (*s == ' ' || *s == '\t' || *s == ','))
			s++;
		if (end - s > 2 && s > after && *s == 'x' && s[1] == ' ' && !is_digit(*(s += 2)))
			return NULL;		/* "1 x -3": a negative one is none */
	}
	if (found.rank < 2)
		return NULL;
	*to = found;
	return after;
}

/* Does S hold WORD, whatever the case of its letters? Returns what follows it, or NULL. */
static const char *
holds(const char *s, const char *word)
{
	size_t n = strlen(word), i;

	for (; *s; s++) {
		for (i = 0; i < n && (lower(s[i]) == word[i]); i++)
			;
		if (i == n)
			return s + n;
	}
	return NULL;
}

/* By the device's name or its allocator's: those of pinned memory are named after the card whose
 * copies they serve, but lie in the machine. */
static bool
place_of(const char *name, struct oom_place *to)
{
	const char *gpu = holds(name, "gpu:");
	bool host = holds(name, "_host") || !strcmp(name, "cpu") || !strcmp(name, "mklcpu");

	gpu = gpu ? gpu : holds(name, "gpu_");
	if (!gpu && !host && !holds(name, "cpu:"))
		return false;
	*to = (struct oom_place){ .known = true, .host = host || !gpu, .gpu = -1 };
	if (!to->host && is_digit(*gpu))
		to->gpu = (int)strtol(gpu, NULL, 10);
	return true;
}

/* Where a line ends after NAME, is that its end? */
static bool
is_whole(const char *name, struct oom_place *to)
{
	size_t n = strlen(name);

	if (!place_of(name, to))
		return false;
	if (strchr(name, ':'))
		return to->host || to->gpu >= 0;
	return n >= 3 && (strcmp(name + n - 3, "bfc") == 0 || strcmp(name + n - 3, "cpu") == 0);
}

/* A device's name: a terminal may break it anywhere. */
static const char *
place(const char *s, const char *end, struct oom_place *to)
{
	char name[OOM_NAME];
	const char *after = NULL;
	size_t n = 0;

	while (s < end && n < sizeof(name) - 1 && (begins_name(*s) || is_digit(*s) ||
	    strchr("/:-.", *s))) {
		name[n++] = *s++;
		after = s;
		name[n] = '\0';
		if (s < end && is_line_end(*s) && !is_whole(name, to))
			s = line_break(s, end);
	}
	if (!n)
		return NULL;
	return place_of(name, to) ? after : NULL;
}

/* Does a word begin or end between S and what stands ahead of it? */
static bool
is_edge(const char *s, const char *end)
{
	const char *before = s - 1;

	if (s >= end || !is_in_word(*s))
		return true;
	if (*before == '-')	/* not of an option's "--" */
		before--;
	return !is_in_word(*before);
}

/* "137)", "-9)": a number and what closes its parenthesis? */
static bool
is_alone(const char *s, const char *end)
{
	const char *from = s += *s == '-';

	while (s < end && is_digit(*s))
		s++;
	return s > from && s < end && *s == ')';
}

/* From a name to its value: "=", ": ", " is ", "': ", or blanks; a number may stand in quotes, or
 * in parentheses of its own. */
static const char *
assigned(const char *s, const char *end)
{
	const char *from = s;

	s = blanks(s, end);
	if (s < end && (*s == '\'' || *s == '"'))
		s = blanks(s + 1, end);
	if (s < end && (*s == '=' || *s == ':'))
		s++;
	else if (s > from && end - s > 2 && memcmp(s, "is ", 3) == 0)
		s += 2;
	s = blanks(s, end);
	if (s > from && end - s > 1 && (*s == '\'' || *s == '"') && is_digit(s[1]))
		s++;
	else if (s > from && end - s > 1 && *s == '(' && is_alone(s + 1, end))
		s++;
	return s > from ? s : NULL;
}

static const char *
word(const char *s, const char *end)
{
	const char *from = s;

	while (s < end && s - from < MOST_WORD && !is_blank(*s))
		s++;
	return s > from ? s : NULL;
}

/* ---- */

static const char *
sign(const char *p, const char *s, const char *end, struct oom_match *m)
{
	const char *from = s;
	int64_t n;
	bool good;

	switch (*p) {
	case '%':
		return size(s, end, m->size.known ? &m->second : &m->size, &m->beyond);
	case '#':
		s = number(s, end, true, p + 1, &n, &good);
		if (!p[1] && !oom_is_count(from, s, end))
			return NULL;
		if (good && m->numbers < 2)
			m->number[m->numbers++] = n;
		m->beyond |= !good && s > from;
		return good || s > from ? s : NULL;
	case '$':
		return shape(s, end, &m->shape);
	case '&':
		return name(s, end, m->name);
	case '!':
		return s >= end || is_line_end(*s) || strchr(".:;!,)'\"`", *s) ? s : NULL;
	case '^':
		return place(s, end, &m->place);
	case '`':
		return extents(s, end, &m->shape);
	case '\n':
		while (s < end && !is_line_end(*s) && (is_blank(*s) || strchr("\"'*`", *s)))
			s++;
		return s >= end || is_line_end(*s) || *s == '}' ? s : NULL;
	case '\a':
		return assigned(s, end);
	case '\f':
		return oom_status(s, end);
	case '\b':
		return is_edge(s, end) ? s : NULL;
	case '\t':
		while (s < end && is_blank(*s) && !is_line_end(*s))
			s++;
		return s;
	default:
		return word(s, end);
	}
}

const char *
oom_pattern_first(const char *pattern)
{
	while (*pattern == '~' || *pattern == '\b')
		pattern++;
	return pattern;
}

bool
oom_pattern_is_wording(const char *pattern)
{
	const char *s = oom_pattern_first(pattern);
	int words = is_letter(*s) && s[1] >= 'a' && s[1] <= 'z';

	for (; words && words < OF_WORDING && *s; s++)
		words += *s == ' ' && is_letter(s[1]);
	return words == OF_WORDING;
}

const char *
oom_pattern(const char *pattern, const char *s, const char *end, struct oom_match *m)
{
	bool any_case = *pattern == '~';
	const char *p, *first = pattern + any_case;

	m->numbers = 0;
	m->beyond = false;
	m->size = m->second = (struct oom_size){ false, 0, 0 };
	m->shape.known = false;
	m->name[0] = '\0';
	m->place.known = false;
	for (p = first; *p; p++) {
		if (*p == ' ') {
			s = blanks(s, end);
			continue;
		}
		if (p > first && s < end && is_line_end(*s) && !strchr("!\t\n\b", *p) && p[-1] != '\t')
			s = line_break(s, end);
		if (!begins_name(*p) && strchr("%#$&@!^`\a\b\f\t\n", *p)) {
			if (!(s = sign(p, s, end, m)))
				return NULL;
		} else if (any_case && *p == '_') {
			s += s < end && (*s == '_' || *s == '-');
		} else if (s >= end || (any_case ? lower(*s) != lower(*p) : *s != *p && !(p == first && lower(*s) == lower(*p) && oom_pattern_is_wording(first)))) {
			return NULL;
		} else {
			s++;
		}
	}
	return p > first && is_digit(p[-1]) && s < end && is_digit(*s) ? NULL : s;
}
