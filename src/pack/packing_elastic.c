/*
 * packing_elastic: ejection (packing_eject.c) where places are not fixed: what lies on what is
 * decided, not how high.
 *
 * Where nearly all of the height is full, what little is free lies in gaps too small for any item,
 * above and below each other. So of each item that has its place it is known only what lies below
 * and above it in each section. Its *low* is the height of the highest pile below it, its *high* is
 * as far below the limit as the highest pile above it takes: it may lie anywhere between, if the
 * others make way. One more item fits at X where each that lives with it can lie below X, as its
 * low and size say, or above what the item takes there, as its high does; however much is to be
 * shifted for that. The others are in its way, and the least weight of them is removed.
 *
 *        limit  ______________          ______________
 *                  | B |                   | B |
 *                  |___|                   |___|
 *                                         |  I  |     I has room between A, at its low, and B, at its high
 *                  |   |                  |_____|
 *                  | A |                   | A |
 *               ___|   |______          ___|___|______
 *
 * These are the heads and tails of jobs in a shop, whose machines are the sections: lows and highs
 * are lengths of longest paths in the graph of what is decided, and an item is put into that graph
 * as Dell'Amico and Trubian (1993) do. Weights, and the limits that are tried, are those of
 * packing_eject.c.
 *
 * Below and above are the same seen from two sides. Seen from a side, the *reach* of an item is how
 * far its end there is from the bottom, or from the limit, at least; so lows are reaches of one
 * side, and highs follow from those of the other.
 */
#include "pack/packing_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NODES	(1 << 22)	/* sections of all items: 32 MB; */
#define MOST_NEAR	(1 << 22)	/* pairs that live together: the same */
#define STEPS		8		/* the part of the gap that the first limit takes away */
#define FINEST		1000000		/* part of the height: less is not worth the time */
#define IN_VAIN		3		/* times, from the largest step to the least, before others have their turn */
#define PATIENCE	20		/* placements an item, before a limit is given up */
#define HARDER		1.1		/* times, is one that found no gap */
#define MOST_HARDER	1e12		/* sums of weights of items alike must stay exact enough to compare */
#define NONE		(-1)

enum side { BELOW, ABOVE };

/* Where an item, still without a place, cannot lie for one that has a place: in (begin, end). */
struct block {
	int64_t begin, end;
	double weight;
};

/* Where an item is to lie, and whether others are in its way there. */
struct spot {
	int64_t x;
	bool blocked;
};

/* Jobs, a heap: by area, the largest on top, of those without a place; or by reach, the least on
 * top. */
struct heap {
	int *job, n;
};

struct elastic {
	struct job *job;
	int n, sections;
	int *node;		/* by job: its sections are nodes from there on */
	int *next[2];		/* by side and node: the next job in the section; NONE */
	int *end[2];		/* by side and section: the job that lies there first; NONE */
	int64_t *reach[2];	/* by side and job */
	bool *placed, *waiting;	/* by job; in the heap of those whose reach may change */
	int *near, *first_near;	/* jobs alive with a job are at near[first_near[job]] up to those of the next */
	double *area, *weight;	/* by job; the weight is what taking it off costs */
	struct heap out;	/* those without a place */
	struct heap changed;
	struct block *begun, *ended;	/* room for as many as live with one, by begin and by end */
	int *order;		/* room for all jobs */
	int64_t limit;		/* the height to reach */
	struct effort *effort;
};

static inline int64_t
low_of(const struct elastic *e, int i)
{
	return e->reach[BELOW][i];
}

static inline int64_t
high_of(const struct elastic *e, int i)
{
	return e->limit - e->reach[ABOVE][i] - e->job[i].size;
}

/* ---- heaps ---- */

static inline bool
is_before(const struct elastic *e, const struct heap *h, int side, int i, int k)
{
	return h == &e->out ? e->area[i] > e->area[k] : e->reach[side][i] < e->reach[side][k];
}

static void
push(const struct elastic *e, struct heap *h, int side, int i)
{
	int at = h->n++, up;

	for (; at > 0; at = up) {
		up = (at - 1) / 2;
		if (!is_before(e, h, side, i, h->job[up]))
			break;
		h->job[at] = h->job[up];
	}
	h->job[at] = i;
}

static int
pop(const struct elastic *e, struct heap *h, int side)
{
	int top = h->job[0], last = h->job[--h->n], at = 0, down;

	while ((down = 2 * at + 1) < h->n) {
		if (down + 1 < h->n && is_before(e, h, side, h->job[down + 1], h->job[down]))
			down++;
		if (!is_before(e, h, side, h->job[down], last))
			break;
		h->job[at] = h->job[down];
		at = down;
	}
	h->job[at] = last;
	return top;
}

/* ---- reaches ---- */

/* Of an item for which so much is taken on that side. */
static inline int64_t
aligned_reach(const struct elastic *e, int side, int i, int64_t taken)
{
	const struct job *j = &e->job[i];

	if (j->align <= 1)
		return taken;
	return side == BELOW ? job_aligned(j, taken) : taken + (e->limit - taken - j->size) % j->align;
}

/* Where it lies at the end of the side: the topmost need not have its padding within the limit. */
static inline int64_t
least_reach(const struct elastic *e, int side, int i)
{
	return side == BELOW ? 0 : -e->job[i].tail;
}

static int64_t
find_reach(const struct elastic *e, int side, int i)
{
	const struct job *j = &e->job[i];
	const int *next = e->next[side] + e->node[i];
	int64_t taken = least_reach(e, side, i), other;
	int s, last = NONE;

	for (s = 0; s < j->upper - j->lower; s++) {
		if (next[s] == last || next[s] == NONE)
			continue;
		last = next[s];
		other = e->reach[side][last] + e->job[last].size;
		taken = other > taken ? other : taken;
	}
	effort_spend(e->effort, j->upper - j->lower);
	return aligned_reach(e, side, i, taken);
}

/* Those next to it on the other side, whose reach may depend on what its own was, or is: so far. */
static void
push_beyond(struct elastic *e, int side, int i, int64_t reach, bool farther)
{
	const struct job *j = &e->job[i];
	const int *next = e->next[!side] + e->node[i];
	int64_t end = reach + j->size;
	int s, k, last = NONE;

	for (s = 0; s < j->upper - j->lower; s++) {
		k = next[s];
		if (k == last || k == NONE)
			continue;
		last = k;
		if (!e->placed[k] || e->waiting[k] || (farther ? end <= e->reach[side][k] :
		    aligned_reach(e, side, k, end) < e->reach[side][k]))
			continue;
		e->waiting[k] = true;
		push(e, &e->changed, side, k);
	}
	effort_spend(e->effort, j->upper - j->lower);
}

/* Reaches of one side that were pushed, and of whatever depends on them; all become greater
 * (FARTHER), or all less. The least comes first, so what an item depends on is known before. */
static void
change_reaches(struct elastic *e, int side, bool farther)
{
	int64_t reach, was;
	int i;

	while (e->changed.n > 0) {
		i = pop(e, &e->changed, side);
		e->waiting[i] = false;
		reach = find_reach(e, side, i);
		was = e->reach[side][i];
		if (reach == was)
			continue;
		e->reach[side][i] = reach;
		push_beyond(e, side, i, farther ? reach : was, farther);
		effort_spend(e->effort, 40);
	}
}

/* ---- piles ---- */

static inline int *
link_of(struct elastic *e, int side, int i, int section)
{
	return i == NONE ? &e->end[!side][section] : &e->next[side][e->node[i] + section - e->job[i].lower];
}

/* Between two that are next to each other in a section, or an end of it. */
static inline void
put_between(struct elastic *e, int i, int below, int above, int section)
{
	*link_of(e, BELOW, i, section) = below;
	*link_of(e, ABOVE, i, section) = above;
	*link_of(e, ABOVE, below, section) = i;
	*link_of(e, BELOW, above, section) = i;
}

static void
take_out(struct elastic *e, int i)
{
	const struct job *j = &e->job[i];
	int s, below, above;

	for (s = j->lower; s < j->upper; s++) {
		below = *link_of(e, BELOW, i, s);
		above = *link_of(e, ABOVE, i, s);
		*link_of(e, ABOVE, below, s) = above;
		*link_of(e, BELOW, above, s) = below;
	}
	e->placed[i] = false;
	push(e, &e->out, 0, i);
	effort_spend(e->effort, 2 * (int64_t)(j->upper - j->lower) + 10);
}

/* Above all of each section whose low and size reach no higher than X. */
static void
put_in(struct elastic *e, int i, int64_t x)
{
	const struct job *j = &e->job[i];
	int s, below = NONE, above, steps = 0;

	for (s = j->lower; s < j->upper; s++) {
		if (below != NONE && e->job[below].upper <= s)
			below = NONE;
		for (; below != NONE && low_of(e, below) + e->job[below].size > x; steps++)
			below = *link_of(e, BELOW, below, s);
		for (; (above = *link_of(e, ABOVE, below, s)) != NONE && low_of(e, above) + e->job[above].size <= x; steps++)
			below = above;
		put_between(e, i, below, above, s);
	}
	e->placed[i] = true;
	effort_spend(e->effort, 4 * (int64_t)(j->upper - j->lower) + 2 * (int64_t)steps);
}

/* All that are in order[0, n), the lowest first, one on the other. */
static void
pile(struct elastic *e, int n)
{
	int i, k, s, side;

	for (side = BELOW; side <= ABOVE; side++)
		for (s = 0; s < e->sections; s++)
			e->end[side][s] = NONE;
	for (k = 0; k < n; k++) {
		i = e->order[k];
		for (s = e->job[i].lower; s < e->job[i].upper; s++)
			put_between(e, i, e->end[ABOVE][s], NONE, s);
		e->reach[BELOW][i] = find_reach(e, BELOW, i);
		e->placed[i] = true;
	}
	for (k = n - 1; k >= 0; k--)
		e->reach[ABOVE][e->order[k]] = find_reach(e, ABOVE, e->order[k]);
}

/* ---- places ---- */

static void
sort_blocks(struct block *v, int n, bool ends)
{
	struct block moving;
	int gap, i, k;

	for (gap = n > 40 ? 23 : n > 12 ? 7 : 1; gap > 0; gap = gap == 23 ? 7 : gap == 7 ? 1 : 0)
		for (i = gap; i < n; i++) {
			moving = v[i];
			for (k = i; k >= gap && (ends ? v[k - gap].end > moving.end : v[k - gap].begin > moving.begin); k -= gap)
				v[k] = v[k - gap];
			v[k] = moving;
		}
}

/* By begin, and by end; how many. What can lie on both sides of an item is in its way nowhere. */
static int
find_blocks(struct elastic *e, int i)
{
	int64_t size = e->job[i].size;
	int k, near, n = 0;

	for (k = e->first_near[i]; k < e->first_near[i + 1]; k++) {
		struct block b;

		near = e->near[k];
		if (!e->placed[near])
			continue;
		b = (struct block){ high_of(e, near) - size, low_of(e, near) + e->job[near].size, e->weight[near] };
		if (b.begin < b.end)
			e->begun[n++] = b;
	}
	sort_blocks(e->begun, n, false);
	memcpy(e->ended, e->begun, (size_t)n * sizeof(*e->ended));
	sort_blocks(e->ended, n, true);
	effort_spend(e->effort, 2 * (int64_t)(e->first_near[i + 1] - e->first_near[i]) + 40 * (int64_t)n);
	return n;
}

/* Where nothing is in the way, the gap the tightest; else where what is weighs least. Sums of
 * weights are not exact, since they may differ by more than a double holds, so it is their number
 * that says whether there are any. */
static struct spot
find_spot(struct elastic *e, int i)
{
	const struct job *j = &e->job[i];
	int n = find_blocks(e, i), begun = 0, ended = 0, k;
	struct spot best = { 0, true };
	int64_t x, tightest = INT64_MAX, gap;
	double weight = 0, least = INFINITY;

	for (k = -1; k < n; k++) {
		x = k < 0 ? 0 : job_aligned(j, e->ended[k].end);
		if (x < 0)
			continue;
		if (x + j->size - j->tail > e->limit)
			break;
		for (; begun < n && e->begun[begun].begin < x; begun++)
			weight += e->begun[begun].weight;
		for (; ended < n && e->ended[ended].end <= x; ended++)
			weight -= e->ended[ended].weight;
		gap = begun < n ? e->begun[begun].begin - x : e->limit - j->size - x;
		if (begun == ended && (best.blocked || gap < tightest)) {
			best = (struct spot){ x, false };
			tightest = gap;
		} else if (begun > ended && best.blocked && weight < least) {
			least = weight;
			best.x = x;
		}
	}
	return best;
}

/* Those in the way of an item at X lose their places. */
static void
make_way(struct elastic *e, int i, int64_t x)
{
	int *out = e->order, n = 0, k, near, side;

	for (k = e->first_near[i]; k < e->first_near[i + 1]; k++) {
		near = e->near[k];
		if (e->placed[near] && low_of(e, near) + e->job[near].size > x && high_of(e, near) < x + e->job[i].size)
			out[n++] = near;
	}
	for (k = 0; k < n; k++)
		take_out(e, out[k]);
	for (side = BELOW; side <= ABOVE; side++) {
		for (k = 0; k < n; k++)
			push_beyond(e, side, out[k], e->reach[side][out[k]], false);
		change_reaches(e, side, false);
	}
}

static void
place(struct elastic *e, int i)
{
	struct spot spot = find_spot(e, i);
	int side;

	if (spot.blocked) {
		if (e->weight[i] < MOST_HARDER * e->area[i])
			e->weight[i] *= HARDER;
		make_way(e, i, spot.x);
	}
	put_in(e, i, spot.x);
	for (side = BELOW; side <= ABOVE; side++)
		e->reach[side][i] = find_reach(e, side, i);
	for (side = BELOW; side <= ABOVE; side++) {
		push_beyond(e, side, i, e->reach[side][i], true);
		change_reaches(e, side, true);
	}
}

/* ---- limits ---- */

static int
by_offset(const void *x, const void *y)
{
	const struct job *a = *(const struct job *const *)x, *b = *(const struct job *const *)y;

	return a->offset != b->offset ? (a->offset > b->offset ? 1 : -1) : (a > b) - (a < b);
}

/* Everybody as the answer has them, but for what sticks out of the limit. */
static void
begin(struct elastic *e, const struct instance *in, const struct job **sorted)
{
	int i, n = 0;

	for (i = 0; i < e->n; i++)
		sorted[i] = &in->job[i];
	qsort(sorted, (size_t)e->n, sizeof(const struct job *), by_offset);
	e->out.n = 0;
	for (i = 0; i < e->n; i++) {
		const struct job *j = sorted[i];
		int k = (int)(j - in->job);

		e->placed[k] = false;
		if (j->offset + j->size - j->tail > e->limit)
			push(e, &e->out, 0, k);
		else
			e->order[n++] = k;
	}
	pile(e, n);
	effort_spend(e->effort, 20 * (int64_t)e->n);
}

/* Brings everybody within the limit. */
static bool
settle(struct elastic *e)
{
	int64_t patience = (int64_t)PATIENCE * e->n;

	while (e->out.n > 0 && patience-- > 0 && effort_left(e->effort))
		place(e, pop(e, &e->out, 0));
	return e->out.n == 0;
}

/* Of all where they lie lowest. */
static int64_t
height_of_lows(const struct elastic *e)
{
	int64_t height = 0, end;
	int i;

	for (i = 0; i < e->n; i++) {
		end = low_of(e, i) + e->job[i].size - e->job[i].tail;
		height = end > height ? end : height;
	}
	return height;
}

static bool
list_near(struct arena *a, struct elastic *e)
{
	int i, k, n = 0;

	e->first_near = arena_array(a, (size_t)e->n + 1, sizeof(*e->first_near));
	for (i = 0; i < e->n; i++)	/* jobs come by birth */
		for (k = i + 1; k < e->n && e->job[k].lower < e->job[i].upper; k++) {
			e->first_near[i]++;
			e->first_near[k]++;
			if (++n == MOST_NEAR) {
				effort_spend(e->effort, n);
				return false;
			}
		}
	for (i = n = 0; i <= e->n; i++) {
		k = i < e->n ? e->first_near[i] : 0;
		e->first_near[i] = n;
		n += k;
	}
	e->near = arena_array(a, (size_t)n + 1, sizeof(*e->near));
	for (i = 0; i < e->n; i++)
		for (k = i + 1; k < e->n && e->job[k].lower < e->job[i].upper; k++) {
			e->near[e->first_near[i]++] = k;
			e->near[e->first_near[k]++] = i;
		}
	for (i = e->n; i > 0; i--)
		e->first_near[i] = e->first_near[i - 1];
	e->first_near[0] = 0;
	effort_spend(e->effort, 2 * (int64_t)n);
	return true;
}

static int
by_birth(const void *x, const void *y)
{
	const struct job *a = x, *b = y;

	return a->lower != b->lower ? a->lower - b->lower : a->index - b->index;
}

/* False: there is too much of it. */
static bool
prepare(struct arena *a, struct instance *in, struct elastic *e)
{
	size_t n = (size_t)in->n;
	int64_t nodes = 0;
	int i, side;

	e->n = in->n;
	e->sections = in->sections;
	qsort(in->job, n, sizeof(*in->job), by_birth);
	e->job = in->job;
	e->node = arena_array(a, n, sizeof(*e->node));
	e->area = arena_array(a, n, sizeof(*e->area));
	e->weight = arena_array(a, n, sizeof(*e->weight));
	for (i = 0; i < e->n; i++) {
		const struct job *j = &e->job[i];

		e->node[i] = (int)nodes;
		nodes += j->upper - j->lower;
		if (nodes > MOST_NODES)
			return false;
		e->area[i] = e->weight[i] = (double)j->size * (j->upper - j->lower);
	}
	if (!list_near(a, e))
		return false;
	for (side = BELOW; side <= ABOVE; side++) {
		e->next[side] = arena_array(a, (size_t)nodes, sizeof(int));
		e->end[side] = arena_array(a, (size_t)in->sections, sizeof(int));
		e->reach[side] = arena_array(a, n, sizeof(int64_t));
	}
	e->placed = arena_array(a, n, sizeof(*e->placed));
	e->waiting = arena_array(a, n, sizeof(*e->waiting));
	e->out.job = arena_array(a, n, sizeof(int));
	e->changed.job = arena_array(a, n, sizeof(int));
	e->order = arena_array(a, n, sizeof(*e->order));
	e->begun = arena_array(a, n, sizeof(*e->begun));
	e->ended = arena_array(a, n, sizeof(*e->ended));
	return true;
}

/* Sets ever lower limits, which a success takes further and a failure nearer to the best. */
int64_t
packing_elastic(struct instance *in, int64_t best, int64_t target, struct effort *effort)
{
	struct arena *a = arena_child(in->arena);
	struct elastic e = { .effort = effort };
	const struct job **sorted = arena_array(a, (size_t)in->n, sizeof(const struct job *));
	int64_t step = (best - target) / STEPS, height;
	int i, vain = 0;

	if (!prepare(a, in, &e))
		vain = IN_VAIN;
	while (best > target && vain < IN_VAIN && effort_left(effort)) {
		step = step > in->unit ? step : in->unit;
		e.limit = best - step > target ? best - step : target;
		begin(&e, in, sorted);
		if (settle(&e) && (height = height_of_lows(&e)) < best) {
			for (i = 0; i < in->n; i++)
				in->job[i].offset = e.reach[BELOW][i];
			best = height;
			step = (best - target) * 2 / STEPS;
			vain = 0;
		} else if (step == in->unit || step < best / FINEST) {
			step = best - target;
			vain++;
		} else {
			step /= 3;
		}
	}
	arena_free(a);
	return best;
}
