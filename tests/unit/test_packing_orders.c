/* Sweeps that keep all orders: pieces of a rectangle that no cuts through the whole make again, as
 * wheels are among them, are put together without a gap; and a PQ-tree is the orders in which what
 * was asked for lies together. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "pack/packing_orders.h"
#include "wheels.h"

enum { MOST = 2000 };

/* How many of so many rectangles are whole again. What is found is right in any case. */
static int
put_together(int n, int64_t height, int64_t instants, int rectangles, int64_t visits)
{
	static struct item item[MOST + 1];
	struct packing p = { item, n, 1 };
	struct packing_options o = { .visits = visits };
	int first, second, whole = 0, seed;

	for (seed = 1; seed <= rectangles; seed++) {
		struct arena *a = arena_new();
		struct packing_result r;

		cut_wheels(item, n, height, instants, (uint64_t)seed);
		r = packing_solve(a, &p, &o);
		cr_assert_eq(r.max_live, height);
		cr_assert_eq(packing_check(a, &p, r.height, &first, &second), PACKING_RIGHT);
		whole += r.height == height;
		arena_free(a);
	}
	return whole;
}

Test(packing_orders, wheels_at_many_instants_are_put_together_at_once)
{
	int whole = put_together(1000, 1 << 20, 100000, 6, 0);

	cr_assert_geq(whole, 5, "%d of 6", whole);
}

Test(packing_orders, wheels_at_as_many_instants_as_there_are_pieces_are_put_together)
{
	int whole = put_together(1000, 1 << 20, 1000, 6, 200000000);

	cr_assert_geq(whole, 5, "%d of 6", whole);
}

Test(packing_orders, wheels_of_few_sizes_are_put_together)
{
	int whole = put_together(700, 1024, 1000, 6, 200000000);

	cr_assert_geq(whole, 4, "%d of 6", whole);
}

Test(packing_orders, many_wheels_are_put_together)
{
	int whole = put_together(2000, 1 << 20, 4000, 2, 200000000);

	cr_assert_eq(whole, 2, "%d of 2", whole);
}

/* Every cut at an instant of its own leaves nothing to search: the narrowest sweep finds it. */
Test(packing_orders, cuts_at_instants_of_their_own_need_no_search)
{
	static struct item item[MOST];
	struct packing p = { item, MOST, 1 };
	uint64_t seed;
	int i;

	for (seed = 1; seed <= 3; seed++) {
		struct arena *a = arena_new();
		int64_t all = 60000000;
		struct effort e = { .visits = all, .all = &all };
		struct pieces pieces;

		cut_rectangle(item, p.n, INT64_C(1) << 40, 1, seed);
		pieces = packing_form(a, &p);
		for (i = 0; i < pieces.n; i++)
			cr_assert_eq(packing_orders(&pieces.v[i], INT64_MAX, 1 << 20, &e), 1 << 20, "seed %d", (int)seed);
		arena_free(a);
	}
}

/* A gap in the middle: nothing is done. */
Test(packing_orders, what_has_a_gap_is_left)
{
	struct item item[] = {
		{ .size = 1, .lower = 0, .upper = 2 }, { .size = 1, .lower = 0, .upper = 1 }, { .size = 1, .lower = 2, .upper = 3 },
		{ .size = 1, .lower = 1, .upper = 3 },
	};
	struct packing p = { item, 4, 1 };
	struct arena *a = arena_new();
	struct pieces pieces;
	int64_t all = 1000000;
	struct effort e = { .visits = all, .all = &all };

	pieces = packing_form(a, &p);
	cr_assert_eq(pieces.n, 1);
	cr_assert_eq(packing_orders(&pieces.v[0], INT64_MAX, 2, &e), 2);
	cr_assert_eq(packing_height(&pieces.v[0]), 2);
	item[0].upper = item[3].upper = item[2].upper = 3;
	item[1].size = item[2].size = 2;
	item[3].upper = 2;
	pieces = packing_form(a, &p);
	cr_assert_eq(pieces.n, 1);
	cr_assert_eq(packing_orders(&pieces.v[0], 7, 3, &e), 7);
	arena_free(a);
}

/* More begin and end at one instant than a sweep of either direction can begin with: each is asked
 * for once, and the effort stays. */
Test(packing_orders, sweeps_that_cannot_begin_end_at_once, .timeout = 60)
{
	enum { HALF = 2001 };
	static struct item item[2 * HALF + 1];
	struct packing p = { item, 2 * HALF + 1, 1 };
	struct arena *a = arena_new();
	struct pieces pieces;
	int64_t all = 100000000;
	struct effort e = { .visits = all, .all = &all, .stage = 1 };
	int i;

	for (i = 0; i < HALF; i++) {
		item[i] = (struct item){ .size = 1, .lower = 0, .upper = 1 };
		item[HALF + i] = (struct item){ .size = 1, .lower = 1, .upper = 2 };
	}
	item[2 * HALF] = (struct item){ .size = 1, .lower = 0, .upper = 2 };
	pieces = packing_form(a, &p);
	cr_assert_eq(pieces.n, 1);
	cr_assert_eq(packing_orders(&pieces.v[0], INT64_MAX, HALF + 1, &e), INT64_MAX);
	cr_assert_gt(e.visits, 90000000);
	arena_free(a);
}

/* ---- the tree ---- */

enum { LEAVES = 6 };

/* Do some of an order, a set as bits, lie together? */
static bool
lie_together(const int *order, unsigned set)
{
	int i, runs = 0;

	for (i = 0; i < LEAVES; i++)
		runs += (set >> order[i] & 1) && (i == 0 || !(set >> order[i - 1] & 1));
	return runs == 1;
}

/* Is it an order of the tree? Each subtree must lie together, and the children of Q-nodes in their
 * order. */
static bool
is_order_of(const struct node *t, const int *order)
{
	int place[LEAVES], i, c, k, low, high, n, at[LEAVES];
	bool up, down;

	for (i = 0; i < LEAVES; i++)
		place[order[i]] = i;
	for (i = 0; i < t[0].len; i++) {
		for (low = LEAVES, high = -1, n = 0, k = i; k < i + t[i].len; k++)
			if (t[k].what >= 0) {
				low = place[t[k].what] < low ? place[t[k].what] : low;
				high = place[t[k].what] > high ? place[t[k].what] : high;
				n++;
			}
		if (high - low + 1 != n)
			return false;
		if (t[i].what != EITHER_WAY)
			continue;
		for (n = 0, c = i + 1; c < i + t[i].len; c += t[c].len) {
			for (k = c; t[k].what < 0; k++)
				;
			at[n++] = place[t[k].what];
		}
		for (up = down = true, k = 1; k < n; k++) {
			up &= at[k] > at[k - 1];
			down &= at[k] < at[k - 1];
		}
		if (!up && !down)
			return false;
	}
	return true;
}

/* The K-th of all orders. */
static void
make_order(int *order, int k)
{
	int i, j, at;

	for (i = 0; i < LEAVES; i++) {
		at = k % (i + 1);
		k /= i + 1;
		for (j = i; j > at; j--)
			order[j] = order[j - 1];
		order[at] = i;
	}
}

Test(packing_orders, a_tree_is_the_orders_in_which_sets_lie_together)
{
	enum { ORDERS = 720, MOST_NODES = 2 * LEAVES + 16, SETS = 5 };
	struct arena *a = arena_new();
	struct orders o;
	uint64_t state;
	int order[LEAVES], failed = 0;

	orders_new(&o, a, MOST_NODES, LEAVES);
	for (state = 1; state < 3000; state++) {
		struct node tree[MOST_NODES] = { { ANY_ORDER, LEAVES + 1 } };
		unsigned set[SETS];
		uint64_t chance = state;
		int i, k, n = LEAVES + 1, sets, bits, left;
		bool right = true, together;

		for (i = 0; i < LEAVES; i++)
			tree[i + 1] = (struct node){ i, 1 };
		for (sets = 0; sets < SETS && right; sets++) {
			set[sets] = (unsigned)chance_below(&chance, (1 << LEAVES) - 1) + 1;
			for (bits = i = 0; i < LEAVES; i++) {
				o.mark[i] = set[sets] >> i & 1;
				bits += o.mark[i];
			}
			if ((right = orders_reduce(&o, tree, n, bits, NULL, 0)))
				memcpy(tree, o.made, (size_t)(n = o.nmade) * sizeof(*tree));
		}
		cr_assert_eq(tree[0].len, n);
		for (left = k = 0; k < ORDERS; k++) {
			make_order(order, k);
			for (together = true, i = 0; i < sets; i++)
				together &= lie_together(order, set[i]);
			left += together;
			if (right)
				cr_assert_eq(is_order_of(tree, order), together, "sets %d, order %d", (int)state, k);
		}
		cr_assert_eq(left > 0, right, "sets %d", (int)state);
		failed += !right;
	}
	cr_assert(failed > 100 && failed < 2900, "%d", failed);
	arena_free(a);
}

Test(packing_orders, more_effort_is_never_worse_and_the_same_effort_the_same)
{
	static struct item item[MOST + 1], again[MOST + 1];
	struct packing p = { item, 400, 1 }, q = { again, 400, 1 };
	int64_t millions, last = INT64_MAX;
	int i;

	for (millions = 20; millions <= 160; millions *= 2) {
		struct arena *a = arena_new();
		struct packing_options o = { .visits = millions * 1000000 };
		int64_t height;

		cut_wheels(item, 400, 1000, 100, 3);
		memcpy(again, item, sizeof(again));
		height = packing_solve(a, &p, &o).height;
		cr_assert_leq(height, last, "%d million", (int)millions);
		cr_assert_eq(packing_solve(a, &q, &o).height, height);
		for (i = 0; i < 400; i++)
			cr_assert_eq(item[i].offset, again[i].offset);
		last = height;
		arena_free(a);
	}
}
