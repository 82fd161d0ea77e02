/*
 * Down to a budget, rung by rung; recompute_search.c explains how. What is found for a rung must
 * not depend on the budget, so that what two budgets get is ordered like them: descents begin anew
 * at every fourth rung, and go on from there to the next ones.
 */
#include "schedule/recompute_impl.h"
#include "schedule/recompute_waiting.h"

#include <math.h>
#include <string.h>

#define STATION		4	/* rungs from one at which a descent begins anew to the next */
#define OVERSHOOT	2	/* rungs below its aim on which a descent may come to rest */
#define BELOW		2	/* rungs below one from which ways are looked for that cost less */
#define LANDED		(OVERSHOOT + BELOW + 1)
#define RUNG_SHARE	120	/* of the work of a search, a rung's for improving what comes to it, */
#define TAKEN_SHARE	40	/* and a pass's for improving what is taken */
#define PASS_SHARE	40	/* and one for passes that begin anew, */
#define CLIMB_SHARE	40	/* for those of a rung's first peak, */
#define STEP_SHARE	120	/* and for those that go on to its next ones */
#define BETWEEN		8	/* peaks from one rung to the next to which it is brought up */
#define BETWEEN_FEW	2	/* or so many, */
#define LARGEST		8000	/* from so many nodes on */
#define WAIT		4	/* times the peaks of a rung: so many choices may wait, since what is lower by up to a
				 * rung may cost less: none is known to be the cheapest */
#define PASSES		3
#define MOST_CUTS	24
#define LARGE		2000	/* nodes of a step, from which on one way to begin must do */
#define SLIGHT		4	/* rungs from the top on which less is searched for what nobody asked for */
#define ORDERED		16	/* part of a peak that the order of nodes may take off it, where they are ordered
				 * once more before the arena is placed: what is above a budget by that may fit */

_Static_assert(WAIT * BETWEEN <= MOST_WAITING, "there is room for what waits");

struct cuts {			/* what so many parts take */
	int parts;
	int64_t peak;
	double cost;
};

struct improved {		/* a choice of that cost and peak, and what it came to */
	double cost;
	int64_t peak;
	struct steps steps;
};

struct ladder {
	struct state_search *s;
	int64_t least;		/* below which no peak can be, */
	int64_t highest;	/* and above which none is looked at */
	struct choice start;	/* nothing is made again, */
	struct steps whole;	/* and the same as a list */
	struct cuts cuts[MOST_CUTS];
	int ncuts;
	struct steps anew;	/* that came to a rung without those above it */
	int anew_rung;		/* -1: none did so far */
	struct steps last;	/* that came to a rung */
	struct steps stuck;	/* that did not, the last time; HUGE_VAL: nothing since */
	struct steps lowest;	/* of all */
	struct steps landed[LANDED];	/* by rung: the cheapest that came to rest on it */
	struct steps made, other, taken;
	struct steps before;	/* what was proposed at the peak before, on the rung */
	struct improved improved;
	struct climbing *climb;
	struct waiting waiting;	/* WAIT * between at most */
	int between;		/* peaks from one rung to the next */
};

static struct steps *
landed_on(struct ladder *l, int rung)
{
	return &l->landed[rung % LANDED];
}

/* ---- rungs ---- */

static int64_t
aim_of(const struct ladder *l, int rung)
{
	int64_t aim = search_next_rung(l->whole.peak);

	while (rung-- > 0)
		aim = search_next_rung(aim);
	return aim;
}

/* The rung on which a peak rests: not above its aim, but above the next. */
static int
rung_of(const struct ladder *l, int64_t peak)
{
	int64_t below = search_next_rung(search_next_rung(l->whole.peak));
	int rung = 0;

	for (; below >= peak; below = search_next_rung(below))
		rung++;
	return rung;
}

/* The shares of the work, on a rung: each of the first ones, where that is enough, half of those on
 * the next. */
static void
stand_on(struct ladder *l, int rung)
{
	l->s->halved = l->s->limits->unasked && rung < SLIGHT ? SLIGHT - rung : 0;
}

/* ---- descents ---- */

static bool
descend(struct ladder *l, const struct steps *from, int rung)
{
	bool there;

	if (from->cost == HUGE_VAL)
		return false;
	steps_copy(&l->made, from);
	there = steps_descend(l->s, &l->made, aim_of(l, rung));
	if (l->made.peak < l->lowest.peak)
		steps_copy(&l->lowest, &l->made);
	return there;
}

/* On states first, which makes many moves at once in large networks; and on from there. */
static bool
descend_on_states(struct ladder *l, int rung)
{
	struct state_search *s = l->s;

	s->m->effort = 0;
	s->made = 0;
	memset(s->until, 0, MOVE_KINDS * (size_t)s->m->nvalues * sizeof(*s->until));
	s->aim = aim_of(l, rung);
	choice_take(s, &l->start);
	search_descend(s, -1);
	steps_of_trial(s->m, &l->taken);
	choice_take(s, &l->start);
	return descend(l, &l->taken, rung);
}

/* What was made comes to rest on the rung that was aimed at or, since tensors are large, a lower
 * one. */
static void
land(struct ladder *l, int rung)
{
	int rest = rung_of(l, l->made.peak);
	struct steps *c = landed_on(l, rest);

	if (rest >= rung && rest <= rung + OVERSHOOT && l->made.cost < c->cost)
		steps_copy(c, &l->made);
}

/* In one pass first, which gets about as low as can be. */
static bool
descend_in_a_pass(struct ladder *l, int rung)
{
	return climb_anew(l->climb, aim_of(l, rung), search_share(l->s, PASS_SHARE), &l->taken) &&
	    descend(l, &l->taken, rung);
}

/* With checkpoints at regular distances first: the cheapest such step that gets there, or the
 * lowest. */
static bool
descend_in_parts(struct ladder *l, int rung)
{
	int64_t aim = aim_of(l, rung);
	int best = 0, i;

	for (i = 1; i < l->ncuts; i++) {
		const struct cuts *c = &l->cuts[i], *b = &l->cuts[best];
		bool fits = c->peak <= aim;

		if (fits != (b->peak <= aim) ? fits : fits ? c->cost < b->cost : c->peak < b->peak)
			best = i;
	}
	return l->ncuts > 0 && steps_in_parts(l->s, l->cuts[best].parts, &l->taken) &&
	    descend(l, &l->taken, rung);
}

static bool
descend_from_whole(struct ladder *l, int rung)
{
	return descend(l, &l->whole, rung);
}

/* What was found before, but for the time that took. */
static bool
take_known(struct ladder *l, const struct known_descent *k)
{
	l->s->m->work += k->work;
	steps_copy(&l->made, &k->made);
	if (k->lowest.peak < l->lowest.peak)
		steps_copy(&l->lowest, &k->lowest);
	if (k->there) {
		steps_copy(&l->anew, &k->made);
		l->anew_rung = k->rung;
	}
	return k->there;
}

/* The cheapest of all ways to begin, once what need not be made again is struck out. Where none of
 * the others gets there, the last, which goes all the way move by move, does not either. */
static bool
find_anew(struct ladder *l, int rung)
{
	static bool (*const way[])(struct ladder *, int) = { descend_in_a_pass, descend_on_states, descend_in_parts,
	    descend_from_whole };
	int i, n = l->anew_rung == rung ? 0 : l->s->m->nnodes > LARGE ? 3 : 4;
	bool there = false;

	stand_on(l, rung);
	for (i = 0; i < n && (i < 3 || there) && search_may(l->s); i++) {
		if (!way[i](l, rung))
			continue;
		steps_strike_out(l->s, &l->made, 0, aim_of(l, rung));
		if (!there || l->made.cost < l->anew.cost)
			steps_copy(&l->anew, &l->made);
		there = true;
		l->anew_rung = rung;
	}
	if (l->anew_rung == rung)
		steps_copy(&l->made, &l->anew);
	return l->anew_rung == rung;
}

static bool
descend_anew(struct ladder *l, int rung)
{
	const struct known_descent *known = l->anew_rung == rung ? NULL : known_descent(l->s, rung);
	struct known_descent now = { .rung = rung, .work = l->s->m->work };

	stand_on(l, rung);
	if (known)
		return take_known(l, known);
	now.there = find_anew(l, rung);
	now.work = l->s->m->work - now.work;
	now.made = l->made;
	now.lowest = l->lowest;
	if (now.work && search_may(l->s))	/* it was not cut short */
		known_descent_keep(l->s, &now);
	return now.there;
}

/* Anew if the rung is a station and that gets there; else from the rung above, or from what got
 * stuck on the way from there, which may have got lower elsewhere. */
static bool
descend_from_any(struct ladder *l, int rung)
{
	bool station = rung % STATION == 0;

	return (station && descend_anew(l, rung)) || descend(l, &l->last, rung) ||
	    descend(l, &l->stuck, rung) || (!station && descend_in_a_pass(l, rung));
}

/* False where there is nothing to gain further down: not even descents that begin anew get
 * there. */
static bool
descend_to(struct ladder *l, int rung)
{
	stand_on(l, rung);
	if (!descend_from_any(l, rung)) {
		steps_copy(&l->stuck, &l->made);
		return rung % STATION != 0;
	}
	steps_strike_out(l->s, &l->made, 0, aim_of(l, rung));
	steps_improve(l->s, &l->made, aim_of(l, rung), search_share(l->s, RUNG_SHARE), false);
	steps_copy(&l->last, &l->made);
	l->stuck.cost = HUGE_VAL;
	land(l, rung);
	return true;
}

/* The lowest station that can be gone to from where nothing is made again, somewhat above a
 * rung. */
static int
first_station(struct ladder *l, int rung)
{
	int station = (rung - OVERSHOOT > 0 ? rung - OVERSHOOT : 0) / STATION * STATION;

	while (station > 0 && !descend_anew(l, station))
		station -= STATION;
	return station;
}

/* ---- what fits ---- */

/* The best for a rung, of what came to rest on it and on the next ones: these are brought up to it.
 * Nothing, if a lower one costs less as it is. */
static bool
take(struct ladder *l, int rung)
{
	int64_t aim = aim_of(l, rung);
	int i;

	steps_copy(&l->taken, landed_on(l, rung));
	for (i = 0; i < PASSES && l->taken.cost < HUGE_VAL &&
	    steps_improve(l->s, &l->taken, aim, search_share(l->s, TAKEN_SHARE), true); i++)
		steps_strike_out(l->s, &l->taken, 0, aim);
	for (i = 1; i <= BELOW; i++) {
		if (landed_on(l, rung + i)->cost == HUGE_VAL)
			continue;
		steps_copy(&l->made, landed_on(l, rung + i));
		steps_strike_out(l->s, &l->made, l->made.peak, aim);
		steps_improve(l->s, &l->made, aim, search_share(l->s, RUNG_SHARE), true);
		if (l->made.cost < l->taken.cost)
			steps_copy(&l->taken, &l->made);
	}
	return l->taken.cost < HUGE_VAL && rung_of(l, l->taken.peak) == rung;
}

static void
take_cheaper(struct ladder *l, const struct steps *other)
{
	if (other->cost < l->made.cost)
		steps_copy(&l->made, other);
}

/* What is taken, brought up to a peak; or what passes come to there, if that costs less: on a rung
 * each goes on from the one before. */
static void
bring_up(struct ladder *l, int64_t most, bool anew)
{
	l->made.cost = HUGE_VAL;
	if (l->taken.cost < HUGE_VAL) {
		steps_copy(&l->made, &l->taken);
		steps_strike_out(l->s, &l->made, l->made.peak, most);
	}
	if ((anew ? climb_anew : climb_on)(l->climb, most, search_share(l->s, anew ? CLIMB_SHARE : STEP_SHARE), &l->other) &&
	    l->other.peak <= most) {
		steps_strike_out(l->s, &l->other, 0, most);
		take_cheaper(l, &l->other);
	}
}

/* Down from what was proposed at the peak before, where that costs less. */
static void
bring_down(struct ladder *l, int64_t most)
{
	if (l->before.cost >= l->made.cost)
		return;
	steps_copy(&l->other, &l->before);
	if (!steps_descend_below(l->s, &l->other, most, l->made.cost))
		return;
	steps_strike_out(l->s, &l->other, 0, most);
	take_cheaper(l, &l->other);
}

/* What was brought up to a peak makes other values again where that costs less. What was so at the
 * peak before comes to the same. */
static void
improve(struct ladder *l, int64_t most)
{
	struct improved *i = &l->improved;

	if (l->made.cost == HUGE_VAL)
		return;
	if (i->cost == l->made.cost && i->peak == l->made.peak && i->steps.peak <= most) {
		steps_copy(&l->made, &i->steps);
		return;
	}
	i->cost = l->made.cost;
	i->peak = l->made.peak;
	if (steps_improve(l->s, &l->made, most, search_share(l->s, RUNG_SHARE), true))
		steps_strike_out(l->s, &l->made, 0, most);
	steps_copy(&i->steps, &l->made);
}

/* ---- which is taken ---- */

/* Proposes for a peak what costs less than all that is as high. Brought up to the peaks of what
 * waited, and costs more, one after the other, it may cost even less. */
static void
propose(struct ladder *l, const struct steps *made, int64_t most)
{
	int64_t dearer[MOST_WAITING];
	double cost = made->cost;
	int n;

	if (cost == HUGE_VAL)
		return;
	n = waiting_displace(&l->waiting, made, dearer);
	waiting_put(&l->waiting, made, most);
	steps_copy(&l->other, made);
	while (n-- > 0 && !waiting_is_full(&l->waiting)) {
		steps_strike_out(l->s, &l->other, l->other.peak, dearer[n]);
		if (steps_improve(l->s, &l->other, dearer[n], search_share(l->s, RUNG_SHARE), true))
			steps_strike_out(l->s, &l->other, l->other.peak, dearer[n]);
		if (l->other.cost < cost)
			waiting_put(&l->waiting, &l->other, dearer[n]);
		cost = l->other.cost;
	}
}

/* The list has come to a peak. Of what is a rung higher, does something fit? What was found may be
 * far lower than the peak it was proposed for: its own is what counts. */
static bool
take_waiting(struct ladder *l, int64_t most)
{
	struct steps *first;

	while ((first = waiting_first(&l->waiting))) {
		if (!waiting_is_full(&l->waiting) && most > search_next_rung(first->peak))
			return false;
		waiting_take(&l->waiting);
		if (first->peak <= l->highest && steps_fit(l->s, first))
			return true;
	}
	return false;
}

/* The best for a rung is proposed at so many peaks up to the next one: these do not depend on the
 * budget, so that for a smaller one the same are tried from there on. The arena may be larger than
 * the peak, or smaller. */
static bool
settle(struct ladder *l, int rung)
{
	int64_t above = rung > 0 ? aim_of(l, rung - 1) : l->whole.peak;
	int64_t part = (above - aim_of(l, rung)) / l->between + 1, least = aim_of(l, rung), most;

	stand_on(l, rung);
	l->improved.cost = l->before.cost = HUGE_VAL;
	if (take(l, rung))
		least = l->taken.peak;
	else
		l->taken.cost = HUGE_VAL;
	for (most = above; most > least && search_may(l->s); most -= part) {
		bring_up(l, most, most == above);
		bring_down(l, most);
		improve(l, most);
		steps_copy(&l->before, &l->made);
		if (l->made.cost >= l->taken.cost)
			l->made.cost = HUGE_VAL;
		propose(l, &l->made, most);
		if (take_waiting(l, most))
			return true;
	}
	propose(l, &l->taken, aim_of(l, rung));
	return take_waiting(l, aim_of(l, rung));
}

static bool
walk_down(struct ladder *l, int first)
{
	int rung = first_station(l, first), taken;
	bool on = true;

	for (; on && aim_of(l, rung) > l->least && search_may(l->s); rung++) {
		on = descend_to(l, rung);
		taken = rung - BELOW;
		if (taken >= first && settle(l, taken))
			return true;
		if (taken >= 0)
			landed_on(l, taken)->cost = HUGE_VAL;
	}
	for (taken = rung - BELOW; taken < rung && search_may(l->s); taken++)
		if (taken >= first && settle(l, taken))
			return true;
	return take_waiting(l, 0);
}

/* Nothing in the list fits. With more effort? */
static bool
fits_after_all(struct state_search *s)
{
	return s->limits->fits_after_all && s->limits->fits_after_all(s->m, s->limits->context);
}

/* What passes come to at the budget itself, where no step fits that lies between rungs. */
static bool
take_at_budget(struct ladder *l)
{
	int64_t most = l->s->limits->budget;

	l->taken.cost = HUGE_VAL;
	bring_up(l, most, true);
	improve(l, most);
	return steps_fit(l->s, &l->made);
}

/* With what need not be made again struck out, or as it is, which may be placed lower. */
static bool
fits_struck_out(struct ladder *l, struct steps *c)
{
	if (c->cost == HUGE_VAL)
		return false;
	steps_copy(&l->taken, c);
	steps_strike_out(l->s, &l->taken, 0, c->peak);
	return steps_fit(l->s, &l->taken) || steps_fit(l->s, c);
}

/* What came to rest on a rung and was not looked at yet, or the lowest, or what came to no rung:
 * that is made otherwise, and may be placed lower. */
static bool
take_what_there_is(struct ladder *l, int first)
{
	int i;

	if (take_at_budget(l))
		return true;
	for (i = 0; i < LANDED; i++) {
		struct steps *c = landed_on(l, first + i);

		if (c->cost < HUGE_VAL && rung_of(l, c->peak) >= first && steps_fit(l->s, c))
			return true;
	}
	return fits_struck_out(l, &l->lowest) || fits_struck_out(l, &l->stuck);
}

/* From the lowest to the budget, by values that are made again while there is room: the last
 * resort. */
static bool
descend_in_time(struct ladder *l)
{
	bool there;

	l->s->in_time = true;
	steps_copy(&l->made, &l->lowest);
	there = steps_descend(l->s, &l->made, l->s->limits->budget);
	l->s->in_time = false;
	return (there && steps_fit(l->s, &l->made)) || (steps_try(l->s->m, &l->lowest), false);
}

/* From two parts on, each time half as many more. */
static void
try_parts(struct ladder *l)
{
	int n;

	for (n = 2; n < l->s->m->forward && l->ncuts < MOST_CUTS; n += n / 2 + 1)
		if (steps_in_parts(l->s, n, &l->made))
			l->cuts[l->ncuts++] = (struct cuts){ n, l->made.peak, l->made.cost };
}

bool
search_ladder(struct state_search *s)
{
	struct ladder l = { .s = s, .between = s->m->nnodes < LARGEST ? BETWEEN : BETWEEN_FEW,
	    .least = step_least(s->m), .whole = steps_new(s->m),
	    .anew = steps_new(s->m), .anew_rung = -1, .last = steps_new(s->m),
	    .stuck = steps_new(s->m), .lowest = steps_new(s->m),
	    .made = steps_new(s->m), .other = steps_new(s->m), .taken = steps_new(s->m),
	    .before = steps_new(s->m) };
	int64_t budget = s->limits->budget > l.least ? s->limits->budget : l.least;
	int i, first;

	l.climb = climb_new(s);
	l.improved.steps = steps_new(s->m);
	for (i = 0; i < LANDED; i++)
		l.landed[i] = steps_new(s->m);
	waiting_init(&l.waiting, s->m, WAIT * l.between);
	s->before_detour = choice_new(s);
	l.start = choice_new(s);
	choice_save(s, &l.start);
	steps_of_trial(s->m, &l.whole);
	steps_copy(&l.lowest, &l.whole);
	try_parts(&l);
	l.highest = budget + (s->limits->asked ? budget / ORDERED : 0);
	if (s->limits->any && climb_to_budget(l.climb, l.least, &l.other))
		return true;
	if (s->limits->any && s->m->nnodes >= RECOMPUTE_LARGE)
		return steps_try(s->m, &l.whole), false;
	first = rung_of(&l, l.highest);
	if (!walk_down(&l, first) && !fits_after_all(s) && !take_what_there_is(&l, first))
		return climb_to_budget(l.climb, l.least, &l.other) || descend_in_time(&l);
	if (s->m->nnodes >= RECOMPUTE_LARGE)
		climb_to_cheaper(l.climb, &l.taken, &l.other);
	return true;
}
