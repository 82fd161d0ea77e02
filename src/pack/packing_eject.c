/*
 * packing_eject: lowers an answer by letting items push each other out.
 *
 * Fits never undo a placement, so if sizes are irregular, a few percent of the height are gaps too
 * small for any item. Here a height a little below the answer's is set, and items that stick out of
 * it are removed. Then, the largest first, each goes into the tightest gap that its lifetime
 * leaves; if there is none, to the place with the least in its way, which is removed in turn. An
 * item that finds no gap gets a larger weight, so that in time it stays where it is, and small and
 * short-lived items make way for it. Once every item has a place there is an answer of that height,
 * and the next is set; one that takes too long is given up for one nearer to the answer. This is
 * guided ejection search, which Nagata and Braysy (2009) made to route vehicles: there too, all but
 * a few have their place, and the last of them are the hard ones.
 *
 * With few items there is time for more: what was hard stays heavy after a height is given up, so
 * that the same is not tried again, and when the steps have become too small, large ones are tried
 * anew until the effort is used up.
 *
 * What is alive with an item is looked at in the order of offsets, and of ends. Of few items, all
 * that are in place are kept in both. Otherwise jobs are sorted by birth, so that is a run of them
 * and of those before it the ones that a census, taken now and then, found alive.
 */
#include "pack/packing_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pack/packing_alive.h"

#define STEPS		8		/* the part of the gap that the first height takes away */
#define FEW		4000		/* items; what search may take on, too */
#define FINEST		1000		/* part of the height: less is not worth the time */
#define FINEST_OF_FEW	1000000
#define PATIENCE	2		/* placements an item, before a height is given up */
#define HARDER		2.0		/* times, is one that found no gap */
#define MOST_HARDER	1e12		/* sums of weights must stay exact enough to compare */
#define RADIX		10		/* bits that a pass of the sort looks at, */
#define RADIX_OF_FEW	7		/* and where as many are not to be sorted */
#define SORTED		20		/* visits an item, to put all in order */
#define NOWHERE		(-1)

/* Those alive when job AT is born. One begins where as many were born since the last as that has,
 * so that all are O(n), and going on from one costs no more than reading it. */
struct census {
	int at, first, n;
};

struct neighbour {
	int64_t key;		/* its offset or its end */
	int job;
};

/* Those in place, by offset or by end, with what is asked of each before anything else in runs of
 * memory of their own, LIVES longer than they need to be. */
struct order {
	int *lower, *upper, *job;
	int64_t *key;		/* the offset or the end */
	int n;
	bool ends;
};

struct eject {
	struct job *job;	/* by birth */
	int n;
	int *born;		/* by section: the first job born there or later */
	struct census *census;
	int *alive;		/* of the censuses */
	int ncensus;
	double *area, *weight;	/* by job; the weight is what taking it off costs */
	int *heap;		/* those to place, the largest area on top */
	int nheap;
	struct neighbour *by_offset, *by_end, *room;	/* of one job, nnear each */
	int nnear;
	int shift;		/* of the offsets' upper bits */
	struct order begun, ended;	/* of few; else nothing */
	int64_t limit;		/* the height to reach */
	struct effort *effort;
};

static int
by_birth(const void *x, const void *y)
{
	const struct job *a = x, *b = y;

	return a->lower != b->lower ? a->lower - b->lower : a->index - b->index;
}

/* ---- who is alive with whom ---- */

static void
take_census(struct arena *a, struct eject *e)
{
	struct census *last = NULL;
	int i, k, n = 0, max = 2 * e->n;

	e->census = arena_array(a, (size_t)e->n + 1, sizeof(*e->census));
	e->alive = arena_array(a, (size_t)max, sizeof(*e->alive));
	for (i = 0; i < e->n; i++) {
		struct census *c = &e->census[e->ncensus];

		if (last && i - last->at <= last->n + 32)
			continue;
		*c = (struct census){ .at = i, .first = n };
		for (k = last ? last->first : 0; last && k < last->first + last->n; k++)
			if (e->job[e->alive[k]].upper > e->job[i].lower)
				e->alive[n++] = e->alive[k];
		for (k = last ? last->at : 0; k < i; k++)
			if (e->job[k].upper > e->job[i].lower)
				e->alive[n++] = k;
		c->n = n - c->first;
		last = c;
		e->ncensus++;
	}
}

static const struct census *
census_before(const struct eject *e, int job)
{
	int lo = 0, hi = e->ncensus, mid;

	while (hi - lo > 1) {
		mid = lo + (hi - lo) / 2;
		if (e->census[mid].at <= job)
			lo = mid;
		else
			hi = mid;
	}
	return &e->census[lo];
}

static void
note_neighbour(struct eject *e, int i, int lower)
{
	const struct job *j = &e->job[i];

	if (j->upper > lower && j->offset != NOWHERE)
		e->by_offset[e->nnear++] = (struct neighbour){ j->offset, i };
}

/* One pass of a radix sort, by bits [shift, shift + radix) of the key. */
static void
scatter(const struct neighbour *from, struct neighbour *to, int n, int shift, int radix)
{
	int count[1 << RADIX], k, sum = 0, was;

	memset(count, 0, sizeof(*count) << radix);
	for (k = 0; k < n; k++)
		count[from[k].key >> shift & ((1 << radix) - 1)]++;
	for (k = 0; k < 1 << radix; k++) {
		was = count[k];
		count[k] = sum;
		sum += was;
	}
	for (k = 0; k < n; k++)
		to[count[from[k].key >> shift & ((1 << radix) - 1)]++] = from[k];
}

/* By key. The upper bits make it nearly so, which an insertion sort completes. */
static void
sort_neighbours(struct eject *e, struct neighbour *v, int n)
{
	int i, k, radix = n > 1 << RADIX ? RADIX : RADIX_OF_FEW, shift = e->shift + 2 * (RADIX - radix);
	struct neighbour moving;

	if (n > 1 << (RADIX - 3)) {
		scatter(v, e->room, n, shift, radix);
		scatter(e->room, v, n, shift + radix, radix);
	}
	for (i = 1; i < n; i++) {
		moving = v[i];
		for (k = i; k > 0 && v[k - 1].key > moving.key; k--)
			v[k] = v[k - 1];
		v[k] = moving;
	}
}

static int64_t
key_in(const struct order *o, const struct job *j)
{
	return o->ends ? j->offset + j->size : j->offset;
}

/* Where J belongs: of those that end alike the lowest first, and of those alike the last to
 * come. */
static int
rank_of(const struct eject *e, const struct order *o, const struct job *j)
{
	int64_t key = key_in(o, j);
	int lo = 0, hi = o->n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (o->key[mid] < key || (o->key[mid] == key && e->job[o->job[mid]].offset < j->offset))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Moves what is from FROM on to TO. */
static void
shift(struct order *o, int to, int from)
{
	size_t n = (size_t)(o->n - from);

	memmove(o->lower + to, o->lower + from, n * sizeof(*o->lower));
	memmove(o->upper + to, o->upper + from, n * sizeof(*o->upper));
	memmove(o->job + to, o->job + from, n * sizeof(*o->job));
	memmove(o->key + to, o->key + from, n * sizeof(*o->key));
	o->n += to - from;
}

static void
order_add(const struct eject *e, struct order *o, int i)
{
	const struct job *j = &e->job[i];
	int at = rank_of(e, o, j);

	shift(o, at + 1, at);
	o->lower[at] = j->lower;
	o->upper[at] = j->upper;
	o->job[at] = i;
	o->key[at] = key_in(o, j);
}

static void
order_drop(const struct eject *e, struct order *o, int i)
{
	int at = rank_of(e, o, &e->job[i]);

	while (o->job[at] != i)
		at++;
	shift(o, at, at + 1);
}

/* Those of an order that are alive with J. */
static int
find_in_order(const struct order *o, const struct job *j, struct neighbour *near)
{
	int n = 0, from, i;

	for (from = 0; from < o->n; from += LIVES) {
		uint32_t set = lives_between(o->lower + from, o->upper + from, j->lower, j->upper);

		if (o->n - from < LIVES)
			set &= (UINT32_C(1) << (o->n - from)) - 1;
		for (; set; set &= set - 1) {
			i = from + __builtin_ctz(set);
			near[n++] = (struct neighbour){ o->key[i], o->job[i] };
		}
	}
	return n;
}

/* Fills by_offset with those in place that are alive with job I, which is not in place. */
static void
find_neighbours(struct eject *e, int i)
{
	const struct job *j = &e->job[i];
	const struct census *c;
	int k;

	if (e->begun.job) {
		e->nnear = find_in_order(&e->begun, j, e->by_offset);
		effort_spend(e->effort, 2 * (int64_t)e->begun.n + 6 * (int64_t)e->nnear + 10);
		return;
	}
	c = census_before(e, e->born[j->lower]);
	e->nnear = 0;
	for (k = c->first; k < c->first + c->n; k++)
		note_neighbour(e, e->alive[k], j->lower);
	for (k = c->at; k < e->born[j->upper]; k++)
		note_neighbour(e, k, j->lower);
	sort_neighbours(e, e->by_offset, e->nnear);
	effort_spend(e->effort, c->n + e->born[j->upper] - c->at + 8 * (int64_t)e->nnear + 1000);
}

/* ---- those to place ---- */

static void
push(struct eject *e, int i)
{
	int at = e->nheap++, up;

	for (; at > 0; at = up) {
		up = (at - 1) / 2;
		if (e->area[e->heap[up]] >= e->area[i])
			break;
		e->heap[at] = e->heap[up];
	}
	e->heap[at] = i;
}

static int
pop(struct eject *e)
{
	int top = e->heap[0], last = e->heap[--e->nheap], at = 0, down;

	while ((down = 2 * at + 1) < e->nheap) {
		if (down + 1 < e->nheap && e->area[e->heap[down + 1]] > e->area[e->heap[down]])
			down++;
		if (e->area[last] >= e->area[e->heap[down]])
			break;
		e->heap[at] = e->heap[down];
		at = down;
	}
	e->heap[at] = last;
	return top;
}

/* ---- places ---- */

/* The tightest gap within the limit; NOWHERE if there is none. */
static int64_t
find_gap(const struct eject *e, const struct job *j)
{
	int64_t floor = 0, tightest = INT64_MAX, best = NOWHERE, gap;
	int k;

	for (k = 0; k < e->nnear; k++) {
		int64_t offset = e->by_offset[k].key, end = offset + e->job[e->by_offset[k].job].size;

		gap = offset - floor;
		if (gap >= j->size && gap < tightest) {
			tightest = gap;
			best = floor;
		}
		if (end > floor)
			floor = job_aligned(j, end);
	}
	if (best == NOWHERE && floor + j->size - j->tail <= e->limit)
		best = floor;
	return best;
}

static void
find_ends(struct eject *e, const struct job *j)
{
	int k;

	if (e->ended.job) {
		find_in_order(&e->ended, j, e->by_end);
		return;
	}
	for (k = 0; k < e->nnear; k++) {
		e->by_end[k] = e->by_offset[k];
		e->by_end[k].key += e->job[e->by_end[k].job].size;
	}
	sort_neighbours(e, e->by_end, e->nnear);
}

/* Where what is in the way weighs least: on one of those alive, or at the bottom. */
static int64_t
find_victims(struct eject *e, const struct job *j)
{
	double begun = 0, ended = 0, least = INFINITY;
	int64_t best = 0, at;
	int k, next = 0;

	find_ends(e, j);
	for (k = -1; k < e->nnear; k++) {
		at = k < 0 ? 0 : job_aligned(j, e->by_end[k].key);
		if (at + j->size - j->tail > e->limit)
			break;
		if (k >= 0)
			ended += e->weight[e->by_end[k].job];
		while (next < e->nnear && e->by_offset[next].key < at + j->size)
			begun += e->weight[e->by_offset[next++].job];
		if (begun - ended < least) {
			least = begun - ended;
			best = at;
		}
	}
	return best;
}

static void
put_in_order(struct eject *e, int i)
{
	if (!e->begun.job)
		return;
	order_add(e, &e->begun, i);
	order_add(e, &e->ended, i);
}

static void
take_off(struct eject *e, int i)
{
	if (e->begun.job) {
		order_drop(e, &e->begun, i);
		order_drop(e, &e->ended, i);
	}
	e->job[i].offset = NOWHERE;
	push(e, i);
}

static void
place(struct eject *e, int i)
{
	struct job *j = &e->job[i];
	int64_t at;
	int k;

	find_neighbours(e, i);
	at = find_gap(e, j);
	if (at == NOWHERE) {
		at = find_victims(e, j);
		if (e->weight[i] < MOST_HARDER * e->area[i])
			e->weight[i] *= HARDER;
		for (k = 0; k < e->nnear && e->by_offset[k].key < at + j->size; k++) {
			int near = e->by_offset[k].job;

			if (e->job[near].offset + e->job[near].size > at)
				take_off(e, near);
		}
	}
	j->offset = at;
	put_in_order(e, i);
}

static void
fill_order(const struct eject *e, struct order *o, const struct neighbour *v)
{
	int k;

	for (k = 0; k < e->n; k++) {
		o->lower[k] = e->job[v[k].job].lower;
		o->upper[k] = e->job[v[k].job].upper;
		o->job[k] = v[k].job;
		o->key[k] = v[k].key;
	}
	o->n = e->n;
}

/* All at once, and alike ones as if one after another: the sort leaves them as they are. */
static void
put_all_in_order(struct eject *e)
{
	struct neighbour *v = e->by_offset;
	int k;

	if (!e->begun.job)
		return;
	for (k = 0; k < e->n; k++)
		v[k] = (struct neighbour){ e->job[e->n - 1 - k].offset, e->n - 1 - k };
	sort_neighbours(e, v, e->n);
	fill_order(e, &e->begun, v);
	for (k = 0; k < e->n; k++)
		v[k].key += e->job[v[k].job].size;
	sort_neighbours(e, v, e->n);
	fill_order(e, &e->ended, v);
	effort_spend(e->effort, SORTED * (int64_t)e->n);
}

/* Brings everybody within the limit. */
static bool
settle(struct eject *e)
{
	int64_t patience = (int64_t)PATIENCE * e->n;
	int i;

	e->nheap = 0;
	put_all_in_order(e);
	for (i = 0; i < e->n; i++) {
		const struct job *j = &e->job[i];

		if (j->offset + j->size - j->tail > e->limit)
			take_off(e, i);
	}
	while (e->nheap > 0 && patience-- > 0 && effort_left(e->effort))
		place(e, pop(e));
	return e->nheap == 0;
}

/* ---- heights ---- */

static struct order
new_order(struct arena *a, int n, bool ends)
{
	size_t room = (size_t)n + LIVES;

	return (struct order){ .lower = arena_array(a, room, sizeof(int)),
	    .upper = arena_array(a, room, sizeof(int)), .job = arena_array(a, room, sizeof(int)),
	    .key = arena_array(a, room, sizeof(int64_t)), .ends = ends };
}

static void
prepare(struct instance *in, struct eject *e)
{
	size_t n = (size_t)in->n;
	int i, s;

	e->n = in->n;
	e->job = arena_array(in->arena, n, sizeof(*e->job));
	e->born = arena_array(in->arena, (size_t)in->sections + 1, sizeof(*e->born));
	e->weight = arena_array(in->arena, n, sizeof(*e->weight));
	e->area = arena_array(in->arena, n, sizeof(*e->area));
	e->heap = arena_array(in->arena, n, sizeof(*e->heap));
	e->by_offset = arena_array(in->arena, n, sizeof(*e->by_offset));
	e->room = arena_array(in->arena, n, sizeof(*e->room));
	e->by_end = arena_array(in->arena, n, sizeof(*e->by_end));
	memcpy(e->job, in->job, n * sizeof(*e->job));
	qsort(e->job, n, sizeof(*e->job), by_birth);
	while (in->max_live >> e->shift >> (2 * RADIX) > 0)
		e->shift++;
	for (i = 0, s = 0; s <= in->sections; s++) {
		while (i < e->n && e->job[i].lower < s)
			i++;
		e->born[s] = i;
	}
	for (i = 0; i < e->n; i++)
		e->area[i] = e->weight[i] = (double)e->job[i].size *
		    (e->job[i].upper - e->job[i].lower);
	if (e->n > FEW) {
		take_census(in->arena, e);
		return;
	}
	e->begun = new_order(in->arena, e->n, false);
	e->ended = new_order(in->arena, e->n, true);
}

/* A height was too low: nearer to the best. False: not worth the time. */
static bool
give_way(const struct eject *e, int64_t best, int64_t target, int64_t unit, int64_t *step)
{
	int stage = e->effort->stage < 8 ? e->effort->stage : 8;
	bool finest = *step == unit || *step < best / (e->begun.job ? FINEST_OF_FEW : (int64_t)FINEST << 2 * stage);

	if (finest && !e->begun.job)
		return false;
	*step = finest ? best - target : *step / 3;
	return true;
}

/* Sets ever lower heights, which a success takes further and a failure nearer to the best. */
int64_t
packing_eject(struct instance *in, int64_t best, int64_t target, struct effort *effort)
{
	struct eject e = { .effort = effort };
	int64_t step = (best - target) / STEPS;

	prepare(in, &e);
	memcpy(in->job, e.job, (size_t)e.n * sizeof(*e.job));
	while (best > target && effort_left(effort)) {
		step = step > in->unit ? step : in->unit;
		e.limit = best - step > target ? best - step : target;
		if (settle(&e)) {
			memcpy(in->job, e.job, (size_t)e.n * sizeof(*e.job));
			best = packing_height(in);
			step = (best - target) * 2 / STEPS;
			continue;
		}
		if (!give_way(&e, best, target, in->unit, &step))
			break;
		memcpy(e.job, in->job, (size_t)e.n * sizeof(*e.job));
		if (!e.begun.job)
			memcpy(e.weight, e.area, (size_t)e.n * sizeof(*e.weight));
	}
	return best;
}
