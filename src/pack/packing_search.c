/*
 * packing_search: is there a packing within a capacity? Several depth-first searches, each with an
 * order of its own, take turns until one of them ends.
 *
 * Which order finds a packing soon differs from instance to instance by factors of a thousand, and
 * none is good for all. On the public instances of minimalloc each is solved in well under a second
 * by one of the nine below, so the first to end costs at most thirteen times that. One that ends
 * without an answer has seen all packings, so one is enough to prove that there is none.
 *
 * If none of them ends soon, an unlucky choice near the root is often to blame. So now and then a
 * perturbed order, with its keys slightly changed, gets a single turn.
 *
 * On networks the first way down, hardly a step taken back, is often a packing at the bound. So the
 * first turns are long enough for one.
 *
 * Where all that is alive at one time is alive at another, the latter's section stands for both. A
 * part of it may yet prove that nothing fits: of those to come in it, none may lie as low as in the
 * section. On networks that now helps and now leads astray, so one order, minimalloc's first, looks
 * at each part, and the others at sections alone; below what these have found, all look at parts.
 *
 * An order compares by its keys, the largest first: T the bytes alive in the item's fullest
 * section, W the length of its life, A its area, U its end, Z its size.
 */
#include "pack/packing_tree.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_TURN	20000	/* visits, and a dive; turns grow, so that changing over costs little */
#define DIVE		9	/* times the square of the items: one way down */
#define DIVES		3	/* that one turn is enough for, where hardly a step is taken back */
#define BELOW_TURN	4		/* the same just below what is found, where ways down are longer */
#define DIVED_BELOW	3		/* orders, of those that lead there first */
#define LONGEST_TURN	2000000
#define SHAKEN_BY	0.1
#define MANY		8000	/* items, of which trees take megabytes */
#define FEWER_ORDERS	4
#define MAKING		100	/* visits an item, twice, that a tree takes to be made */

static const struct order {
	const char *keys;
	int share;		/* of a round */
	bool fine;		/* by slices, not sections */
} order_table[] = {
	{ .keys = "TAU", .share = 2 },
	{ .keys = "TUA", .share = 1 },
	{ .keys = "TWZ", .share = 3 },
	{ .keys = "WAT", .share = 1, .fine = true },
	{ .keys = "UTW", .share = 1 },
	{ .keys = "UTZ", .share = 1 },
	{ .keys = "TWU", .share = 1 },
	{ .keys = "TUZ", .share = 1 },
	{ .keys = "TAW", .share = 1 },
};

enum { ORDERS = sizeof(order_table) / sizeof(*order_table) };

/* Below what others have found a packing is soonest met by life, or by what is alive and then life;
 * and there all look at each part of a section, which is dearer, but on networks what others do not
 * find is what they miss. */
static const int order_below[ORDERS] = { 2, 3, 8, 0, 1, 4, 5, 6, 7 };

struct search_turns {
	struct instance *in;
	const struct crowd *crowd, *fine;	/* the latter NULL: not needed yet, or too large */
	int orders;
	struct tree *tree[ORDERS];	/* made when their turn comes */
	struct tree *spare;		/* for shaken orders */
	uint64_t seed;
	int shaken;
	bool below;			/* asked below what is found */
	int order[ORDERS];		/* that in which they come: below, that which found last before all */
	int64_t capacity;		/* of the trees that were started; goes on where it is asked again */
	int64_t turn;
	bool started[ORDERS], stuck[ORDERS];	/* the latter: its first way down does not get further */
};

static double
key_of(const struct instance *in, const struct job *j, char key)
{
	int64_t most = 0;
	int s;

	switch (key) {
	case 'T':
		for (s = j->lower; s < j->upper; s++)
			most = in->live[s] > most ? in->live[s] : most;
		return (double)most;
	case 'W':
		return j->life;
	case 'A':
		return (double)j->size * j->life;
	case 'U':
		return j->upper;
	default:
		return (double)j->size;
	}
}

static struct tree *
make_tree(struct search_turns *turns, const struct order *o)
{
	struct instance *in = turns->in;
	struct tree_key *k = arena_array(in->arena, (size_t)in->n, sizeof(*k));
	const char *order = o->keys, *total = strchr(order, 'T');
	bool fine = o->fine || turns->below;
	int i, c;

	if (fine && !turns->fine)
		turns->fine = crowd_new(in, true);

	for (i = 0; i < in->n; i++) {
		k[i].index = i;
		for (c = 0; c < TREE_KEYS; c++)
			k[i].key[c] = key_of(in, &in->job[i], order[c]);
	}
	qsort(k, (size_t)in->n, sizeof(*k), tree_key_order);
	return tree_new(in, fine && turns->fine ? turns->fine : turns->crowd, k, total ? (int)(total - order) : -1);
}

int64_t
packing_search_dive(const struct instance *in)
{
	return FIRST_TURN + (int64_t)DIVE * in->n * in->n;
}

int64_t
packing_search_between(int64_t low, int64_t high, int k)
{
	double part = 0, digit = 0.5;

	for (; k > 0; k >>= 1, digit /= 2)
		part += k & 1 ? digit : 0;
	return low + (int64_t)(part * (double)(high - low));
}

struct search_turns *
packing_search_new(struct instance *in, const struct search_turns *like)
{
	struct search_turns *s = ARENA_NEW(in->arena, struct search_turns);
	int i;

	s->in = in;
	for (i = 0; i < ORDERS; i++)
		s->order[i] = i;
	s->crowd = like ? like->crowd : crowd_new(in, false);
	s->orders = in->n > MANY ? FEWER_ORDERS : ORDERS;
	return s->crowd ? s : NULL;
}

struct search_turns *
packing_search_below(struct instance *in, const struct search_turns *like)
{
	struct search_turns *s = packing_search_new(in, like);

	if (!s)
		return NULL;
	s->below = true;
	s->fine = like->fine;
	memcpy(s->order, order_below, sizeof(s->order));
	return s;
}

/* A turn of one tree; SEARCH_GIVEN_UP when it has not ended. */
static enum search_end
take_turn(struct search_turns *s, struct tree *t, int64_t visits, struct effort *e,
    enum search_end (*run)(struct tree *, int64_t, int64_t *))
{
	int64_t used = 0;
	enum search_end end;

	if (!effort_left(e))
		return SEARCH_GIVEN_UP;
	visits = visits < e->visits ? visits : e->visits;
	end = run(t, visits < *e->all ? visits : *e->all, &used);
	effort_spend(e, used);
	if (end == SEARCH_FOUND)
		tree_answer(t, s->in);
	return end;
}

/* Starts the spare tree in a shaken order, which gets this turn only. */
static enum search_end
try_shaken(struct search_turns *s, int64_t capacity, int64_t visits, struct effort *e)
{
	int of = s->shaken++ % s->orders;

	if (!s->spare)
		s->spare = make_tree(s, &order_table[0]);
	tree_shake(s->spare, s->tree[s->below ? order_below[of] : of], SHAKEN_BY, &s->seed);
	tree_start(s->spare, capacity);
	return take_turn(s, s->spare, visits, e, tree_run);
}

static void
start_at(struct search_turns *s, int64_t capacity)
{
	s->capacity = capacity;
	s->turn = packing_search_dive(s->in) * (s->below ? BELOW_TURN : 1);
	s->seed = 1;
	s->shaken = 0;
	memset(s->started, 0, sizeof(s->started));
	memset(s->stuck, 0, sizeof(s->stuck));
}

/* The tree of an order, made and started if it is not yet. */
static struct tree *
tree_of(struct search_turns *s, int i, int64_t capacity, struct effort *e)
{
	if (s->capacity != capacity)
		start_at(s, capacity);
	if (!s->tree[i]) {
		s->tree[i] = make_tree(s, &order_table[i]);
		effort_spend(e, 2 * (int64_t)s->in->n * (s->in->n < MAKING ? s->in->n : MAKING));
	}
	if (!s->started[i] && s->below && capacity < tree_capacity(s->tree[i]))
		tree_lower(s->tree[i], capacity);
	else if (!s->started[i])
		tree_start(s->tree[i], capacity);
	s->started[i] = true;
	return s->tree[i];
}

enum search_end
packing_dive(struct search_turns *s, int64_t capacity, struct effort *e)
{
	struct tree *t = tree_of(s, 0, capacity, e);

	return take_turn(s, t, s->turn / DIVES, e, tree_dive);
}

enum search_end
packing_dives(struct search_turns *s, int64_t capacity, struct effort *e)
{
	enum search_end end = SEARCH_GIVEN_UP;
	int orders = s->below ? DIVED_BELOW : s->orders, i, k;
	struct tree *t;
	bool going;

	do
		for (k = 0, going = false; k < orders && end == SEARCH_GIVEN_UP && effort_left(e); k++) {
			i = s->below ? order_below[k] : k;
			t = tree_of(s, i, capacity, e);
			if (s->stuck[i])
				continue;
			/* below, as long as it gets further: the orders come by how often they lead
			 * there */
			end = take_turn(s, t, s->below ? e->visits : s->turn, e, tree_dive);
			s->stuck[i] = tree_is_stuck(t);
			going |= !s->stuck[i];
		}
	while (going && end == SEARCH_GIVEN_UP && effort_left(e));
	return end;
}

static void
to_front(struct search_turns *s, int k)
{
	int found = s->order[k];

	memmove(s->order + 1, s->order, (size_t)k * sizeof(*s->order));
	s->order[0] = found;
}

enum search_end
packing_search(struct search_turns *s, int64_t capacity, struct effort *e)
{
	enum search_end end;
	struct tree *t;
	int i, k;

	while (effort_left(e)) {
		for (k = 0; k < s->orders; k++) {
			i = s->order[k];
			t = tree_of(s, i, capacity, e);
			end = take_turn(s, t, s->turn * (s->below ? 1 : order_table[i].share), e, tree_run);
			if (end == SEARCH_FOUND && s->below)
				to_front(s, k);
			if (end != SEARCH_GIVEN_UP)
				return end;
		}
		end = try_shaken(s, capacity, s->turn, e);
		if (end != SEARCH_GIVEN_UP)
			return end;
		s->turn = s->turn < LONGEST_TURN ? 2 * s->turn : s->turn;
	}
	return SEARCH_GIVEN_UP;
}
