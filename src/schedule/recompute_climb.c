/*
 * The best of many passes that let values go: each has a few prices changed by chance (always the
 * same), and what makes less again stands. A pass takes a thousandth of what a descent does, so
 * hundreds of them are made. At the next lower peak the prices that stood are a good beginning.
 */
#include "schedule/recompute_evict.h"

#include <math.h>
#include <string.h>

#include "base/chance.h"

#define MOST_CHANGED	4	/* prices, from one pass to the next, */
#define MOST_DEARER	3.0	/* by at most so many powers of e */
#define MOST_LOWER	3	/* peaks to which a pass alone is made: the budget, */
#define LOWER		16	/* and that part lower, each */

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
	return (unsigned)(chance_bits(&c->seed) >> 40) % n;
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

/* What the list makes again costs that at least: views, which are not in it, come on top. */
static double
cost_of_list(const struct climbing *c, const struct steps *list)
{
	double cost = 0;
	int i;

	for (i = 0; i < list->n; i++)
		if (list->event[i].again)
			cost += c->e.cost[list->event[i].what];
	return cost;
}

static void
try_prices(struct climbing *c, double reach)
{
	struct model *m = c->s->m;

	if (!evict_pass(&c->e, reach, c->other, &c->made))
		return;
	if (c->best->peak <= c->e.aim && cost_of_list(c, &c->made) >= c->best->cost)
		return;		/* whatever its peak is */
	if (!steps_try(m, &c->made) || is_better(c->best, &c->made, c->e.aim))
		return;
	steps_copy(c->best, &c->made);
	c->reach = reach;
	memcpy(c->weight, c->other, (size_t)m->nvalues * sizeof(*c->weight));
}

struct climbing *
climb_new(struct state_search *s)
{
	struct arena *a = s->m->arena;
	size_t n = (size_t)s->m->nvalues + 1;
	struct climbing *c = ARENA_NEW(a, struct climbing);

	c->s = s;
	c->e = (struct evicting){ .m = s->m, .a = a, .reach = -1, .lies_on = -1 };
	c->weight = arena_array(a, n, sizeof(*c->weight));
	c->other = arena_array(a, n, sizeof(*c->other));
	c->made = steps_new(s->m);
	evict_begin(&c->e);
	return c;
}

/* All prices are what they are. */
static void
forget(struct climbing *c)
{
	int i;

	for (i = 0; i < c->s->m->nvalues; i++)
		c->weight[i] = 1;
	c->seed = 0;
}

static bool
climb(struct climbing *c, int64_t work)
{
	struct state_search *s = c->s;
	int64_t most_work = s->m->work + work;

	while (c->best->cost < HUGE_VAL && search_may(s) && s->m->work < most_work) {
		change_prices(c);
		try_prices(c, c->reach);
	}
	return c->best->cost < HUGE_VAL;
}

static void
begin(struct climbing *c, int64_t aim, int64_t work, struct steps *best)
{
	c->e.aim = aim;
	c->e.most_looks = work;
	c->best = best;
	best->cost = HUGE_VAL;
	best->peak = INT64_MAX;
}

static void
begin_anew(struct climbing *c, int64_t aim, int64_t work, struct steps *best)
{
	begin(c, aim, work, best);
	forget(c);
	memcpy(c->other, c->weight, (size_t)c->s->m->nvalues * sizeof(*c->other));
}

bool
climb_anew(struct climbing *c, int64_t aim, int64_t work, struct steps *best)
{
	size_t i;

	begin_anew(c, aim, work, best);
	for (i = 0; i < sizeof(evict_reach) / sizeof(*evict_reach); i++)
		try_prices(c, evict_reach[i]);
	return climb(c, work);
}

/* One pass, with as much effort as it takes. */
static bool
go_at_once(struct climbing *c, int64_t aim, struct steps *made)
{
	begin_anew(c, aim, RECOMPUTE_WORK, made);
	try_prices(c, evict_reach[0]);
	return made->cost < HUGE_VAL;
}

bool
climb_to_budget(struct climbing *c, int64_t least, struct steps *made)
{
	int64_t aim = c->s->limits->budget;
	int i;

	for (i = 0; i < MOST_LOWER && aim >= least && go_at_once(c, aim, made); i++, aim -= aim / LOWER)
		if (steps_fit(c->s, made))
			return true;
	return false;
}

void
climb_to_cheaper(struct climbing *c, struct steps *fits, struct steps *made)
{
	steps_of_trial(c->s->m, fits);
	if (!go_at_once(c, c->s->limits->budget, made) || made->cost >= fits->cost || !steps_fit(c->s, made))
		steps_try(c->s->m, fits);
}

bool
climb_on(struct climbing *c, int64_t aim, int64_t work, struct steps *best)
{
	begin(c, aim, work, best);
	memcpy(c->other, c->weight, (size_t)c->s->m->nvalues * sizeof(*c->other));
	try_prices(c, c->reach);
	return climb(c, work);
}
