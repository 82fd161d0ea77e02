/*
 * packing_orders: for instances without any waste, such as rectangles cut to pieces: a beam search
 * over time whose states are not orders of what is alive, but all that are still possible.
 *
 * A packing without waste is a planar graph: a vertical cut is a vertex, and a job an edge from the
 * cut where it begins to the one where it ends. Whether a graph is planar is found by Lempel, Even
 * and Cederbaum ("An algorithm for planarity testing of graphs", 1967) in one pass over the
 * vertices, where the edges that end at one must lie together in one of the orders that a PQ-tree
 * holds (packing_orders_tree.c), and are replaced by those that begin there, in any order. So if
 * only one cut is made at each instant, it is found without a search. Where there may be several,
 * what ends and begins is split into groups with the same sums (packing_orders_split.c), in several
 * ways; the best trees of all go on.
 *
 * Good is a tree with many orders, in which what ends soon at the same instant can lie side by
 * side. Trees that differ only by what has the same size and end are one.
 *
 * Where a sweep fails, the next goes the other way through time, and later ones are wider. They
 * differ by random numbers, too: which of equal trees is the better, and whether what begins is
 * tried from the largest on or from the smallest.
 */
#include "pack/packing_orders.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/chance.h"

#define WIDTH		4	/* of the first sweep of a network, */
#define WIDE		32	/* and of more effort */
#define WIDER		1.2	/* every fourth time */
#define CHILDREN	32	/* of a state */
#define MOST_BYTES	(64 << 20)	/* of the states, and of what they put */
#define MOST_ENDS	2000	/* that begin or end at one instant */
#define MOST_ALIVE	4000	/* at one time: trees may be as deep */
#define MOST_SUBSETS	12	/* that begin or end, whose sums are compared */
#define APART		5.0	/* what it costs that two cannot lie side by side, in bits, */
#define SOON		30.0	/* and 1/e of that so many instants later */

struct state {
	struct node *tree;
	int n;
	struct groups groups;	/* of this instant */
	const struct step *step;	/* those before */
	double score;
	int64_t number;		/* as they were made */
};

struct beam {
	struct ends ends;
	struct orders orders;
	struct split *split;
	struct state *state, *next;	/* room for the width, and for twice that */
	int width, states, nexts;
	const struct step *step;	/* of the state that others go on from */
	double least;		/* score of the width's last */
	int now;
	int64_t number;
	uint64_t seed;
	uint64_t *known;	/* hashes at this instant */
	int room, hashes;
	double *factorial, *fading;	/* log2; by instants from now */
	struct node *tree;	/* room for one */
	uint64_t *hash;		/* by node; */
	int *parent, *place;	/* and among its parent's children, the last is -1 */
	int *last;		/* by end: the last leaf */
	struct arena *steps;
};

/* ---- what begins and ends ---- */

/* Jobs by the instant AT, and among those of one by THEN; by instant, its first. False: too many
 * have one. */
static bool
list_ends(struct arena *a, const struct ends *e, const int *at, const int *then, int **list, int **first)
{
	int n = e->in->n, m = e->instants;
	int *to = arena_array(a, (size_t)n + 1, sizeof(*to)), *v = arena_array(a, (size_t)m + 2, sizeof(*v));
	int i, k, from;

	for (i = 0; i < n; i++)
		v[at[i] + 1]++;
	for (i = 0; i <= m; i++)
		v[i + 1] += v[i];
	for (i = n - 1; i >= 0; i--)
		to[--v[at[i] + 1]] = i;
	for (i = 0; i <= m; i++)
		v[i] = v[i + 1];
	v[m + 1] = n;
	*list = to;
	*first = v;
	for (i = 0; i <= m; i++) {
		if (v[i + 1] - v[i] > MOST_ENDS)
			return false;
		for (from = v[i] + 1; from < v[i + 1]; from++) {
			int job = to[from];

			for (k = from; k > v[i] && then[to[k - 1]] > then[job]; k--)
				to[k] = to[k - 1];
			to[k] = job;
		}
	}
	return true;
}

/* All sums of some jobs, in order. */
static int
list_sums(const struct instance *in, const int *job, int jobs, int64_t *v)
{
	int n = 1, i, without, with, to;

	v[0] = 0;
	for (i = 0; i < jobs; i++, n *= 2)
		for (without = with = n - 1, to = 2 * n - 1; to >= 0; to--) {
			int64_t size = in->job[job[i]].size;

			if (with < 0 || (without >= 0 && v[without] > v[with] + size))
				v[to] = v[without--];
			else
				v[to] = v[with--] + size;
		}
	return n;
}

/* Is no sum of a part of what ends one of a part of what begins? */
static bool
is_whole(const struct ends *e, int at, int64_t *dead, int64_t *born)
{
	int deaths = ends_dead(e, at), births = ends_born(e, at), n, m, i = 1, k = 1;

	if (deaths < 2 || births < 2)
		return deaths > 1;
	if (deaths > MOST_SUBSETS || births > MOST_SUBSETS)
		return false;
	n = list_sums(e->in, e->dead + e->first_dead[at], deaths, dead);
	m = list_sums(e->in, e->born + e->first_born[at], births, born);
	while (i < n - 1 && k < m - 1 && dead[i] != born[k])
		*(dead[i] < born[k] ? &i : &k) += 1;
	return i == n - 1 || k == m - 1;
}

/* False: too many begin or end at once. */
static bool
find_ends(struct arena *a, struct ends *e, const struct instance *in, bool backward, struct effort *effort)
{
	int64_t *dead = arena_array(a, 1 << MOST_SUBSETS, sizeof(*dead));
	int64_t *born = arena_array(a, 1 << MOST_SUBSETS, sizeof(*born));
	int i, at;

	*e = (struct ends){ .in = in, .backward = backward, .instants = in->sections };
	e->begin = arena_array(a, (size_t)in->n, sizeof(int));
	e->end = arena_array(a, (size_t)in->n, sizeof(int));
	for (i = 0; i < in->n; i++) {
		e->begin[i] = backward ? in->sections - in->job[i].upper : in->job[i].lower;
		e->end[i] = backward ? in->sections - in->job[i].lower : in->job[i].upper;
	}
	e->together = arena_array(a, (size_t)e->instants + 1, sizeof(int));
	if (!list_ends(a, e, e->begin, e->end, &e->born, &e->first_born) ||
	    !list_ends(a, e, e->end, e->begin, &e->dead, &e->first_dead))
		return false;
	for (at = 0; at < e->instants; at++) {
		e->together[at] = is_whole(e, at, dead, born) ? e->begin[e->dead[e->first_dead[at + 1] - 1]] : -1;
		effort_spend(effort, ends_born(e, at) <= MOST_SUBSETS && ends_dead(e, at) <= MOST_SUBSETS ?
		    (1 << ends_born(e, at)) + (1 << ends_dead(e, at)) : 0);
	}
	return true;
}

/* ---- how good a tree is ---- */

static uint64_t
mix(uint64_t x)
{
	x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
	return x ^ x >> 32;
}

/* The same for what has the same orders of sizes and ends. */
static uint64_t
hash_tree(struct beam *b, const struct node *t, int n)
{
	uint64_t sum, other, power;
	int i, c;

	for (i = n - 1; i >= 0; i--) {
		sum = other = 0;
		power = 1;
		for (c = i + 1; c < i + t[i].len; c += t[c].len) {
			sum = t[i].what == ANY_ORDER ? sum + mix(b->hash[c] + 77) : sum * 1099511628211u + b->hash[c];
			other += b->hash[c] * power;
			power *= 1099511628211u;
		}
		if (t[i].what >= 0)
			b->hash[i] = mix((uint64_t)b->ends.in->job[t[i].what].size * 1000003 + (uint64_t)b->ends.end[t[i].what]);
		else
			b->hash[i] = t[i].what == ANY_ORDER ? mix(sum + 1) : mix((sum ^ other) + sum * other + 9);
	}
	return b->hash[0] ? b->hash[0] : 1;
}

/* What below ABOVE can be put at an end together with leaf I: a child of ABOVE; -1: the leaf cannot
 * be. */
static int
to_the_end(const struct beam *b, const struct node *t, int i, int above)
{
	for (; b->parent[i] != above; i = b->parent[i])
		if (t[b->parent[i]].what == EITHER_WAY && b->place[i] != 0 && b->place[i] != -1)
			return -1;
	return i;
}

/* Can two leaves lie side by side, of which the first comes before? */
static bool
can_be_neighbours(const struct beam *b, const struct node *t, int first, int second)
{
	int above = b->parent[first], x, y;

	while (above + t[above].len <= second)
		above = b->parent[above];
	x = to_the_end(b, t, first, above);
	y = to_the_end(b, t, second, above);
	return x >= 0 && y >= 0 && (t[above].what == ANY_ORDER || x + t[x].len == y);
}

static double
score_tree(struct beam *b, const struct node *t, int n)
{
	int i, c, k, end, last;
	double score = 0;

	b->parent[0] = -1;
	for (i = 0; i < n; i++) {
		for (k = 0, last = -1, c = i + 1; c < i + t[i].len; last = c, c += t[c].len) {
			b->parent[c] = i;
			b->place[c] = k++;
		}
		if (last >= 0)
			b->place[last] = -1;
		score += k == 0 ? 0 : t[i].what == ANY_ORDER ? b->factorial[k] : 1;
	}
	for (i = 0; i < n; i++)
		if (t[i].what >= 0)
			b->last[b->ends.end[t[i].what]] = -1;
	for (i = 0; i < n; i++) {
		if (t[i].what < 0 || (end = b->ends.end[t[i].what]) >= b->ends.instants)
			continue;
		if (b->last[end] >= 0 && !can_be_neighbours(b, t, b->last[end], i))
			score -= APART * b->fading[end - b->now];
		b->last[end] = i;
	}
	b->orders.looks += 4 * n;
	return score;
}

/* ---- states ---- */

static int
by_score(const void *x, const void *y)
{
	const struct state *a = x, *b = y;

	return a->score != b->score ? (a->score < b->score ? 1 : -1) : (a->number > b->number) - (a->number < b->number);
}

static void
keep_best(struct beam *b)
{
	qsort(b->next, (size_t)b->nexts, sizeof(*b->next), by_score);
	b->orders.looks += 20 * b->nexts;
	if (b->nexts < b->width)
		return;
	b->nexts = b->width;
	b->least = b->next[b->width - 1].score;
}

static bool
is_known(struct beam *b, uint64_t hash)
{
	int i = (int)(hash & (uint64_t)(b->room - 1));

	for (; b->known[i]; i = (i + 1) & (b->room - 1))
		if (b->known[i] == hash)
			return true;
	if (b->hashes < b->room / 2) {
		b->known[i] = hash;
		b->hashes++;
	}
	return false;
}

static void
take(void *context, const struct node *t, int n, const struct groups *g)
{
	struct beam *b = context;
	struct state *to;
	uint64_t hash;
	double score;

	memcpy(b->tree, t, (size_t)n * sizeof(*t));
	if (!orders_look_ahead(&b->orders, &b->ends, b->now, b->tree, &n))
		return;
	b->orders.looks += 2 * n;
	hash = hash_tree(b, b->tree, n);
	if (is_known(b, hash))
		return;
	score = score_tree(b, b->tree, n) + 1e-3 * chance_share(&b->seed);
	if (score <= b->least)
		return;
	if (b->nexts == 2 * b->width)
		keep_best(b);
	to = &b->next[b->nexts++];
	memcpy(to->tree, b->tree, (size_t)n * sizeof(*t));
	memcpy(to->groups.v, g->v, (size_t)g->n * sizeof(*g->v));
	to->groups.n = g->n;
	to->n = n;
	to->score = score;
	to->step = b->step;
	to->number = b->number++;
}

/* The best of what was made are the states, and their groups are written down. */
static void
take_best(struct beam *b)
{
	struct state *other = b->state;
	int i;

	keep_best(b);
	for (i = 0; i < b->nexts; i++) {
		struct state *st = &b->next[i];
		struct step *step = ARENA_NEW(b->steps, struct step);

		*step = (struct step){ .before = st->step, .groups = { .n = st->groups.n }, .at = b->now };
		step->groups.v = arena_array(b->steps, (size_t)st->groups.n + 1, sizeof(int));
		memcpy(step->groups.v, st->groups.v, (size_t)st->groups.n * sizeof(int));
		st->step = step;
	}
	b->state = b->next;
	b->states = b->nexts;
	b->next = other;
}

static void
make_states(struct arena *a, struct beam *b, struct state **list, int most_groups)
{
	int i;

	*list = arena_array(a, 2 * (size_t)b->width, sizeof(**list));
	for (i = 0; i < 2 * b->width; i++) {
		(*list)[i].tree = arena_array(a, (size_t)b->orders.most, sizeof(struct node));
		(*list)[i].groups.v = arena_array(a, (size_t)most_groups, sizeof(int));
	}
}

/* ---- the sweep ---- */

/* False: there is not even room for one state, or its tree already has no order. */
static bool
prepare(struct arena *a, struct beam *b, int width)
{
	const struct ends *e = &b->ends;
	size_t instants = (size_t)e->instants + 1, bytes;
	int at, alive = 0, most = 0, ends = 0, i;

	for (at = 0; at < e->instants; at++) {
		most = alive + ends_born(e, at) > most ? alive + ends_born(e, at) : most;
		ends = ends_born(e, at) + ends_dead(e, at) > ends ? ends_born(e, at) + ends_dead(e, at) : ends;
		alive += ends_born(e, at) - ends_dead(e, at);
	}
	if (most > MOST_ALIVE)
		return false;
	orders_new(&b->orders, a, 2 * most + 16, e->in->n);
	b->split = split_new(a, e, &b->orders);
	ends = 3 * ends + 2;
	bytes = 4 * ((size_t)b->orders.most * sizeof(struct node) + (size_t)ends * sizeof(int) + sizeof(struct state)) +
	    4 * (size_t)e->in->n * sizeof(int) + instants * (sizeof(struct step) + 32);
	b->width = (size_t)width < MOST_BYTES / bytes ? width : (int)(MOST_BYTES / bytes);
	if (b->width == 0)
		return false;
	make_states(a, b, &b->state, ends);
	make_states(a, b, &b->next, ends);
	for (b->room = 64; b->room < 4 * b->width * CHILDREN && b->room < 1 << 16; )
		b->room *= 2;
	b->known = arena_array(a, (size_t)b->room, sizeof(*b->known));
	b->factorial = arena_array(a, (size_t)b->orders.most + 1, sizeof(double));
	for (i = 2; i <= b->orders.most; i++)
		b->factorial[i] = b->factorial[i - 1] + log2(i);
	b->fading = arena_array(a, instants, sizeof(double));
	for (at = 0; at < e->instants; at++)
		b->fading[at] = exp(-at / SOON);
	b->tree = arena_array(a, (size_t)b->orders.most, sizeof(*b->tree));
	b->hash = arena_array(a, (size_t)b->orders.most, sizeof(*b->hash));
	b->parent = arena_array(a, (size_t)b->orders.most, sizeof(*b->parent));
	b->place = arena_array(a, (size_t)b->orders.most, sizeof(*b->place));
	b->last = arena_array(a, instants, sizeof(*b->last));
	b->steps = arena_child(a);
	b->states = 1;
	b->state[0].n = orders_begin(e, b->state[0].tree);
	return orders_look_ahead(&b->orders, e, 0, b->state[0].tree, &b->state[0].n);
}

/* *NEVER: what keeps it from beginning would keep all others of that direction. */
static bool
sweep(struct arena *a, const struct instance *in, int width, bool backward, uint64_t seed, int64_t *offset,
    struct effort *e, bool *never)
{
	struct beam b = { .seed = seed };
	int i;

	effort_spend(e, in->n);
	*never = !find_ends(a, &b.ends, in, backward, e) || !prepare(a, &b, width);
	if (*never)
		return false;
	effort_spend(e, 10 * (int64_t)in->n + b.ends.instants + 4 * (int64_t)b.width * b.orders.most);
	for (b.now = 1; b.now < b.ends.instants && b.states > 0; b.now++) {
		if (ends_dead(&b.ends, b.now) == 0)
			continue;
		split_at(b.split, b.now);
		memset(b.known, 0, (size_t)b.room * sizeof(*b.known));
		b.hashes = b.nexts = 0;
		b.least = -INFINITY;
		for (i = 0; i < b.states && effort_left(e); i++) {
			b.step = b.state[i].step;
			split_tree(b.split, b.state[i].tree, b.state[i].n, CHILDREN, &b.seed, take, &b);
			effort_spend(e, b.orders.looks + b.orders.looks / 2);
			b.orders.looks = 0;
		}
		take_best(&b);
		effort_spend(e, b.room / 16);
	}
	if (b.states == 0 || !effort_left(e))	/* what is cut off must not differ from what would have been found */
		return false;
	orders_place(a, &b.ends, &b.orders, b.state[0].step, offset);
	return true;
}

/* The offsets of what was found. */
static void
take_offsets(struct instance *in, const int64_t *offset)
{
	int i;

	for (i = 0; i < in->n; i++)
		in->job[i].offset = offset[i];
}

bool
packing_orders_once(struct instance *in, int number, struct effort *e)
{
	struct arena *a = arena_child(in->arena);
	int64_t *offset = arena_array(a, (size_t)in->n, sizeof(*offset));
	bool never, found = sweep(a, in, e->stage > 0 ? WIDE : WIDTH, number % 2, (uint64_t)number + 1, offset, e, &never);

	if (found)
		take_offsets(in, offset);
	arena_free(a);
	return found;
}

int64_t
packing_orders(struct instance *in, int64_t best, int64_t target, struct effort *e)
{
	int64_t *offset = arena_array(in->arena, (size_t)in->n, sizeof(*offset));
	double width = e->stage > 0 ? WIDE : WIDTH;
	bool found = false, never[2] = { false };
	int tries;

	if (best <= target || in->max_live > target || packing_has_waste(in))
		return best;
	for (tries = 0; !found && effort_left(e) && (e->stage > 0 || tries < 2) && !(never[0] && never[1]); tries++) {
		struct arena *a = arena_child(in->arena);
		int back = tries % 2;

		found = !never[back] && sweep(a, in, (int)width, back, (uint64_t)(e->stage * 1000 + tries + 1), offset, e,
		    &never[back]);
		arena_free(a);
		width *= tries % 4 == 3 ? WIDER : 1;
	}
	if (!found)
		return best;
	take_offsets(in, offset);
	return packing_height(in);
}
