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
 * as Dell'Amico and Trubian (1993) do. The limits that are tried are those of packing_eject.c, and
 * so are weights to begin with. But one that finds no gap gains as much each time, of whatever size
 * it is, as Nagata and Braysy count.
 *
 * The graph is kept by packing_piles.c.
 *
 * That comes to rest where every item that is taken out puts out what was put in before, and
 * however heavy they become, the others stay where they are. So when smaller and smaller steps have
 * failed, the search goes on another way: after each item a few of those that have a place, any of
 * them, get another where they are in nobody's way. That changes what lies on what everywhere, as
 * Nagata and Braysy do, and makes room in time: an answer that could not be made lower for long is
 * then followed by several, each at once. How far that leads is chance, so it begins from the best
 * and afresh in turns.
 */
#include "pack/packing_piles.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/chance.h"

#define MOST_NEAR	(1 << 22)	/* pairs that live together: 32 MB */
#define STEPS		8		/* the part of the gap that the first limit takes away */
#define FINEST		1000000		/* part of the height: less is not worth the time */
#define IN_VAIN		3		/* times, from the largest step to the least, before others have their turn */
#define PATIENCE	20		/* placements an item, before a limit is given up */
#define WANDERERS	10		/* a placement, where steps have failed; */
#define HOPEFUL		2		/* part of the gap that is tried there after each failure */
#define AFRESH		16		/* part of the height, above it */
#define HARDER		0.4		/* of what items weigh on average: so much more does one that found no gap */

/* Where an item, still without a place, cannot lie for one that has a place: in (begin, end). */
struct block {
	int64_t begin, end;
	double weight;
	int job;
};

/* Where an item is to lie, and whether others are in its way there. */
struct spot {
	int64_t x;
	bool blocked;
};

struct elastic {
	struct piles p;
	int *near, *first_near;	/* jobs alive with a job are at near[first_near[job]] up to those of the next */
	double *area, *weight;	/* by job; the weight is what taking it off costs, */
	double harder;		/* and what it gains where the item finds no gap */
	int *out, nout;		/* those without a place, a heap: the largest area on top */
	struct block *begun, *ended;	/* room for as many as live with one, by begin and by end */
	int *order;		/* room for all jobs */
	uint64_t seed;
	struct arena *arena;
	struct effort *effort;
};

/* ---- those without a place ---- */

static void
push(struct elastic *e, int i)
{
	int at = e->nout++, up;

	for (; at > 0; at = up) {
		up = (at - 1) / 2;
		if (e->area[i] <= e->area[e->out[up]])
			break;
		e->out[at] = e->out[up];
	}
	e->out[at] = i;
}

static int
pop(struct elastic *e)
{
	int top = e->out[0], last = e->out[--e->nout], at = 0, down;

	while ((down = 2 * at + 1) < e->nout) {
		if (down + 1 < e->nout && e->area[e->out[down + 1]] > e->area[e->out[down]])
			down++;
		if (e->area[e->out[down]] <= e->area[last])
			break;
		e->out[at] = e->out[down];
		at = down;
	}
	e->out[at] = last;
	return top;
}

/* ---- places ---- */

/* Those alive with an item are kept in the order in which they were found the last time, of which
 * little has changed. */
static void
sort_by_begin(struct block *v, int n)
{
	struct block moving;
	int i, k;

	for (i = 1; i < n; i++) {
		if (v[i - 1].begin <= v[i].begin)
			continue;
		moving = v[i];
		for (k = i; k > 0 && v[k - 1].begin > moving.begin; k--)
			v[k] = v[k - 1];
		v[k] = moving;
	}
}

/* Of those in the order of their begins, the farther from that of their ends the more they can
 * move. */
static void
sort_by_end(struct block *v, int n)
{
	struct block moving;
	int gap, i, k;

	for (gap = n > 12 ? 7 : 1; gap > 0; gap = gap == 7 ? 1 : 0)
		for (i = gap; i < n; i++) {
			if (v[i - gap].end <= v[i].end)
				continue;
			moving = v[i];
			for (k = i; k >= gap && v[k - gap].end > moving.end; k -= gap)
				v[k] = v[k - gap];
			v[k] = moving;
		}
}

/* By begin, and by end; how many. What can lie on both sides of an item is in its way nowhere. */
static int
find_blocks(struct elastic *e, int i)
{
	const struct piles *p = &e->p;
	int64_t size = p->job[i].size;
	int *near = e->near + e->first_near[i], all = e->first_near[i + 1] - e->first_near[i], k, n = 0, others = 0;

	for (k = 0; k < all; k++) {
		struct block b = { .job = near[k] };

		if (p->placed[b.job]) {
			b.begin = high_of(p, b.job) - size;
			b.end = low_of(p, b.job) + p->job[b.job].size;
			b.weight = e->weight[b.job];
		}
		if (b.begin < b.end)
			e->begun[n++] = b;
		else
			e->order[others++] = b.job;
	}
	sort_by_begin(e->begun, n);
	for (k = 0; k < n; k++)
		near[k] = e->begun[k].job;
	memcpy(near + n, e->order, (size_t)others * sizeof(*near));
	memcpy(e->ended, e->begun, (size_t)n * sizeof(*e->ended));
	sort_by_end(e->ended, n);
	effort_spend(e->effort, 2 * (int64_t)all + 20 * (int64_t)n);
	return n;
}

/* Where nothing is in the way, the gap the tightest; else where what is weighs least. Sums of
 * weights are not exact, since they may differ by more than a double holds, so it is their number
 * that says whether there are any. */
static struct spot
find_spot(struct elastic *e, int i)
{
	const struct job *j = &e->p.job[i];
	int n = find_blocks(e, i), begun = 0, ended = 0, k;
	struct spot best = { 0, true };
	int64_t x, tightest = INT64_MAX, gap;
	double weight = 0, least = INFINITY;

	for (k = -1; k < n; k++) {
		x = k < 0 ? 0 : job_aligned(j, e->ended[k].end);
		if (x < 0)
			continue;
		if (x + j->size - j->tail > e->p.limit)
			break;
		for (; begun < n && e->begun[begun].begin < x; begun++)
			weight += e->begun[begun].weight;
		for (; ended < n && e->ended[ended].end <= x; ended++)
			weight -= e->ended[ended].weight;
		gap = begun < n ? e->begun[begun].begin - x : e->p.limit - j->size - x;
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
	struct piles *p = &e->p;
	int n = 0, k, near;

	for (k = e->first_near[i]; k < e->first_near[i + 1]; k++) {
		near = e->near[k];
		if (p->placed[near] && low_of(p, near) + p->job[near].size > x && high_of(p, near) < x + p->job[i].size)
			e->order[n++] = near;
	}
	for (k = 0; k < n; k++) {
		piles_take_out(p, e->order[k]);
		push(e, e->order[k]);
	}
	piles_sink(p, e->order, n);
}

static void
place(struct elastic *e, int i)
{
	struct spot spot = find_spot(e, i);

	if (spot.blocked) {
		e->weight[i] += e->harder;
		make_way(e, i, spot.x);
	}
	piles_put_in(&e->p, i, spot.x);
}

/* Any of the places where nothing is in the way, at its low or at its high end; -1: none. */
static int64_t
find_free(struct elastic *e, int i)
{
	const struct job *j = &e->p.job[i];
	int n = find_blocks(e, i), begun = 0, ended = 0, k, found = 0;
	int64_t x, free = -1, high;

	for (k = -1; k < n; k++) {
		x = k < 0 ? 0 : job_aligned(j, e->ended[k].end);
		if (x < 0)
			continue;
		if (x + j->size - j->tail > e->p.limit)
			break;
		for (; begun < n && e->begun[begun].begin < x; begun++)
			;
		for (; ended < n && e->ended[ended].end <= x; ended++)
			;
		if (begun > ended || chance_below(&e->seed, ++found) > 0)
			continue;
		high = begun < n ? e->begun[begun].begin : e->p.limit - j->size;
		free = j->align <= 1 && high > x && chance_below(&e->seed, 2) ? high : x;
	}
	return free;
}

/* Somebody who has a place gets another. */
static void
wander(struct elastic *e)
{
	int i = chance_below(&e->seed, e->p.n);
	int64_t x;

	if (!e->p.placed[i])
		return;
	piles_take_out(&e->p, i);
	piles_sink(&e->p, &i, 1);
	x = find_free(e, i);
	if (x < 0)
		push(e, i);
	else
		piles_put_in(&e->p, i, x);
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

	for (i = 0; i < in->n; i++)
		sorted[i] = &in->job[i];
	qsort(sorted, (size_t)in->n, sizeof(const struct job *), by_offset);
	e->nout = 0;
	for (i = 0; i < in->n; i++) {
		const struct job *j = sorted[i];
		int k = (int)(j - in->job);

		if (j->offset + j->size - j->tail > e->p.limit)
			push(e, k);
		else
			e->order[n++] = k;
	}
	piles_begin(&e->p, e->order, n);
}

/* Brings everybody within the limit. */
static bool
settle(struct elastic *e)
{
	int64_t patience = (int64_t)PATIENCE * e->p.n;

	while (e->nout > 0 && patience-- > 0 && effort_left(e->effort))
		place(e, pop(e));
	return e->nout == 0;
}

static double
area_out(const struct elastic *e)
{
	double area = 0;
	int k;

	for (k = 0; k < e->nout; k++)
		area += e->area[e->out[k]];
	return area;
}

/* The same, while others wander; given up when what has no place has not become less for long. */
static bool
settle_wandering(struct elastic *e)
{
	int64_t patience = (int64_t)PATIENCE * e->p.n, left = patience;
	double least = INFINITY;
	int k;

	while (e->nout > 0 && left-- > 0 && effort_left(e->effort)) {
		place(e, pop(e));
		if (area_out(e) < least) {
			least = area_out(e);
			left = patience;
		}
		for (k = 0; k < WANDERERS; k++)
			wander(e);
	}
	return e->nout == 0;
}

static bool
list_near(struct arena *a, struct elastic *e)
{
	int i, k, n = 0;

	e->first_near = arena_array(a, (size_t)e->p.n + 1, sizeof(*e->first_near));
	for (i = 0; i < e->p.n; i++)	/* jobs come by birth */
		for (k = i + 1; k < e->p.n && e->p.job[k].lower < e->p.job[i].upper; k++) {
			e->first_near[i]++;
			e->first_near[k]++;
			if (++n == MOST_NEAR) {
				effort_spend(e->effort, n);
				return false;
			}
		}
	for (i = n = 0; i <= e->p.n; i++) {
		k = i < e->p.n ? e->first_near[i] : 0;
		e->first_near[i] = n;
		n += k;
	}
	e->near = arena_array(a, (size_t)n + 1, sizeof(*e->near));
	for (i = 0; i < e->p.n; i++)
		for (k = i + 1; k < e->p.n && e->p.job[k].lower < e->p.job[i].upper; k++) {
			e->near[e->first_near[i]++] = k;
			e->near[e->first_near[k]++] = i;
		}
	for (i = e->p.n; i > 0; i--)
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
	int i;

	qsort(in->job, n, sizeof(*in->job), by_birth);
	if (!piles_new(a, in, e->effort, &e->p) || !list_near(a, e))
		return false;
	e->area = arena_array(a, n, sizeof(*e->area));
	e->weight = arena_array(a, n, sizeof(*e->weight));
	for (i = 0; i < in->n; i++) {
		e->area[i] = e->weight[i] = (double)in->job[i].size * (in->job[i].upper - in->job[i].lower);
		e->harder += HARDER * e->area[i] / in->n;
	}
	e->out = arena_array(a, n, sizeof(int));
	e->order = arena_array(a, n, sizeof(*e->order));
	e->begun = arena_array(a, n, sizeof(*e->begun));
	e->ended = arena_array(a, n, sizeof(*e->ended));
	return true;
}

/* Sets ever lower limits, which a success takes further and a failure nearer to the best. */
static int64_t
lower(struct elastic *e, struct instance *in, int64_t best, int64_t target, int in_vain, int hopeful,
    bool (*how)(struct elastic *))
{
	const struct job **sorted = arena_array(e->arena, (size_t)in->n, sizeof(const struct job *));
	int64_t step = (best - target) / STEPS, height;
	int i, vain = 0;

	while (best > target && vain < in_vain && effort_left(e->effort)) {
		step = step > in->unit ? step : in->unit;
		e->p.limit = best - step > target ? best - step : target;
		begin(e, in, sorted);
		if (how(e) && (height = piles_height(&e->p)) < best) {
			for (i = 0; i < in->n; i++)
				in->job[i].offset = low_of(&e->p, i);
			best = height;
			step = (best - target) * 2 / STEPS;
			vain = 0;
		} else if (step == in->unit || step < best / FINEST) {
			step = (best - target) / hopeful;
			vain++;
		} else {
			step /= 3;
		}
	}
	return best;
}

int64_t
packing_elastic(struct instance *in, int64_t best, int64_t target, struct effort *effort)
{
	struct arena *a = arena_child(in->arena);
	struct elastic e = { .arena = a, .effort = effort };

	if (prepare(a, in, &e))
		best = lower(&e, in, best, target, IN_VAIN, 1, settle);
	arena_free(a);
	return best;
}

/* Everybody where there is room, from nothing, well above the best. */
static bool
start_afresh(struct elastic *e, struct instance *in, int64_t best)
{
	int i;

	e->p.limit = best + best / AFRESH;
	e->nout = 0;
	for (i = 0; i < in->n; i++) {
		e->weight[i] = e->area[i];
		push(e, i);
	}
	piles_begin(&e->p, e->order, 0);
	if (!settle_wandering(e))
		return false;
	for (i = 0; i < in->n; i++)
		in->job[i].offset = low_of(&e->p, i);
	return true;
}

/* In turns from the best and afresh, since how far it leads is chance. */
int64_t
packing_wander(struct instance *in, int64_t best, int64_t target, struct effort *effort)
{
	struct arena *a = arena_child(in->arena);
	struct elastic e = { .arena = a, .effort = effort, .seed = (uint64_t)effort->stage };
	struct instance other = *in;
	bool ready = prepare(a, in, &e);
	int64_t height;

	other.job = arena_array(a, (size_t)in->n, sizeof(*other.job));
	while (ready && best > target && effort_left(effort)) {
		best = lower(&e, in, best, target, IN_VAIN, HOPEFUL, settle_wandering);
		memcpy(other.job, in->job, (size_t)in->n * sizeof(*other.job));
		if (best <= target || !start_afresh(&e, &other, best))
			continue;
		height = lower(&e, &other, piles_height(&e.p), target, IN_VAIN, HOPEFUL, settle_wandering);
		if (height < best) {
			memcpy(in->job, other.job, (size_t)in->n * sizeof(*other.job));
			best = height;
		}
	}
	arena_free(a);
	return best;
}
