/* Items that are alive as long as there are any lie at the bottom, and the rest as if there were
 * none. */
#include <criterion/criterion.h>

#include "base/chance.h"
#include "pack/packing.h"

/* As an exported plan has them: weights, and what an optimizer keeps of them. */
Test(packing_lasting, items_that_last_lie_at_the_bottom_and_change_nothing_else)
{
	struct item item[120], rest[90];
	struct packing p = { item, 120, 64 }, q = { rest, 90, 64 };
	struct arena *a = arena_new();
	struct packing_options o = { 0 };
	struct packing_result all, without;
	uint64_t seed = 3;
	int64_t lasting = 0;
	int i, first, second;

	for (i = 0; i < 120; i++) {
		int64_t lower = chance_below(&seed, 50);

		item[i] = (struct item){ .size = 1 + chance_below(&seed, 100000), .lower = lower,
		    .upper = lower + 1 + chance_below(&seed, 20) };
		if (i % 4 == 0) {
			item[i].lower = 0;
			item[i].upper = 70;
			lasting += (item[i].size + 63) / 64 * 64;
		} else {
			rest[i - i / 4 - 1] = item[i];
		}
	}
	all = packing_solve(a, &p, NULL);
	without = packing_solve(a, &q, NULL);
	cr_assert_eq(packing_check(a, &p, all.height, &first, &second), PACKING_RIGHT);
	for (i = 0; i < 120; i++)
		if (i % 4)
			cr_assert_eq(item[i].offset - rest[i - i / 4 - 1].offset, all.height - without.height);
	cr_assert_eq(all.max_live - without.max_live, all.height - without.height);
	cr_assert_eq(all.height - without.height, lasting);
	cr_assert_eq(all.bound - without.bound, all.height - without.height);
	cr_assert_eq(all.optimal, without.optimal);
	o.capacity = all.height;
	cr_assert_leq(packing_solve(a, &p, &o).height, all.height);
	o.capacity = (all.height - without.height) / 2;
	cr_assert_gt(packing_solve(a, &p, &o).bound, o.capacity);
	arena_free(a);
}

/* One, as what is read for the next step: it stays among the others. */
Test(packing_lasting, few_change_nothing)
{
	struct item item[] = { { 8, 0, 9, 0, 0 }, { 16, 0, 4, 0, 0 }, { 8, 2, 9, 0, 0 }, { 8, 4, 7, 0, 0 }, { 8, 5, 9, 0, 0 }, { 0, 0, 9, 0, 0 } };
	struct packing p = { item, 6, 8 };
	struct arena *a = arena_new();
	int first, second;

	cr_assert_eq(packing_solve(a, &p, NULL).height, 32);
	cr_assert_eq(packing_check(a, &p, 32, &first, &second), PACKING_RIGHT);
	item[1].upper = 9;	/* two of six last now, and one has no bytes */
	cr_assert_eq(packing_solve(a, &p, NULL).height, 48);
	cr_assert_eq(packing_check(a, &p, 48, &first, &second), PACKING_RIGHT);
	cr_assert_eq(item[2].offset + item[3].offset + item[4].offset, 24 + 32 + 40);
	arena_free(a);
}
