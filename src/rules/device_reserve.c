/*
 * device-reserve: a plan that fits what CUDA reports of the card's memory, but not what is left for
 * programs beside the CUDA context and the libraries' code. Only for cards given by name: memory
 * that the spec states itself is taken as what a program can have.
 */
#include "lint/rule.h"

#include "target/target.h"
#include "fit/largest.h"
#include "plan/plan.h"

static void
tell_reserve(struct lint *l, struct diag *g)
{
	const struct module *m = l->module;
	const struct reserve *r;

	for (r = m->plan->target->reserve; r && r->what; r++) {
		int64_t bytes = reserve_bytes(r, module_ranks(m), &m->set.device, m->set.device.memory);

		if (bytes)
			diag_fact(l->diags, g, "%s: about %s", r->what,
			    lint_human(m->arena, bytes));
	}
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	const struct device *d = &m->set.device;
	int64_t need = m->plan->arena_bytes, left;
	struct largest most;
	struct diag *g;

	if (!d->given || !device_is_listed(d, d->memory) || need > d->memory)	/* that is oom's */
		return;
	left = target_memory(m->plan->target, module_ranks(m), d);
	if (need <= left)
		return;
	g = lint_report(l, rule, d->loc.src ? d->loc : m->loc, "network '%s' fits the %s of %s, "
	    "but not what is left of it: it needs %s, and about %s are free", m->name,
	    lint_human(m->arena, d->memory), d->name, lint_human(m->arena, need),
	    lint_human(m->arena, left));
	diag_fact(l->diags, g, "%s B of %s B: %s B too many (an estimate)",
	    lint_commas(m->arena, need), lint_commas(m->arena, left),
	    lint_commas(m->arena, need - left));
	tell_reserve(l, g);
	largest_batch(m, left, &most);
	if (most.batch > 0 && m->train)
		diag_help(l->diags, g, "batch %lld needs %s, %s less",
		    (long long)(most.batch * settings_shares(&m->set)),
		    lint_human(m->arena, most.at.arena),
		    lint_human(m->arena, need - most.at.arena));
	diag_help(l->diags, g, "does the driver report more? Write what is free as memory in the "
	    "device block");
}

const struct rule rule_device_reserve = {
	.id = "SW113",
	.name = "device-reserve",
	.family = FAMILY_MEMORY,
	.severity = SEV_WARNING,
	.brief = "the plan fits the card, but not beside the driver and the CUDA context",
	.doc = "A card's memory is not all for programs: the driver keeps a part, the context of "
	    "each process takes 100 to 550 MiB since CUDA 11.7, the more the larger the card (over "
	    "1 GB before that, when every kernel was loaded at once), and kernels and libraries "
	    "are code that lies there too. A plan that is just below the size on the box dies "
	    "before its first step.\n\n"
	    "Reported for cards by name, where the arena is below the card's memory and above what "
	    "these leave; each is named, and they are estimates. The largest batch within the rest "
	    "is planned. stowage fit counts them as well, and --reserve says others. Where the "
	    "device block says memory itself, that is taken for what is free, and nothing is "
	    "reported. Seen in pytorch #28394, a context of a gigabyte, and #107667.",
	.check = check,
	.needs = NEEDS_SKETCH,
};
