/*
 * apart: under `objective speed`, for how long the bytes of a buffer are left alone after its last use, so that
 * what follows in them does not wait for what need not be over by then.
 *
 *     dy --> dx --> dx'          dw reads x and dy. Were their bytes taken by dx', that would wait for dw,
 *        \--> dw                 which nothing else there does.
 *
 * Nodes depend on one another by their tensors alone: on what wrote what they read, and in place on what read it
 * before. A buffer is kept to the last node that makes another without depending on all that touched it. What
 * nothing waits for, as the gradient of a weight before its update, keeps what it read to the end of the step:
 * such a plan takes all that backward ever makes, and place takes it only where the device has that.
 *
 * For nets whose graphs have more nodes together than MOST no plan is tried: what a node depends on is a set of
 * bits, n^2 in all.
 */
#include "plan/plan.h"

#include <string.h>

#include "ir/op.h"

#define MOST	4096

struct apart {
	const struct plan *p;
	int start, end;		/* instants of the graph */
	size_t words;		/* of 64 nodes each */
	uint64_t *before;	/* by instant of the graph: what is over when it begins */
	uint64_t *written, *read;	/* by buffer: what is over when its last writer is, and its readers since */
	uint64_t *touched;	/* by buffer: by whom */
};

static uint64_t *
row(const struct apart *s, uint64_t *all, int i)
{
	return all + (size_t)i * s->words;
}

/* Of what node I is about: only nodes before it are in such a set, and itself. */
static void
add(uint64_t *to, const uint64_t *from, int i)
{
	int k;

	for (k = 0; k <= i / 64; k++)
		to[k] |= from[k];
}

static int
buffer_of(const struct apart *s, const struct tensor *t)
{
	const struct buffer *b = t ? plan_buffer(s->p, t) : NULL;

	return b ? (int)(b - s->p->buffers.v) : -1;
}

static void
depend(struct apart *s, int i, const struct tensor *t, bool writes)
{
	int b = buffer_of(s, t);

	if (b < 0)
		return;
	add(row(s, s->before, i), row(s, s->written, b), i);
	if (writes)
		add(row(s, s->before, i), row(s, s->read, b), i);
}

static void
touch(struct apart *s, int i, const struct tensor *t, bool writes)
{
	int b = buffer_of(s, t);
	uint64_t *now;

	if (b < 0)
		return;
	now = row(s, writes ? s->written : s->read, b);
	if (writes) {
		memcpy(now, row(s, s->before, i), ((size_t)i / 64 + 1) * sizeof(*now));
		memset(row(s, s->read, b), 0, ((size_t)i / 64 + 1) * sizeof(*now));
	} else {
		add(now, row(s, s->before, i), i);
	}
	now[i / 64] |= UINT64_C(1) << i % 64;
	row(s, s->touched, b)[i / 64] |= UINT64_C(1) << i % 64;
}

static void
follow(struct apart *s, const struct node *n, int i)
{
	int k;

	for (k = 0; k < n->nin; k++)
		depend(s, i, n->in[k], false);
	for (k = 0; k < n->nout; k++)
		depend(s, i, n->out[k], true);
	depend(s, i, n->work, true);
	for (k = 0; k < n->nin; k++)
		touch(s, i, n->in[k], false);
	for (k = 0; k < n->nout; k++)
		touch(s, i, n->out[k], true);
	touch(s, i, n->work, true);
}

static bool
depends_on_all(const struct apart *s, int i, int b)
{
	const struct buffer *of = &s->p->buffers.v[b];
	const uint64_t *touched = row(s, s->touched, b), *before = row(s, s->before, i);
	int from = of->first > s->start ? of->first - s->start : 0, to = (of->last < s->end ? of->last : s->end) - s->start, k;

	for (k = from / 64; k <= to / 64; k++)
		if (touched[k] & ~before[k])
			return false;
	return true;
}

/* Of the graph's instants: LAST gets longer lifetimes. */
static void
follow_graph(struct apart *s, struct arena *parent, int *last)
{
	struct arena *a = arena_child(parent);
	const struct plan *p = s->p;
	int n = s->end - s->start, nbuffers = p->buffers.n, b, i;

	s->words = (size_t)n / 64 + 1;
	s->before = arena_array(a, (size_t)n * s->words, sizeof(*s->before));
	s->written = arena_array(a, (size_t)nbuffers * s->words, sizeof(*s->written));
	s->read = arena_array(a, (size_t)nbuffers * s->words, sizeof(*s->read));
	s->touched = arena_array(a, (size_t)nbuffers * s->words, sizeof(*s->touched));
	for (i = 0; i < n; i++)
		if (!op_is_view(p->at[s->start + i].node->op))
			follow(s, p->at[s->start + i].node, i);
	for (b = 0; b < nbuffers; b++) {
		const struct buffer *of = &p->buffers.v[b];

		if (of->persistent || of->last < s->start || of->first >= s->end)
			continue;
		for (i = n - 1; s->start + i > last[b]; i--)
			if (!op_is_view(p->at[s->start + i].node->op) && !depends_on_all(s, i, b))
				last[b] = s->start + i;
	}
	arena_free(a);
}

static void
each_graph(const struct plan *p, struct arena *a, int *last)
{
	struct apart s = { .p = p };

	for (; s.start < p->instants; s.start = s.end) {
		for (s.end = s.start; s.end < p->instants && p->at[s.end].graph == p->at[s.start].graph;)
			s.end++;
		follow_graph(&s, a, last);
	}
}

int *
plan_apart(const struct plan *p, struct arena *a)
{
	int *last = arena_array(a, (size_t)p->buffers.n + 1, sizeof(*last)), i;

	if (p->instants > MOST)
		return NULL;
	for (i = 0; i < p->buffers.n; i++)
		last[i] = p->buffers.v[i].last;
	each_graph(p, a, last);
	return last;
}
