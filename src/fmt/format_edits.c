/* What laying out has changed, as edits of the old text. */
#include "fmt/format.h"

#include <string.h>

static bool
is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static int
skip_blanks(const struct source *s, int i)
{
	while (i < s->size && is_blank(s->text[i]))
		i++;
	return i;
}

/* Bytes of the old text and those of the new one that stand in their place. */
struct change {
	int beg, end;
	int from, to;
};

static void
flush(struct edits *e, const struct change *c, const struct source *new)
{
	if (c->beg < c->end || c->from < c->to)	/* they come in order: no search for the place */
		vec_push(e->arena, &e->all, ((struct edit){ c->beg, c->end,
		    arena_strndup(e->arena, new->text + c->from, (size_t)(c->to - c->from)) }));
}

/* Adds a change to those before it, unless there is a whole line between: else the diff would
 * alternate between old and new lines. */
static void
change(struct edits *e, struct change *all, struct change c, const struct source *new)
{
	int i, newlines = 0;

	for (i = all->end; i < c.beg && newlines < 2; i++)
		newlines += e->src->text[i] == '\n';
	if (newlines < 2 && all->end > 0) {
		all->end = c.end;
		all->to = c.to;
	} else {
		flush(e, all, new);
		*all = c;
	}
}

/* Both texts are the same except for blanks and commas, so walking through them side by side finds
 * the differences. Where a comment has moved they are not: what is left is one change. */
void
fmt_edits(struct edits *e, struct arena *a, const struct source *old, const struct source *new)
{
	struct change all = { 0, 0, 0, 0 };
	int i = 0, j = 0, k, l;

	edits_init(e, a, old);
	while (i < old->size || j < new->size) {
		k = skip_blanks(old, i);
		l = skip_blanks(new, j);
		if (k - i != l - j || memcmp(old->text + i, new->text + j, (size_t)(k - i)) != 0)
			change(e, &all, (struct change){ i, k, j, l }, new);
		for (i = k, j = l; i < old->size && j < new->size && !is_blank(old->text[i]) &&
		    old->text[i] == new->text[j]; i++, j++)
			;
		if ((i < old->size ? is_blank(old->text[i]) : j == new->size) ||
		    (j < new->size && is_blank(new->text[j])) || i > k)
			continue;
		if (i < old->size && old->text[i] == ',') {
			change(e, &all, (struct change){ i, i + 1, j, j }, new);
			i++;
		} else {
			change(e, &all, (struct change){ i, old->size, j, new->size }, new);
			break;
		}
	}
	flush(e, &all, new);
}
