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

static void
add_way(struct dissection *d, enum join how, const int *part)
{
	struct way *w = &d->way[d->ways];

	if (d->ways == MOST_WAYS)
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

/* Of a wheel all are known but the high one of the last, by sizes and edges. */
static void
find_high_last(struct dissection *d, int *part)
{
	const struct rect *low = &d->rect[part[LOW_LAST]];
	int64_t size = d->rect[part[HUB]].size + d->rect[part[HIGH_FIRST]].size;
	int k;

	if (is_over(d))
		return;
	for (k = d->first[BEGIN][d->rect[part[HUB]].edge[END]]; k >= 0; k = d->rect[k].next[BEGIN], d->looks++)
		if (d->rect[k].size == size && d->rect[k].edge[END] == low->edge[END]) {
			part[HIGH_LAST] = k;
			add_way(d, WHEEL, part);
		}
}

/* Those that begin first, and the hub, are known. */
static void
find_last(struct dissection *d, int *part)
{
	const struct rect *hub = &d->rect[part[HUB]];
	int64_t size = d->rect[part[LOW_FIRST]].size - hub->size;
	int k;

	if (size <= 0 || is_over(d))
		return;
	for (k = d->first[BEGIN][hub->edge[BEGIN]]; k >= 0; k = d->rect[k].next[BEGIN], d->looks++)
		if (d->rect[k].size == size && d->rect[k].edge[END] > hub->edge[END]) {
			part[LOW_LAST] = k;
			find_high_last(d, part);
		}
}

/* Those that begin first are known. */
static void
find_hub(struct dissection *d, int *part)
{
	int end = d->rect[part[HIGH_FIRST]].edge[END], k;

	if (is_over(d))
		return;
	for (k = d->first[BEGIN][d->rect[part[LOW_FIRST]].edge[END]]; k >= 0; k = d->rect[k].next[BEGIN], d->looks++)
		if (d->rect[k].edge[END] == end) {
			part[HUB] = k;
			find_last(d, part);
		}
}

static void
find_from_first(struct dissection *d, int i)
{
	const struct rect *r = &d->rect[i];
	int part[MOST_PARTS], k;

	for (k = d->first[BEGIN][r->edge[BEGIN]]; k >= 0; k = d->rect[k].next[BEGIN], d->looks++) {
		if (d->rect[k].edge[END] == r->edge[END])
			continue;
		part[LOW_FIRST] = d->rect[k].edge[END] < r->edge[END] ? k : i;
		part[HIGH_FIRST] = part[LOW_FIRST] == i ? k : i;
		find_hub(d, part);
	}
}

/* The hub and the low one of those that begin first are known, and the low last one, if that is
 * not -1. */
static void
find_high_first(struct dissection *d, int *part)
{
	int begin = d->rect[part[LOW_FIRST]].edge[BEGIN], k;

	if (is_over(d))
		return;
	for (k = d->first[END][d->rect[part[HUB]].edge[END]]; k >= 0; k = d->rect[k].next[END], d->looks++) {
		if (d->rect[k].edge[BEGIN] != begin)
			continue;
		part[HIGH_FIRST] = k;
		if (part[LOW_LAST] >= 0) {
			find_high_last(d, part);
		} else {
			find_last(d, part);
			part[LOW_LAST] = -1;
		}
	}
}

static void
find_from_hub(struct dissection *d, int i)
{
	int part[MOST_PARTS] = { [HUB] = i, [LOW_LAST] = -1 }, k;

	for (k = d->first[END][d->rect[i].edge[BEGIN]]; k >= 0; k = d->rect[k].next[END], d->looks++)
		if (d->rect[k].size > d->rect[i].size) {
			part[LOW_FIRST] = k;
			find_high_first(d, part);
		}
}

static void
find_from_low_last(struct dissection *d, int i)
{
	const struct rect *r = &d->rect[i];
	int part[MOST_PARTS] = { [LOW_LAST] = i }, k, hub;

	for (k = d->first[END][r->edge[BEGIN]]; k >= 0; k = d->rect[k].next[END], d->looks++) {
		part[LOW_FIRST] = k;
		for (hub = d->first[BEGIN][r->edge[BEGIN]]; hub >= 0 && !is_over(d); hub = d->rect[hub].next[BEGIN], d->looks++)
			if (d->rect[hub].size == d->rect[k].size - r->size && d->rect[hub].edge[END] < r->edge[END]) {
				part[HUB] = hub;
				find_high_first(d, part);
			}
	}
}

/* All but those that begin first are known. */
static void
find_first(struct dissection *d, int *part)
{
	const struct rect *hub = &d->rect[part[HUB]];
	int64_t low = hub->size + d->rect[part[LOW_LAST]].size, high = d->rect[part[HIGH_LAST]].size - hub->size;
	int i, k;

	for (i = d->first[END][hub->edge[BEGIN]]; i >= 0 && !is_over(d); i = d->rect[i].next[END], d->looks++) {
		if (d->rect[i].size != low)
			continue;
		part[LOW_FIRST] = i;
		for (k = d->first[END][hub->edge[END]]; k >= 0; k = d->rect[k].next[END], d->looks++)
			if (d->rect[k].size == high && d->rect[k].edge[BEGIN] == d->rect[i].edge[BEGIN]) {
				part[HIGH_FIRST] = k;
				add_way(d, WHEEL, part);
			}
	}
}

/* The hub ends where it begins. */
static void
find_from_high_last(struct dissection *d, int i)
{
	const struct rect *r = &d->rect[i];
	int part[MOST_PARTS] = { [HIGH_LAST] = i }, k, hub;

	for (k = d->first[END][r->edge[END]]; k >= 0 && !is_over(d); k = d->rect[k].next[END], d->looks++)
		for (hub = d->first[END][r->edge[BEGIN]]; hub >= 0 && d->rect[k].edge[BEGIN] < r->edge[BEGIN];
		    hub = d->rect[hub].next[END], d->looks++)
			if (d->rect[hub].edge[BEGIN] == d->rect[k].edge[BEGIN] && d->rect[hub].size < r->size) {
				part[LOW_LAST] = k;
				part[HUB] = hub;
				find_first(d, part);
			}
}

void
dissect_find_ways(struct dissection *d, int i)
{
	if (is_over(d))
		return;
	find_pairs(d, i);
	find_from_first(d, i);
	find_from_hub(d, i);
	find_from_low_last(d, i);
	find_from_high_last(d, i);
}

/* ---- joining ---- */

int
dissect_join(struct dissection *d, const struct way *w)
{
	const int *part = w->part;
	const struct rect *first = &d->rect[part[0]], *last = &d->rect[part[w->how == WHEEL ? LOW_LAST : 1]];
	int made = d->unused[--d->nunused], n = join_parts(w->how), k;
	struct rect *r = &d->rect[made];

	*r = (struct rect){ .size = first->size, .edge = { first->edge[BEGIN], last->edge[END] }, .how = w->how, .parts = n };
	memcpy(r->part, part, (size_t)n * sizeof(*part));
	if (w->how != ROW)
		r->size += d->rect[part[1]].size;	/* of a wheel that is the high one of those that begin first */
	for (k = 0; k < n; k++)
		dissect_take(d, part[k]);
	dissect_put(d, made);
	d->looks += 10 * n;
	return made;
}
