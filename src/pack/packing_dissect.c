/*
 * packing_dissect: for instances without any waste, such as rectangles cut to pieces: how they were
 * cut, from the pieces upwards.
 *
 * Whatever was cut through, or into a wheel of five, and again and again, can be joined again
 * (packing_dissect_join.c): a tree whose leaves are the items, and if its root is all of them, that
 * is a packing without waste. Most that can be joined at first lay together indeed, but some only
 * happen to have that size or lifetime, and what is joined wrongly leaves others alone, so that
 * many remain of which none can be joined with any.
 *
 * So some of these that end or begin at nearly one time are broken up again, to some depth; and
 * what came of them is joined otherwise: what has no rival first, then, by chance, what has few. If
 * fewer remain than before, or as many, or now and then if not, that is kept, else undone ("ruin
 * and recreate", Schrimpf and others 2000, under the rule of simulated annealing). As nothing else
 * could be joined before, only what was broken up is looked at, so a step takes microseconds. Of
 * what is broken up some may not be made again at once: else more than half of all changes end as
 * they began.
 *
 * What remains in the best case, if more than one, is an instance of few items, but of ones that
 * hardly move past each other. Broken up again by some levels there are more of them, most of which
 * were joined rightly, so that a sweep that keeps all orders (packing_orders.c), which would not
 * come through with all, often finds how they lie. It takes less than the changes do that it takes
 * turns with. Where it finds nothing and the best is far from the bound, it tries once more with a
 * part of the height free, cut to pieces in time that may lie anywhere.
 *
 * Elastic ejection (packing_elastic.c) of what is left mostly leads lower, too; broken up by which
 * level is chance, and so are the trees. So where the best is far from the bound, that takes turns
 * with all the above, each time at another level. Others may go on from there with all.
 */
#include "pack/packing_dissect.h"

#include <string.h>

#include "base/chance.h"

#define DEPTH		8	/* to which some are broken up at most, mostly less, */
#define LOOSE		32	/* until so many parts are loose, */
#define NEAR		10	/* sections around a time, at least, */
#define NEAR_PART	30	/* or the part of all that so many make, */
#define FEWEST		2	/* so many of them, */
#define MOST		10	/* and more */
#define BARRED		4	/* of so many broken up at most, one is not to be made again */
#define FORGIVEN	3	/* of so many changes that leave one more, one is kept */
#define MANY_WAYS	1024	/* of which several are taken at once */
#define LEFT_SHARE	8	/* part of the effort for what is left as it is, */
#define DEEP_SHARE	2	/* and broken up, */
#define ROUNDS		8	/* between changes, */
#define DEPTHS		4	/* so far, in turns */
#define CHANGED		10000000	/* steps between sweeps of what is left, */
#define SWEEP_DEPTHS	5	/* to so many depths in turns, */
#define SLACK		32	/* and with this part of the height free, */
#define SLACK_LIVES	3	/* for so many instants at one place */
#define FITS		4
#define MOST_ITEMS	20000	/* trees may be as deep */

/* ---- joining ---- */

static bool
is_left(const struct dissection *d, const struct way *w)
{
	int k;

	for (k = 0; k < join_parts(w->how); k++)
		if (d->rect[w->part[k]].place < 0)
			return false;
	return true;
}

/* What is joined otherwise by now can no longer be. */
static void
drop_ways(struct dissection *d)
{
	int i, n = 0;

	for (i = 0; i < d->ways; i++)
		if (is_left(d, &d->way[i]))
			d->way[n++] = d->way[i];
	d->looks += 2 * d->ways;
	d->ways = n;
}

/* A wheel is hardly ever chance, so only others are its rivals. */
static void
count_rivals(struct dissection *d)
{
	struct way *w, *end = d->way + d->ways;
	int k;

	for (w = d->way; w < end; w++)
		for (k = 0; k < join_parts(w->how); k++)
			d->rect[w->part[k]].ways = d->rect[w->part[k]].wheels = 0;
	for (w = d->way; w < end; w++)
		for (k = 0; k < join_parts(w->how); k++) {
			d->rect[w->part[k]].ways++;
			d->rect[w->part[k]].wheels += w->how == WHEEL;
		}
	for (w = d->way; w < end; w++)
		for (w->rivals = k = 0; k < join_parts(w->how); k++)
			w->rivals += (w->how == WHEEL ? d->rect[w->part[k]].wheels : d->rect[w->part[k]].ways) - 1;
	d->looks += 8 * d->ways;
}

static bool
take_way(struct dissection *d, int way)
{
	struct way w = d->way[way];
	int made;

	if (!is_left(d, &w))
		return false;
	made = dissect_join(d, &w);
	d->joined[d->njoined++] = made;
	dissect_find_ways(d, made);
	return true;
}

/* Those without a rival; wheels, or others. */
static bool
take_sure(struct dissection *d, bool wheels)
{
	int i, n = d->ways;
	bool any = false;

	for (i = 0; i < n; i++)
		if ((d->way[i].how == WHEEL) == wheels && d->way[i].rivals == 0 && (!wheels || chance_below(&d->seed, 16) > 0))
			any |= take_way(d, i);
	return any;
}

/* One with few rivals. */
static void
take_likely(struct dissection *d)
{
	int i, n = d->ways, best = 0, least = INT32_MAX, rank;

	for (i = 0; i < n; i++) {
		rank = 8 * d->way[i].rivals + (d->way[i].how == WHEEL ? -16 : d->way[i].how == STACK ? 4 : 0) + chance_below(&d->seed, 32);
		if (rank < least) {
			least = rank;
			best = i;
		}
	}
	d->looks += 2 * n;
	take_way(d, best);
	for (i = 0; i < n && n > MANY_WAYS; i++)
		if (d->way[i].rivals <= d->way[best].rivals + n / MANY_WAYS && chance_below(&d->seed, 4) == 0)
			take_way(d, i);
}

/* As long as the effort lasts. */
static void
join_all(struct dissection *d)
{
	for (drop_ways(d); d->ways > 0 && d->looks < d->most_looks; drop_ways(d)) {
		count_rivals(d);
		if (!take_sure(d, true) && !take_sure(d, false))
			take_likely(d);
	}
}

/* ---- breaking up ---- */

static void
break_up(struct dissection *d, int i, int depth)
{
	const struct rect *r = &d->rect[i];
	int k;

	if (depth == 0 || r->parts == 0) {
		d->loose[d->nloose++] = i;
		return;
	}
	d->broken[d->nbroken++] = i;
	for (k = 0; k < r->parts; k++)
		break_up(d, r->part[k], depth - 1);
}

/* Some of those with an edge near one of another. */
static void
break_near(struct dissection *d)
{
	int at = d->rect[d->left[chance_below(&d->seed, d->nleft)]].edge[chance_below(&d->seed, 2)];
	int wide = chance_below(&d->seed, d->instants / NEAR_PART > NEAR ? d->instants / NEAR_PART : NEAR);
	int depth = 1 + chance_below(&d->seed, 1 + chance_below(&d->seed, DEPTH)), most = FEWEST + chance_below(&d->seed, MOST);
	int barred = 1 + chance_below(&d->seed, BARRED), n = 0, edge, t, i, k;

	for (t = at > wide ? at - wide : 0; t <= at + wide && t <= d->instants; t++)
		for (edge = BEGIN; edge <= END; edge++)
			for (i = d->first[edge][t]; i >= 0; i = d->rect[i].next[edge], d->looks++)
				d->near[n++] = i;
	for (d->nloose = d->nbarred = 0; n > 0 && most > 0 && d->nloose < LOOSE; most--) {
		k = chance_below(&d->seed, n);
		i = d->near[k];
		d->near[k] = d->near[--n];
		if (d->rect[i].place < 0)	/* both of its edges are near */
			continue;
		dissect_take(d, i);
		if (d->rect[i].parts > 0 && chance_below(&d->seed, barred) == 0)
			d->barred[d->nbarred++] = i;
		break_up(d, i, depth);
	}
	for (k = 0; k < d->nloose; k++) {
		dissect_put(d, d->loose[k]);
		dissect_find_ways(d, d->loose[k]);
	}
	d->looks += 10 * d->nloose;
}

/* ---- changes ---- */

static void
undo(struct dissection *d)
{
	const struct rect *r;
	int i, k;

	while (d->njoined > 0) {
		i = d->joined[--d->njoined];
		r = &d->rect[i];
		dissect_take(d, i);
		for (k = 0; k < r->parts; k++)
			dissect_put(d, r->part[k]);
		d->unused[d->nunused++] = i;
		d->looks += 10 * r->parts;
	}
	while (d->nbroken > 0) {
		i = d->broken[--d->nbroken];
		r = &d->rect[i];
		for (k = 0; k < r->parts; k++)
			dissect_take(d, r->part[k]);
		dissect_put(d, i);
		d->looks += 10 * r->parts;
	}
}

static void
keep(struct dissection *d)
{
	while (d->nbroken > 0)
		d->unused[d->nunused++] = d->broken[--d->nbroken];
	d->njoined = 0;
}

static void
change(struct dissection *d)
{
	int before = d->nleft, more;

	break_near(d);
	join_all(d);
	for (more = d->nleft - before; more > 0 && chance_below(&d->seed, FORGIVEN) == 0; more--)
		;
	if (more > 0)
		undo(d);
	else
		keep(d);
}

/* ---- the answer ---- */

/* The best so far: the rectangles, and those that are part of no other. */
struct found {
	struct rect *rect;
	int *left, nleft;
};

static void
remember(const struct dissection *d, int rects, struct found *f)
{
	memcpy(f->rect, d->rect, (size_t)rects * sizeof(*f->rect));
	memcpy(f->left, d->left, (size_t)d->nleft * sizeof(*f->left));
	f->nleft = d->nleft;
}

static void
place(const struct found *f, int i, int64_t offset, struct job *job)
{
	const struct rect *r = &f->rect[i];
	int64_t at;
	int k;

	if (r->parts == 0)
		job[i].offset = offset;
	for (k = 0; k < r->parts; k++) {
		at = 0;
		if (r->how == STACK && k == 1)
			at = f->rect[r->part[0]].size;
		if (r->how == WHEEL && k == HIGH_FIRST)
			at = f->rect[r->part[LOW_FIRST]].size;
		if (r->how == WHEEL && (k == HUB || k == HIGH_LAST))
			at = f->rect[r->part[LOW_LAST]].size;
		place(f, r->part[k], offset + at, job);
	}
}

/* What a rectangle consists of at a depth: jobs of another instance. */
static void
add_left(const struct found *f, int i, int depth, struct instance *left)
{
	const struct rect *r = &f->rect[i];
	int k;

	if (depth == 0 || r->parts == 0)
		left->job[left->n++] = (struct job){ .size = r->size, .align = 1, .index = i, .lower = r->edge[BEGIN],
		    .upper = r->edge[END], .life = r->edge[END] - r->edge[BEGIN] };
	for (k = 0; k < r->parts && depth > 0; k++)
		add_left(f, r->part[k], depth - 1, left);
}

/* What is left, broken up to a depth, as an instance. */
static struct instance
make_left(struct arena *a, const struct instance *in, const struct found *f, int depth)
{
	struct instance left = *in;
	int k;

	left.arena = a;
	left.n = 0;
	left.job = arena_array(a, (size_t)in->n + (size_t)in->sections, sizeof(*left.job));	/* room for slack */
	for (k = 0; k < f->nleft; k++)
		add_left(f, f->left[k], depth, &left);
	return left;
}

/* The jobs of an instance as what is left lies, if that is better. */
static int64_t
take_left(struct instance *in, const struct found *f, const struct instance *left, int64_t best)
{
	struct instance whole = *in;
	int64_t height;
	int k;

	whole.job = arena_array(left->arena, (size_t)in->n, sizeof(*whole.job));
	memcpy(whole.job, in->job, (size_t)in->n * sizeof(*whole.job));
	for (k = 0; k < left->n; k++)
		if (left->job[k].index >= 0)
			place(f, left->job[k].index, left->job[k].offset, whole.job);
	height = packing_height(&whole);
	if (height >= best)
		return best;
	memcpy(in->job, whole.job, (size_t)in->n * sizeof(*whole.job));
	return height;
}

static int64_t
solve_left(struct instance *in, const struct found *f, int depth, int64_t best, int64_t target, bool wander, struct effort *e)
{
	struct arena *a = arena_child(in->arena);
	struct instance left = make_left(a, in, f, depth);
	int64_t height = packing_fit(&left, INT64_MAX, target, FITS, e);

	if (height > target)
		height = packing_elastic(&left, height, target, e);
	if (height > target && wander)
		packing_wander(&left, height, target, e);
	best = take_left(in, f, &left, best);
	arena_free(a);
	return best;
}

/* Room that stays free, as jobs of no item that follow each other from the first instant to the
 * last. So it may lie elsewhere after each. */
static void
add_slack(struct instance *left, int64_t size)
{
	size_t sections = (size_t)left->sections;
	bool *edge = arena_array(left->arena, sections + 1, sizeof(*edge));
	int64_t *live = arena_array(left->arena, sections, sizeof(*live));
	int i, t, from = 0, lives = 0;

	for (i = 0; i < left->n; i++)
		edge[left->job[i].lower] = edge[left->job[i].upper] = true;
	for (t = 1; t <= left->sections; t++) {
		live[t - 1] = left->live[t - 1] + size;
		lives += edge[t];
		if (lives < SLACK_LIVES && t < left->sections)
			continue;
		left->job[left->n++] = (struct job){ .size = size, .align = 1, .index = -1, .lower = from, .upper = t, .life = t - from };
		from = t;
		lives = 0;
	}
	left->live = live;
	left->max_live += size;
}

/* Keeps all orders, once from either end. */
static bool
sweep_both(struct instance *left, int turn, struct effort *e)
{
	return packing_orders_once(left, 2 * turn, e) || (effort_left(e) && packing_orders_once(left, 2 * turn + 1, e));
}

/* First without a gap, then with room for SLACK. */
static int64_t
sweep_left(struct instance *in, const struct found *f, int turn, int64_t best, int64_t slack, struct effort *e)
{
	struct arena *a = arena_child(in->arena);
	struct instance left = make_left(a, in, f, turn % SWEEP_DEPTHS);
	bool placed = sweep_both(&left, turn, e);

	if (!placed && slack > 0 && effort_left(e)) {
		add_slack(&left, slack);
		effort_spend(e, left.n + left.sections);
		placed = sweep_both(&left, turn, e);
	}
	if (placed)
		best = take_left(in, f, &left, best);
	arena_free(a);
	return best;
}

static void
begin(struct arena *a, struct dissection *d, const struct instance *in, int rects, uint64_t seed, int64_t looks)
{
	size_t n = (size_t)in->n, instants = (size_t)in->sections + 1;
	int i, edge;

	*d = (struct dissection){ .seed = seed, .instants = in->sections, .most_looks = looks };
	d->rect = arena_array(a, (size_t)rects, sizeof(*d->rect));
	d->unused = arena_array(a, (size_t)rects, sizeof(*d->unused));
	d->left = arena_array(a, n, sizeof(*d->left));
	d->joined = arena_array(a, n, sizeof(*d->joined));
	d->broken = arena_array(a, n, sizeof(*d->broken));
	d->loose = arena_array(a, n, sizeof(*d->loose));
	d->near = arena_array(a, 2 * n, sizeof(*d->near));
	d->barred = arena_array(a, FEWEST + MOST, sizeof(*d->barred));
	d->way = arena_array(a, MOST_WAYS, sizeof(*d->way));
	for (edge = BEGIN; edge <= END; edge++) {
		d->first[edge] = arena_array(a, instants, sizeof(*d->first[edge]));
		memset(d->first[edge], -1, instants * sizeof(*d->first[edge]));
	}
	for (i = rects - 1; i >= in->n; i--)
		d->unused[d->nunused++] = i;
	for (i = 0; i < in->n; i++) {
		d->rect[i] = (struct rect){ .size = in->job[i].size, .edge = { in->job[i].lower, in->job[i].upper } };
		dissect_put(d, i);
		dissect_find_ways(d, i);
	}
	join_all(d);
	keep(d);
}

/* Changes as long as the effort lasts. */
static void
go_on(struct dissection *d, int rects, struct found *f, struct effort *e)
{
	while (f->nleft > 1 && effort_left(e)) {
		d->looks = 0;
		d->most_looks = e->visits;
		change(d);
		if (d->nleft < f->nleft) {
			remember(d, rects, f);
			d->looks += rects;
		}
		effort_spend(e, d->looks + 50);
	}
}

/* In turns with sweeps of what is left. *TURN: how many there were. */
static int64_t
change_and_sweep(struct instance *in, struct dissection *d, int rects, struct found *f, int *turn, int64_t best, int64_t target,
    bool deep, struct effort *e)
{
	int64_t slack = target / SLACK > 1 ? target / SLACK : 1;
	struct effort part;

	while (best > target && f->nleft > 1 && effort_left(e)) {
		part = *e;
		part.visits = e->visits < CHANGED ? e->visits : CHANGED;
		e->visits -= part.visits;
		go_on(d, rects, f, &part);
		e->visits += part.visits;
		if (f->nleft > 1 && effort_left(e))
			best = sweep_left(in, f, (*turn)++, best, deep && best - target > slack ? slack : 0, e);
	}
	return best;
}

int64_t
packing_dissect(struct instance *in, int64_t best, int64_t target, bool deep, struct effort *e)
{
	static const int depth[DEPTHS] = { 1, 2, 0, 3 };	/* which leads lowest differs */
	int rects = 3 * in->n;	/* what is broken up may come back, so it is not used again at once */
	int rounds = deep ? ROUNDS : 1, turn = 0, i;
	struct arena *a;
	struct effort last, share;
	struct dissection d;
	struct found f;

	if (in->n > MOST_ITEMS)
		return best;
	a = arena_child(in->arena);
	last = effort_share(e, deep ? DEEP_SHARE : LEFT_SHARE);
	f.rect = arena_array(a, (size_t)rects, sizeof(*f.rect));
	f.left = arena_array(a, (size_t)in->n, sizeof(*f.left));
	begin(a, &d, in, rects, (uint64_t)e->stage + 1, e->visits);
	remember(&d, rects, &f);
	effort_spend(e, d.looks + MOST_WAYS / 4 + 20 * (int64_t)in->n);
	for (i = rounds; i > 0 && best > target && (i == rounds || effort_left(&last)); i--) {
		share = effort_share(e, i);
		best = change_and_sweep(in, &d, rects, &f, &turn, best, target, deep, &share);
		e->visits += share.visits;
		if (best <= target)
			break;
		share = effort_share(&last, i);
		best = solve_left(in, &f, deep && f.nleft > 1 ? depth[(rounds - i) % DEPTHS] : 0, best, target, deep, &share);
		last.visits += share.visits;
	}
	e->visits += last.visits;
	arena_free(a);
	return best;
}
