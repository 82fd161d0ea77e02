/*
 * The search for the largest batch. Each buffer's size is known as fixed + per_sample * B, so one
 * plan tells the lower bound at every batch without another: where that meets the limit is the
 * guess. The guess and its successor are then planned, which is the proof; as plans mostly reach
 * their bound, two plans do. Where a plan lies above its bound, the next guess takes it that others
 * lie as far above theirs. Where that does not hold, the search steps on from there, doubling, and
 * then halves.
 *
 * Where what to make again is searched for, for each batch anew, neither a plan's bytes nor its
 * bound tell of another batch's. The guess then is what single passes of that search come to
 * (schedule/recompute_reach.c), and what is planned lies about it, until a sixteenth of what fits
 * is open or the searches have done what they may; until nothing is, where they have done little.
 */
#include "fit/largest.h"

#include <string.h>

#include "fit/whatif.h"
#include "plan/plan.h"
#include "schedule/recompute.h"

#define LARGEST_BATCH	((int64_t)INT32_MAX)	/* what a spec can say (lang/settings.c) */
#define MOST_BEYOND	8	/* batches tried above a plan that missed its bound */
#define MOST_ALIKE	3	/* plans whose distance from their bound the next guess takes over */
#define OPEN		16	/* part of the largest batch found that may stay open where searching for each takes long */
#define MOST_PLANS	24	/* where each is searched for, */
#define MOST_LARGE	6	/* and planning by itself takes long */
#define FURTHER		4	/* without a guess, what fits is looked at that many times as large */
#define FAR_BELOW	4	/* sixteenths of the guess, where one below it does not fit */

struct batch_search {
	struct module *m;
	int64_t limit;
	int64_t lo, hi;		/* lo fits, or is 0; hi does not, or is beyond the last batch */
	struct largest_plan at_lo, at_hi;
	bool cut_short;		/* the plan of hi was, which then proves nothing */
	int64_t guess;		/* from the latest plan; 0: none fits */
	int64_t step;
	int64_t *work;		/* what searches for what to make again may still do; NULL: there are none */
	int plans;
};

static int64_t
most_samples(const struct module *m)
{
	return m->train ? LARGEST_BATCH / settings_shares(&m->set) : LARGEST_BATCH;
}

/* Bytes of a buffer at micro-batch B: validation may have a batch of its own. */
static int64_t
bytes_at(const struct module *m, const struct buffer *b, int64_t batch)
{
	const struct plan *p = m->plan;
	int64_t bytes, mask = p->alignment - 1;

	if (p->instants && p->at[b->first].graph == m->validate && m->set.validate_fixed &&
	    m->train && !b->persistent)
		batch = p->validate_batch;
	bytes = affine_at(plan_buffer_size(b), batch);
	return bytes > LARGEST_BYTES ? LARGEST_BYTES : (bytes + mask) & ~mask;
}

/* The largest sum of live bytes at a batch, from the affine sizes of a plan's buffers alone: exact
 * for graphs that do not depend on the batch. CHANGE: room for a number an instant and one. */
static int64_t
bound_at(const struct module *m, int64_t batch, int64_t *change)
{
	const struct plan *p = m->plan;
	int64_t live = 0, most = 0, bytes;
	int i;

	memset(change, 0, ((size_t)p->instants + 1) * sizeof(*change));
	for (i = 0; i < p->buffers.n; i++) {
		const struct buffer *b = &p->buffers.v[i];

		bytes = bytes_at(m, b, batch);
		if (bytes >= LARGEST_BYTES ||
		    __builtin_add_overflow(change[b->first], bytes, &change[b->first]) ||
		    __builtin_sub_overflow(change[b->last + 1], bytes, &change[b->last + 1]))
			return INT64_MAX;
	}
	for (i = 0; i < p->instants; i++) {
		if (__builtin_add_overflow(live, change[i], &live))
			return INT64_MAX;
		most = live > most ? live : most;
	}
	return most;
}

/* The largest batch whose lower bound, by this plan's buffers, is within the limit. 0: none. */
static int64_t
guess_from(const struct module *m, struct arena *a, int64_t limit)
{
	int64_t *change = arena_array(a, (size_t)m->plan->instants + 2, sizeof(*change));
	int64_t lo = 0, hi = most_samples(m) + 1, mid;

	while (hi - lo > 1) {
		mid = lo + (hi - lo) / 2;
		if (bound_at(m, mid, change) <= limit)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* Plans a batch and narrows the search by it. */
static void
look_at(struct batch_search *s, int64_t batch)
{
	bool own = batch == (s->m->train ? s->m->plan->batch : s->m->plan->validate_batch), cut = false;
	struct arena *scratch = arena_child(s->m->arena);
	struct module *other = own ? s->m : s->work ? whatif_searched(s->m, scratch, batch, s->work) :
	    whatif_at(s->m, scratch, batch);
	struct largest_plan p = { INT64_MAX, INT64_MAX };
	int64_t above = 0;

	if (other) {
		p = (struct largest_plan){ other->plan->arena_bytes,
		    other->plan->lower_bound_bytes };
		if (s->plans < MOST_ALIKE && p.arena < INT64_MAX)
			above = p.arena - p.bound;
		if (!s->work)
			s->guess = guess_from(other, scratch, s->limit - above);
		cut = other->cut_short;
	}
	arena_free(scratch);
	s->plans += !own;
	if (p.arena <= s->limit) {
		s->lo = batch;
		s->at_lo = p;
	} else {
		s->hi = batch;
		s->at_hi = p;
		s->cut_short = cut;
	}
}

/* Where to look next: at the guess or beside it, while that is open; else further and further from
 * the end that is known; else in the middle. */
static int64_t
next_batch(struct batch_search *s)
{
	int64_t end = most_samples(s->m) + 1, at;

	if (s->guess > s->lo && s->guess < s->hi)
		return s->guess;
	if (s->guess + 1 > s->lo && s->guess + 1 < s->hi)
		return s->guess + 1;
	at = s->hi == end ? s->lo + s->step : s->hi - s->step;
	s->step *= 2;
	if (at > s->lo && at < s->hi && (s->hi == end || s->lo == 0))
		return at;
	return s->lo + (s->hi - s->lo) / 2;
}

static void
narrow(struct batch_search *s)
{
	s->step = 1;
	while (s->hi - s->lo > 1)
		look_at(s, next_batch(s));
}

/* How far above its bound a plan lies; 1: on it. */
static double
looseness(struct largest_plan p)
{
	return p.bound > 0 && p.arena < INT64_MAX ? (double)p.arena / (double)p.bound : 1;
}

/* Is BATCH, beyond those that were planned, within the limit if it is placed as well as the better
 * of the two at the end of what fits? */
static bool
may_fit(const struct batch_search *s, int64_t batch)
{
	double lo = s->lo ? looseness(s->at_lo) : 1, hi = looseness(s->at_hi);
	double sample = s->lo ? (double)(s->at_hi.bound - s->at_lo.bound) / (double)(s->hi - s->lo) : 0;
	double bound = (double)s->at_hi.bound + sample * (double)(batch - s->hi);

	return bound * (lo < hi ? lo : hi) <= (double)s->limit;
}

/* A plan above its bound proves nothing: a larger batch may happen to be placed better. While that
 * is to be hoped for, some are tried. */
static void
look_beyond(struct batch_search *s)
{
	int64_t end = most_samples(s->m) + 1, next = s->hi + 1;
	int i;

	for (i = 0; i < MOST_BEYOND && next < end && may_fit(s, next); i++, next++) {
		struct batch_search far = *s;

		look_at(&far, next);
		s->plans = far.plans;
		if (far.lo != next)
			continue;
		s->lo = next;
		s->at_lo = far.at_lo;
		s->hi = end;
		narrow(s);
		next = s->hi;
	}
}

/* Is more open than may stay so? */
static bool
is_wide(const struct batch_search *s)
{
	return s->hi - s->lo > 1 + s->lo / OPEN;
}

/* Below the least that does not fit: where that would, if what is alive grew with the samples, and
 * no nearer to either end than is left open; in the middle, where little is. */
static int64_t
in_proportion(const struct batch_search *s)
{
	int64_t lasting = s->m->plan->persistent_bytes, open = 1 + s->lo / OPEN, at;
	double room = (double)(s->limit - lasting), need = (double)(s->at_hi.arena - lasting);

	if (!is_wide(s) || need <= room || s->at_hi.arena == INT64_MAX)
		return s->lo + (s->hi - s->lo) / 2;
	at = (int64_t)((double)s->hi * room / need);
	at = at > s->hi - open ? s->hi - open : at;
	return at < s->lo + open ? s->lo + open : at;
}

/* The guess is mostly a little too much, as an arena is larger than a peak; at times it is far too
 * much, or too little. */
static int64_t
next_searched(const struct batch_search *s)
{
	int64_t end = most_samples(s->m) + 1, part = s->guess / OPEN, below = s->guess - part, far = s->guess - FAR_BELOW * part;

	if (below > s->lo && below < s->hi)
		return below;
	if (far > s->lo && far < s->hi)
		return far;
	if (s->hi < end)
		return in_proportion(s);
	if (s->guess && s->lo < end - 2 * part - 1)
		return s->lo + 2 * part + 1;
	return s->lo < end / FURTHER ? FURTHER * s->lo : end - 1;
}

static bool
goes_on(const struct batch_search *s)
{
	return s->hi - s->lo > 1 && s->plans < (s->m->train->nodes.n >= RECOMPUTE_LARGE ? MOST_LARGE : MOST_PLANS) &&
	    *s->work >= (is_wide(s) ? RECOMPUTE_WORK / 2 : RECOMPUTE_BATCHES / 2);
}

/* That not even one sample fits is said where it was looked at alone. */
static void
narrow_searched(struct batch_search *s)
{
	int64_t once = RECOMPUTE_WORK;

	look_at(s, s->m->plan->batch);
	s->guess = whatif_reach(s->m, s->limit, most_samples(s->m));
	while (goes_on(s))
		look_at(s, next_searched(s));
	if (s->lo == 0 && s->hi > 1) {
		s->work = &once;
		look_at(s, 1);
	}
}

void
largest_batch(struct module *m, int64_t limit, struct largest *l)
{
	int64_t end = most_samples(m) + 1;
	struct batch_search s = { .m = m, .limit = limit, .hi = end };

	if (m->plan->persistent_bytes > limit) {
		*l = (struct largest){ .next_batch = 1, .next = { INT64_MAX, m->plan->persistent_bytes }, .fixed = true,
			.proved = true };
		return;
	}
	if (m->train && m->set.recompute == RECOMPUTE_AUTO) {
		s.work = whatif_work(m);
		narrow_searched(&s);
	} else {
		s.guess = guess_from(m, m->arena, limit);
		narrow(&s);
		look_beyond(&s);
	}
	*l = (struct largest){ .batch = s.lo, .next_batch = s.hi < end ? s.hi : 0, .at = s.at_lo, .next = s.at_hi, .plans = s.plans };
	l->endless = s.lo == end - 1;
	l->searched = s.work && !l->endless;
	l->proved = l->endless || (!s.work && s.at_hi.bound > limit && !s.cut_short);
}
