/*
 * The fewest ranks that hold an update. The largest micro-batch is known: fewer ranks, whose share is larger than that, do
 * not hold it. The first number with a smaller share is planned, and the next ones while that is not enough. A rank that is
 * alone has nothing to add up, and so a plan of its own, which is always looked at.
 *
 * Where the batch is parts (deterministic), those are the micro-batches on any number of ranks, which must divide their number:
 * each of these is planned, as the fewer a rank makes, the fewer sums wait there.
 */
#include "fit/fewest.h"

#include "fit/advice.h"
#include "fit/whatif.h"

#define MOST_PLANS	4

void
fit_fewest_ranks(struct module *m, const struct fit *f, struct fewest *found)
{
	int64_t parts = m->set.parts, *ranks, micro;
	int n, i, plans = 0;

	*found = (struct fewest){ 0 };
	ranks = divisors_above(m->arena, parts ? parts : m->set.batch / m->set.accumulate, 0, &n);
	for (i = 0; i < n && ranks[i] <= MOST_RANKS && (parts || plans < MOST_PLANS); i++) {
		struct settings set = m->set;
		struct module *other;

		set.ranks = ranks[i];
		if (parts)
			set.accumulate = parts / ranks[i];
		micro = settings_micro_batch(&set);
		if (ranks[i] > 1 && !parts && micro > f->largest.batch)
			continue;
		plans++;
		whatif_micro_batch(&set, micro);
		other = whatif(m, &set);
		if (!other || other->plan->arena_bytes > f->limit)
			continue;
		*found = (struct fewest){ ranks[i], micro, other->plan->arena_bytes };
		return;
	}
}
