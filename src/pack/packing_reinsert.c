/*
 * packing_reinsert: what determines the height is put elsewhere, item by item.
 *
 * Where each item lies as low as those below it allow, there are *chains*: items stacked one on
 * another from the bottom to the top, which nothing but another order can make lower. Were all of a
 * chain alive together, it would be no longer than the bound. So where it is longer there are some
 * in it that are not alive with all others, and one of these is taken out, and comes back where the
 * longest chain through it is the shortest. It makes others move: what lies on it lies higher, what
 * lay on it before lower.
 *
 * That is told without trying any place. What is below the item at its new place, and what is above
 * it there, reach as far from the bottom and from the top as they did without it. So of those alive
 * with it, in the order of their ends, the lower lie below and all others above, for each number of
 * them: no place has a shorter chain through it than the best of these. Its old place is among
 * them, so the height never grows. Jobs in a shop are moved along longest paths in this way
 * (Dell'Amico and Trubian 1993), and as there what was moved stays for a while. Chains are many,
 * and an item that breaks one may leave the others; but where a few bytes too many are left, one
 * often breaks all of them.
 *
 * Fits can do nothing there: what they placed stays where it is, and ejection moves many more than
 * that. The order is kept by packing_piles.c.
 */
#include "pack/packing_piles.h"

#include <limits.h>
#include <stdlib.h>

#include "base/chance.h"

#define REST		3		/* steps for which what was moved stays, and by chance so many more: */
#define MORE_REST	8
#define LOOKED_AT	10		/* times, is each item in a step */

struct end {
	int64_t at;
	int job;
};

struct reinsert {
	struct piles p;
	struct end *end;	/* of all, the lowest first */
	struct end *near;	/* of those alive with one */
	int64_t *above;		/* by their place there: how far it and those after it reach from the top */
	int *chain, nchain;
	int *rests, step;	/* by job: until that step */
	uint64_t seed;
};

static int64_t
end_of(const struct piles *p, int i)
{
	return low_of(p, i) + p->job[i].size;
}

/* ---- what to move ---- */

static int
any_topmost(struct reinsert *r, int64_t height)
{
	int i, top = NONE, found = 0;

	for (i = 0; i < r->p.n; i++)
		if (end_of(&r->p, i) == height && chance_below(&r->seed, ++found) == 0)
			top = i;
	return top;
}

/* One of those it lies on. */
static int
any_below(struct reinsert *r, int i)
{
	const struct beside *b = r->p.beside[BELOW] + r->p.node[i];
	int k, below = NONE, found = 0;

	for (k = 0; k < r->p.besides[BELOW][i]; k++)
		if (end_of(&r->p, b[k].job) == low_of(&r->p, i) && chance_below(&r->seed, ++found) == 0)
			below = b[k].job;
	return below;
}

/* Any of the chains, from the top, but of it only what is not alive with all others and may
 * move. */
static void
find_chain(struct reinsert *r, int64_t height)
{
	int latest = 0, earliest = INT_MAX, n = 0, i, k;
	const struct job *j;

	r->nchain = 0;
	for (i = any_topmost(r, height); i != NONE; i = low_of(&r->p, i) > 0 ? any_below(r, i) : NONE) {
		r->chain[r->nchain++] = i;
		j = &r->p.job[i];
		latest = j->lower > latest ? j->lower : latest;
		earliest = j->upper < earliest ? j->upper : earliest;
	}
	for (k = 0; k < r->nchain; k++) {
		j = &r->p.job[r->chain[k]];
		if (!j->stays && (j->lower >= earliest || j->upper <= latest) && r->rests[r->chain[k]] < r->step)
			r->chain[n++] = r->chain[k];
	}
	r->nchain = n;
}

/* ---- where to ---- */

/* Few changed since the last time. */
static void
sort_ends(struct reinsert *r)
{
	struct end moving, *v = r->end;
	int i, k;

	for (i = 0; i < r->p.n; i++)
		v[i].at = end_of(&r->p, v[i].job);
	for (i = 1; i < r->p.n; i++) {
		moving = v[i];
		for (k = i; k > 0 && v[k - 1].at > moving.at; k--)
			v[k] = v[k - 1];
		v[k] = moving;
	}
}

static int
find_near(struct reinsert *r, const struct job *j)
{
	const struct piles *p = &r->p;
	int64_t above = 0, reach;
	int n = 0, i, k;

	sort_ends(r);
	for (k = 0; k < p->n; k++) {
		const struct job *other = &p->job[r->end[k].job];

		if (other->lower < j->upper && other->upper > j->lower && other != j)
			r->near[n++] = r->end[k];
	}
	r->above[n] = 0;
	for (k = n - 1; k >= 0; k--) {
		i = r->near[k].job;
		reach = p->reach[ABOVE][i] + p->job[i].size;
		above = reach > above ? reach : above;
		r->above[k] = above;
	}
	return n;
}

/* On which end it would lie, where the chain through it is shortest: any of these, and all below
 * the target are as good. */
static int64_t
find_place(struct reinsert *r, int i, int64_t target)
{
	int n = find_near(r, &r->p.job[i]), found = 0, k;
	int64_t shortest = INT64_MAX, best = 0, at, length;

	for (k = -1; k < n; k++) {
		at = k < 0 ? 0 : r->near[k].at;
		if (k + 1 < n && r->near[k + 1].at == at)
			continue;
		length = at + r->p.job[i].size + r->above[k + 1];
		length = length > target ? length : target;
		if (length < shortest) {
			shortest = length;
			found = 0;
		}
		if (length == shortest && chance_below(&r->seed, ++found) == 0)
			best = at;
	}
	return best;
}

/* ---- the search ---- */

/* Of one of the chains that are as long as all is high, one item. */
static void
take_step(struct reinsert *r, int64_t height, int64_t target)
{
	int i;

	find_chain(r, height);
	effort_spend(r->p.effort, LOOKED_AT * (int64_t)r->p.n);
	if (r->nchain == 0)
		return;
	i = r->chain[chance_below(&r->seed, r->nchain)];
	piles_take_out(&r->p, i);
	piles_sink(&r->p, &i, 1);
	piles_put_in(&r->p, i, find_place(r, i, target));
	r->rests[i] = r->step + REST + chance_below(&r->seed, MORE_REST);
}

static int
by_birth(const void *x, const void *y)
{
	const struct job *a = x, *b = y;

	return a->lower != b->lower ? a->lower - b->lower : a->index - b->index;
}

static int
by_end(const void *x, const void *y)
{
	const struct end *a = x, *b = y;

	return a->at != b->at ? (a->at > b->at ? 1 : -1) : a->job - b->job;
}

/* Sections of all items: to pile them up takes as many steps. */
static int64_t
sections_of(const struct instance *in)
{
	int64_t sections = 0;
	int i;

	for (i = 0; i < in->n; i++)
		sections += in->job[i].upper - in->job[i].lower;
	return sections;
}

/* False: there is too much of it. */
static bool
prepare(struct instance *in, int64_t height, struct effort *e, struct reinsert *r)
{
	size_t n = (size_t)in->n;
	struct arena *a = in->arena;
	int64_t sections = sections_of(in);
	int i;

	qsort(in->job, n, sizeof(*in->job), by_birth);
	if (sections > e->visits / 2 || !piles_new(a, in, e, &r->p))
		return false;
	effort_spend(e, sections);
	r->p.limit = height;
	r->end = arena_array(a, n, sizeof(*r->end));
	r->near = arena_array(a, n, sizeof(*r->near));
	r->above = arena_array(a, n + 1, sizeof(*r->above));
	r->chain = arena_array(a, n, sizeof(int));
	r->rests = arena_array(a, n, sizeof(int));
	r->seed = (uint64_t)e->stage;
	for (i = 0; i < in->n; i++)
		r->end[i] = (struct end){ in->job[i].offset, i };	/* where they begin, now */
	qsort(r->end, n, sizeof(*r->end), by_end);
	for (i = 0; i < in->n; i++)
		r->chain[i] = r->end[i].job;
	piles_begin(&r->p, r->chain, in->n);
	return true;
}

int64_t
packing_reinsert(struct instance *in, int64_t best, int64_t target, struct effort *e)
{
	struct reinsert r = { .step = 1 };
	int64_t height;
	int i;

	if (packing_is_aligned(in) || !prepare(in, best, e, &r))
		return best;
	for (height = piles_height(&r.p); height > target && effort_left(e); height = piles_height(&r.p), r.step++)
		take_step(&r, height, target);
	if (height >= best)
		return best;
	for (i = 0; i < in->n; i++)
		in->job[i].offset = low_of(&r.p, i);
	return height;
}
