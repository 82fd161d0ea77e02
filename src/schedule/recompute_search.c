/*
 * Choosing what to recompute. One *descent* starts from the choice that keeps everything and aims
 * at a peak. What is alive above the aim, summed over the step's events, is the *excess*; moves are
 * made until there is none:
 *
 *     live |      ..xxxx..  xx        aim     a move drops a tensor that is idle between its last
 *          |----.x      x--x--x---------      use in forward and its first in backward, or keeps
 *          |  .               x.              one again, or no longer keeps a copy
 *          +----------------------> event
 *
 * Which moves are worth trying is estimated from the idle time and the cost of recomputing the
 * tensor; the best of those few are tried exactly, and the one that removes the most excess for its
 * cost is made. When the aim is met, what can be kept after all is kept.
 *
 * For a budget, aims are the rungs of a ladder, each a little below the last. At every fourth,
 * descents begin anew: in passes in which something goes where room is needed (recompute_climb.c),
 * on states, on the list of what runs (recompute_gaps.c), and on that with checkpoints at regular
 * distances (recompute_parts.c); to the others they go on from the rung above. What need not be
 * made again is struck out, and it is tried what else could be made again for what is
 * (recompute_steps.c). What comes to rest on a rung competes there with what the next ones have,
 * brought up to it, and to peaks between it and the rung above, to which passes come, too, and what
 * was chosen at the peak before, brought down. What is lower and costs less than some that were
 * found above is brought up to where they were. So there is a list of choices, ever lower; from a
 * little above the budget down the first that fits is taken, if nothing that is found down to a
 * rung below it, by its peak, is lower and costs less. Neither
 * rungs nor what is in the list depend on the budget, but for where it begins: what fits a smaller
 * budget fits a larger one, which looks at it as well, if it is at most a rung below. So a smaller
 * one gives no larger arena, and seldom less work. Without a budget one
 * descent goes down rung by rung, through element-wise work alone, and ends where memory becomes
 * too expensive; from there it is tried by parts of a rung.
 *
 * That has three limits. The order of nodes may take more off a step's peak than the list is looked
 * at above the budget. A search may make so many trials, counted in events, and twice as many more
 * where nothing was found and the spec names the budget, and then ends. And where nothing in the
 * list fits, what is nearest is placed with more effort; then it is tried what passes come to at
 * the budget itself, the lowest, and what got stuck. At last a single pass is made to the budget,
 * and to a little less, for which there is work left whatever was searched; in a step of many
 * thousands of nodes also where something fits, as it may cost less than that. What fits then is
 * gone on from in its own order (recompute_refine.c).
 *
 * Before all that, recompute_exact.c looks for the cheapest way among all; in networks of about a
 * dozen layers it finds it, in several orders of the step (recompute_orders.c). States can't say
 * everything that it can: that a tensor is made again, dropped, and made again later.
 *
 * Cost is multiply-adds, and bytes read and written. If there are few tensors to choose from, all
 * choices are tried instead, and the best one for any budget is known.
 *
 * Chains of equal layers come out as one would expect (checkpoints at regular distances); for other
 * methods see Griewank and Walther's revolve (2000), Beaumont and others' Rotor (2019), Checkmate
 * (2020), MONeT (2021), Moccasin (2023), Rockmate (2023).
 */
#include "schedule/recompute_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RATE		8	/* without products: bytes of traffic worth a byte of peak */
#define PATIENCE	10	/* steps down without a better choice that end the walk */
#define SHORTEST	8	/* part of a step, of those from the best choice on */
#define LARGE		1000	/* tensors to choose from, for the cheap descent */
#define EXHAUSTIVE	2187	/* choices that are all tried: of seven tensors */
#define LEAST_SHARE	2000	/* a tensor below this part of the peak is left as it is, */
#define LEAST_PER_NODE	8	/* or below this part of a node's share in it, in large networks */
#define EFFORT_CHEAP	((int64_t)3 << 20)	/* events in all trials: a second or so */
#define EFFORT_BUDGET	((int64_t)3 << 20)	/* in one descent */

static bool
limits_fit(struct state_search *s)
{
	return s->limits->fits(s->m, s->limits->context);
}

/* ---- without a budget ---- */

/* Lower is better: memory is not worth any price. */
static double
merit(int64_t peak, double cost)
{
	return cost + TRAFFIC * RATE * (double)peak;
}

static int64_t
next_aim(const struct state_search *s, int64_t peak)
{
	int64_t aim = search_next_rung(peak);

	return s->n > LARGE ? aim - 3 * (peak / STEP) : aim;	/* fewer, longer steps */
}

/* From the best choice on by shorter steps: memory may be worth its price only so far. */
static void
lower_between(struct state_search *s, struct choice *best)
{
	int part;

	for (part = 2; part <= SHORTEST; part *= 2) {
		choice_take(s, best);
		s->aim = best->peak - (best->peak - next_aim(s, best->peak)) / part;
		if (search_descend(s, s->aim) && merit(s->m->trial->peak, s->cost) < merit(best->peak, best->cost))
			choice_save(s, best);
	}
}

static void
lower_cheaply(struct state_search *s)
{
	struct choice best = choice_new(s);
	int since = 0;

	choice_save(s, &best);
	while (since++ < PATIENCE) {
		s->aim = next_aim(s, s->m->trial->peak);
		if (!search_descend(s, s->aim))
			break;
		if (merit(s->m->trial->peak, s->cost) < merit(best.peak, best.cost)) {
			choice_save(s, &best);
			since = 0;
		}
	}
	lower_between(s, &best);
	choice_take(s, &best);
	s->aim = best.peak;
	search_settle(s);
	search_restore(s);
}

/* ---- few tensors: all choices ---- */

/* The candidates that a search may make again at all: without products, what products make
 * stays. */
static int
find_free(const struct state_search *s, int *free)
{
	int i, n = 0;

	for (i = 0; i < s->n; i++)
		if (s->limits->products || s->m->node[s->m->value[s->candidate[i]].def].again->macs == 0)
			free[n++] = s->candidate[i];
	return n;
}

static void
set_choice(struct model *m, const int *value, int n, int number)
{
	int i;

	for (i = 0; i < n; i++, number /= 3)
		m->state[value[i]] = (unsigned char)(number % 3);
}

struct numbered {
	int number;		/* its digits to base 3 are the states */
	int64_t peak;
	double cost;
};

static int
by_peak(const void *x, const void *y)
{
	const struct numbered *a = x, *b = y;

	if (a->peak != b->peak)
		return a->peak > b->peak ? -1 : 1;
	if (a->cost != b->cost)
		return a->cost > b->cost ? -1 : 1;
	return b->number - a->number;
}

/* From the cheapest to the lowest: what has no equal that is cheaper. Returns how many stay. */
static int
keep_best(struct numbered *c, int n)
{
	double cheapest = HUGE_VAL;
	int i, kept = n;

	for (i = n - 1; i >= 0; i--)
		if (c[i].cost < cheapest) {
			cheapest = c[i].cost;
			c[--kept] = c[i];
		}
	memmove(c, c + kept, (size_t)(n - kept) * sizeof(*c));
	return n - kept;
}

/* All choices for these values: so many. */
static bool
try_all(struct state_search *s, const int *value, int nvalues, int count)
{
	struct numbered *c = arena_array(s->m->arena, (size_t)count + 1, sizeof(*c));
	int i, n = 0, best = 0;

	for (i = 0; i < count; i++) {
		set_choice(s->m, value, nvalues, i);
		if (step_try(s->m) && search_allowed(s))
			c[n++] = (struct numbered){ i, s->m->trial->peak, search_cost(s) };
	}
	qsort(c, (size_t)n, sizeof(*c), by_peak);
	n = keep_best(c, n);
	for (i = 0; i < n; i++) {
		set_choice(s->m, value, nvalues, c[i].number);
		step_try(s->m);
		if (limits_fit(s))
			return true;
		if (s->limits->products || merit(c[i].peak, c[i].cost) <
		    merit(c[best].peak, c[best].cost))
			best = i;
	}
	set_choice(s->m, value, nvalues, c[best].number);
	step_try(s->m);
	return false;
}

/* ---- the search ---- */

static void
find_candidates(struct state_search *s)
{
	struct model *m = s->m;
	int share = LEAST_PER_NODE * m->nnodes, i;

	if (share < LEAST_SHARE)
		share = LEAST_SHARE;
	s->candidate = arena_array(m->arena, (size_t)m->nvalues + 1, sizeof(*s->candidate));
	for (i = 0; i < m->nvalues; i++) {
		const struct model_value *v = &m->value[i];

		if (v->root == i && !v->fixed && !v->settled && !v->persistent && v->def >= 0 &&
		    v->def < m->forward && v->bytes > m->trial->peak / share)
			s->candidate[s->n++] = i;
	}
}

static struct state_search
new_search(struct model *m, const struct search_limits *limits)
{
	struct state_search s = { .m = m, .limits = limits, .traffic = TRAFFIC,
	    .most_effort = limits->products ? EFFORT_BUDGET : EFFORT_CHEAP };

	step_try(m);
	s.macs = m->trial->macs;
	return s;
}

bool
recompute_cheapest(struct model *m, const struct search_limits *limits, double most)
{
	struct state_search s = new_search(m, limits);

	return search_exact(&s, most);
}

/* Room for descents. */
static void
make_room(struct state_search *s)
{
	struct model *m = s->m;

	s->above = arena_array(m->arena, (size_t)m->trial->most_events + 2, sizeof(*s->above));
	s->live = arena_array(m->arena, (size_t)m->trial->most_events + 1, sizeof(*s->live));
	s->copy = arena_array(m->arena, (size_t)m->nvalues + 1, sizeof(*s->copy));
	s->later = arena_array(m->arena, (size_t)m->trial->most_values + 1, sizeof(*s->later));
	s->born = arena_array(m->arena, (size_t)m->trial->most_values + 1, sizeof(*s->born));
	s->shorter = arena_array(m->arena, MOST_SHORTER, sizeof(*s->shorter));
	s->less = arena_array(m->arena, (size_t)m->trial->most_events + 2, sizeof(*s->less));
	s->last = arena_array(m->arena, (size_t)m->nvalues + 1, sizeof(*s->last));
	step_lives(m, s->copy, s->last);	/* the former is not of interest yet */
	s->move = arena_array(m->arena, 2 * (size_t)s->n + 1, sizeof(*s->move));
	s->until = arena_array(m->arena, MOVE_KINDS * (size_t)m->nvalues + 1, sizeof(*s->until));
	s->change = arena_array(m->arena, (MOST_EXCHANGED + 1) * ((size_t)s->n + 1),
	    sizeof(*s->change));
	s->seen = arena_array(m->arena, (size_t)m->nnodes + 1, sizeof(*s->seen));
}

bool
recompute_go_down(struct model *m, const struct search_limits *limits)
{
	struct state_search s = new_search(m, limits);
	int *free = arena_array(m->arena, (size_t)m->nvalues + 1, sizeof(*free)), nfree, i, choices = 1;

	find_candidates(&s);
	nfree = find_free(&s, free);
	for (i = 0; i < nfree && choices <= EXHAUSTIVE; i++)
		choices *= 3;
	if (nfree == 0)
		return false;
	if (choices <= EXHAUSTIVE)
		return try_all(&s, free, nfree, choices);
	make_room(&s);
	if (limits->products) {
		s.tried = tried_new(m->arena);
		tried_anew(&s);
		return search_ladder(&s);
	}
	lower_cheaply(&s);
	return false;
}

bool
recompute_refine(struct model *m, const struct search_limits *limits, struct steps *steps)
{
	struct state_search s = new_search(m, limits);

	find_candidates(&s);
	make_room(&s);
	return search_refine(&s, steps);
}

bool
recompute_search(struct model *m, const struct search_limits *limits)
{
	step_try(m);
	return limits->fits(m, limits->context) || (limits->products && recompute_cheapest(m, limits, HUGE_VAL)) ||
	    recompute_go_down(m, limits);
}

static bool
never(struct model *m, void *context)
{
	(void)m;
	(void)context;
	return false;
}

void
recompute_cheaply(struct model *m)
{
	const struct search_limits cheap = { .budget = -1, .work = RECOMPUTE_WORK, .most_work = INT64_MAX, .fits = never };

	recompute_search(m, &cheap);
}
