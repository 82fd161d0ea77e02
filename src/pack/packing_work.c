/*
 * packing_work: complete searches (packing_search.c) as the chain of methods asks for them: at the
 * bound, and at heights between it and the best so far; ways down alone, or all that the effort
 * allows.
 */
#include "pack/packing_work.h"

#define DIVE_SHARE	0.8		/* of the effort: what it may need at most to try one way down before all else */
#define DIVE_PARTS	3		/* part of the effort that it gets, since where it fails none may be left to search */
#define DIVES_SHARE	4		/* for ways down between it and the height, */
#define FIRST_DIVE	8		/* the first of them a part of the way down, */
#define NEAREST_DIVE	128		/* and the last just below the height */
#define FIRST_SHARE	4		/* for searches between, of one in the middle, */
#define BETWEEN_SHARE	16		/* and of each of many */
#define FAR_PARTS	4		/* part of what is left for a try further below */

/* One search with a part of the effort; narrows the range. */
enum search_end
work_search_at(struct search_turns *s, struct instance *in, int64_t capacity, struct range *r,
    struct effort *e, int parts, enum search_end (*search)(struct search_turns *, int64_t, struct effort *))
{
	struct effort share = effort_share(e, parts);
	enum search_end end = search(s, capacity, &share);

	e->visits += share.visits;
	if (end == SEARCH_FOUND)
		r->height = packing_height(in);
	else if (end == SEARCH_IMPOSSIBLE)
		r->bound = capacity / in->unit * in->unit + in->unit;
	return end;
}

/* Between what is neither found nor refuted and the height. High capacities are answered soon, and
 * most of the effort goes where neither answer nor proof is near; so each try gets a small part of
 * it, and the parts grow smaller only as the whole is used up. */
void
work_bisect(struct work *work, int64_t tried, struct effort *e, int parts)
{
	struct range *r = &work->r;
	int64_t capacity;

	while (effort_left(e) && r->height - tried > work->in->unit) {
		capacity = tried + (r->height - tried) / 2;
		if (work_search_at(work->between, work->in, capacity, r, e, parts, packing_search) != SEARCH_FOUND)
			tried = capacity;
	}
}

/* Half of the effort, before anything else: all that is cheaper had its turn. Which capacities are
 * answered soon is chance, more than how high they are, so many that differ are tried, each in a
 * part of the effort; and none once more, which would begin anew. */
void
work_search_between(struct work *work, int64_t tried, struct effort *e)
{
	struct effort share = effort_share(e, 2);
	struct range *r = &work->r;
	int64_t unit = work->in->unit, capacity, last = tried;
	int k, since = 1;	/* the range became narrower: of twice as many as it has capacities each is one */

	for (k = 1; effort_left(&share) && (r->height - tried) / unit > (since > 3 ? since / 2 : 1); k++, since++) {
		capacity = packing_search_between(tried, r->height, k);
		capacity -= (capacity - tried) % unit;
		effort_spend(&share, 1);
		if (capacity == tried || capacity == last)
			continue;
		last = capacity;
		if (work_search_at(work->between, work->in, capacity, r, &share, k == 1 ? FIRST_SHARE : BETWEEN_SHARE,
		    packing_search) != SEARCH_GIVEN_UP)
			since = 0;
		tried = r->bound > tried ? r->bound : tried;
	}
	e->visits += share.visits;
}

/* One way down in each order, at capacities below the height, and nearer to it where none leads to
 * an answer. That takes little, and often leads lower at once where what is cheaper has come to
 * rest. */
static void
dive_between(struct work *work, int64_t tried, struct effort *e)
{
	struct effort share = effort_share(e, DIVES_SHARE);
	struct range *r = &work->r;
	int64_t unit = work->in->unit, left = r->height - tried, capacity;
	int part = FIRST_DIVE;

	while (effort_left(&share) && left > unit && part <= NEAREST_DIVE) {
		capacity = r->height - (left / part > unit && part < NEAREST_DIVE ? left / part : unit);
		capacity -= (capacity - tried) % unit;
		if (work_search_at(work->between, work->in, capacity, r, &share, 1, packing_dives) != SEARCH_FOUND)
			part *= 4;
		else if (part > 2)
			part /= 2;
		tried = r->bound > tried ? r->bound : tried;
		left = r->height - tried;
	}
	if (part > NEAREST_DIVE)
		work->dived_below = r->height;
	e->visits += share.visits;
}

/* What the first turn had too little effort for: ways down at the bound, and between it and the
 * height. */
void
work_dive_on(struct work *work, int64_t capacity, struct effort *e)
{
	if (work->r.height > capacity)
		work_search_at(work->at_bound, work->in, capacity, &work->r, e, DIVES_SHARE, packing_dives);
	if (work->r.height > capacity && work->r.height != work->dived_below)
		dive_between(work, capacity, e);
}

void
work_make_searches(struct work *work)
{
	if (work->at_bound)
		return;
	work->at_bound = packing_search_new(work->in, NULL);
	work->between = work->at_bound ? packing_search_new(work->in, work->at_bound) : NULL;
}

/* Once, at the bound; a search there goes on from where it was left. */
void
work_dive(struct work *work, int64_t capacity, struct effort *e)
{
	if (work->dived || !work->at_bound ||
	    (double)packing_search_dive(work->in) >= DIVE_SHARE * (double)e->visits)
		return;
	work->dived = true;
	work_search_at(work->at_bound, work->in, capacity, &work->r, e, DIVE_PARTS, packing_dive);
}

static int64_t
half_way(int64_t low, int64_t high, int64_t unit)
{
	int64_t up = (high - low) / 2;

	return low + up - up % unit;
}

/* Ways down half-way between the bound and the height, and ever nearer to the latter or, where one
 * leads to an answer, to the bound. They are the same whatever was found since, so where they led
 * to none they are not taken again. */
static void
dive_below(struct work *work, int64_t tried, struct effort *e)
{
	struct effort share = effort_share(e, 2);
	struct range *r = &work->r;
	int64_t unit = work->in->unit, least = (r->height - tried) / NEAREST_DIVE, capacity;

	if (work->dived_in_vain >= tried && work->dived_in_vain < r->height)
		tried = work->dived_in_vain;
	while (effort_left(&share) && r->height > tried) {
		capacity = half_way(tried, r->height, unit);
		if (capacity == work->dived_in_vain)
			break;
		if (work_search_at(work->far_below, work->in, capacity, r, &share, 1, packing_dives) != SEARCH_FOUND) {
			if (!effort_left(&share))
				break;
			work->dived_in_vain = capacity;
			if (r->height - capacity <= least)
				break;
			tried = capacity;
		}
		tried = r->bound > tried ? r->bound : tried;
	}
	e->visits += share.visits;
}

void
work_search_below(struct work *work, int64_t tried, struct effort *e)
{
	int64_t unit = work->in->unit, step = unit, capacity, was;
	enum search_end end = SEARCH_FOUND;
	struct range *r = &work->r;

	if (!work->below)
		work->below = packing_search_below(work->in, work->at_bound);
	if (!work->far_below && work->below)
		work->far_below = packing_search_below(work->in, work->below);
	if (work->far_below)
		dive_below(work, tried, e);
	while (work->below && effort_left(e) && r->height - tried >= unit && (end == SEARCH_FOUND || step > unit)) {
		if (end != SEARCH_FOUND || step > (r->height - tried) / 2)
			step = unit;
		was = r->height;
		capacity = was - step - (was - step - tried) % unit;
		if (step > unit)
			end = work_search_at(work->far_below, work->in, capacity, r, e, FAR_PARTS, packing_dives);
		else if ((end = work_search_at(work->below, work->in, capacity, r, e, 1, packing_dives)) == SEARCH_GIVEN_UP)
			end = work_search_at(work->below, work->in, capacity, r, e, 1, packing_search);
		step = end == SEARCH_FOUND ? was - r->height : step;
		tried = r->bound > tried ? r->bound : tried;
	}
}
