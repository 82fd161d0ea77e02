/*
 * f64-precision: training in f64 where f32 would do. What that takes is planned: the network's
 * tensors are made f32 for as long as it takes, and then put back.
 */
#include "rulekit/fix_edits.h"
#include "rulekit/measure.h"

#include "fit/whatif.h"

struct widened {
	struct arena *arena;
	const struct dtype *from, *to;
	VEC(struct tensor *) tensor;
};

static void
narrow(struct widened *w, struct tensor *t)
{
	if (!t || t->dtype != w->from)
		return;
	t->dtype = w->to;
	vec_push(w->arena, &w->tensor, t);
}

static struct module *
in_precision(struct module *m, const struct precision *p)
{
	struct widened w = { m->arena, m->set.precision->element, p->element, { NULL, 0, 0 } };
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
	set.precision = p;
	other = whatif(m, &set);
	for (i = 0; i < w.tensor.n; i++)
		w.tensor.v[i]->dtype = w.from;
	return other;
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module, *other;
	const struct precision *now = m->set.precision, *then = now->serves;
	struct arena *a = m->arena;
	struct diag *g;
	int64_t saved;

	if (!then || m->plan->arena_bytes < SMALLEST_HAZARD)
		return;
	other = in_precision(m, then);
	saved = other ? m->plan->arena_bytes - other->plan->arena_bytes : 0;
	if (saved < SMALLEST_HAZARD)
		return;
	g = lint_report(l, rule, m->set.precision_loc, "'%s' is trained in %s, which takes %s "
	    "where %s takes %s", m->name, now->name, lint_human(a, m->plan->arena_bytes),
	    then->name, lint_human(a, other->plan->arena_bytes));
	diag_fact(l->diags, g, "%d B a number: inputs, parameters, state and activations alike; and "
	    "most GPUs do %s at a thirty-second of the speed of %s or less", now->element->bytes,
	    now->name, then->name);
	measure_saving(l, g, other, arena_printf(a, "precision %s", then->name));
	fix_setting(l, g, false, SEC_TRAIN, "precision", then->name, NULL,
	    arena_printf(a, "train in %s", then->name));
}

static bool
may_find(const struct module *m)
{
	return m->set.precision->serves != NULL;
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
