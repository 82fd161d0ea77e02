/*
 * Recompute. A trial must foresee exactly what the passes then find: random choices on real
 * networks are tried, applied, planned and verified, and the peaks compared. Budgets are kept, and
 * small chains solved as by trying everything.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "target/target.h"
#include "lang/expand.h"
#include "passes/passes.h"
#include "plan/plan.h"
#include "schedule/known_choices.h"
#include "schedule/order.h"
#include "schedule/recompute.h"
#include "extended.h"
#include "spec_file.h"

extern const struct pass pass_recompute;

static struct arena *arena;
static struct diags diags, *last_diags;	/* the latter of planned() */
static struct pass_options options;
static const char *const without[] = { "order" };	/* which might lower a peak further */

static void
setup(void)
{
	arena = arena_new();
	diags_init(&diags, arena);
	options = (struct pass_options){ .target = target_find("c"), .threads = 2,
	    .without = without, .nwithout = 1 };
}

static void
teardown(void)
{
	arena_free(arena);
}

TestSuite(recompute, .init = setup, .fini = teardown);

/* A module that has been through the passes before `recompute`. */
static struct module *
prepared(struct source *src)
{
	const struct lang_options lang = { 0 };
	struct spec *spec = spec_load(arena, &diags, src, &lang);
	struct module *m;
	int i;

	cr_assert_eq(diags.errors, 0, "%s", diags.all.n ? diags.all.v[0]->message : "");
	m = spec->modules.v[0];
	m->options = &options;
	for (i = 0; strcmp(pass_table[i]->name, "recompute") != 0; i++)
		cr_assert(pass_apply(pass_table[i], m, &options));
	return m;
}

static struct module *
network(const char *name)
{
	return prepared(spec_file(arena, name));
}

/* The largest sum of transient bytes alive at an instant of train. */
static int64_t
planned_peak(struct module *m)
{
	const struct plan *p;
	int64_t persistent = 0, mask, peak = 0;
	int i;

	cr_assert(passes_finish(m, &options, "recompute"), "%s", diags.all.n ?
	    diags.all.v[diags.all.n - 1]->message : "");
	p = m->plan;
	mask = p->alignment - 1;
	for (i = 0; i < p->buffers.n; i++)
		if (p->buffers.v[i].persistent)
			persistent += (p->buffers.v[i].bytes + mask) & ~mask;
	for (i = 0; i < p->instants; i++)
		if (p->at[i].graph == m->train && p->at[i].live - persistent > peak)
			peak = p->at[i].live - persistent;
	return peak;
}

static unsigned
draw(unsigned *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 16;
}

/* Of ten tensors, so many are made again. */
static void
choose(struct model *m, unsigned seed, unsigned share)
{
	int i;

	for (i = 0; i < m->nvalues; i++)
		if (!m->value[i].fixed && draw(&seed) % 10 < share)
			m->state[i] = draw(&seed) % 2 ? AGAIN : EACH;
		else if (!m->value[i].fixed && draw(&seed) % 3 == 0)
			m->state[i] = KEEP;
}

static void
foresees(const char *name)
{
	unsigned seed;

	for (seed = 0; seed < 24; seed++) {
		struct module *m = network(name);
		struct model *model = step_model(arena, m->train, &options, STEP_REPEATS);

		choose(model, seed, seed % 8);
		if (!step_try(model))
			continue;
		recompute_apply(model, m->train, NULL);
		cr_assert_eq(planned_peak(m), model->trial->peak, "%s, seed %u: %lld planned, "
		    "%lld foreseen", name, seed, (long long)planned_peak(m),
		    (long long)model->trial->peak);
	}
}

Test(recompute, trials_foresee_resnet18)
{
	foresees("resnet18.nn");
}

Test(recompute, trials_foresee_unet)
{
	foresees("unet.nn");
}

Test(recompute, trials_foresee_vgg16)
{
	foresees("vgg16.nn");
}

Test(recompute, trials_foresee_digits)
{
	foresees("digits.nn");
}

Test(recompute, keeping_all_changes_nothing)
{
	struct module *m = network("resnet50.nn");
	struct model *model = step_model(arena, m->train, &options, STEP_REPEATS);
	int nodes = m->train->nodes.n;

	cr_assert(step_try(model));
	cr_assert_eq(model->trial->macs, 0);
	recompute_apply(model, m->train, NULL);
	cr_assert_eq(m->train->nodes.n, nodes);
	cr_assert_eq(planned_peak(m), model->trial->peak);
}

/* ---- budgets ---- */

static struct module *
planned(const char *text, int64_t budget)
{
	const struct lang_options lang = { 0 };
	struct diags *d = last_diags = ARENA_NEW(arena, struct diags);
	struct spec *spec;
	struct module *m;

	diags_init(d, arena);
	spec = spec_load(arena, d, source_from_text(arena, "net.nn", text, strlen(text)), &lang);
	cr_assert_eq(d->errors, 0, "%s", d->all.n ? d->all.v[0]->message : "");
	m = spec->modules.v[0];
	m->set.recompute = budget ? RECOMPUTE_AUTO : RECOMPUTE_NONE;
	m->set.recompute_budget = budget;
	return passes_run(m, &options) ? m : NULL;
}

static const char *
spec_text(const char *name)
{
	struct source *src = spec_file(arena, name);

	return arena_strndup(arena, src->text, src->size);
}

/* From all that keeping everything takes down to LEAST of 50 parts of it, or with 0 to the state
 * alone: no plan exceeds its budget, none is larger than that of a larger budget, and where none is
 * found, none is for less. */
static void
keeps_budgets(const char *text, int step, int least, int share_reached)
{
	const struct plan *all = planned(text, 0)->plan;
	int64_t last = INT64_MAX, budget;
	int i, found = 0, missed = 0;

	for (i = 50; i > 0 && i >= least; i -= missed ? 16 : step) {	/* where none is found, the search is longest */
		struct module *m;

		budget = all->persistent_bytes + all->transient_bytes / 50 * i;
		m = planned(text, budget);
		if (!m) {
			missed = i;
			continue;
		}
		cr_assert_eq(missed, 0, "budget %d of 50 is kept, but not %d", i, missed);
		found = i;
		cr_assert_leq(m->plan->arena_bytes, budget, "budget %d of 50", i);
		cr_assert_leq(m->plan->arena_bytes, last, "budget %d of 50", i);
		last = m->plan->arena_bytes;
	}
	cr_assert_gt(found, 0);
	cr_assert(least || missed > 0, "the least budget asked for is kept");
	cr_assert_leq(found * 2, share_reached, "no plan below %d %%", found * 2);
}

/* Where no way is found in either order of the nodes, what is reported is the arena of a step in
 * the order that stands: a budget of just that is kept. The other tests leave out the pass that
 * orders. */
Test(recompute, the_smallest_arena_that_is_reported_is_there)
{
	static const char before[] = "smallest arena found takes ";
	const char *text = spec_text("resnet18.nn"), *found;
	int64_t budget = planned(text, 0)->plan->persistent_bytes + 1, bytes = 0;

	options.nwithout = 0;
	cr_assert_null(planned(text, budget));
	cr_assert_eq(last_diags->errors, 1);
	found = strstr(last_diags->all.v[0]->message, before);
	cr_assert_not_null(found, "%s", last_diags->all.v[0]->message);
	for (found = strchr(found, '('); *found != ' '; found++)
		if (*found >= '0' && *found <= '9')
			bytes = 10 * bytes + *found - '0';
	cr_assert_gt(bytes, budget);
	cr_assert_not_null(planned(text, bytes), "%" PRId64 " B are found, but not kept", bytes);
}

Test(recompute, budgets_of_resnet18_are_kept)
{
	keeps_budgets(spec_text("resnet18.nn"), 8, 0, 52);
}

Test(recompute, budgets_of_unet_are_kept)
{
	if (extended())
		keeps_budgets(spec_text("unet.nn"), 8, 0, 52);
	else	/* what cannot be kept takes longest, and the others show that */
		keeps_budgets(spec_text("unet.nn"), 12, 26, 52);
}

Test(recompute, budgets_of_vgg16_are_kept)
{
	keeps_budgets(spec_text("vgg16.nn"), 8, 0, 84);
}

static bool
within(struct model *m, void *context)
{
	const int64_t *budget = context;

	return m->trial->peak <= *budget;
}

/* What cannot be kept ends at one and the same choice, whatever the budget: it is the least there
 * is, and a budget of just that is kept. */
Test(recompute, the_lowest_choice_does_not_depend_on_the_budget)
{
	static const char chain[] = "network n { input x : f32[64] target t : f32[64]\n"
	    "y = x -> 16 * (dense(64) -> sigmoid) loss mse(y, t) } train { batch 512 }\n";
	struct module *m = prepared(source_from_text(arena, "net.nn", chain, strlen(chain)));
	struct model *model = step_model(arena, m->train, &options, STEP_REPEATS);
	int64_t all, least = 0, budget;
	struct search_limits limits = { .most_work = INT64_MAX, .products = true, .fits = within,
	    .context = &budget };
	int i;

	step_try(model);
	all = model->trial->peak;
	for (i = 4; i > 1; i--) {
		limits.budget = budget = all / 40 * i;
		step_keep_all(model);
		cr_assert(!recompute_search(model, &limits), "budget %d of 40", i);
		cr_assert(!least || model->trial->peak == least, "%lld, but %lld for more",
		    (long long)model->trial->peak, (long long)least);
		least = model->trial->peak;
	}
	limits.budget = budget = least;
	step_keep_all(model);
	cr_assert(recompute_search(model, &limits));
	cr_assert_eq(model->trial->peak, least);
	limits.budget = budget = least - 1;
	step_keep_all(model);
	cr_assert(!recompute_search(model, &limits));
}

/* A chain that all descents together would take hours for: what is left when the work is used up is
 * lower than at first, and is what its trial says. */
Test(recompute, a_search_ends_when_its_work_is_used_up)
{
	static const char chain[] = "network n { input x : f32[64] target t : f32[64]\n"
	    "y = x -> 1000 * (dense(64) -> sigmoid) loss mse(y, t) }\n";
	const int64_t most = 4 << 20;
	struct module *m = prepared(source_from_text(arena, "net.nn", chain, strlen(chain)));
	struct model *model = step_model(arena, m->train, &options, STEP_REPEATS);
	int64_t all, peak, budget = 1;
	struct search_limits limits = { .budget = 1, .most_work = most, .products = true,
	    .fits = within, .context = &budget };

	step_try(model);
	all = model->trial->peak;
	limits.budget = budget = all / 20 * 19;
	cr_assert(recompute_search(model, &limits), "there is a lower one");
	cr_assert_leq(model->trial->peak, budget);
	model->work = 0;
	limits.budget = budget = 1;
	step_keep_all(model);
	cr_assert(!recompute_search(model, &limits));
	cr_assert_geq(model->work, most);
	cr_assert_lt(model->work, 2 * most, "%lld", (long long)model->work);
	cr_assert_lt(peak = model->trial->peak, all);
	recompute_apply(model, m->train, NULL);
	cr_assert_eq(planned_peak(m), peak);
}

/* Just above what one node needs beside the gradients that are there (27 % of what keeping
 * everything takes, and 19 %), choices of states ran forward twice and more again, or none was
 * found. */
static void
goes_without_a_cliff(const char *name, struct module *m, int percent, double most)
{
	struct model *model = step_model(arena, m->train, &options, STEP_REPEATS);
	struct search_limits limits = { .most_work = RECOMPUTE_WORK, .products = true, .fits = within };
	int64_t budget, macs = 0;
	int i;

	for (i = 0; i < model->forward; i++)
		macs += model->node[i].again.macs;
	step_try(model);
	budget = limits.budget = model->trial->peak / 100 * percent;
	limits.context = &budget;
	cr_assert(recompute_search(model, &limits), "%s in %d %%", name, percent);
	cr_assert_leq((double)model->trial->macs, most * (double)macs, "%s in %d %%: %.2f of forward again",
	    name, percent, (double)model->trial->macs / (double)macs);
}

Test(recompute, googlenet_has_no_cliff)
{
	if (!extended())
		cr_skip_test("one of the swept cases: make check-extended");
	goes_without_a_cliff("googlenet.nn", network("googlenet.nn"), 31, 0.75);
}

/* Below 47 % its largest convolution is made again while the gradients of two skips are there,
 * unless what its pooling made is kept; below 40 %, one gradient and that convolution's input and
 * output are too much. */
Test(recompute, unet_has_no_cliff)
{
	goes_without_a_cliff("unet.nn", network("unet.nn"), 45, 1.0);
}

Test(recompute, mobilenet_has_no_cliff)
{
	if (!extended())
		cr_skip_test("one of the swept cases: make check-extended");
	goes_without_a_cliff("mobilenet_v2.nn", network("mobilenet_v2.nn"), 21, 0.35);
}

/* Of 1,000 equal layers, checkpoints at every 32nd and the layers between two of them are 6.4 %: a
 * tenth does with one more forward (Chen and others, 2016). */
Test(recompute, a_long_chain_needs_but_one_more_forward)
{
	static const char chain[] = "network n { input x : f32[64] target t : f32[64]\n"
	    "y = x -> 1000 * (dense(64) -> sigmoid) loss mse(y, t) } train { batch 256 }\n";

	goes_without_a_cliff("1000 layers", prepared(source_from_text(arena, "net.nn", chain, strlen(chain))),
	    10, 1);
}

/* ---- small chains ---- */

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

/* What may happen before that node, until nothing gets cheaper; then the node. */
static void
advance(struct program *p, int node)
{
	unsigned all = 1u << p->n, set, drop, reads = reads_of(p, node);
	unsigned made = set_of(p, p->m->node[node].nout ? p->m->node[node].out[0] : -1);
	const struct model_node *n;
	int64_t others = alive(p, node);
	bool cheaper = true;
	double cost;
	int i;

	while (cheaper)
		for (cheaper = false, set = all; set-- > 0;) {
			int64_t before = p->now[set] < HUGE_VAL ? others + bytes_of_set(p, set) : 0;

			for (i = 0; p->now[set] < HUGE_VAL && i < 2 * p->n; i++) {
				unsigned bit = 1u << i % p->n, to = i < p->n ? set & ~bit : set | bit;

				n = &p->m->node[p->m->value[p->value[i % p->n]].def];
				cost = p->now[set] + (i < p->n ? 0 : (double)n->again.macs +
				    0.25 * (double)n->again.traffic);
				if (cost < p->now[to] && (i < p->n || (node >= p->m->forward &&
				    runs(p, set, (int)(n - p->m->node), true, 0, before)))) {
					p->now[to] = cost;
					cheaper = true;
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

Test(recompute, small_chains_are_solved_exactly)
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
Test(recompute, random_chains_are_solved)
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
Test(recompute, activated_chains_are_solved_exactly)
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
Test(recompute, a_dozen_activated_layers_take_little)
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
Test(recompute, the_cheaper_of_two_orders_is_taken)
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

static struct node **
nodes_of(const struct graph *g)
{
	struct node **v = arena_array(arena, (size_t)g->nodes.n, sizeof(*v));

	memcpy(v, g->nodes.v, (size_t)g->nodes.n * sizeof(*v));
	return v;
}

/* Only the step's order is looked at in the search: validation stands as it was, until its pass. */
Test(recompute, the_other_order_is_that_of_the_step_alone)
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
Test(recompute, a_choice_is_known_for_the_same_step_alone)
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
