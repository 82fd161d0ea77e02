/*
 * packing_large: each item that lives long goes on top of all that its lifetime meets, which a tree
 * finds in O(log n). It wastes what lies below, which is nothing where lifetimes are nested, and up
 * to half where they are not. What lives for a few sections is not nested but follows one another,
 * as gradients of activations do, and would make a staircase. It goes above what lives long, into
 * the lowest gap among the short-lived ones of its time, of which there are few.
 *
 * For many items it is the first answer: the fits give up early if they cannot beat it.
 */
#include "pack/packing_impl.h"

#include <stdlib.h>
#include <string.h>

/* The height reached at each instant: a tree of maxima over [0, width), a power of two. What is set
 * for a whole subtree stays at its root until somebody goes below. */
struct skyline {
	int64_t *top;		/* by node of the tree: the highest below it */
	bool *level;		/* the whole subtree is as high as that */
	int width;
};

static void
spread(struct skyline *s, int node)
{
	if (!s->level[node])
		return;
	s->top[2 * node] = s->top[2 * node + 1] = s->top[node];
	s->level[2 * node] = s->level[2 * node + 1] = true;
	s->level[node] = false;
}

/* The highest point of [lower, upper); NODE covers [beg, end). */
static int64_t
highest(struct skyline *s, int node, int beg, int end, int lower, int upper)
{
	int mid = beg + (end - beg) / 2;
	int64_t a, b;

	if (upper <= beg || end <= lower)
		return 0;
	if ((lower <= beg && end <= upper) || s->level[node])
		return s->top[node];
	a = highest(s, 2 * node, beg, mid, lower, upper);
	b = highest(s, 2 * node + 1, mid, end, lower, upper);
	return a > b ? a : b;
}

static void
raise_to(struct skyline *s, int node, int beg, int end, const struct job *job, int64_t height)
{
	int mid = beg + (end - beg) / 2;

	if (job->upper <= beg || end <= job->lower)
		return;
	if (job->lower <= beg && end <= job->upper) {
		s->top[node] = height;
		s->level[node] = end - beg > 1;
		return;
	}
	spread(s, node);
	raise_to(s, 2 * node, beg, mid, job, height);
	raise_to(s, 2 * node + 1, mid, end, job, height);
	s->top[node] = s->top[2 * node] > s->top[2 * node + 1] ? s->top[2 * node] :
	    s->top[2 * node + 1];
}

/* ---- what lives long ---- */

static struct skyline
make_skyline(struct arena *a, int sections)
{
	struct skyline s = { .width = 1 };

	while (s.width < sections)
		s.width *= 2;
	s.top = arena_array(a, 2 * (size_t)s.width, sizeof(*s.top));
	s.level = arena_array(a, 2 * (size_t)s.width, sizeof(*s.level));
	return s;
}

static void
put_on_top(struct skyline *s, struct job *j)
{
	j->offset = job_aligned(j, highest(s, 1, 0, s->width, j->lower, j->upper));
	raise_to(s, 1, 0, s->width, j, j->offset + j->size);
}

/* ---- what does not ---- */

#define SHORT	32	/* sections of a life */
#define CROWD	256	/* short-lived ones that may meet one of them, on average */

struct link {			/* of a list for each section: the jobs placed there */
	int job, next;
};

struct street {
	const struct job *job;
	struct link *link;
	int *first, nlinks;	/* by section; -1: none */
	const struct job **met;
};

static bool
is_short(const struct job *j)
{
	return j->upper - j->lower <= SHORT;
}

/* Sections that short lives cover, in all; and how many of these lives meet in the sections of
 * each. */
static int64_t
crowd(const struct instance *in, size_t *covered)
{
	int *alive = arena_array(in->arena, (size_t)in->sections + 1, sizeof(*alive)), i, s;
	int64_t met = 0;

	*covered = 0;
	for (i = 0; i < in->n; i++) {
		if (!is_short(&in->job[i]))
			continue;
		*covered += (size_t)(in->job[i].upper - in->job[i].lower);
		alive[in->job[i].lower]++;
		alive[in->job[i].upper]--;
	}
	for (s = 0; s < in->sections; s++) {
		alive[s + 1] += alive[s];
		met += (int64_t)alive[s] * alive[s];
	}
	return met;
}

static int
by_offset(const void *x, const void *y)
{
	const struct job *const *a = x, *const *b = y;

	return (*a)->offset < (*b)->offset ? -1 : (*a)->offset > (*b)->offset;
}

/* Those placed that live with it; each is met once, in the first section that both have. */
static int
meet(struct street *s, const struct job *j)
{
	int at, i, n = 0;

	for (at = j->lower; at < j->upper; at++)
		for (i = s->first[at]; i >= 0; i = s->link[i].next) {
			const struct job *other = &s->job[s->link[i].job];

			if (at == (other->lower > j->lower ? other->lower : j->lower))
				s->met[n++] = other;
		}
	qsort(s->met, (size_t)n, sizeof(*s->met), by_offset);
	return n;
}

static void
put_into_gap(struct street *s, struct job *j, int64_t floor)
{
	int n = meet(s, j), i;

	for (i = 0; i < n && s->met[i]->offset - floor < j->size; i++)
		if (s->met[i]->offset + s->met[i]->size > floor)
			floor = job_aligned(j, s->met[i]->offset + s->met[i]->size);
	j->offset = floor;
	for (i = j->lower; i < j->upper; i++) {
		s->link[s->nlinks] = (struct link){ (int)(j - s->job), s->first[i] };
		s->first[i] = s->nlinks++;
	}
}

static struct street
make_street(struct instance *in, const struct job *job, size_t covered)
{
	struct street s = { .job = job, .link = arena_array(in->arena, covered + 1, sizeof(*s.link)),
		.first = arena_array(in->arena, (size_t)in->sections + 1, sizeof(*s.first)),
		.met = arena_array(in->arena, (size_t)in->n, sizeof(*s.met)) };
	int i;

	for (i = 0; i < in->sections; i++)
		s.first[i] = -1;
	return s;
}

/* ---- all ---- */

static int
longest_first(const void *x, const void *y)
{
	const struct job *a = x, *b = y;
	int p = a->upper - a->lower, q = b->upper - b->lower;

	if (p != q)
		return p > q ? -1 : 1;
	return a->size != b->size ? (a->size > b->size ? -1 : 1) : a->index - b->index;
}

/* Long lives first, then the short ones by size and birth. */
static int
short_last(const void *x, const void *y)
{
	const struct job *a = x, *b = y;

	if (is_short(a) != is_short(b))
		return is_short(a) ? 1 : -1;
	if (!is_short(a))
		return longest_first(x, y);
	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	return a->lower != b->lower ? a->lower - b->lower : a->index - b->index;
}

int64_t
packing_large(struct instance *in, int64_t best, int64_t target, struct effort *e)
{
	struct instance own = *in;
	struct arena *a = own.arena = arena_child(in->arena);
	struct job *job = arena_array(a, (size_t)in->n, sizeof(*job));
	struct skyline sky = make_skyline(a, in->sections);
	size_t covered;
	bool streets = crowd(&own, &covered) <= (int64_t)in->n * CROWD;
	struct street street = make_street(&own, job, streets ? covered : 0);
	int64_t height = 0, end;
	int k;

	(void)target;
	memcpy(job, in->job, (size_t)in->n * sizeof(*job));
	qsort(job, (size_t)in->n, sizeof(*job), streets ? short_last : longest_first);
	for (k = 0; k < in->n && height < best; k++) {
		struct job *j = &job[k];

		if (streets && is_short(j))
			put_into_gap(&street, j, job_aligned(j, highest(&sky, 1, 0, sky.width, j->lower,
			    j->upper)));
		else
			put_on_top(&sky, j);
		end = j->offset + j->size - j->tail;
		height = end > height ? end : height;
	}
	effort_spend(e, in->n);
	if (height < best)
		memcpy(in->job, job, (size_t)in->n * sizeof(*job));
	arena_free(a);
	return height < best ? height : best;
}
