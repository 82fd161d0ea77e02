/* What ranks that train together share out: samples, pieces of tensors, layers; see ir.h and
 * settings.h. */
#include "ir/ir.h"

#include "ir/op.h"

const struct tensor *
tensor_split(const struct tensor *t)
{
	const struct tensor *p = t->kind == T_PARAM ? t : tensor_copied(t) ? t->copies : t->gradient_of;

	return p && p->split_blocks && tensor_same_shape(t, p) ? p : NULL;
}

struct tensor
tensor_of_ranks(const struct module *m, const struct tensor *t)
{
	const struct tensor *split = tensor_split(t);
	struct tensor all = tensor_value(tensor_whole(t));

	if (split)
		all.dim[split->split_axis] *= m->set.ranks;
	return all;
}

int64_t
module_ranks(const struct module *m)
{
	return m->train && !m->inference ? settings_ranks(&m->set) : 1;
}

bool
module_splits(const struct module *m)
{
	return m->set.splits && module_ranks(m) > 1;
}

int64_t
module_stages(const struct module *m)
{
	return m->train && !m->inference ? settings_stages(&m->set) : 1;
}

int64_t
module_parts(const struct module *m)
{
	return m->train && !m->inference ? m->set.parts : 0;
}

int64_t
module_shards(const struct module *m)
{
	return m->train && !m->inference ? settings_shards(&m->set) : 1;
}

bool
module_averages_apart(const struct module *m)
{
	return module_shards(m) > 1 && m->set.ema > 0 && m->validate;
}

bool
module_shares_out(const struct module *m, enum shard_kind what)
{
	return module_shards(m) > 1 && settings_share_out(&m->set, what);
}

struct rank_piece
rank_piece_of(int64_t n, int64_t rank, int64_t ranks)
{
	int64_t first = n / ranks * rank + n % ranks * rank / ranks;

	return (struct rank_piece){ first, n / ranks * (rank + 1) + n % ranks * (rank + 1) / ranks - first };
}

int64_t
shard_elements(const struct module *m, int64_t n)
{
	int64_t shards = settings_shards(&m->set);

	return rank_piece_of(n, shards - 1, shards).n;	/* of all, the last is the largest */
}

static const char *const shard_names[] = {
	[SHARD_NONE] = "none", [SHARD_OPTIMIZER] = "optimizer", [SHARD_GRADIENTS] = "gradients",
	[SHARD_PARAMETERS] = "parameters",
};

const char *
shard_name(int i)
{
	return i >= 0 && i < SHARDS ? shard_names[i] : NULL;
}

static bool
takes_pieces(const struct op *optimizer)
{
	return (optimizer->flags & OP_ELEMENTWISE) || optimizer->ranks.takes_pieces;
}

const struct op *
settings_unshared(const struct settings *set)
{
	int i;

	for (i = 0; i < set->nturns; i++)
		if (set->turn[i].optimizer && !takes_pieces(set->turn[i].optimizer))
			return set->turn[i].optimizer;
	return set->nturns == 0 && !takes_pieces(set->optimizer) ? set->optimizer : NULL;
}

bool
settings_adds_up_norms(const struct settings *set)
{
	bool adds = set->optimizer->ranks.takes_pieces;
	int i;

	for (i = 0; i < set->nturns; i++)
		adds |= set->turn[i].optimizer && set->turn[i].optimizer->ranks.takes_pieces;
	return adds;
}

bool
settings_may_share_out(const struct settings *set)
{
	return !settings_unshared(set) && !(set->parts && settings_ranks(set) > NORM_PIECES &&
	    (set->clip > 0 || settings_adds_up_norms(set)));
}

int64_t
settings_shards(const struct settings *set)
{
	return set->shard != SHARD_NONE ? settings_ranks(set) : 1;
}

bool
settings_keep_gradients(const struct settings *set)
{
	return set->clip > 0 || set->accumulate > 1 || set->precision->scales_loss;
}

bool
settings_share_out(const struct settings *set, enum shard_kind what)
{
	return set->shard >= what && settings_shards(set) > 1;
}

int64_t
settings_ranks(const struct settings *set)
{
	return set->ranks > 1 ? set->ranks : 1;
}

int64_t
settings_data_ranks(const struct settings *set)
{
	return set->splits || set->nplaces ? 1 : settings_ranks(set);
}

int64_t
settings_stages(const struct settings *set)
{
	return set->nplaces ? settings_ranks(set) : 1;
}

int64_t
settings_slots(const struct settings *set)
{
	int64_t after = settings_stages(set) - set->stage;

	return after < set->accumulate ? after : set->accumulate;
}

int64_t
settings_shares(const struct settings *set)
{
	return set->accumulate * settings_data_ranks(set);
}

int64_t
settings_rank_batch(const struct settings *set)
{
	return set->batch / settings_data_ranks(set);
}
