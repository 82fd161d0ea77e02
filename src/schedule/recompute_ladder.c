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
#define PATIENT		2	/* rungs below the bottom in a row that nothing gets to */
#define FAR_BELOW	4	/* aims for the last resort */
#define PLAN_WORK	64	/* events that planning a choice is worth, for each node */

struct ladder {
	struct state_search *s;
	int64_t least;		/* what one node needs at once */
	int bottom;		/* rung; UNKNOWN until somebody has to know */
	int seen;		/* the bottom is not above this rung */
	struct choice start;
	struct steps whole;	/* the same as a list */
	struct steps lowest;	/* of what every walk to the end makes; before that, a choice below the
				 * rung that somebody had to know of */
	struct steps deepest;	/* of all */
	struct steps landed[OVERSHOOT + 1];	/* by rung: the cheapest that came to rest on it */
	struct steps made, best;	/* the last; of a rung, the cheapest */
};

#define UNKNOWN	INT_MAX

/* A descent that takes a byte of traffic for so many multiply-adds, and aims at that share of the
 * rung; one that aims too low is not stopped by what only looks like the end. */
static const struct descent {
	double traffic, aim;
} descents[] = {
	{ 16 * TRAFFIC, 1 }, { TRAFFIC, 1 }, { 16 * TRAFFIC, 0.93 },
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

static void
note_lower(struct steps *lowest, const struct steps *s)
{
	if (s->cost < HUGE_VAL && s->peak < lowest->peak)
		steps_copy(lowest, s);
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
		steps_of_trial(s->m, &l->made);
		note_lower(&l->lowest, &l->made);
		s->traffic = TRAFFIC;
	}
	return rung <= l->bottom;
}

/* What was made comes to rest on the rung that was aimed at or, since tensors are large, a lower one. */
static void
land(struct ladder *l, int rung, const struct steps *made)
{
	int rest = rung_of(l, made->peak);
	struct steps *c = &l->landed[rest % (OVERSHOOT + 1)];

	note_lower(&l->deepest, made);
	if (rung > l->bottom)
		note_lower(&l->lowest, made);
	if (made->cost < HUGE_VAL && rest >= rung && rest <= rung + OVERSHOOT && made->cost < c->cost)
		steps_copy(c, made);
}

/* What can be kept is kept after all. */
static void
lighten(struct ladder *l, int rung, struct steps *made)
{
	if (made->cost == HUGE_VAL)
		return;
	steps_strike_out(l->s, made, aim_of(l, rung));
	land(l, rung, made);
}

/* The descent on lists, from where all begin. */
static bool
descend_on_list(struct ladder *l, int rung)
{
	bool there;

	steps_copy(&l->made, &l->whole);
	there = steps_descend(l->s, &l->made, aim_of(l, rung), HUGE_VAL);
	land(l, rung, &l->made);
	if (there)
		lighten(l, rung, &l->made);
	return there;
}

/* The descents on states. */
static bool
descend_on_states(struct ladder *l, int rung)
{
	struct state_search *s = l->s;
	bool any = false;
	int i;

	l->best.cost = HUGE_VAL;
	for (i = 0; i < DESCENTS && search_may(s); i++) {
		bool there = descend_as(l, &descents[i], aim_of(l, rung));

		steps_of_trial(s->m, &l->made);
		land(l, rung, &l->made);
		any |= there;
		if (there && l->made.cost < l->best.cost)
			steps_copy(&l->best, &l->made);
	}
	lighten(l, rung, &l->best);
	return any;
}

/* All descents to a rung; false when none gets there. */
static bool
descend_to(struct ladder *l, int rung)
{
	bool there = search_may(l->s) && descend_on_list(l, rung);

	if (rung - PATIENT <= l->bottom)
		there |= descend_on_states(l, rung);
	return there;
}

static bool
fits(struct ladder *l, struct steps *c)
{
	struct state_search *s = l->s;

	if (c->cost == HUGE_VAL || !steps_try(s->m, c))
		return false;
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
		struct steps *c = &l->landed[rung % (OVERSHOOT + 1)];
		bool expected = has_rung(l, rung), there = descend_to(l, rung);

		failed = there || expected ? 0 : failed + 1;
		if (rung >= first && fits(l, c))
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
			steps_of_trial(s->m, &l->made);
			note_lower(&l->lowest, &l->made);
		}
	if (!search_may(s))
		note_lower(&l->lowest, &l->deepest);
	steps_strike_out(s, &l->lowest, l->lowest.peak);
	return fits(l, &l->lowest);
}

/* The work is used up: what came to rest on a rung and was not looked at yet, or the lowest. */
static bool
take_what_there_is(struct ladder *l, int first)
{
	int i;

	for (i = 0; i <= OVERSHOOT; i++) {
		struct steps *c = &l->landed[(first + i) % (OVERSHOOT + 1)];

		if (c->cost < HUGE_VAL && rung_of(l, c->peak) >= first && fits(l, c))
			return true;
	}
	note_lower(&l->lowest, &l->deepest);
	return fits(l, &l->lowest);
}

bool
search_ladder(struct state_search *s)
{
	struct ladder l = { .s = s, .least = step_least(s->m), .bottom = UNKNOWN, .seen = -1,
	    .start = choice_new(s), .whole = steps_new(s->m), .lowest = steps_new(s->m),
	    .deepest = steps_new(s->m), .made = steps_new(s->m), .best = steps_new(s->m) };
	int64_t budget = s->limits->budget > l.least ? s->limits->budget : l.least;
	int k;

	s->before_detour = choice_new(s);
	choice_save(s, &l.start);
	steps_of_trial(s->m, &l.whole);
	for (k = 0; k <= OVERSHOOT; k++)
		l.landed[k] = steps_new(s->m);
	if (walk_down(&l, rung_of(&l, budget)))
		return true;
	return search_may(s) ? take_lowest(&l) : take_what_there_is(&l, rung_of(&l, budget));
}
