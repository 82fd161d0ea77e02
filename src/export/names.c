/*
 * The map of --map FILE (kernels/host/weights.c), read the other way: what is one of our names called there? A line
 * counts whose second column fits, if the name that it makes comes back to ours by the whole map.
 */
#include "export/names.h"

#include <string.h>

#define MOST_STARS	8

struct rule {
	const char *theirs, *here;
	bool transposed;
};

struct names {
	struct arena *arena;
	VEC(struct rule) rules;
};

struct stood_for {		/* by a star */
	const char *text;
	size_t length;
};

/* ---- reading ---- */

/* The next word of a line, or NULL. */
static char *
word(char **at)
{
	char *w = *at + strspn(*at, " \t\r");

	if (!*w || *w == '#')
		return NULL;
	*at = w + strcspn(w, " \t\r");
	if (**at)
		*(*at)++ = '\0';
	return w;
}

static int
stars(const char *pattern)
{
	int n = 0;

	for (; *pattern; pattern += pattern[0] == '*' && pattern[1] == '*' ? 2 : 1)
		n += *pattern == '*';
	return n;
}

/* What a name may be: it stands in quotes in a file of weights, whose metadata has a name there. */
static bool
is_name(const char *w)
{
	const char *p;

	for (p = w; *p; p++)
		if (*p == '"' || *p == '\\' || (unsigned char)*p < ' ')
			return false;
	return strcmp(w, "__metadata__") != 0;
}

static bool
read_line(struct names *m, char *line)
{
	char *at = line, *third;
	struct rule r = { .theirs = word(&at) };

	if (!r.theirs)
		return true;
	r.here = word(&at);
	third = r.here ? word(&at) : NULL;
	r.transposed = third && strcmp(third, "transposed") == 0;
	if (!r.here || !is_name(r.theirs) || (third && !r.transposed) || word(&at) || stars(r.theirs) > MOST_STARS ||
	    (strcmp(r.here, "-") != 0 && stars(r.here) != stars(r.theirs)))
		return false;
	vec_push(m->arena, &m->rules, r);
	return true;
}

struct names *
names_read(struct arena *a, char *text, const char **why)
{
	struct names *m = ARENA_NEW(a, struct names);
	char *next;
	int line;

	m->arena = a;
	for (line = 1; text; text = next, line++) {
		if ((next = strchr(text, '\n')))
			*next++ = '\0';
		if (!read_line(m, text)) {
			*why = arena_printf(a, "line %d: expected a name of the file, a name here or \"-\" with as many *, at most %d, "
			    "and perhaps \"transposed\"", line, MOST_STARS);
			return NULL;
		}
	}
	return m;
}

/* ---- names ---- */

static bool
fits(const char *pattern, const char *name, struct stood_for *star)
{
	bool dots;
	size_t n;

	for (; *pattern && *pattern != '*'; pattern++, name++)
		if (*pattern != *name)
			return false;
	if (!*pattern)
		return !*name;
	dots = pattern[1] == '*';
	for (n = 0;; n++) {
		star->text = name;
		star->length = n;
		if (fits(pattern + 1 + dots, name + n, star + 1))
			return true;
		if (!name[n] || (name[n] == '.' && !dots))
			return false;
	}
}

static const char *
filled(struct arena *a, const char *pattern, const struct stood_for *star)
{
	struct text t;

	text_init(&t, a);
	text_puts(&t, "");
	for (; *pattern; pattern++) {
		if (*pattern == '*') {
			text_add(&t, star->text, star->length);
			star++;
			pattern += pattern[1] == '*';
		} else {
			text_add(&t, pattern, 1);
		}
	}
	return t.s;
}

/* What a name of theirs is called here; NULL: it is left out. */
static const char *
forward(const struct names *m, const char *theirs)
{
	struct stood_for star[MOST_STARS + 1];
	int k;

	for (k = 0; k < m->rules.n; k++)
		if (fits(m->rules.v[k].theirs, theirs, star))
			return strcmp(m->rules.v[k].here, "-") == 0 ? NULL : filled(m->arena, m->rules.v[k].here, star);
	return theirs;
}

const char *
names_of(const struct names *m, const char *ours, bool *transposed)
{
	struct stood_for star[MOST_STARS + 1];
	const char *theirs, *back;
	int k;

	for (k = 0; k < m->rules.n; k++) {
		if (strcmp(m->rules.v[k].here, "-") == 0 || !fits(m->rules.v[k].here, ours, star))
			continue;
		theirs = filled(m->arena, m->rules.v[k].theirs, star);
		back = forward(m, theirs);
		*transposed = m->rules.v[k].transposed;
		if (back && strcmp(back, ours) == 0)
			return theirs;
	}
	back = forward(m, ours);
	*transposed = false;
	return back && strcmp(back, ours) == 0 ? ours : NULL;
}
