/*
 * validation-peak: validation's batch, not training, decides how much memory the program takes.
 */
#include "rulekit/fix_edits.h"
#include "rulekit/measure.h"

#include "fit/whatif.h"
#include "plan/estimate.h"
#include "plan/plan.h"

#define WORTH_SHARE	8	/* of the arena that a smaller batch must save, */
#define WORTH_PART	4	/* and of a device that all of it fits in */

static struct loc
place_of(const struct module *m)
{
	return m->set.validate_data.loc.src ? m->set.validate_data.loc : m->loc;
}

/* The largest power of two below validation's batch at which training decides; or the last one. */
static struct module *
smaller(struct module *m, int64_t *batch)
{
	struct settings set = m->set;
	struct module *other = NULL;

	set.validate_fixed = true;
	for (*batch = 1; *batch * 2 < m->set.validate_batch; *batch *= 2)
		;
	for (; *batch >= 1; *batch /= 2) {
		set.validate_batch = *batch;
		other = whatif(m, &set);
		if (!other || other->plan->at[other->plan->peak].graph != other->validate ||
		    *batch == 1)
			break;
	}
	return other;
}

/* Does the device have room for it? What is no large part of a device matters to nobody; and a
 * program that is planned for speed takes what there is, so that fewest bytes say what it needs
 * only where that is too much. */
static bool
has_room(const struct module *m, int64_t saved)
{
	int64_t room = m->set.device.given ? m->set.device.memory : 0;

	if (m->set.objective_bytes && (!room || m->set.objective_bytes < room))
		room = m->set.objective_bytes;
	return room && m->plan->arena_bytes <= room &&
	    (objective_of(m, m->plan->target) == OBJECTIVE_SPEED || saved < room / WORTH_PART);
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module, *other;
	int64_t batch, saved;
	struct diag *g;

	if (!m->train || !m->validate || m->set.validate_batch < 2 ||
	    m->plan->arena_bytes < SMALLEST_HAZARD ||
	    m->plan->at[m->plan->peak].graph != m->validate)
		return;
	other = smaller(m, &batch);
	saved = other ? m->plan->arena_bytes - other->plan->arena_bytes : 0;
	if (saved < SMALLEST_HAZARD || saved < m->plan->arena_bytes / WORTH_SHARE || has_room(m, saved))
		return;
	g = lint_report(l, rule, place_of(m), "validation at batch %lld decides the memory of "
	    "'%s': %s, of which training at %lld needs "
	    "%s", (long long)m->set.validate_batch, m->name,
	    lint_human(m->arena, m->plan->arena_bytes), (long long)m->plan->batch,
	    lint_human(m->arena, other->plan->arena_bytes));
	diag_fact(l->diags, g, "grows with validation's batch alone; its results do not depend on "
	    "it");
	measure_saving(l, g, other, "validate { batch %lld }", (long long)batch);
	fix_setting(l, g, true, SEC_VALIDATE, "batch", arena_printf(m->arena, "%lld",
	    (long long)batch), NULL, arena_printf(m->arena, "validate at batch %lld",
	    (long long)batch));
}

static bool
may_find(const struct module *m)
{
	int64_t most;

	if (!m->train || !m->validate || m->set.validate_batch < 2)
		return false;
	most = plan_peak_of(m->plan, m->validate);	/* gaps do not make an arena twice as large */
	return most >= SMALLEST_HAZARD / 2 && most > measure_least_training(m);
}

const struct rule rule_validation_peak = {
	.id = "SW107",
	.name = "validation-peak",
	.family = FAMILY_MEMORY,
	.severity = SEV_WARNING,
	.brief = "validation's batch, not training, decides the memory",
	.doc = "Validation keeps nothing for backward, so it can take larger batches than "
	    "training; but one large enough needs more than all that training keeps. Its results "
	    "are the same at any batch, so that this memory buys nothing but a little time.\n\n"
	    "Reported where a smaller batch saves 256 MiB or more, and an eighth of the arena; of a device that has room for all of it "
	    "a quarter, and nothing where the program is planned for speed, as for a card by its name, which takes what there is. "
	    "The largest power of two at which training decides is planned and told. Seen as "
	    "160,000 pictures validated in one batch, 4.9 GiB (keras #14136).",
	.check = check,
	.needs = NEEDS_PLAN,
	.may_find = may_find,
};
