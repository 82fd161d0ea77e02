/* What can have one place in turn is one item, has a right answer wherever what is left has one,
 * and depends on no order of rows. */
#include <criterion/criterion.h>

#include "base/chance.h"
#include "pack/packing_lanes.h"

enum { MOST = 300 };

static struct arena *a;
static struct packing whole;
static struct instance in, left;
static int64_t all;
static struct effort effort;

static void
begin(void)
{
	a = arena_new();
	whole = (struct packing){ .item = arena_array(a, MOST, sizeof(struct item)), .alignment = 1 };
	all = 100000000;
	effort = (struct effort){ .visits = all, .all = &all };
}

static void
end(void)
{
	arena_free(a);
}

TestSuite(lanes, .init = begin, .fini = end);

static void
add(int64_t lower, int64_t upper, int64_t size)
{
	whole.item[whole.n++] = (struct item){ .lower = lower, .upper = upper, .size = size };
}

static void
form(void)
{
	struct pieces pieces = packing_form(a, &whole);

	cr_assert_eq(pieces.n, 1);
	in = pieces.v[0];
}

static void
is_right(int64_t height)
{
	int i, first, second;

	for (i = 0; i < in.n; i++)
		whole.item[in.job[i].index].offset = in.job[i].offset;
	cr_assert_eq(packing_check(a, &whole, height, &first, &second), PACKING_RIGHT, "%d and %d", first, second);
}

/* That of the picture in packing_lanes.c: one item, whose places are those in the picture. */
Test(lanes, those_that_follow_each_other_and_those_beside_are_one)
{
	struct lanes *l;

	add(0, 4, 20);
	add(4, 7, 10);
	add(4, 7, 10);
	add(7, 10, 20);
	add(0, 5, 10);
	add(5, 10, 10);
	form();
	l = lanes_new(a, &in, 0, &left, &effort);
	cr_assert_eq(left.n, 1);
	cr_assert_eq(left.job[0].size, 30);
	cr_assert_eq(left.job[0].upper - left.job[0].lower, in.sections);
	left.job[0].offset = 0;
	lanes_undo(l, &left, &in);
	is_right(30);
}

Test(lanes, other_sizes_and_a_pause_keep_apart)
{
	add(0, 4, 20);
	add(4, 7, 21);
	add(0, 10, 3);
	form();
	lanes_new(a, &in, 0, &left, &effort);
	cr_assert_eq(left.n, 3);
	whole.n = 0;
	add(0, 3, 20);
	add(1, 6, 5);	/* its section lies between */
	add(3, 5, 6);
	add(5, 7, 20);
	form();
	lanes_new(a, &in, 0, &left, &effort);
	cr_assert_eq(left.n, 4);
}

/* Sizes of which many are equal. */
static void
random_items(uint64_t seed)
{
	int i;

	whole.n = 0;
	for (i = 0; i < MOST; i++) {
		int64_t lower = i == 0 ? 0 : chance_below(&seed, 40);

		add(lower, i == 0 ? 60 : lower + 1 + chance_below(&seed, 20), 1 + chance_below(&seed, 12));
	}
}

Test(lanes, any_answer_of_what_is_left_is_one_of_all)
{
	int64_t height;
	uint64_t seed;

	for (seed = 1; seed <= 30; seed++) {
		struct lanes *l;

		random_items(seed);
		form();
		l = lanes_new(a, &in, (int)(seed % 3), &left, &effort);
		cr_assert_lt(left.n, in.n);
		cr_assert_eq(left.max_live, in.max_live);
		height = packing_fit(&left, INT64_MAX, left.max_live, 2, &effort);
		lanes_undo(l, &left, &in);
		is_right(height);
	}
}

static void
shuffle(uint64_t seed)
{
	int i, k;

	for (i = whole.n - 1; i > 0; i--) {
		struct item other = whole.item[i];

		k = chance_below(&seed, i + 1);
		whole.item[i] = whole.item[k];
		whole.item[k] = other;
	}
}

Test(lanes, rows_in_another_order_leave_the_same)
{
	struct instance other;
	uint64_t seed;
	int i, attempt;

	for (seed = 1; seed <= 10; seed++)
		for (attempt = 0; attempt < 2; attempt++) {
			random_items(seed);
			form();
			lanes_new(a, &in, attempt, &other, &effort);
			shuffle(seed);
			form();
			lanes_new(a, &in, attempt, &left, &effort);
			cr_assert_eq(left.n, other.n);
			for (i = 0; i < left.n; i++) {
				cr_assert_eq(left.job[i].lower, other.job[i].lower);
				cr_assert_eq(left.job[i].upper, other.job[i].upper);
				cr_assert_eq(left.job[i].size, other.job[i].size);
			}
		}
}

Test(lanes, nothing_is_done_where_nothing_follows)
{
	int i;

	for (i = 0; i < 100; i++)
		add(2 * i, 2 * i + 51, 100 + i);
	form();
	cr_assert_eq(packing_lanes(&in, 1 << 20, in.max_live, &effort), 1 << 20);
	cr_assert_gt(effort.visits, 90000000);
}

Test(lanes, aligned_items_are_left_alone)
{
	int i;

	for (i = 0; i < 100; i++) {
		add(i, i + 1, 24);
		whole.item[i].alignment = 1 + i % 2 * 15;
	}
	add(0, 100, 1);
	form();
	cr_assert_eq(packing_lanes(&in, 1 << 20, in.max_live, &effort), 1 << 20);
}
