/*
 * packing_shelf: the items placed so far, and the gap that one more finds among them.
 *
 * They are kept sorted by offset, so the gaps of one lifetime are met in one walk. To
 * make the walk short they are the leaves of a tree, each of whose parts knows the extremes of its
 * lifetimes and the widest gap in it: a part of which nothing is alive with the item, or everything
 * without a gap, is passed by at one look. So is one whose *core*, a few items that live long, is
 * alive with it and leaves no gap: the short-lived ones among them can only fill it further. On the
 * nested lifetimes of training nearly all parts are of these kinds.
 */
#include "pack/packing_shelf.h"

#include <string.h>

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
struct shelf *
shelf_new(struct arena *a, int n)
{
	size_t leaves = 2 * (size_t)n / WIDEST + 2, others = 3 * leaves / WIDEST + 32;
	struct shelf *s = ARENA_NEW(a, struct shelf);

	s->part = arena_array(a, leaves + others, sizeof(*s->part));
	s->item = arena_array(a, leaves * WIDEST, sizeof(*s->item));
	s->below = arena_array(a, others * WIDEST, sizeof(*s->below));
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

void
shelf_put(struct shelf *s, const struct job *j)
{
	struct placed p = { j->offset, j->offset + j->size, j->lower, j->upper };
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
	put_into(s, s->top, s->levels, &p);
}

void
shelf_clear(struct shelf *s)
{
	s->top = NULL;
	s->nparts = s->nleaves = 0;
}

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

int64_t
shelf_room(struct shelf *s, const struct job *job, enum fit fit)
{
	struct gap g = { .best = -1, .tightest = INT64_MAX };

	if (s->top)
		walk(s, &g, s->top, s->levels, job, fit);
	return g.best >= 0 ? g.best : g.floor;
}

int64_t
shelf_visits(struct shelf *s)
{
	int64_t visits = s->visits;

	s->visits = 0;
	return visits;
}
