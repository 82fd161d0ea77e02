/*
 * Down to a budget, rung by rung; recompute_search.c explains how. The part of the way that two
 * budgets share must come out the same for both, so that their choices are ordered like the
 * budgets.
 */
#include "schedule/recompute_impl.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define OVERSHOOT	3	/* rungs below its aim on which a descent may come to rest */
#define PATIENT		2	/* rungs below the bottom in a row that no descent gets to */
#define FAR_BELOW	4	/* aims for the last resort */
#define PLAN_WORK	64	/* events that planning a choice is worth, for each node */

struct ladder {
	struct state_search *s;
	int64_t least;		/* what one node needs at once */
	int bottom;		/* rung; UNKNOWN until somebody has to know */
	int seen;		/* the bottom is not above this rung */
	struct choice start;
	struct choice lowest;	/* of the descents that every walk to the end makes; before that, a choice
				 * below the rung that somebody had to know of */
	struct choice deepest;	/* of all descents */
	struct choice landed[OVERSHOOT + 1];	/* by rung: the cheapest that came to rest on it */
};

#define UNKNOWN	INT_MAX

/* A descent that takes a byte of traffic for so many multiply-adds, and aims at that share of the
 * rung; one that aims too low is not stopped by what only looks like the end. */
static const struct descent {
	double traffic, aim;
} descents[] = {
	{ 16 * TRAFFIC, 1 }, { 4 * TRAFFIC, 1 }, { TRAFFIC, 1 }, { 16 * TRAFFIC, 0.93 },
	{ TRAFFIC, 0.93 },
};

#define DESCENTS	((int)(sizeof(descents) / sizeof(*descents)))

/* Back to where all descents begin. What one has learned must not change the next: which are made
 * depends on the budget. */
static void
begin_descent(struct ladder *l, double traffic, int64_t aim)
{
	struct state_search *s = l->s;

	s->m->effort = 0;
	s->made = 0;
	memset(s->until, 0, MOVE_KINDS * (size_t)s->m->nvalues * sizeof(*s->until));
	s->traffic = traffic;
	s->aim = aim;
	choice_take(s, &l->start);
}

/* Goes down to that peak; false when that cannot be. */
static bool
descend_as(struct ladder *l, const struct descent *d, int64_t aim)
{
	struct state_search *s = l->s;
	bool there;

	begin_descent(l, d->traffic, (int64_t)((double)aim * d->aim));
	search_descend(s, -1);
	s->aim = aim;
	there = s->m->trial->peak <= aim;
	search_settle(s);
	if (there)
		search_restore(s);
	s->traffic = TRAFFIC;
	return there;
}

/* ---- rungs ---- */

static int64_t
aim_of(const struct ladder *l, int rung)
{
	int64_t aim = search_next_rung(l->start.peak);

	while (rung-- > 0)
		aim = search_next_rung(aim);
	return aim;
}

/* The rung on which a peak rests: not above its aim, but above the next. */
static int
rung_of(const struct ladder *l, int64_t peak)
{
	int64_t below = search_next_rung(search_next_rung(l->start.peak));
	int rung = 0;

	for (; below >= peak; below = search_next_rung(below))
		rung++;
	return rung;
}

/* Does the bottom lie on that rung or below? The descent that tells is the same for all rungs, but
 * no more of it is run than it takes. */
static bool
has_rung(struct ladder *l, int rung)
{
	struct state_search *s = l->s;

	if (l->bottom == UNKNOWN && rung > l->seen) {
		l->seen = rung + OVERSHOOT;
		begin_descent(l, descents[0].traffic, l->least);
		if (!search_descend(s, aim_of(l, l->seen))) {
			l->bottom = rung_of(l, s->m->trial->peak);
		}
		choice_save(s, &l->lowest);
		s->traffic = TRAFFIC;
	}
	return rung <= l->bottom;
}

static void
note_lowest(struct ladder *l)
{
	if (l->s->m->trial->peak < l->lowest.peak)
		choice_save(l->s, &l->lowest);
}

/* All descents to a rung. They may come to rest on a lower one, since tensors are large; false when
 * none gets there. */
static bool
descend_to(struct ladder *l, int rung)
{
	struct state_search *s = l->s;
	bool any = false;
	int i, rest;

	for (i = 0; i < DESCENTS && search_may(s); i++) {
		bool there = descend_as(l, &descents[i], aim_of(l, rung));

		if (s->m->trial->peak < l->deepest.peak)
			choice_save(s, &l->deepest);
		if (rung > l->bottom)
			note_lowest(l);
		if (!there)
			continue;
		any = true;
		rest = rung_of(l, s->m->trial->peak);
		if (rest <= rung + OVERSHOOT) {
			struct choice *c = &l->landed[rest % (OVERSHOOT + 1)];

			if (search_cost(s) < c->cost)
				choice_save(s, c);
		}
	}
	return any;
}

static bool
fits(struct ladder *l, const struct choice *c)
{
	struct state_search *s = l->s;

	choice_take(s, c);
	s->m->work += PLAN_WORK * (int64_t)s->m->nnodes;
	return s->limits->fits(s->m, s->limits->context);
}

/* Down the ladder from a little above rung FIRST, or above the first below the bottom; true when
 * the choice of a rung from FIRST on fits. */
static bool
walk_down(struct ladder *l, int first)
{
	int rung = (has_rung(l, first) ? first : l->bottom + 1) - OVERSHOOT, failed = 0;

	if (rung < 0)
		rung = 0;
	for (; failed < PATIENT && aim_of(l, rung) > l->least && search_may(l->s); rung++) {
		struct choice *c = &l->landed[rung % (OVERSHOOT + 1)];
		bool expected = has_rung(l, rung);

		failed = descend_to(l, rung) || expected ? 0 : failed + 1;
		if (rung >= first && c->cost < HUGE_VAL && fits(l, c))
			return true;
		c->cost = HUGE_VAL;
	}
	return false;
}

/* The last resort. Descents that miss an aim far below the bottom come to rest in many places. */
static bool
take_lowest(struct ladder *l)
{
	int64_t above = l->lowest.peak - l->least;
	struct state_search *s = l->s;
	int i, k;

	for (k = 0; k < FAR_BELOW; k++)
		for (i = k == 0 && l->bottom != UNKNOWN;	/* has_rung() made the first */
		    i < DESCENTS && search_may(s); i++) {
			descend_as(l, &descents[i], l->least + above / FAR_BELOW * k);
			note_lowest(l);
		}
	if (!search_may(s) && l->deepest.peak < l->lowest.peak)
		l->lowest = l->deepest;
	choice_take(s, &l->lowest);
	s->aim = l->lowest.peak;
	search_settle(s);
	search_restore(s);
	note_lowest(l);
	return s->limits->fits(s->m, s->limits->context) || fits(l, &l->lowest);
}

/* The work is used up: what came to rest on a rung and was not looked at yet, or the lowest. */
static bool
take_what_there_is(struct ladder *l, int first)
{
	int i;

	for (i = 0; i <= OVERSHOOT; i++) {
		const struct choice *c = &l->landed[(first + i) % (OVERSHOOT + 1)];

		if (c->cost < HUGE_VAL && rung_of(l, c->peak) >= first && fits(l, c))
			return true;
	}
	return fits(l, &l->lowest) || (l->deepest.peak < l->lowest.peak && fits(l, &l->deepest));
}

bool
search_ladder(struct state_search *s)
{
	struct ladder l = { .s = s, .least = step_least(s->m), .bottom = UNKNOWN, .seen = -1,
	    .start = choice_new(s), .lowest = choice_new(s), .deepest = choice_new(s) };
	int64_t budget = s->limits->budget > l.least ? s->limits->budget : l.least;
	int k;

	s->before_detour = choice_new(s);
	choice_save(s, &l.start);
	for (k = 0; k <= OVERSHOOT; k++)
		l.landed[k] = choice_new(s);
	if (walk_down(&l, rung_of(&l, budget)))
		return true;
	return search_may(s) ? take_lowest(&l) : take_what_there_is(&l, rung_of(&l, budget));
}
