/*
 * packing_orders_split: what ends at an instant, and what begins there, split into groups that have
 * nothing to do with each other.
 *
 * What ends at an instant lies in runs, with others between them; each run leaves a hole that some
 * of what begins fill to the byte. Which those runs are depends on the order, of which a tree knows
 * a part: a subtree that ends as a whole, or what of it lies side by side in a Q-node, is in one
 * run, an *atom*. So atoms are put together, all of them at first, in each way in which their sum
 * is one of what begins and in which the tree lets them lie together; and then what begins is, in
 * some ways that have that sum. Both are depth first, and end after so many steps.
 */
#include "pack/packing_orders.h"

#include <string.h>

#include "base/chance.h"

#define STEPS		2000	/* of one tree */
#define FILLINGS	4	/* of one group that are gone on from */
#define MOST_GROUPS	24
#define SUMS		65536	/* bits */

struct atom {
	int first, n;		/* leaves */
	int64_t size;
};

struct split {
	const struct ends *ends;
	struct orders *orders;
	int now;
	struct atom *atom;
	int atoms, *leaf;	/* jobs */
	bool *taken;		/* by atom: it has a group */
	int *birth, births;	/* jobs, as they are tried */
	bool *placed;		/* by birth */
	int *chosen, nchosen;	/* atoms of the group */
	int *filling, nfilling;	/* births of it */
	int *parent;		/* by node */
	uint64_t *sums;		/* a bit for each that what begins can have, modulo SUMS */
	struct node *tree, *put;	/* of each group; room for one */
	int groups;
	struct groups done;
	int steps, made, most;
	void (*take)(void *, const struct node *, int, const struct groups *);
	void *context;
};

struct split *
split_new(struct arena *a, const struct ends *e, struct orders *o)
{
	struct split *s = ARENA_NEW(a, struct split);
	size_t born = 1, dead = 1;
	int at;

	for (at = 0; at < e->instants; at++) {
		born = (size_t)ends_born(e, at) > born ? (size_t)ends_born(e, at) : born;
		dead = (size_t)ends_dead(e, at) > dead ? (size_t)ends_dead(e, at) : dead;
	}
	*s = (struct split){ .ends = e, .orders = o };
	s->atom = arena_array(a, dead, sizeof(*s->atom));
	s->leaf = arena_array(a, dead, sizeof(*s->leaf));
	s->taken = arena_array(a, dead, sizeof(*s->taken));
	s->chosen = arena_array(a, dead * (MOST_GROUPS + 1), sizeof(*s->chosen));
	s->birth = arena_array(a, born, sizeof(*s->birth));
	s->placed = arena_array(a, born, sizeof(*s->placed));
	s->filling = arena_array(a, born, sizeof(*s->filling));
	s->parent = arena_array(a, (size_t)o->most, sizeof(*s->parent));
	s->sums = arena_array(a, SUMS / 64, sizeof(*s->sums));
	s->tree = arena_array(a, (size_t)o->most * MOST_GROUPS, sizeof(*s->tree));
	s->put = arena_array(a, born + 1, sizeof(*s->put));
	s->done.v = arena_array(a, 2 * MOST_GROUPS + dead + born, sizeof(*s->done.v));
	return s;
}

static int64_t
size_of(const struct split *s, int job)
{
	return s->ends->in->job[job].size / s->ends->in->unit;
}

/* ---- what begins ---- */

static void
list_sums(struct split *s)
{
	uint64_t old[SUMS / 64];
	int i, k;

	memset(s->sums, 0, SUMS / 8);
	s->sums[0] = 1;
	for (i = 0; i < s->births; i++) {
		int by = (int)(size_of(s, s->birth[i]) % SUMS), words = by / 64, bits = by % 64;

		memcpy(old, s->sums, sizeof(old));
		for (k = 0; k < SUMS / 64; k++) {
			uint64_t low = old[(k - words) & (SUMS / 64 - 1)], lower = old[(k - words - 1) & (SUMS / 64 - 1)];

			s->sums[k] |= bits ? low << bits | lower >> (64 - bits) : low;
		}
	}
	s->orders->looks += (int64_t)s->births * (SUMS / 64) / 4;
}

static bool
may_be_sum(const struct split *s, int64_t size)
{
	return s->sums[size % SUMS / 64] >> (size % 64) & 1;
}

/* The smallest first, or again the largest. */
static void
turn_births(struct split *s)
{
	int i, k;

	for (i = 0, k = s->births - 1; i < k; i++, k--) {
		int other = s->birth[i];

		s->birth[i] = s->birth[k];
		s->birth[k] = other;
	}
}

void
split_at(struct split *s, int now)
{
	const struct ends *d = s->ends;
	int i, k, job;

	s->now = now;
	s->births = ends_born(d, now);
	for (i = 0; i < s->births; i++) {	/* by size, the largest first, and by end */
		job = d->born[d->first_born[now] + i];
		for (k = i; k > 0 && size_of(s, s->birth[k - 1]) < size_of(s, job); k--)
			s->birth[k] = s->birth[k - 1];
		s->birth[k] = job;
	}
	s->orders->looks += (int64_t)s->births * s->births / 4;
	if (ends_dead(d, now) > 1 && s->births > 1)
		list_sums(s);
}

/* ---- atoms ---- */

static bool
ends_now(const struct split *s, int job)
{
	return s->ends->end[job] == s->now;
}

static void
add_leaves(struct split *s, struct atom *a, const struct node *t, int i)
{
	int c;

	for (c = i; c < i + t[i].len; c++)
		if (t[c].what >= 0) {
			s->leaf[a->first + a->n++] = t[c].what;
			a->size += size_of(s, t[c].what);
		}
}

/* What ends now as a whole, and lies side by side in a Q-node. */
static void
list_atoms(struct split *s, const struct node *t, int n)
{
	int *left = s->orders->leaves, i, c, before = -1, leaves = 0;	/* by node: leaves that do not end now */

	s->parent[0] = -1;
	for (i = 0; i < n; i++)
		for (c = i + 1; t[i].what < 0 && c < i + t[i].len; c += t[c].len)
			s->parent[c] = i;
	for (i = n - 1; i >= 0; i--) {
		left[i] = t[i].what >= 0 && !ends_now(s, t[i].what);
		for (c = i + 1; c < i + t[i].len; c += t[c].len)
			left[i] += left[c];
	}
	s->atoms = 0;
	for (i = 0; i < n; i++) {
		if (left[i] > 0)
			continue;
		if (before < 0 || s->parent[i] != s->parent[before] || t[s->parent[i]].what != EITHER_WAY ||
		    before + t[before].len != i)
			s->atom[s->atoms++] = (struct atom){ .first = leaves };
		add_leaves(s, &s->atom[s->atoms - 1], t, i);
		leaves = s->atom[s->atoms - 1].first + s->atom[s->atoms - 1].n;
		before = i;
		i += t[i].len - 1;
	}
	s->orders->looks += 3 * n;
}

/* ---- groups ---- */

static void	split_rest(struct split *, const struct node *, int n, int atoms);

static bool
is_over(const struct split *s)
{
	return s->made >= s->most || s->steps <= 0;
}

static bool
reduce_chosen(struct split *s, const struct node *t, int n, const struct node *put, int nput)
{
	struct orders *o = s->orders;
	int i, k, leaves = 0;
	bool right;

	for (i = 0; i < s->nchosen; i++) {
		const struct atom *a = &s->atom[s->chosen[i]];

		for (k = a->first; k < a->first + a->n; k++)
			o->mark[s->leaf[k]] = true;
		leaves += a->n;
	}
	right = orders_reduce(o, t, n, leaves, put, nput);
	for (i = 0; i < s->nchosen; i++) {
		const struct atom *a = &s->atom[s->chosen[i]];

		for (k = a->first; k < a->first + a->n; k++)
			o->mark[s->leaf[k]] = false;
	}
	return right;
}

static void
write_group(struct split *s)
{
	struct groups *g = &s->done;
	int *dead = &g->v[g->n], i, k;

	g->v[g->n + 1] = s->nfilling;
	g->n += 2;
	*dead = 0;
	for (i = 0; i < s->nchosen; i++) {
		const struct atom *a = &s->atom[s->chosen[i]];

		for (k = a->first; k < a->first + a->n; k++)
			g->v[g->n++] = s->leaf[k];
		*dead += a->n;
	}
	for (i = 0; i < s->nfilling; i++)
		g->v[g->n++] = s->filling[i];
}

/* The group is filled; so are those of the other atoms then. */
static void
go_on(struct split *s, const struct node *t, int n, int atoms)
{
	struct node *tree = s->tree + (size_t)s->groups * (size_t)s->orders->most;
	int *chosen = s->chosen, nchosen = s->nchosen, nfilling = s->nfilling, done = s->done.n, i, nput = 0, filled;

	if (nfilling > 1)
		s->put[nput++] = (struct node){ ANY_ORDER, nfilling + 1 };
	for (i = 0; i < nfilling; i++)
		s->put[nput++] = (struct node){ s->filling[i], 1 };
	if (!reduce_chosen(s, t, n, s->put, nput))
		return;
	filled = s->orders->nmade;
	memcpy(tree, s->orders->made, (size_t)filled * sizeof(*tree));
	write_group(s);
	s->groups++;
	s->chosen += nchosen;
	s->filling += nfilling;
	split_rest(s, tree, filled, atoms - nchosen);
	s->chosen = chosen;
	s->filling -= nfilling;
	s->groups--;
	s->nchosen = nchosen;
	s->nfilling = nfilling;
	s->done.n = done;
}

static bool
is_alike(const struct split *s, int job, int other)
{
	return size_of(s, job) == size_of(s, other) && s->ends->end[job] == s->ends->end[other];
}

/* More of what begins, from the I-th on, of which so much is REST, to fill LEFT. */
static void
fill(struct split *s, const struct node *t, int n, int atoms, int i, int64_t left, int64_t rest, int *fillings)
{
	int last = -1;

	if (left == 0) {
		--*fillings;
		go_on(s, t, n, atoms);
		return;
	}
	for (; i < s->births && rest >= left && *fillings > 0 && s->steps-- > 0 && !is_over(s); i++) {
		int job = s->birth[i];

		if (s->placed[i])
			continue;
		rest -= size_of(s, job);
		if (size_of(s, job) > left || (last >= 0 && is_alike(s, job, last)))
			continue;
		last = job;
		s->placed[i] = true;
		s->filling[s->nfilling++] = job;
		fill(s, t, n, atoms, i + 1, left - size_of(s, job), rest, fillings);
		s->nfilling--;
		s->placed[i] = false;
	}
}

/* The group of what is chosen, which ATOMS have no group with. */
static void
try_group(struct split *s, const struct node *t, int n, int atoms, int64_t size)
{
	int fillings = FILLINGS, i;
	int64_t rest = 0;

	s->nfilling = 0;
	if (s->nchosen == atoms) {
		for (i = 0; i < s->births; i++)
			if (!s->placed[i])
				s->filling[s->nfilling++] = s->birth[i];
		go_on(s, t, n, atoms);
		s->nfilling = 0;
		return;
	}
	if (!may_be_sum(s, size) || s->groups == MOST_GROUPS - 1 || !reduce_chosen(s, t, n, NULL, 0))
		return;
	for (i = 0; i < s->births; i++)
		rest += s->placed[i] ? 0 : size_of(s, s->birth[i]);
	fill(s, t, n, atoms, 0, size, rest, &fillings);
}

/* The same with more atoms, from the I-th on; not with all. */
static void
choose(struct split *s, const struct node *t, int n, int atoms, int64_t size, int i)
{
	if (s->steps-- <= 0 || s->nchosen == atoms || is_over(s))
		return;
	try_group(s, t, n, atoms, size);
	for (; i < s->atoms && !is_over(s); i++) {
		if (s->taken[i])
			continue;
		s->taken[i] = true;
		s->chosen[s->nchosen++] = i;
		choose(s, t, n, atoms, size + s->atom[i].size, i + 1);
		s->nchosen--;
		s->taken[i] = false;
	}
}

/* Of so many atoms without a group, all are one; or that of the first is chosen. */
static void
split_rest(struct split *s, const struct node *t, int n, int atoms)
{
	int i, first;

	if (atoms == 0) {
		s->made++;
		s->take(s->context, t, n, &s->done);
		return;
	}
	if (is_over(s))
		return;
	for (s->nchosen = 0, i = 0; i < s->atoms; i++)
		if (!s->taken[i])
			s->chosen[s->nchosen++] = i;
	first = s->chosen[0];
	try_group(s, t, n, atoms, 0);
	if (atoms == 1)
		return;
	s->chosen[0] = first;
	s->nchosen = 1;
	s->taken[first] = true;
	choose(s, t, n, atoms, s->atom[first].size, first + 1);
	s->taken[first] = false;
	s->nchosen = 0;
}

void
split_tree(struct split *s, const struct node *t, int n, int most, uint64_t *seed,
    void (*take)(void *, const struct node *, int, const struct groups *), void *context)
{
	s->take = take;
	s->context = context;
	s->steps = STEPS;
	s->made = 0;
	s->most = most;
	s->groups = s->done.n = 0;
	s->nchosen = s->nfilling = 0;
	list_atoms(s, t, n);
	if (chance_bits(seed) >> 63)
		turn_births(s);
	split_rest(s, t, n, s->atoms);
	s->orders->looks += 2 * (STEPS - s->steps);
}
