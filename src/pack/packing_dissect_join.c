/*
 * packing_dissect_join: which rectangles of a dissection can be joined to one.
 *
 * Lifetimes are given, so what joins is told by edges in time and by sizes: two of one lifetime,
 * two of one size of which one begins where the other ends, and the least dissection that no cut
 * goes through, a wheel of five:
 *
 *             +--------------+------+
 *             | high first   |      |      The four have two sums of two sizes, and these are equal;
 *             +------+-------+ high |      the hub has the size that is between those of the two
 *             |      |  hub  | last |      that lie below it and beside it. So where a wheel is found
 *             | low  +-------+------+      it is hardly ever chance. Turned upside down it has the
 *             | first|   low last   |      same edges and sizes.
 *             +------+--------------+
 */
#include "pack/packing_dissect.h"

#include <string.h>

/* ---- lists ---- */

void
dissect_put(struct dissection *d, int i)
{
	struct rect *r = &d->rect[i];
	int edge;

	for (edge = BEGIN; edge <= END; edge++) {
		int *first = &d->first[edge][r->edge[edge]];

		r->last[edge] = -1;
		r->next[edge] = *first;
		if (*first >= 0)
			d->rect[*first].last[edge] = i;
		*first = i;
	}
	r->place = d->nleft;
	d->left[d->nleft++] = i;
}

void
dissect_take(struct dissection *d, int i)
{
	struct rect *r = &d->rect[i];
	int edge, other = d->left[--d->nleft];

	for (edge = BEGIN; edge <= END; edge++) {
		if (r->last[edge] >= 0)
			d->rect[r->last[edge]].next[edge] = r->next[edge];
		else
			d->first[edge][r->edge[edge]] = r->next[edge];
		if (r->next[edge] >= 0)
			d->rect[r->next[edge]].last[edge] = r->last[edge];
	}
	d->left[r->place] = other;
	d->rect[other].place = r->place;
	r->place = -1;
}

/* ---- ways ---- */

/* Where thousands begin at once, the effort ends before all have been looked at. */
static bool
is_over(const struct dissection *d)
{
	return d->looks >= d->most_looks;
}

/* What joining makes: its size and edges. */
static struct rect
outline(const struct dissection *d, enum join how, const int *part)
{
	const struct rect *first = &d->rect[part[0]], *last = &d->rect[part[how == WHEEL ? LOW_LAST : 1]];
	int64_t more = how == ROW ? 0 : d->rect[part[1]].size;	/* of a wheel that is the high one of those that begin first */

	return (struct rect){ .size = first->size + more, .edge = { first->edge[BEGIN], last->edge[END] }, .how = how };
}

static bool
is_barred(const struct dissection *d, enum join how, const int *part)
{
	struct rect made = outline(d, how, part);
	const struct rect *r;
	int k;

	for (k = 0; k < d->nbarred; k++) {
		r = &d->rect[d->barred[k]];
		if (r->size == made.size && r->edge[BEGIN] == made.edge[BEGIN] && r->edge[END] == made.edge[END])
			return true;
	}
	return false;
}

static void
add_way(struct dissection *d, enum join how, const int *part)
{
	struct way *w = &d->way[d->ways];

	if (d->ways == MOST_WAYS || (d->nbarred > 0 && is_barred(d, how, part)))
		return;
	d->ways++;
	w->how = how;
	memcpy(w->part, part, (size_t)join_parts(how) * sizeof(*part));
	d->looks += 4;
}

static void
find_pairs(struct dissection *d, int i)
{
	const struct rect *r = &d->rect[i];
	int k;

	for (k = d->first[BEGIN][r->edge[BEGIN]]; k >= 0; k = d->rect[k].next[BEGIN], d->looks++)
		if (k != i && d->rect[k].edge[END] == r->edge[END])
			add_way(d, STACK, (int[]){ i, k });
	for (k = d->first[BEGIN][r->edge[END]]; k >= 0; k = d->rect[k].next[BEGIN], d->looks++)
		if (d->rect[k].size == r->size)
			add_way(d, ROW, (int[]){ i, k });
	for (k = d->first[END][r->edge[BEGIN]]; k >= 0; k = d->rect[k].next[END], d->looks++)
		if (d->rect[k].size == r->size)
			add_way(d, ROW, (int[]){ k, i });
}

/* ---- wheels ---- */

enum relation { ANY, SAME, LESS, MORE };

/* What tells a part of a wheel by those that are known: one edge; how the other compares with that
 * of a known part; and how its size does with a sum or difference of those of two. */
struct clue {
	int part;
	enum edge edge, of;	/* is at this edge */
	int at;			/* of that part */
	enum relation other;
	int than;
	enum relation size;
	int sizes[2], sign;	/* the second's counts so often */
};

enum {
	HUB_BY_FIRST, HUB_BY_LAST, HUB_BY_LOW, LOW_FIRST_BY_HUB, LOW_FIRST_BY_LOW, LOW_FIRST_BY_LAST, HIGH_FIRST_BY_HUB,
	HIGH_FIRST_BY_LAST, LOW_LAST_BY_HUB, LOW_LAST_BY_HIGH, HIGH_LAST_BY_HUB, COMPLETE
};

static const struct clue clue[COMPLETE] = {
	[HUB_BY_FIRST] = { HUB, BEGIN, END, LOW_FIRST, SAME, HIGH_FIRST, ANY, { 0 }, 0 },
	[HUB_BY_LAST] = { HUB, END, BEGIN, HIGH_LAST, SAME, LOW_LAST, LESS, { HIGH_LAST }, 0 },
	[HUB_BY_LOW] = { HUB, BEGIN, BEGIN, LOW_LAST, LESS, LOW_LAST, SAME, { LOW_FIRST, LOW_LAST }, -1 },
	[LOW_FIRST_BY_HUB] = { LOW_FIRST, END, BEGIN, HUB, ANY, 0, MORE, { HUB }, 0 },
	[LOW_FIRST_BY_LOW] = { LOW_FIRST, END, BEGIN, LOW_LAST, ANY, 0, MORE, { LOW_LAST }, 0 },
	[LOW_FIRST_BY_LAST] = { LOW_FIRST, END, BEGIN, HUB, ANY, 0, SAME, { HUB, LOW_LAST }, 1 },
	[HIGH_FIRST_BY_HUB] = { HIGH_FIRST, END, END, HUB, SAME, LOW_FIRST, ANY, { 0 }, 0 },
	[HIGH_FIRST_BY_LAST] = { HIGH_FIRST, END, END, HUB, SAME, LOW_FIRST, SAME, { HIGH_LAST, HUB }, -1 },
	[LOW_LAST_BY_HUB] = { LOW_LAST, BEGIN, BEGIN, HUB, MORE, HUB, SAME, { LOW_FIRST, HUB }, -1 },
	[LOW_LAST_BY_HIGH] = { LOW_LAST, END, END, HIGH_LAST, LESS, HIGH_LAST, ANY, { 0 }, 0 },
	[HIGH_LAST_BY_HUB] = { HIGH_LAST, BEGIN, END, HUB, SAME, LOW_LAST, SAME, { HIGH_FIRST, HUB }, 1 },
};

/* Which clues are followed one after the other, by what is known at first. */
static const int from_first[] = { HUB_BY_FIRST, LOW_LAST_BY_HUB, HIGH_LAST_BY_HUB, COMPLETE };
static const int from_hub[] = { LOW_FIRST_BY_HUB, HIGH_FIRST_BY_HUB, LOW_LAST_BY_HUB, HIGH_LAST_BY_HUB, COMPLETE };
static const int from_low_last[] = { LOW_FIRST_BY_LOW, HUB_BY_LOW, HIGH_FIRST_BY_HUB, HIGH_LAST_BY_HUB, COMPLETE };
static const int from_high_last[] = { LOW_LAST_BY_HIGH, HUB_BY_LAST, LOW_FIRST_BY_LAST, HIGH_FIRST_BY_LAST, COMPLETE };

static void
set_range(enum relation is, int64_t than, int64_t *low, int64_t *high)
{
	*low = is == SAME ? than : is == MORE ? than + 1 : 0;
	*high = is == SAME ? than : is == LESS ? than - 1 : INT64_MAX;
}

/* All wheels of the parts that are known, and those that clues lead to. */
static void
find_parts(struct dissection *d, int *part, const int *next)
{
	const struct clue *c = &clue[*next];
	int64_t low, high, least, most;
	int k;

	if (*next == COMPLETE) {
		add_way(d, WHEEL, part);
		return;
	}
	k = d->first[c->edge][d->rect[part[c->at]].edge[c->of]];
	if (k < 0 || is_over(d))
		return;
	set_range(c->other, d->rect[part[c->than]].edge[!c->edge], &low, &high);
	set_range(c->size, d->rect[part[c->sizes[0]]].size + c->sign * d->rect[part[c->sizes[1]]].size, &least, &most);
	if (most <= 0)
		return;
	for (; k >= 0; k = d->rect[k].next[c->edge], d->looks++) {
		const struct rect *r = &d->rect[k];

		if (r->size < least || r->size > most || r->edge[!c->edge] < low || r->edge[!c->edge] > high)
			continue;
		part[c->part] = k;
		find_parts(d, part, next + 1);
	}
}

/* Of two that begin at once, the one that ends sooner is called the low one. */
static void
find_from_first(struct dissection *d, int i)
{
	const struct rect *r = &d->rect[i];
	int part[MOST_PARTS] = { 0 }, k;

	for (k = d->first[BEGIN][r->edge[BEGIN]]; k >= 0; k = d->rect[k].next[BEGIN], d->looks++) {
		if (d->rect[k].edge[END] == r->edge[END])
			continue;
		part[LOW_FIRST] = d->rect[k].edge[END] < r->edge[END] ? k : i;
		part[HIGH_FIRST] = part[LOW_FIRST] == i ? k : i;
		find_parts(d, part, from_first);
	}
}

void
dissect_find_ways(struct dissection *d, int i)
{
	if (is_over(d))
		return;
	find_pairs(d, i);
	find_from_first(d, i);
	find_parts(d, (int[MOST_PARTS]){ [HUB] = i }, from_hub);
	find_parts(d, (int[MOST_PARTS]){ [LOW_LAST] = i }, from_low_last);
	find_parts(d, (int[MOST_PARTS]){ [HIGH_LAST] = i }, from_high_last);
}

/* ---- joining ---- */

int
dissect_join(struct dissection *d, const struct way *w)
{
	const int *part = w->part;
	int made = d->unused[--d->nunused], n = join_parts(w->how), k;
	struct rect *r = &d->rect[made];

	*r = outline(d, w->how, part);
	r->parts = n;
	memcpy(r->part, part, (size_t)n * sizeof(*part));
	for (k = 0; k < n; k++)
		dissect_take(d, part[k]);
	dissect_put(d, made);
	d->looks += 10 * n;
	return made;
}
