/*
 * packing_fit: each item goes into the tightest, or the lowest, gap that its lifetime leaves among
 * the items placed so far.
 *
 * No single order is best: by size suits instances of mixed lifetimes, by length of life the nested
 * ones of a training step (what forward makes first, backward frees last). A few are tried and the
 * best answer is kept. On real networks the first usually reaches the lower bound.
 *
 * The placed items are kept sorted by offset, so the gaps of one lifetime are met in one walk:
 * O(n) an item, with a small constant.
 */
#include "plan/packing_impl.h"

#include <stdlib.h>
#include <string.h>

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
			floor = job_aligned(job, p->end);
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
try_order(struct placed *placed, struct job *job, int n, enum fit fit, int64_t give_up_at,
    struct effort *e)
{
	int64_t height = 0;
	int k, at;

	for (k = 0; k < n; k++) {
		job[k].offset = find_room(placed, k, &job[k], fit);
		if (job[k].offset + job[k].size - job[k].tail > height)
			height = job[k].offset + job[k].size - job[k].tail;
		if (height >= give_up_at)
			break;
		at = rank_of(placed, k, job[k].offset);
		memmove(placed + at + 1, placed + at, (size_t)(k - at) * sizeof(*placed));
		placed[at] = (struct placed){ job[k].offset, job[k].offset + job[k].size,
		    job[k].lower, job[k].upper };
	}
	effort_spend(e, (int64_t)k * k / 2);
	return k < n ? INT64_MAX : height;
}

int64_t
packing_fit(struct instance *in, int64_t best, int64_t target, struct effort *e)
{
	static int (*const order[])(const void *, const void *) = {
		by_length, by_size, by_area, by_birth, by_death,
	};
	const int tries = 2 * (int)(sizeof(order) / sizeof(*order));
	struct job *job = arena_array(in->arena, (size_t)in->n, sizeof(*job));
	struct placed *placed = arena_array(in->arena, (size_t)in->n + 1, sizeof(*placed));
	int64_t height;
	int t;

	memcpy(job, in->job, (size_t)in->n * sizeof(*job));
	for (t = 0; t < tries && best > target && effort_left(e); t++) {
		qsort(job, (size_t)in->n, sizeof(*job), order[t / 2]);
		height = try_order(placed, job, in->n, t % 2 ? FIT_LOWEST : FIT_BEST, best, e);
		if (height >= best)
			continue;
		best = height;
		memcpy(in->job, job, (size_t)in->n * sizeof(*job));
	}
	return best;
}
