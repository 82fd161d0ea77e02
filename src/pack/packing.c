/*
 * packing: the chain of methods, from the cheapest to the most expensive. It ends as soon as the
 * height reaches the lower bound (or the capacity that was asked for).
 *
 *  1. The lower bound: the largest sum of sizes alive at one time, and what alignments waste (packing_aligned.c). Sizes are
 *     padded; time is cut into sections, and the instance into pieces that share no instant. O(n log n).
 *  2. Fits, tightest or lowest gap (packing_fit.c). About O(log n) an item on training graphs, where the
 *     first one or two usually reach the bound. Four where more can be done, else in seven orders.
 *  3. Beyond 20,000 items, first a method of O(log n) an item (packing_large.c); beyond 4,000, after
 *     the fits, what sticks out of a lower height pushes its way in (packing_eject.c). Networks that
 *     large end here.
 *  4. Where items fill nearly all of the height all the time, half of the effort goes where what can lie together is made
 *     one (packing_full.c).
 *  5. Fits again and again, each beginning with what stuck out before; they get half of the effort.
 *  6. Complete searches at the bound, in eight orders that take turns (packing_search.c; packing_tree.c is
 *     one of them), if the effort is enough for one way down. They find a packing; or prove that there is
 *     none, and the bound rises by the greatest common divisor of all sizes; or use up their share.
 *  7. Ejection too, down to the bound. Where more effort is given than a network's, before the searches another, for which places
 *     are not fixed (packing_elastic.c), and which goes furthest where items are many and irregular.
 *  8. If effort is left, the search at heights between the bound and the best so far, by bisection; when the chain runs
 *     again, before all that is cheaper, at many heights. What remains is reported as a gap.
 *
 * packing_check.c decides whether an answer is right; it shares no code with the above.
 *
 * Moments that no buffer spans divide an instance: each piece is solved by itself, and only down to
 * the height that the highest piece needs.
 *
 * Effort is counted in visits (a nanosecond or two each), so that a network gets the same plan on
 * every machine. The clock is read only if the caller sets a time limit. A caller who gives more than a network
 * gets has the chain run again while a gap is left, from the best so far, each time with four times the effort. Where
 * the whole ends, the last is cut off, and all before is the same: more effort never gives a worse answer.
 *
 * Sources: Moffitt, "MiniMalloc" (ASPLOS 2023), for the search; "idealloc" (arXiv 2504.04874) for
 * large traces: its boxes of similar sizes are why the first fit goes by size, then by birth; guided
 * ejection search (Nagata and Braysy 2009) for what the fits leave; squeaky wheels get the grease (Joslin and
 * Clements 1999) in fits that begin with what stuck out.
 *
 * tests/unit/test_packing.c compares what is called proved with brute force; bench/packing.py prints bench/README.md's table.
 */
#include "pack/packing_impl.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/gcd.h"

#define STAGE_BITS(e)	(2 * ((e)->stage < 10 ? (e)->stage : 10))	/* each has four times the effort */
#define NETWORK_VISITS	30000000	/* about 50 ms */
#define VISITS_AN_ITEM	5000		/* so that one fit of very many comes to its end */
#define FEW		20000	/* fits are all but certain to end in time */
#define FITS		3	/* of many: parts of the effort, one of which fits may use */
#define MOST_SEARCHED	4000		/* items of a network: one way down takes their square */
#define FIRST_FITS	4		/* of those that can be searched */
#define BOUND_SHARE	2		/* part of the effort for the search at the bound */
#define BISECT_SHARE	8		/* for one between it and the height */
#define FIRST_SHARE	4		/* the same where they come first, for one in the middle, */
#define BETWEEN_SHARE	16		/* and for each of many */
#define STRETCH_SHARE	4		/* part of the effort for elastic ejection */
#define NEAR_ENOUGH	100000		/* part of the height: less is not worth trying more orders */
#define NEAR_FOR_MANY	1000		/* the same beyond FEW, whose orders take seconds */
#define VERY_MANY	100000		/* one order takes seconds, and networks in use are smaller */
#define NEAR_FOR_VERY_MANY	200

/* ---- one form ---- */

struct pieces {
	struct job *job;	/* of all pieces, piece by piece */
	struct instance *v;
	int n, jobs;
};

/* Instants as small numbers: as they are where they are dense, else by their rank. */
struct times {
	int64_t first;
	int64_t *sorted;	/* NULL: subtract the first */
	int n;
};

static int
by_value(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;

	return *a < *b ? -1 : *a > *b;
}

static struct times
find_times(struct arena *a, const struct packing *p)
{
	struct times t = { .first = INT64_MAX };
	int64_t last = INT64_MIN, span;
	int i;

	for (i = 0; i < p->n; i++) {
		t.first = p->item[i].lower < t.first ? p->item[i].lower : t.first;
		last = p->item[i].upper > last ? p->item[i].upper : last;
	}
	if (!__builtin_sub_overflow(last, t.first, &span) && span < 4 * (int64_t)p->n)
		return t;
	t.sorted = arena_array(a, 2 * (size_t)p->n + 1, sizeof(*t.sorted));
	for (i = 0; i < p->n; i++) {
		t.sorted[2 * i] = p->item[i].lower;
		t.sorted[2 * i + 1] = p->item[i].upper;
	}
	qsort(t.sorted, 2 * (size_t)p->n, sizeof(*t.sorted), by_value);
	for (i = 0; i < 2 * p->n; i++)
		if (t.n == 0 || t.sorted[i] != t.sorted[t.n - 1])
			t.sorted[t.n++] = t.sorted[i];
	return t;
}

static int
rank_of(const struct times *t, int64_t time)
{
	int lo = 0, hi = t->n, mid;

	if (!t->sorted)
		return (int)(time - t->first);
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (t->sorted[mid] < time)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Padded sizes; tails where the topmost need not be padded. Items without bytes lie at 0. */
static int
fill_jobs(struct arena *a, struct packing *p, struct job *job)
{
	struct times times = find_times(a, p);
	int64_t divisor = packing_divisor(p), align;
	int i, n = 0;

	for (i = 0; i < p->n; i++) {
		const struct item *it = &p->item[i];
		struct job *j = &job[n];

		p->item[i].offset = 0;
		if (it->size == 0 || it->lower >= it->upper)
			continue;
		n++;
		align = packing_alignment(p, it);
		j->size = (it->size + divisor - 1) / divisor * divisor;
		j->tail = it->alignment > 0 ? j->size - it->size : 0;
		j->align = align == divisor ? 1 : align;
		j->lower = rank_of(&times, it->lower);
		j->upper = rank_of(&times, it->upper);
		j->life = (double)it->upper - (double)it->lower;
		j->index = i;
	}
	return n;
}

/* The jobs whose FIRST is an instant, in a list each. */
static int *
by_instant(struct arena *a, const struct job *job, int n, int end, bool upper, int *next)
{
	int *head = arena_array(a, (size_t)end + 1, sizeof(*head)), i, t;

	for (t = 0; t <= end; t++)
		head[t] = -1;
	for (i = n - 1; i >= 0; i--) {
		t = upper ? job[i].upper : job[i].lower;
		next[i] = head[t];
		head[t] = i;
	}
	return head;
}

/* Instants to sections: one ends where something dies, if anything was born since the one before
 * ended. Sorts jobs by birth; a piece ends where nothing is alive. */
static void
cut(struct arena *a, struct pieces *p, const struct job *job, int n)
{
	int *next_born = arena_array(a, (size_t)n + 1, sizeof(int));
	int *next_dead = arena_array(a, (size_t)n + 1, sizeof(int));
	int *place = arena_array(a, (size_t)n + 1, sizeof(int));
	int *born, *dead, end = 0, section = 0, alive = 0, t, i;
	struct instance *in = NULL;
	bool fresh = false;

	for (i = 0; i < n; i++)
		end = job[i].upper > end ? job[i].upper : end;
	born = by_instant(a, job, n, end, false, next_born);
	dead = by_instant(a, job, n, end, true, next_dead);
	for (t = 0; t <= end; t++) {
		if (dead[t] >= 0 && fresh) {
			section++;
			fresh = false;
		}
		for (i = dead[t]; i >= 0; i = next_dead[i], alive--)
			p->job[place[i]].upper = section;
		if (alive == 0 && in) {
			in->sections = section;
			in = NULL;
		}
		for (i = born[t]; i >= 0; i = next_born[i], alive++) {
			if (!in) {
				in = &p->v[p->n++];
				*in = (struct instance){ .arena = a, .job = p->job + p->jobs };
				section = 0;
			}
			place[i] = p->jobs;
			p->job[p->jobs] = job[i];
			p->job[p->jobs++].lower = section;
			in->n++;
			fresh = true;
		}
	}
}

/* Live bytes by section; the bound; what divides all heights. */
static void
measure(struct instance *in, int64_t padding)
{
	int64_t *tail = arena_array(in->arena, (size_t)in->sections + 1, sizeof(*tail)), live = 0;
	int i, s;

	in->padding = 1;
	in->live = arena_array(in->arena, (size_t)in->sections + 1, sizeof(*in->live));
	for (i = 0; i < in->n; i++) {
		const struct job *j = &in->job[i];

		in->live[j->lower] += j->size;
		in->live[j->upper] -= j->size;
		in->unit = gcd(gcd(in->unit, j->size), j->align > 1 ? j->align : 0);
		if (j->tail) {
			in->unit = 1;
			in->padding = padding;
		}
		for (s = j->lower; j->tail && s < j->upper; s++)
			tail[s] = j->tail > tail[s] ? j->tail : tail[s];
	}
	for (s = 0; s < in->sections; s++) {
		live += in->live[s];
		in->live[s] = live;
		tail[s] = live - tail[s];	/* what is needed */
		in->max_live = tail[s] > in->max_live ? tail[s] : in->max_live;
	}
	in->max_live = packing_aligned(in, padding, tail, in->max_live);
}

static struct pieces
divide(struct arena *a, struct packing *p)
{
	struct job *job = arena_array(a, (size_t)p->n + 1, sizeof(*job));
	struct pieces pieces = { .job = arena_array(a, (size_t)p->n + 1, sizeof(*job)) };
	int64_t padding = packing_divisor(p);
	int n = fill_jobs(a, p, job), i;

	pieces.v = arena_array(a, (size_t)n + 1, sizeof(*pieces.v));
	cut(a, &pieces, job, n);
	for (i = 0; i < pieces.n; i++)
		measure(&pieces.v[i], padding);
	return pieces;
}

static int64_t
most_live(const struct pieces *p)
{
	int64_t most = 0;
	int i;

	for (i = 0; i < p->n; i++)
		most = p->v[i].max_live > most ? p->v[i].max_live : most;
	return most;
}

int64_t
packing_lower_bound(struct arena *a, const struct packing *p)
{
	struct packing copy = *p;
	struct pieces pieces;

	copy.item = arena_array(a, (size_t)p->n + 1, sizeof(*copy.item));
	memcpy(copy.item, p->item, (size_t)p->n * sizeof(*copy.item));
	pieces = divide(a, &copy);
	return most_live(&pieces);
}

/* ---- the chain ---- */

struct range {
	int64_t bound;		/* proved: not below */
	int64_t height;		/* found */
};

/* A piece, and how far it came. */
struct work {
	struct instance *in;
	struct range r;
	struct search_turns *at_bound, *between;	/* NULL: none yet. The former goes on in the next turn */
};

/* A part of the effort that is left, to be given back as far as it is not used. */
static struct effort
share_of(struct effort *e, int parts)
{
	struct effort part = *e;

	part.visits = (e->visits + parts - 1) / parts;
	e->visits -= part.visits;
	return part;
}

/* One search with a part of the effort; narrows the range. */
static enum search_end
search_at(struct search_turns *s, struct instance *in, int64_t capacity, struct range *r,
    struct effort *e, int parts)
{
	struct effort share = share_of(e, parts);
	enum search_end end = packing_search(s, capacity, &share);

	e->visits += share.visits;
	if (end == SEARCH_FOUND)
		r->height = packing_height(in);
	else if (end == SEARCH_IMPOSSIBLE)
		r->bound = capacity / in->unit * in->unit + in->unit;
	return end;
}

/* Another method, of a copy: it may put jobs into another order, and searches know them by their places. */
static void
move_about(struct instance *in, struct range *r, int64_t target, struct effort *e,
    int64_t (*method)(struct instance *, int64_t, int64_t, struct effort *))
{
	struct instance copy = *in;
	int i;

	copy.job = arena_array(in->arena, (size_t)in->n, sizeof(*copy.job));
	memcpy(copy.job, in->job, (size_t)in->n * sizeof(*copy.job));
	for (i = 0; i < in->n; i++)
		copy.job[i].index = i;
	r->height = method(&copy, r->height, target, e);
	for (i = 0; i < in->n; i++)
		in->job[copy.job[i].index].offset = copy.job[i].offset;
}

/* Half of the effort is for complaints, which are cheap and whose orders differ most. */
static void
complain(struct instance *in, struct range *r, int64_t target, struct effort *e)
{
	struct effort share = share_of(e, 2);

	move_about(in, r, target, &share, packing_complain);
	e->visits += share.visits;
}

/* All that is left, for a network; later half of it, since searches between bound and height may do better. */
static void
eject(struct instance *in, struct range *r, int64_t target, struct effort *e)
{
	struct effort share = share_of(e, e->stage ? 2 : 1);

	move_about(in, r, target, &share, packing_eject);
	e->visits += share.visits;
}

/* Where there is more effort than a network's, of which it gets a part, before searches have their turn. */
static void
stretch(struct instance *in, struct range *r, int64_t target, struct effort *e)
{
	struct effort share = share_of(e, STRETCH_SHARE);

	move_about(in, r, target, &share, packing_elastic);
	e->visits += share.visits;
}

static void
put_together(struct instance *in, struct range *r, int64_t target, struct effort *e)
{
	struct effort share = share_of(e, 2);

	move_about(in, r, target, &share, packing_full);
	e->visits += share.visits;
}

/* Between what is neither found nor refuted and the height. High capacities are answered soon, and most of the effort goes where
 * neither answer nor proof is near; so each try gets a small part of it, and the parts grow smaller only as the whole is used up. */
static void
bisect(struct work *work, int64_t tried, struct effort *e, int parts)
{
	struct range *r = &work->r;
	int64_t capacity;

	while (effort_left(e) && r->height - tried > work->in->unit) {
		capacity = tried + (r->height - tried) / 2;
		if (search_at(work->between, work->in, capacity, r, e, parts) != SEARCH_FOUND)
			tried = capacity;
	}
}

/* Half of the effort, before anything else: all that is cheaper had its turn. Which capacities are answered soon is chance, more than
 * how high they are, so many that differ are tried, each in a part of the effort. */
static void
search_between(struct work *work, int64_t tried, struct effort *e)
{
	struct effort share = share_of(e, 2);
	struct range *r = &work->r;
	int64_t capacity;
	int k;

	for (k = 1; effort_left(&share) && r->height - tried > work->in->unit; k++) {
		capacity = packing_search_between(tried, r->height, k);
		effort_spend(&share, 1);
		if (capacity > tried)
			search_at(work->between, work->in, capacity, r, &share, k == 1 ? FIRST_SHARE : BETWEEN_SHARE);
		tried = r->bound > tried ? r->bound : tried;
	}
	e->visits += share.visits;
}

/* As low as the effort allows, or to the target: what was asked for (ANY: an answer within it will do), else what another piece
 * needs anyway. Where searches do not get there soon enough, ejection gets the rest; of very many items it gets half before. */
static void
search_down(struct work *work, int64_t target, bool any, struct effort *e)
{
	struct instance *in = work->in;
	struct range *r = &work->r;
	bool ejected = any || in->n > MOST_SEARCHED, dive;
	int64_t capacity;

	if (e->stage > 0 && in->n <= MOST_SEARCHED)
		stretch(in, r, target, e);
	if (work->between && !any && packing_search_dive(in) < e->visits / BISECT_SHARE)
		search_between(work, target > r->bound ? target : r->bound, e);
	if (!any && ejected)
		eject(in, r, target, e);
	if (!any)
		complain(in, r, target, e);
	if (!work->at_bound) {
		work->at_bound = packing_search_new(in, NULL);
		work->between = work->at_bound ? packing_search_new(in, work->at_bound) : NULL;
	}
	dive = work->at_bound && (any || packing_search_dive(in) < e->visits / BOUND_SHARE);
	while (effort_left(e) && r->height > target && r->height > r->bound) {
		capacity = target > r->bound ? target : r->bound;
		if (any && capacity > target)
			return;		/* proved: there is none within what was asked for */
		if (dive && search_at(work->at_bound, in, capacity, r, e, any ? 1 : BOUND_SHARE) != SEARCH_GIVEN_UP)
			continue;
		if (!ejected) {
			ejected = true;
			eject(in, r, capacity, e);
			continue;
		}
		if (!dive)
			return;
		if (!any)
			bisect(work, capacity, e, BISECT_SHARE);
	}
}

/* What of a height above the target is worth another method: less the more there are, and the longer it has been tried. */
static int64_t
worth(const struct instance *in, int64_t height, const struct effort *e)
{
	int64_t part = in->n > VERY_MANY ? NEAR_FOR_VERY_MANY : in->n > FEW ? NEAR_FOR_MANY : NEAR_ENOUGH;

	return height / (part << STAGE_BITS(e));
}

/* Too many to search soon. Orders beyond the first few seldom help, so most of the effort goes to what
 * moves things about. */
static int64_t
pack_many(struct instance *in, int64_t height, int64_t target, struct effort *e)
{
	struct effort share = share_of(e, FITS);

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

/* A turn for all pieces, each down to the height that the others need anyway. They come by size, and what a small one does not
 * use of its share the larger ones do. */
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
		e->visits += share.visits;
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

struct packing_result
packing_solve(struct arena *a, struct packing *p, const struct packing_options *o)
{
	static const struct packing_options network = { 0 };
	struct pieces pieces = divide(a, p);
	struct packing_result r = { .max_live = most_live(&pieces) };
	int64_t turn = NETWORK_VISITS + (int64_t)p->n * VISITS_AN_ITEM, all;
	struct effort e = { .all = &all };
	struct work *work = arena_array(a, (size_t)pieces.n + 1, sizeof(*work));
	double deadline;
	bool begun;
	int i;

	o = o ? o : &network;
	deadline = o->seconds > 0 ? effort_clock() + o->seconds : 0;
	r.bound = r.max_live;
	r.visits = all = o->visits ? o->visits : turn;
	for (i = 0; i < pieces.n; i++)
		work[i] = (struct work){ &pieces.v[i], { pieces.v[i].max_live, INT64_MAX }, NULL, NULL };
	if ((begun = packing_padded(a, p, o->capacity, &all)))
		take_places(p, &pieces, work);
	qsort(work, (size_t)pieces.n, sizeof(*work), fewest_first);
	do {
		e.visits = turn << STAGE_BITS(&e);
		e.deadline = begun || e.stage > 0 ? deadline : 0;	/* a network's turn, at least */
		solve_pieces(&pieces, work, o->capacity, &e);
		summarise(&pieces, work, &r);
		e.stage++;
		e.visits = turn;
	} while (o->visits && !is_answered(&r, o->capacity) && effort_left(&e));
	for (i = 0; i < pieces.jobs; i++)
		p->item[pieces.job[i].index].offset = pieces.job[i].offset;
	r.visits -= all;
	return r;
}
