/*
 * packing_fit: each item goes into the tightest, or the lowest, gap that its lifetime leaves among
 * the items placed so far.
 *
 * No single order is best: by size suits instances of mixed lifetimes, by length of life the nested
 * ones of a training step (what forward makes first, backward frees last). A few are tried and the
 * best answer is kept. On real networks the first usually reaches the lower bound.
 *
 * Large ones first, and among equal sizes the earliest, is what suits the long traces of large
 * models: 0.8 % above the bound on pangu_2.6B, where other orders leave 3 to 20 %.
 */
#include "pack/packing_shelf.h"

#include <stdlib.h>
#include <string.h>

#define NEARLY		50	/* classes of what is nearly as full */
#define EXACT		0	/* none: each has its own */
#define IN_VAIN		5	/* complaints that do not help, before another order is tried */
#define BESIDE		2	/* fits beside others, the second with what stuck out first of all, */
#define BESIDE_NEAR	5	/* and with three in another order, where next to nothing is left */
#define FIRST_VISITS	INT64_C(20000000000)	/* the first order goes to its end, in effect */

int64_t
packing_height(const struct instance *in)
{
	int64_t top = 0;
	int i;

	for (i = 0; i < in->n; i++) {
		const struct job *j = &in->job[i];

		if (j->offset + j->size - j->tail > top)
			top = j->offset + j->size - j->tail;
	}
	return top;
}

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

/* Among equal sizes in the order of time, as one colours an interval graph. */
static int
by_size_and_birth(const void *x, const void *y)
{
	const struct job *a = x, *b = y;
	int c = descending(a->size, b->size);

	if (!c)
		c = a->lower - b->lower;
	return c ? c : a->index - b->index;
}

/* The same with sizes in classes, a quarter of a power of two wide: where all sizes differ. */
static int
size_class(int64_t size)
{
	int log = 63 - __builtin_clzll((uint64_t)size);

	return 4 * log + (int)(log >= 2 ? size >> (log - 2) & 3 : size << (2 - log) & 3);
}

static int
by_class_and_birth(const void *x, const void *y)
{
	const struct job *a = x, *b = y;
	int c = size_class(b->size) - size_class(a->size);

	if (!c)
		c = a->lower - b->lower;
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

/* Those that the fullest sections hold come first: there is no room there to go round others. */
static int
by_fullest(const struct job *a, const struct job *b)
{
	return descending(a->fullest, b->fullest);
}

static int
by_life(const struct job *a, const struct job *b)
{
	if (a->life != b->life)
		return a->life > b->life ? -1 : 1;
	return a->size != b->size ? descending(a->size, b->size) : a->index - b->index;
}

static int
by_fullest_and_life(const void *x, const void *y)
{
	int c = by_fullest(x, y);

	return c ? c : by_life(x, y);
}

static int
by_fullest_and_size(const void *x, const void *y)
{
	int c = by_fullest(x, y);

	return c ? c : by_size_and_birth(x, y);
}

static int
by_fullest_and_area(const void *x, const void *y)
{
	const struct job *a = x, *b = y;
	double p = (double)a->size * a->life, q = (double)b->size * b->life;
	int c = by_fullest(a, b);

	return c ? c : p != q ? p > q ? -1 : 1 : a->index - b->index;
}

/* ---- fitting ---- */

/* Places all jobs in their order; returns the height, or INT64_MAX once it reaches GIVE_UP_AT or
 * the effort is used up. */
static int64_t
try_order(struct shelf *s, struct job *job, int n, enum fit fit, int64_t give_up_at,
    struct effort *e)
{
	int64_t height = 0;
	int k;

	shelf_clear(s);
	for (k = 0; k < n && effort_left(e); k++) {
		struct job *j = &job[k];

		j->offset = shelf_room(s, j, fit);
		if (j->offset + j->size - j->tail > height)
			height = j->offset + j->size - j->tail;
		if (height >= give_up_at)
			break;
		shelf_put(s, j);
		effort_spend(e, shelf_visits(s));
	}
	return k < n ? INT64_MAX : height;
}

/* ---- orders ---- */

struct fitting {
	struct instance *in;	/* its jobs: the best so far, in the order that led to it */
	struct job *job;
	struct shelf *shelf;
	int64_t best, target;
	struct effort *effort;
};

static struct fitting
make_fitting(struct arena *a, struct instance *in, int64_t best, int64_t target, struct effort *e)
{
	struct fitting f = { in, arena_array(a, (size_t)in->n, sizeof(*f.job)), shelf_new(a, in->n), best, target, e };

	memcpy(f.job, in->job, (size_t)in->n * sizeof(*f.job));
	return f;
}

/* Keeps the answer of an order if it is the best so far; returns its height as try_order() does. */
static int64_t
improve(struct fitting *f, enum fit fit, int64_t give_up_at, struct effort *e)
{
	int64_t height = try_order(f->shelf, f->job, f->in->n, fit, give_up_at, e);

	if (height < f->best) {
		f->best = height;
		memcpy(f->in->job, f->job, (size_t)f->in->n * sizeof(*f->job));
	}
	return height;
}

static void
try_orders(struct fitting *f, int fits)
{
	static int (*const order[])(const void *, const void *) = {
		by_size_and_birth, by_length, by_class_and_birth, by_size, by_area, by_birth,
		by_death,
	};
	const int all = 2 * (int)(sizeof(order) / sizeof(*order));
	int64_t plenty = FIRST_VISITS;
	struct effort first = { .visits = FIRST_VISITS, .all = &plenty };
	int t;

	fits = fits < all ? fits : all;
	for (t = 0; t < fits && f->best > f->target && (t == 0 || effort_left(f->effort)); t++) {
		qsort(f->job, (size_t)f->in->n, sizeof(*f->job), order[t / 2]);
		improve(f, t % 2 ? FIT_BEST : FIT_LOWEST, f->best, t == 0 ? &first : f->effort);
		if (t == 0)
			effort_spend(f->effort, FIRST_VISITS - first.visits);
	}
}

/* ---- complaints ---- */

/*
 * On networks most of an order is right, and a few items, alive near the fullest sections, come too
 * late for the gap they need. They are told by where they end up: above the target. Each time they
 * are put in front of all others, and what they displace may complain the next time. Joslin and
 * Clements, "Squeaky wheel optimization" (1999).
 */

/* A tree of maxima over sections, its leaves at [n, 2n). */
static int64_t *
make_maxima(struct arena *a, const struct instance *in)
{
	int n = in->sections, i;
	int64_t *most = arena_array(a, 2 * (size_t)n, sizeof(*most));

	memcpy(most + n, in->live, (size_t)n * sizeof(*most));
	for (i = n - 1; i > 0; i--)
		most[i] = most[2 * i] > most[2 * i + 1] ? most[2 * i] : most[2 * i + 1];
	return most;
}

/* By the tree, to so many classes; where jobs had a place, that is lost. */
static void
find_fullest(const struct instance *in, const int64_t *most, int classes, struct job *job, int njobs)
{
	int64_t width = classes == EXACT ? 1 : in->max_live / classes + 1, fullest;
	int n = in->sections, i, lo, hi;

	for (i = 0; i < njobs; i++) {
		fullest = 0;
		for (lo = job[i].lower + n, hi = job[i].upper + n; lo < hi; lo /= 2, hi /= 2) {
			if (lo % 2 && most[lo++] > fullest)
				fullest = most[lo - 1];
			if (hi % 2 && most[--hi] > fullest)
				fullest = most[hi];
		}
		job[i].fullest = fullest / width;
	}
}

/* To the front, in their order, with those that stick out of the target; ROOM for as many. False:
 * they are there, and the same order would have the same end. */
static bool
put_forward(struct job *job, int n, int64_t target, struct job *room)
{
	int front = 0, last = -1, k, rest;

	for (k = 0; k < n; k++)
		if (job[k].offset + job[k].size - job[k].tail > target) {
			room[front++] = job[k];
			last = k;
		}
	if (last == front - 1)
		return false;
	for (k = rest = n - 1; k >= 0; k--)
		if (job[k].offset + job[k].size - job[k].tail <= target)
			job[rest--] = job[k];
	memcpy(job, room, (size_t)front * sizeof(*room));
	return true;
}

/* The first start leads furthest in training steps of many hundred layers, and what ejection then
 * makes of it is the same however many others had their turn: those come for the rest. */
int64_t
packing_complain(struct instance *in, int64_t best, int64_t target, struct effort *e)
{
	static const struct {
		int (*order)(const void *, const void *);
		int classes;
		enum fit fit;
	} start[] = {
		{ by_fullest_and_life, NEARLY, FIT_BEST }, { by_fullest_and_life, EXACT, FIT_BEST },
		{ by_fullest_and_area, EXACT, FIT_BEST }, { by_fullest_and_size, EXACT, FIT_LOWEST },
		{ by_fullest_and_area, EXACT, FIT_LOWEST }, { by_fullest_and_life, EXACT, FIT_LOWEST },
	};
	const int starts = (int)(sizeof(start) / sizeof(*start));
	struct fitting f = make_fitting(in->arena, in, best, target, e);
	struct job *room = arena_array(in->arena, (size_t)in->n, sizeof(*room));
	const int64_t *most = make_maxima(in->arena, in);
	int64_t lowest, height;
	int s, vain, patience = IN_VAIN << (e->stage < 10 ? 2 * e->stage : 20);

	for (s = 0; s < starts && f.best > target; s++) {
		find_fullest(in, most, start[s].classes, f.job, in->n);
		qsort(f.job, (size_t)in->n, sizeof(*f.job), start[s].order);
		lowest = INT64_MAX;
		for (vain = 0; vain < patience && f.best > target && effort_left(e); vain++) {
			height = improve(&f, start[s].fit, INT64_MAX, e);
			if (height < lowest) {
				lowest = height;
				vain = 0;
			}
			put_forward(f.job, in->n, target, room);
		}
	}
	return f.best;
}

/* ---- beside others ---- */

/* Places them in their order beside those of LARGE, which stay where they are, but have sections of
 * their own; returns the height. */
static int64_t
fit_beside(struct shelf *s, const struct instance *in, const struct instance *large, struct job *small, int n, struct effort *e)
{
	int64_t height = packing_height(large);
	int i;

	shelf_clear(s);
	for (i = 0; i < large->n; i++) {
		struct job j = in->job[large->job[i].index];

		j.offset = large->job[i].offset;
		shelf_put(s, &j);
	}
	for (i = 0; i < n; i++) {
		small[i].offset = shelf_room(s, &small[i], FIT_LOWEST);
		shelf_put(s, &small[i]);
		if (small[i].offset + small[i].size > height)
			height = small[i].offset + small[i].size;
	}
	effort_spend(e, shelf_visits(s));
	return height;
}

static void
take_offsets(struct instance *in, const struct job *job, int n)
{
	int i;

	for (i = 0; i < n; i++)
		in->job[job[i].index].offset = job[i].offset;
}

int64_t
packing_fit_beside(struct instance *in, const struct instance *large, struct job *small, int64_t best, int64_t target,
    struct effort *e)
{
	int n = in->n - large->n, t;
	struct shelf *s = shelf_new(large->arena, in->n);
	struct job *room = arena_array(large->arena, (size_t)n, sizeof(*room));
	const int64_t *most = make_maxima(large->arena, in);
	int64_t height;

	for (t = 0; best > target && t < (is_near(best, target) ? BESIDE_NEAR : BESIDE); t++) {
		if (t == 0 || t == BESIDE) {
			find_fullest(in, most, EXACT, small, n);
			qsort(small, (size_t)n, sizeof(*small), t == 0 ? by_fullest_and_size : by_fullest_and_life);
		}
		height = fit_beside(s, in, large, small, n, e);
		if (height < best) {
			best = height;
			take_offsets(in, large->job, large->n);
			take_offsets(in, small, n);
		}
		put_forward(small, n, target, room);
	}
	return best;
}

int64_t
packing_fit(struct instance *in, int64_t best, int64_t target, int fits, struct effort *e)
{
	struct arena *a = arena_child(in->arena);
	struct fitting f = make_fitting(a, in, best, target, e);

	try_orders(&f, fits);
	arena_free(a);
	return f.best;
}
