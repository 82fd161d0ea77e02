/*
 * Recompute in several orders of the step: of chains the cheapest way is taken, in whichever it is;
 * and choices that are known from before.
 */
#include "all_sets.h"
#include "schedule/known_choices.h"
#include "schedule/order.h"

extern const struct pass pass_recompute;

TestSuite(recompute_orders, .init = setup, .fini = teardown);

/* What is made again, as the search counts it; the model's nodes are those of the network
 * before. */
static double
cost_again(const struct module *m, const struct model *model)
{
	double sum = 0;
	int i, k;

	for (i = 0; i < m->train->nodes.n; i++) {
		const struct node *n = m->train->nodes.v[i];

		for (k = 0; n->again && k < model->forward; k++)
			if (model->node[k].node->op == n->op && strcmp(model->node[k].node->path, n->path) == 0)
				sum += (double)model->node[k].again->macs + 0.25 * (double)model->node[k].again->traffic;
	}
	return sum;
}

/* The cheapest way of all in the order in which nodes stand, and in that of the pass `order`: no
 * more is made again than the cheaper of them takes. */
Test(recompute_orders, the_cheaper_of_two_orders_is_taken)
{
	uint64_t seed = 7;
	int differ = 0, i;

	options.nwithout = 0;
	options.dump_after = "recompute";	/* and no further */
	for (i = 0; i < 6; i++) {
		char *text = activated_chain(&seed, 4, 4);
		struct module *m = prepared(source_from_text(arena, "net.nn", text, strlen(text)));
		struct model *model = step_model(arena, m->train, &options, STEP_REPEATS);
		struct module *planned;
		double best[2], cost;
		int64_t budget;

		step_try(model);
		budget = model->trial->peak / 40 * (38 - i);
		best[0] = cheapest(model, budget);
		text = arena_printf(arena, "%.*srecompute auto(%lldB) }", (int)strlen(text) - 1, text,
		    (long long)(budget + step_persistent(m, &options, model)));
		cr_assert(pass_apply(&pass_order, m, &options));
		model = step_model(arena, m->train, &options, STEP_REPEATS);
		step_try(model);
		best[1] = cheapest(model, budget);
		if (fmin(best[0], best[1]) == HUGE_VAL)
			continue;
		planned = prepared(source_from_text(arena, "net.nn", text, strlen(text)));
		cr_assert(pass_apply(&pass_recompute, planned, &options), "%s", text);
		cost = cost_again(planned, model);
		cr_expect_leq(cost, fmin(best[0], best[1]) + 0.5, "%s: %g, not %g or %g", text, cost, best[0], best[1]);
		differ += best[1] < best[0] && best[1] > 0;
	}
	cr_expect_gt(differ, 0);
}

/* What is made again reads weights as they were. To update those of convolutions at once leaves no
 * way but a dear one to this budget; the gradient of the large matrix is another matter. */
Test(recompute_orders, small_updates_may_wait)
{
	static const char text[] = "network n { input x : f32[3, 32, 32] target t : class[10]\n"
	    "y = x -> conv(24, 1, bias=false) -> conv(32, 5, pad=2) -> relu -> conv(32, 3, pad=1) -> conv(32, 1, bias=false)\n"
	    "      -> maxpool(2) -> flatten -> dense(256) -> dense(512) -> sigmoid -> dense(10)\n"
	    "loss cross_entropy(y, t) }\n"
	    "train { batch 32 optimizer sgd(lr=0.1) recompute auto(22940336B) }\n";
	struct module *m = prepared(source_from_text(arena, "net.nn", text, strlen(text)));
	struct graph *g = m->train;
	struct model *model = step_model(arena, g, &options, STEP_REPEATS);
	struct node **late = arena_array(arena, (size_t)g->nodes.n, sizeof(*late));
	int64_t budget = m->set.recompute_budget - step_persistent(m, &options, model);
	double best[2], cost;
	int n = 0, kept = 0, i;

	options.nwithout = 0;
	options.dump_after = "recompute";	/* and no further */
	cr_assert(pass_apply(&pass_order, m, &options));
	step_reorder(model);
	step_try(model);
	best[0] = cheapest(model, budget);
	for (i = 0; i < g->nodes.n; i++)
		if (g->nodes.v[i]->phase == PHASE_UPDATE && tensor_elements_per_sample(g->nodes.v[i]->in[1]) < 30000)
			late[n++] = g->nodes.v[i];
		else
			g->nodes.v[kept++] = g->nodes.v[i];
	memcpy(g->nodes.v + kept, late, (size_t)n * sizeof(*late));
	step_reorder(model);
	step_try(model);
	best[1] = cheapest(model, budget);
	cr_assert_lt(best[1], best[0]);
	m = prepared(source_from_text(arena, "net.nn", text, strlen(text)));
	cr_assert(pass_apply(&pass_recompute, m, &options));
	cost = cost_again(m, model);
	cr_expect_leq(cost, best[1] + 0.5, "%g, not %g", cost, best[1]);
}

static struct node **
nodes_of(const struct graph *g)
{
	struct node **v = arena_array(arena, (size_t)g->nodes.n, sizeof(*v));

	memcpy(v, g->nodes.v, (size_t)g->nodes.n * sizeof(*v));
	return v;
}

/* Only the step's order is looked at in the search: validation stands as it was, until its pass. */
Test(recompute_orders, the_other_order_is_that_of_the_step_alone)
{
	static const char text[] = "network n { input x : f32[8] target t : f32[64]\n"
	    "p = x -> dense(64) q = x -> dense(256) -> sigmoid -> dense(64) loss mse(p + q, t) } train { batch 512 data synthetic(samples=512) recompute auto(%lldB) }\n"
	    "validate { batch 512 data synthetic(samples=512) }\n";
	char *tight = arena_printf(arena, text, 1LL << 40);
	struct module *m = prepared(source_from_text(arena, "net.nn", tight, strlen(tight)));
	struct model *model = step_model(arena, m->train, &options, STEP_REPEATS);
	struct node **was = nodes_of(m->validate);

	options.nwithout = 0;
	cr_assert(pass_apply(&pass_order, m, &options));
	cr_assert_neq(memcmp(was, m->validate->nodes.v, (size_t)m->validate->nodes.n * sizeof(*was)), 0);
	step_try(model);
	tight = arena_printf(arena, text, (long long)(step_persistent(m, &options, model) + model->trial->peak / 2));
	m = prepared(source_from_text(arena, "net.nn", tight, strlen(tight)));
	was = nodes_of(m->validate);
	options.dump_after = "recompute";	/* and no further */
	pass_apply(&pass_recompute, m, &options);
	cr_expect_eq(memcmp(was, m->validate->nodes.v, (size_t)m->validate->nodes.n * sizeof(*was)), 0);
}

/* A choice that was searched for is found again for the same step, and for no other. */
Test(recompute_orders, a_choice_is_known_for_the_same_step_alone)
{
	struct module *m = network("lenet5.nn");
	struct model *model = step_model(arena, m->train, &options, STEP_REPEATS);
	struct model *again = step_model(arena, m->train, &options, STEP_REPEATS);
	struct known_choices *known = known_choices_new(arena);
	uint64_t key = known_choices_key(model);
	int i = 0;

	cr_assert_not(known_choices_find(known, key, model));
	while (model->value[i].fixed || model->value[i].root != i)
		i++;
	model->state[i] = AGAIN;
	known_choices_keep(known, key, model);
	cr_assert_eq(known_choices_key(again), key);
	again->state[i] = KEEP;
	cr_assert_neq(known_choices_key(again), key, "it would begin elsewhere");
	cr_assert(known_choices_find(known, key, again));
	cr_expect_eq(again->state[i], AGAIN);
	step_keep_all(again);
	cr_assert(step_price(again, m->train->batch + 1));
	cr_expect_neq(known_choices_key(again), key, "other bytes");
}
