/*
 * spare: lets libraries work in bytes that nothing else needs at that moment. cuDNN's fastest
 * engines often want copies of what they read: of an RGB image with its channels padded to eight,
 * or, for tf32 before Hopper, of whole activations in another layout. Between forward's start,
 * backward's end and the peak there is room for that below the arena's end:
 *
 *     offset
 *       ^  arena_bytes -------+-------+-------------
 *       |  spare  | | wider   | peak  | | wider
 *       |    +----+-+---------+       +-+--------+
 *       +----+-----------------------------------+--> instant
 *
 * Each large convolution's workspace goes to the longest free run of bytes at its instant, if that
 * is wider than its own, and takes as much of it as could be of use, in steps of a quarter of a
 * power of two, so that similar convolutions get equal sizes and share an engine. Arena and lower
 * bound do not change.
 *
 * The live buffers are counted in a tree over the places where any begins or ends; each of its
 * nodes knows its longest free run, so an instant costs O(log n) for each that comes or goes.
 *
 * Where what need not wait shares no bytes (apart.c), wide workspaces do not either: lanes.c.
 *
 * Reads: offsets and lifetimes. Writes: size and place of workspaces. Invariants after: those of
 * place; no workspace is smaller than before; no instant has more live bytes than the lower bound.
 */
#include "plan/spare.h"

#include <stdlib.h>

#include "target/target.h"
#include "ops/product.h"
#include "ops/then.h"
#include "ir/pass.h"

/* Multiply-adds of a convolution for which an engine is worth looking for: some microseconds. It
 * then fills the card, and may well be alone on it. */
#define WORTH_SPARE	((int64_t)1 << 30)

/* As many times the bytes that a convolution reads and writes: padded copies of all of them, but
 * not of what a formula behind it reads beside, for which a kernel of ours goes over the result. */
#define OF_USE	4

struct run {			/* of free bytes */
	int64_t at, bytes;
};

struct part {			/* of the arena: two of the next level, or between two neighbouring places */
	int covers;		/* buffers that lie on all of it, but not on all of what it is a half of */
	int64_t beg, end;
	int64_t before, after;	/* free bytes at its beginning, at its end */
	struct run best;
};

struct spare {
	struct arena *arena;	/* for scratch */
	struct plan *p;
	int64_t *place;		/* in ascending order */
	int places;
	struct part *part;	/* a heap: the halves of part i are 2 i and 2 i + 1 */
	int leaves;		/* a power of two */
};

static int
by_place(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return a < b ? -1 : a > b;
}

static int
number_of(const struct spare *s, int64_t place)
{
	const int64_t *at = bsearch(&place, s->place, (size_t)s->places, sizeof(*at), by_place);

	return (int)(at - s->place);
}

static struct run
longer(struct run a, struct run b)
{
	return b.bytes > a.bytes ? b : a;
}

/* What part I has free, from its halves. */
static void
join(struct spare *s, int i)
{
	struct part *w = &s->part[i];
	const struct part *a = &s->part[2 * i], *b = &s->part[2 * i + 1];

	if (w->covers) {
		w->before = w->after = w->best.bytes = 0;
		return;
	}
	if (i >= s->leaves) {
		w->before = w->after = w->end - w->beg;
		w->best = (struct run){ w->beg, w->end - w->beg };
		return;
	}
	w->before = a->before == a->end - a->beg ? a->before + b->before : a->before;
	w->after = b->after == b->end - b->beg ? b->after + a->after : b->after;
	w->best = longer(longer(a->best, (struct run){ a->end - a->after, a->after + b->before }),
	    b->best);
}

/* Buffers come (1) or go (-1) from places [FIRST, LAST); part I is the leaves [BEG, END). */
static void
cover(struct spare *s, int i, int beg, int end, int first, int last, int change)
{
	if (last <= beg || end <= first)
		return;
	if (first <= beg && end <= last) {
		s->part[i].covers += change;
	} else {
		cover(s, 2 * i, beg, (beg + end) / 2, first, last, change);
		cover(s, 2 * i + 1, (beg + end) / 2, end, first, last, change);
	}
	join(s, i);
}

static int64_t
aligned(const struct plan *p, int64_t bytes)
{
	return (bytes + p->alignment - 1) & ~(int64_t)(p->alignment - 1);
}

static void
cover_buffer(struct spare *s, const struct buffer *b, int change)
{
	if (b->bytes)
		cover(s, 1, 0, s->leaves, number_of(s, b->offset),
		    number_of(s, b->offset + aligned(s->p, b->bytes)), change);
}

/* The places, and the parts between them; those beyond the last are empty. */
static void
cut(struct spare *s)
{
	struct arena *a = s->arena;
	int i, kept = 0;

	s->place = arena_array(a, 2 * (size_t)s->p->buffers.n + 2, sizeof(*s->place));
	s->place[s->places++] = s->p->persistent_bytes;
	s->place[s->places++] = s->p->arena_bytes;
	for (i = 0; i < s->p->buffers.n; i++) {
		const struct buffer *b = &s->p->buffers.v[i];

		if (b->persistent)
			continue;
		s->place[s->places++] = b->offset;
		s->place[s->places++] = b->offset + aligned(s->p, b->bytes);
	}
	qsort(s->place, (size_t)s->places, sizeof(*s->place), by_place);
	for (i = 0; i < s->places; i++)
		if (i == 0 || s->place[i] != s->place[kept - 1])
			s->place[kept++] = s->place[i];
	s->places = kept;
	for (s->leaves = 1; s->leaves < s->places - 1;)
		s->leaves *= 2;
	s->part = arena_array(a, 2 * (size_t)s->leaves, sizeof(*s->part));
	for (i = 0; i < s->leaves; i++) {
		s->part[s->leaves + i].beg = s->place[least(i, s->places - 1)];
		s->part[s->leaves + i].end = s->place[least(i + 1, s->places - 1)];
		join(s, s->leaves + i);
	}
	for (i = s->leaves - 1; i > 0; i--) {
		s->part[i].beg = s->part[2 * i].beg;
		s->part[i].end = s->part[2 * i + 1].end;
		join(s, i);
	}
}

bool
spare_is_worth_it(const struct plan *p, const struct instant *at, const struct room *room)
{
	const struct node *n = at->node;

	return (n->op->flags & OP_LIBRARY) && n->work && n->op->macs && room->library > 0 &&
	    plan_buffer(p, n->work)->bytes >= room->library &&
	    affine_at(n->op->macs(n), at->graph->batch) >= WORTH_SPARE;
}

/* The most that there is a step for in so many bytes: 4, 5, 6 or 7 times a power of two. */
static int64_t
step_within(const struct plan *p, int64_t bytes)
{
	int64_t unit = p->alignment;

	while (unit <= bytes / 8)
		unit *= 2;
	return bytes / unit * unit;
}

int64_t
spare_of_use(const struct plan *p, const struct instant *at, int64_t most)
{
	const struct tensor *beside = then_beside(at->node);
	int64_t use = plan_traffic(at->node, at->graph->batch), bytes;

	use -= beside ? affine_at(tensor_bytes(beside), at->graph->batch) : 0;
	if (most / OF_USE > use)
		most = use * OF_USE;
	bytes = step_within(p, most);
	return bytes > plan_buffer(p, at->node->work)->bytes ? bytes : 0;
}

void
spare_move(const struct plan *p, struct instant *at, int64_t offset, int64_t bytes)
{
	struct tensor *work = at->node->work;
	struct buffer *b = plan_buffer(p, work);

	at->live += bytes - aligned(p, b->bytes);
	b->offset = offset;
	b->bytes = bytes;
	work->workspace = (struct affine){ bytes, 0 };
}

/* The workspace's own bytes are free already. */
static void
widen(struct spare *s, struct instant *at)
{
	struct run free = s->part[1].best;
	int64_t own = aligned(s->p, plan_buffer(s->p, at->node->work)->bytes);
	int64_t bytes = spare_of_use(s->p, at, least(free.bytes, s->p->lower_bound_bytes - at->live + own));

	if (bytes > 0)
		spare_move(s->p, at, free.at, bytes);
}

/* Transient buffers by the instant at which they come alive, or after which they go: the first of
 * each, and the next of the same; one more than its number, 0 at the end. */
static void
list_buffers(const struct spare *s, int *head, int *next, bool coming)
{
	int i;

	for (i = s->p->buffers.n - 1; i >= 0; i--) {
		const struct buffer *b = &s->p->buffers.v[i];
		int at = coming ? b->first : b->last;

		if (b->persistent)
			continue;
		next[i] = head[at];
		head[at] = i + 1;
	}
}

static void
sweep(struct spare *s, const struct room *room)
{
	struct arena *a = s->arena;
	size_t instants = (size_t)s->p->instants + 1, buffers = (size_t)s->p->buffers.n + 1;
	int *come = arena_array(a, instants, sizeof(*come)), *go = arena_array(a, instants, sizeof(*go));
	int *next_come = arena_array(a, buffers, sizeof(*next_come));
	int *next_go = arena_array(a, buffers, sizeof(*next_go)), i, k;

	list_buffers(s, come, next_come, true);
	list_buffers(s, go, next_go, false);
	for (i = 0; i < s->p->instants; i++) {
		const struct buffer *work = s->p->at[i].node->work &&
		    spare_is_worth_it(s->p, &s->p->at[i], room) ? plan_buffer(s->p, s->p->at[i].node->work) :
		    NULL;

		/* alive here alone, so left out altogether */
		for (k = come[i]; k; k = next_come[k - 1])
			if (&s->p->buffers.v[k - 1] != work)
				cover_buffer(s, &s->p->buffers.v[k - 1], 1);
		if (work)
			widen(s, &s->p->at[i]);
		for (k = go[i]; k; k = next_go[k - 1])
			if (&s->p->buffers.v[k - 1] != work)
				cover_buffer(s, &s->p->buffers.v[k - 1], -1);
	}
}

static bool
run(struct module *m, const struct pass_options *o)
{
	struct room room = op_room(m, o->target, o->threads);
	struct spare s = { .p = m->plan };

	if (!o->target->libraries || !m->plan->instants)
		return true;
	s.arena = arena_child(m->arena);
	if (m->plan->apart == APART) {
		spare_lanes(m, s.arena, &room, o->most_bytes);
	} else {
		cut(&s);
		sweep(&s, &room);
	}
	arena_free(s.arena);
	return true;
}

const struct pass pass_spare = {
	.name = "spare",
	.doc = "let libraries work in bytes that are free at that moment",
	.optional = true,
	.thorough = true,
	.run = run,
};
