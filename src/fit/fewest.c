/*
 * The fewest ranks that hold an update. The largest micro-batch is known: fewer ranks, whose share is larger than that, do
 * not hold it. The first number with a smaller share is planned, and the next ones while that is not enough. A rank that is
 * alone has nothing to add up, and so a plan of its own, which is always looked at.
 */
#include "fit/fewest.h"

#include "fit/advice.h"
#include "fit/whatif.h"

#define MOST_PLANS	4

void
fit_fewest_ranks(struct module *m, const struct fit *f, struct fewest *found)
{
	int64_t samples = m->set.batch / m->set.accumulate, *ranks;
	int n, i, plans = 0;

	*found = (struct fewest){ 0 };
	ranks = divisors_above(m->arena, samples, 0, &n);
	for (i = 0; i < n && ranks[i] <= MOST_RANKS && plans < MOST_PLANS; i++) {
		struct settings set = m->set;
		struct module *other;

		if (ranks[i] > 1 && samples / ranks[i] > f->largest.batch)
			continue;
		plans++;
		set.ranks = ranks[i];
		whatif_micro_batch(&set, samples / ranks[i]);
		other = whatif(m, &set);
		if (!other || other->plan->arena_bytes > f->limit)
			continue;
		*found = (struct fewest){ ranks[i], samples / ranks[i], other->plan->arena_bytes };
		return;
	}
}
