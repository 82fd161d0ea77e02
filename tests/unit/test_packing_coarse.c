/* What is large, apart from what is small: as sizes or room say, or as the fullest instants do; not
 * at all where that would not serve. */
#include <criterion/criterion.h>

#include "pack/packing_impl.h"

enum { MOST = 2000 };

static struct arena *a;
static struct instance whole, large;
static struct job *rest;

static void
begin(void)
{
	a = arena_new();
}

static void
end(void)
{
	arena_free(a);
}

TestSuite(coarse, .init = begin, .fini = end);

/* One piece: NLARGE items of 1000 bytes and NSMALL of one, all alive at the same time. */
static void
make(int nlarge, int nsmall)
{
	struct packing p = { .item = arena_array(a, MOST, sizeof(*p.item)), .n = nlarge + nsmall, .alignment = 1 };
	struct pieces pieces;
	int i;

	for (i = 0; i < p.n; i++)
		p.item[i] = (struct item){ .size = i < nlarge ? 1000 : 1, .upper = 10 };
	pieces = packing_form(a, &p);
	cr_assert_eq(pieces.n, 1);
	whole = pieces.v[0];
}

static bool
divides(double part)
{
	return packing_coarse(&whole, a, part, false, &large, &rest);
}

Test(coarse, large_items_are_an_instance_of_their_own)
{
	int i;

	make(10, 40);
	cr_assert(divides(300));
	cr_assert_eq(large.n, 10);
	cr_assert_eq(large.max_live, 10 * 1000);
	cr_assert_eq(large.unit, 1000);
	for (i = 0; i < 10; i++) {
		cr_assert_eq(large.job[i].size, 1000);
		cr_assert_eq(whole.job[large.job[i].index].size, 1000);
	}
	for (i = 0; i < 40; i++)
		cr_assert_eq(whole.job[rest[i].index].size, 1);
}

/* of 10,040 bytes all the time, one is more than a part in 20,000 */
Test(coarse, much_room_is_large)
{
	make(10, 40);
	cr_assert_not(divides(20000));
}

Test(coarse, all_large_or_all_small)
{
	make(50, 0);
	cr_assert_not(divides(300));
	make(0, 1000);
	cr_assert_not(divides(300));
}

Test(coarse, few_small)
{
	make(90, 30);	/* a fourth of all is few */
	cr_assert_not(divides(300));
	make(89, 31);
	cr_assert(divides(300));
}

Test(coarse, no_alignments_or_tails)
{
	make(10, 40);
	whole.job[49].align = 2;
	cr_assert_not(divides(300));
	whole.job[49].align = 1;
	whole.job[0].tail = 1;
	cr_assert_not(divides(300));
	whole.job[0].tail = 0;
	cr_assert(divides(300));
}

static void
form(struct item *item, int n)
{
	struct packing p = { .item = item, .n = n, .alignment = 1 };
	struct pieces pieces = packing_form(a, &p);

	cr_assert_eq(pieces.n, 1);
	whole = pieces.v[0];
}

/* Small ones die at each instant, large ones at two. */
Test(coarse, sections_are_those_of_the_large)
{
	struct item item[30] = { { 0 } };
	int i;

	for (i = 0; i < 30; i++)
		item[i] = (struct item){ .size = 1, .lower = i, .upper = i + 2 };
	item[0] = (struct item){ .size = 1000, .upper = 31 };
	item[1] = (struct item){ .size = 2000, .upper = 10 };
	item[2] = (struct item){ .size = 3000, .lower = 20, .upper = 31 };
	form(item, 30);
	cr_assert_gt(whole.sections, 20);
	cr_assert(divides(100));
	cr_assert_eq(large.n, 3);
	cr_assert_eq(large.sections, 2);
	cr_assert_eq(large.max_live, 4000);
	for (i = 0; i < 3; i++) {
		cr_assert_eq(large.job[i].lower, large.job[i].size == 3000);
		cr_assert_eq(large.job[i].upper, large.job[i].size == 2000 ? 1 : 2);
	}
}

/* Of 4,000,000 bytes and a little one half dies before the other half is born, and so do labels
 * before the loss is, or so much more than it. */
static bool
divides_tightly(int64_t label, int64_t loss)
{
	struct item item[24] = { { 0 } };
	int i;

	for (i = 0; i < 20; i++)
		item[i] = (struct item){ .size = 10, .upper = 10 };
	item[20] = (struct item){ .size = 2000000, .upper = 4 };
	item[21] = (struct item){ .size = 2000000, .lower = 6, .upper = 10 };
	item[22] = (struct item){ .size = label, .upper = label == 10 ? 10 : 5 };
	item[23] = (struct item){ .size = loss, .lower = loss == 10 ? 0 : 5, .upper = 10 };
	form(item, 24);
	return packing_coarse(&whole, a, 1000, true, &large, &rest);
}

Test(coarse, what_changes_places_at_the_fullest_instants_is_large)
{
	int i, stay = 0;

	cr_assert(divides_tightly(30, 20));
	cr_assert_eq(large.n, 4);
	for (i = 0; i < 4; i++) {
		cr_assert_eq(large.job[i].stays, large.job[i].size < 2000000);
		stay += large.job[i].stays;
	}
	cr_assert_eq(stay, 2);
	cr_assert(divides(1000));
	cr_assert_eq(large.n, 2);
}

Test(coarse, nothing_changes_places_or_there_is_room)
{
	cr_assert_not(divides_tightly(10, 10));
	cr_assert(divides_tightly(40, 20));	/* 20 of 2,000,240 bytes are next to nothing, */
	cr_assert_not(divides_tightly(41, 20));	/* and 21 are not */
}
