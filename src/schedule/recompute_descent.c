/*
 * One descent: moves that lower the excess above an aim, one after the other or many at once; a
 * detour if none of them helps by itself; and keeping what can be kept when the aim is met.
 */
#include "schedule/recompute_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TRIED		12	/* moves tried exactly, of those estimated */
#define RESTORED	24	/* tensors tried to be kept after all, each time an aim is met */
#define TRUSTED		0.8	/* of the next move's estimate, to be content with this one */
#define TRIALS		30	/* in one descent, for each tensor */
#define MANY		32	/* moves made at once: at most the tensors by this */
#define SHUNNED		24	/* moves made before one that did not help is looked at again */
#define DETOURS		16	/* moves made though they do not help by themselves */
#define LONGEST_DETOUR	8	/* moves after it, until there is less excess than before */

struct choice
choice_new(struct state_search *s)
{
	unsigned char *state = arena_array(s->m->arena, (size_t)s->n + 1, 1);

	return (struct choice){ state, INT64_MAX, HUGE_VAL };
}

void
choice_save(const struct state_search *s, struct choice *c)
{
	int i;

	for (i = 0; i < s->n; i++)
		c->state[i] = s->m->state[s->candidate[i]];
	c->peak = s->m->trial->peak;
	c->cost = search_cost(s);
}

void
choice_take(struct state_search *s, const struct choice *c)
{
	int i;

	for (i = 0; i < s->n; i++)
		s->m->state[s->candidate[i]] = c->state[i];
	tried_anew(s);
	step_try(s->m);
}

/* ---- steps ---- */

static int
by_score(const void *x, const void *y)
{
	const struct move *a = x, *b = y;

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return a->value - b->value;
}

/* Tries a move and takes it back; returns the excess it removes for its cost, or -1. */
static double
move_gain(struct state_search *s, const struct move *move)
{
	double excess, cost, dearer;
	bool good;

	s->trials++;
	if (vain_is(s, move)) {
		s->m->effort += s->nlive;
		return -1;
	}
	move_make(s, move);
	good = tried_look_up(s, &excess, &cost);
	moves_take_back(s);
	dearer = cost - s->cost;
	if (!good || excess >= s->excess)
		return -1;
	return (s->excess - excess) / (dearer > 1 ? dearer : 1);
}

void
search_settle(struct state_search *s)
{
	s->excess = search_excess(s);
	s->cost = search_cost(s);
}

/* Far above the aim, many moves can be made at once: the best ones, up to half of the excess. */
static int
count_many(const struct state_search *s)
{
	double gain = 0;
	int i, most = s->n / MANY;

	for (i = 0; i < most && i < s->nmoves; i++)
		if ((gain += s->move[i].gain) > s->excess / 2)
			break;
	return i;
}

static bool
move_many(struct state_search *s)
{
	double before = s->excess, gain;
	int count = count_many(s), i;

	for (; count > 1; count /= 4) {
		for (gain = 0, i = 0; i < count; i++) {
			gain += s->move[i].gain;
			move_make(s, &s->move[i]);
		}
		if (step_try(s->m) && search_allowed(s) &&
		    before - search_excess(s) > gain / 2) {
			s->nchanges = 0;
			s->made += count;
			search_settle(s);
			return true;
		}
		moves_take_back(s);
	}
	return false;
}

/* The choice that stands is tried, if that is not what was tried LAST. */
static void
try_again(struct state_search *s, bool last)
{
	if (last && !s->tried)		/* or it may be known of another time */
		s->m->effort += s->m->trial->nevents;
	else
		step_try(s->m);
}

/* The best of the promising moves, or among cheap ones the first that helps; false: none does. */
static bool
make_move(struct state_search *s)
{
	int tried = s->limits->products ? TRIED : 1, i, from, best = -1, last = -1;
	double worth, most = 0;

	moves_propose(s);
	qsort(s->move, (size_t)s->nmoves, sizeof(*s->move), by_score);
	if (move_many(s))
		return true;
	for (from = 0; from < s->nmoves && best < 0 && search_may(s); from += tried)
		for (i = from; i < from + tried && i < s->nmoves; i++) {
			if (most > 0 && most >= TRUSTED * s->move[i].score)
				break;		/* nor will the others do better, it seems */
			last = i;
			if ((worth = move_gain(s, &s->move[i])) > most) {
				most = worth;
				best = i;
			}
			if (worth < 0)
				s->until[MOVE_KINDS * s->move[i].value +
				    (int)s->move[i].kind] = s->made + SHUNNED;
		}
	if (best >= 0)
		move_make(s, &s->move[best]);
	s->nchanges = 0;
	try_again(s, best >= 0 && best == last);
	s->made++;
	search_settle(s);
	return best >= 0;
}

/* No single move helps: makes one anyway, and sees whether others then help. */
static bool
make_detour(struct state_search *s)
{
	struct move first[DETOURS];
	double excess = s->excess;
	int count = s->nmoves < DETOURS ? s->nmoves : DETOURS, i, k;

	memcpy(first, s->move, (size_t)count * sizeof(*first));
	choice_save(s, &s->before_detour);
	for (i = 0; i < count && search_may(s); i++) {
		move_make(s, &first[i]);
		s->nchanges = 0;
		if (step_try(s->m) && search_allowed(s)) {
			search_settle(s);
			s->made += SHUNNED;
			for (k = 0; k < LONGEST_DETOUR && make_move(s); k++)
				if (s->excess < excess)
					return true;
		}
		choice_take(s, &s->before_detour);
		search_settle(s);
	}
	return false;
}

/* ---- keeping what can be kept ---- */

/* What costs most to recompute goes first. */
void
search_restore(struct state_search *s)
{
	struct model *m = s->m;
	struct remake_cost c;
	double cost;
	int i;

	s->nmoves = 0;
	for (i = 0; i < s->n; i++) {
		int v = s->candidate[i];

		if (m->state[v] == KEEP || m->trial->current[v] < 0)
			continue;
		c = search_remake_cost(s, v);
		cost = c.macs + s->traffic * c.traffic;
		s->move[s->nmoves++] = (struct move){ .value = v, .kind = TO_KEEP, .score = cost };
		if (m->state[v] == EACH)
			s->move[s->nmoves++] = (struct move){ .value = v, .kind = TO_AGAIN, .score = cost / 2 };
	}
	qsort(s->move, (size_t)s->nmoves, sizeof(*s->move), by_score);
	for (i = 0; i < s->nmoves && i < RESTORED; i++) {
		move_make(s, &s->move[i]);
		if (!step_try(m) || !search_allowed(s) || m->trial->peak > s->aim ||
		    search_cost(s) >= s->cost)
			moves_take_back(s);
		else
			s->cost = search_cost(s);
		s->nchanges = 0;
	}
	step_try(m);
	search_settle(s);
}

/* ---- all the way ---- */

bool
search_descend(struct state_search *s, int64_t enough)
{
	s->trials = 0;
	search_settle(s);
	while (s->excess > 0 && s->m->trial->peak > enough &&
	    s->trials < TRIALS * (s->n + 20) && s->m->effort < s->most_effort && search_may(s))
		if (!make_move(s)) {
			s->made += SHUNNED;	/* look at all of them once more */
			if (!make_move(s) && !(s->limits->products && make_detour(s)))
				break;
		}
	return s->excess <= 0 || s->m->trial->peak <= enough;
}
