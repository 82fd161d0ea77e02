/* Text: a growing string, and the nearest name for a misspelt one. */
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
		t->s = arena_regrow(t->arena, t->s, t->cap, cap);
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
text_open(struct text *t, size_t at, size_t n)
{
	reserve(t, n);
	memmove(t->s + at + n, t->s + at, t->n - at + 1);
	t->n += n;
}

void
text_insert(struct text *t, size_t at, const char *s, size_t n)
{
	text_open(t, at, n);
	memcpy(t->s + at, s, n);
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

struct nearest {		/* of the candidates so far */
	const char *name, *found;
	int limit, best;
};

static struct nearest
nearest_to(const char *name)
{
	int limit = ((int)strlen(name) + 2) / 3;

	return (struct nearest){ .name = name, .limit = limit, .best = limit + 1 };
}

static void
consider(struct nearest *n, const char *candidate)
{
	int d = text_distance(n->name, candidate, n->limit);

	if (d < n->best) {
		n->best = d;
		n->found = candidate;
	}
}

bool
text_is_one_of(const char *name, const char *const *names)
{
	while (*names && strcmp(*names, name) != 0)
		names++;
	return *names != NULL;
}

const char *
text_nearest(const char *name, const char *const *candidates, int n)
{
	struct nearest nearest = nearest_to(name);
	int i;

	for (i = 0; i < n; i++)
		consider(&nearest, candidates[i]);
	return nearest.found;
}

const char *
text_nearest_of(const char *name, const char *(*candidate)(int))
{
	struct nearest nearest = nearest_to(name);
	int i;

	for (i = 0; candidate(i); i++)
		consider(&nearest, candidate(i));
	return nearest.found;
}

const char *
text_list(char *to, size_t room, const char *(*word)(int), const char *last)
{
	size_t n = 0;
	int i;

	*to = '\0';
	for (i = 0; word(i) && n < room; i++)
		n += (size_t)snprintf(to + n, room - n, "%s%s", i == 0 ? "" : word(i + 1) ? ", " : last,
		    word(i));
	return to;
}
