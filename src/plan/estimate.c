/*
 * estimate: the least time of a step on a GPU, by what its calls read, write and multiply.
 *
 * A call takes KERNEL_NS for each of its kernels, in which the card does nothing for it, and its work, as long as
 * that takes if it has all of the card, or longer if it has a share: calls of several branches that work at the same
 * time share the card, so branches hide what kernels take beside their work, and no more. That is played through,
 * call by call. It knows nothing of engines that are slower than the card.
 *
 * Reads: nodes, branches and waits. Writes nothing.
 */
#include "plan/estimate.h"

#include "target/gpu.h"
#include "target/target.h"
#include "ir/op.h"
#include "precision/precision.h"

/* Where the card is not known: bytes and multiply-adds a nanosecond of a large one. */
#define LARGE_BYTES	2000.0
#define LARGE_MACS	150000.0

/* Multiply-adds that a multiprocessor does in a clock, in the network's precision; 0: that is not known here. */
static int
products_a_clock(const struct gpu *g, const struct precision *p)
{
	const struct gpu_arch *arch = gpu_arch_find(g->arch);

	if (p->tensor_cores && g->products)
		return p->rounds_products ? g->products / 2 : g->products;
	return p->element->bytes <= 4 && arch ? arch->products : 0;
}

const struct gpu *
card_named(const struct module *m)
{
	const struct gpu *g = m->set.device.given && m->set.device.name ? gpu_find(m->set.device.name) : NULL;

	return g && g->multiprocessors ? g : NULL;
}

struct card
card_of(const struct module *m)
{
	const struct gpu *g = card_named(m);

	if (!g)
		return (struct card){ CARD_SHARE * LARGE_BYTES, CARD_SHARE * LARGE_MACS };
	return (struct card){ CARD_SHARE * g->gb_s, CARD_SHARE * g->multiprocessors * g->mhz *
	    products_a_clock(g, m->set.precision) / 1000 };
}

double
card_work(const struct card *c, const struct node *n, int64_t batch)
{
	double moved = (double)plan_traffic(n, batch) / c->bytes, done = 0;

	if (n->op->macs && c->macs > 0)
		done = (double)affine_at(n->op->macs(n), batch) / c->macs;
	return moved > done ? moved : done;
}

static int
kernels_of(const struct node *n)
{
	return n->op->calls.launches ? n->op->calls.launches : 1;
}

double
card_beside(const struct node *n)
{
	return KERNEL_NS * kernels_of(n);
}

/* ---- branches, played ---- */

struct playing {
	const struct plan *p;
	int start, end;
	int *count;		/* by instant of the graph, of the call that begins there: its instants, */
	double *work;		/* and how long it works */
	bool *over;		/* by instant of the graph */
	struct running {
		int first;	/* the call: its first instant */
		int count;	/* 0: the branch waits for its next call */
		double before, left;	/* of what is beside its work; of that, as if it had the card alone */
	} at[BRANCHES];
};

static bool
may_begin(const struct playing *s, int first, int count)
{
	int i, k;

	for (i = first; i < first + count; i++)
		for (k = 0; k < BRANCHES; k++)
			if (s->p->at[i].after[k] && !s->over[s->p->at[i].after[k] - 1 - s->start])
				return false;
	return true;
}

/* Branch K, which is idle, goes on with its next call if that need not wait. */
static void
begin_next(struct playing *s, int k)
{
	struct running *r = &s->at[k];
	int count;

	while (r->first < s->end && (s->p->at[r->first].branch != k || op_is_view(s->p->at[r->first].node->op)))
		r->first++;
	if (r->first == s->end)
		return;
	count = s->count[r->first - s->start];
	if (!may_begin(s, r->first, count))
		return;
	r->count = count;
	r->before = card_beside(s->p->at[r->first].node);
	r->left = s->work[r->first - s->start];
}

/* Until one of those that run gets further than waiting, or is over. Returns how long that is. */
static double
run_on(struct playing *s)
{
	double least = -1;
	int working = 0, i, k;

	for (k = 0; k < BRANCHES; k++)
		working += s->at[k].count && s->at[k].before <= 0;
	for (k = 0; k < BRANCHES; k++) {
		struct running *r = &s->at[k];
		double next = r->before > 0 ? r->before : r->left * working;

		if (r->count && (least < 0 || next < least))
			least = next;
	}
	for (k = 0; k < BRANCHES && least >= 0; k++) {
		struct running *r = &s->at[k];
		double *now = r->before > 0 ? &r->before : &r->left, gone = r->before > 0 ? least : least / working;

		if (!r->count)
			continue;
		*now = *now - gone > 1e-6 ? *now - gone : 0;
		if (r->before > 0 || r->left > 0)
			continue;
		for (i = r->first; i < r->first + r->count; i++)
			s->over[i - s->start] = true;
		r->first += r->count;
		r->count = 0;
	}
	return least;
}

static double
play(struct playing *s)
{
	double sum = 0, more = 0;
	int k;

	for (k = 0; k < BRANCHES; k++)
		s->at[k] = (struct running){ .first = s->start };
	for (; more >= 0; sum += more) {
		for (k = 0; k < BRANCHES; k++)
			if (!s->at[k].count)
				begin_next(s, k);
		if ((more = run_on(s)) < 0)
			break;
	}
	return sum;
}

struct estimate
plan_estimate(const struct plan *p, const struct card *c, struct arena *parent, int start)
{
	struct arena *a = arena_child(parent);
	struct playing s = { .p = p, .start = start };
	struct estimate e = { 0 };
	int i, k, count;

	for (s.end = start; s.end < p->instants && p->at[s.end].graph == p->at[start].graph;)
		s.end++;
	s.count = arena_array(a, (size_t)(s.end - start) + 1, sizeof(*s.count));
	s.work = arena_array(a, (size_t)(s.end - start) + 1, sizeof(*s.work));
	s.over = arena_array(a, (size_t)(s.end - start) + 1, sizeof(*s.over));
	for (i = start; i < s.end; i += count) {
		int64_t batch = p->at[i].graph->batch;

		count = s.count[i - start] = plan_together(p, i);
		if (op_is_view(p->at[i].node->op))
			continue;
		for (k = i; k < i + count; k++) {
			const struct node *n = p->at[k].node;

			e.traffic += plan_traffic(n, batch);
			e.macs += n->op->macs ? affine_at(n->op->macs(n), batch) : 0;
			s.work[i - start] += card_work(c, n, batch);
		}
		e.calls++;
		e.kernels += kernels_of(p->at[i].node);
		e.work += s.work[i - start];
	}
	e.in_turn = e.work + e.kernels * KERNEL_NS;
	e.apart = play(&s);
	arena_free(a);
	return e;
}

/* Is an update one graph, always the same, whose results are single numbers? */
static bool
is_one_graph(const struct module *m)
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
	struct card card = card_of(m);
	struct estimate e;
	double ns;
	int n = 1;

	if (!m->plan->target->lands_batches || !is_one_graph(m))
		return 1;
	e = plan_estimate(m->plan, &card, m->arena, 0);
	ns = e.apart + FEED_KERNELS * KERNEL_NS;
	while (n < TOGETHER_MOST && 2 * n * ns <= TOGETHER_NS)
		n *= 2;
	return n;
}
