/*
 * estimate: the least time of a step on a GPU, by what its calls read, write and multiply.
 *
 * A call takes KERNEL_NS for each of its kernels, in which the card does nothing for it, and its
 * work, as long as that takes if it has all of the card, or longer if it has a share: calls of
 * several branches that work at the same time share the card, so branches hide what kernels take
 * beside their work, and no more; and what waits for another branch begins CROSSING_NS after that.
 * That is played through, call by call. It knows nothing of engines that are slower than the card.
 *
 * Reads: nodes, branches and waits. Writes nothing.
 */
#include "plan/estimate.h"

#include <string.h>

#include "target/gpu.h"
#include "target/target.h"
#include "ir/op.h"
#include "precision/precision.h"

/* Where the card is not known: bytes and multiply-adds a nanosecond of a large one. */
#define LARGE_BYTES	2000.0
#define LARGE_MACS	150000.0

/* Of what plain_macs is: slow kernels of libraries are taken to do as much. */
#define SLOW_SHARE	0.25

/* Multiply-adds that a multiprocessor does in a clock, in the network's precision; 0: that is not
 * known here. */
static int
products_a_clock(const struct gpu *g, const struct precision *p)
{
	const struct gpu_arch *arch = gpu_arch_find(g->arch);

	if (p->tensor_cores && g->products && precision_runs_on(p, g->arch))
		return p->rounds_products ? g->products / 2 : g->products;
	return p->element->bytes <= 4 && arch ? arch->products : 0;
}

const struct gpu *
card_named(const struct module *m)
{
	const struct gpu *g = m->set.device.given && m->set.device.name ? gpu_find(m->set.device.name) : NULL;

	return g && g->multiprocessors ? g : NULL;
}

/* Speed, where a card gives reason to, unless recomputation is to stay within a size. */
enum objective
objective_of(const struct module *m, const struct target *target)
{
	if (m->set.objective != OBJECTIVE_AUTO)
		return m->set.objective;
	return target->is_gpu && card_named(m) && !m->set.recompute_budget ? OBJECTIVE_SPEED : OBJECTIVE_MEMORY;
}

struct card
card_of(const struct module *m)
{
	const struct gpu *g = card_named(m);
	const struct gpu_arch *arch = g ? gpu_arch_find(g->arch) : NULL;
	double clocks;

	if (!g)
		return (struct card){ CARD_SHARE * LARGE_BYTES, CARD_SHARE * LARGE_MACS, 0 };
	clocks = CARD_SHARE * g->multiprocessors * g->mhz / 1000;
	return (struct card){ CARD_SHARE * g->gb_s, clocks * products_a_clock(g, m->set.precision),
	    arch && m->set.precision->element->bytes <= 4 ? clocks * arch->products : 0 };
}

double
card_work(const struct card *c, const struct node *n, int64_t batch)
{
	double moved = (double)plan_traffic(n, batch) / c->bytes, done = 0;

	if (n->op->macs && c->macs > 0)
		done = (double)affine_at(n->op->macs(n), batch) / c->macs;
	return moved > done ? moved : done;
}

int64_t
card_copies(const struct card *c, const struct node *n, int64_t batch)
{
	double moves = (double)plan_traffic(n, batch) / c->bytes, slow;

	if (!n->op->macs || c->plain_macs <= 0)
		return LARGEST_BYTES;
	slow = (double)affine_at(n->op->macs(n), batch) / (SLOW_SHARE * c->plain_macs);
	return slow > moves ? (int64_t)((slow - moves) * c->bytes / 2) : 0;
}

static int
kernels_of(const struct node *n, int64_t batch)
{
	const struct op_calls *calls = &n->op->calls;

	if (calls->launches_of)
		return calls->launches_of(n, batch);
	return calls->launches ? calls->launches : 1;
}

double
card_beside(const struct node *n, int64_t batch)
{
	return KERNEL_NS * kernels_of(n, batch);
}

/* ---- branches, played ---- */

struct playing {
	const struct plan *p;
	int start, end;
	int *count;		/* by instant of the graph, of the call that begins there: its instants, */
	double *work;		/* and how long it works */
	int *call;		/* by instant of the graph: the first of its call */
	double *over;		/* and when that was over; 0: it is not */
	struct beside *beside;	/* by instant of the graph, of the call that begins there; NULL: nobody asks */
	double now;
	struct running {
		int first;	/* the call: its first instant */
		int count;	/* 0: the branch waits for its next call */
		double wait, before, left;	/* for another branch; of what is beside its work; of that, as if it had the card alone */
		struct beside beside;
	} at[BRANCHES];
};

/* When what the call waits for is over; LAST becomes an instant of that which is the last, -1: it
 * waits for nothing. False: it is not over. */
static bool
may_begin(const struct playing *s, int first, int count, int *last)
{
	int i, k;

	*last = -1;
	for (i = first; i < first + count; i++)
		for (k = 0; k < BRANCHES; k++) {
			int awaited = s->p->at[i].after[k] - 1;

			if (awaited < 0)
				continue;
			if (s->over[awaited - s->start] <= 0)
				return false;
			if (*last < 0 || s->over[awaited - s->start] > s->over[*last - s->start])
				*last = awaited;
		}
	return true;
}

/* What the first branch waits for a call of another is that one's doing. */
static void
blame(struct playing *s, int awaited, double wait)
{
	if (s->beside && s->p->at[awaited].branch > 0)
		s->beside[s->call[awaited - s->start] - s->start].took += wait;
}

/* Branch K, which is idle, goes on with its next call if that need not wait. */
static void
begin_next(struct playing *s, int k)
{
	struct running *r = &s->at[k];
	int count, last;

	while (r->first < s->end && (s->p->at[r->first].branch != k || op_is_view(s->p->at[r->first].node->op)))
		r->first++;
	if (r->first == s->end)
		return;
	count = s->count[r->first - s->start];
	if (!may_begin(s, r->first, count, &last))
		return;
	r->count = count;
	r->wait = last < 0 ? 0 : s->over[last - s->start] + CROSSING_NS - s->now;
	if (k == 0 && r->wait > 0)
		blame(s, last, r->wait);
	r->before = card_beside(s->p->at[r->first].node, s->p->at[r->first].graph->batch);
	r->left = s->work[r->first - s->start];
	r->beside = (struct beside){ 0 };
}

static bool
works(const struct running *r)
{
	return r->count && r->wait <= 0 && r->before <= 0;
}

static void
end_call(struct playing *s, struct running *r)
{
	int i;

	for (i = r->first; i < r->first + r->count; i++)
		s->over[i - s->start] = s->now;
	if (s->beside) {
		s->beside[r->first - s->start].took += r->beside.took;
		s->beside[r->first - s->start].in_turn += r->beside.in_turn;
	}
	r->first += r->count;
	r->count = 0;
}

/* How long until one of those that run, WORKING of which work, gets further than waiting, or is
 * over; -1: none runs. */
static double
next_change(const struct playing *s, int working)
{
	double least = -1;
	int k;

	for (k = 0; k < BRANCHES; k++) {
		const struct running *r = &s->at[k];
		double next = r->wait > 0 ? r->wait : r->before > 0 ? r->before : r->left * working;

		if (r->count && (least < 0 || next < least))
			least = next;
	}
	return least;
}

/* Until then. False: none runs. */
static bool
run_on(struct playing *s)
{
	double least, done = 0;
	int working = 0, k;

	for (k = 0; k < BRANCHES; k++)
		working += works(&s->at[k]);
	if ((least = next_change(s, working)) < 0)
		return false;
	for (k = 0; k < BRANCHES; k++)
		if (s->at[k].count && s->at[k].wait <= 0)
			done += works(&s->at[k]) ? least / working : least;
	s->now += least;
	for (k = 0; k < BRANCHES; k++) {
		struct running *r = &s->at[k];
		double *phase = r->wait > 0 ? &r->wait : r->before > 0 ? &r->before : &r->left;
		double gone = phase == &r->left ? least / working : least;

		if (!r->count)
			continue;
		*phase = *phase - gone > 1e-6 ? *phase - gone : 0;
		r->beside.took += least;
		r->beside.in_turn += done;
		if (r->wait <= 0 && r->before <= 0 && r->left <= 0)
			end_call(s, r);
	}
	return true;
}

/* How long all takes. */
static double
play(struct playing *s)
{
	int k;

	for (k = 0; k < BRANCHES; k++)
		s->at[k] = (struct running){ .first = s->start };
	do {
		for (k = 0; k < BRANCHES; k++)
			if (!s->at[k].count)
				begin_next(s, k);
	} while (run_on(s));
	return s->now;
}

/* Of the graph that begins with instant START; E becomes what does not depend on branches. */
static struct playing *
calls_of(const struct plan *p, const struct card *c, struct arena *a, int start, struct estimate *e)
{
	struct playing *s = ARENA_NEW(a, struct playing);
	size_t size;
	int i, k, count, kernels;

	s->p = p;
	s->start = start;
	s->end = plan_graph_end(p, start);
	size = (size_t)(s->end - start) + 1;
	s->count = arena_array(a, size, sizeof(*s->count));
	s->work = arena_array(a, size, sizeof(*s->work));
	s->call = arena_array(a, size, sizeof(*s->call));
	s->over = arena_array(a, size, sizeof(*s->over));
	for (i = start; i < s->end; i += count) {
		int64_t batch = p->at[i].graph->batch;

		count = s->count[i - start] = plan_together(p, i);
		if (op_is_view(p->at[i].node->op))
			continue;
		for (k = i; k < i + count; k++) {
			const struct node *n = p->at[k].node;

			e->traffic += plan_traffic(n, batch);
			e->macs += n->op->macs ? affine_at(n->op->macs(n), batch) : 0;
			s->work[i - start] += card_work(c, n, batch);
			s->call[k - start] = i;
		}
		e->calls++;
		kernels = kernels_of(p->at[i].node, batch);
		e->kernels += kernels;
		e->meetings += kernels - !p->at[i].meets;
		e->work += s->work[i - start];
	}
	e->in_turn = e->work + e->kernels * KERNEL_NS;
	e->together = e->work + KERNEL_NS + e->meetings * MEETING_NS;
	return s;
}

struct estimate
plan_estimate(const struct plan *p, const struct card *c, struct arena *parent, int start)
{
	struct arena *a = arena_child(parent);
	struct estimate e = { 0 };

	e.apart = play(calls_of(p, c, a, start, &e));
	arena_free(a);
	return e;
}

struct estimate
plan_step_estimate(const struct module *m)
{
	struct card card = card_of(m);

	return plan_estimate(m->plan, &card, m->arena, 0);
}

double
plan_step_takes(const struct module *m)
{
	struct estimate e = plan_step_estimate(m);

	return m->plan->cooperative ? e.together : e.apart;
}

struct playing *
plan_calls(const struct plan *p, const struct card *c, struct arena *a, int start)
{
	struct estimate e = { 0 };

	return calls_of(p, c, a, start, &e);
}

void
plan_beside(struct playing *s, struct beside *beside)
{
	size_t n = (size_t)(s->end - s->start);

	memset(beside, 0, n * sizeof(*beside));
	memset(s->over, 0, n * sizeof(*s->over));
	s->beside = beside;
	s->now = 0;
	play(s);
}

bool
plan_is_one_graph(const struct module *m)
{
	int i;

	if (!m->train || m->update || module_ranks(m) > 1 || module_parts(m) || settings_leave_out(&m->set))
		return false;
	for (i = 0; i < m->train->results.n; i++) {
		const struct result *r = &m->train->results.v[i];

		if (!r->predicted && !r->tensor->batched && tensor_elements_per_sample(r->tensor) > 1)
			return false;
	}
	return true;
}

int64_t
plan_samples_room(const struct module *m)
{
	const struct device *d = &m->set.device;
	int64_t left = d->given && d->memory ? target_memory(m->plan->target, module_ranks(m), d) - m->plan->arena_bytes : INT64_MAX;

	return left > 0 ? left : 0;
}

int
plan_steps_together(const struct module *m)
{
	struct estimate e;
	double ns;
	int n = 1;

	if (!m->plan->target->lands_batches || !plan_is_one_graph(m))
		return 1;
	e = plan_step_estimate(m);
	ns = m->plan->cooperative ? e.together + FEED_KERNELS * MEETING_NS : e.apart + FEED_KERNELS * KERNEL_NS;
	while (n < TOGETHER_MOST && 2 * n * ns <= TOGETHER_NS)
		n *= 2;
	return n;
}
