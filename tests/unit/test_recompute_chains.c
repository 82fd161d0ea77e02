/*
 * Recompute of chains: small ones are solved as by trying everything, in the order in which nodes
 * stand, and in others.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "schedule/known_choices.h"
#include "schedule/order.h"
#include "extended.h"
#include "recomputed.h"

extern const struct pass pass_recompute;

TestSuite(recompute_chains, .init = setup, .fini = teardown);

#define CHAIN									\
	"network n { input x : f32[256] target t : f32[64]\n"			\
	"y = x -> dense(1024) -> gelu -> dense(512) -> tanh -> dense(2048) -> sigmoid\n" \
	"      -> dense(256) -> gelu -> dense(64)\n"				\
	"loss mse(y, t) }\n"							\
	"train { batch 4096 optimizer sgd(lr=0.1) data synthetic(8192) }\n"

/* The least cost, by dynamic programming over all sets of forward's tensors before each node,
 * without any bound or shortcut: from every set each tensor may be dropped, each that is missing
 * made again from what is there, and the next node run. A first output lies on an input that is
 * dropped with it. */
#define MOST_FREE	16

struct program {
	const struct model *m;
	int value[MOST_FREE], n;
	int64_t budget;
	double *now, *next;	/* by set */
};

/* A tensor of less than a 2000th of the peak is left as it is. */
static bool
is_free(const struct model *m, int v)
{
	return !m->value[v].fixed && m->value[v].root == v && !m->value[v].persistent &&
	    m->value[v].bytes > m->trial->peak / 2000;
}

static unsigned
set_of(const struct program *p, int v)
{
	int i;

	for (i = 0; i < p->n; i++)
		if (v >= 0 && p->value[i] == p->m->value[v].root)
			return 1u << i;
	return 0;
}

static bool
read_later(const struct model *m, int v, int node)
{
	int i, k;

	for (i = 0; i < m->nresults; i++)
		if (m->value[m->result[i]].root == v)
			return true;
	for (i = node; i < m->nnodes; i++)
		for (k = 0; k < m->node[i].nin; k++)
			if (m->node[i].in[k] >= 0 && m->value[m->node[i].in[k]].root == v)
				return true;
	return false;
}

/* Bytes alive before that node beside the set: of all else that was made and is read still. */
static int64_t
alive(const struct program *p, int node)
{
	const struct model *m = p->m;
	int64_t sum = 0;
	int v;

	for (v = 0; v < m->nvalues; v++)
		if (m->value[v].root == v && !m->value[v].persistent && !set_of(p, v) &&
		    m->value[v].def < node && read_later(m, v, node))
			sum += m->value[v].bytes;
	return sum;
}

static int64_t
bytes_of_set(const struct program *p, unsigned set)
{
	int64_t sum = 0;
	int i;

	for (i = 0; i < p->n; i++)
		sum += set >> i & 1 ? p->m->value[p->value[i]].bytes : 0;
	return sum;
}

static unsigned
reads_of(const struct program *p, int node)
{
	const struct model_node *n = &p->m->node[node];
	unsigned set = 0;
	int k;

	for (k = 0; k < n->nin; k++)
		set |= set_of(p, n->in[k]);
	return set;
}

/* Has a weight that N reads when it runs again been updated before that node? */
static bool
changed(const struct model *m, const struct model_node *n, int node)
{
	int i, k, j;

	for (i = m->forward; i < node; i++)
		for (k = 0; k < m->node[i].nout; k++)
			for (j = 0; j < n->again.nin; j++) {
				int v = m->node[i].out[k], in = n->again.in[j];

				if (v >= 0 && in >= 0 && m->value[v].persistent && m->value[v].root == m->value[in].root)
					return true;
			}
	return false;
}

/* Runs a node from SET, in its turn or again, and drops DROPPED with it: does it fit? */
static bool
runs(const struct program *p, unsigned set, int node, bool again, unsigned dropped, int64_t before)
{
	const struct model *m = p->m;
	const struct model_node *n = &m->node[node];
	const int *in = again ? n->again.in : n->in;
	struct overwriting over = again ? n->again.over : n->over;
	int64_t bytes = before + (again ? n->again.work : n->work);
	int nin = again ? n->again.nin : n->nin, out = n->nout ? n->out[0] : -1, k;
	bool lies = out < 0 || m->value[out].root != out || m->value[out].persistent;

	for (k = 0; k < nin; k++) {
		int v = in[k];
		unsigned bit = set_of(p, v);

		if (bit & ~set)
			return false;
		if (lies || v < 0 || m->value[v].persistent || !(over.inputs >> k & 1) ||
		    m->value[v].bytes != m->value[out].bytes ||
		    (bit ? !(dropped & bit) : again || read_later(m, m->value[v].root, node + 1)))
			continue;
		lies = true;
		bytes -= m->value[out].bytes;
	}
	for (k = 0; k < n->nout; k++)
		if (n->out[k] >= 0 && m->value[n->out[k]].root == n->out[k] &&
		    !m->value[n->out[k]].persistent)
			bytes += m->value[n->out[k]].bytes;
	return bytes <= p->budget;
}

static bool
lower(struct program *p, unsigned set, double cost)
{
	if (cost >= p->now[set])
		return false;
	p->now[set] = cost;
	return true;
}

/* What may happen before that node, until nothing gets cheaper; then the node. */
static void
advance(struct program *p, int node)
{
	unsigned all = 1u << p->n, set, drop, reads = reads_of(p, node);
	unsigned made = set_of(p, p->m->node[node].nout ? p->m->node[node].out[0] : -1);
	const struct model_node *n;
	int64_t others = alive(p, node);
	bool cheaper = true, may[MOST_FREE];
	int i, k;

	for (i = 0; i < p->n; i++)
		may[i] = node >= p->m->forward && !changed(p->m, &p->m->node[p->m->value[p->value[i]].def], node);
	while (cheaper)
		for (cheaper = false, set = all; set-- > 0;) {
			int64_t before = p->now[set] < HUGE_VAL ? others + bytes_of_set(p, set) : 0;

			for (i = 0; p->now[set] < HUGE_VAL && i < p->n; i++) {
				n = &p->m->node[p->m->value[p->value[i]].def];
				cheaper |= lower(p, set & ~(1u << i), p->now[set]);
				for (k = -1; may[i] && k < n->again.nin; k++) {	/* beside all, or in the place of one */
					drop = k < 0 ? 0 : set_of(p, n->again.in[k]) & set;
					if (runs(p, set, (int)(n - p->m->node), true, drop, before))
						cheaper |= lower(p, (set & ~drop) | 1u << i, p->now[set] +
						    (double)n->again.macs + 0.25 * (double)n->again.traffic);
				}
			}
			if (p->now[set] == HUGE_VAL)
				continue;
			for (drop = set & reads;; drop = (drop - 1) & set & reads) {	/* beside those above */
				if (p->now[set] < p->next[(set & ~drop) | made] && runs(p, set, node, false, drop, before))
					p->next[(set & ~drop) | made] = p->now[set];
				if (!drop)
					break;
			}
		}
}

static double
cheapest(const struct model *m, int64_t budget)
{
	struct program p = { .m = m, .budget = budget };
	double best = HUGE_VAL;
	unsigned i;
	int node;

	for (node = 0; node < m->nvalues; node++)
		if (is_free(m, node)) {
			cr_assert_lt(p.n, MOST_FREE);
			p.value[p.n++] = node;
		}
	p.now = arena_array(arena, (size_t)1 << p.n, sizeof(double));
	p.next = arena_array(arena, (size_t)1 << p.n, sizeof(double));
	for (i = 0; i < 1u << p.n; i++)
		p.now[i] = i ? HUGE_VAL : 0;
	for (node = 0; node < m->nnodes; node++) {
		double *old = p.now;

		for (i = 0; i < 1u << p.n; i++)
			p.next[i] = HUGE_VAL;
		advance(&p, node);
		p.now = p.next;
		p.next = old;
	}
	for (i = 0; i < 1u << p.n; i++)
		best = p.now[i] < best ? p.now[i] : best;
	return best;
}

Test(recompute_chains, small_chains_are_solved_exactly)
{
	struct module *m = prepared(source_from_text(arena, "net.nn", CHAIN, strlen(CHAIN)));
	struct model *model = step_model(arena, m->train, &options, STEP_REPEATS);
	int64_t all, budget;
	int i;

	step_try(model);
	all = model->trial->peak;
	for (i = 20; i > 4; i -= 3) {
		struct search_limits limits = { .most_work = INT64_MAX, .products = true, .fits = within,
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

static unsigned
chance(uint64_t *seed, unsigned n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*seed >> 40) % n;
}

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
	int chains = extended() ? 10 * CHAINS : CHAINS, budgets = 0, equal = 0, i, k;
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
			macs += (double)model->node[k].again.macs;
		for (k = 18; k >= 6; k--) {
			struct search_limits limits = { .most_work = RECOMPUTE_WORK, .products = true,
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
		struct search_limits limits = { .most_work = RECOMPUTE_WORK, .products = true, .fits = within,
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

/* Convolutions whose outputs their activations alone read, as many as all sets of can be looked
 * at. */
static char *
activated_chain(uint64_t *seed, int layers, int side)
{
	static const char *const active[] = { "relu", "sigmoid", "tanh" };
	char *text = arena_printf(arena, "network n { input x : f32[4, %d, %d] target t : class[10] y = x",
	    side, side);
	int i;

	for (i = 0; i < layers; i++) {
		unsigned kernel = 1 + 2 * chance(seed, 3);

		text = arena_printf(arena, "%s -> conv(%u, %u, pad=%u, bias=false) -> %s", text, 4 * (1 + chance(seed, 6)),
		    kernel, kernel / 2, active[chance(seed, 3)]);
	}
	return arena_printf(arena, "%s -> flatten -> dense(10) loss cross_entropy(y, t) } "
	    "train { batch 64 optimizer sgd(lr=0.1) }", text);
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
			struct search_limits limits = { .most_work = RECOMPUTE_WORK, .products = true,
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
	struct search_limits limits = { .most_work = RECOMPUTE_WORK, .products = true, .fits = within,
	    .context = &budget };

	step_try(model);
	limits.budget = budget = model->trial->peak / 20 * 15;
	model->work = 0;
	cr_assert(recompute_search(model, &limits));
	cr_expect_lt(model->work, RECOMPUTE_WORK / 100);
}

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
				sum += (double)model->node[k].again.macs + 0.25 * (double)model->node[k].again.traffic;
	}
	return sum;
}

/* The cheapest way of all in the order in which nodes stand, and in that of the pass `order`: no
 * more is made again than the cheaper of them takes. */
Test(recompute_chains, the_cheaper_of_two_orders_is_taken)
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
Test(recompute_chains, small_updates_may_wait)
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
Test(recompute_chains, the_other_order_is_that_of_the_step_alone)
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
Test(recompute_chains, a_choice_is_known_for_the_same_step_alone)
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
