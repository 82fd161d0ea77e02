/*
 * The fewest ranks that hold an update. The largest micro-batch is known: fewer ranks, whose share
 * is larger than that, do not hold it. The first number with a smaller share is planned, and the
 * next ones while that is not enough. A rank that is alone has nothing to add up, and so a plan of
 * its own, which is always looked at.
 *
 * Where the batch is parts (deterministic), those are the micro-batches on any number of ranks,
 * which must divide their number: each of these is planned, as the fewer a rank makes, the fewer
 * sums wait there.
 *
 * Where layers are split (split=ranks), all ranks have the same samples, and their number divides
 * what is shared out, whatever the batch is. More ranks have less each: where the update does not
 * fit on as many as are asked for, neither does it on fewer that are several. Where they share out
 * pieces (shard), more have less each, too.
 */
#include "fit/fewest.h"

#include "base/gcd.h"
#include "fit/advice.h"
#include "fit/whatif.h"

#define MOST_PLANS	4

/* The units, rows and columns of every weight that is split are so many, or a multiple; and some of
 * these numbers of ranks do not divide heads: then there is no plan. */
static int64_t
split_units(const struct module *m)
{
	int64_t common = 0;
	int i;

	for (i = 0; i < m->persistent.n; i++) {
		const struct tensor *t = m->persistent.v[i];
		int64_t units = t->kind == T_PARAM && t->split_blocks ? t->dim[t->split_axis] / t->split_blocks * m->set.ranks : 0;

		common = gcd(common, units);
	}
	return common ? common : m->set.ranks;
}

/* Has each of more ranks less, but for samples? */
static bool
less_each(const struct module *m)
{
	return module_splits(m) || module_shards(m) > 1;
}

/* Does it not fit on so many, by what is known? */
static bool
is_ruled_out(const struct module *m, const struct fit *f, int64_t ranks, int64_t micro)
{
	if (ranks == 1 || m->set.parts)
		return false;
	return micro > f->largest.batch && (!less_each(m) || ranks <= m->set.ranks);
}

void
fit_fewest_ranks(struct module *m, const struct fit *f, struct fewest *found)
{
	bool all = m->set.parts || less_each(m);
	int64_t parts = m->set.parts, *ranks, micro;
	int n, i, plans = 0;

	*found = (struct fewest){ 0 };
	ranks = divisors_above(m->arena, parts ? parts : module_splits(m) ? split_units(m) : m->set.batch / m->set.accumulate, 0, &n);
	for (i = 0; i < n && ranks[i] <= MOST_RANKS && (all || plans < MOST_PLANS); i++) {
		struct settings set = m->set;
		struct module *other;

		set.ranks = ranks[i];
		if (parts)
			set.accumulate = parts / ranks[i];
		micro = settings_micro_batch(&set);
		if (is_ruled_out(m, f, ranks[i], micro))
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
