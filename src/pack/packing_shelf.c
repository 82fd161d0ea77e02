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

#include "pack/packing_alive.h"

#define WIDEST	LIVES	/* items of a leaf, and parts of any other part */

struct placed {
	int64_t offset, end;
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
	int lower[WIDEST], upper[WIDEST];	/* of each item; of a part's items, the first and the last */
	int longest;		/* of a leaf: the first that lives longest */
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
run_of(const struct part *c, int i)
{
	return (struct run){ c->lower[i], c->upper[i], c->of.item[i].offset, c->of.item[i].end, 0 };
}

/* A bit for each of them that is alive between LOWER and UPPER. */
static inline uint32_t
alive(const struct part *c, int lower, int upper)
{
	return lives_between(c->lower, c->upper, lower, upper) & ((UINT32_C(1) << c->n) - 1);
}

/* In the middle of the longest life. */
static int
middle_of(const struct part *c)
{
	return c->lower[c->longest] + (c->upper[c->longest] - c->lower[c->longest]) / 2;
}

/* The core is what is alive in the middle of the longest life. */
static void
find_core(struct part *c)
{
	int middle = middle_of(c);
	uint32_t core = alive(c, middle, middle + 1);
	struct run r;

	c->core = run_of(c, __builtin_ctz(core));
	for (core &= core - 1; core; core &= core - 1) {
		r = run_of(c, __builtin_ctz(core));
		join(&c->core, &r);
	}
}

static void
join_cores(struct part *c)
{
	int i;

	c->core = c->of.part[0]->core;
	for (i = 1; i < c->n; i++)
		join(&c->core, &c->of.part[i]->core);
}

static void
summarise(struct part *c, int level)
{
	struct run r;
	int i;

	c->longest = 0;
	c->min_lower = c->lower[0];
	c->max_upper = c->upper[0];
	c->all = level == 1 ? run_of(c, 0) : c->of.part[0]->all;
	for (i = 1; i < c->n; i++) {
		c->min_lower = c->lower[i] < c->min_lower ? c->lower[i] : c->min_lower;
		c->max_upper = c->upper[i] > c->max_upper ? c->upper[i] : c->max_upper;
		r = level == 1 ? run_of(c, i) : c->of.part[i]->all;
		join(&c->all, &r);
		if (c->upper[i] - c->lower[i] > c->upper[c->longest] - c->lower[c->longest])
			c->longest = i;
	}
	if (level == 1)
		find_core(c);
	else
		join_cores(c);
}

/* The widest gap between all, or in a part. */
static int64_t
widest_gap(const struct part *c, int level)
{
	int64_t widest = 0, end = INT64_MAX, gap;
	int i;

	for (i = 0; i < c->n; i++) {
		const struct run *r = level == 1 ? NULL : &c->of.part[i]->all;

		gap = (r ? r->begin : c->of.item[i].offset) - end;
		widest = gap > widest ? gap : widest;
		widest = r && r->widest > widest ? r->widest : widest;
		gap = r ? r->end : c->of.item[i].end;
		end = i == 0 || gap > end ? gap : end;
	}
	return widest;
}

/* What is known of a part, of which the I-th item is new, or has more in it: NEW_CORE says whether
 * another core, too. Only gaps can have become smaller. */
static void
take_in(struct part *c, int level, int i, bool new_core)
{
	struct run r = level == 1 ? run_of(c, i) : c->of.part[i]->all;

	c->min_lower = c->lower[i] < c->min_lower ? c->lower[i] : c->min_lower;
	c->max_upper = c->upper[i] > c->max_upper ? c->upper[i] : c->max_upper;
	r.widest = widest_gap(c, level);
	c->all.begin = r.begin < c->all.begin ? r.begin : c->all.begin;
	c->all.widest = 0;
	join(&c->all, &r);
	c->all.widest = r.widest;
	if (new_core && level == 1)
		find_core(c);
	else if (new_core)
		join_cores(c);
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

/* Makes room for one at I. */
static void
open_up(struct part *c, int i, int level)
{
	size_t after = (size_t)(c->n++ - i);

	memmove(c->lower + i + 1, c->lower + i, after * sizeof(*c->lower));
	memmove(c->upper + i + 1, c->upper + i, after * sizeof(*c->upper));
	if (level == 1)
		memmove(c->of.item + i + 1, c->of.item + i, after * sizeof(*c->of.item));
	else
		memmove(c->of.part + i + 1, c->of.part + i, after * sizeof(*c->of.part));
}

static void
put_part(struct part *c, int i, struct part *part)
{
	c->of.part[i] = part;
	c->lower[i] = part->min_lower;
	c->upper[i] = part->max_upper;
}

/* The upper half of a full part becomes one of its own. */
static struct part *
split(struct shelf *s, struct part *c, int level)
{
	struct part *upper = new_part(s, level);
	size_t n = (size_t)c->n / 2;

	upper->n = (int)n;
	c->n -= upper->n;
	memcpy(upper->lower, c->lower + c->n, n * sizeof(*c->lower));
	memcpy(upper->upper, c->upper + c->n, n * sizeof(*c->upper));
	if (level == 1)
		memcpy(upper->of.item, c->of.item + c->n, n * sizeof(*c->of.item));
	else
		memcpy(upper->of.part, c->of.part + c->n, n * sizeof(*c->of.part));
	summarise(c, level);
	summarise(upper, level);
	s->visits += c->n + upper->n;
	return upper;
}

/* Where that is. */
static int
put_into_leaf(struct part *c, const struct job *j)
{
	int i = c->n;

	while (i > 0 && c->of.item[i - 1].offset > j->offset)
		i--;
	open_up(c, i, 1);
	c->of.item[i] = (struct placed){ j->offset, j->offset + j->size };
	c->lower[i] = j->lower;
	c->upper[i] = j->upper;
	return i;
}

/* Is the I-th item of a leaf, which is new, of its core, or is that another now? */
static bool
is_in_core(struct part *c, int i)
{
	int length = c->upper[i] - c->lower[i], longest, middle;

	c->longest += i <= c->longest;
	longest = c->upper[c->longest] - c->lower[c->longest];
	if (length > longest || (length == longest && i < c->longest)) {
		c->longest = i;
		return true;
	}
	middle = middle_of(c);
	return c->lower[i] <= middle && c->upper[i] > middle;
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

/* Into a part that is not full. Is the core another? */
static bool
put_into(struct shelf *s, struct part *c, int level, const struct job *j)
{
	bool new_core;
	int at;

	s->visits += 2 * c->n;
	if (level == 1) {
		at = put_into_leaf(c, j);
		s->visits += 2;
		if (c->n == 1) {
			summarise(c, level);
			return true;
		}
		new_core = is_in_core(c, at);
	} else {
		at = part_of(c, j->offset);
		if (c->of.part[at]->n == WIDEST) {
			struct part *upper = split(s, c->of.part[at], level - 1);

			put_part(c, at, c->of.part[at]);
			open_up(c, at + 1, level);
			put_part(c, at + 1, upper);
			at += upper->all.begin <= j->offset;
			s->visits += 2;
			put_into(s, c->of.part[at], level - 1, j);
			put_part(c, at, c->of.part[at]);
			summarise(c, level);
			return true;
		}
		new_core = put_into(s, c->of.part[at], level - 1, j);
		put_part(c, at, c->of.part[at]);
	}
	take_in(c, level, at, new_core);
	return new_core;
}

void
shelf_put(struct shelf *s, const struct job *j)
{
	struct part *top;

	if (!s->top) {
		s->levels = 1;
		s->top = new_part(s, 1);
	}
	if (s->top->n == WIDEST) {
		top = new_part(s, s->levels + 1);
		top->n = 2;
		put_part(top, 1, split(s, s->top, s->levels));
		put_part(top, 0, s->top);
		s->top = top;
		s->levels++;
		summarise(top, s->levels);
	}
	put_into(s, s->top, s->levels, j);
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

/* What begins there and ends there is alive with the job. */
static inline void
pass(struct gap *g, const struct job *job, int64_t begin, int64_t end, enum fit fit)
{
	int64_t gap = begin - g->floor;

	if (gap >= job->size && gap < g->tightest) {
		g->tightest = gap;
		g->best = g->floor;
		g->done = fit == FIT_LOWEST || gap == job->size;
	}
	if (end > g->floor)
		g->floor = job_aligned(job, end);
}

/* Are all of them alive with the job, and none of the gaps between them large enough? */
static inline bool
is_closed(const struct run *r, const struct job *job)
{
	return r->max_lower < job->upper && r->min_upper > job->lower && r->widest < job->size;
}

static void	walk(struct shelf *, struct gap *, const struct part *, int level, const struct job *, enum fit);

/* A part of which something may be alive with the job. */
static inline void
walk_part(struct shelf *s, struct gap *g, const struct part *c, int level, const struct job *job,
    enum fit fit)
{
	if (c->all.end <= g->floor)
		return;
	if (is_closed(&c->all, job))
		pass(g, job, c->all.begin, c->all.end, fit);
	else
		walk(s, g, c, level, job, fit);
}

/* What is not closed. */
static void
walk(struct shelf *s, struct gap *g, const struct part *c, int level, const struct job *job,
    enum fit fit)
{
	int i, next = 0;
	uint32_t near;

	if (is_closed(&c->core, job) && c->core.begin - g->floor < job->size &&
	    c->core.end > g->floor) {	/* no room up to the end of the core */
		g->floor = job_aligned(job, c->core.end);
		if (c->all.end <= g->floor)
			return;
	}
	near = alive(c, job->lower, job->upper);
	if (level == 1) {
		for (; near && !g->done; near &= near - 1) {
			i = __builtin_ctz(near);
			pass(g, job, c->of.item[i].offset, c->of.item[i].end, fit);
		}
		s->visits += c->n;
		return;
	}
	for (; near && !g->done; near &= near - 1) {
		i = __builtin_ctz(near);
		s->visits += 2 * (i + 1 - next);
		next = i + 1;
		walk_part(s, g, c->of.part[i], level - 1, job, fit);
	}
	if (!g->done)
		s->visits += 2 * (c->n - next);
}

int64_t
shelf_room(struct shelf *s, const struct job *job, enum fit fit)
{
	struct gap g = { .best = -1, .tightest = INT64_MAX };

	if (s->top) {
		s->visits += 2;
		if (s->top->min_lower < job->upper && s->top->max_upper > job->lower)
			walk_part(s, &g, s->top, s->levels, job, fit);
	}
	return g.best >= 0 ? g.best : g.floor;
}

int64_t
shelf_visits(struct shelf *s)
{
	int64_t visits = s->visits;

	s->visits = 0;
	return visits;
}
