/* Framing of messages. */
#include "lsp/wire.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool
wire_feed(struct wire *w, const char *bytes, size_t n)
{
	char *more;

	if (w->taken) {
		memmove(w->buf, w->buf + w->taken, w->n - w->taken);
		w->n -= w->taken;
		w->taken = 0;
	}
	if (w->cap - w->n < n) {
		size_t cap = w->n + n < 65536 ? 65536 : 2 * (w->n + n);

		if (!(more = realloc(w->buf, cap)))
			return false;
		w->buf = more;
		w->cap = cap;
	}
	if (n)
		memcpy(w->buf + w->n, bytes, n);
	w->n += n;
	return true;
}

void
wire_free(struct wire *w)
{
	free(w->buf);
	*w = (struct wire){ NULL, 0, 0, 0 };
}

/* Past the empty line that ends the header, or NULL. */
static const char *
header_end(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i + 3 < n; i++)
		if (memcmp(s + i, "\r\n\r\n", 4) == 0)
			return s + i + 4;
	return NULL;
}

/* The digits of a length, with blanks around them; false: it is none, or too large. */
static bool
read_length(const char *s, const char *end, size_t *length)
{
	size_t n = 0;

	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	while (end > s && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	if (s == end)
		return false;
	for (; s < end; s++) {
		if (*s < '0' || *s > '9' || n > WIRE_LONGEST_BODY)
			return false;
		n = 10 * n + (size_t)(*s - '0');
	}
	*length = n;
	return n <= WIRE_LONGEST_BODY;
}

static bool
read_header(const char *s, const char *end, size_t *length, const char **why)
{
	static const char name[] = "Content-Length:";
	bool known = false;

	while (s + 2 < end) {
		const char *line_end = s;

		while (line_end + 1 < end && memcmp(line_end, "\r\n", 2) != 0)
			line_end++;
		if ((size_t)(line_end - s) >= sizeof(name) - 1 &&
		    strncasecmp(s, name, sizeof(name) - 1) == 0) {
			if (known || !read_length(s + sizeof(name) - 1, line_end, length)) {
				*why = "a Content-Length is no length";
				return false;
			}
			known = true;
		}
		s = line_end + 2;
	}
	if (!known)
		*why = "a header has no Content-Length";
	return known;
}

/* ---- halves of characters ---- */

/* The code unit of the escape "\uXXXX" there; -1: it is none. */
static int
escaped_unit(const char *s, size_t n)
{
	int unit = 0, i;

	if (n < 6 || s[0] != '\\' || s[1] != 'u')
		return -1;
	for (i = 2; i < 6; i++) {
		char c = s[i];

		if (!isxdigit((unsigned char)c))
			return -1;
		unit = 16 * unit + (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	return unit;
}

static bool
is_high_half(int unit)
{
	return unit >= 0xd800 && unit <= 0xdbff;
}

static bool
is_low_half(int unit)
{
	return unit >= 0xdc00 && unit <= 0xdfff;
}

static void
mend_escapes(char *s, size_t n)
{
	char *at = s, *end = s + n;

	while (at < end && (at = memchr(at, '\\', (size_t)(end - at)))) {
		size_t left = (size_t)(end - at);
		int unit = escaped_unit(at, left);

		if (is_high_half(unit) && is_low_half(escaped_unit(at + 6, left - 6))) {
			at += 12;
		} else if (is_high_half(unit) || is_low_half(unit)) {
			memcpy(at, "\\ufffd", 6);
			at += 6;
		} else {
			at += left < 2 ? left : 2;
		}
	}
}

/* The same as bytes, which UTF-8 does not have: ED A0 80 to ED BF BF. */
static void
mend_bytes(char *s, size_t n)
{
	char *at = s, *end = s + n;

	for (; at < end && (at = memchr(at, 0xed, (size_t)(end - at))); at++)
		if (end - at >= 3 && (at[1] & 0xe0) == 0xa0 && (at[2] & 0xc0) == 0x80)
			memcpy(at, "\xef\xbf\xbd", 3);
}

enum wire_next
wire_next(struct wire *w, const char **body, size_t *n, const char **why)
{
	const char *s = w->buf + w->taken, *start;
	size_t there = w->n - w->taken, length = 0;

	if (!there)
		return WIRE_MORE;
	if (!(start = header_end(s, there < WIRE_LONGEST_HEADER ? there : WIRE_LONGEST_HEADER))) {
		*why = "a header is too long";
		return there < WIRE_LONGEST_HEADER ? WIRE_MORE : WIRE_BROKEN;
	}
	if (!read_header(s, start, &length, why))
		return WIRE_BROKEN;
	if (there - (size_t)(start - s) < length)
		return WIRE_MORE;
	mend_escapes(w->buf + (start - w->buf), length);
	mend_bytes(w->buf + (start - w->buf), length);
	*body = start;
	*n = length;
	w->taken += (size_t)(start - s) + length;
	return WIRE_MESSAGE;
}

bool
wire_write(FILE *f, const char *body, size_t n)
{
	fprintf(f, "Content-Length: %zu\r\n\r\n", n);
	fwrite(body, 1, n, f);
	return fflush(f) == 0 && !ferror(f);
}
