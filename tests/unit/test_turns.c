/* How long an update of a pipeline takes: against schedules that were drawn by hand, and the
 * formula for stages that are alike. */
#include <criterion/criterion.h>

#include "plan/turns.h"

static double
takes(const struct stage_time *turn, int64_t stages, int64_t micro)
{
	struct arena *a = arena_new();
	double t = plan_turns_take(turn, stages, micro, a);

	arena_free(a);
	return t;
}

Test(turns, alike_by_the_formula)
{
	struct stage_time turn[8];
	int64_t n, m;

	for (n = 1; n <= 8; n++) {
		turn[n - 1] = (struct stage_time){ 1, 2 };
		for (m = 1; m <= 12; m++)
			cr_assert_float_eq(takes(turn, n, m), (double)(3 * (m + n - 1)), 1e-9, "%d stages, %d micro-batches: %g", (int)n,
			    (int)m, takes(turn, n, m));
	}
}

/* 0: F0 0-1, F1 1-2, B0 7-8, B1 13-14; 1: F0 1-4, B0 4-7, F1 7-10, B1 10-13 */
Test(turns, the_second_has_more)
{
	const struct stage_time turn[] = { { 1, 1 }, { 3, 3 } };

	cr_assert_float_eq(takes(turn, 2, 2), 14, 1e-9);
}

/* 0: F0 0-2, F1 2-4, B0 6-8, F2 8-10, B1 10-12, B2 14-16; 1: F0 2-3, B0 3-6, F1 6-7, B1 7-10, F2
 * 10-11, B2 11-14 */
Test(turns, a_forward_waits_for_its_turn)
{
	const struct stage_time turn[] = { { 2, 2 }, { 1, 3 } };

	cr_assert_float_eq(takes(turn, 2, 3), 16, 1e-9);
}
