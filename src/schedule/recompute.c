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
#include "plan/plan.h"
#include "schedule/known_choices.h"
#include "schedule/order.h"
#include "schedule/recompute_impl.h"

#define MOST_CLOSE	4	/* plans to be placed with more effort, where none fits */
#define CLOSE_EFFORT	8	/* times a network's steps: half a second each */

/* ---- rewriting the graph ---- */

struct rewriting {
	const struct model *m;
	struct graph *g;
	struct node **node;	/* as they were, by the model's nodes */
	struct tensor *const *map;
	struct tensor **copy;	/* by value of the trial, from model->nvalues on */
};

static struct tensor *
tensor_of(const struct rewriting *r, int v)
{
	struct tensor *t;

	if (v < 0)
		return NULL;
	if (v >= r->m->nvalues)
		return r->copy[v];
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
	struct tensor *in[64], **list = in, *like;
	struct node *made;
	int k;

	if (n->again.nin > (int)(sizeof(in) / sizeof(*in)))
		list = arena_array(module->arena, (size_t)n->again.nin, sizeof(*list));
	for (k = 0; k < n->again.nin; k++)
		list[k] = tensor_of(r, operand(t, e, n->again.in, k));
	made = ir_node(r->g, n->again.op, n->node->path, n->node->loc, n->again.nin, list);
	made->phase = PHASE_BACKWARD;
	made->attr = n->node->attr;
	made->again = r->node[e->node];
	for (k = 0; k < (n->again.op == n->node->op ? n->nout : 1); k++) {
		int v = t->operand[e->out + k];

		like = r->m->value[n->out[k] < 0 ? 0 : n->out[k]].tensor;
		if (v < 0) {
			ir_add_output(module, made, NULL);
			continue;
		}
		r->copy[v] = ir_tensor_like(module, like->kind, like, arena_printf(module->arena,
		    "%s.again", like->name), like->loc);
		r->copy[v]->classes = like->classes;
		ir_add_output(module, made, r->copy[v]);
	}
}

void
recompute_apply(const struct model *m, struct graph *g, struct tensor *const *map)
{
	const struct trial *t = m->trial;
	struct node **old = g->nodes.v;
	struct rewriting r = { m, g, old, map, arena_array(g->module->arena, (size_t)t->nvalues + 1,
	    sizeof(*r.copy)) };
	int i, k;

	g->nodes.v = NULL;
	g->nodes.n = g->nodes.cap = 0;
	for (i = 0; i < t->nevents; i++) {
		const struct event *e = &t->event[i];

		if (e->again) {
			add_repetition(&r, e);
			continue;
		}
		for (k = 0; k < old[e->node]->nin; k++)
			old[e->node]->in[k] = tensor_of(&r, operand(t, e, m->node[e->node].in, k));
		vec_push(g->module->arena, &g->nodes, old[e->node]);
	}
}

/* ---- to a budget ---- */

/* The module as it is, its graphs copied, in an arena of its own; train is rewritten as the model's
 * last trial. */
static struct module *
copy_of_trial(const struct module *m, const struct model *model, struct arena *a)
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

static struct pass_options
of_trials(const struct pass_options *o)
{
	struct pass_options quiet = *o;

	quiet.dump_after = NULL;
	quiet.bound_only = false;
	return quiet;
}

/* What the passes that follow make of the model's last trial: the bytes of its arena, or their
 * lower bound. */
static int64_t
arena_of_trial(struct module *m, const struct pass_options *o, struct model *model, bool bound_only)
{
	struct arena *scratch = arena_child(m->arena);
	struct module *copy = copy_of_trial(m, model, scratch);
	struct pass_options quiet = of_trials(o);
	int64_t bytes;

	bytes = !passes_between(copy, &quiet, "recompute", bound_only ? "lifetimes" : "place") ? INT64_MAX :
	    bound_only ? copy->plan->lower_bound_bytes : copy->plan->arena_bytes;
	arena_free(scratch);
	return bytes;
}

struct close {			/* what would fit, were it placed as low as its lower bound */
	struct module *planned;	/* up to place, in an arena of its own */
	struct steps steps;
};

struct budget {
	struct module *m;
	const struct pass_options *o;
	int64_t bytes;
	struct module *planned;	/* what fits */
	struct close close[MOST_CLOSE];	/* that with the smallest arena first */
	int nclose;
};

static bool
is_same(const struct plan *a, const struct plan *b)
{
	return a->arena_bytes == b->arena_bytes && a->lower_bound_bytes == b->lower_bound_bytes && a->visits == b->visits;
}

/* PLANNED, of the model's last trial, is kept if few are closer; else its arena is freed. */
static void
keep_close(struct budget *b, struct module *planned, struct model *model)
{
	struct close new = { planned, { NULL, 0, 0, 0 } };
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

/* As arena_of_trial(), but no further than it takes to see that it does not fit. */
static bool
fits_as(struct budget *b, struct model *model, bool tight)
{
	struct arena *own = arena_child(b->m->arena);
	struct module *copy = copy_of_trial(b->m, model, own);
	struct pass_options quiet = of_trials(b->o);
	bool close, fits;

	quiet.tight = tight;
	close = passes_between(copy, &quiet, "recompute", "lifetimes") && copy->plan->lower_bound_bytes <= b->bytes &&
	    passes_between(copy, &quiet, "lifetimes", "place");
	fits = close && copy->plan->arena_bytes <= b->bytes && passes_finish(copy, &quiet, "place");
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
static bool
fits_budget(struct model *model, void *context)
{
	struct budget *b = context;

	return fits_as(b, model, false) || (module_ranks(b->m) > 1 && fits_as(b, model, true));
}

/* Nothing fits as it is placed with a network's effort. What is close gets more, in an order that
 * does not depend on the budget, so that for a smaller one the arena is no larger. The model's
 * trial is of what fits. */
static bool
place_close(struct budget *b, struct model *model)
{
	struct pass_options quiet = of_trials(b->o);
	int i;

	for (i = 0; i < b->nclose; i++) {
		struct module *m = b->close[i].planned;

		plan_place_on(m, m->plan, CLOSE_EFFORT);
		if (m->plan->arena_bytes > b->bytes || !passes_finish(m, &quiet, "place"))
			continue;
		steps_try(model, &b->close[i].steps);
		b->planned = m;
		return true;
	}
	return false;
}

static void
forget_close(struct budget *b)
{
	while (b->nclose > 0)
		arena_free(b->close[--b->nclose].planned->arena);
}

/* Does the model's last trial, which was PLANNED, cost less than what was FOUND before at that
 * cost, or as much in a smaller arena? */
static bool
is_cheaper(const struct model *model, const struct module *planned, const struct module *found, double cost)
{
	return !found || recompute_cost(model->trial) < cost || planned->plan->arena_bytes < found->plan->arena_bytes;
}

/* Puts the step into the order that the pass gives one that makes nothing again; returns the one
 * that stood. NULL: that stands. */
static struct node **
reorder(struct budget *b, struct model *model)
{
	struct pass_options quiet = of_trials(b->o);
	struct graph *g = b->m->train;
	size_t size = (size_t)g->nodes.n * sizeof(struct node *);
	struct node **stood = arena_alloc(model->arena, size);

	if (pass_is_left_out(&pass_order, b->o))
		return NULL;
	memcpy(stood, g->nodes.v, size);
	order_graph(g, &quiet);
	if (memcmp(stood, g->nodes.v, size) == 0)
		return NULL;
	step_reorder(model);
	return stood;
}

static void
reorder_back(struct budget *b, struct model *model, struct node **stood)
{
	struct graph *g = b->m->train;

	memcpy(g->nodes.v, stood, (size_t)g->nodes.n * sizeof(*stood));
	step_reorder(model);
}

/* What OTHER found in the other order is taken, or that which stood stands again. */
static bool
take_other(struct budget *b, struct budget *other, struct model *model, bool better, struct node **stood)
{
	struct module *worse = better ? b->planned : other->planned;

	forget_close(other);	/* its events are numbered by the other order */
	if (worse)
		arena_free(worse->arena);
	if (better)
		b->planned = other->planned;
	else
		reorder_back(b, model, stood);
	return better;
}

/* The cheapest way in the order that stands, or in the other one: of either there are budgets for
 * which it is cheaper by some percent. The model's trial is of what fits, and where that is in the
 * other order, so is the graph. */
static bool
search_both_orders(struct budget *b, struct model *model, const struct search_limits *limits)
{
	struct budget other = { .m = b->m, .o = b->o, .bytes = b->bytes };
	struct search_limits there = *limits;
	struct steps steps = steps_new(model);
	struct node **stood;
	bool better;

	if (recompute_cheapest(model, limits, HUGE_VAL))
		steps_of_trial(model, &steps);
	if (!(stood = reorder(b, model)))
		return b->planned != NULL;
	there.context = &other;
	better = recompute_cheapest(model, &there, steps.cost) &&
	    is_cheaper(model, other.planned, b->planned, steps.cost);
	return take_other(b, &other, model, better, stood) || (b->planned && steps_try(model, &steps));
}

/* All the way down in the other order; what its trials come to is ordered once more, so this may
 * fit where no way does. Else the model's trial is again that which it was: events of the other
 * order mean other nodes in this. */
static bool
go_down_in_other_order(struct budget *b, struct model *model, const struct search_limits *limits)
{
	struct budget other = { .m = b->m, .o = b->o, .bytes = b->bytes };
	struct search_limits there = *limits;
	struct steps steps = steps_new(model);
	struct node **stood;

	steps_of_trial(model, &steps);
	if (!(stood = reorder(b, model)))
		return false;
	there.context = &other;
	if (take_other(b, &other, model, recompute_go_down(model, &there), stood))
		return true;
	steps_try(model, &steps);
	return false;
}

/* The smallest arena that was found, that of the last trial included. */
static int64_t
least_found(struct budget *b, struct model *model)
{
	int64_t least = arena_of_trial(b->m, b->o, model, false);
	int i;

	for (i = 0; i < b->nclose; i++)
		if (b->close[i].planned->plan->arena_bytes < least)
			least = b->close[i].planned->plan->arena_bytes;
	return least;
}

static bool
never(struct model *model, void *context)
{
	(void)model;
	(void)context;
	return false;
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

/* One question may take a third of what is left, so that one in vain leaves something for others.
 * More seconds than usual let the same search go on where it would have ended. */
static int64_t
work_for(const struct module *m, const struct pass_options *o)
{
	return o->search_work ? *o->search_work / 3 : (is_asked(m, o) ? RECOMPUTE_ASKED : RECOMPUTE_WORK) +
	    (int64_t)(o->seconds * RECOMPUTE_SECOND);
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
	    .most_work = work_for(m, o), .products = true, .unasked = for_speed(m, o), .asked = is_asked(m, o), .fits = fits_budget,
	    .context = &budget };
	bool small, found;

	if (m->set.recompute_budget && limits.budget < 0) {
		found_impossible(m, bytes - limits.budget);
		return false;
	}
	step_try(model);
	small = recompute_is_small(model);
	found = fits_budget(model, &budget) || (small && search_both_orders(&budget, model, &limits)) ||
	    recompute_go_down(model, &limits) || (small && go_down_in_other_order(&budget, model, &limits)) ||
	    (!o->search_work && place_close(&budget, model));
	m->cut_short = model->work >= limits.most_work;
	if (o->search_work)
		*o->search_work -= model->work < *o->search_work ? model->work : *o->search_work;
	*planned = found ? budget.planned : NULL;
	if (found || !m->set.recompute_budget)
		return true;
	found_none(m, least_found(&budget, model));
	return false;
}

/* ---- without a budget ---- */

/* The cheap choice is made for one fixed batch, whatever the real one is, so that bytes grow as
 * smoothly with the batch as sizes do: the search for the largest batch relies on that. */
#define USUAL_BATCH	32

static void
search_cheaply(struct module *m, struct model *model)
{
	const struct search_limits cheap = { .budget = -1, .most_work = INT64_MAX,
	    .fits = never };
	struct known_choices *known = m->options ? m->options->choices : NULL;
	uint64_t key = known_choices_key(model);

	if (known && known_choices_find(known, key, model))
		return;
	recompute_search(model, &cheap);
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

static bool
choose(struct module *m, const struct pass_options *o, struct model *model, struct module **planned)
{
	if (for_speed(m, o) || (m->set.recompute == RECOMPUTE_AUTO &&
	    (m->set.recompute_budget || m->set.device.given)))
		return stay_within(m, o, model, planned);
	choose_cheap(m, model);
	step_try(model);
	if (m->set.recompute != RECOMPUTE_PATTERN)
		keep_if_no_gain(m, o, model);
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
