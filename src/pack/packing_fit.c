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
 * make the walk short they lie in chunks of about sqrt(n), each with the extremes of its lifetimes:
 * a chunk of which nothing is alive with the item, or everything without a gap, is skipped at once.
 * On the nested lifetimes of training most are; 280,000 items take a second.
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

struct placed {
	int64_t offset, end;
	int lower, upper;
};

/* A run of placed items, sorted by offset, and what lets a walk pass it by at one look. */
struct chunk {
	int n;
	int min_lower, max_lower, min_upper, max_upper;
	int64_t max_end;
	int64_t widest;		/* gap within, were all of them alive */
	struct placed *item;
};

struct shelf {
	struct chunk *chunk;	/* in the order of their offsets */
	struct placed *room;	/* for the items of all chunks that there can be */
	int n, size;		/* chunks; items of a full one */
	int64_t visits;
};

static void
summarise(struct chunk *c)
{
	int64_t top = c->item[0].offset;
	int i;

	c->min_lower = c->min_upper = INT32_MAX;
	c->max_lower = c->max_upper = 0;
	c->widest = 0;
	for (i = 0; i < c->n; i++) {
		const struct placed *p = &c->item[i];

		c->min_lower = p->lower < c->min_lower ? p->lower : c->min_lower;
		c->max_lower = p->lower > c->max_lower ? p->lower : c->max_lower;
		c->min_upper = p->upper < c->min_upper ? p->upper : c->min_upper;
		c->max_upper = p->upper > c->max_upper ? p->upper : c->max_upper;
		c->widest = p->offset - top > c->widest ? p->offset - top : c->widest;
		top = p->end > top ? p->end : top;
	}
	c->max_end = top;
}

/* Chunks of about sqrt(n): a walk looks at as many chunks as at items of a chunk that it enters. */
static struct shelf
make_shelf(struct arena *a, int n)
{
	struct shelf s = { .size = 32 };
	size_t chunks;

	while ((int64_t)s.size * s.size < n)
		s.size *= 2;
	chunks = 2 * (size_t)n / (size_t)s.size + 2;	/* each is half full at least */
	s.chunk = arena_array(a, chunks, sizeof(*s.chunk));
	s.room = arena_array(a, chunks * (size_t)s.size, sizeof(*s.room));
	return s;
}

/* The last chunk that begins at or below the offset; the first, if none does. */
static int
chunk_of(const struct shelf *s, int64_t offset)
{
	int lo = 0, hi = s->n, mid;

	while (hi - lo > 1) {
		mid = lo + (hi - lo) / 2;
		if (s->chunk[mid].item[0].offset <= offset)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static struct chunk *
insert_chunk(struct shelf *s, int at)
{
	memmove(s->chunk + at + 1, s->chunk + at, (size_t)(s->n - at) * sizeof(*s->chunk));
	s->chunk[at] = (struct chunk){ .item = s->room + (size_t)s->n++ * (size_t)s->size };
	return &s->chunk[at];
}

static void
put(struct shelf *s, const struct placed *p)
{
	int at = chunk_of(s, p->offset), i;
	struct chunk *c = s->n ? &s->chunk[at] : insert_chunk(s, 0), *upper;

	if (c->n == s->size) {
		upper = insert_chunk(s, at + 1);
		upper->n = s->size / 2;
		c->n = s->size - upper->n;
		memcpy(upper->item, c->item + c->n, (size_t)upper->n * sizeof(*p));
		summarise(upper);
		if (upper->item[0].offset <= p->offset) {
			summarise(c);
			c = upper;
		}
	}
	for (i = c->n++; i > 0 && c->item[i - 1].offset > p->offset; i--)
		c->item[i] = c->item[i - 1];
	c->item[i] = *p;
	summarise(c);
	s->visits += 2 * c->n;
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

static void
walk_chunk(struct gap *g, const struct chunk *c, const struct job *job, enum fit fit)
{
	int i;

	for (i = 0; i < c->n && !g->done; i++) {
		const struct placed *p = &c->item[i];

		if (p->lower >= job->upper || p->upper <= job->lower)
			continue;
		look_at(g, job, p->offset, fit);
		if (p->end > g->floor)
			g->floor = job_aligned(job, p->end);
	}
}

static int64_t
find_room(struct shelf *s, const struct job *job, enum fit fit)
{
	struct gap g = { .best = -1, .tightest = INT64_MAX };
	int i;

	for (i = 0; i < s->n && !g.done; i++) {
		const struct chunk *c = &s->chunk[i];

		if (c->min_lower >= job->upper || c->max_upper <= job->lower)
			continue;	/* none of it is alive with the job */
		if (c->max_lower < job->upper && c->min_upper > job->lower &&
		    c->widest < job->size) {	/* all of it is, and leaves no room within */
			look_at(&g, job, c->item[0].offset, fit);
			if (c->max_end > g.floor)
				g.floor = job_aligned(job, c->max_end);
			continue;
		}
		walk_chunk(&g, c, job, fit);
		s->visits += c->n;
	}
	s->visits += 2 * i;
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

	for (s->n = 0, k = 0; k < n && effort_left(e); k++) {
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
