/*
 * overlap: what of the communication of ranks goes on beside a step's own work, on a card and over
 * a link that are known.
 *
 * Calls follow one another, each as long as the estimate of the whole step has it. What a call
 * begins between ranks goes over the link when that is free, one after the other, at its rate
 * alone; and whoever waits for it does so until it is over:
 *
 *     card   | backward ........ | wait | update
 *     link         | sum | sum | sum    |
 *                                ------ not hidden
 *
 * Reads: nodes and what goes between ranks. Writes nothing.
 */
#include "plan/estimate.h"

#include <string.h>

#include "ir/due.h"
#include "ir/op.h"
#include "target/target.h"

#define PLAYED	4	/* micro-batches, the last of which is the last of all: those before it take as long as the last but one of these */

struct clocks {
	const struct module *m;
	struct card card;
	double link;		/* bytes a nanosecond each way */
	double now, busy;	/* nanoseconds: the card is so far, and the link is free from then on */
	double sent;		/* nanoseconds that the link was in use */
	bool sends_last;	/* the last micro-batch begins what others do not */
	double *there;		/* by instant that waits: when what it waits for is over */
};

/* Nanoseconds that BYTES of a sum take, or of its half, around a ring. */
static double
ring(const struct clocks *c, double halves, double bytes)
{
	double ranks = (double)settings_ranks(&c->m->set);

	return halves * (ranks - 1) / ranks * bytes / c->link;
}

/* What begins in the LAST micro-batch alone is for that. */
static void
send_begun(struct clocks *c, int first, int count, bool last)
{
	const struct plan *p = c->m->plan;
	int i;

	for (i = 0; i < p->sums.n; i++) {
		const struct plan_sum *s = &p->sums.v[i];
		double takes;

		if (s->begin < first || s->begin >= first + count || (c->sends_last && !last && s->due != EVERY_STEP))
			continue;
		takes = ring(c, s->between == BETWEEN_SUM ? 2 : 1, (double)s->bytes);
		c->busy = (c->busy > c->now ? c->busy : c->now) + takes;
		c->sent += takes;
		if (c->there[s->wait] < c->busy)
			c->there[s->wait] = c->busy;
	}
}

/* The graph that begins with instant START; each of its calls takes STRETCH of its own work. */
static void
play(struct clocks *c, int start, double stretch, bool last)
{
	const struct plan *p = c->m->plan;
	int end = plan_graph_end(p, start), i, k, count;

	for (i = start; i < end; i += count) {
		const struct node *n = p->at[i].node;

		count = plan_together(p, i);
		for (k = i; k < i + count; k++)
			if (c->now < c->there[k])
				c->now = c->there[k];
		if (!op_is_view(n->op))
			c->now += stretch * card_beside(n, p->at[i].graph->batch);
		for (k = i; k < i + count && !op_is_view(n->op); k++)
			c->now += stretch * card_work(&c->card, p->at[k].node, p->at[k].graph->batch);
		send_begun(c, i, count, last);
		if (n->op->ranks.sums) {
			double takes = ring(c, 2, (double)affine_at(tensor_bytes(n->out[0]), p->at[i].graph->batch));

			c->sent += takes;
			c->now = c->busy = (c->busy > c->now ? c->busy : c->now) + takes;
		}
	}
}

/* The same so many times; returns how long that would take alone. */
static double
repeat(struct clocks *c, int start, int64_t times)
{
	struct estimate e = plan_estimate(c->m->plan, &c->card, c->m->arena, start);
	struct clocks before = *c;
	int64_t k;

	for (k = 1; k <= times && k <= PLAYED; k++) {
		if (k == PLAYED && times > k) {
			double more = (double)(times - k);

			c->busy += more * (c->now - before.now);
			c->sent += more * (c->sent - before.sent);
			c->now += more * (c->now - before.now);
		}
		before = *c;
		memset(c->there, 0, (size_t)c->m->plan->instants * sizeof(*c->there));
		play(c, start, e.in_turn > 0 ? e.apart / e.in_turn : 1, k == times || k == PLAYED);
	}
	return (double)times * e.apart;
}

struct overlap
plan_overlap(const struct module *m, double link)
{
	struct arena *a;
	struct clocks c = { .m = m, .sends_last = module_sends_last(m), .card = card_of(m), .link = link };
	struct overlap o = { 0 };

	if (module_ranks(m) <= 1 || module_stages(m) > 1 || !m->plan->target->libraries || !card_named(m))
		return o;
	a = arena_child(m->arena);
	c.there = arena_array(a, (size_t)m->plan->instants + 1, sizeof(*c.there));
	o.alone = repeat(&c, 0, m->set.accumulate);
	if (m->update)
		o.alone += repeat(&c, m->train->nodes.n, 1);
	o.sent = c.sent;
	o.step = c.busy > c.now ? c.busy : c.now;
	o.hidden = o.sent - (o.step - o.alone);
	if (o.hidden < 0)
		o.hidden = 0;
	arena_free(a);
	return o;
}
