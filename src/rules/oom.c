/*
 * oom: the plan needs more memory than the device has. Says what is alive at the peak, the largest
 * batch that fits, and which edits would make it fit.
 */
#include "rulekit/fix_edits.h"

#include <math.h>

#include "base/text.h"
#include "target/target.h"
#include "fit/advice.h"
#include "fit/whatif.h"
#include "passes/passes.h"
#include "ir/op.h"
#include "plan/summary.h"

#define LINES_NAMED	5

/* ---- what is alive at the peak ---- */

static void
tell_persistent(struct lint *l, struct diag *g, const struct plan_summary *s)
{
	struct module *m = l->module;
	struct text t;
	int k, n = 0;

	text_init(&t, m->arena);
	for (k = 0; k < TENSOR_KINDS; k++)
		if (s->persistent[k])
			text_printf(&t, "%s%s %s", n++ ? ", " : "", plan_kind_heading(k),
			    lint_human(m->arena, s->persistent[k]));
	if (n)
		diag_fact(l->diags, g, "persistent: %s", t.s);
}

static void
tell_peak(struct lint *l, struct diag *g, const struct plan_summary *s)
{
	struct module *m = l->module;
	const struct instant *at = &m->plan->at[m->plan->peak];
	int64_t rest = 0;
	int i;

	diag_fact(l->diags, g, "the peak is in %s of %s, %s: %s B alive", plan_phase_name(at),
	    at->node->path, loc_shown(m->arena, at->node->loc, m->src), lint_commas(m->arena, at->live));
	tell_persistent(l, g, s);
	for (i = 0; i < s->lines.n && i < LINES_NAMED; i++) {
		const struct line_bytes *b = &s->lines.v[i];

		diag_fact(l->diags, g, "%s: %s (%s B) in %d buffer%s, the largest %s %s",
		    loc_shown(m->arena, b->loc, m->src), lint_human(m->arena, b->bytes),
		    lint_commas(m->arena, b->bytes), b->buffers, b->buffers == 1 ? "" : "s",
		    tensor_kind_name(b->largest->root->kind), b->largest->root->name);
	}
	for (; i < s->lines.n; i++)
		rest += s->lines.v[i].bytes;
	if (rest)
		diag_fact(l->diags, g, "%d more %s%s: %s", s->lines.n - LINES_NAMED,
		    m->src->origins ? "place" : "line", s->lines.n - LINES_NAMED == 1 ? "" : "s", lint_human(m->arena, rest));
}

/* ---- what would help ---- */

/* Not one sample fits: how much smaller must pictures be? The only cure here that is estimated. */
static void
advise_smaller_inputs(struct lint *l, struct diag *g)
{
	struct module *m = l->module;
	const struct graph *graph = m->train ? m->train : m->validate;
	int64_t kept = m->plan->persistent_bytes, room = m->set.device.memory - kept;
	int64_t one = whatif_batch(m, 1);
	bool picture = false;
	int i;

	if (room <= 0) {
		diag_help(l->diags, g, "what is alive throughout already takes %s: only a smaller "
		    "network or less optimizer state can fit", lint_human(m->arena, kept));
		return;
	}
	for (i = 0; i < graph->inputs.n; i++)
		picture |= graph->inputs.v[i]->kind == T_INPUT && graph->inputs.v[i]->rank == 3;
	if (picture && one > kept && one < INT64_MAX)
		diag_help(l->diags, g, "inputs scaled to %d %% of their height and width would let "
		    "one sample fit (an estimate: activations grow with the area)",
		    (int)(100 * sqrt((double)room / (double)(one - kept))));
}

/* Returns it. */
static int64_t
advise_batch(struct lint *l, struct diag *g)
{
	struct module *m = l->module;
	struct largest most;

	if (!passes_afford(m)) {
		diag_help(l->diags, g, "stowage fit finds the largest batch that fits: the network "
		    "is too large to look for it here");
		return 0;
	}
	largest_batch(m, m->set.device.memory, &most);
	if (most.batch == 0) {
		if (most.fixed)
			diag_fact(l->diags, g, "not even one sample fits: parameters and what belongs to "
			    "them alone take %s B", lint_commas(m->arena, most.next.bound));
		else
			diag_fact(l->diags, g, "not even one sample %s: that needs %s B", most.searched ? "was found to fit" : "fits",
			    lint_commas(m->arena, most.next.arena));
		advise_smaller_inputs(l, g);
		return 0;
	}
	if (most.searched)
		diag_fact(l->diags, g, "the largest batch that was found to fit is %lld (%s B)", (long long)most.batch,
		    lint_commas(m->arena, most.at.arena));
	else
		diag_fact(l->diags, g, "the largest batch that fits is %lld (%s B); %lld needs %s B", (long long)most.batch,
		    lint_commas(m->arena, most.at.arena), (long long)most.next_batch, lint_commas(m->arena, most.next.arena));
	if (m->train)
		diag_help(l->diags, g, "batch %lld%s needs %s, %s less",
		    (long long)(most.batch * settings_shares(&m->set)),
		    settings_shares(&m->set) > 1 ? arena_printf(m->arena, " (micro-batches of %lld)",
		    (long long)most.batch) : "", lint_human(m->arena, most.at.arena),
		    lint_human(m->arena, m->plan->arena_bytes - most.at.arena));
	return most.batch;
}

/* The plan with K micro-batches of the same update, where it fits the device; or NULL. */
static struct module *
accumulating(struct module *m, int64_t k)
{
	struct settings set = m->set;
	struct module *other;

	set.accumulate = k;
	if (set.parts)
		set.parts = k * settings_ranks(&set);
	whatif_micro_batch(&set, settings_micro_batch(&set));
	other = whatif(m, &set);
	return other && other->plan->arena_bytes <= set.device.memory ? other : NULL;
}

/* SETTING of that value makes K micro-batches on a rank, whose plan OTHER fits. */
static void
tell_accumulating(struct lint *l, struct diag *g, const char *setting, int64_t value, int64_t k, const struct module *other)
{
	struct module *m = l->module;
	const char *edit = arena_printf(m->arena, "%s %lld", setting, (long long)value);

	diag_help(l->diags, g, "%s makes the same update of %lld samples from micro-batches of %lld: needs %s, %s less", edit,
	    (long long)m->set.batch, (long long)(settings_rank_batch(&m->set) / k),
	    lint_human(m->arena, other->plan->arena_bytes),
	    lint_human(m->arena, m->plan->arena_bytes - other->plan->arena_bytes));
	fix_setting(l, g, false, SEC_TRAIN, setting, arena_printf(m->arena, "%lld", (long long)value), "batch", edit);
}

/* The fewest parts of the batch that fit (deterministic, which takes no accumulate): more of them
 * have more sums that wait, and so may take more again. */
static void
advise_parts(struct lint *l, struct diag *g)
{
	struct module *m = l->module, *other;
	int64_t ranks = settings_ranks(&m->set), parts;

	for (parts = 2 * m->set.parts; parts <= MOST_BATCH_PARTS && m->set.batch % parts == 0; parts *= 2)
		if ((other = accumulating(m, parts / ranks))) {
			tell_accumulating(l, g, "deterministic", parts, parts / ranks, other);
			return;
		}
}

/* The fewest micro-batches that make the same update and fit: since smaller ones take less, by
 * halving the list of those possible. */
static void
advise_accumulate(struct lint *l, struct diag *g)
{
	struct module *m = l->module, *best = NULL, *other;
	int lo = 0, hi, mid;
	int64_t *k = divisors_above(m->arena, settings_rank_batch(&m->set), m->set.accumulate,
	    &hi);

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if ((other = accumulating(m, k[mid]))) {
			best = other;
			hi = mid;
		} else
			lo = mid + 1;
	}
	if (best)
		tell_accumulating(l, g, "accumulate", k[lo], k[lo], best);
}

/* Validation is the only thing that does not fit: its own batch is the cure. */
static void
advise_validation(struct lint *l, struct diag *g)
{
	struct module *m = l->module, *other;
	struct settings set = m->set;

	if (!m->train || !m->validate || m->plan->at[m->plan->peak].graph != m->validate)
		return;
	while (set.validate_batch > 1) {
		set.validate_batch /= 2;
		other = whatif(m, &set);
		if (!other || other->plan->arena_bytes > set.device.memory)
			continue;
		diag_help(l->diags, g, "validate { batch %lld } needs %s, %s less",
		    (long long)set.validate_batch, lint_human(m->arena, other->plan->arena_bytes),
		    lint_human(m->arena, m->plan->arena_bytes - other->plan->arena_bytes));
		return;
	}
}

static void
advise_optimizer(struct lint *l, struct diag *g, const struct plan_summary *s)
{
	struct module *m = l->module;
	int64_t state = s->persistent[T_OPTIMIZER];

	if (state)
		diag_help(l->diags, g, "%s keeps %s of state; an optimizer without state would "
		    "need %s%s", m->set.optimizer->name, lint_human(m->arena, state),
		    lint_human(m->arena, m->plan->arena_bytes - state),
		    m->plan->arena_bytes - state <= m->set.device.memory ? " and fit" : "");
}

static struct loc
place_of(const struct module *m)
{
	if (m->set.device.loc.src)
		return m->set.device.loc;
	return m->set.batch_loc.src ? m->set.batch_loc : m->loc;
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	const struct device *d = &m->set.device;
	const struct plan_summary *s;
	struct diag *g;
	int64_t most, shares = settings_shares(&m->set);

	if (!d->given || d->memory <= 0 || m->plan->arena_bytes <= d->memory)
		return;
	s = plan_summarise(m);
	g = lint_report(l, rule, place_of(m), "network '%s' does not fit: it needs %s at %s%lld, "
	    "and the device%s%s has %s", m->name, lint_human(m->arena, m->plan->arena_bytes),
	    m->train && shares > 1 ? "micro-batch " : "batch ",
	    (long long)(m->train ? m->plan->batch : m->plan->validate_batch),
	    d->name ? " " : "", d->name ? d->name : "", lint_human(m->arena, d->memory));
	diag_fact(l->diags, g, "%s B of %s B on target %s: %s B too many",
	    lint_commas(m->arena, m->plan->arena_bytes), lint_commas(m->arena, d->memory),
	    m->plan->target->name, lint_commas(m->arena, m->plan->arena_bytes - d->memory));
	tell_peak(l, g, s);
	if (m->stage) {
		diag_fact(l->diags, g, "that is rank %lld, of the %lld that layers are placed on: the one with the largest plan",
		    (long long)m->set.stage, (long long)module_stages(m));
		diag_help(l->diags, g, "smaller micro-batches (accumulate), or layers placed otherwise: plan says what each rank takes");
		return;
	}
	most = advise_batch(l, g);
	if (m->train && m->set.parts)
		advise_parts(l, g);
	else if (m->train)
		advise_accumulate(l, g);
	if (m->train && most)	/* where no number of micro-batches is a cure */
		fix_setting(l, g, false, SEC_TRAIN, "batch", arena_printf(m->arena, "%lld",
		    (long long)(most * shares)), NULL, arena_printf(m->arena, "train at batch %lld",
		    (long long)(most * shares)));
	advise_validation(l, g);
	advise_optimizer(l, g, s);
}

static bool
may_find(const struct module *m)
{
	const struct device *d = &m->set.device;

	return d->given && d->memory > 0 && m->plan->arena_bytes > d->memory;
}

const struct rule rule_oom = {
	.id = "SW100",
	.name = "oom",
	.family = FAMILY_MEMORY,
	.severity = SEV_ERROR,
	.brief = "the network needs more memory than its device has",
	.doc = "The planned arena, every byte that training and validation use, is larger than the "
	    "memory of the device block. The finding says how much is missing, what is alive at "
	    "the peak by line of the spec, and the largest micro-batch that fits; that number is "
	    "proven, since it and its successor are both planned.\n\n"
	    "Batches, accumulation and validation batches are planned before they are advised; "
	    "accumulation makes the same update from several micro-batches, at the price of one "
	    "persistent gradient for each parameter. What an optimizer without state would save is "
	    "read from the plan.\n\n"
	    "A device's driver and libraries take some of its memory before any program runs "
	    "(100 to 550 MiB for CUDA's context): write what is left as memory in the device block "
	    "to account for it. Without a device block there is no such finding.\n\n"
	    "stowage emit and stowage build refuse such a network unless --force is given.",
	.check = check,
	.needs = NEEDS_PLAN,
	.may_find = may_find,
	.also_forecast = true,
};
