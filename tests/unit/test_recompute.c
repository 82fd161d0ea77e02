/*
 * Recompute. A trial must foresee exactly what the passes then find: random choices on real
 * networks are tried, applied, planned and verified, and the peaks compared. Budgets are kept.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/chance.h"
#include "extended.h"
#include "recomputed.h"
#include "schedule/recompute_impl.h"

static struct diags *last_diags;	/* of planned() */

TestSuite(recompute, .init = setup, .fini = teardown);

/* The largest sum of transient bytes alive at an instant of train. */
static int64_t
planned_peak(struct module *m)
{
	const struct plan *p;
	int64_t persistent = 0, mask, peak = 0;
	int i;

	cr_assert(passes_finish(m, &options, "recompute"), "%s", diags.all.n ?
	    diags.all.v[diags.all.n - 1]->message : "");
	p = m->plan;
	mask = p->alignment - 1;
	for (i = 0; i < p->buffers.n; i++)
		if (p->buffers.v[i].persistent)
			persistent += (p->buffers.v[i].bytes + mask) & ~mask;
	for (i = 0; i < p->instants; i++)
		if (p->at[i].graph == m->train && p->at[i].live - persistent > peak)
			peak = p->at[i].live - persistent;
	return peak;
}

/* Of ten tensors, so many are made again. */
static void
choose(struct model *m, uint64_t seed, int share)
{
	int i;

	for (i = 0; i < m->nvalues; i++)
		if (!m->value[i].fixed && chance_below(&seed, 10) < share)
			m->state[i] = chance_below(&seed, 2) ? AGAIN : EACH;
		else if (!m->value[i].fixed && chance_below(&seed, 3) == 0)
			m->state[i] = KEEP;
}

static void
foresees(const char *name)
{
	unsigned seed;

	for (seed = 0; seed < 24; seed++) {
		struct module *m = network(name);
		struct model *model = step_model(arena, m->train, &options, STEP_REPEATS);

		choose(model, seed, (int)(seed % 8));
		if (!step_try(model))
			continue;
		recompute_apply(model, m->train, NULL);
		cr_assert_eq(planned_peak(m), model->trial->peak, "%s, seed %u: %lld planned, "
		    "%lld foreseen", name, seed, (long long)planned_peak(m),
		    (long long)model->trial->peak);
	}
}

Test(recompute, trials_foresee_resnet18)
{
	foresees("resnet18.nn");
}

Test(recompute, trials_foresee_unet)
{
	foresees("unet.nn");
}

Test(recompute, trials_foresee_vgg16)
{
	foresees("vgg16.nn");
}

Test(recompute, trials_foresee_digits)
{
	foresees("digits.nn");
}

/* Summed over events, what is alive above an aim. */
static double
above(const struct trial *t, int64_t aim)
{
	double sum = 0;
	int i;

	for (i = 0; i < t->nevents; i++)
		sum += t->live[i] > aim ? (double)(t->live[i] - aim) : 0;
	return sum;
}

/* Whether a list is above an aim is told without a trial: never of one that is not, and of most
 * that are. */
static void
tells_what_is_above(const char *name)
{
	struct module *m = network(name);
	struct model *model = step_model(arena, m->train, &options, STEP_REPEATS);
	struct steps list = steps_new(model), less = steps_new(model);
	unsigned seed, told = 0, tried = 0;
	int i;

	for (seed = 0; seed < 24; seed++) {
		choose(model, seed, (int)(seed % 8));
		if (!step_try(model))
			continue;
		steps_of_trial(model, &list);
		cr_assert(steps_try(model, &list));
		for (i = 4; i < 10; i++) {
			int64_t aim = list.peak / 10 * i;

			cr_assert(steps_prune(model, &less, &list, -1, (struct steps_limit){ aim, above(model->trial, aim) }),
			    "%s, seed %u, %d tenths", name, seed, i);
		}
		tried++;
		told += !steps_prune(model, &less, &list, -1, (struct steps_limit){ list.peak - 1, 0 });
	}
	cr_assert(tried > 0 && told >= tried / 2, "%s: %u of %u", name, told, tried);
}

Test(recompute, what_is_above_is_told_resnet50)
{
	tells_what_is_above("resnet50.nn");
}

Test(recompute, what_is_above_is_told_googlenet)
{
	tells_what_is_above("googlenet.nn");
}

Test(recompute, what_is_above_is_told_gpt2)
{
	tells_what_is_above("gpt2.nn");
}

Test(recompute, keeping_all_changes_nothing)
{
	struct module *m = network("resnet50.nn");
	struct model *model = step_model(arena, m->train, &options, STEP_REPEATS);
	int nodes = m->train->nodes.n;

	cr_assert(step_try(model));
	cr_assert_eq(model->trial->macs, 0);
	recompute_apply(model, m->train, NULL);
	cr_assert_eq(m->train->nodes.n, nodes);
	cr_assert_eq(planned_peak(m), model->trial->peak);
}

/* ---- budgets ---- */

static struct module *
planned(const char *text, int64_t budget)
{
	const struct lang_options lang = { 0 };
	struct diags *d = last_diags = ARENA_NEW(arena, struct diags);
	struct spec *spec;
	struct module *m;

	diags_init(d, arena);
	spec = spec_load(arena, d, source_from_text(arena, "net.nn", text, strlen(text)), &lang);
	cr_assert_eq(d->errors, 0, "%s", d->all.n ? d->all.v[0]->message : "");
	m = spec->modules.v[0];
	m->set.recompute = budget ? RECOMPUTE_AUTO : RECOMPUTE_NONE;
	m->set.recompute_budget = budget;
	return passes_run(m, &options) ? m : NULL;
}

static const char *
spec_text(const char *name)
{
	struct source *src = spec_file(arena, name);

	return arena_strndup(arena, src->text, src->size);
}

/* From all that keeping everything takes down to LEAST of 50 parts of it, or with 0 to the state
 * alone: no plan exceeds its budget, none is larger than that of a larger budget, and where none is
 * found, none is for less. */
static void
keeps_budgets(const char *text, int step, int least, int share_reached)
{
	const struct plan *all = planned(text, 0)->plan;
	int64_t last = INT64_MAX, budget;
	int i, found = 0, missed = 0;

	for (i = 50; i > 0 && i >= least; i -= missed ? 16 : step) {	/* where none is found, the search is longest */
		struct module *m;

		budget = all->persistent_bytes + all->transient_bytes / 50 * i;
		m = planned(text, budget);
		if (!m) {
			missed = i;
			continue;
		}
		cr_assert_eq(missed, 0, "budget %d of 50 is kept, but not %d", i, missed);
		found = i;
		cr_assert_leq(m->plan->arena_bytes, budget, "budget %d of 50", i);
		cr_assert_leq(m->plan->arena_bytes, last, "budget %d of 50", i);
		last = m->plan->arena_bytes;
	}
	cr_assert_gt(found, 0);
	cr_assert(least || missed > 0, "the least budget asked for is kept");
	cr_assert_leq(found * 2, share_reached, "no plan below %d %%", found * 2);
}

/* Where no way is found in either order of the nodes, what is reported is the arena of a step in
 * the order that stands: a budget of just that is kept. The other tests leave out the pass that
 * orders. */
Test(recompute, the_smallest_arena_that_is_reported_is_there)
{
	static const char before[] = "smallest arena found takes ";
	const char *text = spec_text("resnet18.nn"), *found;
	int64_t budget = planned(text, 0)->plan->persistent_bytes + 1, bytes = 0;

	options.nwithout = 0;
	cr_assert_null(planned(text, budget));
	cr_assert_eq(last_diags->errors, 1);
	found = strstr(last_diags->all.v[0]->message, before);
	cr_assert_not_null(found, "%s", last_diags->all.v[0]->message);
	for (found = strchr(found, '('); *found != ' '; found++)
		if (*found >= '0' && *found <= '9')
			bytes = 10 * bytes + *found - '0';
	cr_assert_gt(bytes, budget);
	cr_assert_not_null(planned(text, bytes), "%" PRId64 " B are found, but not kept", bytes);
}

Test(recompute, budgets_of_resnet18_are_kept)
{
	if (!sanitized())
		keeps_budgets(spec_text("resnet18.nn"), 8, 0, 52);
}

Test(recompute, budgets_of_unet_are_kept)
{
	if (extended())
		keeps_budgets(spec_text("unet.nn"), 8, 0, 52);
	else	/* what cannot be kept takes longest, and the others show that */
		keeps_budgets(spec_text("unet.nn"), 12, 26, 52);
}

Test(recompute, budgets_of_vgg16_are_kept)
{
	if (!extended())
		cr_skip_test("one of the swept cases: make check-extended");
	keeps_budgets(spec_text("vgg16.nn"), 8, 0, 84);
}

/* What cannot be kept ends at one and the same choice, whatever the budget: it is the least there
 * is, and a budget of just that is kept. */
Test(recompute, the_lowest_choice_does_not_depend_on_the_budget)
{
	static const char chain[] = "network n { input x : f32[64] target t : f32[64]\n"
	    "y = x -> 16 * (dense(64) -> sigmoid) loss mse(y, t) } train { batch 512 }\n";
	struct module *m = prepared(source_from_text(arena, "net.nn", chain, strlen(chain)));
	struct model *model = step_model(arena, m->train, &options, STEP_REPEATS);
	int64_t all, least = 0, budget;
	struct search_limits limits = { .work = RECOMPUTE_WORK, .most_work = INT64_MAX, .products = true, .fits = within,
	    .context = &budget };
	int i;

	step_try(model);
	all = model->trial->peak;
	for (i = 4; i > 1; i--) {
		limits.budget = budget = all / 40 * i;
		step_keep_all(model);
		cr_assert(!recompute_search(model, &limits), "budget %d of 40", i);
		cr_assert(!least || model->trial->peak == least, "%lld, but %lld for more",
		    (long long)model->trial->peak, (long long)least);
		least = model->trial->peak;
	}
	limits.budget = budget = least;
	step_keep_all(model);
	cr_assert(recompute_search(model, &limits));
	cr_assert_eq(model->trial->peak, least);
	limits.budget = budget = least - 1;
	step_keep_all(model);
	cr_assert(!recompute_search(model, &limits));
}

/* A chain that all descents together would take hours for: what is left when the work is used up is
 * lower than at first, and is what its trial says. */
Test(recompute, a_search_ends_when_its_work_is_used_up)
{
	static const char chain[] = "network n { input x : f32[64] target t : f32[64]\n"
	    "y = x -> 1000 * (dense(64) -> sigmoid) loss mse(y, t) }\n";
	const int64_t most = 4 << 20;
	struct module *m = prepared(source_from_text(arena, "net.nn", chain, strlen(chain)));
	struct model *model = step_model(arena, m->train, &options, STEP_REPEATS);
	int64_t all, peak, budget = 1;
	struct search_limits limits = { .budget = 1, .work = most, .most_work = most, .products = true,
	    .fits = within, .context = &budget };

	step_try(model);
	all = model->trial->peak;
	limits.budget = budget = all / 20 * 19;
	cr_assert(recompute_search(model, &limits), "there is a lower one");
	cr_assert_leq(model->trial->peak, budget);
	model->work = 0;
	limits.budget = budget = 1;
	step_keep_all(model);
	cr_assert(!recompute_search(model, &limits));
	cr_assert_geq(model->work, most);
	cr_assert_lt(model->work, 2 * most, "%lld", (long long)model->work);
	cr_assert_lt(peak = model->trial->peak, all);
	recompute_apply(model, m->train, NULL);
	cr_assert_eq(planned_peak(m), peak);
}

/* A search with hardly any effort ends on its first rungs, far above the budget; a pass goes there
 * at once. */
Test(recompute, a_pass_comes_to_a_budget_where_the_search_is_over)
{
	static const char chain[] = "network n { input x : f32[64] target t : f32[64]\n"
	    "y = x -> 300 * (dense(64) -> sigmoid) loss mse(y, t) }\n";
	struct module *m = prepared(source_from_text(arena, "net.nn", chain, strlen(chain)));
	struct model *model = step_model(arena, m->train, &options, STEP_REPEATS);
	int64_t all, peak, budget;
	struct search_limits limits = { .work = 10000, .most_work = 10000, .products = true, .fits = within, .context = &budget };

	step_try(model);
	all = model->trial->peak;
	limits.budget = budget = (all + step_least(model)) / 2;
	cr_assert(recompute_search(model, &limits));
	cr_assert_leq(peak = model->trial->peak, budget);
	cr_assert_gt(model->trial->macs, 0);
	recompute_apply(model, m->train, NULL);
	cr_assert_eq(planned_peak(m), peak);
}

/* Just above what one node needs beside the gradients that are there (27 % of what keeping
 * everything takes, and 19 %), choices of states ran forward twice and more again, or none was
 * found. */
static void
goes_without_a_cliff(const char *name, struct module *m, int percent, double most)
{
	struct model *model = step_model(arena, m->train, &options, STEP_REPEATS);
	struct search_limits limits = { .work = RECOMPUTE_WORK, .most_work = RECOMPUTE_WORK, .products = true, .fits = within };
	int64_t budget, macs = 0;
	int i;

	for (i = 0; i < model->forward; i++)
		macs += model->node[i].again->macs;
	step_try(model);
	budget = limits.budget = model->trial->peak / 100 * percent;
	limits.context = &budget;
	cr_assert(recompute_search(model, &limits), "%s in %d %%", name, percent);
	cr_assert_leq((double)model->trial->macs, most * (double)macs, "%s in %d %%: %.2f of forward again",
	    name, percent, (double)model->trial->macs / (double)macs);
}

Test(recompute, googlenet_has_no_cliff)
{
	if (!extended())
		cr_skip_test("one of the swept cases: make check-extended");
	goes_without_a_cliff("googlenet.nn", network("googlenet.nn"), 31, 0.75);
}

/* Below 47 % its largest convolution is made again while the gradients of two skips are there,
 * unless what its pooling made is kept; below 40 %, one gradient and that convolution's input and
 * output are too much. */
Test(recompute, unet_has_no_cliff)
{
	goes_without_a_cliff("unet.nn", network("unet.nn"), 45, 1.0);
}

Test(recompute, mobilenet_has_no_cliff)
{
	if (!extended())
		cr_skip_test("one of the swept cases: make check-extended");
	goes_without_a_cliff("mobilenet_v2.nn", network("mobilenet_v2.nn"), 21, 0.35);
}

/* Of 1,000 equal layers, checkpoints at every 32nd and the layers between two of them are 6.4 %: a
 * tenth does with one more forward (Chen and others, 2016). */
Test(recompute, a_long_chain_needs_but_one_more_forward)
{
	static const char chain[] = "network n { input x : f32[64] target t : f32[64]\n"
	    "y = x -> 1000 * (dense(64) -> sigmoid) loss mse(y, t) } train { batch 256 }\n";

	goes_without_a_cliff("1000 layers", prepared(source_from_text(arena, "net.nn", chain, strlen(chain))),
	    10, 1);
}
