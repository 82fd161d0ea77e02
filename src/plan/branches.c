/*
 * branches: which nodes of a step may run at the same time on a GPU. A small network's kernels
 * leave most of the card idle, and each takes microseconds to start however little it does. A step
 * is one CUDA graph, whose nodes wait only for those they depend on:
 *
 *     dy3 --> dx3 --> dx2 --> dx1                  branch 0
 *        \--> dw3    \--> dw2    \--> dw1 --> update    1
 *
 * Dependences are read off the finished plan: the last node that wrote what this one reads, and all
 * nodes that have touched what it writes since. So buffers that follow one another in the same
 * bytes order their nodes too. The plan is not changed; it takes not one byte more than if nodes
 * ran one by one. It follows that everything a call touches must be an operand, a result or the
 * workspace of its node, or struct step, which no node writes.
 *
 * Each node has an heir: of the nodes that read its result, the one with the longest remaining path
 * to the end, by estimate.c's times of calls that have the card alone. A branch continues with the
 * heir of its last node and is reserved for it. Other nodes, unless their remaining path is longer,
 * take a branch that is not reserved, the one where they can start first. Weight updates that
 * follow one another stay together, since one launch does them (emit/updates.c).
 *
 * Calls that work at the same time share the card: beside large ones nothing is gained, and an edge
 * more may cost. So the step is played through by estimate.c, and a stretch of a branch, from one
 * wait to the next, is left only if all that runs while it does would take LEAST_GAIN longer one
 * after the other. The calls of other stretches go to the first branch, and all are placed anew,
 * until none is in vain. Networks do that twice to five times; where thousands of equal layers each
 * lead to the next, more gain is asked for from round to round, so that it ends.
 *
 * For speed this is done twice. Place does it where no two buffers share bytes, and then keeps
 * apart what these branches have (apart.c): of the plan they are known, and what is found is what
 * waits, in workspaces too (lanes.c).
 *
 * Where ranks train together a step has one branch: what goes between them runs beside it, of
 * several tensors in one call, by a stream of its own (kernels/update/exchange_cuda.cu), which
 * begins behind all that the step has come to.
 *
 * Emission writes BRANCH(1), AFTER(15) and OVER(16) beside the calls. While the step is captured,
 * kernels/host/branches_cuda.cu turns them into streams and events; a step that is launched call by
 * call ignores them and runs in the written order.
 *
 * Reads: offsets, nodes in the order of instants. Writes: branch, after and awaited of each
 * instant. Invariants after, proved by plan/verify.c: 1. two nodes that touch the same byte, one of
 * which writes it, are on one branch, or one waits for the other, directly or through others; 2.
 * the instants of a branch increase, and so do waits.
 */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "target/target.h"
#include "ir/op.h"
#include "ir/pass.h"
#include "plan/estimate.h"

#define LEAST_GAIN	0.02	/* of what runs while a stretch does, */
#define PATIENT		6	/* in so many rounds; in each further one twice as much as before */

/* The bytes between two neighbouring places where a buffer begins or ends. */
struct segment {
	int64_t at;
	int written;		/* one past the instant that did so last */
	int read[BRANCHES];	/* by branch, one past the last that did so since */
};

/* Those of a buffer, all of it: which part of it a tensor takes does not matter. */
struct cut {
	struct segment *first;
	int n;
};

struct branches {
	const struct module *m;
	struct plan *p;
	struct card card;
	struct segment *segment;
	int nsegments;
	struct cut *cut;	/* by buffer */
	int start, end;		/* instants of the graph */
	int last[BRANCHES];	/* one past the last instant of each so far; 0: none */
	int *heir;		/* by instant: an instant, -1: none */
	double *takes;		/* by instant: nanoseconds, alone on the card */
	double *left;		/* by instant: nanoseconds from its begin to the end */
	double *over;		/* when it is over, by instant + 1 */
	int (*known)[BRANCHES];	/* by instant + 1: what is over by then, one past its instant by branch */
	bool *stays;		/* by instant: on the first branch, since another would be in vain */
};

struct choice {			/* of a branch for a node */
	int need[BRANCHES];	/* one past the last instant there that it depends on */
	int branch;
	double begin;
};

/* ---- what a node touches ---- */

static int
by_place(const void *x, const void *y)
{
	const struct segment *a = x, *b = y;

	return (a->at > b->at) - (a->at < b->at);
}

static int
first_segment(const struct branches *s, int64_t at)
{
	int lo = 0, hi = s->nsegments, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (s->segment[mid].at < at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void
cut_segments(struct branches *s, struct arena *a)
{
	const struct plan *p = s->p;
	int i, n = 0, all = 0;

	s->segment = arena_array(a, 2 * (size_t)p->buffers.n + 1, sizeof(*s->segment));
	for (i = 0; i < p->buffers.n; i++) {
		s->segment[all++].at = p->buffers.v[i].offset;
		s->segment[all++].at = p->buffers.v[i].offset + p->buffers.v[i].bytes;
	}
	qsort(s->segment, (size_t)all, sizeof(*s->segment), by_place);
	for (i = 0; i < all; i++)
		if (n == 0 || s->segment[i].at != s->segment[n - 1].at)
			s->segment[n++] = s->segment[i];
	s->nsegments = n;
	s->cut = arena_array(a, (size_t)p->buffers.n + 1, sizeof(*s->cut));
	for (i = 0; i < p->buffers.n; i++) {
		const struct buffer *b = &p->buffers.v[i];
		int first = first_segment(s, b->offset);

		s->cut[i] = (struct cut){ &s->segment[first], first_segment(s, b->offset + b->bytes) - first };
	}
}

static struct cut
cut_of(const struct branches *s, const struct touch *t)
{
	return t->buffer ? s->cut[t->buffer - s->p->buffers.v] : (struct cut){ NULL, 0 };
}

/* ---- what it waits for ---- */

static void
need(int *most, int past)
{
	if (past > *most)
		*most = past;
}

/* Neighbours mostly have the same writer. */
static void
need_written(const struct branches *s, struct choice *c, struct cut cut)
{
	int i, past, last = 0;

	for (i = 0; i < cut.n; i++)
		if ((past = cut.first[i].written) > 0 && past != last) {
			need(&c->need[s->p->at[past - 1].branch], past);
			last = past;
		}
}

static void
need_untouched(const struct branches *s, struct choice *c, struct cut cut)
{
	int i, k;

	need_written(s, c, cut);
	for (i = 0; i < cut.n; i++)
		for (k = 0; k < BRANCHES; k++)
			need(&c->need[k], cut.first[i].read[k]);
}

static void
find_needs(const struct branches *s, struct choice *c, const struct node *n)
{
	struct touch t;
	int k;

	for (k = 0; plan_touches(s->p, n, k, &t); k++)
		(t.writes ? need_untouched : need_written)(s, c, cut_of(s, &t));
}

static void
mark(const struct branches *s, const struct touch *t, int instant)
{
	struct cut cut = cut_of(s, t);
	int branch = s->p->at[instant].branch, i;

	for (i = 0; i < cut.n; i++) {
		if (t->writes) {
			memset(cut.first[i].read, 0, sizeof(cut.first[i].read));
			cut.first[i].written = instant + 1;
		} else {
			cut.first[i].read[branch] = instant + 1;
		}
	}
}

static void
mark_all(const struct branches *s, const struct node *n, int instant)
{
	struct touch t;
	int k;

	for (k = 0; plan_touches(s->p, n, k, &t); k++)
		mark(s, &t, instant);
}

/* ---- where it runs ---- */

static double
duration(const struct branches *s, const struct node *n)
{
	int64_t batch = s->p->at[s->start].graph->batch;

	return card_beside(n, batch) + card_work(&s->card, n, batch);
}

/* What is over when branch K comes to its next node. */
static const int *
known_there(const struct branches *s, int k)
{
	return s->known[s->last[k]];
}

static double
begin_there(const struct branches *s, const struct choice *c, int k)
{
	double begin = s->over[s->last[k]];
	int j;

	for (j = 0; j < BRANCHES; j++)
		if (c->need[j] > known_there(s, k)[j] && s->over[c->need[j]] + CROSSING_NS > begin)
			begin = s->over[c->need[j]] + CROSSING_NS;
	return begin;
}

/* Is branch K kept for another than this one, with a longer way to go? */
static bool
is_kept(const struct branches *s, int k, int instant)
{
	int heir = s->last[k] ? s->heir[s->last[k] - 1] : -1;

	return heir > instant && s->left[heir] >= s->left[instant];
}

static bool
is_heir(const struct branches *s, int k, int instant)
{
	return s->last[k] && s->heir[s->last[k] - 1] == instant;
}

/* 2: to be taken; 1: free; 0: only if no other is. A new branch needs a node to wait for, so that
 * nothing runs before the step does. */
static int
merit(const struct branches *s, const struct choice *c, int k, int instant)
{
	int j, needs = 0;

	for (j = 0; j < BRANCHES; j++)
		needs |= c->need[j];
	if (!s->last[k] && k > 0 && !needs)
		return -1;
	return is_heir(s, k, instant) ? 2 : is_kept(s, k, instant) ? 0 : 1;
}

static bool
may_have(const struct branches *s, int k, int instant)
{
	if (s->stays[instant])
		return k == 0;
	return s->p->apart != APART || k == s->p->at[instant].meant;
}

static void
choose(const struct branches *s, struct choice *c, int instant)
{
	int best = -1, k;

	for (k = 0; k < BRANCHES; k++) {
		double begin = begin_there(s, c, k);
		int m = may_have(s, k, instant) ? merit(s, c, k, instant) : -1;

		if (m > best || (m == best && begin < c->begin)) {
			best = m;
			c->branch = k;
			c->begin = begin;
		}
	}
}

/* Of what is needed, that which nothing else it waits for waited for itself. */
static void
wait_for(struct branches *s, const struct choice *c, int instant)
{
	struct instant *at = &s->p->at[instant];
	int *known = s->known[instant + 1], j, k;

	memcpy(known, known_there(s, c->branch), sizeof(s->known[0]));
	for (;;) {
		int latest = -1;

		for (k = 0; k < BRANCHES; k++)
			if (c->need[k] > known[k] && (latest < 0 || c->need[k] > c->need[latest]))
				latest = k;
		if (latest < 0)
			break;
		at->after[latest] = c->need[latest];
		s->p->at[c->need[latest] - 1].awaited = true;
		for (j = 0; j < BRANCHES; j++)
			if (s->known[c->need[latest]][j] > known[j])
				known[j] = s->known[c->need[latest]][j];
	}
	known[c->branch] = instant + 1;
}

/* The node that computes T, past views of it, as an instant of the graph; -1: none does. */
static int
maker(const int *instant_of, const struct tensor *t)
{
	while (t && t->alias_of && t->def && op_is_view(t->def->op))
		t = t->alias_of;
	return t && t->def ? instant_of[t->def->id] - 1 : -1;
}

/* From the end to the beginning: nodes that one launch does have the first one's heir. */
static void
find_heirs(struct branches *s, struct arena *a)
{
	int *instant_of = arena_array(a, (size_t)s->m->next_node + 1, sizeof(*instant_of));
	int i, k;

	for (i = s->start; i < s->end; i++)
		instant_of[s->p->at[i].node->id] = i + 1;
	for (i = s->end - 1; i >= s->start; i--) {
		const struct node *n = s->p->at[i].node;
		double left;

		if (op_is_view(n->op))
			continue;
		s->takes[i] = duration(s, n);
		left = s->left[i] += s->takes[i];
		for (k = 0; k < n->nin; k++) {
			int from = maker(instant_of, n->in[k]);

			if (from >= 0 && left > s->left[from]) {
				s->left[from] = left;
				s->heir[from] = i;
			}
		}
	}
}

static void
place_nodes(struct branches *s, int first, int count)
{
	struct choice c = { .branch = 0 };
	double ns = 0;
	int i;

	for (i = first; i < first + count; i++) {
		find_needs(s, &c, s->p->at[i].node);
		ns += s->takes[i];
	}
	choose(s, &c, first);
	for (i = first; i < first + count; i++) {
		s->p->at[i].branch = c.branch;
		wait_for(s, &c, i);
		s->over[i + 1] = c.begin + ns;
		s->last[c.branch] = i + 1;
		mark_all(s, s->p->at[i].node, i);
	}
}

static void
place_graph(struct branches *s)
{
	int i, count;

	memset(s->last, 0, sizeof(s->last));
	for (i = 0; i < s->nsegments; i++)
		s->segment[i] = (struct segment){ .at = s->segment[i].at };
	for (i = s->start; i < s->end; i++) {
		struct instant *at = &s->p->at[i];

		at->branch = 0;
		memset(at->after, 0, sizeof(at->after));
		at->awaited = false;
	}
	for (i = s->start; i < s->end; i += count) {
		count = plan_together(s->p, i);
		if (!op_is_view(s->p->at[i].node->op))
			place_nodes(s, i, count);
	}
}

static bool
waits(const struct instant *at)
{
	int k;

	for (k = 0; k < BRANCHES; k++)
		if (at->after[k])
			return true;
	return false;
}

/* Those of stretches that gain too little stay on the first branch; false: there are none. */
static bool
keep_from_vain(struct branches *s, struct playing *calls, double least, struct arena *parent)
{
	struct arena *a = arena_child(parent);
	struct beside *beside = arena_array(a, (size_t)(s->end - s->start) + 1, sizeof(*beside)), *of;
	int *first = arena_array(a, (size_t)(s->end - s->start) + 1, sizeof(*first)), begun[BRANCHES] = { 0 }, i;
	bool any = false;

	plan_beside(calls, beside);
	for (i = s->start; i < s->end; i++) {
		const struct instant *at = &s->p->at[i];

		if (at->branch == 0)
			continue;
		if (waits(at))
			begun[at->branch] = i - s->start;
		of = &beside[first[i - s->start] = begun[at->branch]];
		if (of != &beside[i - s->start]) {
			of->took += beside[i - s->start].took;
			of->in_turn += beside[i - s->start].in_turn;
		}
	}
	for (i = s->start; i < s->end; i++) {
		of = &beside[first[i - s->start]];
		if (s->p->at[i].branch > 0 && of->in_turn - of->took < least * of->in_turn)
			s->stays[i] = any = true;
	}
	arena_free(a);
	return any;
}

/* Places the graph, until none of its stretches is in vain. */
static void
place_in_rounds(struct branches *s, struct playing *calls, struct arena *a)
{
	double least = LEAST_GAIN;
	int round = 1;

	place_graph(s);
	while (keep_from_vain(s, calls, least, a)) {
		place_graph(s);
		if (++round > PATIENT)
			least *= 2;
	}
}

void
plan_branches(struct module *m, struct plan *p)
{
	struct branches s = { .m = m, .p = p, .card = card_of(m) };
	struct arena *a = arena_child(m->arena);
	int i, k;

	s.heir = arena_array(a, (size_t)p->instants + 1, sizeof(*s.heir));
	for (i = 0; i < p->instants; i++)
		s.heir[i] = -1;
	s.takes = arena_array(a, (size_t)p->instants + 1, sizeof(*s.takes));
	s.left = arena_array(a, (size_t)p->instants + 1, sizeof(*s.left));
	s.over = arena_array(a, (size_t)p->instants + 1, sizeof(*s.over));
	s.known = arena_array(a, (size_t)p->instants + 1, sizeof(*s.known));
	s.stays = arena_array(a, (size_t)p->instants + 1, sizeof(*s.stays));
	cut_segments(&s, a);
	for (; s.start < p->instants; s.start = s.end) {
		struct playing *calls = plan_calls(p, &s.card, a, s.start);

		s.end = plan_graph_end(p, s.start);
		find_heirs(&s, a);
		place_in_rounds(&s, calls, a);
		for (k = 1; k < BRANCHES; k++)	/* all are over before what comes after the graph */
			if (s.last[k])
				p->at[s.last[k] - 1].awaited = true;
	}
	arena_free(a);
}

static bool
run(struct module *m, const struct pass_options *o)
{
	if (o->target->concurrent && module_ranks(m) <= 1)
		plan_branches(m, m->plan);
	return true;
}

const struct pass pass_branches = {
	.name = "branches",
	.doc = "find what of a step may run at the same time on a GPU",
	.optional = true,
	.thorough = true,
	.run = run,
};
