/*
 * shard-nothing: ranks that are to share out the optimizer's state, where the optimizer keeps none.
 */
#include "lint/rule.h"

#include "ir/op.h"

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	struct diag *g;
	int i;

	if (module_shards(m) <= 1 || (module_shares_out(m, SHARD_GRADIENTS) && settings_keep_gradients(&m->set)))
		return;
	for (i = 0; i < m->persistent.n; i++)
		if (m->persistent.v[i]->shared)
			return;
	g = lint_report(l, rule, m->set.shard_loc, "shard saves nothing: "
	    "%s keeps no state that %lld ranks could share out", m->set.optimizer->name, (long long)m->set.ranks);
	diag_fact(l->diags, g, "each rank has and sends as much as without it, or hardly more, but waits for new weights at the "
	    "end of an update");
	diag_help(l->diags, g, "leave shard out; it pays with an optimizer that keeps something of every weight: adamw two "
	    "numbers, sgd with momentum one");
}

const struct rule rule_shard_nothing = {
	.id = "SW139",
	.name = "shard-nothing",
	.family = FAMILY_MEMORY,
	.severity = SEV_WARNING,
	.brief = "ranks share out an optimizer's state, and it has none",
	.doc = "With shard optimizer each of several ranks keeps the optimizer's state of its piece of every parameter (Rajbhandari "
	    "and others: ZeRO, 2020, stage 1): of adamw in f32 8 bytes a weight become 8 / N. sgd without momentum keeps nothing "
	    "in f32, so nothing is saved, and what is updated in pieces must be brought together again before the next step "
	    "begins. With shard gradients clipping and micro-batches keep a piece of each gradient (stage 2): then it is silent, and "
	    "where neither holds, gradients are gone as soon as each weight is updated.\n\n"
	    "Reported where no state is shared out. In 16 bits there are copies of the weights in f32, which are; then it is "
	    "silent.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
