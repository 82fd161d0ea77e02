/*
 * recompute-in-vain: layers that the spec recomputes in backward although the peak is no lower for
 * it. The plan without those names is made and compared.
 */
#include "rulekit/measure.h"

#include "fit/whatif.h"

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module, *other;
	const struct plan *p = m->plan, *q;
	struct settings set = m->set;
	struct diag *g;

	if (!m->train || m->set.recompute != RECOMPUTE_PATTERN)
		return;
	set.recompute = RECOMPUTE_CHEAP;
	other = whatif(m, &set);
	q = other ? other->plan : NULL;
	if (!q || q->arena_bytes > p->arena_bytes)
		return;
	g = lint_report(l, rule, m->set.recompute_loc, "recompute of the layers named saves "
	    "nothing: %s with it, %s without", lint_human(m->arena, p->arena_bytes),
	    lint_human(m->arena, q->arena_bytes));
	if (p->recomputed.macs > q->recomputed.macs)
		diag_fact(l->diags, g, "each micro-batch does %.1f %% more multiply-adds for it",
		    100 * (double)(p->recomputed.macs - q->recomputed.macs) /
		    (double)(p->step_macs ? p->step_macs : 1));
	else if (p->recomputed.nodes == 0)
		diag_fact(l->diags, g, "no layer runs again: what goes into a layer named, and "
		    "what comes out of it, is kept, and there is nothing between");
	diag_fact(l->diags, g, "the peak of %s B is at %s, %s",
	    lint_commas(m->arena, p->at[p->peak].live),
	    p->at[p->peak].node->path, loc_shown(m->arena, p->at[p->peak].node->loc, m->src));
	if (q->arena_bytes < p->arena_bytes)
		measure_saving(l, g, other, "the default, without the setting,");
	diag_help(l->diags, g, "name whole blocks, inside of which most is made, or recompute "
	    "auto, which takes what helps");
}

const struct rule rule_recompute_in_vain = {
	.id = "SW115",
	.name = "recompute-in-vain",
	.family = FAMILY_MEMORY,
	.severity = SEV_WARNING,
	.brief = "layers named for recomputation do not lower the peak",
	.doc = "recompute with names drops what those layers made and makes it again in backward, "
	    "at the price of their multiply-adds. What goes into them and comes out is kept: only "
	    "what lies between and is alive at the peak is saved. A layer by itself has nothing "
	    "between; the last ones are made again at once; and if the peak is elsewhere (in the "
	    "update, in validation) nothing is gained at all.\n\n"
	    "Reported where the default, which makes again only element-wise work, needs no more "
	    "than the layers named; both are planned. Name whole blocks or stages; recompute auto "
	    "chooses for a budget in bytes. Seen in pytorch #78731, single layers wrapped one by "
	    "one, pytorch #6750, where it took more, and jax #19822.",
	.check = check,
	.needs = NEEDS_SKETCH,
};
