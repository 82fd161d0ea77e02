/*
 * f64-precision: training in f64 where f32 would do. What f32 takes is planned: the network's
 * tensors are made f32 for as long as that takes, and then put back.
 */
#include "lint/fix_edits.h"
#include "lint/measure.h"

#include "fit/whatif.h"

struct widened {
	struct arena *arena;
	VEC(struct tensor *) tensor;
};

static void
narrow(struct widened *w, struct tensor *t)
{
	if (!t || t->dtype != DT_F64)
		return;
	t->dtype = DT_F32;
	vec_push(w->arena, &w->tensor, t);
}

static struct module *
in_f32(struct module *m)
{
	struct widened w = { m->arena, { NULL, 0, 0 } };
	struct settings set = m->set;
	const struct graph *g = m->forward;
	struct module *other;
	int i, j;

	for (i = 0; i < g->inputs.n; i++)
		narrow(&w, g->inputs.v[i]);
	for (i = 0; i < m->persistent.n; i++)
		narrow(&w, m->persistent.v[i]);
	for (i = 0; i < g->nodes.n; i++)
		for (j = 0; j < g->nodes.v[i]->nout; j++)
			narrow(&w, g->nodes.v[i]->out[j]);
	set.precision = PREC_F32;
	other = whatif(m, &set);
	for (i = 0; i < w.tensor.n; i++)
		w.tensor.v[i]->dtype = DT_F64;
	return other;
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module, *other;
	struct diag *g;
	int64_t saved;

	if (m->set.precision != PREC_F64 || m->plan->arena_bytes < SMALLEST_HAZARD)
		return;
	other = in_f32(m);
	saved = other ? m->plan->arena_bytes - other->plan->arena_bytes : 0;
	if (saved < SMALLEST_HAZARD)
		return;
	g = lint_report(l, rule, m->set.precision_loc, "'%s' is trained in f64, which takes %s "
	    "where f32 takes %s", m->name, lint_human(m->arena, m->plan->arena_bytes),
	    lint_human(m->arena, other->plan->arena_bytes));
	diag_fact(l->diags, g, "8 B a number: inputs, parameters, state and activations alike; and "
	    "most GPUs do f64 at a thirty-second of the speed of f32 or less");
	measure_saving(l, g, other, "precision f32");
	fix_setting(l, g, false, SEC_TRAIN, "precision", "f32", NULL, "train in f32");
}

static bool
may_find(const struct module *m)
{
	return m->set.precision == PREC_F64;
}

const struct rule rule_f64_precision = {
	.id = "SW108",
	.name = "f64-precision",
	.family = FAMILY_MEMORY,
	.severity = SEV_WARNING,
	.brief = "training in f64 where f32 would serve",
	.doc = "f64 takes twice the bytes of f32 for everything. Gradients of mini-batches are "
	    "noisy far above f32's last digit, so that the further digits are lost in any case; "
	    "f64 is for checking gradients. It often comes in unasked, with data made in double "
	    "precision.\n\n"
	    "Reported where f32 saves 256 MiB or more, planned. Cure: precision f32, or leave the "
	    "setting out. Seen as pictures [160000, 64, 64] in double, 4.9 GiB (keras #14136).",
	.check = check,
	.needs = NEEDS_PLAN,
	.may_find = may_find,
};
