/*
 * Running the passes: over a module, over a copy of it for a quick sketch, and over a copy with
 * other settings.
 */
#include "passes/passes.h"

#include <math.h>

#include "ops/pointwise.h"
#include "plan/estimate.h"
#include "plan/placed.h"
#include "plan/plan.h"
#include "schedule/known_choices.h"
#include "schedule/known_orders.h"
#include "schedule/recompute.h"
#include "target/target.h"

#define QUESTIONS	36000	/* nodes of forward that questions of one network may plan: about a second */
#define PLAN		200	/* as many nodes take what every plan does */
#define LARGER		2600	/* a node among so many takes twice as long as one of few: caches do not hold them */
#define VISITS		40000	/* and as a node, so many visits in placing buffers */

/* The options that a module keeps, with which questions of it are planned: they share what searches
 * may do, and what may be planned. */
static const struct pass_options *
for_questions(struct module *m, const struct pass_options *o)
{
	struct pass_options *kept = ARENA_NEW(m->arena, struct pass_options);

	*kept = *o;
	kept->seconds = 0;
	if (!kept->search_work) {
		kept->search_work = ARENA_NEW(m->arena, int64_t);
		*kept->search_work = RECOMPUTE_QUESTIONS;
	}
	if (!kept->batch_work) {
		kept->batch_work = ARENA_NEW(m->arena, int64_t);
		*kept->batch_work = RECOMPUTE_BATCHES;
	}
	if (!kept->question_work) {
		kept->question_work = ARENA_NEW(m->arena, int64_t);
		*kept->question_work = QUESTIONS;
	}
	if (!kept->placed)
		kept->placed = placed_new(m->arena);
	if (!kept->choices)
		kept->choices = known_choices_new(m->arena);
	if (!kept->orders)
		kept->orders = known_orders_new(m->arena);
	if (!kept->reads) {
		kept->reads = ARENA_NEW(m->arena, struct pointwise_reads);
		kept->reads->arena = m->arena;
	}
	return kept;
}

/* ---- sketches ---- */

/* Recomputation by name or to a budget was requested by the user, whatever it costs. */
static bool
can_sketch(const struct module *m, const struct pass_options *o)
{
	return !m->broken && !o->dump_after && m->set.recompute != RECOMPUTE_PATTERN &&
	    !m->set.recompute_budget;
}

static bool
is_beyond(const struct module *m, int64_t bytes)
{
	return m->set.device.given && m->set.device.memory > 0 && bytes > m->set.device.memory;
}

#define LARGE	2000	/* nodes of forward that are worth an arena */

struct arena *
passes_sketch_arena(struct module *m)
{
	return m->forward && m->forward->nodes.n > LARGE ? arena_child(m->arena) : m->arena;
}

struct module *
passes_sketch(struct module *m, const struct pass_options *o)
{
	struct pass_options quick = *o;
	struct diags *quiet = ARENA_NEW(m->arena, struct diags);
	struct module *copy;

	if (!can_sketch(m, o))
		return NULL;
	diags_init(quiet, m->arena);
	copy = passes_copy(m, &m->set, quiet);
	copy->options = for_questions(m, o);	/* these are planned in full */
	quick.sketch = quick.bound_only = true;
	if (!passes_finish(copy, &quick, NULL) || quiet->all.n || is_beyond(m, copy->plan->lower_bound_bytes))
		return NULL;
	quick.bound_only = o->bound_only;
	if (!passes_finish(copy, &quick, "lifetimes") || quiet->all.n)
		return NULL;
	copy->diags = m->diags;
	return copy;
}

/* ---- questions ---- */

static int64_t
work_of(const struct module *m)
{
	int64_t nodes = m->forward->nodes.n;

	return nodes + nodes * nodes / LARGER + PLAN + (m->plan ? m->plan->visits / VISITS : 0);
}

bool
passes_afford(const struct module *m)
{
	const int64_t *left = m->options ? m->options->question_work : NULL;

	if (settings_stages(&m->set) > 1)
		return false;	/* of all ranks: this is the plan of one */
	return !left || (work_of(m) <= QUESTIONS / 2 && *left >= work_of(m));
}

struct arena *
passes_scratch(struct module *m)
{
	if (!m->scratch)
		return m->arena;
	if (!*m->scratch)
		*m->scratch = arena_child(m->arena);
	return *m->scratch;
}

/* ---- copies ---- */

/* The passes derive everything afresh in a copy; only a tensor's link to its gradient is written by
 * them in what is shared, so it is put back. */
static struct tensor **
take_gradients(struct module *m, struct arena *a)
{
	struct tensor **gradient = arena_array(a, (size_t)m->persistent.n + 1, sizeof(*gradient));
	int i;

	for (i = 0; i < m->persistent.n; i++) {
		struct tensor *t = tensor_declared(m->persistent.v[i]);

		if ((gradient[i] = tensor_gradient(t)))
			t->gradient = NULL;
	}
	return gradient;
}

static void
give_gradients(struct module *m, struct tensor *const *gradient)
{
	int i;

	for (i = 0; i < m->persistent.n; i++) {
		struct tensor *t = tensor_declared(m->persistent.v[i]);

		if (t->kind == T_PARAM)
			t->gradient = gradient[i];
	}
}

/* ---- whole plans ---- */

static bool
is_too_large(const struct module *m)
{
	return m->plan && is_beyond(m, m->plan->arena_bytes);
}

/* The weights are alive from first to last in every plan, and forward reads the same ones. */
static bool
weights_are_too_large(const struct module *m)
{
	int64_t bytes = 0;
	int i;

	for (i = 0; i < m->plan->buffers.n; i++)
		if (m->plan->buffers.v[i].root->kind == T_PARAM)
			bytes += m->plan->buffers.v[i].bytes;
	return is_beyond(m, bytes);
}

/* The copy is the module from now on. */
static void
take_over(struct module *m, const struct module *copy)
{
	struct graph **graph[] = { &m->forward, &m->train, &m->update, &m->validate };
	size_t i;

	*m = *copy;
	for (i = 0; i < sizeof(graph) / sizeof(*graph); i++)
		if (*graph[i])
			(*graph[i])->module = m;
}

/* A search leaves less alive at any time, but nothing keeps the gaps between buffers from growing.
 * Where that would decide what fits, the plan without a search stands. */
static bool
fall_back(struct module *m, const struct pass_options *o)
{
	struct module *sketch, in = *m;
	struct tensor **gradient = take_gradients(m, m->arena);

	in.arena = passes_sketch_arena(m);
	sketch = passes_sketch(&in, o);
	if (!sketch || is_too_large(sketch)) {
		give_gradients(m, gradient);
		if (in.arena != m->arena)
			arena_free(in.arena);
		return true;
	}
	take_over(m, sketch);
	m->plan->sketch = false;
	return plan_verify(m, m->plan, m->diags);
}

/* ---- for speed within few bytes ---- */

/* Where calls wait for bytes, or make some again, the plan for the fewest may be over earlier. Of a
 * pipeline stages are not compared one by one. */
static bool
may_be_slower(const struct module *m, const struct pass_options *o)
{
	return o->speed && o->most_bytes && o->target->is_gpu && !o->dump_after && !o->bound_only && m->train &&
	    settings_stages(&m->set) <= 1 && (m->plan->apart == APART_NO_ROOM || m->plan->recomputed.nodes);
}

/* Nanoseconds of a step; without end where it does not fit. */
static double
takes_within(const struct module *m, int64_t most)
{
	return m->plan->arena_bytes <= most ? plan_step_takes(m) : INFINITY;
}

/* Graphs as for the fewest bytes, and for speed what comes after them: places, branches, one kernel
 * for all. NULL: there is no such plan. */
static struct module *
plan_least_for_speed(struct module *m, const struct pass_options *o, struct arena *a)
{
	struct pass_options least = *o, kept = *m->options;
	struct diags *quiet = ARENA_NEW(a, struct diags);
	struct module in = *m, *copy;
	bool planned;

	least.speed = kept.speed = false;
	least.most_bytes = kept.most_bytes = 0;
	diags_init(quiet, a);
	in.arena = a;
	copy = passes_copy(&in, &m->set, quiet);
	copy->options = &kept;
	planned = passes_between(copy, &least, NULL, "lifetimes") && passes_finish(copy, o, "lifetimes") && !quiet->all.n;
	copy->options = m->options;
	copy->diags = m->diags;
	return planned ? copy : NULL;
}

/* By the card's rates. A search takes the first choice of what to make again that fits, and packs
 * its bytes as low as it can; which calls wait for which then comes of both by chance. */
static void
take_least_if_faster(struct module *m, const struct pass_options *o)
{
	struct arena *a = arena_child(m->arena);
	struct tensor **gradient = take_gradients(m, m->arena);
	struct module *least = plan_least_for_speed(m, o, a);

	if (least && takes_within(least, o->most_bytes) < takes_within(m, o->most_bytes)) {
		least->arena = m->arena;
		take_over(m, least);
		return;
	}
	give_gradients(m, gradient);
	arena_free(a);
}

bool
passes_run(struct module *m, const struct pass_options *o)
{
	struct pass_options own = *o;
	bool planned;

	m->options = for_questions(m, o);
	if (o->most_bytes || m->set.recompute_budget)	/* a search for that places what then is the plan */
		own.placed = m->options->placed;
	planned = passes_finish(m, &own, NULL);
	if (planned && may_be_slower(m, o))
		take_least_if_faster(m, &own);
	if (o->question_work)
		*o->question_work -= work_of(m);
	return planned && (!is_too_large(m) || weights_are_too_large(m) || fall_back(m, o));
}

/* ---- other settings ---- */

/* A copy of M through the passes up to LAST; NULL: through all, to a plan. */
static struct module *
copy_through(struct module *m, const struct settings *set, struct pass_options *o, const char *last)
{
	struct arena *a = passes_scratch(m);
	struct diags *quiet = ARENA_NEW(a, struct diags);
	struct module *copy, in = *m;
	struct tensor **gradient;
	bool good;

	o->dump_after = NULL;
	diags_init(quiet, a);
	in.arena = a;
	copy = passes_copy(&in, set, quiet);
	gradient = take_gradients(m, a);
	good = last ? passes_between(copy, o, NULL, last) : passes_run(copy, o) && copy->plan;
	give_gradients(m, gradient);
	return good ? copy : NULL;
}

struct module *
passes_replan(struct module *m, const struct settings *set, bool bound_only)
{
	struct pass_options o = *m->options;

	o.bound_only |= bound_only;
	return copy_through(m, set, &o, NULL);
}

struct module *
passes_again(struct module *m, const char *before)
{
	struct pass_options o = *m->options;

	return copy_through(m, &m->set, &o, pass_before(before));
}
