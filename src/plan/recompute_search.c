/*
 * Choosing what to make again. One *descent* starts from the choice that keeps everything and aims
 * at a peak. What is alive above the aim, summed over the step's events, is the *excess*; moves are
 * made until there is none:
 *
 *     live |      ..xxxx..  xx        aim     a move drops a tensor that is idle between its last
 *          |----.x      x--x--x---------      use in forward and its first in backward, or keeps
 *          |  .               x.              one again, or no longer keeps a copy
 *          +----------------------> event
 *
 * Which moves are worth trying is estimated from the idle time and the cost of making the tensor
 * again; the best of those few are tried exactly, and the one that removes the most excess for its
 * cost is made. When the aim is met, what can be kept after all is kept.
 *
 * For a budget, aims are the rungs of a ladder, each a little below the last; a few descents that
 * value traffic differently go to each. What comes to rest on a rung, between it and the next,
 * competes there, and from the budget down the first rung whose choice fits is taken. The ladder's
 * bottom is the rung that one descent comes to which aims as low as can be; some rungs below it are
 * tried too, and the last resort is the lowest choice found near it. Neither rungs, nor what rests
 * on them, nor the bottom depend on the budget; every walk that ends without a choice has been at
 * the bottom; and a descent remembers nothing of those before it. So a smaller budget never gives a
 * higher peak, and none is kept that a larger one is not. Without a budget one descent goes down
 * rung by rung, through element-wise work alone, and ends where memory gets too dear.
 *
 * Cost is multiply-adds, and bytes read and written. Where few tensors are to choose from, all
 * choices are tried instead, and the best there is for any budget is known.
 *
 * Chains of equal layers come out as one would expect (checkpoints at regular distances); for other
 * methods see Griewank and Walther's revolve (2000), Beaumont and others' Rotor (2019), Checkmate
 * (2020), MONeT (2021), Moccasin (2023), Rockmate (2023).
 */
#include "plan/recompute_moves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TRAFFIC		0.25	/* multiply-adds that a byte read or written is worth */
#define RATE		8	/* without products: bytes of traffic that a byte of peak is worth */
#define PATIENCE	10	/* steps down without a better choice that end the walk */
#define STEP		40	/* a rung lies this part of the last below it */
#define OVERSHOOT	3	/* rungs below its aim on which a descent may come to rest */
#define PATIENT		2	/* rungs below the bottom in a row that no descent gets to */
#define FAR_BELOW	4	/* aims for the last resort */
#define TRIED		12	/* moves tried exactly, of those estimated */
#define RESTORED	24	/* tensors tried to be kept after all, each time an aim is met */
#define TRUSTED		0.8	/* of the next move's estimate, to be content with this one */
#define LARGE		1000	/* tensors to choose from, for the cheap descent */
#define TRIALS		30	/* in one descent, for each tensor */
#define MANY		32	/* moves made at once: at most the tensors by this */
#define SHUNNED		24	/* moves made before one that did not help is looked at again */
#define DETOURS		16	/* moves made though they do not help by themselves */
#define LONGEST_DETOUR	8	/* moves after it, until there is less excess than before */
#define EXHAUSTIVE	20000	/* choices that are all tried */
#define LEAST_SHARE	2000	/* a tensor below this part of the peak is left as it is, */
#define LEAST_PER_NODE	8	/* or below this part of a node's share in it, in large networks */
#define EFFORT_CHEAP	((int64_t)3 << 20)	/* events in all trials: a second or so */
#define EFFORT_BUDGET	((int64_t)16 << 20)	/* in one descent */

static void
find_candidates(struct search *s)
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

static int
by_score(const void *x, const void *y)
{
	const struct move *a = x, *b = y;

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return a->value - b->value;
}

/* ---- steps ---- */

/* Tries a move and takes it back; returns the excess it removes for its cost, or -1. */
static double
weigh(struct search *s, const struct move *move)
{
	struct model *m = s->m;
	bool good;
	double excess, dearer;

	s->trials++;
	move_make(s, move);
	good = recompute_try(m) && search_allowed(s);
	moves_take_back(s);
	excess = good ? search_excess(s) : 0;
	dearer = search_cost(s) - s->cost;
	if (!good || excess >= s->excess)
		return -1;
	return (s->excess - excess) / (dearer > 1 ? dearer : 1);
}

/* Takes stock of the last trial, which was of the choice that stands. */
static void
settle(struct search *s)
{
	s->excess = search_excess(s);
	s->cost = search_cost(s);
}

/* Far above the aim, many moves can be made at once: the best ones, up to half of the excess. */
static int
count_many(const struct search *s)
{
	double gain = 0;
	int i, most = s->n / MANY;

	for (i = 0; i < most && i < s->nmoves; i++)
		if ((gain += s->move[i].gain) > s->excess / 2)
			break;
	return i;
}

static bool
move_many(struct search *s)
{
	double before = s->excess, gain;
	int count = count_many(s), i;

	for (; count > 1; count /= 4) {
		for (gain = 0, i = 0; i < count; i++) {
			gain += s->move[i].gain;
			move_make(s, &s->move[i]);
		}
		if (recompute_try(s->m) && search_allowed(s) &&
		    before - search_excess(s) > gain / 2) {
			s->nchanges = 0;
			s->made += count;
			settle(s);
			return true;
		}
		moves_take_back(s);
	}
	return false;
}

/* The best of the promising moves, or among cheap ones the first that helps; false: none does. */
static bool
make_move(struct search *s)
{
	int tried = s->limits->products ? TRIED : 1, i, from, best = -1;
	double worth, most = 0;

	moves_propose(s);
	qsort(s->move, (size_t)s->nmoves, sizeof(*s->move), by_score);
	if (move_many(s))
		return true;
	for (from = 0; from < s->nmoves && best < 0; from += tried)
		for (i = from; i < from + tried && i < s->nmoves; i++) {
			if (most > 0 && most >= TRUSTED * s->move[i].score)
				break;		/* nor will the others do better, it seems */
			if ((worth = weigh(s, &s->move[i])) > most) {
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
	recompute_try(s->m);
	s->made++;
	settle(s);
	return best >= 0;
}

static void
save(const struct search *s, struct choice *c)
{
	int i;

	for (i = 0; i < s->n; i++)
		c->state[i] = s->m->state[s->candidate[i]];
	c->peak = s->m->trial->peak;
	c->cost = search_cost(s);
}

static void
take(struct search *s, const struct choice *c)
{
	int i;

	for (i = 0; i < s->n; i++)
		s->m->state[s->candidate[i]] = c->state[i];
	recompute_try(s->m);
}

/* No single move helps: makes one all the same, and sees whether others then do. */
static bool
make_detour(struct search *s)
{
	struct move first[DETOURS];
	double excess = s->excess;
	int count = s->nmoves < DETOURS ? s->nmoves : DETOURS, i, k;

	memcpy(first, s->move, (size_t)count * sizeof(*first));
	save(s, &s->before_detour);
	for (i = 0; i < count; i++) {
		move_make(s, &first[i]);
		s->nchanges = 0;
		if (recompute_try(s->m) && search_allowed(s)) {
			settle(s);
			s->made += SHUNNED;
			for (k = 0; k < LONGEST_DETOUR && make_move(s); k++)
				if (s->excess < excess)
					return true;
		}
		take(s, &s->before_detour);
		settle(s);
	}
	return false;
}

/* ---- keeping what can be kept ---- */

/* Where that lowers the cost and nothing gets above the aim; what is dearest to make goes first. */
static void
restore(struct search *s)
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
		s->move[s->nmoves++] = (struct move){ v, TO_KEEP, 0, cost };
		if (m->state[v] == EACH)
			s->move[s->nmoves++] = (struct move){ v, TO_AGAIN, 0, cost / 2 };
	}
	qsort(s->move, (size_t)s->nmoves, sizeof(*s->move), by_score);
	for (i = 0; i < s->nmoves && i < RESTORED; i++) {
		move_make(s, &s->move[i]);
		if (!recompute_try(m) || !search_allowed(s) || m->trial->peak > s->aim ||
		    search_cost(s) >= s->cost)
			moves_take_back(s);
		else
			s->cost = search_cost(s);
		s->nchanges = 0;
	}
	recompute_try(m);
	settle(s);
}

/* ---- descents ---- */

static bool
accept(struct search *s)
{
	return s->limits->fits(s->m, s->limits->context);
}

/* On from the choice that stands until nothing is above the aim, or the peak is low ENOUGH; false
 * when neither can be, or takes too many trials. */
static bool
descend(struct search *s, int64_t enough)
{
	s->trials = 0;
	settle(s);
	while (s->excess > 0 && s->m->trial->peak > enough &&
	    s->trials < TRIALS * (s->n + 20) && s->m->effort < s->most_effort)
		if (!make_move(s)) {
			s->made += SHUNNED;	/* look at all of them once more */
			if (!make_move(s) && !(s->limits->products && make_detour(s)))
				break;
		}
	return s->excess <= 0 || s->m->trial->peak <= enough;
}

static struct choice
new_choice(struct search *s)
{
	unsigned char *state = arena_array(s->m->arena, (size_t)s->n + 1, 1);

	return (struct choice){ state, INT64_MAX, HUGE_VAL };
}

static int64_t
next_rung(int64_t peak)
{
	return peak - peak / STEP - 1;
}

struct ladder {
	struct search *s;
	int64_t least;		/* what one node needs at once */
	int bottom;		/* rung; UNKNOWN until somebody has to know */
	struct choice start;
	struct choice lowest;	/* of the descents that every walk to the end makes */
	struct choice landed[OVERSHOOT + 1];	/* by rung: the cheapest that came to rest on it */
};

#define UNKNOWN	(-1)

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
	struct search *s = l->s;

	s->m->effort = 0;
	s->made = 0;
	memset(s->until, 0, MOVE_KINDS * (size_t)s->m->nvalues * sizeof(*s->until));
	s->traffic = traffic;
	s->aim = aim;
	take(s, &l->start);
}

/* Goes down to the rung; false when that cannot be. */
static bool
descend_as(struct ladder *l, const struct descent *d, int64_t rung)
{
	struct search *s = l->s;
	bool there;

	begin_descent(l, d->traffic, (int64_t)((double)rung * d->aim));
	descend(s, -1);
	s->aim = rung;
	there = s->m->trial->peak <= rung;
	settle(s);
	if (there)
		restore(s);
	s->traffic = TRAFFIC;
	return there;
}

/* The lowest rung that is above a peak. */
static int
rung_of(const struct ladder *l, int64_t peak)
{
	int64_t aim = next_rung(l->start.peak);
	int rung = 0;

	for (; next_rung(aim) >= peak; aim = next_rung(aim))
		rung++;
	return rung;
}

/* Does the bottom lie on that rung or below? The descent that tells is the same for all rungs, but
 * no more of it is run than it takes. */
static bool
has_rung(struct ladder *l, int rung, int64_t aim)
{
	struct search *s = l->s;

	if (l->bottom == UNKNOWN) {
		begin_descent(l, descents[0].traffic, l->least);
		if (descend(s, aim))
			return true;
		l->bottom = rung_of(l, s->m->trial->peak);
		save(s, &l->lowest);
		s->traffic = TRAFFIC;
	}
	return rung <= l->bottom;
}

static void
note_lowest(struct ladder *l)
{
	if (l->s->m->trial->peak < l->lowest.peak)
		save(l->s, &l->lowest);
}

/* All descents to a rung. They may come to rest on a lower one, since tensors are large; false when
 * none gets there. */
static bool
descend_to(struct ladder *l, int rung, int64_t aim)
{
	struct search *s = l->s;
	bool any = false;
	int64_t below;
	int i, k;

	for (i = 0; i < DESCENTS; i++) {
		bool there = descend_as(l, &descents[i], aim);

		if (l->bottom != UNKNOWN && rung > l->bottom)
			note_lowest(l);
		any |= there;
		for (k = 0, below = next_rung(aim); there && k <= OVERSHOOT;
		    k++, below = next_rung(below)) {
			struct choice *c = &l->landed[(rung + k) % (OVERSHOOT + 1)];

			if (s->m->trial->peak <= below)
				continue;
			if (search_cost(s) < c->cost)
				save(s, c);
			break;
		}
	}
	return any;
}

/* Down the ladder from a little above rung FIRST, or above the first below the bottom; true when
 * the choice of a rung from FIRST on fits. */
static bool
walk_down(struct ladder *l, int first, int64_t aim)
{
	int begin, failed = 0, rung;

	begin = (has_rung(l, first, aim) ? first : l->bottom + 1) - OVERSHOOT;
	for (rung = 0, aim = next_rung(l->start.peak); failed < PATIENT && aim > l->least;
	    rung++, aim = next_rung(aim)) {
		struct choice *c = &l->landed[rung % (OVERSHOOT + 1)];

		if (rung < begin)
			continue;
		failed = descend_to(l, rung, aim) || has_rung(l, rung, aim) ? 0 : failed + 1;
		if (rung >= first && c->cost < HUGE_VAL) {
			take(l->s, c);
			if (accept(l->s))
				return true;
		}
		c->cost = HUGE_VAL;
	}
	return false;
}

/* The last resort. Descents that miss an aim far below the bottom come to rest in many places. */
static bool
take_lowest(struct ladder *l)
{
	int i, k;

	for (k = 0; k < FAR_BELOW; k++)
		for (i = 0; i < DESCENTS; i++) {
			descend_as(l, &descents[i], l->least +
			    (l->lowest.peak - l->least) / FAR_BELOW * k);
			note_lowest(l);
		}
	take(l->s, &l->lowest);
	return accept(l->s);
}

static bool
keep_budget(struct search *s)
{
	struct ladder l = { .s = s, .least = recompute_least(s->m), .bottom = UNKNOWN,
	    .start = new_choice(s), .lowest = new_choice(s) };
	int64_t budget = s->limits->budget > l.least ? s->limits->budget : l.least, aim;
	int first = 0, k;

	s->before_detour = new_choice(s);
	save(s, &l.start);
	for (k = 0; k <= OVERSHOOT; k++)
		l.landed[k] = new_choice(s);
	for (aim = next_rung(l.start.peak); next_rung(aim) >= budget; aim = next_rung(aim))
		first++;
	return walk_down(&l, first, aim) || take_lowest(&l);
}

/* Lower is better: memory is not worth any price. */
static double
merit(int64_t peak, double cost)
{
	return cost + TRAFFIC * RATE * (double)peak;
}

static void
lower_cheaply(struct search *s)
{
	struct choice best = new_choice(s);
	int since = 0;

	save(s, &best);
	while (since++ < PATIENCE) {
		s->aim = next_rung(s->m->trial->peak);
		if (s->n > LARGE)	/* fewer, longer steps */
			s->aim -= 3 * (s->m->trial->peak / STEP);
		if (!descend(s, s->aim))
			break;
		if (merit(s->m->trial->peak, s->cost) < merit(best.peak, best.cost)) {
			save(s, &best);
			since = 0;
		}
	}
	take(s, &best);
	s->aim = best.peak;
	settle(s);
	restore(s);
}

/* ---- few tensors: all choices ---- */

static void
set_choice(struct search *s, int number)
{
	int i;

	for (i = 0; i < s->n; i++, number /= 3)
		s->m->state[s->candidate[i]] = (unsigned char)(number % 3);
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

static bool
try_all(struct search *s, int count)
{
	struct numbered *c = arena_array(s->m->arena, (size_t)count + 1, sizeof(*c));
	int i, n = 0, best = 0;

	for (i = 0; i < count; i++) {
		set_choice(s, i);
		if (recompute_try(s->m) && search_allowed(s))
			c[n++] = (struct numbered){ i, s->m->trial->peak, search_cost(s) };
	}
	qsort(c, (size_t)n, sizeof(*c), by_peak);
	n = keep_best(c, n);
	for (i = 0; i < n; i++) {
		set_choice(s, c[i].number);
		recompute_try(s->m);
		if (accept(s))
			return true;
		if (s->limits->products || merit(c[i].peak, c[i].cost) <
		    merit(c[best].peak, c[best].cost))
			best = i;
	}
	set_choice(s, c[best].number);
	recompute_try(s->m);
	return false;
}

bool
recompute_search(struct model *m, const struct search_limits *limits)
{
	struct search s = { .m = m, .limits = limits, .traffic = TRAFFIC,
	    .most_effort = limits->products ? EFFORT_BUDGET : EFFORT_CHEAP };
	int i, choices = 1;

	recompute_try(m);
	s.macs = m->trial->macs;
	if (accept(&s))
		return true;
	find_candidates(&s);
	for (i = 0; i < s.n && choices <= EXHAUSTIVE; i++)
		choices *= 3;
	if (s.n == 0)
		return false;
	if (choices <= EXHAUSTIVE)
		return try_all(&s, choices);
	s.above = arena_array(m->arena, (size_t)m->trial->most_events + 2, sizeof(*s.above));
	s.move = arena_array(m->arena, 2 * (size_t)s.n + 1, sizeof(*s.move));
	s.until = arena_array(m->arena, MOVE_KINDS * (size_t)m->nvalues + 1, sizeof(*s.until));
	s.change = arena_array(m->arena, (MOST_EXCHANGED + 1) * ((size_t)s.n + 1),
	    sizeof(*s.change));
	s.seen = arena_array(m->arena, (size_t)m->nnodes + 1, sizeof(*s.seen));
	if (limits->products)
		return keep_budget(&s);
	lower_cheaply(&s);
	return false;
}
