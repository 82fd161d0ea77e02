/*
 * Edits of a text. Which lines differ is known from where the edits are, so a diff needs no search
 * for a longest common subsequence: the lines that an edit touches are compared with their
 * replacements, and equal beginnings and ends are context.
 */
#include "base/edit.h"

#include <string.h>

#define CONTEXT	3	/* lines shown before and after a change */

void
edits_init(struct edits *e, struct arena *a, const struct source *src)
{
	*e = (struct edits){ .arena = a, .src = src };
}

struct edits *
edits_new(struct arena *a, const struct source *src)
{
	struct edits *e = ARENA_NEW(a, struct edits);

	edits_init(e, a, src);
	return e;
}

/* Does X, which begins no later than Y, leave Y's bytes alone? */
static bool
apart(const struct edit *x, const struct edit *y)
{
	return x->end <= y->beg;
}

/* Is OLD, or may it be, before NEW? An insertion is before what replaces bytes from there on. */
static bool
goes_before(const struct edit *old, const struct edit *new)
{
	return old->beg < new->beg || (old->beg == new->beg && !(new->beg == new->end && old->end > new->beg));
}

/* How many go before it. Most come in their order. */
static int
place_of(const struct edits *e, const struct edit *new)
{
	int low = 0, high = e->all.n, middle;

	if (high == 0 || goes_before(&e->all.v[high - 1], new))
		return high;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (goes_before(&e->all.v[middle], new))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool
edits_add(struct edits *e, int beg, int end, const char *text)
{
	struct edit new = { beg, end, text };
	int at;

	if (beg < 0 || end < beg || end > e->src->size)
		return false;
	at = place_of(e, &new);
	if (at > 0 && beg < end && e->all.v[at - 1].beg == beg && e->all.v[at - 1].end == end &&
	    strcmp(e->all.v[at - 1].text, text) == 0)
		return true;
	if ((at > 0 && !apart(&e->all.v[at - 1], &new)) ||
	    (at < e->all.n && !apart(&new, &e->all.v[at])))
		return false;
	vec_push(e->arena, &e->all, new);
	if (at < e->all.n - 1)
		memmove(&e->all.v[at + 1], &e->all.v[at], (size_t)(e->all.n - 1 - at) * sizeof(new));
	e->all.v[at] = new;
	return true;
}

/* The source's bytes [beg, end) with the edits FROM .. TO - 1, which lie in there, applied. */
static void
apply_range(const struct edits *e, struct text *t, int beg, int end, int from, int to)
{
	int i;

	for (i = from; i < to; i++) {
		const struct edit *x = &e->all.v[i];

		text_add(t, e->src->text + beg, (size_t)(x->beg - beg));
		text_puts(t, x->text);
		beg = x->end;
	}
	text_add(t, e->src->text + beg, (size_t)(end - beg));
}

struct source *
edits_apply(const struct edits *e)
{
	struct text t;

	text_init(&t, e->arena);
	apply_range(e, &t, 0, e->src->size, 0, e->all.n);
	return source_from_text(e->arena, e->src->path, t.s, t.n);
}

/* ---- one after the other ---- */

/* A part of an edited text: bytes [beg, end) of the source, or of what was put in. */
struct piece {
	const char *put;	/* NULL: of the source */
	int beg, end;
};

struct pieces {
	struct arena *arena;
	VEC(struct piece) all;
};

static void
add_piece(struct pieces *p, const char *put, int beg, int end)
{
	if (beg < end)
		vec_push(p->arena, &p->all, ((struct piece){ put, beg, end }));
}

static void
pieces_of(struct pieces *p, const struct edits *e)
{
	int at = 0, i;

	for (i = 0; i < e->all.n; i++) {
		add_piece(p, NULL, at, e->all.v[i].beg);
		add_piece(p, e->all.v[i].text, 0, (int)strlen(e->all.v[i].text));
		at = e->all.v[i].end;
	}
	add_piece(p, NULL, at, e->src->size);
}

/* Moves on by N bytes of the text that FROM is of, copying them to TO unless that is NULL. */
static void
pass(const struct pieces *from, int *k, int *offset, int n, struct pieces *to)
{
	while (n > 0) {
		const struct piece *x = &from->all.v[*k];
		int beg = x->beg + *offset, take = x->end - beg < n ? x->end - beg : n;

		if (to)
			add_piece(to, x->put, beg, beg + take);
		n -= take;
		*offset += take;
		if (beg + take == x->end) {
			++*k;
			*offset = 0;
		}
	}
}

static struct edits *
edits_between(struct arena *a, const struct source *src, const struct pieces *p)
{
	struct edits *e = edits_new(a, src);
	struct text put;
	int at = 0, i;

	text_init(&put, a);
	for (i = 0; i <= p->all.n; i++) {
		struct piece x = i < p->all.n ? p->all.v[i] :
		    (struct piece){ NULL, src->size, src->size };

		if (x.put) {
			text_add(&put, x.put + x.beg, (size_t)(x.end - x.beg));
			continue;
		}
		if (at < x.beg || put.n > 0) {
			edits_add(e, at, x.beg, put.n > 0 ? put.s : "");
			text_init(&put, a);
		}
		at = x.end;
	}
	return e;
}

struct edits *
edits_then(const struct edits *first, const struct edits *second)
{
	struct arena *a = first->arena;
	struct pieces was = { .arena = a }, is = was;
	int at = 0, k = 0, offset = 0, i;

	pieces_of(&was, first);
	for (i = 0; i < second->all.n; i++) {
		const struct edit *x = &second->all.v[i];

		pass(&was, &k, &offset, x->beg - at, &is);
		add_piece(&is, x->text, 0, (int)strlen(x->text));
		pass(&was, &k, &offset, x->end - x->beg, NULL);
		at = x->end;
	}
	pass(&was, &k, &offset, second->src->size - at, &is);
	return edits_between(a, first->src, &is);
}

/* ---- the diff ---- */

struct line {
	const char *s;
	int n;			/* with its newline, where it has one */
};

struct lines {
	VEC(struct line) all;
};

struct change {			/* old lines [beg, end) become others */
	int beg, end;
	struct lines new;
};

struct diff {
	const struct edits *edits;
	struct lines old;
	VEC(struct change) changes;
	struct text *out;
};

static void
split(struct arena *a, struct lines *l, const char *s, size_t n)
{
	while (n > 0) {
		const char *newline = memchr(s, '\n', n);
		size_t k = newline ? (size_t)(newline - s) + 1 : n;

		vec_push(a, &l->all, ((struct line){ s, (int)k }));
		s += k;
		n -= k;
	}
}

static bool
same_line(struct line a, struct line b)
{
	return a.n == b.n && memcmp(a.s, b.s, (size_t)a.n) == 0;
}

/* The lines, from 0, that an edit touches: [*from, *to). One of whole lines spares the next. */
static void
lines_of(const struct diff *d, const struct edit *x, int *from, int *to)
{
	const struct source *src = d->edits->src;
	size_t n = strlen(x->text);

	*from = loc_line((struct loc){ src, x->beg, x->beg }) - 1;
	*to = loc_line((struct loc){ src, x->end, x->end });
	if (x->beg == src->line_start[*from] && x->end == src->line_start[*to - 1] &&
	    (n == 0 || x->text[n - 1] == '\n'))
		--*to;
	if (*to > d->old.all.n)		/* behind the last newline there is no line */
		*to = d->old.all.n;
	if (*from > *to)
		*from = *to;
}

static int
start_of(const struct diff *d, int line)
{
	return line < d->old.all.n ? d->edits->src->line_start[line] : d->edits->src->size;
}

/* What is alike at both ends is no change. */
static void
trim(struct diff *d, struct change *c)
{
	const struct line *old = d->old.all.v, *new = c->new.all.v;
	int skip = 0;

	while (c->beg < c->end && skip < c->new.all.n && same_line(old[c->beg], new[skip])) {
		c->beg++;
		skip++;
	}
	while (c->beg < c->end && skip < c->new.all.n &&
	    same_line(old[c->end - 1], new[c->new.all.n - 1])) {
		c->end--;
		c->new.all.n--;
	}
	if (skip > 0) {		/* no lines are NULL */
		c->new.all.v += skip;
		c->new.all.n -= skip;
	}
	if (c->beg < c->end || c->new.all.n > 0)
		vec_push(d->edits->arena, &d->changes, *c);
}

/* Takes edits from K on into the change as long as they begin before its end; returns the first
 * that does not. */
static int
gather(const struct diff *d, struct change *c, int k)
{
	const struct edits *e = d->edits;
	int from, to;

	for (; k < e->all.n; k++) {
		lines_of(d, &e->all.v[k], &from, &to);
		if (from >= c->end && !(from == to && from == c->beg))
			break;
		c->end = to > c->end ? to : c->end;
	}
	return k;
}

static void
find_changes(struct diff *d)
{
	const struct edits *e = d->edits;
	int i, k;

	for (i = 0; i < e->all.n; i = k) {
		struct change c = { .new = { .all = { NULL, 0, 0 } } };
		struct text t;

		lines_of(d, &e->all.v[i], &c.beg, &c.end);
		k = gather(d, &c, i + 1);
		for (;;) {
			text_init(&t, e->arena);
			apply_range(e, &t, start_of(d, c.beg), start_of(d, c.end), i, k);
			if (t.n == 0 || t.s[t.n - 1] == '\n' ||
			    (c.end == d->old.all.n && k == e->all.n))
				break;
			/* its last line goes on in the next of the old text, or behind it */
			if (c.end == d->old.all.n) {
				k = e->all.n;
			} else {
				c.end++;
				k = gather(d, &c, k);
			}
		}
		split(e->arena, &c.new, t.s, t.n);
		trim(d, &c);
	}
}

static void
print_lines(struct diff *d, char sign, const struct lines *from, int beg, int end)
{
	int i;

	for (i = beg; i < end; i++) {
		const struct line *l = &from->all.v[i];

		text_add(d->out, &sign, 1);
		text_add(d->out, l->s, (size_t)l->n);
		if (l->s[l->n - 1] != '\n')
			text_puts(d->out, "\n\\ No newline at end of file\n");
	}
}

/* The changes FROM .. TO - 1, with what is around and between them. SHIFT: how many lines more the
 * new text has had so far. */
static void
print_hunk(struct diff *d, int from, int to, int shift)
{
	const struct change *c = d->changes.v;
	int beg = c[from].beg - CONTEXT, end = c[to - 1].end + CONTEXT, grown = 0, i;

	beg = beg > 0 ? beg : 0;
	end = end < d->old.all.n ? end : d->old.all.n;
	for (i = from; i < to; i++)
		grown += c[i].new.all.n - (c[i].end - c[i].beg);
	/* an empty side is named by the line before it */
	text_printf(d->out, "@@ -%d,%d +%d,%d @@\n", beg + (end > beg), end - beg,
	    beg + shift + (end - beg + grown > 0), end - beg + grown);
	for (i = from; i < to; i++) {
		print_lines(d, ' ', &d->old, beg, c[i].beg);
		print_lines(d, '-', &d->old, c[i].beg, c[i].end);
		print_lines(d, '+', &c[i].new, 0, c[i].new.all.n);
		beg = c[i].end;
	}
	print_lines(d, ' ', &d->old, beg, end);
}

/* A name as git writes it: quoted where it holds what would end it. */
static void
print_name(struct text *out, const char *mark, const char *folder, const char *path)
{
	const char *s;
	bool quote = path[strcspn(path, "\"\\\n\t\r")] != '\0';

	text_printf(out, "%s %s%s", mark, quote ? "\"" : "", *path == '/' ? "" : folder);
	for (s = path; *s; s++) {
		if (*s == '"' || *s == '\\')
			text_add(out, "\\", 1);
		if (*s == '\n' || *s == '\t' || *s == '\r')
			text_puts(out, *s == '\n' ? "\\n" : *s == '\t' ? "\\t" : "\\r");
		else
			text_add(out, s, 1);
	}
	text_puts(out, quote ? "\"\n" : strchr(path, ' ') ? "\t\n" : "\n");
}

/* Edits of several lines may undo each other. */
static bool
changes_nothing(const struct edits *e)
{
	const struct source *new = edits_apply(e);

	return new->size == e->src->size && memcmp(new->text, e->src->text, (size_t)new->size) == 0;
}

void
edits_diff(const struct edits *e, struct text *out)
{
	struct diff d = { .edits = e, .out = out };
	const struct change *c;
	int i, k, j, shift = 0;

	if (changes_nothing(e))
		return;
	split(e->arena, &d.old, e->src->text, (size_t)e->src->size);
	find_changes(&d);
	print_name(out, "---", "a/", e->src->path);
	print_name(out, "+++", "b/", e->src->path);
	for (c = d.changes.v, i = 0; i < d.changes.n; i = k) {
		for (k = i + 1; k < d.changes.n && c[k].beg - c[k - 1].end <= 2 * CONTEXT; k++)
			;
		print_hunk(&d, i, k, shift);
		for (j = i; j < k; j++)
			shift += c[j].new.all.n - (c[j].end - c[j].beg);
	}
}
