/*
 * recompute: recomputes activations in backward instead of keeping them, as the spec asks:
 *
 *     cheap (the default)   element-wise work and whatever else has no multiply-adds, as far as
 *                           that lowers the peak of the step
 *     auto                  whatever it takes to stay within a budget: the bytes given, or what the
 *                           target leaves of the device's memory; nothing where everything fits
 *     PATTERN, ...          all that is inside the layers named, from what comes into them; and
 *                           what is cheap elsewhere
 *     none                  nothing
 *
 * Reads: train after prune, settings. Writes: train's nodes and their inputs.
 * Invariants after: 1. a tensor's value is what it was, to the bit; 2. weights and running
 * statistics change as before, once; 3. under `auto` the arena fits the budget, or is the smallest
 * that was found.
 */
#include "schedule/recompute.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "target/target.h"
#include "ir/op.h"
#include "ir/pass.h"
#include "plan/estimate.h"
#include "plan/plan.h"
#include "schedule/known_choices.h"
#include "schedule/recompute_budget.h"

/* ---- rewriting the graph ---- */

struct rewriting {
	const struct model *m;
	struct graph *g;
	struct node **node;	/* as they were, by the model's nodes */
	struct tensor *const *map;
	struct tensor **copy;	/* of the trial's values, those from model->nvalues on */
};

static struct tensor *
tensor_of(const struct rewriting *r, int v)
{
	struct tensor *t;

	if (v < 0)
		return NULL;
	if (v >= r->m->nvalues)
		return r->copy[v - r->m->nvalues];
	t = r->m->value[v].tensor;
	return r->map && r->map[t->id] ? r->map[t->id] : t;
}

/* The k-th input of an event. What persists is what it was: the trial has no number for it. */
static int
operand(const struct trial *t, const struct event *e, const int *in, int k)
{
	return t->operand[e->in + k] >= 0 ? t->operand[e->in + k] : in[k];
}

static void
add_repetition(struct rewriting *r, const struct event *e)
{
	const struct trial *t = r->m->trial;
	const struct model_node *n = &r->m->node[e->node];
	struct module *module = r->g->module;
	struct tensor *in[64], **list = in, *like, *copy;
	struct node *made;
	int k;

	if (n->again->nin > (int)(sizeof(in) / sizeof(*in)))
		list = arena_array(module->arena, (size_t)n->again->nin, sizeof(*list));
	for (k = 0; k < n->again->nin; k++)
		list[k] = tensor_of(r, operand(t, e, n->again->in, k));
	made = ir_node(r->g, n->again->op, n->node->path, n->node->loc, n->again->nin, list);
	made->phase = PHASE_BACKWARD;
	made->attr = n->node->attr;
	made->again = r->node[e->node];
	for (k = 0; k < (n->again->op == n->node->op ? n->nout : 1); k++) {
		int v = t->operand[e->out + k];

		like = r->m->value[n->out[k] < 0 ? 0 : n->out[k]].tensor;
		if (v < 0) {
			ir_add_output(module, made, NULL);
			continue;
		}
		copy = ir_tensor_like(module, like->kind, like, arena_printf(module->arena,
		    "%s.again", like->name), like->loc);
		copy->classes = like->classes;
		r->copy[v - r->m->nvalues] = ir_add_output(module, made, copy);
	}
}

void
recompute_apply(const struct model *m, struct graph *g, struct tensor *const *map)
{
	const struct trial *t = m->trial;
	struct arena *a = g->module->arena, *scratch;
	struct node **old = g->nodes.v;
	struct rewriting r = { m, g, old, map, NULL };
	int i, k;

	if (t->nevents == m->nnodes)
		return;		/* nothing is made again */
	scratch = arena_child(a);
	r.copy = arena_array(scratch, (size_t)(t->nvalues - m->nvalues) + 1, sizeof(*r.copy));
	g->nodes.v = arena_array(a, (size_t)t->nevents + 1, sizeof(*g->nodes.v));
	g->nodes.cap = t->nevents + 1;
	g->nodes.n = 0;
	for (i = 0; i < t->nevents; i++) {
		const struct event *e = &t->event[i];

		if (e->again) {
			add_repetition(&r, e);
			continue;
		}
		for (k = 0; k < old[e->node]->nin; k++)
			old[e->node]->in[k] = tensor_of(&r, operand(t, e, m->node[e->node].in, k));
		vec_push(a, &g->nodes, old[e->node]);
	}
	arena_free(scratch);
}

/* ---- to a budget ---- */

#define LOWER	32	/* that part of a budget lower, another search begins */

/* The copy is the module from now on; the passes up to LAST have been over it. */
static void
take_over(struct module *m, const struct module *copy, const char *last)
{
	struct module was = *m;

	*m = *copy;
	m->arena = was.arena;
	m->cut_short = was.cut_short;
	m->through = last;
	m->train->module = m;
	if (m->update)
		m->update->module = m;
	if (m->validate)
		m->validate->module = m;
}

static void
found_none(struct module *m, int64_t least)
{
	char budget[SIZE_TEXT], found[SIZE_TEXT], exact[SIZE_TEXT];
	struct diag *g = diag_error(m->diags, "recompute", m->set.recompute_loc,
	    "found no choice of what to recompute that fits %s%s; the smallest arena found takes %s "
	    "(%s B)", size_human(budget, m->set.recompute_budget),
	    m->cut_short ? " within the search's effort" : "", size_human(found, least),
	    size_commas(exact, least));

	if (m->set.nturns > 0)
		diag_help(m->diags, g, "of a step of several updates, only what its last one keeps is recomputed: name the one "
		    "that keeps most last, where the order is free; or raise the budget, or lower the batch");
	else
		diag_help(m->diags, g, "raise the budget, or lower the batch");
}

/* No search can help: activations are not all there is. */
static void
found_impossible(struct module *m, int64_t persistent)
{
	char budget[SIZE_TEXT], least[SIZE_TEXT], exact[SIZE_TEXT];
	struct diag *g = diag_error(m->diags, "recompute", m->set.recompute_loc,
	    "no choice of what to recompute fits %s: weights and what else lasts take %s (%s B)",
	    size_human(budget, m->set.recompute_budget), size_human(least, persistent),
	    size_commas(exact, persistent));

	diag_help(m->diags, g, "raise the budget: it is for the whole arena");
}

/* Does the objective choose, where the spec does not say what is recomputed? */
static bool
for_speed(const struct module *m, const struct pass_options *o)
{
	return o->speed && !m->set.recompute_loc.src;
}

/* Is it a plan within the bytes that the spec names, and not one of many questions? */
static bool
is_asked(const struct module *m, const struct pass_options *o)
{
	return m->set.recompute_budget && !o->search_work;
}

/* More seconds than usual let a search go on where it would have ended, and all its parts. */
static int64_t
work_for(const struct pass_options *o)
{
	return o->search_work ? *o->search_work / RECOMPUTE_QUESTION : RECOMPUTE_WORK + (int64_t)(o->seconds * RECOMPUTE_SECOND);
}

/* Another search, which begins where that for a smaller budget does: it comes another way, and what
 * it finds is taken if it costs less. */
static void
go_down_from_below(struct budget *b, struct model *model, const struct search_limits *limits)
{
	struct budget other = { .m = b->m, .o = b->o, .bytes = b->bytes, .most_work = limits->most_work };
	struct search_limits there = *limits;
	struct steps found = steps_new(model);

	steps_of_trial(model, &found);
	there.context = &other;
	there.budget -= there.budget / LOWER;
	step_keep_all(model);
	step_try(model);
	if (recompute_go_down(model, &there) && recompute_cost(model->trial) < found.cost) {
		arena_free(b->planned->arena);
		b->planned = other.planned;
		b->at_last = other.at_last;
	} else {
		if (other.planned)
			arena_free(other.planned->arena);
		steps_try(model, &found);
	}
	budget_forget_close(&other);
}

/* Something fits. Where choices before it did not, since their places are far above what is alive,
 * it may be much dearer than what a smaller budget gets. That may take as much work once more, but
 * not as much as to find anything at all. */
static void
look_on(struct budget *b, struct model *model, const struct search_limits *limits)
{
	struct search_limits on = *limits;

	on.most_work = model->work + work_for(b->o);
	if (!b->o->seconds && on.most_work > RECOMPUTE_MOST)
		on.most_work = RECOMPUTE_MOST;
	b->most_work = on.most_work;
	if (!b->at_last && b->nclose > 0)
		budget_place_cheaper(b, model);
	if (b->at_last || b->nclose > 0)
		go_down_from_below(b, model, &on);
	if (b->at_last)
		refine_in_own_order(b, model, &on);
}

/* Is what is close placed with more effort, where nothing else fits? */
static bool
places_close(const struct pass_options *o)
{
	return !o->search_work || o->any_that_fits;
}

/* All the way down, and what is close placed with more effort. */
static bool
go_down(struct budget *b, struct model *model, const struct search_limits *limits, bool small)
{
	return recompute_go_down(model, limits) || (small && go_down_in_other_order(b, model, limits)) ||
	    (places_close(b->o) && budget_place_close(model, b));
}

/* What fits, in the orders of the step and all the way down; each search goes on to
 * limits->most_work. */
static bool
search_all(struct budget *b, struct model *model, const struct search_limits *limits)
{
	int questions = recompute_questions(model);

	return (questions && search_orders(b, model, limits, questions <= RECOMPUTE_FEW)) ||
	    go_down(b, model, limits, questions > 0);
}

/* The same once more, from where nothing is made again, as far as it takes to refuse a budget. */
static bool
search_longest(struct budget *b, struct model *model, struct search_limits *limits)
{
	limits->work = RECOMPUTE_LONGEST;
	limits->most_work = model->work + limits->work;
	budget_forget_close(b);
	step_keep_all(model);
	step_try(model);
	return search_all(b, model, limits);
}

/* A search that may do nothing still looks at a few choices, which in large networks takes long. */
static bool
may_search(const struct search_limits *limits, const struct model *model)
{
	return limits->work > 0 || model->nnodes < RECOMPUTE_LARGE;
}

/* Everything, and the least for a budget that cannot be kept: an error where the spec names it; the
 * device's memory is checked by those that compare the plan with it. PLANNED gets what fits,
 * through all passes; or NULL. */
static bool
stay_within(struct module *m, const struct pass_options *o, struct model *model, struct module **planned)
{
	int64_t bytes = m->set.recompute_budget ? m->set.recompute_budget : step_room(m, o);
	struct budget budget = { .m = m, .o = o, .bytes = bytes };
	struct search_limits limits = { .budget = bytes - step_persistent(m, o, model),
	    .work = work_for(o), .products = true, .unasked = for_speed(m, o), .asked = is_asked(m, o),
	    .any = o->any_that_fits, .fits = fits_budget, .fits_after_all = places_close(o) ? budget_place_close : NULL,
	    .context = &budget };
	bool found;

	if (m->set.recompute_budget && limits.budget < 0) {
		found_impossible(m, bytes - limits.budget);
		return false;
	}
	limits.most_work = limits.work;
	step_try(model);
	found = fits_budget(model, &budget) || (may_search(&limits, model) && search_all(&budget, model, &limits)) ||
	    (is_asked(m, o) && limits.work < RECOMPUTE_LONGEST && search_longest(&budget, model, &limits));
	m->cut_short = model->work >= limits.most_work;
	if (found && is_asked(m, o))
		look_on(&budget, model, &limits);
	if (o->search_work)
		*o->search_work -= model->work < *o->search_work ? model->work : *o->search_work;
	*planned = found ? budget.planned : NULL;
	if (found || !m->set.recompute_budget)
		return true;
	found_none(m, budget_least_found(&budget, model));
	return false;
}

/* ---- without a budget ---- */

/* The cheap choice is made for one fixed batch, whatever the real one is, so that bytes grow as
 * smoothly with the batch as sizes do: the search for the largest batch relies on that. */
#define USUAL_BATCH	32

static void
search_cheaply(struct module *m, struct model *model)
{
	struct known_choices *known = m->options ? m->options->choices : NULL;
	uint64_t key = known_choices_key(model);

	if (known && known_choices_find(known, key, model))
		return;
	recompute_cheaply(model);
	if (known)
		known_choices_keep(known, key, model);
}

static void
choose_cheap(struct module *m, struct model *model)
{
	int64_t batch = model->batch;

	if (step_price(model, USUAL_BATCH)) {
		if (m->set.recompute == RECOMPUTE_PATTERN)
			recompute_settle(m, model);
		search_cheaply(m, model);
	}
	step_price(model, batch);
}

/* Where the gain is small, the order of the step may turn it into a loss. */
static void
keep_if_no_gain(struct module *m, const struct pass_options *o, struct model *model)
{
	unsigned char *chosen = arena_array(model->arena, (size_t)model->nvalues + 1, 1);
	int64_t peak = model->trial->peak, before, after;

	memcpy(chosen, model->state, (size_t)model->nvalues);
	step_keep_all(model);
	step_try(model);
	if (memcmp(chosen, model->state, (size_t)model->nvalues) == 0)
		return;
	before = model->trial->peak;
	if (peak > before - before / 10) {
		before = arena_of_trial(m, o, model, true);
		memcpy(model->state, chosen, (size_t)model->nvalues);
		step_try(model);
		after = arena_of_trial(m, o, model, true);
		if (after < before)
			return;
		step_keep_all(model);
	} else {
		memcpy(model->state, chosen, (size_t)model->nvalues);
	}
	step_try(model);
}

static void
make_cheap_again(struct module *m, const struct pass_options *o, struct model *model)
{
	choose_cheap(m, model);
	step_try(model);
	if (m->set.recompute != RECOMPUTE_PATTERN)
		keep_if_no_gain(m, o, model);
}

/* ---- both, for speed ---- */

/* What is cheap multiplies nothing again. A search for few bytes looks elsewhere, and what it finds
 * may be slower than that where it fits as well. */
static void
take_cheap_if_faster(struct module *m, const struct pass_options *o, struct module **planned)
{
	struct budget budget = { .m = m, .o = o, .bytes = step_room(m, o) };
	struct arena *scratch = arena_child(m->arena);
	struct model *model = step_model(scratch, m->train, o, STEP_REPEATS);

	if (model) {
		make_cheap_again(m, o, model);
		if (fits_budget(model, &budget) && plan_step_takes(budget.planned) < plan_step_takes(*planned))
			*planned = budget.planned;
	}
	budget_forget_close(&budget);
	arena_free(scratch);
}

static bool
choose(struct module *m, const struct pass_options *o, struct model *model, struct module **planned)
{
	bool good;

	if (for_speed(m, o) || (m->set.recompute == RECOMPUTE_AUTO &&
	    (m->set.recompute_budget || m->set.device.given))) {
		good = stay_within(m, o, model, planned);
		if (for_speed(m, o) && o->target->is_gpu && *planned && (*planned)->plan->recomputed.nodes)
			take_cheap_if_faster(m, o, planned);
		return good;
	}
	make_cheap_again(m, o, model);
	return true;
}

static bool
run(struct module *m, const struct pass_options *o)
{
	struct module *planned = NULL;
	struct arena *scratch;
	struct model *model;
	bool good = true;

	if (!m->train || m->set.recompute == RECOMPUTE_NONE || (for_speed(m, o) && !o->most_bytes))
		return true;
	scratch = arena_child(m->arena);
	model = step_model(scratch, m->train, o, STEP_REPEATS);
	if (model && (good = choose(m, o, model, &planned))) {
		if (planned && !o->dump_after)
			take_over(m, planned, pass_last());
		else
			recompute_apply(model, m->train, NULL);
	}
	arena_free(scratch);
	return good;
}

const struct pass pass_recompute = {
	.name = "recompute",
	.doc = "make activations again in backward instead of keeping them",
	.optional = true,
	.thorough = true,
	.run = run,
};
