/*
 * What may have been meant by a name that is not known: one that is spelt nearly so, or what the
 * same thing is called here. A guess that computes something else is worse than none.
 */
#include "lang/expander.h"

#include <ctype.h>
#include <string.h>

#define LONGEST_NAME	64	/* as far as suggestions look */

#define MOST_SOUGHT	1000000

bool
names_wanted(struct expander *ex, int n)
{
	bool wanted = ex->sought + n <= MOST_SOUGHT;

	if (wanted)
		ex->sought += n;
	return wanted;
}

void
names_add(struct arena *a, struct names *n, const char *name)
{
	vec_push(a, n, name);
}

void
names_add_map(struct arena *a, struct names *n, const struct map *m)
{
	int i;

	for (i = 0; i < m->n; i++)
		names_add(a, n, m->entry[i].key);
}

void
names_add_ops(struct arena *a, struct names *n, enum op_kind first, enum op_kind last)
{
	int i;

	for (i = 0; op_table[i]; i++)
		if (op_table[i]->kind >= first && op_table[i]->kind <= last)
			names_add(a, n, op_table[i]->name);
}

/* "convolution" means conv, "drop" means dropout: the longest name that begins the other, unless
 * it is little of it. */
static const char *
same_start(const char *name, const struct names *n)
{
	size_t len = strlen(name), best = 2, l;
	const char *found = NULL;
	int i;

	for (i = 0; i < n->n; i++) {
		l = strlen(n->v[i]);
		if (l > len)
			l = len;
		if (l > best && 3 * l >= len && strncmp(name, n->v[i], l) == 0) {
			best = l;
			found = n->v[i];
		}
	}
	return found;
}

static bool
is_listed(const char *name, const struct names *n)
{
	int i;

	for (i = 0; name && i < n->n; i++)
		if (strcmp(n->v[i], name) == 0)
			return true;
	return false;
}

static void
lower_case(char out[LONGEST_NAME], const char *s)
{
	size_t i;

	for (i = 0; s[i] && i < LONGEST_NAME - 1; i++)
		out[i] = (char)tolower((unsigned char)s[i]);
	out[i] = '\0';
}

/*
 * How far a candidate may be from a name. An operator computes something, so it is to be a slip of
 * the pen: one letter in four; of a name that means something elsewhere it is none. Names that the
 * author gave, and settings, may differ by one letter in three, or one from what such a name is.
 */
static int
most_apart(const char *candidate, size_t length, bool elsewhere)
{
	if (op_find(candidate))
		return elsewhere ? 0 : (int)(length + 1) / 4;
	return elsewhere ? length >= 4 : length >= 3 ? (int)(length + 2) / 3 : 0;
}

static const char *
slip(const char *name, const struct names *n, bool elsewhere)
{
	int i, d, most, best = LONGEST_NAME;
	const char *found = NULL;

	for (i = 0; i < n->n; i++) {
		most = most_apart(n->v[i], strlen(name), elsewhere);
		if (most > 0 && (d = text_distance(name, n->v[i], most)) <= most && d < best) {
			best = d;
			found = n->v[i];
		}
	}
	return found;
}

/* *SURE: by its letters it is that name and no other. */
static const char *
near_name(const char *name, const struct names *n, bool *sure)
{
	char lower[LONGEST_NAME];
	const char *near;
	bool elsewhere;
	int i;

	*sure = true;
	for (i = 0; i < n->n; i++)
		if (name_same(name, n->v[i]))
			return n->v[i];
	elsewhere = name_elsewhere(name, &near);
	if (near && is_listed(near, n))
		return near;
	lower_case(lower, name);
	if ((near = slip(name, n, elsewhere)) || (near = slip(lower, n, elsewhere)) || elsewhere)
		return near;
	*sure = false;
	near = same_start(name, n);
	return near ? near : same_start(lower, n);
}

const char *
names_near(const char *name, const struct names *n)
{
	bool sure;

	return near_name(name, n, &sure);
}

bool
names_suggest(struct expander *ex, struct diag *g, const char *name, const struct names *n)
{
	bool sure;
	const char *near = near_name(name, n, &sure);

	if (near)
		diag_help(ex->d, g, "did you mean '%s'?", near);
	if (near && sure)
		diag_fix_word(ex->d, g, name, near);
	return near != NULL;
}
