/*
 * packing_lanes: items that can have one place in turn, made one.
 *
 * Where a buffer dies another of the same size is often born, or several that were made, or will be
 * freed, as one. Whoever laid them out by hand would give them one place, a lane through time, and
 * a lane beside others that live as long would lie next to them:
 *
 *        +-------+-----+------+         +--------------------+
 *        |       |  2  |      |         |                    |
 *        |   1   +-----+  4   |   -->   |                    |
 *        |       |  3  |      |         |       1 to 6       |
 *        +-------+-----+------+         |                    |
 *        |    5     |    6    |         |                    |
 *        +----------+---------+         +--------------------+
 *
 * So items of the same lifetime are stacked, and one that ends where another of its size begins is
 * joined with it, again and again. Neither puts more bytes into any section, so the bound stays; a
 * search sees far fewer items. Of D, of minimalloc's instances, a quarter is left, for which a
 * packing at the bound is found in milliseconds; with all of its items no method came within a
 * hundredth of it in half a minute.
 *
 * Unlike packing_glue.c, which reasons that pieces of a full rectangle must have lain together,
 * this only guesses that they may, so nothing follows from what is left having no answer, and no
 * instant need be full. Where all is full nearly all the time, that has been tried already, and
 * nothing is done.
 *
 * Of those of one size that end together, and those that begin there, the shortest lives are
 * joined: what is left depends on no order of rows. Later attempts keep some items apart, by
 * chance.
 */
#include "pack/packing_lanes.h"

#include <stdlib.h>
#include <string.h>

#include "base/chance.h"

#define NONE		(-1)
#define APART		8	/* of as many, one has nobody after it, in later attempts */
#define WORTH		4	/* part of the items: where fewer are saved, it is not worth another search */
#define MOST		4000		/* items, that searches may take on */
#define FITS		4
#define DIVES_SHARE	4	/* part of the effort for first ways down at the target, */
#define SEARCH_SHARE	3	/* of what is left of it for the search there, */
#define COMPLAINT_SHARE	4	/* and of that for complaints; ejection gets the rest */
#define LATER_SHARE	2	/* for an attempt after the first */

struct lanes {
	struct job *job;	/* by lane: as one item; first of all each job is one */
	int n;
	int *parent;		/* by lane: which it went into; NONE */
	int64_t *within;	/* its offset in that */
	int *merged, nmerged;	/* in the order in which they were */
	bool *apart;		/* has nobody after it */
	int *first_dead, *first_born;	/* by section: a list of lanes, some of which are merged by now; NONE */
	int *next_dead, *next_born;
	int *dead, *born;	/* room for the lanes of one section */
};

static void
merge(struct lanes *l, int i, int into, int64_t within)
{
	l->parent[i] = into;
	l->within[i] = within;
	l->merged[l->nmerged++] = i;
}

/* ---- of the same lifetime ---- */

static void
stack(struct lanes *l, int i, int on)
{
	merge(l, i, on, l->job[on].size);
	l->job[on].size += l->job[i].size;
	l->apart[on] |= l->apart[i];
}

/* All that live as long as I. */
static void
stack_alike(struct lanes *l, int i)
{
	int k;

	for (k = l->first_dead[l->job[i].upper]; k != NONE; k = l->next_dead[k])
		if (k != i && l->parent[k] == NONE && l->job[k].lower == l->job[i].lower)
			stack(l, k, i);
}

/* ---- one after the other ---- */

/* Keeps its place in the lists by birth. */
static void
join(struct lanes *l, int i, int next)
{
	struct job *j = &l->job[i];
	const struct job *k = &l->job[next];

	merge(l, next, i, 0);
	j->upper = k->upper;
	j->dead = k->dead;
	j->life += k->life;
	l->apart[i] = l->apart[next];
	l->next_dead[i] = l->first_dead[j->upper];
	l->first_dead[j->upper] = i;
	stack_alike(l, i);
}

/* By size; of the same the shortest life first, which is that of one only. */
static bool
comes_first(const struct job *a, const struct job *b)
{
	return a->size != b->size ? a->size < b->size : a->upper - a->lower < b->upper - b->lower;
}

static void
insert(const struct lanes *l, int *list, int n, int i)
{
	for (; n > 0 && comes_first(&l->job[i], &l->job[list[n - 1]]); n--)
		list[n] = list[n - 1];
	list[n] = i;
}

static void
join_at(struct lanes *l, int section)
{
	int i, k = 0, dead = 0, born = 0;

	for (i = l->first_dead[section]; i != NONE; i = l->next_dead[i])
		if (l->parent[i] == NONE && l->job[i].upper == section && !l->apart[i])
			insert(l, l->dead, dead++, i);
	for (i = l->first_born[section]; i != NONE && dead > 0; i = l->next_born[i])
		if (l->parent[i] == NONE)
			insert(l, l->born, born++, i);
	for (i = 0; i < dead && k < born; ) {
		int64_t ends = l->job[l->dead[i]].size, begins = l->job[l->born[k]].size;

		if (ends == begins)
			join(l, l->dead[i++], l->born[k++]);
		else if (ends < begins)
			i++;
		else
			k++;
	}
}

/* ---- all ---- */

static void
make_lists(struct lanes *l, int sections)
{
	int i, s;

	for (s = 0; s <= sections; s++)
		l->first_dead[s] = l->first_born[s] = NONE;
	for (i = l->n - 1; i >= 0; i--) {
		const struct job *j = &l->job[i];

		if (l->parent[i] != NONE)
			continue;
		l->next_dead[i] = l->first_dead[j->upper];
		l->first_dead[j->upper] = i;
		l->next_born[i] = l->first_born[j->lower];
		l->first_born[j->lower] = i;
	}
}

static void
join_all(struct lanes *l, int sections, struct effort *e)
{
	int was, s, i;

	do {
		was = l->nmerged;
		make_lists(l, sections);
		for (i = 0; i < l->n; i++)
			if (l->parent[i] == NONE)
				stack_alike(l, i);
		for (s = 1; s < sections; s++)
			join_at(l, s);
		effort_spend(e, 100 * (int64_t)l->n + 10 * (int64_t)sections);
	} while (l->nmerged > was);
}

/* What of it changes nothing comes in one order, whatever that of the rows. */
static int
by_life(const void *x, const void *y)
{
	const struct job *a = x, *b = y;

	if (a->lower != b->lower)
		return a->lower - b->lower;
	if (a->upper != b->upper)
		return a->upper - b->upper;
	return a->size != b->size ? (a->size > b->size ? 1 : -1) : a->index - b->index;
}

static void
keep_apart(struct lanes *l, int attempt)
{
	uint64_t seed = (uint64_t)attempt;
	int i;

	for (i = 0; i < l->n && attempt > 0; i++)
		l->apart[i] = chance_below(&seed, APART) == 0;
}

static void
take_left(const struct lanes *l, const struct instance *in, struct arena *a, struct instance *left)
{
	int i;

	*left = *in;
	left->arena = a;
	left->n = 0;
	left->job = arena_array(a, (size_t)l->n, sizeof(*left->job));
	for (i = 0; i < l->n; i++)
		if (l->parent[i] == NONE) {
			left->job[left->n] = l->job[i];
			left->job[left->n++].index = i;
		}
	packing_measure(left, in->padding);
}

struct lanes *
lanes_new(struct arena *a, const struct instance *in, int attempt, struct instance *left, struct effort *e)
{
	struct lanes *l = ARENA_NEW(a, struct lanes);
	size_t n = (size_t)in->n, sections = (size_t)in->sections + 1;
	int i;

	l->n = in->n;
	l->job = arena_array(a, n, sizeof(*l->job));
	memcpy(l->job, in->job, n * sizeof(*l->job));
	for (i = 0; i < l->n; i++)
		l->job[i].index = i;
	qsort(l->job, n, sizeof(*l->job), by_life);
	l->parent = arena_array(a, n, sizeof(int));
	for (i = 0; i < l->n; i++)
		l->parent[i] = NONE;
	l->within = arena_array(a, n, sizeof(*l->within));
	l->merged = arena_array(a, n, sizeof(int));
	l->apart = arena_array(a, n, sizeof(*l->apart));
	l->first_dead = arena_array(a, sections, sizeof(int));
	l->first_born = arena_array(a, sections, sizeof(int));
	l->next_dead = arena_array(a, n, sizeof(int));
	l->next_born = arena_array(a, n, sizeof(int));
	l->dead = arena_array(a, n, sizeof(int));
	l->born = arena_array(a, n, sizeof(int));
	keep_apart(l, attempt);
	join_all(l, in->sections, e);
	take_left(l, in, a, left);
	return l;
}

void
lanes_undo(const struct lanes *l, const struct instance *left, struct instance *in)
{
	int i, k;

	for (i = 0; i < left->n; i++)
		l->job[left->job[i].index].offset = left->job[i].offset;
	for (k = l->nmerged - 1; k >= 0; k--) {
		i = l->merged[k];
		l->job[i].offset = l->job[l->parent[i]].offset + l->within[i];
	}
	for (i = 0; i < l->n; i++)
		in->job[l->job[i].index].offset = l->job[i].offset;
}

/* ---- what is left ---- */

/* *TARGET rises where there is nothing at it. */
static int64_t
search(struct instance *left, int64_t height, int64_t *target, struct effort *e)
{
	struct search_turns *turns;
	struct effort part;
	enum search_end end;

	if (packing_search_dive(left) > e->visits / DIVES_SHARE || !(turns = packing_search_new(left, NULL)))
		return height;
	part = effort_share(e, DIVES_SHARE);
	end = packing_dives(turns, *target, &part);
	e->visits += part.visits;
	part = effort_share(e, SEARCH_SHARE);
	for (;;) {
		if (end == SEARCH_IMPOSSIBLE)
			*target = *target / left->unit * left->unit + left->unit;
		if (end == SEARCH_FOUND || !effort_left(&part) || *target >= height)
			break;
		end = packing_search(turns, *target, &part);
	}
	e->visits += part.visits;
	return end == SEARCH_FOUND ? packing_height(left) : height;
}

static int64_t
solve(struct instance *left, int64_t target, struct effort *e)
{
	int64_t height = packing_fit(left, INT64_MAX, target, FITS, e);
	struct effort part;

	if (height > target)
		height = search(left, height, &target, e);
	if (height > target) {
		part = effort_share(e, COMPLAINT_SHARE);
		height = packing_complain(left, height, target, &part);
		e->visits += part.visits;
	}
	if (height > target)
		height = packing_elastic(left, height, target, e);
	if (height > target && effort_left(e))
		height = packing_wander(left, height, target, e);
	return height;
}

/* False: too few items are saved. */
static bool
attempt(struct instance *in, int k, int64_t *best, int64_t target, struct effort *e)
{
	struct arena *a = arena_child(in->arena);
	struct instance left;
	struct lanes *l = lanes_new(a, in, k, &left, e);
	bool worth = left.n <= in->n - in->n / WORTH;
	int64_t height = worth ? solve(&left, target, e) : INT64_MAX;

	if (height < *best) {
		lanes_undo(l, &left, in);
		*best = height;
	}
	arena_free(a);
	return worth;
}

int64_t
packing_lanes(struct instance *in, int64_t best, int64_t target, struct effort *e)
{
	struct effort later;

	if (in->n > MOST || packing_is_aligned(in) || packing_is_full(in))
		return best;
	later = effort_share(e, LATER_SHARE);
	if (attempt(in, 0, &best, target, e) && best > target)
		attempt(in, e->stage, &best, target, &later);
	e->visits += later.visits;
	return best;
}
