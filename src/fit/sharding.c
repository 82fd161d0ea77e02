/*
 * Each form of shard is planned in turn until one fits; what they are is the same course of
 * training but for rounding. Of networks whose plans take long there are as many, and searched for
 * as far, as other questions of them may be.
 */
#include "fit/sharding.h"

#include "fit/whatif.h"
#include "plan/plan.h"
#include "schedule/recompute.h"
#include "target/target.h"

static bool
may_share_out(const struct module *m)
{
	const struct settings *set = &m->set;

	return module_ranks(m) > 1 && module_stages(m) == 1 && set->device.given && !set->splits &&
	    settings_may_share_out(set);
}

/* Is more alive all the time, in weights of which every rank has all? */
static bool
weights_alone_exceed(const struct module *m, int64_t bytes)
{
	int i;

	for (i = 0; i < m->plan->buffers.n && bytes >= 0; i++)
		if (m->plan->buffers.v[i].root->kind == T_PARAM)
			bytes -= m->plan->buffers.v[i].bytes;
	return bytes < 0;
}

/* The first form from FROM on that fits; else that of the fewest bytes. */
static void
find_form(const struct module *m, enum shard_kind from, struct sharding *s)
{
	bool large = m->train && m->train->nodes.n >= RECOMPUTE_LARGE;
	struct settings set = m->set;
	struct module in = *m;
	int what;

	for (what = (int)from; what < SHARDS && !s->fits; what++) {
		struct module *other;

		set.shard = (enum shard_kind)what;
		other = large ? whatif(&in, &set) : whatif_spec(&in, &set);
		if (!other || (s->planned && other->plan->arena_bytes >= s->planned->plan->arena_bytes))
			continue;
		s->what = set.shard;
		s->planned = other;
		s->fits = other->plan->arena_bytes <= s->left;
	}
}

struct sharding
fit_sharding(const struct module *m)
{
	struct sharding s = { .what = m->set.shard }, last;
	enum shard_kind next = (enum shard_kind)(m->set.shard + 1);

	if (!may_share_out(m))
		return s;
	s.left = target_memory(m->plan->target, module_ranks(m), &m->set.device);
	if (m->plan->arena_bytes <= s.left || m->set.shard >= SHARD_PARAMETERS)
		return s;
	last = s;
	if (next < SHARD_PARAMETERS && weights_alone_exceed(m, s.left))
		find_form(m, SHARD_PARAMETERS, &last);
	if (last.fits)
		return last;
	find_form(m, next, &s);
	return s;
}
