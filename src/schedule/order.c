/*
 * order: changes the order of a graph's nodes where that lowers the peak.
 *
 * Any order that respects what nodes read and overwrite computes the same bits, so this is free.
 * The graph is cut into windows where few short-lived tensors cross from one side to the other, as
 * between two layers of a chain; nodes move within their window alone. In a window the best order is
 * found by dynamic programming over the sets of nodes already run (each such set is a downset of the
 * dependencies; what is alive depends on the set, not on the way to it: Ahn and others, "Ordering
 * chaos", 2020). The order that stands is the bound: a set that cannot beat it is dropped. A node
 * that can run at no cost, neither raising the peak nor leaving more alive, runs at once, since it
 * can only help all others. Where a window still has too many sets, the best of each size are kept,
 * which is a beam search. Of two ways to a set with one peak, that which had less alive is taken: it
 * leaves more room for placing.
 *
 * Only windows that hold the peak matter. They are taken from the highest down, until the next one
 * is below what the ones before it could be brought to. Most are as low as they can be: each node
 * needs what it makes, beside all that must be alive in any order, and the highest need is a floor.
 * A node beside a cut cannot cross it, so every other sweep has windows from the middle of one to the
 * middle of the next.
 *
 * Reads: train, update, validate after recompute. Writes: the order of their nodes.
 * Invariants after: 1. every node comes after those that define what it reads; 2. readers and
 * writers of the same bytes stay in their order; 3. no graph's peak is higher than before.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "ir/op.h"
#include "ir/pass.h"
#include "schedule/step.h"

#define WINDOW		48	/* nodes at most; a set of them is a word */
#define BEAM		1024	/* sets of one size that are kept */
#define USES		24	/* classes of one node; more, and its window is left as it is */
#define SWEEPS		8	/* at most, with either cuts in turn */
#define LIFE_SHORT	64	/* nodes; what lives longer crosses any cut */

struct window {
	int beg, end;		/* nodes */
	int64_t peak;		/* of the order that stands, in the graph's bytes */
};

struct class {			/* the tensors that share some bytes, as one window uses them */
	uint64_t users;
	uint64_t makers;	/* of them, those that add to what is alive */
	int64_t bytes;
	bool dies;		/* nobody after the window reads it */
};

struct job {			/* a node of the window */
	uint64_t before;	/* nodes of the window that must have run */
	uint64_t after;		/* that can only run later */
	int64_t made, work;	/* bytes */
	int64_t in_place;	/* of them, if an input may be overwritten */
	int over[4], nover;	/* classes that the first output could overwrite */
	int uses[USES], nuses;	/* classes that may die here */
};

struct set {
	uint64_t done;
	int64_t live, peak;	/* after it, and on the way: beyond what lives throughout */
	int64_t area;		/* what was alive after each job so far, summed */
	int from;		/* the set before it, in the level below */
	int node;		/* run last */
};

struct level {
	struct set *v;
	int n, cap;
};

struct order {
	struct arena *arena;
	struct graph *g;
	struct model *m;
	int64_t *live;		/* by node, in the order that stands */
	int *first, *last;	/* by value, of roots: nodes that use it */
	bool *result;
	/* of the window being ordered */
	struct job job[WINDOW];
	struct class class[WINDOW * (USES + 1)];	/* with the one too many */
	int nclasses;
	int *class_of;		/* by value: its class + 1 */
	struct level level[WINDOW + 1];
	int *hash;		/* sets of the level being made, + 1 */
	unsigned *slot;		/* by set: where it is in the hash */
};

/* ---- uses ---- */

static void
use(struct order *o, int v, int i)
{
	int root = v < 0 ? -1 : o->m->value[v].root;

	if (root < 0)
		return;
	if (o->first[root] < 0)
		o->first[root] = i;
	o->last[root] = i;
}

static void
find_uses(struct order *o)
{
	const struct model *m = o->m;
	int i, k;

	for (i = 0; i < m->nvalues; i++)
		o->first[i] = o->last[i] = -1;
	for (i = 0; i < m->nnodes; i++) {
		for (k = 0; k < m->node[i].nin; k++)
			use(o, m->node[i].in[k], i);
		for (k = 0; k < m->node[i].nout; k++)
			use(o, m->node[i].out[k], i);
	}
	for (i = 0; i < m->g->inputs.n; i++)
		o->first[i] = -1;	/* staged before the first node */
	for (i = 0; i < m->nresults; i++)
		o->result[m->value[m->result[i]].root] = true;
}

/* ---- windows ---- */

/* By place: how many short-lived tensors are alive on both sides of a cut before that node. */
static int *
count_crossings(const struct order *o)
{
	int *count = arena_array(o->arena, (size_t)o->m->nnodes + 2, sizeof(*count)), i;

	for (i = 0; i < o->m->nvalues; i++) {
		int first = o->first[i], last = o->last[i];

		if (first < 0 || last <= first || last - first > LIFE_SHORT ||
		    o->m->value[i].persistent)
			continue;
		count[first + 1]++;
		count[last + 1]--;
	}
	for (i = 1; i <= o->m->nnodes; i++)
		count[i] += count[i - 1];
	return count;
}

static struct window
window(const struct order *o, int beg, int end)
{
	struct window w = { beg, end, 0 };
	int i;

	for (i = beg; i < end; i++)
		if (o->live[i] > w.peak)
			w.peak = o->live[i];
	return w;
}

static struct window *
cut_windows(struct order *o, int *n)
{
	struct window *w = arena_array(o->arena, (size_t)o->m->nnodes + 1, sizeof(*w));
	int *crossings = count_crossings(o), beg, end, best, i;

	*n = 0;
	for (beg = 0; beg < o->m->nnodes; beg = best) {
		end = beg + WINDOW < o->m->nnodes ? beg + WINDOW : o->m->nnodes;
		best = end;
		for (i = end; i > beg + WINDOW / 4 && end < o->m->nnodes; i--)
			if (crossings[i] < crossings[best])
				best = i;
		w[(*n)++] = window(o, beg, best);
	}
	return w;
}

/* Moves each cut to the middle of the window before it; the last window gets a cut more. */
static void
shift_cuts(const struct order *o, struct window *w, int *n)
{
	int beg = 0, i;

	for (i = 0; i < *n; i++) {
		int middle = (w[i].beg + w[i].end) / 2;

		w[i] = window(o, beg, middle);
		beg = middle;
	}
	w[(*n)++] = window(o, beg, o->m->nnodes);
}

/* ---- a window as a problem ---- */

static int
class_of(struct order *o, int v, const struct window *w)
{
	int root = v < 0 ? -1 : o->m->value[v].root;

	if (root < 0 || o->m->value[root].persistent)
		return -1;
	if (!o->class_of[root]) {
		assert(o->nclasses < (int)(sizeof(o->class) / sizeof(*o->class)));
		o->class[o->nclasses] = (struct class){ 0, 0, o->m->value[root].bytes,
		    o->last[root] < w->end && !o->result[root] };
		o->class_of[root] = ++o->nclasses;
	}
	return o->class_of[root] - 1;
}

static bool
add_use(struct job *j, int class)
{
	int i;

	for (i = 0; i < j->nuses; i++)
		if (j->uses[i] == class)
			return true;
	if (j->nuses == USES)
		return false;
	j->uses[j->nuses++] = class;
	return true;
}

/* Two nodes keep their order if either writes bytes that both use. */
static bool
depends(const struct model *m, int earlier, int later)
{
	const struct model_node *a = &m->node[earlier], *b = &m->node[later];
	int i, k;

	if ((a->node->op->flags & b->node->op->flags & OP_SIDE_EFFECT))
		return true;
	for (i = 0; i < b->nin + b->nout; i++) {
		int y = i < b->nin ? b->in[i] : b->out[i - b->nin];

		for (k = 0; y >= 0 && k < a->nin + a->nout; k++) {
			int x = k < a->nin ? a->in[k] : a->out[k - a->nin];

			if (x >= 0 && m->value[x].root == m->value[y].root &&
			    (k >= a->nin || i >= b->nin))
				return true;
		}
	}
	return false;
}

static bool
describe_job(struct order *o, const struct window *w, int i)
{
	const struct model *m = o->m;
	const struct model_node *n = &m->node[w->beg + i];
	struct job *j = &o->job[i];
	int k, c;

	memset(j, 0, sizeof(*j));
	j->work = n->work;
	for (k = 0; k < n->nin + n->nout; k++) {
		int v = k < n->nin ? n->in[k] : n->out[k - n->nin];

		if ((c = class_of(o, v, w)) < 0)
			continue;
		o->class[c].users |= (uint64_t)1 << i;
		if (!add_use(j, c))
			return false;
		if (k >= n->nin && m->value[v].root == v) {
			j->made += o->class[c].bytes;
			o->class[c].makers |= (uint64_t)1 << i;
		}
		if (k < n->nin && (n->node->op->memory.inplace >> k & 1) && n->nout && n->out[0] >= 0 &&
		    m->value[n->out[0]].root == n->out[0] && j->nover < 4 &&
		    o->class[c].bytes == m->value[n->out[0]].bytes) {
			j->over[j->nover++] = c;
			j->in_place = o->class[c].bytes;
		}
	}
	for (k = 0; k < i; k++)
		if (depends(m, w->beg + k, w->beg + i))
			j->before |= (uint64_t)1 << k;
	return true;
}

static bool
describe(struct order *o, const struct window *w)
{
	const struct model *m = o->m;
	bool small = true;
	int i, k;

	o->nclasses = 0;
	for (i = 0; i < w->end - w->beg && small; i++)
		small = describe_job(o, w, i);
	for (i = w->beg; i < w->end; i++)	/* for the next window */
		for (k = 0; k < m->node[i].nin + m->node[i].nout; k++) {
			int v = k < m->node[i].nin ? m->node[i].in[k] :
			    m->node[i].out[k - m->node[i].nin];

			if (v >= 0)
				o->class_of[m->value[v].root] = 0;
		}
	return small;
}

/* ---- the floor ---- */

static void
close_over(struct order *o, int n)
{
	int i, k;

	for (i = 0; i < n; i++)		/* the order that stands is one of those that are right */
		for (k = 0; k < i; k++)
			if (o->job[i].before >> k & 1)
				o->job[i].before |= o->job[k].before;
	for (i = 0; i < n; i++)
		o->job[i].after = 0;
	for (i = 0; i < n; i++)
		for (k = 0; k < i; k++)
			if (o->job[i].before >> k & 1)
				o->job[k].after |= (uint64_t)1 << i;
}

/* What is needed at least while job I runs, counted as run_job() does: what has been made before
 * and is still to be used is alive; all else that can be dead is. */
static int64_t
least_need(const struct order *o, int i)
{
	const struct job *j = &o->job[i];
	int64_t need = j->made + j->work - j->in_place;
	uint64_t later = j->after | (uint64_t)1 << i;
	int c;

	for (c = 0; c < o->nclasses; c++) {
		const struct class *x = &o->class[c];

		if (x->makers & j->before)
			need += x->dies && !(x->users & later) ? 0 : x->bytes;
		else if (!x->makers && x->dies && !(x->users & later))
			need -= x->bytes;
	}
	return need;
}

static int64_t
find_floor(const struct order *o, int n)
{
	int64_t floor = INT64_MIN, need;
	int i;

	for (i = 0; i < n; i++)
		if ((need = least_need(o, i)) > floor)
			floor = need;
	return floor;
}

/* ---- dynamic programming over sets ---- */

/* Running job I after S: the bytes needed meanwhile, and those alive afterwards. */
static void
run_job(const struct order *o, const struct set *s, int i, struct set *next)
{
	const struct job *j = &o->job[i];
	int64_t need = s->live + j->made + j->work;
	int k;

	next->done = s->done | (uint64_t)1 << i;
	next->node = i;
	next->live = s->live + j->made;
	for (k = 0; k < j->nover; k++) {
		const struct class *c = &o->class[j->over[k]];

		if (c->dies && !(c->users & ~next->done)) {
			need -= j->in_place;
			break;
		}
	}
	for (k = 0; k < j->nuses; k++) {
		const struct class *c = &o->class[j->uses[k]];

		if (c->dies && !(c->users & ~next->done))
			next->live -= c->bytes;
	}
	next->peak = need > s->peak ? need : s->peak;
	next->area = s->area + next->live;
}

static int
by_promise(const void *x, const void *y)
{
	const struct set *a = x, *b = y;

	if (a->peak != b->peak)
		return a->peak < b->peak ? -1 : 1;
	if (a->live != b->live)
		return a->live < b->live ? -1 : 1;
	return a->done < b->done ? -1 : a->done > b->done;
}

#define SLOTS	(1 << 13)	/* of the hash: sets of one level before they are cut to BEAM */

static void
insert(struct order *o, struct level *l, const struct set *s)
{
	uint64_t h = s->done * 0x9e3779b97f4a7c15u;
	unsigned slot = (unsigned)(h >> 51);

	for (; o->hash[slot]; slot = (slot + 1) & (SLOTS - 1))
		if (l->v[o->hash[slot] - 1].done == s->done) {
			struct set *old = &l->v[o->hash[slot] - 1];

			if (s->peak < old->peak || (s->peak == old->peak && s->area < old->area))
				*old = *s;
			return;
		}
	if (l->n >= SLOTS / 2)
		return;
	o->slot[l->n] = slot;
	o->hash[slot] = l->n + 1;
	vec_push(o->arena, l, *s);
}

/* Adds the sets that are one job larger: one alone, where some job can run at no cost. */
static void
grow_set(struct order *o, struct level *l, const struct set *s, int from, int n, int64_t bound)
{
	struct set next[WINDOW];
	int k, count = 0, free = -1;

	for (k = 0; k < n; k++) {
		struct set *x = &next[count];

		if ((s->done >> k & 1) || (o->job[k].before & ~s->done))
			continue;
		run_job(o, s, k, x);
		x->from = from;
		if (x->peak >= bound)
			continue;
		if (x->live <= s->live && x->peak <= s->peak &&
		    (free < 0 || x->live < next[free].live))
			free = count;
		count++;
	}
	for (k = 0; k < count; k++)
		if (free < 0 || k == free)
			insert(o, l, &next[k]);
}

static void
make_level(struct order *o, int depth, int n, int64_t bound)
{
	struct level *below = &o->level[depth], *l = &o->level[depth + 1];
	int i;

	l->n = 0;
	for (i = 0; i < below->n; i++)
		grow_set(o, l, &below->v[i], i, n, bound);
	for (i = 0; i < l->n; i++)
		o->hash[o->slot[i]] = 0;
	if (l->n > BEAM) {
		qsort(l->v, (size_t)l->n, sizeof(*l->v), by_promise);
		l->n = BEAM;
	}
}

/* The peak of the order that stands, counted as the search does. */
static int64_t
peak_of_standing(const struct order *o, int n)
{
	struct set s = { 0 }, next;
	int i;

	for (i = 0; i < n; i++) {
		run_job(o, &s, i, &next);
		s = next;
	}
	return s.peak;
}

/* Finds a better order of the window and puts the nodes into it; returns by how much the window's
 * peak falls. Below ENOUGH it need not. */
static int64_t
improve(struct order *o, const struct window *w, int64_t enough)
{
	struct node *moved[WINDOW];
	int n = w->end - w->beg, i, at = 0;
	int64_t bound, floor;

	if (!describe(o, w))
		return 0;
	close_over(o, n);
	bound = peak_of_standing(o, n);
	floor = find_floor(o, n);
	if (floor < bound - (w->peak - enough))
		floor = bound - (w->peak - enough);
	if (floor >= bound)
		return 0;
	o->level[0].n = 0;
	vec_push(o->arena, &o->level[0], ((struct set){ 0, 0, floor, 0, -1, -1 }));
	for (i = 0; i < n && o->level[i].n > 0; i++)
		make_level(o, i, n, bound);
	if (i < n || o->level[n].n == 0)
		return 0;
	bound -= o->level[n].v[0].peak;
	for (i = n; i > 0; i--) {
		const struct set *s = &o->level[i].v[at];

		moved[i - 1] = o->g->nodes.v[w->beg + s->node];
		at = s->from;
	}
	memcpy(o->g->nodes.v + w->beg, moved, (size_t)n * sizeof(struct node *));
	return bound;
}

/* ---- all windows ---- */

static int
by_height(const void *x, const void *y)
{
	const struct window *a = x, *b = y;

	return a->peak != b->peak ? (a->peak > b->peak ? -1 : 1) : a->beg - b->beg;
}

static bool
improve_windows(struct order *o, bool shifted)
{
	int64_t reached = 0, gain;
	bool moved = false;
	struct window *w;
	int n, i;

	w = cut_windows(o, &n);
	if (shifted)
		shift_cuts(o, w, &n);
	qsort(w, (size_t)n, sizeof(*w), by_height);
	for (i = 0; i < n && w[i].peak > reached; i++) {
		gain = improve(o, &w[i], reached);
		moved |= gain > 0;
		if (w[i].peak - gain > reached)
			reached = w[i].peak - gain;
	}
	return moved;
}

/* Describes the graph in the order that stands. */
static bool
prepare(struct order *o, const struct pass_options *options)
{
	const struct model *m = o->m = step_model(o->arena, o->g, options, STEP_ONCE);
	size_t n;

	if (!m || !step_try(o->m))
		return false;
	n = (size_t)m->nvalues + 1;
	o->live = m->trial->live;
	o->first = arena_array(o->arena, n, sizeof(int));
	o->last = arena_array(o->arena, n, sizeof(int));
	o->result = arena_array(o->arena, n, sizeof(bool));
	o->class_of = arena_array(o->arena, n, sizeof(int));
	o->hash = arena_array(o->arena, SLOTS, sizeof(*o->hash));
	o->slot = arena_array(o->arena, SLOTS / 2, sizeof(*o->slot));
	find_uses(o);
	return true;
}

/* A sweep over all windows: does the peak fall? Otherwise the order that stood stands again. */
static bool
sweep(struct order *o, const struct pass_options *options, bool shifted)
{
	size_t size = (size_t)o->g->nodes.n * sizeof(struct node *);
	struct node **old = arena_array(o->arena, (size_t)o->g->nodes.n, sizeof(struct node *));
	int64_t peak = o->m->trial->peak;

	memcpy(old, o->g->nodes.v, size);
	if (!improve_windows(o, shifted))
		return false;
	if (prepare(o, options) && o->m->trial->peak < peak)
		return true;
	memcpy(o->g->nodes.v, old, size);
	prepare(o, options);
	return false;
}

static void
order_graph(struct graph *g, const struct pass_options *options)
{
	struct arena *a = arena_child(g->module->arena);
	struct order *o = ARENA_NEW(a, struct order);
	int done, idle = 0;

	o->arena = a;
	o->g = g;
	if (prepare(o, options))
		for (done = 0; done < SWEEPS && idle < 2; done++)
			idle = sweep(o, options, done % 2) ? 0 : idle + 1;
	arena_free(a);
}

static bool
run(struct module *m, const struct pass_options *o)
{
	struct graph *const graph[] = { m->train, m->update, m->validate };
	size_t i;

	for (i = 0; i < sizeof(graph) / sizeof(*graph); i++)
		if (graph[i] && graph[i]->nodes.n > 2)
			order_graph(graph[i], o);
	return true;
}

const struct pass pass_order = {
	.name = "order",
	.doc = "run nodes in the order that needs least memory",
	.optional = true,
	.thorough = true,
	.run = run,
};
