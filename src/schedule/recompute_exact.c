/*
 * The cheapest way to stay within a budget, exactly. The step runs node by node; between two of
 * them a tensor that was dropped may be made again, any number of times. A *state* is the node that
 * comes next and the set of tensors that are there; the cheapest path from before the first node to
 * behind the last is found by A* (Hart, Nilsson and Raphael, 1968) with the bound of
 * recompute_sets.c.
 *
 *     {a} --run--> {a b} --run--> {a b c} --drop b--> {a c} ... --again b--> {a b c} --run--> ...
 *
 * Tensors are dropped as late as can be: only where what is next would not fit. That loses nothing,
 * for whatever is dropped earlier could as well be dropped then, and leaves few states to look at.
 * Fewer still, if what is next is taken to be a node in its turn, or what that reads: then nothing
 * is dropped to make again, before gradients grow, what a later node needs. So a first search looks
 * at these alone, and a second one, which may cost no more, at all.
 *
 * Of all ways that cost least, the one with the lowest peak is taken; so a smaller budget never
 * gives a higher peak, where both searches end. Later passes join nodes and order them once more,
 * so the arena may be lower than the peak: the search begins a little above the budget. If an arena
 * does not fit after all, the search goes on below that peak. For networks with more tensors than a
 * word has bits, or more states than the search may look at, there is recompute_ladder.c.
 */
#include "schedule/recompute_exact.h"

#include <math.h>

#include "base/vec.h"

#define MOST_STATES	1000000	/* where there are so few bits that the search probably ends, */
#define FEW_STATES	100000	/* and where there are more; */
#define ALL_STATES	8	/* of either the second search has this part */
#define STATE_WORK	32	/* events that coming to a state is worth, with the bound of its cost */
#define SHARE		2	/* of the work that is left, at most this part for one path */
#define BELOW		512	/* part of a peak by which the next is lower, if its arena does not fit */
#define MOST_ARENAS	12	/* tried, */
#define ABOVE		32	/* the first ones of peaks up to this part above the budget: */
#define MOST_ABOVE	4	/* so many, where there are few bits */

enum { RUN = -1, DROP = -2 };	/* how a state was come to; else the bit made again */

struct state {
	uint64_t set;
	double cost;
	int node;		/* that comes next */
	int from, how;
	bool done;
};

struct waiting {
	double bound;		/* of the whole path */
	double cost;		/* of the state when it was put here */
	int state;
};

struct path_search {
	struct sets *s;
	struct arena *arena;
	int64_t budget;
	double most;		/* cost above which no path is wanted */
	bool all;		/* does room count, too, for what a later node needs? */
	VEC(struct state) state;
	int *place;		/* hash: states + 1 */
	unsigned mask;
	VEC(struct waiting) heap;
	int most_states;
};

/* ---- the heap: the lowest bound, and of equal ones the farthest ---- */

static bool
sooner(const struct path_search *p, const struct waiting *a, const struct waiting *b)
{
	if (a->bound != b->bound)
		return a->bound < b->bound;
	return p->state.v[a->state].node > p->state.v[b->state].node;
}

static void
put(struct path_search *p, struct waiting w)
{
	int i;

	vec_push(p->arena, &p->heap, w);
	for (i = p->heap.n - 1; i > 0 && sooner(p, &w, &p->heap.v[(i - 1) / 2]); i = (i - 1) / 2)
		p->heap.v[i] = p->heap.v[(i - 1) / 2];
	p->heap.v[i] = w;
}

static struct waiting
take(struct path_search *p)
{
	struct waiting top = p->heap.v[0], w = p->heap.v[--p->heap.n];
	int i = 0, child;

	for (; (child = 2 * i + 1) < p->heap.n; i = child) {
		if (child + 1 < p->heap.n && sooner(p, &p->heap.v[child + 1], &p->heap.v[child]))
			child++;
		if (!sooner(p, &p->heap.v[child], &w))
			break;
		p->heap.v[i] = p->heap.v[child];
	}
	if (p->heap.n > 0)
		p->heap.v[i] = w;
	return top;
}

/* ---- states ---- */

static struct state *
find(struct path_search *p, uint64_t set, int node)
{
	uint64_t h = (set ^ (uint64_t)node << 48) * 0x9e3779b97f4a7c15u;
	unsigned i = (unsigned)((h ^ h >> 29) * 0xbf58476d1ce4e5b9u >> 32) & p->mask;
	struct state *x;

	for (; p->place[i]; i = (i + 1) & p->mask) {
		x = &p->state.v[p->place[i] - 1];
		if (x->set == set && x->node == node)
			return x;
	}
	vec_push(p->arena, &p->state, ((struct state){ set, HUGE_VAL, node, -1, RUN, false }));
	p->place[i] = p->state.n;
	return &p->state.v[p->state.n - 1];
}

static void
come_to(struct path_search *p, uint64_t set, int node, double cost, int from, int how)
{
	struct state *x;
	double bound;

	set &= p->s->useful[node];
	if (p->state.n >= (int)(p->mask / 2))
		return;		/* the search ends at the next state */
	x = find(p, set, node);
	if (cost >= x->cost)
		return;
	bound = cost + sets_least_cost(p->s, set, node);
	if (isinf(bound) || bound > p->most)
		return;
	x->cost = cost;
	x->from = from;
	x->how = how;
	x->done = false;
	put(p, (struct waiting){ bound, cost, (int)(x - p->state.v) });
}

/* Runs a node, in its turn or again to make bit AGAIN; false if it needs more room, or in its turn
 * what is missing. */
static bool
run(struct path_search *p, int from, int again)
{
	const struct state x = p->state.v[from];
	const struct set_event *e = again < 0 ? &p->s->own[x.node] : &p->s->again[again];
	int64_t bytes = sets_bytes(p->s, x.set) + e->bytes +
	    (again < 0 ? 0 : p->s->between[x.node]);
	int next = again < 0 ? x.node + 1 : x.node;
	double cost = x.cost + (again < 0 ? 0 : e->cost);

	if (e->reads & ~x.set)
		return again >= 0;	/* what is missing is made again, or dropped for */
	if (bytes <= p->budget) {
		come_to(p, x.set | e->makes, next, cost, from, again < 0 ? RUN : again);
		return true;
	}
	if (e->over && bytes - e->spared <= p->budget)
		come_to(p, (x.set & ~e->over) | e->makes, next, cost, from, again < 0 ? RUN : again);
	return false;
}

/* What may be made again in a state: what is missing, or all that something may yet be made
 * from. */
static uint64_t
makeable(const struct path_search *p, const struct state *x)
{
	if (x->node < p->s->m->forward)
		return 0;
	return p->all ? p->s->useful[x->node] & p->s->makeable & ~x->set : sets_wanted(p->s, x->set, x->node);
}

/* All that may follow a state. */
static void
follow(struct path_search *p, int from)
{
	const struct state x = p->state.v[from];
	bool fits = run(p, from, RUN);
	uint64_t w;

	for (w = makeable(p, &x); w; w &= w - 1) {
		int b = __builtin_ctzll(w);

		if (x.node <= p->s->again[b].before && !run(p, from, b) && p->all)
			fits = false;
	}
	for (w = fits ? 0 : x.set; w; w &= w - 1)
		come_to(p, x.set & ~(w & -w), x.node, x.cost, from, DROP);
}

/* The cheapest path; the number of its last state, or -1. */
static int
find_path(struct path_search *p)
{
	come_to(p, p->s->first, 0, 0, -1, DROP);
	while (p->heap.n > 0 && p->state.n < p->most_states) {
		struct waiting w = take(p);
		struct state *x = &p->state.v[w.state];

		if (x->done || w.cost > x->cost)
			continue;
		x->done = true;
		if (x->node == p->s->m->nnodes)
			return w.state;
		follow(p, w.state);
	}
	return -1;
}

/* ---- the step that a path stands for ---- */

/* What is made on the way to a bit's value, or -1. */
static int
way_to(const struct path_search *p, int bit)
{
	return p->s->way[p->s->value[bit]];
}

/* The path that ends in a state. */
static struct steps
step_of(const struct path_search *p, int last)
{
	struct model *m = p->s->m;
	struct steps s = { NULL, 0, INT64_MAX, p->state.v[last].cost };
	int i, at;

	for (i = last; p->state.v[i].from >= 0; i = p->state.v[i].from)
		s.n += p->state.v[i].how < 0 ? p->state.v[i].how == RUN : way_to(p, p->state.v[i].how) < 0 ? 1 : 2;
	s.event = arena_array(m->arena, (size_t)s.n + 1, sizeof(*s.event));
	for (i = last, at = s.n; p->state.v[i].from >= 0; i = p->state.v[i].from) {
		const struct state *x = &p->state.v[i];

		if (x->how == RUN)
			s.event[--at] = (struct step_event){ false, x->node - 1 };
		if (x->how < 0)
			continue;
		s.event[--at] = (struct step_event){ true, p->s->value[x->how] };
		if (way_to(p, x->how) >= 0)
			s.event[--at] = (struct step_event){ true, way_to(p, x->how) };
	}
	return s;
}

/* A step within the budget at no more than that cost, which is tried; its work counts. Without
 * events if there is none. */
static struct steps
cheapest_of(struct state_search *search, struct sets *s, int64_t budget, double most, bool all)
{
	struct arena *scratch = arena_child(s->m->arena);
	int64_t left = (search->limits->most_work - s->m->work) / (SHARE * STATE_WORK);
	struct path_search p = { .s = s, .arena = scratch, .budget = budget, .most = most, .all = all };
	struct steps step = { NULL, 0, INT64_MAX, HUGE_VAL };
	double cost;
	int last;

	p.most_states = (s->n <= RECOMPUTE_FEW ? MOST_STATES : FEW_STATES) / (all ? ALL_STATES : 1);
	if (left < p.most_states)
		p.most_states = (int)left;
	for (p.mask = 1023; (int)(p.mask / 4) < p.most_states; p.mask = 2 * p.mask + 1)
		;
	p.place = arena_array(scratch, (size_t)p.mask + 1, sizeof(*p.place));
	sets_set_budget(s, budget);
	last = p.most_states > 0 ? find_path(&p) : -1;
	s->m->work += (int64_t)p.state.n * STATE_WORK;
	s->ended |= p.state.n >= p.most_states;
	if (last >= 0)
		step = step_of(&p, last);
	cost = step.cost;
	arena_free(scratch);
	if (step.event && !(steps_try(s->m, &step) && s->m->trial->peak <= budget))
		step.event = NULL;
	step.cost = cost;
	return step;
}

/* The same of both searches. The second is left out once one has ended before it was done. */
static struct steps
cheapest(struct state_search *search, struct sets *s, int64_t budget, double most)
{
	struct steps step = cheapest_of(search, s, budget, most, false), less;

	if (s->ended)
		return step;
	less = cheapest_of(search, s, budget, step.event ? step.cost : most, true);
	return less.event && (!step.event || less.cost < step.cost) ? less : step;
}

/* The same, with the lowest peak of all that cost as little. */
static bool
lowest_of_cheapest(struct state_search *search, struct sets *s, int64_t budget, double most)
{
	struct steps step = cheapest(search, s, budget, most), lower = step;

	while (lower.event) {
		step = lower;
		lower = cheapest(search, s, step.peak - 1, step.cost);
	}
	return step.event && steps_try(s->m, &step);
}

bool
search_exact(struct state_search *search, double most)
{
	struct model *m = search->m;
	struct sets *s = sets_new(m);	/* NULL: too many tensors */
	int64_t least = search->limits->budget, budget = least;
	int above = s && s->n <= RECOMPUTE_FEW ? MOST_ABOVE : 0, tries;

	if (above)
		budget += budget / ABOVE;
	for (tries = 0; s && tries < MOST_ARENAS + above && search_may(search); tries++) {
		if (tries == above && budget > least)
			budget = least;
		if (!lowest_of_cheapest(search, s, budget, most))
			break;
		if (search->limits->fits(m, search->limits->context))
			return true;
		budget = m->trial->peak - m->trial->peak / BELOW - 1;
	}
	step_keep_all(m);
	step_try(m);
	return false;
}
