/* What is large, apart from what is small: as sizes or room say; not at all where that would not
 * serve. */
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
	return packing_coarse(&whole, a, part, &large, &rest);
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
