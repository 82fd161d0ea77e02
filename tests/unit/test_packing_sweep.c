/* Sweeps over time: pieces of a rectangle that have nearly one size, which nothing tells apart,
 * leave little free. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "pack/packing_impl.h"
#include "rectangles.h"

enum { MOST = 500, HEIGHT = 1024, INSTANTS = 100 };

/* Somewhere in the middle of so much, which is 2 or more. */
static int64_t
middle(int64_t whole, uint64_t *state)
{
	int64_t at = whole * (40 + chance_below(state, 21)) / 100;

	return at < 1 ? 1 : at;
}

/* The largest of eight that are drawn is cut across its longer side. */
static void
cut_alike(struct item *item, int n, uint64_t state)
{
	int made = 1, i, k, from;

	item[0] = (struct item){ .size = HEIGHT, .upper = INSTANTS };
	while (made < n) {
		struct item *largest = NULL;
		int64_t most = 0, area, life;

		for (i = 0; i < 8; i++) {
			k = chance_below(&state, made);
			area = item[k].size * (item[k].upper - item[k].lower);
			largest = area > most ? &item[k] : largest;
			most = area > most ? area : most;
		}
		life = largest->upper - largest->lower;
		item[made] = *largest;
		if (largest->size * INSTANTS > life * HEIGHT && largest->size > 1)
			largest->size -= item[made].size = middle(largest->size, &state);
		else if (life > 1)
			largest->upper = item[made].lower = largest->lower + middle(life, &state);
		else
			continue;
		made++;
	}
	for (i = 0; i < n; i++) {
		from = chance_below(&state, n);
		item[n] = item[i];
		item[i] = item[from];
		item[from] = item[n];
	}
}

/* The height that sweeps of so much effort get to from a quarter above what is needed, BOUND; and
 * what they find is right. */
static int64_t
sweep(struct packing *p, int64_t bound, int64_t visits)
{
	struct arena *a = arena_new();
	int64_t all = visits, height = 0, reached;
	struct pieces pieces = packing_form(a, p);
	int i, first, second;

	for (i = 0; i < pieces.n; i++) {
		struct effort e = { .visits = visits * pieces.v[i].n / pieces.jobs, .all = &all, .stage = 1 };

		reached = packing_sweep(&pieces.v[i], bound + bound / 4, bound, &e);
		height = reached > height ? reached : height;
	}
	for (i = 0; i < pieces.jobs; i++)
		p->item[pieces.job[i].index].offset = pieces.job[i].offset;
	if (height < bound + bound / 4)
		cr_assert_eq(packing_check(a, p, height, &first, &second), PACKING_RIGHT);
	arena_free(a);
	return height;
}

Test(packing_sweep, pieces_of_nearly_one_size_leave_a_twentieth_at_most)
{
	static struct item item[MOST + 1];
	struct packing p = { item, MOST, 1 };
	int64_t height;

	cut_alike(item, p.n, 1);
	height = sweep(&p, HEIGHT, 150000000);
	cr_assert_leq(height * 20, HEIGHT * 21, "%d", (int)height);
}

Test(packing_sweep, few_pieces_are_put_together_without_a_gap)
{
	struct item item[12];
	struct packing p = { item, 12, 1 };
	uint64_t seed;

	for (seed = 1; seed <= 5; seed++) {
		cut_rectangle(item, p.n, 100000, 1, seed);
		cr_assert_eq(sweep(&p, 1 << 20, 20000000), 1 << 20, "seed %d", (int)seed);
	}
}

/* The first effort is a network's, which has no sweeps. */
Test(packing_sweep, more_effort_is_never_worse_and_the_same_effort_the_same)
{
	static struct item item[MOST + 1], again[MOST + 1];
	struct packing p = { item, 200, 1 }, q = { again, 200, 1 };
	int64_t millions, height, last;
	int i;

	cut_alike(item, p.n, 1);
	memcpy(again, item, sizeof(again));
	for (last = INT64_MAX, millions = 15; millions <= 60; millions *= 2, last = height) {
		struct arena *a = arena_new();
		struct packing_options o = { .visits = 1000000 * millions };

		height = packing_solve(a, &p, &o).height;
		cr_assert_leq(height, last, "%d million", (int)millions);
		arena_free(a);
	}
	height = sweep(&p, HEIGHT, 30000000);
	cr_assert_lt(height, HEIGHT + HEIGHT / 4, "nothing was found");
	cr_assert_eq(sweep(&q, HEIGHT, 30000000), height);
	for (i = 0; i < p.n; i++)
		cr_assert_eq(item[i].offset, again[i].offset);
}

/* Two of 3 and 1 in the height of 4, which is the bound: no sweep gets below it, nor goes on for
 * ever. */
Test(packing_sweep, what_cannot_be_is_not_found)
{
	struct item item[] = {
		{ .size = 3, .lower = 0, .upper = 2 }, { .size = 1, .lower = 0, .upper = 1 }, { .size = 1, .lower = 1, .upper = 3 },
		{ .size = 3, .lower = 2, .upper = 4 }, { .size = 1, .lower = 3, .upper = 4 },
	};
	struct packing p = { item, sizeof(item) / sizeof(item[0]), 1 };
	struct arena *a = arena_new();
	struct pieces pieces = packing_form(a, &p);
	int64_t all = 1000000;
	struct effort e = { .visits = all, .all = &all };

	cr_assert_eq(pieces.n, 1);
	cr_assert_eq(packing_sweep(&pieces.v[0], 5, 2, &e), 4);
	cr_assert_eq(packing_height(&pieces.v[0]), 4);
	arena_free(a);
}
