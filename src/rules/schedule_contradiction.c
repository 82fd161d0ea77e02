/*
 * schedule-contradiction: a learning rate schedule that training is too short for, or that does
 * nothing; patience that outlasts training, and averages that it cannot fill. Durations in epochs
 * and in steps are compared where the samples are known, by the spec or the files; the language
 * itself refuses a warm-up longer than training in the same unit.
 */
#include "rulekit/data_look.h"
#include "rulekit/edited_spec.h"
#include "rulekit/fix_edits.h"

#include <math.h>

#define FEW_STEPS	100	/* of a trial, which need not come to the highest rate, or fill averages */
#define MOST_OF_FIRST	0.3	/* of averages, that may be the weights which training began with */

/* In steps; 0 where nothing says how many steps an epoch has. */
static double
steps(const struct lint *l, struct duration d)
{
	const struct settings *set = &l->module->set;
	int64_t n = d.epochs ? data_samples(l, &set->data) : 0;

	return d.epochs ? d.count * (double)((n + set->batch - 1) / set->batch) : d.count;
}

/* Is A longer than B (or as long, with OR_EQUAL)? False where that is not known. */
static bool
longer(const struct lint *l, struct duration a, struct duration b, bool or_equal)
{
	double x, y;

	if (a.epochs == b.epochs)
		return a.count > b.count || (or_equal && a.count == b.count);
	x = steps(l, a);
	y = steps(l, b);
	return x > 0 && y > 0 && (x > y || (or_equal && x == y));
}

static const char *
text(const struct module *m, struct duration d)
{
	return arena_printf(m->arena, "%g %s%s", d.count, d.epochs ? "epoch" : "step", d.count == 1 ? "" : "s");
}

/*
 * A schedule that does nothing can be removed; a warm-up does something. That is safe where it
 * could do nothing in training of any length: what comes too late may be what was meant, and the
 * epochs the mistake.
 */
static void
fix(struct lint *l, struct diag *g, bool safe)
{
	const struct setting *schedule;
	struct amend m;

	if (l->module->set.schedule.warmup.count == 0 && fix_amend(l, &m) &&
	    (schedule = amend_find(&m, SEC_TRAIN, "schedule")) &&
	    cut_lines(&m.edits, schedule->loc))
		fix_amended(l, g, safe, &m, "leave the schedule out, which does nothing");
}

/* A rate that rises to the end of training, and never falls from what the optimizer says. */
static void
check_rise(const struct rule *rule, struct lint *l, struct loc at)
{
	const struct settings *set = &l->module->set;
	const struct schedule *s = &set->schedule;
	bool all = s->warmup.count > 0 && longer(l, s->warmup, set->length, true);
	double n = steps(l, set->length);
	struct diag *g;

	if (n > 0 && n < FEW_STEPS)
		return;
	if (all)
		g = lint_report(l, rule, at, "the warm-up of %s is all of the training", text(l->module, s->warmup));
	else if (s->kind == SCHED_ONECYCLE && s->rise == 1)
		g = lint_report(l, rule, at, "onecycle with rise=1 rises for all of the training");
	else
		return;
	diag_fact(l->diags, g, "the learning rate comes to what the optimizer says in the last step, and does not fall again");
	diag_help(l->diags, g, all ? "usual for a warm-up: a twentieth of training" : "usual: rise=0.3");
}

static void
check_warmup(const struct rule *rule, struct lint *l, struct loc at)
{
	const struct module *m = l->module;
	const struct settings *set = &m->set;
	const struct schedule *s = &set->schedule;
	struct diag *g;

	if (s->warmup.count == 0 || !longer(l, s->warmup, set->length, false)) {
		check_rise(rule, l, at);
		return;
	}
	g = lint_report(l, rule, at, "the warm-up of %s outlasts the training of %s", text(m, s->warmup),
	    text(m, set->length));
	diag_fact(l->diags, g, "an epoch is %g steps; the learning rate comes to %.0f %% of what the optimizer says",
	    steps(l, (struct duration){ 1, true }), 100 * steps(l, set->length) / steps(l, s->warmup));
}

static void
check_steps(const struct rule *rule, struct lint *l, struct loc at)
{
	const struct module *m = l->module;
	const struct schedule *s = &m->set.schedule;
	struct duration first = s->pieces ? s->at[0] : s->every;

	if (longer(l, first, m->set.length, true))
		fix(l, lint_report(l, rule, at, "the learning rate's first step, after %s, never comes: training lasts %s",
		    text(m, first), text(m, m->set.length)), false);
	if (s->gamma == 1)
		fix(l, lint_report(l, rule, at, "a step of gamma=1 leaves the learning rate as it is"), true);
	else if (s->gamma == 0)
		lint_report(l, rule, at, "after its first step the learning rate is 0: gamma=0");
}

/* So many epochs in a row without a lower loss: the first has the lowest of all before. */
static bool
never_waits(const struct settings *set, double patience)
{
	return set->length.epochs && patience >= set->length.count;
}

static void
check_patience(const struct rule *rule, struct lint *l, struct loc at)
{
	const struct settings *set = &l->module->set;
	const char *length = text(l->module, set->length);

	if (set->schedule.kind == SCHED_PLATEAU && never_waits(set, set->schedule.patience))
		fix(l, lint_report(l, rule, at, "plateau never lowers the learning rate: it waits for more than %g epochs "
		    "without a lower loss, and training lasts %s", set->schedule.patience, length), false);
	if (set->patience && never_waits(set, (double)set->patience))
		lint_report(l, rule, edited_setting(l, SEC_TRAIN, "patience", at), "patience never ends training: it waits for "
		    "%lld epochs without a lower loss, and training lasts %s", (long long)set->patience, length);
}

/* Averages begin as the weights do, at random, and keep a share of that in each update. */
static void
check_average(const struct rule *rule, struct lint *l)
{
	const struct settings *set = &l->module->set;
	double updates = steps(l, set->length), first = pow(set->ema, updates);
	struct diag *g;

	if (set->ema == 0 || updates < FEW_STEPS || first < MOST_OF_FIRST)
		return;
	g = lint_report(l, rule, set->ema_loc, "training of %s is too short for ema %g: of its averages %.0f %% are the weights that "
	    "training began with", text(l->module, set->length), set->ema, 100 * first);
	diag_fact(l->diags, g, "each update keeps %g of them, and %g ^ %.0f is %.2f; validation and --predict use them", set->ema,
	    set->ema, updates, first);
	diag_help(l->diags, g, "ema %.2g goes back about a tenth of training", 1 - 10 / updates);
}

static bool
falls_to_floor(const struct schedule *s)
{
	return s->kind == SCHED_COSINE || s->kind == SCHED_LINEAR || s->kind == SCHED_POLYNOMIAL;
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	const struct settings *set = &m->set;
	struct loc at;

	if (!m->train)
		return;
	at = edited_setting(l, SEC_TRAIN, "schedule", set->optimizer_loc.src ? set->optimizer_loc : set->batch_loc);
	check_warmup(rule, l, at);
	if (set->schedule.kind == SCHED_STEP)
		check_steps(rule, l, at);
	if (falls_to_floor(&set->schedule) && set->schedule.floor == 1)
		fix(l, lint_report(l, rule, at, "floor=1 leaves the learning rate as it is: floor is the share of it that is "
		    "left at the end"), true);
	check_patience(rule, l, at);
	check_average(rule, l);
}

const struct rule rule_schedule_contradiction = {
	.id = "SW310",
	.name = "schedule-contradiction",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "a learning rate schedule that training is too short for",
	.doc = "A schedule written for another length of training: a first step after the last "
	    "epoch, a warm-up in steps of which there are fewer than that, or as many; onecycle with rise=1. The learning rate then "
	    "is not what the spec seems to say. Reported too: a gamma or a floor of 1, which does nothing, "
	    "a gamma of 0, after which nothing is trained, and patience, of plateau or of training, for as many epochs "
	    "as there are; and, in 100 updates or more, ema that leaves averages at 30 % or more of the weights that training began with, being share ^ updates: "
	    "0.9999 is for a hundred thousand updates, and of 400 it keeps 96 %.\n\n"
	    "Epochs and steps are compared where the spec or the files say how many samples there are: an "
	    "epoch is samples / batch steps, rounded up, whatever accumulate.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
