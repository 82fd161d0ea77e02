/*
 * Recompute of chains: small ones are solved as by trying everything, in the order in which nodes
 * stand. Of other orders: test_recompute_orders.c.
 */
#include "all_sets.h"
#include "extended.h"

TestSuite(recompute_chains, .init = setup, .fini = teardown);

#define CHAIN									\
	"network n { input x : f32[256] target t : f32[64]\n"			\
	"y = x -> dense(1024) -> gelu -> dense(512) -> tanh -> dense(2048) -> sigmoid\n" \
	"      -> dense(256) -> gelu -> dense(64)\n"				\
	"loss mse(y, t) }\n"							\
	"train { batch 4096 optimizer sgd(lr=0.1) data synthetic(8192) }\n"

Test(recompute_chains, small_chains_are_solved_exactly)
{
	struct module *m = prepared(source_from_text(arena, "net.nn", CHAIN, strlen(CHAIN)));
	struct model *model = step_model(arena, m->train, &options, STEP_REPEATS);
	int64_t all, budget;
	int i;

	step_try(model);
	all = model->trial->peak;
	for (i = 20; i > 4; i -= 3) {
		struct search_limits limits = { .work = RECOMPUTE_WORK, .most_work = INT64_MAX, .products = true, .fits = within,
		    .context = &budget };
		double best;
		bool found;

		limits.budget = budget = all / 20 * i;
		best = cheapest(model, budget);
		step_keep_all(model);
		found = recompute_search(model, &limits);
		cr_assert_eq(found, best < HUGE_VAL, "budget %d of 20", i);
		if (found)
			cr_assert_float_eq((double)model->trial->macs +
			    0.25 * (double)model->trial->traffic, best, 0.5, "budget %d of 20", i);
	}
}

/* ---- chains of 8 to 12 layers, at random ---- */

#define CHAINS	4	/* as many as take two seconds */

/* Convolutions, activations, norms and pools; activations that follow one another are one. */
static char *
random_chain(uint64_t *seed)
{
	static const char *const active[] = { "relu", "sigmoid", "tanh" };
	int layers = 8 + (int)chance(seed, 5), i;
	char *text = arena_printf(arena, "network n { input x : f32[4, 32, 32] target t : class[10] y = x");
	bool was_active = true;

	for (i = 0; i < layers; i++) {
		unsigned kind = chance(seed, 20), kernel = 1 + 2 * chance(seed, 3);
		bool halves = i > 0 && kind < 2;

		if (kind >= 12 && !was_active) {
			text = arena_printf(arena, "%s -> %s", text, kind < 14 ? "batchnorm" : active[kind % 3]);
			was_active = kind >= 14;
			continue;
		}
		was_active = false;
		if (kind < 1 && halves)
			text = arena_printf(arena, "%s -> maxpool(2)", text);
		else
			text = arena_printf(arena, "%s -> conv(%u, %u, pad=%u, stride=%d)", text, 4 << chance(seed, 4),
			    kernel, kernel / 2, halves ? 2 : 1);
	}
	return arena_printf(arena, "%s -> global_avgpool -> flatten -> dense(10) loss cross_entropy(y, t) } "
	    "train { batch 64 optimizer sgd(lr=0.1) }", text);
}

/* Most are solved exactly, none is refused, and none does more than 1.02 times what the best
 * would. */
Test(recompute_chains, random_chains_are_solved)
{
	int chains = extended() ? 10 * CHAINS : sanitized() ? CHAINS / 4 : CHAINS, budgets = 0, equal = 0, i, k;
	uint64_t seed = 1;
	double worst = 1;

	for (i = 0; i < chains; i++) {
		const char *text = random_chain(&seed);
		struct module *m = prepared(source_from_text(arena, "net.nn", text, strlen(text)));
		struct model *model = step_model(arena, m->train, &options, STEP_REPEATS);
		double macs = 0;
		int64_t all, budget;
		int nfree = 0;

		step_try(model);
		for (k = 0; k < model->nvalues; k++)
			nfree += is_free(model, k);
		if (nfree > 13)
			continue;
		all = model->trial->peak;
		for (k = 0; k < model->forward; k++)
			macs += (double)model->node[k].again->macs;
		for (k = 18; k >= 6; k--) {
			struct search_limits limits = { .work = RECOMPUTE_WORK, .most_work = RECOMPUTE_WORK, .products = true,
			    .fits = within, .context = &budget };
			double best, cost;
			bool found;

			limits.budget = budget = all / 20 * k;
			if ((best = cheapest(model, budget)) == HUGE_VAL)
				break;
			step_keep_all(model);
			model->work = 0;
			found = recompute_search(model, &limits);
			cr_expect(found, "%s: budget %d of 20", text, k);
			cost = (double)model->trial->macs + 0.25 * (double)model->trial->traffic;
			budgets++;
			equal += found && cost <= best + 0.5;
			worst = found && (macs + cost) / (macs + best) > worst ? (macs + cost) / (macs + best) : worst;
		}
	}
	cr_assert_geq(budgets, 2 * chains);
	cr_expect_eq(equal, budgets, "%d of %d", equal, budgets);
	cr_expect_leq(worst, 1.02);
}

/* Where the gradient is small, what a later node reads is made again, and for that is dropped what
 * could have stayed: once the gradient is large there is no room to make it. */
Test(recompute_chains, room_is_made_while_gradients_are_small)
{
	static const char text[] = "network n { input x : f32[8, 16, 16] target t : class[10]\n"
	    "y = x -> conv(16, 3, pad=1) -> avgpool(2) -> conv(32, 5, pad=2) -> sigmoid -> conv(48, 1, bias=false) -> relu\n"
	    "      -> conv(8, 3, pad=1) -> conv(12, 5, pad=2, bias=false) -> global_avgpool -> flatten -> dense(10)\n"
	    "loss cross_entropy(y, t) }\n"
	    "train { batch 32 optimizer sgd(lr=0.1) }\n";
	struct module *m = prepared(source_from_text(arena, "net.nn", text, strlen(text)));
	struct model *model = step_model(arena, m->train, &options, STEP_REPEATS);
	int budgets = 0, k;
	int64_t all, budget;

	step_try(model);
	all = model->trial->peak;
	for (k = 38; k >= 30; k--) {
		struct search_limits limits = { .work = RECOMPUTE_WORK, .most_work = RECOMPUTE_WORK, .products = true, .fits = within,
		    .context = &budget };
		double best, cost;

		limits.budget = budget = all / 40 * k;
		if ((best = cheapest(model, budget)) == HUGE_VAL)
			break;
		step_keep_all(model);
		model->work = 0;
		cr_expect(recompute_search(model, &limits), "budget %d of 40", k);
		cost = (double)model->trial->macs + 0.25 * (double)model->trial->traffic;
		cr_expect_float_eq(cost, best, 0.5, "budget %d of 40: %g, not %g", k, cost, best);
		budgets++;
	}
	cr_assert_geq(budgets, 5);
}

/* The optimum may keep any of them, a convolution's output as well as what is made of it. */
Test(recompute_chains, activated_chains_are_solved_exactly)
{
	uint64_t seed = 3;
	int budgets = 0, i, k;

	for (i = 0; i < 2; i++) {
		const char *text = activated_chain(&seed, 5, 16);
		struct module *m = prepared(source_from_text(arena, "net.nn", text, strlen(text)));
		struct model *model = step_model(arena, m->train, &options, STEP_REPEATS);
		int64_t all, budget;

		step_try(model);
		all = model->trial->peak;
		for (k = 18; k >= 8; k -= 2) {
			struct search_limits limits = { .work = RECOMPUTE_WORK, .most_work = RECOMPUTE_WORK, .products = true,
			    .fits = within, .context = &budget };
			double best;

			limits.budget = budget = all / 20 * k;
			if ((best = cheapest(model, budget)) == HUGE_VAL)
				break;
			step_keep_all(model);
			model->work = 0;
			cr_expect(recompute_search(model, &limits), "%s: budget %d of 20", text, k);
			cr_expect_float_eq((double)model->trial->macs + 0.25 * (double)model->trial->traffic, best, 0.5,
			    "%s: budget %d of 20", text, k);
			budgets++;
		}
	}
	cr_assert_geq(budgets, 6);
}

/* Twice as many tensors as there are questions: the search ends, and soon. */
Test(recompute_chains, a_dozen_activated_layers_take_little)
{
	uint64_t seed = 5;
	const char *text = activated_chain(&seed, 12, 16);
	struct module *m = prepared(source_from_text(arena, "net.nn", text, strlen(text)));
	struct model *model = step_model(arena, m->train, &options, STEP_REPEATS);
	int64_t budget;
	struct search_limits limits = { .work = RECOMPUTE_WORK, .most_work = RECOMPUTE_WORK, .products = true, .fits = within,
	    .context = &budget };

	step_try(model);
	limits.budget = budget = model->trial->peak / 20 * 15;
	model->work = 0;
	cr_assert(recompute_search(model, &limits));
	cr_expect_lt(model->work, RECOMPUTE_WORK / 100);
}
