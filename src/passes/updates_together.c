/*
 * updates-together: lets weights' updates wait for one another, so that one launch does many of
 * them (emit/updates.c), and gradients that are added to those of earlier micro-batches likewise.
 * Each stands behind its gradient, which dies there: the right place where memory is tight, but a
 * network has a hundred of them, and on a GPU each launch costs as much as the update of ten
 * thousand weights.
 *
 *     dw3 dx3 u3 dw2 dx2 u2 dw1 u1     ->     dw3 dx3 dw2 dx2 dw1 u3 u2 u1
 *
 * An update that waits keeps its gradient alive; where that was added onto the momentum, it costs
 * nothing. So updates wait until a node comes that leaves too little room for what they keep alive,
 * beside what it needs, below the peak of training or, where that is higher, of validation: then
 * all that wait run before it. Their order is unchanged, and results are bit-identical.
 *
 * Where several ranks train together, the wait for a gradient's sum over all of them stands before
 * its update, and waits with it: until then backward goes on while sums are on their way. The waits
 * come first, then the updates; what begins last (passes/buckets.c) is waited for behind all other
 * updates, which a rank that comes early does while others come to it:
 *
 *     dw3 begin3 wait3 u3 dx3 dw2 begin2 wait2 u2 dw1 begin1 wait1 u1
 *         ->     dw3 begin3 dx3 dw2 begin2 dw1 begin1 wait3 wait2 u3 u2 wait1 u1
 *
 * and after them what brings the new weights to all ranks, if each updates its piece alone; that is
 * waited for as late as can be: where the next of several updates reads them, or at the end.
 *
 * There a wait amid backward stops all ranks until the slowest has come so far, however little it
 * waits for. So what waits may also take a 256th of the peak anywhere, which with gradients that
 * are added onto the momentum is enough for all others: then ranks wait for one another but once in
 * a step. Where the device has no room for that, it takes nothing; for a budget,
 * schedule/recompute.c tries both ways.
 *
 * They take a quarter of the free bytes, and none if there are hardly any. Taking all of them would
 * not raise the lower bound of an arena either, but leaves so few gaps that ResNet-18's arena in
 * bf16 grew by 4 MiB; so it has six launches instead of three (and instead of 38).
 *
 * Reads: train and validate after feed. Writes: the order of train's nodes. Invariants after: 1.
 * every node comes after those that define what it reads; 2. the arena's lower bound is what it
 * was, and of several ranks no more than a 256th above it.
 */
#include <string.h>

#include "target/target.h"
#include "ir/op.h"
#include "ir/pass.h"
#include "plan/plan.h"
#include "schedule/step.h"

struct waiting {
	struct graph *g;
	const struct model *m;
	struct node **made;	/* the new order, so far */
	int nmade;
	struct node **update;	/* that wait */
	struct node **late;	/* those of them that wait for weights, */
	int nlate;
	bool *waits;		/* by a node's id */
	int n;
	int early;		/* of them wait for nothing that begins last */
	int64_t bytes;		/* what they keep alive */
	int64_t limit;		/* of what is alive at once */
	int64_t spare;		/* bytes above it, that what waits may take anywhere */
	int64_t most;		/* bytes alive at once that the device has room for */
	int runs;		/* launches */
};

static int
count_runs(const struct graph *g)
{
	int runs = 0, i;

	for (i = 0; i < g->nodes.n; i++)
		runs += g->nodes.v[i]->op->calls.row && (i == 0 || !g->nodes.v[i - 1]->op->calls.row);
	return runs;
}

enum { WAITS_FOR_SUM, UPDATES, BEGINS_GATHER, PLACES, WAITS_FOR_GATHER = PLACES, RUNS_AT_ONCE };

/* In which place among those that wait. */
static int
place_of(const struct op *op)
{
	if (op->calls.row)
		return UPDATES;
	if (op->ranks.between == BETWEEN_GATHER)
		return op->ranks.waits ? WAITS_FOR_GATHER : BEGINS_GATHER;
	return op->ranks.waits ? WAITS_FOR_SUM : RUNS_AT_ONCE;
}

/* Of those that wait, these run here: first those that wait for other ranks themselves. */
static void
run_from(struct waiting *w, int from, int to)
{
	int i, k;

	for (k = 0; k < PLACES; k++)
		for (i = from; i < to; i++)
			if (place_of(w->update[i]->op) == k)
				w->made[w->nmade++] = w->update[i];
	w->runs += to > from;
}

/* All that wait run here. */
static void
flush(struct waiting *w)
{
	run_from(w, 0, w->early);
	run_from(w, w->early, w->n);
	while (w->n > 0)
		w->waits[w->update[--w->n]->id] = false;
	w->early = 0;
	w->bytes = 0;
}

/* And the new weights are there. */
static void
flush_all(struct waiting *w)
{
	int i;

	flush(w);
	for (i = 0; i < w->nlate; i++) {
		w->made[w->nmade++] = w->late[i];
		w->waits[w->late[i]->id] = false;
	}
	w->nlate = 0;
}

/* What dies at node I, where nothing else is made of its bytes. */
static int64_t
dying(const struct model *m, int i)
{
	const struct trial *t = m->trial;
	const struct model_node *n = &m->node[i];
	int64_t bytes = 0;
	int k;

	for (k = 0; k < n->nin; k++) {
		int v = n->in[k] < 0 ? -1 : t->overwrites[t->root[n->in[k]]];

		if (v >= 0 && !m->value[v].persistent && t->times[v].last == i)
			bytes += t->bytes[v];
	}
	return bytes;
}

/* What may wait beside a node that needs so much. */
static int64_t
room(const struct waiting *w, int64_t live)
{
	int64_t left = w->limit - live, free = left < w->limit / 512 ? 0 : left / 4;

	return free > w->spare ? free : w->spare;
}

/* Does the node read what an update made that still waits? */
static bool
reads_waiting(const struct waiting *w, const struct node *n)
{
	int k;

	for (k = 0; w->n + w->nlate > 0 && k < n->nin; k++)
		if (n->in[k] && n->in[k]->def && w->waits[n->in[k]->def->id])
			return true;
	return false;
}

/* Which node begins the last bucket; 0: there is none. */
static int
last_bucket(const struct graph *g)
{
	int64_t most = plan_bucket_bytes(g->module), bytes = most;
	int i, first = 0;

	for (i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];

		if (!op_begins_between(n->op) || n->op->ranks.between == BETWEEN_GATHER)
			continue;
		first = bytes >= most ? i : first;
		bytes = affine_at(tensor_bytes(n->in[0]), 1) + (bytes >= most ? 0 : bytes);
	}
	return first;
}

static void
gather(struct waiting *w)
{
	const struct trial *t = w->m->trial;
	int last = last_bucket(w->g), i;

	for (i = 0; i < w->g->nodes.n; i++) {
		struct node *n = w->g->nodes.v[i];

		w->early = i == last ? w->n : w->early;
		if (place_of(n->op) == WAITS_FOR_GATHER) {
			w->late[w->nlate++] = n;
			w->waits[n->id] = true;
			continue;
		}
		if (place_of(n->op) != RUNS_AT_ONCE) {
			w->update[w->n++] = n;
			w->waits[n->id] = true;
			w->bytes += dying(w->m, i);
			continue;
		}
		if (reads_waiting(w, n))
			flush_all(w);
		else if (w->bytes > room(w, t->live[i]))
			flush(w);
		w->made[w->nmade++] = n;
	}
	flush_all(w);
}

static int64_t
peak_of(struct graph *g, const struct pass_options *o)
{
	struct arena *a = arena_child(g->module->arena);
	struct model *m = step_model(a, g, o, STEP_ONCE);
	int64_t peak = m && step_try(m) ? m->trial->peak : INT64_MAX;

	arena_free(a);
	return peak;
}

/* Where the next batches of a graph land: beside all that is alive in it. */
static int64_t
landings(const struct graph *g, const struct pass_options *o)
{
	int64_t mask = o->target->alignment - 1, sum = 0;
	int i;

	for (i = 0; i < g->inputs.n; i++)
		if (tensor_landing(g->inputs.v[i]))
			sum += (affine_at(tensor_bytes(g->inputs.v[i]), g->batch) + mask) & ~mask;
	return sum;
}

/* What train, which needs PEAK, may need without a larger arena. */
static int64_t
limit_of(struct module *m, const struct pass_options *o, int64_t peak)
{
	int64_t other = m->validate && m->validate->nodes.n ? peak_of(m->validate, o) : 0;

	if (other == INT64_MAX)
		return peak;
	if (m->validate)
		other += landings(m->validate, o) - landings(m->train, o);
	return other > peak ? other : peak;
}

/* The graph in the new order, if that takes no more than it may; else as it was. */
static bool
put_together(struct waiting *w, struct model *model)
{
	struct arena *a = arena_child(model->arena);
	struct graph *g = w->g;
	size_t n = (size_t)g->nodes.n, size = n * sizeof(struct node *);
	struct node **old = arena_array(a, n + 1, sizeof(*old));
	int64_t peak;
	bool stands = true;

	memcpy(old, g->nodes.v, size);
	w->nmade = w->runs = 0;
	gather(w);
	if (w->runs < count_runs(g) || g->module->set.ranks > 1) {
		memcpy(g->nodes.v, w->made, size);
		step_reorder(model);
		peak = step_try(model) ? model->trial->peak : INT64_MAX;
		stands = peak <= w->limit || (peak <= w->limit + w->spare && peak <= w->most);
	}
	if (!stands) {
		memcpy(g->nodes.v, old, size);
		step_reorder(model);
		step_try(model);
	}
	arena_free(a);
	return stands;
}

static void
bring_together(struct module *m, const struct pass_options *o)
{
	struct arena *a = arena_child(m->arena);
	struct graph *g = m->train;
	size_t n = (size_t)g->nodes.n;
	struct model *model = step_model(a, g, o, STEP_ONCE);
	struct waiting w = { .g = g, .m = model, .made = arena_array(a, n + 1, sizeof(*w.made)),
		.update = arena_array(a, n + 1, sizeof(*w.update)), .late = arena_array(a, n + 1, sizeof(*w.late)),
		.waits = arena_array(a, (size_t)m->next_node + 1, sizeof(*w.waits)) };

	if (model && step_try(model)) {
		w.limit = limit_of(m, o, model->trial->peak);
		w.spare = m->set.ranks > 1 && !o->tight ? w.limit / 256 : 0;
		w.most = step_room(m, o) - step_persistent(m, o, model);
		if (!put_together(&w, model) && w.spare > 0) {
			w.spare = 0;
			put_together(&w, model);
		}
	}
	arena_free(a);
}

static bool
run(struct module *m, const struct pass_options *o)
{
	if (m->train && (count_runs(m->train) > 1 || m->set.ranks > 1))
		bring_together(m, o);
	return true;
}

const struct pass pass_updates_together = {
	.name = "updates-together",
	.doc = "let weights' updates, and micro-batches' gradients, wait for one another where "
	    "the peak allows it",
	.optional = true,
	.thorough = true,
	.run = run,
};
