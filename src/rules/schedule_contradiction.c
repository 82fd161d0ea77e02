/*
 * schedule-contradiction: a learning rate schedule that training is too short for, or that does
 * nothing. Durations in epochs and in steps are compared where the samples are known; the language
 * itself refuses a warm-up longer than training in the same unit.
 */
#include "rulekit/fix_edits.h"

/* In steps; 0 where the spec does not say how many steps an epoch has. */
static double
steps(const struct settings *set, struct duration d)
{
	int64_t n = set->data.samples;

	return d.epochs ? d.count * (double)((n + set->batch - 1) / set->batch) : d.count;
}

/* Is A longer than B (or as long, with OR_EQUAL)? False where that is not known. */
static bool
longer(const struct settings *set, struct duration a, struct duration b, bool or_equal)
{
	double x = steps(set, a), y = steps(set, b);

	if (a.epochs == b.epochs)
		return a.count > b.count || (or_equal && a.count == b.count);
	return x > 0 && y > 0 && (x > y || (or_equal && x == y));
}

static const char *
text(const struct module *m, struct duration d)
{
	return arena_printf(m->arena, "%g %s", d.count, d.epochs ? "epochs" : "steps");
}

/* A schedule that does nothing can be removed; a warm-up does something. */
static void
fix(struct lint *l, struct diag *g)
{
	const struct setting *schedule;
	struct amend m;

	if (l->module->set.schedule.warmup.count == 0 && fix_amend(l, &m) &&
	    (schedule = amend_find(&m, SEC_TRAIN, "schedule")) &&
	    cut_lines(&m.edits, schedule->loc))
		fix_amended(l, g, true, &m, "leave the schedule out, which does nothing");
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	const struct settings *set = &m->set;
	const struct schedule *s = &set->schedule;
	struct loc at = set->optimizer_loc.src ? set->optimizer_loc : set->batch_loc;
	struct diag *g;

	if (!m->train)
		return;
	if (s->warmup.count > 0 && longer(set, s->warmup, set->length, false)) {
		g = lint_report(l, rule, at, "the warm-up of %s outlasts the training of "
		    "%s", text(m,
		    s->warmup), text(m, set->length));
		diag_fact(l->diags, g, "an epoch is %g steps; the learning rate comes to %.0f %% "
		    "of what the optimizer says", steps(set, (struct duration){ 1, true }),
		    100 * steps(set, set->length) / steps(set, s->warmup));
	}
	if (s->kind != SCHED_STEP)
		return;
	if (longer(set, s->pieces ? s->at[0] : s->every, set->length, true))
		fix(l, lint_report(l, rule, at, "the learning rate's first step, after %s, never "
		    "comes: training lasts %s", text(m, s->pieces ? s->at[0] : s->every), text(m, set->length)));
	if (s->gamma == 1)
		fix(l, lint_report(l, rule, at, "a step of gamma=1 leaves the learning rate as it "
		    "is"));
	else if (s->gamma == 0)
		lint_report(l, rule, at, "after its first step the learning rate is 0: gamma=0");
}

const struct rule rule_schedule_contradiction = {
	.id = "SW310",
	.name = "schedule-contradiction",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "a learning rate schedule that training is too short for",
	.doc = "A schedule written for another length of training: a first step after the last "
	    "epoch, a warm-up in steps of which there are fewer than that. The learning rate then "
	    "is not what the spec seems to say. Reported too: a gamma of 1, which does nothing, "
	    "and of 0, after which nothing is trained.\n\n"
	    "Epochs and steps are compared where the spec says how many samples there are: an "
	    "epoch is samples / batch steps, rounded up, whatever accumulate.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
