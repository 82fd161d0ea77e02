/*
 * In which order of the step to look for what to make again: as nodes stand, and as the pass
 * `order` would put a step that makes nothing again. In small networks there are more:
 *
 *     both of these, with the updates of small weights behind everything else. What is made again
 *     reads weights as they were, so it must come before they are updated; an update that waits
 *     costs a gradient's bytes, which in a convolution are few.
 *
 *     as the pass puts the step in which what is cheap is made again.
 *
 *     as it puts what was found, with all that is made again in it, until that gets no cheaper.
 */
#include "schedule/recompute_budget.h"

#include <math.h>
#include <string.h>

#include "ir/pass.h"
#include "plan/plan.h"
#include "schedule/order.h"

#define MOST_ORDERS	8
#define MOST_REFINED	3	/* times that what fits is ordered once more */
#define SMALL	128	/* part of the budget that a gradient takes at most whose update waits */

static const struct way {
	bool ordered;		/* by the pass */
	bool late;		/* small updates come last */
} way[] = { { false, false }, { true, false }, { false, true }, { true, true } };

struct found {			/* the cheapest so far */
	struct budget budget;	/* what is planned of it, if anything is */
	struct steps steps;
	struct node **order;
};

/* Does something that is no update read what one makes, as where a step has several? */
static bool
updates_are_read(const struct graph *g)
{
	int i, k;

	for (i = 0; i < g->nodes.n; i++)
		for (k = 0; g->nodes.v[i]->phase != PHASE_UPDATE && k < g->nodes.v[i]->nin; k++) {
			const struct tensor *t = g->nodes.v[i]->in[k];

			if (t && t->def && t->def->phase == PHASE_UPDATE)
				return true;
		}
	return false;
}

/* Do the inputs of an update that do not last take few bytes? */
static bool
is_small_update(const struct node *n, int64_t budget)
{
	int64_t bytes = 0;
	int k;

	for (k = 0; k < n->nin; k++)
		if (n->in[k] && !tensor_persistent(n->in[k]))
			bytes += tensor_bytes(n->in[k]).fixed;
	return n->phase == PHASE_UPDATE && bytes <= budget / SMALL;
}

/* Small updates go behind all else, as they follow one another. */
static void
put_updates_last(struct graph *g, struct arena *a, int64_t budget)
{
	struct node **late = arena_array(a, (size_t)g->nodes.n + 1, sizeof(*late));
	int n = 0, kept = 0, i;

	for (i = 0; i < g->nodes.n; i++) {
		if (is_small_update(g->nodes.v[i], budget))
			late[n++] = g->nodes.v[i];
		else
			g->nodes.v[kept++] = g->nodes.v[i];
	}
	memcpy(g->nodes.v + kept, late, (size_t)n * sizeof(*late));
}

static size_t
order_size(const struct graph *g)
{
	return (size_t)g->nodes.n * sizeof(struct node *);
}

static struct node **
order_that_stands(const struct graph *g, struct arena *a)
{
	struct node **v = arena_alloc(a, order_size(g) + 1);

	memcpy(v, g->nodes.v, order_size(g));
	return v;
}

static void
put_back(struct budget *b, struct model *model, struct node *const *order)
{
	struct graph *g = b->m->train;

	memcpy(g->nodes.v, order, order_size(g));
	step_reorder(model);
}

/* Puts the graph, which stands as GIVEN, into an order; false where that can't be. */
static bool
put_in_order(struct budget *b, struct model *model, struct node *const *given, const struct way *w)
{
	struct pass_options quiet = budget_options(b->o);
	struct graph *g = b->m->train;

	memcpy(g->nodes.v, given, order_size(g));
	if ((w->ordered && pass_is_left_out(&pass_order, b->o)) || (w->late && updates_are_read(g)))
		return false;
	if (w->ordered)
		order_graph(g, &quiet);
	if (w->late)
		put_updates_last(g, model->arena, b->bytes);
	return true;
}

/* Does the model's last trial, which was PLANNED, cost less than what was FOUND before at that
 * cost, or as much in a smaller arena? */
static bool
is_cheaper(const struct model *model, const struct module *planned, const struct module *found, double cost)
{
	return !found || recompute_cost(model->trial) < cost || planned->plan->arena_bytes < found->plan->arena_bytes;
}

/* Searches in the order that stands, and keeps what is cheaper than what was found. */
static void
search_order(struct found *f, struct model *model, const struct search_limits *limits)
{
	struct budget other = { .m = f->budget.m, .o = f->budget.o, .bytes = f->budget.bytes, .thorough = f->budget.thorough };
	struct search_limits there = *limits;
	struct module *worse = NULL;

	there.context = &other;
	if (recompute_cheapest(model, &there, f->steps.cost) &&
	    is_cheaper(model, other.planned, f->budget.planned, f->steps.cost)) {
		worse = f->budget.planned;
		f->budget.planned = other.planned;
		steps_of_trial(model, &f->steps);
		f->order = order_that_stands(f->budget.m->train, model->arena);
	} else {
		worse = other.planned;
	}
	budget_forget_close(&other);	/* its events are numbered by this order */
	if (worse)
		arena_free(worse->arena);
}

/* ---- all orders ---- */

struct orders {
	struct budget *b;
	struct model *model;
	const struct search_limits *limits;
	struct node **seen[MOST_ORDERS];
	int n;
	struct found found;
};

/* Searches in the order in which the graph was put, if it is new. */
static bool
try_order(struct orders *o)
{
	const struct graph *g = o->b->m->train;
	double cost = o->found.steps.cost;
	int i;

	for (i = 0; i < o->n; i++)
		if (memcmp(g->nodes.v, o->seen[i], order_size(g)) == 0)
			return false;
	if (o->n == MOST_ORDERS)
		return false;
	o->seen[o->n++] = order_that_stands(g, o->model->arena);
	step_reorder(o->model);
	search_order(&o->found, o->model, o->limits);
	return o->found.steps.cost < cost;
}

/* Puts the graph into the order that the pass gives it with what the model's last trial makes
 * again. That, as it then runs, is left in STEPS, if there are any: by nodes of the new order. */
static void
order_as_trial(struct budget *b, struct model *model, struct steps *steps)
{
	struct pass_options quiet = budget_options(b->o);
	struct arena *scratch = arena_child(model->arena);
	struct module *copy = budget_copy_of_trial(b->m, model, scratch);
	int *old = arena_array(scratch, (size_t)copy->next_node + 1, sizeof(*old));	/* by node of the copy, + 1 */
	struct node **now = arena_array(scratch, order_size(b->m->train) + 1, 1);
	const struct trial *t = model->trial;
	int i, n = 0;

	for (i = 0; i < t->nevents; i++)
		if (!t->event[i].again)
			old[copy->train->nodes.v[i]->id] = t->event[i].node + 1;
	order_graph(copy->train, &quiet);
	if (steps)
		steps->n = 0;
	for (i = 0; i < copy->train->nodes.n; i++) {
		const struct node *x = copy->train->nodes.v[i];
		int of = old[x->again ? x->again->id : x->id] - 1, out = model->node[of].nout ? model->node[of].out[0] : -1;

		if (!x->again)
			now[n++] = b->m->train->nodes.v[of];
		if (steps && (!x->again || model->value[out].root == out))
			steps->event[steps->n++] = (struct step_event){ x->again, x->again ? out : n - 1 };
	}
	memcpy(b->m->train->nodes.v, now, order_size(b->m->train));
	arena_free(scratch);
}

/* With what is cheap, and with what was found. */
static void
try_orders_of_trials(struct orders *o)
{
	bool better = true;

	put_back(o->b, o->model, o->seen[0]);
	recompute_cheaply(o->model);
	order_as_trial(o->b, o->model, NULL);
	try_order(o);
	while (better && o->found.budget.planned) {
		put_back(o->b, o->model, o->found.order);
		steps_try(o->model, &o->found.steps);
		order_as_trial(o->b, o->model, NULL);
		better = try_order(o);
	}
}

bool
search_orders(struct budget *b, struct model *model, const struct search_limits *limits, bool many)
{
	struct orders o = { .b = b, .model = model, .limits = limits, .n = 1,
	    .found = { .budget = { .m = b->m, .o = b->o, .bytes = b->bytes, .thorough = many }, .steps = steps_new(model) } };
	size_t i;

	o.seen[0] = o.found.order = order_that_stands(b->m->train, model->arena);
	b->thorough = many;
	if (recompute_cheapest(model, limits, HUGE_VAL))
		steps_of_trial(model, &o.found.steps);
	o.found.budget.planned = b->planned;
	for (i = 1; i < (many ? sizeof(way) / sizeof(*way) : 2); i++)
		if (put_in_order(b, model, o.seen[0], &way[i]))
			try_order(&o);
	if (many && !pass_is_left_out(&pass_order, b->o))
		try_orders_of_trials(&o);
	put_back(b, model, o.found.order);
	if (o.found.order != o.seen[0])
		budget_forget_close(b);	/* its events are numbered by the order that was */
	b->planned = o.found.budget.planned;
	b->thorough = false;
	return b->planned && steps_try(model, &o.found.steps);
}

bool
go_down_in_other_order(struct budget *b, struct model *model, const struct search_limits *limits)
{
	struct found f = { .budget = { .m = b->m, .o = b->o, .bytes = b->bytes }, .steps = steps_new(model) };
	struct search_limits there = *limits;
	bool good;

	f.order = order_that_stands(b->m->train, model->arena);
	steps_of_trial(model, &f.steps);
	if (!put_in_order(b, model, f.order, &way[1]) ||
	    memcmp(b->m->train->nodes.v, f.order, order_size(b->m->train)) == 0) {
		memcpy(b->m->train->nodes.v, f.order, order_size(b->m->train));
		return false;
	}
	step_reorder(model);
	there.context = &f.budget;
	good = recompute_go_down(model, &there);
	budget_forget_close(&f.budget);	/* its events are numbered by the other order */
	if (good) {
		budget_forget_close(b);	/* and these by the one that was */
		b->planned = f.budget.planned;
		b->at_last = f.budget.at_last;
		return true;
	}
	put_back(b, model, f.order);
	steps_try(model, &f.steps);
	return false;
}

/* Once; false where nothing better is found. */
static bool
refine(struct budget *b, struct model *model, const struct search_limits *limits)
{
	struct budget other = { .m = b->m, .o = b->o, .bytes = b->bytes, .most_work = limits->most_work };
	struct search_limits there = *limits;
	struct steps was = steps_new(model), now = steps_new(model);
	struct node **order = order_that_stands(b->m->train, model->arena);
	bool better;

	steps_of_trial(model, &was);
	order_as_trial(b, model, &now);
	step_reorder(model);
	there.context = &other;
	if (there.most_work > model->work + limits->work / RECOMPUTE_REFINED)
		there.most_work = model->work + limits->work / RECOMPUTE_REFINED;
	better = steps_try(model, &now) && recompute_refine(model, &there, &now);
	if (better || !budget_place_close(model, &other))
		budget_forget_close(&other);
	if (better)
		steps_try(model, &now);
	else if (!other.planned) {
		put_back(b, model, order);
		steps_try(model, &was);
		return false;
	}
	arena_free(b->planned->arena);
	b->planned = other.planned;
	return true;
}

void
refine_in_own_order(struct budget *b, struct model *model, const struct search_limits *limits)
{
	int i;

	for (i = 0; i < MOST_REFINED && model->work < limits->most_work && refine(b, model, limits); i++)
		;
}
