/* Does it fit? The reserve, the limit it leaves, and the wanted batch against that. */
#include "fit/fit_answer.h"

#include "plan/plan.h"
#include "target/target.h"
#include "fit/whatif.h"

static void
set_aside(struct module *m, struct fit *f, int64_t reserve)
{
	const struct reserve *r = m->plan->target->reserve;

	f->reserve_given = reserve >= 0;
	if (reserve > 0)
		vec_push(m->arena, &f->reserve,
		    ((struct reserve){ .what = "set aside with --reserve", .bytes = reserve }));
	for (; !f->reserve_given && r && r->what; r++) {
		int64_t bytes = reserve_bytes(r, module_ranks(m), &m->set.device, f->memory);

		if (bytes)
			vec_push(m->arena, &f->reserve,
			    ((struct reserve){ .what = r->what, .bytes = bytes }));
	}
}

/* Validation has a batch of its own, which no smaller training batch makes smaller. */
static int64_t
validation_beyond(const struct module *m, int64_t limit)
{
	int64_t peak;

	if (!m->train || !m->validate || !m->set.validate_fixed)
		return 0;
	peak = plan_peak_of(m->plan, m->validate);
	return peak > limit ? peak : 0;
}

void
fit_answer(struct module *m, int64_t memory, int64_t reserve, struct fit *f)
{
	int i;

	*f = (struct fit){ .memory = memory };
	set_aside(m, f, reserve);
	for (i = 0; i < f->reserve.n; i++)
		f->reserved += f->reserve.v[i].bytes;
	f->limit = memory > f->reserved ? memory - f->reserved : 0;
	f->wanted = m->train ? m->plan->batch : m->plan->validate_batch;
	f->arena = m->plan->arena_bytes;
	f->bound = m->plan->lower_bound_bytes;
	f->fits = f->arena <= f->limit;
	largest_batch(m, f->limit, &f->largest);
	f->validation = validation_beyond(m, f->limit);
}
