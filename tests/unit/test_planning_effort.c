/* What planning costs, in steps that are the same on every machine. */
#include "planned.h"
#include "plan/plan.h"
#include "target/target.h"

#define FEW_VISITS	10000000	/* less than half of the least that a network may use */

/* Networks of which no fit reaches the bound, but a search's first way down does. */
Test(planning_effort, one_way_down_reaches_the_bound_of_most_networks)
{
	static const char *const spec[] = {
		"convnext_tiny.nn", "inception_v3.nn", "swin_t.nn", "yolov3.nn",
	};
	struct pass_options o = { .target = target_find("c"), .threads = 1 };
	size_t i;

	for (i = 0; i < sizeof(spec) / sizeof(*spec); i++) {
		struct arena *a = arena_new();
		const struct plan *p = planned_source(a, spec_file(a, spec[i]), NULL, &o)->plan;

		cr_expect(p->optimal, "%s: %lld of %lld bytes", spec[i], (long long)p->arena_bytes,
		    (long long)p->proved_bytes);
		cr_expect_leq(p->visits, FEW_VISITS, "%s: %lld visits", spec[i], (long long)p->visits);
		arena_free(a);
	}
}
