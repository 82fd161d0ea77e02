/*
 * packing: the chain of methods, from the cheapest to the most expensive. It ends as soon as the
 * height reaches the lower bound (or the capacity that was asked for).
 *
 *  1. What is alive all the time lies at the bottom, where that is much (packing_lasting.c). The lower bound: the largest sum of
 *     sizes alive at one time, and what alignments waste (packing_aligned.c). Sizes are padded; time is cut into sections, and
 *     the instance into pieces that share no instant (packing_form.c). O(n log n).
 *  2. Fits, tightest or lowest gap (packing_fit.c). About O(log n) an item on training graphs, where the
 *     first one or two usually reach the bound. Four where more can be done, else in seven orders.
 *  3. Beyond 20,000 items, first a method of O(log n) an item (packing_large.c); beyond 4,000, after
 *     the fits, what sticks out of a lower height pushes its way in (packing_eject.c). Networks that
 *     large end here.
 *  4. Where items fill nearly all of the height all the time, two thirds of the effort go where what can lie together is made
 *     one (packing_full.c); with more effort than a network's, sweeps over time come first (packing_sweep.c). Before all of these,
 *     where nothing at all may be wasted, sweeps that keep all orders that are possible (packing_orders.c) and dissections
 *     (packing_dissect.c).
 *  5. The first way down of a complete search at the bound, in one order, as long as it gets further, if the effort is
 *     enough for it. On most networks it is a packing at the bound.
 *  6. Of networks, large items by themselves, down to their bound, and small ones into what they leave (packing_coarse.c), in which
 *     there are a third as many items to look at, and of those alive together a fifth. Of many items this comes before 5. What is
 *     left after it is mostly next to nothing: then once more, with what must change places at the fullest instants among the
 *     large; and items are put elsewhere one by one (packing_reinsert.c). What is left after that gets little of the effort.
 *  7. Fits again and again, each beginning with what stuck out before; they get half of the effort.
 *  8. Complete searches at the bound, in nine orders that take turns (packing_search.c; packing_tree.c is
 *     one of them), if the effort is enough for one way down. They find a packing; or prove that there is
 *     none, and the bound rises by the greatest common divisor of all sizes; or use up their share.
 *  9. Ejection too, down to the bound. Where more effort is given than a network's, before the searches another, for which places
 *     are not fixed (packing_elastic.c), and which goes furthest where items are many and irregular;
 *     and once that comes to rest, the same while items that have a place wander. Before it the first ways down in all
 *     orders, at the bound and between it and the height: each takes little, and on networks one of them mostly gets there.
 * 10. In later turns first of all what can have one place in turn is made one item (packing_lanes.c), and what is left, mostly
 *     far less, goes through most of the above by itself.
 * 11. If effort is left, the search at heights between the bound and the best so far, by bisection; when the chain runs
 *     again, before all that is cheaper, at many heights. What remains is reported as a gap.
 *
 * packing_check.c decides whether an answer is right; it shares no code with the above.
 *
 * Moments that no buffer spans divide an instance: each piece is solved by itself, and only down to
 * the height that the highest piece needs.
 *
 * Effort is counted in visits (a nanosecond or two each), so that a network gets the same plan on
 * every machine. The clock is read only if the caller sets a time limit. A caller who gives more
 * than a network gets has the chain run again while a gap is left, from the best so far, each time
 * with four times the effort. Where the whole ends, the last is cut off, and all before is the
 * same: more effort never gives a worse answer. With a time limit each turn of the chain is
 * followed by searches below what was found, of as much effort or more: ways down between the bound
 * and it, and complete searches just below it.
 *
 * Sources: Moffitt, "MiniMalloc" (ASPLOS 2023), for the search; "idealloc" (arXiv 2504.04874) for
 * large traces: its boxes of similar sizes are why the first fit goes by size, then by birth;
 * guided ejection search (Nagata and Braysy 2009) for what the fits leave; squeaky wheels get the
 * grease (Joslin and Clements 1999) in fits that begin with what stuck out.
 *
 * tests/unit/test_packing.c compares what is called proved with brute force; bench/packing.py
 * prints bench/README.md's table.
 */
#include "pack/packing_work.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define STAGE_BITS(e)	(2 * ((e)->stage < 10 ? (e)->stage : 10))	/* each has four times the effort */
#define NETWORK_VISITS	22000000	/* about 40 ms */
#define VISITS_AN_ITEM	5000		/* so that one fit of very many comes to its end */
#define FEW		20000	/* fits are all but certain to end in time */
#define FITS		3	/* of many: parts of the effort, one of which fits may use */
#define MOST_SEARCHED	4000		/* items of a network: one way down takes their square */
#define FIRST_FITS	4		/* of those that can be searched */
#define FULL_LEAVES	3		/* part of the effort that is left where all is full nearly all the time */
#define BOUND_SHARE	2		/* part of the effort for the search at the bound */
#define DIVED_SHARE	3		/* where its first way down has failed */
#define COARSE_SHARE	6		/* part of it for large items by themselves, each time, */
#define LARGE_LATER	4		/* and of that for searches after complaints, */
#define LARGE_SHARE	2		/* and of the rest for those before them */
#define HOPE		50		/* part of the height: with large items as far above it, fewer have no better chance */
#define TIGHT_PART	100000		/* of all room: what is large where there is little room */
#define REINSERT_SHARE	10		/* part of the effort for what is next to nothing */
#define COMPLAINT_SHARE	2		/* for complaints, */
#define COMPLAINT_BEHIND_SHARE	3	/* and where large items had a part before */
#define NEAR_SHARE	8		/* part of the effort for what is left after that, if it is next to nothing */
#define DEAR_DIVE	1000		/* items: one way down takes longer than large ones by themselves */
#define LANES_SHARE	4		/* for items that can have one place in turn */
#define BISECT_SHARE	8		/* for one between it and the height */
#define STRETCH_SHARE	2		/* part of the effort for elastic ejection */
#define WAYS_BELOW	300		/* times the square of the items: for some ways down below what was found, */
#define MOST_BELOW	16		/* but at most as much as so many turns */
#define NEAR_FOR_MANY	1000		/* the same beyond FEW, whose orders take seconds */
#define VERY_MANY	100000		/* one order takes seconds, and networks in use are smaller */
#define NEAR_FOR_VERY_MANY	200

static int64_t
most_live(const struct pieces *p)
{
	int64_t most = 0;
	int i;

	for (i = 0; i < p->n; i++)
		most = p->v[i].max_live > most ? p->v[i].max_live : most;
	return most;
}

static int
most_items(const struct pieces *p)
{
	int most = 0, i;

	for (i = 0; i < p->n; i++)
		most = p->v[i].n > most ? p->v[i].n : most;
	return most;
}

int64_t
packing_lower_bound(struct arena *a, const struct packing *p)
{
	struct packing copy = *p;
	struct pieces pieces;

	copy.item = arena_array(a, (size_t)p->n + 1, sizeof(*copy.item));
	memcpy(copy.item, p->item, (size_t)p->n * sizeof(*copy.item));
	pieces = packing_form(a, &copy);
	return most_live(&pieces);
}

/* ---- the chain ---- */

static struct work
work_on(struct instance *in)
{
	return (struct work){ .in = in, .r = { in->max_live, INT64_MAX } };
}

/* Another method, of a copy: it may put jobs into another order, and searches know them by their
 * places. What it takes is given back. */
static void
move_about(struct instance *in, struct range *r, int64_t target, struct effort *e,
    int64_t (*method)(struct instance *, int64_t, int64_t, struct effort *))
{
	struct instance copy = *in;
	int64_t height;
	int i;

	copy.arena = arena_child(in->arena);
	copy.job = arena_array(copy.arena, (size_t)in->n, sizeof(*copy.job));
	memcpy(copy.job, in->job, (size_t)in->n * sizeof(*copy.job));
	for (i = 0; i < in->n; i++)
		copy.job[i].index = i;
	height = method(&copy, r->height, target, e);
	for (i = 0; i < in->n && height < r->height; i++)
		in->job[copy.job[i].index].offset = copy.job[i].offset;
	r->height = height < r->height ? height : r->height;
	arena_free(copy.arena);
}

/* Half of the effort is for complaints, which are cheap and whose orders differ most; a third where
 * large items had a part. */
static void
complain(struct instance *in, struct range *r, int64_t target, bool coarse, struct effort *e)
{
	struct effort share = effort_share(e, coarse ? COMPLAINT_BEHIND_SHARE : COMPLAINT_SHARE);

	move_about(in, r, target, &share, packing_complain);
	e->visits += share.visits;
}

/* All that is left, for a network; later half of it, since searches between bound and height may do
 * better. */
static void
eject(struct instance *in, struct range *r, int64_t target, struct effort *e)
{
	struct effort share = effort_share(e, e->stage ? 2 : 1);

	move_about(in, r, target, &share, packing_eject);
	e->visits += share.visits;
}

/* Where there is more effort than a network's, of which it gets half, before searches have their
 * turn. */
static void
stretch(struct work *work, int64_t target, struct effort *e)
{
	struct effort share = effort_share(e, STRETCH_SHARE);
	struct range *r = &work->r;

	if (!work->stretched)
		move_about(work->in, r, target, &share, packing_elastic);
	if (effort_left(&share) && r->height > target) {
		work->stretched = true;
		move_about(work->in, r, target, &share, packing_wander);
	}
	e->visits += share.visits;
}

/* A part of more effort than a network's, first of all: where it helps, it does so at once. */
static void
make_lanes(struct work *work, int64_t target, struct effort *e)
{
	struct effort share = effort_share(e, LANES_SHARE);

	move_about(work->in, &work->r, target, &share, packing_lanes);
	e->visits += share.visits;
}

static void
put_together(struct instance *in, struct range *r, int64_t target, struct effort *e)
{
	struct effort left = effort_share(e, FULL_LEAVES);

	move_about(in, r, target, e, packing_full);
	e->visits += left.visits;
}

static void
search_large(struct work *work, int64_t target, int parts, struct effort *e)
{
	if (work->r.height > target && work->at_bound)
		work_search_at(work->at_bound, work->in, target, &work->r, e, parts, packing_search);
}

/* A part of the items, down to their own bound. Where there is little room only searches find
 * that. */
static void
solve_large(struct work *work, bool tight, struct effort *e)
{
	struct instance *in = work->in;
	struct range *r = &work->r;
	struct effort later = { 0 };
	int64_t target = r->bound;

	r->height = packing_fit(in, r->height, target, FIRST_FITS, e);
	if (r->height <= target)
		return;
	work_make_searches(work);
	work_dive(work, target, e);
	if (!tight) {
		later = effort_share(e, LARGE_LATER);
		search_large(work, target, LARGE_SHARE, e);
	}
	if (!tight && r->height > target)
		move_about(in, r, target, e, packing_complain);
	e->visits += later.visits;
	search_large(work, target, 1, e);
}

/* Large items by themselves, and the others into what those leave. False: none are, or there is no
 * hope. */
static bool
coarsen_by(struct work *whole, double part, bool tight, int64_t target, bool *hope, struct effort *e)
{
	struct effort share = effort_share(e, COARSE_SHARE);
	struct instance *in = whole->in;
	struct arena *a = arena_child(in->arena);
	struct range *r = &whole->r;
	struct instance large;
	struct job *small;
	bool tried = *hope && packing_coarse(in, a, part, tight, &large, &small);

	if (tried) {
		struct work work = work_on(&large);

		solve_large(&work, tight, &share);
		*hope = work.r.height - target <= target / HOPE;
		if (work.r.height <= target)
			r->height = (tight ? packing_fit_tightly : packing_fit_beside)(in, &large, small, r->height, target, &share);
	} else if (!*hope) {
		whole->held += share.visits;
		share.visits = 0;
	}
	arena_free(a);
	e->visits += share.visits;
	return tried;
}

/* What is large is decided in several ways. Where the first leads nowhere, all that is left is as
 * hard, and the others' effort is not worth it. Where next to nothing is left, what must change
 * places at the fullest instants is large, too. */
static bool
coarsen(struct work *whole, int64_t target, struct effort *e)
{
	static const double part[] = { 50000, 30000 };
	struct range *r = &whole->r;
	bool tried = false, hope = true;
	size_t i;

	for (i = 0; i < sizeof(part) / sizeof(*part) && !is_near(r->height, target); i++)
		tried |= coarsen_by(whole, part[i], false, target, &hope, e);
	if (r->height > target && is_near(r->height, target)) {
		hope = true;
		coarsen_by(whole, TIGHT_PART, true, target, &hope, e);
	}
	return tried;
}

/* What is next to nothing, item by item. */
static void
reinsert(struct work *work, int64_t target, struct effort *e)
{
	struct effort share = effort_share(e, REINSERT_SHARE);

	move_about(work->in, &work->r, target, &share, packing_reinsert);
	e->visits += share.visits;
}

/* One way down, and large items by themselves, which come first where a way down of all is dear.
 * Did those have a turn? */
static bool
try_soon(struct work *work, int64_t target, struct effort *e)
{
	struct instance *in = work->in;
	struct range *r = &work->r;
	bool first = e->stage == 0 && in->n <= MOST_SEARCHED, tried = false;

	if (first && in->n >= DEAR_DIVE)
		tried = coarsen(work, target, e);
	if (r->height > target) {
		work_make_searches(work);
		work_dive(work, target > r->bound ? target : r->bound, e);
	}
	if (first && in->n < DEAR_DIVE && r->height > target)
		tried = coarsen(work, target, e);
	if (in->n <= MOST_SEARCHED && r->height > target && is_near(r->height, target))
		reinsert(work, target, e);
	if (tried && is_near(r->height, target)) {
		int64_t held = e->visits - e->visits / NEAR_SHARE;

		work->held += held;
		e->visits -= held;
	}
	return tried;
}

/* As low as the effort allows, or to the target: what was asked for (ANY: an answer within it will
 * do), else what another piece needs anyway. Where searches do not get there soon enough, ejection
 * gets the rest; of very many items it gets half before. */
static void
search_down(struct work *work, int64_t target, bool any, struct effort *e)
{
	struct instance *in = work->in;
	struct range *r = &work->r;
	bool ejected = any || in->n > MOST_SEARCHED, searches, coarse = false;
	int64_t capacity;

	if (e->stage > 0)
		make_lanes(work, target > r->bound ? target : r->bound, e);
	if (r->height > target && e->stage > 0 && work->at_bound && !any)
		work_dive_on(work, target > r->bound ? target : r->bound, e);
	if (r->height <= target)
		return;
	if (e->stage > 0 && in->n <= MOST_SEARCHED)
		stretch(work, target, e);
	if (work->between && !any && packing_search_dive(in) < e->visits / BISECT_SHARE)
		work_search_between(work, target > r->bound ? target : r->bound, e);
	if (!any && ejected)
		eject(in, r, target, e);
	if (any)
		work_make_searches(work);
	else
		coarse = try_soon(work, target, e);
	if (!any && r->height > target)
		complain(in, r, target, coarse, e);
	searches = work->at_bound && (any || packing_search_dive(in) < e->visits / BOUND_SHARE);
	while (effort_left(e) && r->height > target && r->height > r->bound) {
		capacity = target > r->bound ? target : r->bound;
		if (any && capacity > target)
			return;		/* proved: there is none within what was asked for */
		if (searches && work_search_at(work->at_bound, in, capacity, r, e, any ? 1 :
		    work->dived ? DIVED_SHARE : BOUND_SHARE, packing_search) != SEARCH_GIVEN_UP)
			continue;
		if (!ejected) {
			ejected = true;
			eject(in, r, capacity, e);
			continue;
		}
		if (!searches)
			return;
		if (!any)
			work_bisect(work, capacity, e, BISECT_SHARE);
	}
}

/* What of a height above the target is worth another method: less the more there are, and the
 * longer it has been tried. */
static int64_t
worth(const struct instance *in, int64_t height, const struct effort *e)
{
	int64_t part = in->n > VERY_MANY ? NEAR_FOR_VERY_MANY : in->n > FEW ? NEAR_FOR_MANY : NEXT_TO_NOTHING;

	return height / (part << STAGE_BITS(e));
}

/* Too many to search soon. Orders beyond the first few seldom help, so most of the effort goes to
 * what moves things about. */
static int64_t
pack_many(struct instance *in, int64_t height, int64_t target, struct effort *e)
{
	struct effort share = effort_share(e, FITS);

	if (in->n > FEW && e->stage == 0)
		height = packing_large(in, height, target, &share);
	if (height - target > worth(in, height, e))
		height = packing_fit(in, height, target, INT_MAX, &share);
	e->visits += share.visits;
	/* the last thousandth is not worth what ejection costs, at first */
	return height - target > height / (INT64_C(1000) << STAGE_BITS(e)) && height - target > worth(in, height, e) ?
	    packing_eject(in, height, target, e) : height;
}

static void
solve_piece(struct work *work, int64_t target, bool any, struct effort *e)
{
	struct instance *in = work->in;
	struct range *r = &work->r;

	if (in->n > MOST_SEARCHED && e->stage == 0) {
		put_together(in, r, target, e);
		r->height = pack_many(in, r->height, target, e);
		return;
	}
	if (e->stage == 0)
		r->height = packing_fit(in, r->height, target, FIRST_FITS, e);
	if (r->height > target)
		put_together(in, r, target, e);
	if (r->height > target)
		search_down(work, target, any, e);
}

static int
fewest_first(const void *x, const void *y)
{
	const struct work *a = x, *b = y;

	return a->in->n != b->in->n ? (a->in->n > b->in->n ? 1 : -1) : (a->in > b->in) - (a->in < b->in);
}

/* As much as the chain had. Where ways down are dear, more, but not before the second turn. */
static int64_t
effort_below(const struct pieces *p, int64_t turn, const struct effort *e)
{
	int64_t n = most_items(p), ways = WAYS_BELOW * n * n, most = MOST_BELOW * turn;

	if (e->stage == 0)
		return ways > turn ? 0 : turn;
	ways = ways < most ? ways : most;
	return turn << STAGE_BITS(e) > ways ? turn << STAGE_BITS(e) : ways;
}

/* In equal parts for all pieces that are above what is needed anyway. */
static void
push_down(const struct pieces *p, struct work *work, struct effort *e)
{
	int64_t target = 0;
	int i, left = 0;

	for (i = 0; i < p->n; i++)
		target = work[i].r.bound > target ? work[i].r.bound : target;
	for (i = 0; i < p->n; i++)
		left += work[i].r.height > target;
	for (i = 0; i < p->n && left > 0; i++) {
		struct effort share;

		if (work[i].r.height <= target)
			continue;
		share = effort_share(e, left--);
		work_make_searches(&work[i]);
		if (work[i].at_bound)
			work_search_below(&work[i], target, &share);
		e->visits += share.visits;
	}
}

/* A turn for all pieces, each down to the height that the others need anyway. They come by size,
 * and what a small one does not use of its share the larger ones do. */
static void
solve_pieces(const struct pieces *p, struct work *work, int64_t capacity, struct effort *e)
{
	int64_t target = capacity;
	int i, left = p->jobs;

	for (i = 0; i < p->n; i++)
		target = work[i].r.bound > target ? work[i].r.bound : target;
	for (i = 0; i < p->n; i++) {
		struct effort share = *e;

		share.visits = (int64_t)((double)e->visits * work[i].in->n / left);
		e->visits -= share.visits;
		left -= work[i].in->n;
		if (work[i].r.height > target)
			solve_piece(&work[i], target, capacity > 0, &share);
		e->visits += share.visits + work[i].held;
		work[i].held = 0;
		if (target < work[i].r.height && capacity == 0)
			target = work[i].r.height;
	}
}

static void
summarise(const struct pieces *p, const struct work *work, struct packing_result *r)
{
	int i;

	r->height = 0;
	for (i = 0; i < p->n; i++) {
		r->height = work[i].r.height > r->height ? work[i].r.height : r->height;
		r->bound = work[i].r.bound > r->bound ? work[i].r.bound : r->bound;
	}
	r->optimal = r->height == r->bound;
}

static bool
is_answered(const struct packing_result *r, int64_t capacity)
{
	return capacity ? r->height <= capacity || r->bound > capacity : r->optimal;
}

/* The pieces as their items lie. */
static void
take_places(const struct packing *p, struct pieces *pieces, struct work *work)
{
	int i;

	for (i = 0; i < pieces->jobs; i++)
		pieces->job[i].offset = p->item[pieces->job[i].index].offset;
	for (i = 0; i < pieces->n; i++)
		work[i].r.height = packing_height(&pieces->v[i]);
}

int64_t
packing_turn(int items)
{
	return NETWORK_VISITS + (int64_t)items * VISITS_AN_ITEM;
}

static struct packing_result
solve(struct arena *a, struct packing *p, const struct packing_options *o)
{
	static const struct packing_options network = { 0 };
	struct pieces pieces = packing_form(a, p);
	struct packing_result r = { .max_live = most_live(&pieces) };
	int64_t turn = packing_turn(p->n), all;
	struct effort e = { .all = &all };
	struct work *work = arena_array(a, (size_t)pieces.n + 1, sizeof(*work));
	double deadline;
	bool begun, below;
	int i;

	o = o ? o : &network;
	deadline = o->seconds > 0 ? effort_clock() + o->seconds : 0;
	below = o->seconds > 0 && !o->capacity && most_items(&pieces) <= MOST_SEARCHED;
	r.bound = r.max_live;
	r.visits = all = o->visits ? o->visits : turn;
	for (i = 0; i < pieces.n; i++)
		work[i] = work_on(&pieces.v[i]);
	if ((begun = packing_padded(a, p, o->capacity, &all)))
		take_places(p, &pieces, work);
	qsort(work, (size_t)pieces.n, sizeof(*work), fewest_first);
	do {
		e.visits = turn << STAGE_BITS(&e);
		e.deadline = begun || e.stage > 0 ? deadline : 0;	/* a network's turn, at least */
		solve_pieces(&pieces, work, o->capacity, &e);
		summarise(&pieces, work, &r);
		if (below && !r.optimal) {
			e.visits = effort_below(&pieces, turn, &e);
			e.deadline = deadline;
			push_down(&pieces, work, &e);
			summarise(&pieces, work, &r);
		}
		e.stage++;
		e.visits = turn;
	} while (o->visits && !is_answered(&r, o->capacity) && effort_left(&e));
	for (i = 0; i < pieces.jobs; i++)
		p->item[pieces.job[i].index].offset = pieces.job[i].offset;
	r.visits -= all;
	return r;
}

struct packing_result
packing_solve(struct arena *a, struct packing *p, const struct packing_options *o)
{
	struct packing_result r;

	return packing_lasting(a, p, o, &r) ? r : solve(a, p, o);
}
