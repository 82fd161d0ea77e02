/* Text: a growing string, sizes for people, and the nearest name for a misspelt one. */
#include "base/text.h"

#include <stdio.h>
#include <string.h>

void
text_init(struct text *t, struct arena *a)
{
	t->arena = a;
	t->cap = 64;
	t->n = 0;
	t->s = arena_alloc(a, t->cap);
}

static void
reserve(struct text *t, size_t more)
{
	size_t cap = t->cap;

	while (cap - t->n <= more)
		cap *= 2;
	if (cap != t->cap) {
		t->s = arena_grow(t->arena, t->s, t->cap, cap);
		t->cap = cap;
	}
}

void
text_add(struct text *t, const char *s, size_t n)
{
	reserve(t, n);
	memcpy(t->s + t->n, s, n);
	t->n += n;
	t->s[t->n] = '\0';
}

void
text_puts(struct text *t, const char *s)
{
	text_add(t, s, strlen(s));
}

void
text_printf(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->s + t->n, t->cap - t->n, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n >= t->cap - t->n) {
		reserve(t, (size_t)n);
		va_start(ap, fmt);
		vsnprintf(t->s + t->n, t->cap - t->n, fmt, ap);
		va_end(ap);
	}
	t->n += (size_t)n;
}

const char *
size_human(char buf[SIZE_TEXT], int64_t bytes)
{
	static const char *const unit[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double x = (double)bytes;
	int u = -1;

	if (bytes < 1024 && bytes > -1024) {
		snprintf(buf, SIZE_TEXT, "%d B", (int)bytes);
		return buf;
	}
	do {
		x /= 1024;
		u++;
	} while (u < 5 && (x >= 1023.995 || x <= -1023.995));
	snprintf(buf, SIZE_TEXT, x < 9.995 && x > -9.995 ? "%.2f %s" : x < 99.95 && x > -99.95 ?
	    "%.2f %s" : "%.1f %s", x, unit[u]);
	return buf;
}

const char *
size_commas(char buf[SIZE_TEXT], int64_t n)
{
	char digits[24];
	uint64_t u = n < 0 ? -(uint64_t)n : (uint64_t)n;
	int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)u), i, o = 0;

	if (n < 0)
		buf[o++] = '-';
	for (i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			buf[o++] = ',';
		buf[o++] = digits[i];
	}
	buf[o] = '\0';
	return buf;
}

static const struct {
	const char *name;
	int64_t bytes;
} units[] = {
	{ "", 1 }, { "B", 1 },
	{ "KiB", 1 << 10 }, { "MiB", 1 << 20 }, { "GiB", 1 << 30 }, { "TiB", (int64_t)1 << 40 },
	{ "kB", 1000 }, { "MB", 1000000 }, { "GB", 1000000000 }, { "TB", 1000000000000 },
};

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool
size_parse(const char *s, int64_t *bytes)
{
	int64_t whole = 0, part = 0, scale = 1, unit = 0, rest;
	const char *digits = s;
	size_t i;

	for (; is_digit(*s); s++)
		if (__builtin_mul_overflow(whole, 10, &whole) ||
		    __builtin_add_overflow(whole, *s - '0', &whole))
			return false;
	if (s == digits)
		return false;
	if (*s == '.' && is_digit(s[1]))
		for (s++; is_digit(*s); s++)
			if (scale < 1000000) {	/* a millionth of a TiB is below 2 MiB: enough */
				part = part * 10 + (*s - '0');
				scale *= 10;
			}
	while (*s == ' ')
		s++;
	for (i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(s, units[i].name) == 0)
			unit = units[i].bytes;
	rest = part * unit / scale;	/* below 10^6 times 2^40 */
	if (unit == 0 || __builtin_mul_overflow(whole, unit, &whole) ||
	    __builtin_add_overflow(whole, rest, &whole))
		return false;
	*bytes = whole;
	return true;
}

#define LONGEST_NAME	64

/* Optimal string alignment distance, or LIMIT + 1 once it must exceed LIMIT. */
int
text_distance(const char *a, const char *b, int limit)
{
	int row[3][LONGEST_NAME + 1], la = (int)strlen(a), lb = (int)strlen(b), i, j;

	if (la > LONGEST_NAME || lb > LONGEST_NAME || la - lb > limit || lb - la > limit)
		return limit + 1;
	for (j = 0; j <= lb; j++)
		row[0][j] = j;
	for (i = 1; i <= la; i++) {
		int *cur = row[i % 3], *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];

		cur[0] = i;
		for (j = 1; j <= lb; j++) {
			int best = up[j - 1] + (a[i - 1] != b[j - 1]);

			if (up[j] + 1 < best)
				best = up[j] + 1;
			if (cur[j - 1] + 1 < best)
				best = cur[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    up2[j - 2] + 1 < best)
				best = up2[j - 2] + 1;
			cur[j] = best;
		}
	}
	return row[la % 3][lb];
}

const char *
text_nearest(const char *name, const char *const *candidates, int n)
{
	int limit = ((int)strlen(name) + 2) / 3, best = limit + 1, i, d;
	const char *found = NULL;

	for (i = 0; i < n; i++) {
		d = text_distance(name, candidates[i], limit);
		if (d < best) {
			best = d;
			found = candidates[i];
		}
	}
	return found;
}
