/*
 * turns: how long an update of a pipeline takes, and how much of it each rank waits for others,
 * where stages are not alike: played by 1F1B (slots.c) with the time of each stage's forward and
 * backward, as if nothing took time between ranks.
 *
 *     rank 0   F0 F1 .  .  .  .  .  B0 .  .  .  .  .  B1      takes 1 each
 *     rank 1   .  F0 F0 F0 B0 B0 B0 F1 F1 F1 B1 B1 B1         takes 3
 *
 * Where all take as long the share is (stages - 1) / (micro-batches + stages - 1).
 */
#include "plan/turns.h"

#include "plan/estimate.h"
#include "target/target.h"

static struct stage_time
turn_of(const struct module *m)
{
	const struct card card = card_of(m);
	const struct graph *g = m->train;
	struct stage_time t = { 0, 0 };
	int i;

	for (i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];
		double takes = 0;

		if (m->plan->target->is_gpu && n->op->calls.emit && !op_is_view(n->op))
			takes = card_work(&card, n, g->batch) + card_beside(n, g->batch);
		else if (!m->plan->target->is_gpu && n->op->macs)
			takes = (double)affine_at(n->op->macs(n), g->batch);
		if (m->plan->turn ? i < m->plan->turn : n->phase == PHASE_FORWARD)
			t.forward += takes;
		else
			t.backward += takes;
	}
	return t;
}

struct player {			/* a rank */
	int64_t forward, backward;	/* micro-batches that it has done */
	double now;
};

struct play {
	const struct stage_time *turn;
	int64_t stages, micro;
	struct player *rank;
	double *forward, *backward;	/* by rank and micro-batch: when it was done */
};

/* The next turn of rank K; false: it has none, or what it needs is not there. */
static bool
take_turn(struct play *p, int64_t k)
{
	struct player *r = &p->rank[k];
	int64_t most = p->stages - k, between = r->forward - r->backward;
	bool back = between > 0 && (r->forward == p->micro || between >= most);
	int64_t at = back ? r->backward : r->forward, from = back ? k + 1 : k - 1;
	const double *done = back ? p->backward : p->forward;
	double there = 0;

	if (r->backward == p->micro)
		return false;
	if (from >= 0 && from < p->stages) {
		if (at >= (back ? p->rank[from].backward : p->rank[from].forward))
			return false;
		there = done[from * p->micro + at];
	}
	r->now = (there > r->now ? there : r->now) + (back ? p->turn[k].backward : p->turn[k].forward);
	(back ? p->backward : p->forward)[k * p->micro + at] = r->now;
	*(back ? &r->backward : &r->forward) += 1;
	return true;
}

double
plan_turns_take(const struct stage_time *turn, int64_t stages, int64_t micro_batches, struct arena *arena)
{
	struct arena *a = arena_child(arena);
	size_t n = (size_t)(stages * micro_batches);
	struct play p = { turn, stages, micro_batches, arena_array(a, (size_t)stages, sizeof(struct player)),
		arena_array(a, n, sizeof(double)), arena_array(a, n, sizeof(double)) };
	bool goes_on = true;
	double last = 0;
	int64_t k;

	while (goes_on)
		for (goes_on = false, k = 0; k < stages; k++)
			while (take_turn(&p, k))
				goes_on = true;
	for (k = 0; k < stages; k++)
		last = p.rank[k].now > last ? p.rank[k].now : last;
	arena_free(a);
	return last;
}

struct turns
plan_turns(const struct module *m)
{
	int64_t n = module_stages(m), micro = m->set.accumulate, k;
	struct arena *a = arena_child(m->arena);
	struct stage_time *turn = arena_array(a, (size_t)n, sizeof(*turn));
	struct turns t = { 0 };
	double busy = 0, most = 0;

	for (k = 0; k < n; k++) {
		double own;

		turn[k] = turn_of(m->stage[k]);
		own = (turn[k].forward + turn[k].backward) * (double)micro;
		busy += own;
		t.slowest = own > most ? k : t.slowest;
		most = own > most ? own : most;
	}
	t.takes = plan_turns_take(turn, n, micro, a);
	if (t.takes > 0) {
		t.waits = 1 - busy / ((double)n * t.takes);
		t.slowest_waits = 1 - most / t.takes;
	}
	arena_free(a);
	return t;
}
