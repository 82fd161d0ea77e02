/*
 * packing_sweep_fill: one instant of a sweep (packing_sweep.c): which gap each item goes into that
 * begins, and in which order those of one gap lie.
 *
 * Gaps are filled one after the other, about the smallest first, each by items whose sum is found
 * depth first: at first only sums that leave nothing free, then those that leave the gap's part of
 * what may be free, at last all that may be. The last gap gets the rest. Where the gaps come, and
 * the items, is chance in part, so that each try finds another way; it has so many steps. These are
 * bins of several sizes that are completed one by one (Korf, "A New Algorithm for Optimal Bin
 * Packing", 2002).
 *
 * In a gap, what ends at the same instant lies together, beside what ends then below or above the
 * gap; and otherwise ends become later towards what lasts longest. An order is made better by
 * moving one item at a time.
 */
#include "pack/packing_sweep.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/chance.h"

#define STEPS		1500	/* of one try */
#define APART		0.05	/* what a border costs beside the difference of its ends */
#define MOST_MOVES	32	/* items of a gap: more are not moved one by one */
/* Effort: */
#define STEP		3	/* of a step, */
#define LOOKS		2	/* how many items or gaps are looked at for 1, */
#define RANKING		2	/* and of sorting, by item and level */

double
fill_border(const struct fill *f, int end, int other)
{
	double x = end == WALL ? 1 : end == UNTIL_NOW ? 0 : f->lasting[end];
	double y = other == WALL ? 1 : other == UNTIL_NOW ? 0 : f->lasting[other];

	return fabs(x - y) + (end == other ? 0 : APART);
}

/* ---- which gap ---- */

static bool	fill_from(struct fill *, int k, int64_t free);

/* What goes into the K-th gap beside what is in it, of births from AT on; at most MOST may be left
 * of its ROOM, and of all gaps FREE. */
static bool
fill_gap(struct fill *f, int k, int at, int64_t room, int64_t most, int64_t free)
{
	int i;

	if (--f->steps < 0)
		return false;
	if (room == 0)
		return fill_from(f, k + 1, free);
	for (i = at; i < f->births; i++) {
		struct birth *b = &f->birth[i];

		f->looks++;
		if (b->gap >= 0 || b->size > room)
			continue;
		b->gap = f->order[k];
		if (fill_gap(f, k, i + 1, room - b->size, most, free))
			return true;
		b->gap = -1;
		if (f->steps < 0)
			return false;
	}
	return room <= most && fill_from(f, k + 1, free - room);
}

/* All that has no gap yet into the last. */
static bool
fill_last(struct fill *f, int gap)
{
	int64_t room = f->gap[gap].size;
	int i;

	f->looks += f->births;
	for (i = 0; i < f->births; i++)
		room -= f->birth[i].gap < 0 ? f->birth[i].size : 0;
	if (room < 0)
		return false;
	for (i = 0; i < f->births; i++)
		if (f->birth[i].gap < 0)
			f->birth[i].gap = gap;
	return true;
}

/* The gaps from the K-th on, of which so much may be left free; those that nothing fits into are
 * passed over. */
static bool
fill_from(struct fill *f, int k, int64_t free)
{
	int64_t large = 0, small = INT64_MAX, room = 0, size, most[3], last = -1;
	int i;

	if (k == f->gaps - 1)
		return fill_last(f, f->order[k]);
	for (i = 0; i < f->births; i++)
		if (f->birth[i].gap < 0) {
			large = f->birth[i].size > large ? f->birth[i].size : large;
			small = f->birth[i].size < small ? f->birth[i].size : small;
		}
	for (i = k; i < f->gaps; i++)
		room = f->gap[f->order[i]].size > room ? f->gap[f->order[i]].size : room;
	f->looks += f->births + f->gaps - k;
	if (large > room)
		return false;
	for (; k < f->gaps - 1 && f->gap[f->order[k]].size < small; free -= f->gap[f->order[k++]].size)
		if (f->gap[f->order[k]].size > free)
			return false;
	if (k == f->gaps - 1)
		return fill_last(f, f->order[k]);
	size = f->gap[f->order[k]].size;
	most[0] = chance_share(&f->seed) < 0.5 ? 0 : -1;
	most[1] = free / (f->gaps - k);
	most[2] = free;
	for (i = 0; i < 3 && f->steps >= 0; i++) {
		if (most[i] <= last)
			continue;
		last = most[i];
		if (fill_gap(f, k, 0, size, last, free))
			return true;
	}
	return false;
}

/* The order of two of one rank is that of their numbers, so that it is the same with any
 * qsort(). */
static int
by_key(const void *x, const void *y)
{
	const struct rank *a = x, *b = y;

	return a->key != b->key ? (a->key > b->key ? 1 : -1) : a->which - b->which;
}

static void
sort_ranks(struct fill *f, int n)
{
	int levels = 0;

	while (n >> levels > 0)
		levels++;
	qsort(f->rank, (size_t)n, sizeof(*f->rank), by_key);
	effort_spend(f->effort, RANKING * (int64_t)n * levels);
}

static void
order_gaps(struct fill *f)
{
	int i;

	for (i = 0; i < f->gaps; i++)
		f->rank[i] = (struct rank){ (double)f->gap[i].size * (0.7 + 0.6 * chance_share(&f->seed)), i };
	sort_ranks(f, f->gaps);
	for (i = 0; i < f->gaps; i++)
		f->order[i] = f->rank[i].which;
}

/* By size, the largest first; by size about; or as it comes: one as often as the other. */
static void
order_births(struct fill *f)
{
	struct birth *unordered = f->birth;
	double kind = chance_share(&f->seed), chance;
	int i;

	for (i = 0; i < f->births; i++) {
		chance = chance_share(&f->seed);
		f->rank[i] = (struct rank){ kind < 1. / 3 ? chance :
		    (double)-unordered[i].size * (kind < 2. / 3 ? 0.5 + chance : 1), i };
	}
	sort_ranks(f, f->births);
	for (i = 0; i < f->births; i++) {
		f->spare[i] = unordered[f->rank[i].which];
		f->spare[i].gap = -1;
	}
	f->birth = f->spare;
	f->spare = unordered;
}

bool
fill_gaps(struct fill *f)
{
	int64_t free = 0;
	int i;
	bool found;

	if (f->gaps == 0)
		return f->births == 0;
	order_births(f);
	order_gaps(f);
	for (i = 0; i < f->gaps; i++)
		free += f->gap[i].size;
	for (i = 0; i < f->births; i++)
		free -= f->birth[i].size;
	f->steps = STEPS;
	f->looks = 0;
	found = free >= 0 && fill_from(f, 0, free);
	effort_spend(f->effort, STEP * (STEPS - f->steps) + f->looks / LOOKS + 4 * (f->births + f->gaps));
	return found;
}

/* ---- in which order ---- */

static int
end_at(const struct fill *f, const struct gap *g, int n, int at)
{
	if (at < 0 || at == n)
		return at < 0 ? g->below : g->above;
	return f->stack[at] < 0 ? UNTIL_NOW : f->birth[f->stack[at]].end;
}

/* What is saved when the one at FROM goes between those that lie at TO - 1 and TO now. */
static double
gain(const struct fill *f, const struct gap *g, int n, int from, int to)
{
	int before = end_at(f, g, n, from - 1), own = end_at(f, g, n, from), after = end_at(f, g, n, from + 1);
	int low = end_at(f, g, n, to - 1), high = end_at(f, g, n, to);

	return fill_border(f, before, own) + fill_border(f, own, after) - fill_border(f, before, after) +
	    fill_border(f, low, high) - fill_border(f, low, own) - fill_border(f, own, high);
}

static void
move(int *stack, int from, int to)
{
	int moved = stack[from];

	for (; from < to - 1; from++)
		stack[from] = stack[from + 1];
	for (; from > to; from--)
		stack[from] = stack[from - 1];
	stack[from] = moved;
}

static bool
move_one(struct fill *f, const struct gap *g, int n)
{
	int from, to, best_from = 0, best_to = 0;
	double best = 1e-9, saved;

	for (from = 0; from < n; from++)
		for (to = 0; to <= n; to++) {
			if (to == from || to == from + 1)
				continue;
			saved = gain(f, g, n, from, to);
			if (saved > best) {
				best = saved;
				best_from = from;
				best_to = to;
			}
		}
	effort_spend(f->effort, 4 * (int64_t)n * n);
	if (best <= 1e-9)
		return false;
	move(f->stack, best_from, best_to);
	return true;
}

/* Where there are too many to move one by one. */
static void
sort_by_end(struct fill *f, int n)
{
	int i;

	for (i = 0; i < n; i++)
		f->rank[i] = (struct rank){ -end_at(f, NULL, n, i), f->stack[i] };
	sort_ranks(f, n);
	for (i = 0; i < n; i++)
		f->stack[i] = f->rank[i].which;
}

/* Births come in an order that is chance in part, and that is the one that is made better. */
int
fill_stack(struct fill *f, int gap)
{
	const struct gap *g = &f->gap[gap];
	int64_t free = g->size;
	int i, n = 0, moves;

	for (i = 0; i < f->births; i++)
		if (f->birth[i].gap == gap) {
			f->stack[n++] = i;
			free -= f->birth[i].size;
		}
	effort_spend(f->effort, f->births / LOOKS);
	if (free > 0)
		f->stack[n++] = -1;
	if (n > 1 && chance_share(&f->seed) < 0.5)	/* what is free may begin at either end */
		move(f->stack, n - 1, 0);
	if (n > MOST_MOVES)
		sort_by_end(f, n);
	else
		for (moves = 0; n > 1 && moves < 2 * n && move_one(f, g, n); moves++)
			;
	return n;
}
