/*
 * packing: dynamic storage allocation. Items with a size and a lifetime get offsets so that items
 * alive together do not overlap, and the height is small.
 *
 * The method is a fit in an order: each item goes into the tightest, or the lowest, gap that its
 * lifetime leaves among the items placed so far. No single order is best: by size suits instances
 * of mixed lifetimes, by lifetime suits the nested ones of a training step (what forward makes
 * first, backward frees last). A few are tried and the best answer kept; the search stops as soon
 * as one reaches the lower bound, which on training graphs the first usually does.
 *
 * The placed items are kept sorted by offset, so the gaps of one lifetime are met in one walk:
 * O(n) an item, with a small constant. MOST_VISITS bounds the orders tried; where not even one can
 * be afforded (beyond some 24,000 items), each goes on top of all that its lifetime meets instead,
 * which a tree finds in O(log n). That wastes more, but a plan in seconds beats none.
 */
#include "plan/plan.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MOST_VISITS	300000000	/* of placed items: a tenth of a second */

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

/* An item in the order tried. */
struct job {
	int64_t size, offset;
	int lower, upper;
	int index;		/* in packing->item */
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

static int
by_death(const void *x, const void *y)
{
	const struct job *a = x, *b = y;

	return a->upper != b->upper ? b->upper - a->upper : by_size(x, y);
}

/* A placed item, as the walk over all of them reads it: one array, sorted by offset. */
struct placed {
	int64_t offset, end;
	int lower, upper;
};

enum fit { FIT_BEST, FIT_LOWEST };

static int64_t
find_room(const struct placed *placed, int n, const struct job *job, enum fit fit)
{
	int64_t floor = 0, best = -1, tightest = INT64_MAX, gap;
	int i;

	for (i = 0; i < n; i++) {
		const struct placed *p = &placed[i];

		if (p->lower >= job->upper || p->upper <= job->lower)
			continue;
		gap = p->offset - floor;
		if (gap >= job->size && gap < tightest) {
			if (fit == FIT_LOWEST)
				return floor;
			tightest = gap;
			best = floor;
		}
		if (p->end > floor)
			floor = p->end;
	}
	return best >= 0 ? best : floor;
}

static int
rank_of(const struct placed *placed, int n, int64_t offset)
{
	int lo = 0, hi = n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (placed[mid].offset < offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Places all jobs in their order; returns the height, or INT64_MAX once it reaches GIVE_UP_AT. */
static int64_t
try_order(struct placed *placed, struct job *job, int n, enum fit fit, int64_t give_up_at)
{
	int64_t height = 0;
	int k, at;

	for (k = 0; k < n; k++) {
		job[k].offset = find_room(placed, k, &job[k], fit);
		if (job[k].offset + job[k].size > height)
			height = job[k].offset + job[k].size;
		if (height >= give_up_at)
			return INT64_MAX;
		at = rank_of(placed, k, job[k].offset);
		memmove(placed + at + 1, placed + at, (size_t)(k - at) * sizeof(*placed));
		placed[at] = (struct placed){ job[k].offset, job[k].offset + job[k].size,
		    job[k].lower, job[k].upper };
	}
	return height;
}

/* ---- on top of all, for many items ---- */

/* The height reached at each instant: a tree of maxima over [0, width), a power of two. What is set
 * for a whole subtree stays at its root until somebody goes below. */
struct skyline {
	int64_t *top;		/* by node of the tree: the highest below it */
	bool *level;		/* the whole subtree is as high as that */
	int width;
};

static void
spread(struct skyline *s, int node)
{
	if (!s->level[node])
		return;
	s->top[2 * node] = s->top[2 * node + 1] = s->top[node];
	s->level[2 * node] = s->level[2 * node + 1] = true;
	s->level[node] = false;
}

/* The highest point of [lower, upper); NODE covers [beg, end). */
static int64_t
highest(struct skyline *s, int node, int beg, int end, int lower, int upper)
{
	int mid = beg + (end - beg) / 2;
	int64_t a, b;

	if (upper <= beg || end <= lower)
		return 0;
	if ((lower <= beg && end <= upper) || s->level[node])
		return s->top[node];
	a = highest(s, 2 * node, beg, mid, lower, upper);
	b = highest(s, 2 * node + 1, mid, end, lower, upper);
	return a > b ? a : b;
}

static void
raise_to(struct skyline *s, int node, int beg, int end, const struct job *job, int64_t height)
{
	int mid = beg + (end - beg) / 2;

	if (job->upper <= beg || end <= job->lower)
		return;
	if (job->lower <= beg && end <= job->upper) {
		s->top[node] = height;
		s->level[node] = end - beg > 1;
		return;
	}
	spread(s, node);
	raise_to(s, 2 * node, beg, mid, job, height);
	raise_to(s, 2 * node + 1, mid, end, job, height);
	s->top[node] = s->top[2 * node] > s->top[2 * node + 1] ? s->top[2 * node] :
	    s->top[2 * node + 1];
}

/* The height; at GIVE_UP_AT and beyond, not all are placed. */
static int64_t
try_on_top(struct arena *a, struct job *job, int n, int64_t give_up_at)
{
	struct skyline s = { .width = 1 };
	int k;

	for (k = 0; k < n; k++)
		while (s.width < job[k].upper)
			s.width *= 2;
	s.top = arena_array(a, 2 * (size_t)s.width, sizeof(*s.top));
	s.level = arena_array(a, 2 * (size_t)s.width, sizeof(*s.level));
	for (k = 0; k < n && s.top[1] < give_up_at; k++) {
		job[k].offset = highest(&s, 1, 0, s.width, job[k].lower, job[k].upper);
		raise_to(&s, 1, 0, s.width, &job[k], job[k].offset + job[k].size);
	}
	return s.top[1];
}

/* ---- the best of several ---- */

int64_t
packing_solve(struct arena *a, struct packing *p)
{
	static int (*const order[])(const void *, const void *) = {
		by_length, by_size, by_area, by_birth, by_death,
	};
	const int tries = 2 * (int)(sizeof(order) / sizeof(*order));
	int64_t bound = packing_lower_bound(a, p), best = INT64_MAX, height;
	struct job *job = arena_array(a, (size_t)p->n + 1, sizeof(*job));
	struct placed *placed = arena_array(a, (size_t)p->n + 1, sizeof(*placed));
	int64_t visits = (int64_t)p->n * p->n / 2, affordable = visits ? MOST_VISITS / visits : tries;
	bool many = affordable == 0;
	int i, t;

	if (p->n == 0)
		return 0;
	for (t = 0; t < tries && best > bound && (many || t < affordable); t += many ? 2 : 1) {
		for (i = 0; i < p->n; i++)
			job[i] = (struct job){ round_up(p, p->item[i].size), 0, p->item[i].lower,
			    p->item[i].upper, i };
		qsort(job, (size_t)p->n, sizeof(*job), order[t / 2]);
		height = many ? try_on_top(a, job, p->n, best) :
		    try_order(placed, job, p->n, t % 2 ? FIT_LOWEST : FIT_BEST, best);
		if (height >= best)
			continue;
		best = height;
		for (i = 0; i < p->n; i++)
			p->item[job[i].index].offset = job[i].offset;
	}
	return best;
}
