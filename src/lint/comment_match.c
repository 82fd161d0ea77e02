/* The sweep that finds the comment for each finding. */
#include "lint/comment_match.h"

#include <stdlib.h>

struct cover_heap {		/* of covers that have begun, the narrowest on top */
	struct arena *arena;
	const struct comment_cover *cover;
	VEC(int) at;
};

static int
by_rule_and_start(const void *a, const void *b)
{
	const struct comment_cover *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->rule != y->rule)
		return x->rule < y->rule ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->by != y->by ? (x->by < y->by ? -1 : 1) : x->name - y->name;
}

static int
by_rule_and_line(const void *a, const void *b)
{
	const struct suppressible *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->rule != y->rule)
		return x->rule < y->rule ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static int
cover_width(const struct cover_heap *h, int i)
{
	return h->cover[i].to - h->cover[i].from;
}

/* Narrower, or as narrow and earlier. */
static bool
goes_first(const struct cover_heap *h, int i, int k)
{
	int difference = cover_width(h, i) - cover_width(h, k);

	return difference ? difference < 0 : i < k;
}

static void
heap_push(struct cover_heap *h, int cover)
{
	int i, up;

	vec_push(h->arena, &h->at, cover);
	for (i = h->at.n - 1; i > 0; i = up) {
		up = (i - 1) / 2;
		if (!goes_first(h, cover, h->at.v[up]))
			break;
		h->at.v[i] = h->at.v[up];
	}
	h->at.v[i] = cover;
}

static void
heap_pop(struct cover_heap *h)
{
	int last = h->at.v[--h->at.n], i, down;

	for (i = 0; (down = 2 * i + 1) < h->at.n; i = down) {
		if (down + 1 < h->at.n &&
		    goes_first(h, h->at.v[down + 1], h->at.v[down]))
			down++;
		if (!goes_first(h, h->at.v[down], last))
			break;
		h->at.v[i] = h->at.v[down];
	}
	if (h->at.n)
		h->at.v[i] = last;
}

void
comment_covers_sort(struct comment_covers *c)
{
	if (c->all.n)
		qsort(c->all.v, (size_t)c->all.n, sizeof(*c->all.v), by_rule_and_start);
}

/* Compares by file and rule: below 0 if the cover comes before the finding. */
static int
compare_rule(const struct comment_cover *c, const struct suppressible *f)
{
	return c->file != f->file ? c->file - f->file : c->rule - f->rule;
}

void
comment_match(struct arena *scratch, struct comment_covers *covers, struct suppressibles *findings)
{
	struct comment_cover *cover = covers->all.v;
	struct suppressible *found = findings->all.v;
	struct cover_heap heap = { .arena = scratch, .cover = cover };
	int i, order, next = 0;

	if (findings->all.n)
		qsort(found, (size_t)findings->all.n, sizeof(*found), by_rule_and_line);
	for (i = 0; i < findings->all.n; i++) {
		struct suppressible *f = &found[i];

		if (i == 0 || f->file != f[-1].file || f->rule != f[-1].rule)
			heap.at.n = 0;
		for (; next < covers->all.n; next++) {
			order = compare_rule(&cover[next], f);
			if (order > 0 || (order == 0 && cover[next].from > f->line))
				break;
			if (order == 0)
				heap_push(&heap, next);
		}
		while (heap.at.n && cover[heap.at.v[0]].to < f->line)
			heap_pop(&heap);
		if (!heap.at.n)
			continue;
		f->by = &cover[heap.at.v[0]];
		cover[heap.at.v[0]].used = true;
	}
}
