/*
 * Whether a choice fits a budget, as all passes that follow see it: they plan a copy of the module
 * in which what the choice says is made again.
 */
#include "schedule/recompute_budget.h"

#include <string.h>

#include "ir/pass.h"
#include "plan/plan.h"

#define CLOSE_EFFORT	8	/* times a network's steps: half a second each */
#define ASKED_EFFORT	2	/* for one question among many */
#define ENOUGH		3	/* choices of a large network planned, and */
#define MORE		4	/* that part more than was taken off them: then others are judged by their peak */

struct module *
budget_copy_of_trial(const struct module *m, const struct model *model, struct arena *a)
{
	struct module *copy = ARENA_NEW(a, struct module);
	struct tensor **map;

	*copy = *m;
	copy->arena = a;
	copy->plan = NULL;
	copy->train = ir_copy(copy, m->train, &map);
	recompute_apply(model, copy->train, map);
	if (m->update)
		copy->update = ir_copy(copy, m->update, NULL);
	if (m->validate)
		copy->validate = ir_copy(copy, m->validate, NULL);
	return copy;
}

struct pass_options
budget_options(const struct pass_options *o)
{
	struct pass_options quiet = *o;

	quiet.dump_after = NULL;
	quiet.bound_only = false;
	quiet.seconds = 0;	/* of the whole search, not of each of its plans */
	return quiet;
}

int64_t
arena_of_trial(struct module *m, const struct pass_options *o, struct model *model, bool bound_only)
{
	struct arena *scratch = arena_child(m->arena);
	struct module *copy = budget_copy_of_trial(m, model, scratch);
	struct pass_options quiet = budget_options(o);
	int64_t bytes;

	bytes = !passes_between(copy, &quiet, "recompute", bound_only ? "lifetimes" : "place") ? INT64_MAX :
	    bound_only ? copy->plan->lower_bound_bytes : copy->plan->arena_bytes;
	arena_free(scratch);
	return bytes;
}

static bool
is_same(const struct plan *a, const struct plan *b)
{
	return a->arena_bytes == b->arena_bytes && a->lower_bound_bytes == b->lower_bound_bytes && a->visits == b->visits;
}

/* PLANNED, of the model's last trial, is kept if few are closer; else its arena is freed. */
static void
keep_close(struct budget *b, struct module *planned, struct model *model)
{
	struct close new = { .planned = planned };
	int i, k;

	for (i = 0; i < b->nclose && b->close[i].planned->plan->arena_bytes <= planned->plan->arena_bytes; i++)
		if (is_same(b->close[i].planned->plan, planned->plan))
			break;
	if (i == MOST_CLOSE || (i < b->nclose && is_same(b->close[i].planned->plan, planned->plan))) {
		arena_free(planned->arena);
		return;
	}
	new.steps = steps_new(model);
	steps_of_trial(model, &new.steps);
	if (b->nclose == MOST_CLOSE)
		arena_free(b->close[--b->nclose].planned->arena);
	for (k = b->nclose++; k > i; k--)
		b->close[k] = b->close[k - 1];
	b->close[i] = new;
}

/* Placing counts as work of the search that asks for it. */
static void
count_visits(struct model *model, int64_t visits)
{
	model->work += visits / (model->nnodes < RECOMPUTE_LARGE ? RECOMPUTE_VISITS : RECOMPUTE_VISITS_FAR);
}

/* To plan a step of thousands of nodes takes as long as dozens of trials, and it is planned to see
 * what its order takes off the peak. Where that was little for a few choices, it is not much more
 * for others. */
static bool
is_above(const struct budget *b, const struct model *model)
{
	const struct known_gain *known = &model->of_order;
	int64_t above = model->trial->peak + step_persistent(b->m, b->o, model) - b->bytes;

	return model->nnodes >= RECOMPUTE_LARGE && known->choices >= ENOUGH && above > known->most + known->most / MORE;
}

static void
note_gain(const struct budget *b, struct model *model, int64_t bound)
{
	int64_t gain = model->trial->peak + step_persistent(b->m, b->o, model) - bound;

	model->of_order.choices++;
	if (gain > model->of_order.most)
		model->of_order.most = gain;
}

/* As arena_of_trial(), but no further than it takes to see that it does not fit. */
static bool
fits_as(struct budget *b, struct model *model, bool tight)
{
	struct arena *own = arena_child(b->m->arena);
	struct module *copy = budget_copy_of_trial(b->m, model, own);
	struct pass_options quiet = budget_options(b->o);
	bool close, fits;

	quiet.tight = tight;
	if ((close = passes_between(copy, &quiet, "recompute", "lifetimes")))
		note_gain(b, model, copy->plan->lower_bound_bytes);
	close = close && copy->plan->lower_bound_bytes <= b->bytes && passes_between(copy, &quiet, "lifetimes", "place");
	if (close)
		count_visits(model, copy->plan->visits);
	if (close && b->thorough && copy->plan->arena_bytes > b->bytes)
		count_visits(model, plan_place_on(copy, copy->plan, CLOSE_EFFORT));
	fits = close && copy->plan->arena_bytes <= b->bytes && passes_finish(copy, &quiet, "place");
	if (fits && b->planned)
		arena_free(b->planned->arena);
	if (fits)
		b->planned = copy;
	else if (close && copy->plan->arena_bytes > b->bytes)
		keep_close(b, copy, model);
	else
		arena_free(own);
	return fits;
}

/* Both ways for every choice, whatever the budget is, so that for a smaller one the arena should be
 * no larger. That is not kept in all cases: of a ResNet-18 on two ranks one budget takes 4 KiB more
 * than one that is 97 KiB larger, and why is not known. */
bool
fits_budget(struct model *model, void *context)
{
	struct budget *b = context;

	if (is_above(b, model))
		return false;
	return fits_as(b, model, false) || (module_ranks(b->m) > 1 && fits_as(b, model, true));
}

/* Does it fit, placed with more effort? */
static bool
place_on(const struct budget *b, struct close *c, struct model *model)
{
	struct pass_options quiet = budget_options(b->o);
	struct module *m = c->planned;

	c->placed = true;
	count_visits(model, plan_place_on(m, m->plan, b->o->search_work ? ASKED_EFFORT : CLOSE_EFFORT));
	return m->plan->arena_bytes <= b->bytes && passes_finish(m, &quiet, "place");
}

/* It is what fits, and no longer one of those that are forgotten. The model's trial is of it. */
static void
take_close(struct budget *b, struct close *c, struct model *model)
{
	struct close *end = &b->close[--b->nclose];

	steps_try(model, &c->steps);
	b->planned = c->planned;
	memmove(c, c + 1, (size_t)(end - c) * sizeof(*c));
}

static bool
may_place(const struct budget *b, const struct model *model)
{
	return !b->most_work || model->work < b->most_work;
}

bool
budget_place_close(struct model *model, void *context)
{
	struct budget *b = context;
	int most = b->o->search_work ? MOST_ASKED : MOST_CLOSE, i;

	b->at_last = true;
	for (i = 0; i < b->nclose && i < most && may_place(b, model); i++) {
		struct close *c = &b->close[i];

		if (c->placed || !place_on(b, c, model))
			continue;
		take_close(b, c, model);
		return true;
	}
	return false;
}

/* The cheapest that is close and was not placed with more effort, if it costs less; or NULL. */
static struct close *
cheapest_close(struct budget *b, double cost)
{
	struct close *best = NULL;
	int i;

	for (i = 0; i < b->nclose; i++)
		if (!b->close[i].placed && b->close[i].steps.cost < (best ? best->steps.cost : cost))
			best = &b->close[i];
	return best;
}

void
budget_place_cheaper(struct budget *b, struct model *model)
{
	double cost = recompute_cost(model->trial);
	struct close *c;

	while ((c = may_place(b, model) ? cheapest_close(b, cost) : NULL) && !place_on(b, c, model))
		;
	if (!c)
		return;
	arena_free(b->planned->arena);
	take_close(b, c, model);
}

void
budget_forget_close(struct budget *b)
{
	while (b->nclose > 0)
		arena_free(b->close[--b->nclose].planned->arena);
}

int64_t
budget_least_found(struct budget *b, struct model *model)
{
	int64_t least = arena_of_trial(b->m, b->o, model, false);
	int i;

	for (i = 0; i < b->nclose; i++)
		if (b->close[i].planned->plan->arena_bytes < least)
			least = b->close[i].planned->plan->arena_bytes;
	return least;
}
