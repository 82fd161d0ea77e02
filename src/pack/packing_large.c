/*
 * packing_large: each item goes on top of all that its lifetime meets, which a tree finds in
 * O(log n). It wastes what lies below, which is nothing where lifetimes are nested, and up to half
 * where they are not. For many items it is the first answer: the fits give up early if they cannot
 * beat it.
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

/* The height; at GIVE_UP_AT and beyond, not all are placed. */
static int64_t
try_on_top(struct arena *a, struct job *job, int n, int64_t give_up_at)
{
	struct skyline s = { .width = 1 };
	int k;

	for (k = 0; k < n; k++)
		while (s.width < job[k].upper)
			s.width *= 2;
	s.top = arena_array(a, 2 * (size_t)s.width, sizeof(*s.top));
	s.level = arena_array(a, 2 * (size_t)s.width, sizeof(*s.level));
	for (k = 0; k < n && s.top[1] < give_up_at; k++) {
		job[k].offset = job_aligned(&job[k], highest(&s, 1, 0, s.width, job[k].lower,
		    job[k].upper));
		raise_to(&s, 1, 0, s.width, &job[k], job[k].offset + job[k].size);
	}
	return s.top[1];
}


static int
by_life(const void *x, const void *y)
{
	const struct job *a = x, *b = y;
	int p = a->upper - a->lower, q = b->upper - b->lower;

	if (p != q)
		return p > q ? -1 : 1;
	return a->size != b->size ? (a->size > b->size ? -1 : 1) : a->index - b->index;
}

int64_t
packing_large(struct instance *in, int64_t best, int64_t target, struct effort *e)
{
	struct job *job = arena_array(in->arena, (size_t)in->n, sizeof(*job));
	int64_t height;

	(void)target;
	memcpy(job, in->job, (size_t)in->n * sizeof(*job));
	qsort(job, (size_t)in->n, sizeof(*job), by_life);
	height = try_on_top(in->arena, job, in->n, best);
	effort_spend(e, in->n);
	if (height >= best)
		return best;
	memcpy(in->job, job, (size_t)in->n * sizeof(*job));
	return height;
}
