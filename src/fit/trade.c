/*
 * Bytes that a plan has for speed's sake, and what they are worth: the network is planned once
 * more, with the least.
 */
#include "fit/trade.h"

#include "ir/pass.h"
#include "passes/passes.h"
#include "target/target.h"

static const struct plan *
plan_least(const struct module *m)
{
	struct pass_options o = *m->options;
	struct module in = *m, *least;

	o.speed = false;
	o.most_bytes = 0;
	in.options = &o;
	least = passes_afford(m) ? passes_replan(&in, &m->set, false) : NULL;
	return least ? least->plan : NULL;
}

/* Of training, and what feeds it. */
static struct estimate
step_of(const struct plan *p, const struct card *card, struct arena *a)
{
	struct estimate e = plan_estimate(p, card, a, 0);

	if (p->cooperative) {
		e.apart = e.together;
		e.kernels = 1;
	}
	e.kernels += FEED_KERNELS;
	e.apart += FEED_KERNELS * KERNEL_NS;
	e.in_turn += FEED_KERNELS * KERNEL_NS;
	return e;
}

struct trade
fit_trade(const struct module *m)
{
	struct trade t = { .rates = card_of(m) };

	if (!m->train || !m->plan->target->libraries || !(t.card = card_named(m)))
		return t;
	t.step = step_of(m->plan, &t.rates, m->arena);
	if (m->plan->apart != APART_NOT_ASKED && (t.least = plan_least(m))) {
		int calls;

		t.least_step = step_of(t.least, &t.rates, m->arena);
		t.least_longest = plan_longest(t.least, m->arena, &calls);
	}
	return t;
}
