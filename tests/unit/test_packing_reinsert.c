/* What determines a height is put elsewhere: to the optimum of small instances, never higher, and
 * not what stays. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/chance.h"
#include "pack/packing_impl.h"

enum { MOST = 60 };

static struct arena *a;
static struct packing whole;
static struct instance in;
static int64_t all;
static struct effort effort;

static void
begin(void)
{
	a = arena_new();
	whole = (struct packing){ .item = arena_array(a, MOST, sizeof(struct item)), .alignment = 1 };
}

static void
end(void)
{
	arena_free(a);
}

TestSuite(reinsert, .init = begin, .fini = end);

/* One on the other as they come; the height. */
static int64_t
pile_up(struct item *item, int n)
{
	int64_t height = 0, at;
	int i, k;

	for (i = 0; i < n; i++) {
		for (at = 0, k = 0; k < i; k++)
			if (item[k].lower < item[i].upper && item[i].lower < item[k].upper && item[k].offset + item[k].size > at)
				at = item[k].offset + item[k].size;
		item[i].offset = at;
		height = at + item[i].size > height ? at + item[i].size : height;
	}
	return height;
}

/* As one piece, with the places that they have; the height. */
static int64_t
form(int n)
{
	int64_t offset[MOST];
	struct pieces pieces;
	int i;

	whole.n = n;
	for (i = 0; i < n; i++)
		offset[i] = whole.item[i].offset;
	pieces = packing_form(a, &whole);
	cr_assert_eq(pieces.n, 1);
	in = pieces.v[0];
	for (i = 0; i < in.n; i++)
		in.job[i].offset = offset[in.job[i].index];
	return packing_height(&in);
}

static int64_t
reinsert(int64_t height, int64_t target, int64_t visits)
{
	int first, second, i;

	all = visits;
	effort = (struct effort){ .visits = all, .all = &all };
	height = packing_reinsert(&in, height, target, &effort);
	for (i = 0; i < in.n; i++)
		whole.item[in.job[i].index].offset = in.job[i].offset;
	cr_assert_eq(packing_height(&in), height);
	cr_assert_eq(packing_check(a, &whole, height, &first, &second), PACKING_RIGHT, "%d and %d", first, second);
	return height;
}

static const struct {
	struct item item[14];
	int64_t piled;		/* as they come */
	int64_t optimum;	/* by a solver of constraints (CP-SAT of OR-tools 9) */
} known[] = {
	{ {
		{ 28, 2, 7, 0, 0 }, { 4, 1, 4, 0, 0 }, { 16, 7, 11, 0, 0 }, { 4, 6, 8, 0, 0 }, { 29, 7, 8, 0, 0 },
		{ 20, 6, 10, 0, 0 }, { 15, 0, 6, 0, 0 }, { 26, 4, 10, 0, 0 }, { 4, 3, 8, 0, 0 }, { 1, 5, 6, 0, 0 },
		{ 18, 0, 6, 0, 0 }, { 22, 0, 4, 0, 0 }, { 24, 3, 7, 0, 0 }, { 8, 0, 5, 0, 0 },
	}, 184, 123 },
	{ {
		{ 12, 4, 10, 0, 0 }, { 27, 8, 9, 0, 0 }, { 21, 7, 9, 0, 0 }, { 4, 0, 2, 0, 0 }, { 28, 5, 9, 0, 0 },
		{ 18, 3, 7, 0, 0 }, { 8, 1, 6, 0, 0 }, { 7, 0, 6, 0, 0 }, { 6, 6, 9, 0, 0 }, { 25, 6, 8, 0, 0 },
		{ 20, 1, 3, 0, 0 }, { 5, 7, 9, 0, 0 }, { 7, 0, 1, 0, 0 }, { 28, 3, 5, 0, 0 },
	}, 149, 99 },
	{ {
		{ 18, 3, 8, 0, 0 }, { 20, 2, 5, 0, 0 }, { 19, 7, 13, 0, 0 }, { 1, 1, 6, 0, 0 }, { 18, 7, 10, 0, 0 },
		{ 23, 3, 5, 0, 0 }, { 27, 7, 12, 0, 0 }, { 13, 8, 12, 0, 0 }, { 21, 2, 4, 0, 0 }, { 13, 2, 7, 0, 0 },
		{ 25, 0, 6, 0, 0 }, { 25, 1, 3, 0, 0 }, { 25, 0, 3, 0, 0 }, { 16, 0, 3, 0, 0 },
	}, 187, 146 },
};

Test(reinsert, small_instances_come_to_their_optimum)
{
	size_t k;

	for (k = 0; k < sizeof(known) / sizeof(*known); k++) {
		memcpy(whole.item, known[k].item, sizeof(known[k].item));
		cr_assert_eq(pile_up(whole.item, 14), known[k].piled);
		cr_assert_eq(form(14), known[k].piled);
		cr_expect_eq(reinsert(known[k].piled, known[k].optimum, 1000000), known[k].optimum, "%d: %d", (int)k,
		    (int)packing_height(&in));
	}
}

/* Of pieces of a rectangle each one by itself, put on top of all others. */
Test(reinsert, one_that_is_out_of_its_place_comes_back)
{
	struct item *item = whole.item;
	int i, moved;

	for (moved = 0; moved < 9; moved++) {
		for (i = 0; i < 9; i++)		/* as bricks: three rows of three, each 20 further to the left */
			item[i] = (struct item){ .size = 10 + i / 3, .lower = i % 3 * 100 - (i % 3 ? i / 3 * 20 : 0),
			    .upper = i % 3 == 2 ? 300 : i % 3 * 100 + 100 - i / 3 * 20, .offset = i / 3 * 10 + (i / 3 == 2) };
		item[moved].offset = 33;
		cr_assert_gt(form(9), 33);
		cr_assert_eq(reinsert(packing_height(&in), 33, 100000), 33, "%d", moved);
	}
}

Test(reinsert, more_effort_is_never_worse_and_the_same_effort_the_same)
{
	uint64_t seed;
	int i, lower = 0;

	for (seed = 1; seed <= 20; seed++) {
		int64_t visits, height, last = INT64_MAX, piled = 0;

		for (visits = 1000; visits < 1000000; visits *= 3, last = height) {
			uint64_t state = seed;

			for (i = 0; i < MOST; i++) {
				int64_t lower_end = chance_below(&state, 50);

				whole.item[i] = (struct item){ .size = 1 + chance_below(&state, 1000), .lower = lower_end,
				    .upper = lower_end + 1 + chance_below(&state, 20) };
			}
			piled = pile_up(whole.item, MOST);
			cr_assert_eq(form(MOST), piled);
			height = reinsert(piled, in.max_live, visits);
			cr_assert_leq(height, last);
			form(MOST);
		}
		lower += last < piled - piled / 8;
	}
	cr_assert_gt(lower, 15, "%d", lower);
}

Test(reinsert, what_stays_does_not_move)
{
	int64_t offset[14];
	int i;

	memcpy(whole.item, known[0].item, sizeof(known[0].item));
	pile_up(whole.item, 14);
	form(14);
	for (i = 0; i < 14; i++) {
		in.job[i].stays = true;
		offset[in.job[i].index] = in.job[i].offset;
	}
	cr_assert_eq(reinsert(known[0].piled, known[0].optimum, 100000), known[0].piled);
	for (i = 0; i < 14; i++)
		cr_assert_eq(whole.item[i].offset, offset[i]);
}

Test(reinsert, aligned_items_are_left_alone)
{
	memcpy(whole.item, known[0].item, sizeof(known[0].item));
	pile_up(whole.item, 14);
	form(14);
	in.job[0].align = 2;
	cr_assert_eq(packing_reinsert(&in, known[0].piled, known[0].optimum, &(struct effort){ .visits = 100000, .all = &all }),
	    known[0].piled);
}
