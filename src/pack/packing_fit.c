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
 *
 * The placed items are kept sorted by offset, so the gaps of one lifetime are met in one walk. To
 * make the walk short they are the leaves of a tree, each of whose parts knows the extremes of its
 * lifetimes and the widest gap in it: a part of which nothing is alive with the item, or everything
 * without a gap, is passed by at one look. So is one whose *core*, a few items that live long, is
 * alive with it and leaves no gap: the short-lived ones among them can only fill it further. On the
 * nested lifetimes of training nearly all parts are of these kinds.
 */
#include "pack/packing_impl.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_VISITS	INT64_C(20000000000)	/* the first order goes to its end, in effect */

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

/* ---- the items placed so far ---- */

#define WIDEST	24	/* items of a leaf, and parts of any other part */

struct placed {
	int64_t offset, end;
	int lower, upper;
};

struct run {			/* of items, all or some of a part, when they are alive */
	int max_lower, min_upper;	/* the last birth, the first death */
	int64_t begin, end;
	int64_t widest;		/* gap between them, or more */
};

/*
 * A run of placed items, sorted by offset, and what lets a walk pass it by at one look: a leaf of
 * items, or parts that are all leaves, or all not.
 *
 *     top                   |   part   |   part   |   part   |
 *                         .-'          |           '---------.
 *     below    |  leaf  |  leaf  |  leaf  |  leaf  |  leaf  |  leaf  |
 */
struct part {
	int n;
	int min_lower, max_upper;
	struct run all, core;
	union {
		struct placed *item;	/* of a leaf */
		struct part **part;
	} of;
};

struct shelf {
	struct part *top;
	int levels;		/* 1: the top is a leaf */
	struct part *part;	/* room for all parts that there can be */
	struct placed *item;	/* and for what is in them */
	struct part **below;
	int nparts, nleaves;
	int64_t visits;
};

/* Puts a run behind those that TO is made of. */
static inline void
join(struct run *to, const struct run *r)
{
	int64_t gap = r->begin - to->end;

	to->max_lower = r->max_lower > to->max_lower ? r->max_lower : to->max_lower;
	to->min_upper = r->min_upper < to->min_upper ? r->min_upper : to->min_upper;
	to->widest = r->widest > to->widest ? r->widest : to->widest;
	to->widest = gap > to->widest ? gap : to->widest;
	to->end = r->end > to->end ? r->end : to->end;
}

static inline struct run
run_of(const struct placed *p)
{
	return (struct run){ p->lower, p->upper, p->offset, p->end, 0 };
}

/* The core is what is alive in the middle of the longest life. */
static void
summarise_leaf(struct part *c)
{
	const struct placed *item = c->of.item, *longest = item;
	bool any = false;
	struct run r;
	int i, middle;

	c->all = run_of(item);
	c->min_lower = item->lower;
	c->max_upper = item->upper;
	for (i = 1; i < c->n; i++) {
		r = run_of(&item[i]);
		join(&c->all, &r);
		c->min_lower = item[i].lower < c->min_lower ? item[i].lower : c->min_lower;
		c->max_upper = item[i].upper > c->max_upper ? item[i].upper : c->max_upper;
		if (item[i].upper - item[i].lower > longest->upper - longest->lower)
			longest = &item[i];
	}
	middle = longest->lower + (longest->upper - longest->lower) / 2;
	for (i = 0; i < c->n; i++) {
		if (item[i].lower > middle || item[i].upper <= middle)
			continue;
		r = run_of(&item[i]);
		if (any)
			join(&c->core, &r);
		else
			c->core = r;
		any = true;
	}
}

static void
summarise(struct part *c, int level)
{
	const struct part *p;
	int i;

	if (level == 1) {
		summarise_leaf(c);
		return;
	}
	p = c->of.part[0];
	c->min_lower = p->min_lower;
	c->max_upper = p->max_upper;
	c->all = p->all;
	c->core = p->core;
	for (i = 1; i < c->n; i++) {
		p = c->of.part[i];
		c->min_lower = p->min_lower < c->min_lower ? p->min_lower : c->min_lower;
		c->max_upper = p->max_upper > c->max_upper ? p->max_upper : c->max_upper;
		join(&c->all, &p->all);
		join(&c->core, &p->core);
	}
}

/* Parts are split in halves, so all but the top are half full at least. */
static struct shelf
make_shelf(struct arena *a, int n)
{
	size_t leaves = 2 * (size_t)n / WIDEST + 2, others = 3 * leaves / WIDEST + 32;
	struct shelf s = { .part = arena_array(a, leaves + others, sizeof(*s.part)),
		.item = arena_array(a, leaves * WIDEST, sizeof(*s.item)),
		.below = arena_array(a, others * WIDEST, sizeof(*s.below)) };

	return s;
}

static struct part *
new_part(struct shelf *s, int level)
{
	struct part *c = &s->part[s->nparts++];

	c->n = 0;
	if (level == 1)
		c->of.item = s->item + (size_t)s->nleaves++ * WIDEST;
	else
		c->of.part = s->below + (size_t)(s->nparts - 1 - s->nleaves) * WIDEST;
	return c;
}

/* The upper half of a full part becomes one of its own. */
static struct part *
split(struct shelf *s, struct part *c, int level)
{
	struct part *upper = new_part(s, level);

	upper->n = c->n / 2;
	c->n -= upper->n;
	if (level == 1)
		memcpy(upper->of.item, c->of.item + c->n, (size_t)upper->n * sizeof(*c->of.item));
	else
		memcpy(upper->of.part, c->of.part + c->n, (size_t)upper->n * sizeof(*c->of.part));
	summarise(c, level);
	summarise(upper, level);
	s->visits += c->n + upper->n;
	return upper;
}

static void
put_into_leaf(struct part *c, const struct placed *p)
{
	int i;

	for (i = c->n++; i > 0 && c->of.item[i - 1].offset > p->offset; i--)
		c->of.item[i] = c->of.item[i - 1];
	c->of.item[i] = *p;
}

/* The last part that begins at or below the offset; the first, if none does. */
static int
part_of(const struct part *c, int64_t offset)
{
	int i = c->n - 1;

	while (i > 0 && c->of.part[i]->all.begin > offset)
		i--;
	return i;
}

/* Into a part that is not full. */
static void
put_into(struct shelf *s, struct part *c, int level, const struct placed *p)
{
	int at, i;

	if (level == 1) {
		put_into_leaf(c, p);
	} else {
		at = part_of(c, p->offset);
		if (c->of.part[at]->n == WIDEST) {
			struct part *upper = split(s, c->of.part[at], level - 1);

			for (i = c->n++; i > at + 1; i--)
				c->of.part[i] = c->of.part[i - 1];
			c->of.part[at + 1] = upper;
			at += upper->all.begin <= p->offset;
		}
		put_into(s, c->of.part[at], level - 1, p);
	}
	summarise(c, level);
	s->visits += 2 * c->n;
}

static void
put(struct shelf *s, const struct placed *p)
{
	struct part *top;

	if (!s->top) {
		s->levels = 1;
		s->top = new_part(s, 1);
	}
	if (s->top->n == WIDEST) {
		top = new_part(s, s->levels + 1);
		top->of.part[top->n++] = s->top;
		top->of.part[top->n++] = split(s, s->top, s->levels);
		s->top = top;
		s->levels++;
	}
	put_into(s, s->top, s->levels, p);
}

static void
clear(struct shelf *s)
{
	s->top = NULL;
	s->nparts = s->nleaves = 0;
}

/* ---- fitting ---- */

enum fit { FIT_BEST, FIT_LOWEST };

struct gap {
	int64_t floor;		/* of the walk: what is below is taken */
	int64_t best, tightest;
	bool done;
};

static void
look_at(struct gap *g, const struct job *job, int64_t offset, enum fit fit)
{
	int64_t gap = offset - g->floor;

	if (gap < job->size || gap >= g->tightest)
		return;
	g->tightest = gap;
	g->best = g->floor;
	g->done = fit == FIT_LOWEST || gap == job->size;
}

/* What begins there and ends there is alive with the job. */
static void
pass(struct gap *g, const struct job *job, int64_t begin, int64_t end, enum fit fit)
{
	look_at(g, job, begin, fit);
	if (end > g->floor)
		g->floor = job_aligned(job, end);
}

/* Are all of them alive with the job, and none of the gaps between them large enough? */
static inline bool
is_closed(const struct run *r, const struct job *job)
{
	return r->max_lower < job->upper && r->min_upper > job->lower && r->widest < job->size;
}

static void
walk_leaf(struct gap *g, const struct part *c, const struct job *job, enum fit fit)
{
	int i;

	for (i = 0; i < c->n && !g->done; i++) {
		const struct placed *p = &c->of.item[i];

		if (p->lower < job->upper && p->upper > job->lower)
			pass(g, job, p->offset, p->end, fit);
	}
}

static void
walk(struct shelf *s, struct gap *g, const struct part *c, int level, const struct job *job,
    enum fit fit)
{
	int i;

	s->visits += 2;
	if (c->min_lower >= job->upper || c->max_upper <= job->lower || c->all.end <= g->floor)
		return;		/* none of it is alive with the job, or all below the floor */
	if (is_closed(&c->all, job)) {
		pass(g, job, c->all.begin, c->all.end, fit);
		return;
	}
	if (is_closed(&c->core, job) && c->core.begin - g->floor < job->size &&
	    c->core.end > g->floor) {	/* no room up to the end of the core */
		g->floor = job_aligned(job, c->core.end);
		if (c->all.end <= g->floor)
			return;
	}
	if (level == 1) {
		walk_leaf(g, c, job, fit);
		s->visits += c->n;
		return;
	}
	for (i = 0; i < c->n && !g->done; i++)
		walk(s, g, c->of.part[i], level - 1, job, fit);
}

static int64_t
find_room(struct shelf *s, const struct job *job, enum fit fit)
{
	struct gap g = { .best = -1, .tightest = INT64_MAX };

	if (s->top)
		walk(s, &g, s->top, s->levels, job, fit);
	return g.best >= 0 ? g.best : g.floor;
}

/* Places all jobs in their order; returns the height, or INT64_MAX once it reaches GIVE_UP_AT or
 * the effort is used up. */
static int64_t
try_order(struct shelf *s, struct job *job, int n, enum fit fit, int64_t give_up_at,
    struct effort *e)
{
	int64_t height = 0;
	int k;

	clear(s);
	for (k = 0; k < n && effort_left(e); k++) {
		struct job *j = &job[k];

		s->visits = 0;
		j->offset = find_room(s, j, fit);
		if (j->offset + j->size - j->tail > height)
			height = j->offset + j->size - j->tail;
		if (height >= give_up_at)
			break;
		put(s, &(struct placed){ j->offset, j->offset + j->size, j->lower, j->upper });
		effort_spend(e, s->visits);
	}
	return k < n ? INT64_MAX : height;
}

/* ---- orders ---- */

struct fitting {
	struct instance *in;	/* its jobs: the best so far, in the order that led to it */
	struct job *job;
	struct shelf shelf;
	int64_t best, target;
	struct effort *effort;
};

static bool
improve(struct fitting *f, enum fit fit, struct effort *e)
{
	int64_t height = try_order(&f->shelf, f->job, f->in->n, fit, f->best, e);

	if (height >= f->best)
		return false;
	f->best = height;
	memcpy(f->in->job, f->job, (size_t)f->in->n * sizeof(*f->job));
	return true;
}

static void
try_orders(struct fitting *f)
{
	static int (*const order[])(const void *, const void *) = {
		by_size_and_birth, by_length, by_class_and_birth, by_size, by_area, by_birth,
		by_death,
	};
	const int tries = 2 * (int)(sizeof(order) / sizeof(*order));
	struct effort first = { .visits = FIRST_VISITS };
	int t;

	memcpy(f->job, f->in->job, (size_t)f->in->n * sizeof(*f->job));
	for (t = 0; t < tries && f->best > f->target && (t == 0 || effort_left(f->effort)); t++) {
		qsort(f->job, (size_t)f->in->n, sizeof(*f->job), order[t / 2]);
		improve(f, t % 2 ? FIT_BEST : FIT_LOWEST, t == 0 ? &first : f->effort);
		if (t == 0)
			effort_spend(f->effort, FIRST_VISITS - first.visits);
	}
}

int64_t
packing_fit(struct instance *in, int64_t best, int64_t target, struct effort *e)
{
	struct fitting f = { in, NULL, make_shelf(in->arena, in->n), best, target, e };

	f.job = arena_array(in->arena, (size_t)in->n, sizeof(*f.job));
	try_orders(&f);
	return f.best;
}
