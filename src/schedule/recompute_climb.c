/*
 * The best of many passes that let values go: each has a few prices changed by chance (always the
 * same), and what makes less again stands. A pass takes a thousandth of what a descent does, so
 * hundreds of them are made.
 */
#include "schedule/recompute_evict.h"

#include <math.h>
#include <string.h>

#define MOST_CHANGED	4	/* prices, from one pass to the next, */
#define MOST_DEARER	3.0	/* by at most so many powers of e */

struct climbing {
	struct state_search *s;
	struct evicting e;
	double reach;
	double *weight, *other;	/* by value: of the best so far, and of the one that is tried */
	struct steps made, *best;
	uint64_t seed;
};

static unsigned
chance(struct climbing *c, unsigned n)
{
	c->seed = c->seed * 6364136223846793005u + 1442695040888963407u;	/* Knuth's MMIX */
	return (unsigned)(c->seed >> 40) % n;
}

static bool
is_better(const struct steps *a, const struct steps *b, int64_t aim)
{
	bool fits = a->peak <= aim;

	if (b->cost == HUGE_VAL || fits != (b->peak <= aim))
		return b->cost == HUGE_VAL || fits;
	return fits ? a->cost < b->cost : a->peak < b->peak;
}

/* A few values are dearer than they are, or cheaper. */
static void
change_prices(struct climbing *c)
{
	int n = c->s->n, k;

	memcpy(c->other, c->weight, (size_t)c->s->m->nvalues * sizeof(*c->other));
	for (k = 1 + (int)chance(c, MOST_CHANGED); k > 0; k--)
		c->other[c->s->candidate[chance(c, (unsigned)n)]] = exp(MOST_DEARER * (chance(c, 1001) / 500.0 - 1));
}

static void
try_prices(struct climbing *c, double reach)
{
	if (!evict_pass(&c->e, reach, c->other, &c->made) || is_better(c->best, &c->made, c->e.aim))
		return;
	steps_copy(c->best, &c->made);
	c->reach = reach;
	memcpy(c->weight, c->other, (size_t)c->s->m->nvalues * sizeof(*c->weight));
}

bool
steps_evict(struct state_search *s, int64_t aim, int64_t work, struct steps *best)
{
	static const double reach[] = { 0.5, 0, 1 };
	struct arena *a = arena_child(s->m->arena);
	size_t n = (size_t)s->m->nvalues + 1, i;
	struct climbing c = { .s = s, .e = { .m = s->m, .a = a, .aim = aim, .most_looks = work,
	    .reach = -1, .lies_on = -1 }, .weight = arena_array(a, n, sizeof(double)),
	    .other = arena_array(a, n, sizeof(double)), .best = best };
	int64_t most_work = s->m->work + work;

	c.made.event = arena_array(a, (size_t)s->m->trial->most_events + 1, sizeof(*c.made.event));
	best->cost = HUGE_VAL;
	evict_begin(&c.e);
	for (i = 0; i < n; i++)
		c.weight[i] = c.other[i] = 1;
	for (i = 0; i < sizeof(reach) / sizeof(*reach); i++)
		try_prices(&c, reach[i]);
	while (best->cost < HUGE_VAL && search_may(s) && s->m->work < most_work) {
		change_prices(&c);
		try_prices(&c, c.reach);
	}
	arena_free(a);
	return best->cost < HUGE_VAL;
}
