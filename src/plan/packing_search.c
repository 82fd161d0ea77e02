/*
 * packing_search: is there a packing within a capacity? Several depth-first searches, each with an
 * order of its own, take turns until one of them ends.
 *
 * Which order finds a packing soon differs from instance to instance by factors of a thousand, and
 * none is good for all. On the public instances of minimalloc each is solved in well under a second
 * by one of the eight below, so the first to end costs at most eight times that. A search that ends
 * without an answer has seen all packings, so one is enough to prove that there is none.
 *
 * An order compares by its keys, the largest first: T the bytes alive in the item's fullest
 * section, W the length of its life, A its area, U its end, Z its size.
 */
#include "plan/packing_tree.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_TURN	20000	/* visits; turns grow, so that changing over costs little */
#define LONGEST_TURN	2000000
#define MOST_ORDERS	8

static const char *const order_table[] = {
	"TWZ", "TWU", "TUA", "TUZ", "UTW", "TAU", "TAW", "UTZ", NULL
};

struct search {
	struct instance *in;
	struct tree *tree[MOST_ORDERS];		/* made when their turn comes */
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
make_tree(struct instance *in, const char *order)
{
	struct tree_key *k = arena_array(in->arena, (size_t)in->n, sizeof(*k));
	const char *total = strchr(order, 'T');
	int i, c;

	for (i = 0; i < in->n; i++) {
		k[i].index = i;
		for (c = 0; c < TREE_KEYS; c++)
			k[i].key[c] = key_of(in, &in->job[i], order[c]);
	}
	qsort(k, (size_t)in->n, sizeof(*k), tree_key_order);
	return tree_new(in, k, total ? (int)(total - order) : -1);
}

struct search *
packing_search_new(struct instance *in)
{
	struct search *s = ARENA_NEW(in->arena, struct search);

	s->in = in;
	return s;
}

enum search_end
packing_search(struct search *s, int64_t capacity, struct effort *e)
{
	bool started[MOST_ORDERS] = { false };
	int64_t turn = FIRST_TURN + s->in->n, used;
	enum search_end end;
	int i;

	for (;;) {
		for (i = 0; order_table[i]; i++) {
			if (!effort_left(e))
				return SEARCH_GIVEN_UP;
			if (!s->tree[i])
				s->tree[i] = make_tree(s->in, order_table[i]);
			if (!started[i])
				tree_start(s->tree[i], capacity);
			started[i] = true;
			used = 0;
			end = tree_run(s->tree[i], turn, &used);
			effort_spend(e, used);
			if (end == SEARCH_FOUND)
				tree_answer(s->tree[i], s->in);
			if (end != SEARCH_GIVEN_UP)
				return end;
		}
		turn = turn < LONGEST_TURN ? 2 * turn : turn;
	}
}
