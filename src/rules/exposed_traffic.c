/*
 * exposed-traffic: what ranks send one another takes longer than their own work can hide, over the
 * fastest link that the card has.
 */
#include "lint/rule.h"

#include "plan/estimate.h"
#include "plan/plan.h"
#include "target/gpu.h"

#define SHARE	5	/* of a rank's own work, one part of so many */

static const struct gpu_arch *
arch_of(const struct module *m)
{
	const struct gpu *card = card_named(m);
	const struct gpu_arch *arch = card ? gpu_arch_find(card->arch) : NULL;

	return arch && arch->link ? arch : NULL;
}

static bool
may_find(const struct module *sketch)
{
	return module_ranks(sketch) > 1 && module_stages(sketch) == 1 && !module_splits(sketch) && arch_of(sketch);
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	const struct gpu_arch *arch;
	struct overlap o;
	struct diag *g;
	double more;

	if (!may_find(m))
		return;
	arch = arch_of(m);
	o = plan_overlap(m, arch->link);
	more = o.sent - o.hidden;
	if (o.sent <= 0 || SHARE * more <= o.alone)
		return;
	g = lint_report(l, rule, m->loc, "ranks wait for one another %.3g of %.3g ms of an update: what they send is more than "
	    "their own work hides", more / 1e6, o.step / 1e6);
	diag_fact(l->diags, g, "each sends %s, which takes %.3g ms at %d GB/s, the fastest link that %s has (an estimate); its own "
	    "work takes %.3g ms", lint_human(l->diags->arena, plan_sent(m, m->plan)), o.sent / 1e6, arch->link,
	    card_named(m)->name, o.alone / 1e6);
	diag_help(l->diags, g, "more samples an update: gradients are as many bytes whatever the batch is, and with accumulate they "
	    "are sent once for all micro-batches%s", settings_share_out(&m->set, SHARD_GRADIENTS) ? ", if shard optimizer "
	    "is enough" : "");
	if (m->set.precision->element->bytes > 2)
		diag_help(l->diags, g, "precision bf16 sends half as many bytes");
	diag_help(l->diags, g, "stowage plan --link says what another link hides");
}

const struct rule rule_exposed_traffic = {
	.id = "SW141",
	.name = "exposed-traffic",
	.family = FAMILY_MEMORY,
	.severity = SEV_WARNING,
	.brief = "what ranks send takes longer than their own work can hide",
	.doc = "Of S bytes of gradients each of N ranks sends 2 (N - 1) / N S in an update, whatever its batch is. That goes on beside "
	    "backward, from when a layer's gradients are there, and hides behind it where backward takes as long; with few samples "
	    "on each rank it does not, and more ranks are hardly faster than one. With shard parameters weights are sent as "
	    "well, before forward and before backward.\n\n"
	    "Reported for a card by name, where ranks would wait longer than a fifth of what their own work takes at least, over the "
	    "fastest link that such cards are sold with: NVLink, where they have it, else 16 lanes of PCI Express. A slower "
	    "one hides less: stowage plan --link tells. Both are estimates, and latencies are left out.\n\n"
	    "Cures: more samples an update, by a larger batch or by accumulate, which sends once for all micro-batches; 16 bits; "
	    "shard optimizer in place of parameters; fewer ranks. Goyal and others, 2017, and Li and others, PyTorch Distributed, "
	    "2020, have what hides, and what does not.",
	.check = check,
	.needs = NEEDS_PLAN,
	.may_find = may_find,
};
