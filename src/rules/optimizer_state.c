/*
 * optimizer-state: the optimizer keeps more bytes than are left for anything else. What leaner ones
 * take is planned with the same learning rate; it must be tuned anew.
 */
#include "rulekit/measure.h"

#include "fit/whatif.h"
#include "ir/op.h"

/* The module with sgd, with or without momentum; NULL where it has no plan. */
static struct module *
with_sgd(struct module *m, double momentum)
{
	struct settings set = m->set;
	const struct op *op = op_find("sgd");

	if (!op)
		return NULL;
	set.optimizer = op;
	set.optimizer_attr = op_presets(m->arena, op);
	op_preset(op, set.optimizer_attr, "momentum")->r = momentum;
	return whatif(m, &set);
}

/* With its state in pieces, one to each rank; NULL where that cannot be. */
static struct module *
shared_out(struct module *m)
{
	struct settings set = m->set;

	if (module_ranks(m) <= 1 || set.splits || set.shard != SHARD_NONE || !settings_may_share_out(&set))
		return NULL;
	set.shard = SHARD_OPTIMIZER;
	return whatif(m, &set);
}

static int64_t
bytes_of(const struct module *m, enum tensor_kind kind)
{
	int64_t sum = 0;
	int i;

	for (i = 0; i < m->plan->buffers.n; i++)
		if (m->plan->buffers.v[i].persistent && m->plan->buffers.v[i].root->kind == kind)
			sum += m->plan->buffers.v[i].bytes;
	return sum;
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module, *without;
	int64_t state = m->train ? bytes_of(m, T_OPTIMIZER) : 0;
	int64_t weights = bytes_of(m, T_PARAM);
	struct diag *g;

	if (!measure_is_hazard(m, state))
		return;
	without = with_sgd(m, 0);
	if (!without || !measure_is_hazard(m, m->plan->arena_bytes - without->plan->arena_bytes))
		return;		/* momentum that holds the gradient is there in its place */
	g = lint_report(l, rule, m->set.optimizer_loc.src ? m->set.optimizer_loc : m->loc,
	    "%s keeps %s of state for %s of parameters: %s", m->set.optimizer->name,
	    lint_human(m->arena, state), lint_human(m->arena, weights), measure_share(m, state));
	diag_fact(l->diags, g, "%s B, %.3g times the parameters, whatever the batch; in most "
	    "frameworks it arrives with the first update, here it is planned",
	    lint_commas(m->arena, state), (double)state / (double)(weights ? weights : 1));
	measure_saving(l, g, shared_out(m), "shard optimizer, of which each rank keeps its piece (the same updates),");
	if (state > weights)
		measure_saving(l, g, with_sgd(m, 0.9), "sgd with momentum (its learning rate is "
		    "another)");
	measure_saving(l, g, without, "sgd without momentum");
}

static bool
may_find(const struct module *m)
{
	return m->train && measure_may_be_hazard(m, bytes_of(m, T_OPTIMIZER));
}

const struct rule rule_optimizer_state = {
	.id = "SW109",
	.name = "optimizer-state",
	.family = FAMILY_MEMORY,
	.severity = SEV_WARNING,
	.brief = "the optimizer's state takes a large part of the memory",
	.doc = "Adam keeps two numbers for each trained weight, sgd with momentum one, sgd by "
	    "itself none: S e P bytes for P parameters, whatever the batch (and for 16-bit "
	    "weights a master copy in f32 besides). In frameworks the state is made by the first "
	    "update, so that a program dies at its second step, which looks like a leak.\n\n"
	    "Reported where the state is 256 MiB or more, and a quarter of the device (without "
	    "one, 1 GiB and half of the arena). Cures: shard optimizer, where several ranks train; an "
	    "optimizer with less state, planned in the finding; freezing layers that are trained already; a smaller network. Seen in "
	    "pytorch #9439.",
	.check = check,
	.needs = NEEDS_PLAN,
	.may_find = may_find,
};
