/*
 * Each form of shard is planned in turn until one fits; what they are is the same course of
 * training but for rounding.
 */
#include "fit/sharding.h"

#include "fit/whatif.h"
#include "plan/plan.h"
#include "target/target.h"

static bool
may_share_out(const struct module *m)
{
	const struct settings *set = &m->set;

	return module_ranks(m) > 1 && module_stages(m) == 1 && set->device.given && !set->splits &&
	    settings_may_share_out(set);
}

struct sharding
fit_sharding(const struct module *m)
{
	struct sharding s = { .what = m->set.shard };
	struct module in = *m;
	struct settings set = m->set;
	int what;

	if (!may_share_out(m))
		return s;
	s.left = target_memory(m->plan->target, module_ranks(m), &set.device);
	if (m->plan->arena_bytes <= s.left)
		return s;
	for (what = (int)set.shard + 1; what < SHARDS && !s.fits; what++) {
		struct module *other;

		set.shard = (enum shard_kind)what;
		other = whatif_spec(&in, &set);
		if (!other || (s.planned && other->plan->arena_bytes >= s.planned->plan->arena_bytes))
			continue;
		s.what = set.shard;
		s.planned = other;
		s.fits = other->plan->arena_bytes <= s.left;
	}
	return s;
}
