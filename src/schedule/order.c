/*
 * order: changes the order of a graph's nodes where that lowers the peak.
 *
 * Any order that respects what nodes read and overwrite computes the same bits, so this is free.
 * The graph is cut into windows where few short-lived tensors cross from one side to the other, as
 * between two layers of a chain; nodes move within their window alone. In a window the best order
 * is found by dynamic programming over the sets of nodes already run (each such set is a downset of
 * the dependencies; what is alive depends on the set, not on the way to it: Ahn and others,
 * "Ordering chaos", 2020). The order that stands is the bound: a set that cannot beat it is
 * dropped. A node that can run at no cost, neither raising the peak nor leaving more alive, runs at
 * once, since it can only help all others. Where a window still has too many sets, the best of each
 * size are kept, which is a beam search; wider ones follow where nothing is trained, or time is
 * given. Of two ways to a set with one peak, the one with less alive is taken: it leaves more room
 * for placement.
 *
 * Only windows that hold the peak matter. They are taken from the highest down, until the next one
 * is below what the ones before it could be brought to. Most are as low as possible: each node
 * needs what it makes, beside all that must be alive in any order, and the highest need is a floor.
 * A node beside a cut cannot cross it, so every other sweep has windows from the middle of one to
 * the middle of the next. Of many parallel branches a window sees too few: order_merge.c has a
 * start for them. A window that was searched before, as another plan of the network was made, is
 * not searched again (known_orders.h).
 *
 * Reads: train, update, validate after recompute. Writes: the order of their nodes.
 * Invariants after: 1. every node comes after those that define what it reads; 2. readers and
 * writers of the same bytes stay in their order; 3. no graph's peak is higher than before.
 */
#include "schedule/order.h"

#include <stdlib.h>
#include <string.h>

#include "schedule/order_impl.h"

#define SWEEPS		8	/* at most, with either cuts in turn */
#define WIDER_WORK	200000	/* sets, where nothing is trained */
#define WIDER_SECOND	2000000	/* sets that a second of a processor grows, about */
#define LIFE_SHORT	64	/* nodes; what lives longer crosses any cut */

/* ---- uses ---- */

static void
use(struct order *o, int v, int i)
{
	int root = v < 0 ? -1 : o->now.m->value[v].root;

	if (root < 0)
		return;
	if (o->now.first[root] < 0)
		o->now.first[root] = i;
	o->now.last[root] = i;
}

static void
find_uses(struct order *o)
{
	const struct model *m = o->now.m;
	int i, k;

	for (i = 0; i < m->nvalues; i++)
		o->now.first[i] = o->now.last[i] = -1;
	for (i = 0; i < m->nnodes; i++) {
		for (k = 0; k < m->node[i].nin; k++)
			use(o, m->node[i].in[k], i);
		for (k = 0; k < m->node[i].nout; k++)
			use(o, m->node[i].out[k], i);
	}
	for (i = 0; i < m->g->inputs.n; i++)
		o->now.first[i] = -1;	/* staged before the first node */
	for (i = 0; i < m->nresults; i++)
		o->now.result[m->value[m->result[i]].root] = true;
}

/* ---- windows ---- */

/* By place: how many short-lived tensors are alive on both sides of a cut before that node. */
static int *
count_crossings(const struct order *o)
{
	int *count = arena_array(o->scratch, (size_t)o->now.m->nnodes + 2, sizeof(*count)), i;

	for (i = 0; i < o->now.m->nvalues; i++) {
		int first = o->now.first[i], last = o->now.last[i];

		if (first < 0 || last <= first || last - first > LIFE_SHORT ||
		    o->now.m->value[i].persistent)
			continue;
		count[first + 1]++;
		count[last + 1]--;
	}
	for (i = 1; i <= o->now.m->nnodes; i++)
		count[i] += count[i - 1];
	return count;
}

static struct window
window(const struct order *o, int beg, int end)
{
	struct window w = { beg, end, 0 };
	int i;

	for (i = beg; i < end; i++)
		if (o->now.live[i] > w.peak)
			w.peak = o->now.live[i];
	return w;
}

static struct window *
cut_windows(struct order *o, int *n)
{
	struct window *w = arena_array(o->scratch, (size_t)o->now.m->nnodes + 1, sizeof(*w));
	int *crossings = count_crossings(o), beg, end, best, i;

	*n = 0;
	for (beg = 0; beg < o->now.m->nnodes; beg = best) {
		end = beg + ORDER_WINDOW < o->now.m->nnodes ? beg + ORDER_WINDOW : o->now.m->nnodes;
		best = end;
		for (i = end; i > beg + ORDER_WINDOW / 4 && end < o->now.m->nnodes; i--)
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
	w[(*n)++] = window(o, beg, o->now.m->nnodes);
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

	o->scratch = arena_child(o->arena);
	w = cut_windows(o, &n);
	if (shifted)
		shift_cuts(o, w, &n);
	qsort(w, (size_t)n, sizeof(*w), by_height);
	for (i = 0; i < n && w[i].peak > reached; i++) {
		gain = order_window(o, &w[i], reached);
		moved |= gain > 0;
		if (w[i].peak - gain > reached)
			reached = w[i].peak - gain;
	}
	arena_free(o->scratch);
	return moved;
}

static struct standing
standing(struct arena *a, struct model *m)
{
	size_t n = (size_t)m->nvalues + 1;

	return (struct standing){ .m = m, .live = m->trial->live,
		.first = arena_array(a, n, sizeof(int)), .last = arena_array(a, n, sizeof(int)),
		.result = arena_array(a, n, sizeof(bool)), .class_of = arena_array(a, n, sizeof(int)) };
}

/* Describes the graph in the order that stands, and forgets another. */
static bool
describe(struct order *o, const struct pass_options *options)
{
	struct model *m = o->now.m;

	if (m)
		step_reorder(m);
	else if ((m = step_model(o->arena, o->g, options, STEP_ONCE)))
		o->now = standing(o->arena, m);
	if (!m || !step_try(m))
		return false;
	find_uses(o);
	return true;
}

/* A sweep over all windows: does the peak fall? Otherwise the order that stood, for which OLD is
 * room, stands again; it is described anew if another sweep wants it. */
static bool
sweep(struct order *o, const struct pass_options *options, bool shifted, struct node **old)
{
	size_t size = (size_t)o->g->nodes.n * sizeof(struct node *);
	int64_t peak;

	if (o->stale && !describe(o, options))
		return false;
	o->stale = false;
	peak = o->now.m->trial->peak;
	memcpy(old, o->g->nodes.v, size);
	if (!improve_windows(o, shifted))
		return false;
	if (describe(o, options) && o->now.m->trial->peak < peak)
		return true;
	memcpy(o->g->nodes.v, old, size);
	o->stale = true;
	return false;
}

static void
sweep_all(struct order *o, const struct pass_options *options, struct node **old)
{
	int done, idle = 0;

	for (done = 0; done < SWEEPS && idle < 2; done++)
		idle = sweep(o, options, done % 2, old) ? 0 : idle + 1;
}

/* Sweeps once more, from where merged chains are; what stood before stands again if that does not
 * get lower. */
static void
begin_with_merge(struct order *o, const struct pass_options *options, struct node **old)
{
	size_t size = (size_t)o->g->nodes.n * sizeof(struct node *);
	struct node **before;
	int64_t peak;

	if (o->stale && !describe(o, options))
		return;
	o->stale = false;
	peak = o->now.m->trial->peak;
	before = arena_array(o->arena, (size_t)o->g->nodes.n, sizeof(*before));
	memcpy(before, o->g->nodes.v, size);
	if (!order_merge(o))
		return;
	if (describe(o, options)) {
		sweep_all(o, options, old);
		if ((!o->stale || describe(o, options)) && o->now.m->trial->peak < peak)
			return;
	}
	memcpy(o->g->nodes.v, before, size);
	o->stale = true;
}

/* Room for so many sets of one size, of which there may be four times as many before they are cut
 * down: half of the slots. */
static void
set_beam(struct order *o, int beam)
{
	int i;

	o->beam = beam;
	o->slots = 8 * (unsigned)beam;
	o->hash = arena_array(o->arena, o->slots, sizeof(*o->hash));
	o->slot = arena_array(o->arena, 4 * (size_t)beam, sizeof(*o->slot));
	for (i = 0; i < 2; i++)
		o->level[i].v = arena_array(o->arena, 4 * (size_t)beam, sizeof(*o->level[i].v));
	memset(o->came, 0, sizeof(o->came));
}

/* Sets that may be grown in wider beams: where nothing is trained the search is all that is done,
 * and with time given it goes on; a search for a budget orders what it tries, and has the time for
 * itself. */
static int64_t
work_when_wider(const struct module *m, const struct pass_options *options)
{
	int64_t work = m->train ? 0 : WIDER_WORK;

	if (m->set.recompute_budget || options->most_bytes)
		return work;
	return work + (int64_t)(options->seconds * WIDER_SECOND);
}

/* Sweeps with more and more sets of one size, as long as some are left out and the peak might be
 * lower. */
static void
widen(struct order *o, const struct pass_options *options, struct node **old)
{
	int64_t most = work_when_wider(o->g->module, options);

	for (o->work = 0; o->cut && o->work < most && o->beam < ORDER_WIDEST;) {
		if (o->stale && !describe(o, options))
			return;
		o->stale = false;
		if (o->now.m->trial->peak <= step_least(o->now.m))
			return;
		set_beam(o, 4 * o->beam);
		o->cut = false;
		sweep_all(o, options, old);
	}
}

void
order_graph(struct graph *g, const struct pass_options *options)
{
	struct arena *a;
	struct node **old;
	struct order *o;

	if (g->nodes.n <= 2)
		return;
	a = arena_child(g->module->arena);
	old = arena_array(a, (size_t)g->nodes.n, sizeof(*old));
	o = ARENA_NEW(a, struct order);
	o->arena = a;
	o->g = g;
	o->known = g->module->options ? g->module->options->orders : NULL;
	set_beam(o, ORDER_BEAM);
	if (describe(o, options)) {
		sweep_all(o, options, old);
		begin_with_merge(o, options, old);
		widen(o, options, old);
	}
	arena_free(a);
}

static bool
run(struct module *m, const struct pass_options *o)
{
	struct graph *const graph[] = { m->train, m->update, m->validate };
	size_t i;

	for (i = 0; i < sizeof(graph) / sizeof(*graph); i++)
		if (graph[i])
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
