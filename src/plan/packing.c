/*
 * packing: dynamic storage allocation. Items with a size and a lifetime get offsets so that items
 * alive together do not overlap, and the height is small.
 *
 * The method is best fit in an order: each item goes into the tightest gap that its lifetime leaves
 * among the items placed so far. No single order is best: by size suits instances of mixed
 * lifetimes, by lifetime suits the nested ones of a training step (what forward makes first,
 * backward frees last). A few orders are tried and the best answer kept; the search stops as soon
 * as one reaches the lower bound, which on training graphs the first usually does.
 *
 * The placed items are kept sorted by offset, so the gaps of one lifetime are met in one walk:
 * O(n) an item, with a small constant.
 */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

static int64_t
round_up(const struct packing *p, int64_t bytes)
{
	int64_t mask = (p->alignment > 1 ? p->alignment : 1) - 1;

	return (bytes + mask) & ~mask;
}

int64_t
packing_lower_bound(struct arena *a, const struct packing *p)
{
	int64_t *change, live = 0, most = 0;
	int i, end = 0;

	for (i = 0; i < p->n; i++)
		if (p->item[i].upper > end)
			end = p->item[i].upper;
	change = arena_array(a, (size_t)end + 1, sizeof(*change));
	for (i = 0; i < p->n; i++) {
		change[p->item[i].lower] += round_up(p, p->item[i].size);
		change[p->item[i].upper] -= round_up(p, p->item[i].size);
	}
	for (i = 0; i <= end; i++) {
		live += change[i];
		if (live > most)
			most = live;
	}
	return most;
}

/* An item as the placing loop reads it, and its rank in the order tried. */
struct job {
	int64_t size, offset;
	int lower, upper;
	int index;		/* in packing->item */
	int next;		/* the placed job of the next higher offset, or -1 */
};

static int
length(const struct job *j)
{
	return j->upper - j->lower;
}

static int
descending(int64_t a, int64_t b)
{
	return a > b ? -1 : a < b;
}

static int
by_size(const void *x, const void *y)
{
	const struct job *a = x, *b = y;
	int c = descending(a->size, b->size);

	if (!c)
		c = descending(length(a), length(b));
	return c ? c : a->index - b->index;
}

static int
by_length(const void *x, const void *y)
{
	const struct job *a = x, *b = y;
	int c = descending(length(a), length(b));

	if (!c)
		c = descending(a->size, b->size);
	return c ? c : a->index - b->index;
}

static int
by_area(const void *x, const void *y)
{
	const struct job *a = x, *b = y;
	double p = (double)a->size * length(a), q = (double)b->size * length(b);

	return p > q ? -1 : p < q ? 1 : a->index - b->index;
}

static int
by_birth(const void *x, const void *y)
{
	const struct job *a = x, *b = y;

	return a->lower != b->lower ? a->lower - b->lower : by_size(x, y);
}

/* Best fit for one job; FIRST is the placed job of the lowest offset. Returns the new FIRST. */
static int
place_one(struct job *job, int k, int first)
{
	struct job *me = &job[k];
	int64_t floor = 0, best = -1, tightest = INT64_MAX, gap;
	int i, before = -1;

	for (i = first; i >= 0; i = job[i].next) {
		if (job[i].lower >= me->upper || job[i].upper <= me->lower)
			continue;
		gap = job[i].offset - floor;
		if (gap >= me->size && gap < tightest) {
			tightest = gap;
			best = floor;
		}
		if (job[i].offset + job[i].size > floor)
			floor = job[i].offset + job[i].size;
	}
	me->offset = best >= 0 ? best : floor;
	for (i = first; i >= 0 && job[i].offset < me->offset; i = job[i].next)
		before = i;
	me->next = i;
	if (before < 0)
		return k;
	job[before].next = k;
	return first;
}

static int64_t
try_order(struct job *job, int n, int64_t give_up_at)
{
	int64_t height = 0;
	int k, first = -1;

	for (k = 0; k < n; k++) {
		first = place_one(job, k, first);
		if (job[k].offset + job[k].size > height)
			height = job[k].offset + job[k].size;
		if (height >= give_up_at)
			return INT64_MAX;
	}
	return height;
}

int64_t
packing_solve(struct arena *a, struct packing *p)
{
	static int (*const order[])(const void *, const void *) = {
		by_length, by_size, by_area, by_birth,
	};
	int64_t bound = packing_lower_bound(a, p), best = INT64_MAX, height;
	struct job *job = arena_array(a, (size_t)p->n + 1, sizeof(*job));
	size_t o;
	int i;

	if (p->n == 0)
		return 0;
	for (o = 0; o < sizeof(order) / sizeof(*order) && best > bound; o++) {
		for (i = 0; i < p->n; i++)
			job[i] = (struct job){ round_up(p, p->item[i].size), 0, p->item[i].lower,
			    p->item[i].upper, i, -1 };
		qsort(job, (size_t)p->n, sizeof(*job), order[o]);
		height = try_order(job, p->n, best);
		if (height >= best)
			continue;
		best = height;
		for (i = 0; i < p->n; i++)
			p->item[job[i].index].offset = job[i].offset;
	}
	return best;
}
