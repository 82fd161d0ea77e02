/*
 * clip-gradients: clipping by the norm of all gradients keeps every one of them until the last is
 * made. What the step takes without it is planned, if what waits is enough to speak of: no more is
 * saved but by a better search.
 */
#include "rulekit/edited_spec.h"
#include "rulekit/measure.h"

#include "fit/whatif.h"

/* Gradients of parameters that are alive when the norm is taken: where the first update waits. */
static int64_t
waiting(const struct module *m)
{
	const struct plan *p = m->plan;
	int64_t sum = 0;
	int at, i;

	for (at = 0; at < p->instants && p->at[at].node->phase != PHASE_UPDATE; at++)
		;
	for (i = 0; i < p->buffers.n; i++) {
		const struct buffer *b = &p->buffers.v[i];

		if (b->root->kind == T_GRADIENT && b->first <= at && at <= b->last)
			sum += b->bytes;
	}
	return sum;
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module, *other;
	struct settings set = m->set;
	int64_t saved;
	struct diag *g;

	if (!m->train || m->set.clip <= 0 || !measure_is_hazard(m, waiting(m)))
		return;
	set.clip = 0;
	other = whatif(m, &set);
	saved = other ? m->plan->arena_bytes - other->plan->arena_bytes : 0;
	if (!measure_is_hazard(m, saved))
		return;
	g = lint_report(l, rule, edited_setting(l, SEC_TRAIN, "clip", m->set.batch_loc), "clip %g "
	    "keeps all gradients until the last is there: %s more, %s", m->set.clip,
	    lint_human(m->arena, saved), measure_share(m, saved));
	diag_fact(l->diags, g, "the norm is that of %s B of gradients together; without it each is "
	    "used when it is made, and dropped; grows with the parameters, whatever the batch",
	    lint_commas(m->arena, waiting(m)));
	measure_saving(l, g, other, "training without clip");
}

const struct rule rule_clip_gradients = {
	.id = "SW114",
	.name = "clip-gradients",
	.family = FAMILY_MEMORY,
	.severity = SEV_WARNING,
	.brief = "clipping keeps every gradient until the last is made",
	.doc = "clip scales all gradients by the norm of them together, which is known when the "
	    "last one is: so e P bytes of gradients for P parameters wait for it. Without clip a "
	    "parameter is updated as soon as its gradient is there, which is then dropped, or "
	    "never made at all (sgd with momentum adds it straight onto its state).\n\n"
	    "Reported where the plan without clip takes 256 MiB less or more, and a quarter of "
	    "the device (without one, 1 GiB and half of the arena). Cures: a warm-up or a lower "
	    "learning rate in place of clip; freezing what is trained already. The same trade "
	    "keeps frameworks from joining update and backward, and made LOMO (Lv and others, "
	    "2023, arXiv 2306.09782) clip by a second pass of backward.",
	.check = check,
	.needs = NEEDS_SKETCH,
};
