/*
 * accumulate-buffer: gradients of micro-batches add up in buffers as large as the parameters, which
 * stay for the whole run.
 */
#include "rulekit/fix_edits.h"
#include "rulekit/measure.h"

#include "fit/whatif.h"

static int64_t
held(const struct module *m)
{
	int64_t sum = 0;
	int i;

	for (i = 0; i < m->plan->buffers.n; i++)
		if (m->plan->buffers.v[i].persistent && m->plan->buffers.v[i].root->kind == T_GRADIENT)
			sum += m->plan->buffers.v[i].bytes;
	return sum;
}

static void
fix(struct lint *l, struct diag *g, int64_t batch)
{
	const struct setting *accumulate;
	struct amend m;

	if (!fix_amend(l, &m) || !(accumulate = amend_find(&m, SEC_TRAIN, "accumulate")))
		return;
	if (cut_lines(&m.edits, accumulate->loc) && amend_set(&m, SEC_TRAIN, "batch",
	    arena_printf(m.arena, "%lld", (long long)batch), NULL))
		fix_amended(l, g, false, &m, arena_printf(m.arena,
		    "train at batch %lld, without accumulation", (long long)batch));
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module, *other;
	int64_t bytes = m->train && m->set.accumulate > 1 ? held(m) : 0;
	struct settings set = m->set;
	struct diag *g;

	if (!measure_is_hazard(m, bytes))
		return;
	set.batch /= set.accumulate;
	set.accumulate = 1;
	other = whatif(m, &set);
	if (!other || !measure_is_hazard(m, m->plan->arena_bytes - other->plan->arena_bytes))
		return;		/* one layer's gradient is most of them, and is made in any case */
	g = lint_report(l, rule, m->set.batch_loc, "gradients of %lld micro-batches add up in "
	    "buffers of their own: %s, "
	    "%s", (long long)m->set.accumulate, lint_human(m->arena, bytes),
	    measure_share(m, bytes));
	diag_fact(l->diags, g, "%s B, as much as the trained parameters, alive throughout; "
	    "whatever the batch", lint_commas(m->arena, bytes));
	measure_saving(l, g, other, "batch %lld without accumulation", (long long)set.batch);
	diag_help(l->diags, g, "sgd with momentum, without nesterov and clip, adds gradients onto "
	    "the momentum and needs no such buffers");
	fix(l, g, set.batch);
}

static bool
may_find(const struct module *m)
{
	return m->train && m->set.accumulate > 1 && measure_may_be_hazard(m, held(m));
}

const struct rule rule_accumulate_buffer = {
	.id = "SW110",
	.name = "accumulate-buffer",
	.family = FAMILY_MEMORY,
	.severity = SEV_WARNING,
	.brief = "accumulation over micro-batches keeps every gradient throughout",
	.doc = "accumulate saves activations, since a micro-batch is smaller; but the gradients "
	    "of all parameters must outlive each micro-batch: e P bytes for P parameters (in f32 "
	    "whatever the precision), where a step without accumulation uses each gradient and "
	    "drops it. In a network with few activations and many parameters accumulation costs "
	    "more than it saves.\n\n"
	    "Reported where these buffers are 256 MiB or more, and a quarter of the device "
	    "(without one, 1 GiB and half of the arena). The plan without accumulation, at the "
	    "same micro-batch, is made and told. Seen in accelerate #2035, where it was 10 GiB.",
	.check = check,
	.needs = NEEDS_PLAN,
	.may_find = may_find,
};
