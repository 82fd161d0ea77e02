/*
 * The order pass against brute force: all orders of small graphs that respect their edges.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "target/target.h"
#include "lang/expand.h"
#include "ir/pass.h"
#include "plan/plan.h"
#include "planned.h"
#include "schedule/known_orders.h"
#include "schedule/order.h"
#include "schedule/recompute.h"

static struct arena *arena;
static struct diags diags;
static struct pass_options options;

static void
setup(void)
{
	arena = arena_new();
	diags_init(&diags, arena);
	options = (struct pass_options){ .target = target_find("cuda"), .threads = 1 };
}

static void
teardown(void)
{
	arena_free(arena);
}

TestSuite(order, .init = setup, .fini = teardown);

static unsigned
draw(unsigned *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 16;
}

/* A network of definitions that read random earlier ones, in the order of the file; its result is
 * made of all that nobody reads. */
static const char *
random_network(unsigned seed, int count)
{
	bool read[16] = { false };
	const char *comma = "";
	struct text s;
	int i;

	text_init(&s, arena);
	text_puts(&s, "network n { input v0 : f32[64] target t : f32[8]\n");
	for (i = 1; i < count; i++) {
		int from = (int)(draw(&seed) % (unsigned)i);
		int other = (int)(draw(&seed) % (unsigned)i);

		if (draw(&seed) % 3) {
			text_printf(&s, "v%d = v%d -> dense(%d)\n", i, from, 16 << draw(&seed) % 8);
			other = from;
		} else {
			text_printf(&s, "v%d = concat(v%d, v%d)\n", i, from, other);
		}
		read[from] = read[other] = true;
	}
	text_puts(&s, "y = concat(");
	for (i = 0; i < count; i++)
		if (!read[i]) {
			text_printf(&s, "%sv%d", comma, i);
			comma = ", ";
		}
	text_puts(&s, ") -> dense(8)\nmetric mse(y, t) }\n");
	return s.s;
}

static int64_t
peak_of(struct graph *g)
{
	struct arena *scratch = arena_child(arena);
	struct model *m = step_model(scratch, g, &options, STEP_ONCE);
	int64_t peak;

	cr_assert(step_try(m));
	peak = m->trial->peak;
	arena_free(scratch);
	return peak;
}

static bool
ready(const struct node *n, struct node *const *done, int ndone)
{
	int i, k, j;

	for (k = 0; k < n->nin; k++) {
		bool there = !n->in[k] || !n->in[k]->def;

		for (i = 0; i < ndone && !there; i++)
			for (j = 0; j < done[i]->nout; j++)
				there |= done[i]->out[j] == n->in[k];
		if (!there)
			return false;
	}
	return true;
}

/* Tries all ways to go on after the first DEPTH nodes; the lowest peak. */
static int64_t
lowest(struct graph *g, int depth)
{
	struct node **v = g->nodes.v, *other;
	int64_t best = INT64_MAX, peak;
	int i;

	if (depth == g->nodes.n)
		return peak_of(g);
	for (i = depth; i < g->nodes.n; i++) {
		if (!ready(v[i], v, depth))
			continue;
		other = v[depth];
		v[depth] = v[i];
		v[i] = other;
		peak = lowest(g, depth + 1);
		if (peak < best)
			best = peak;
		v[i] = v[depth];
		v[depth] = other;
	}
	return best;
}

static struct module *
run_until(const char *text, const char *pass)
{
	const struct lang_options lang = { 0 };
	struct spec *spec = spec_load(arena, &diags, source_from_text(arena, "net.nn", text,
	    strlen(text)), &lang);
	struct module *m;
	int i;

	cr_assert_eq(diags.errors, 0, "%s\n%s", text, diags.all.n ? diags.all.v[0]->message : "");
	m = spec->modules.v[0];
	for (i = 0; strcmp(pass_table[i]->name, pass) != 0; i++)
		cr_assert(pass_apply(pass_table[i], m, &options));
	return m;
}

Test(order, small_graphs_get_their_lowest_peak)
{
	int improved = 0;
	unsigned seed;

	for (seed = 1; seed <= 60; seed++) {
		struct module *m = run_until(random_network(seed, 8), "order");
		int64_t before = peak_of(m->validate), best = lowest(m->validate, 0);

		cr_assert(pass_order.run(m, &options));
		cr_assert_eq(peak_of(m->validate), best, "seed %u: %lld, but %lld can be had",
		    seed, (long long)peak_of(m->validate), (long long)best);
		improved += best < before;
	}
	cr_assert_gt(improved, 5);
}

/* Paths of nodes in their order, after the pass. */
static const char *
ordered(const char *text, struct known_orders *known)
{
	struct module *m = run_until(text, "order");
	struct pass_options kept = options;
	struct text s;
	int i;

	kept.orders = known;
	m->options = &kept;
	cr_assert(pass_order.run(m, &kept));
	m->options = NULL;
	text_init(&s, arena);
	for (i = 0; i < m->validate->nodes.n; i++)
		text_printf(&s, "%s ", m->validate->nodes.v[i]->path);
	return s.s;
}

/* Of windows that are searched once and then known, the order is the one that a search finds, and
 * nothing is searched again. */
Test(order, a_window_is_searched_once)
{
	struct known_orders *known = known_orders_new(arena);
	int moved = 0, searched;
	unsigned seed;

	for (seed = 1; seed <= 60; seed++) {
		const char *text = random_network(seed, 8), *first = ordered(text, NULL);
		struct module *m = run_until(text, "order");
		struct text s;
		int i;

		cr_expect_str_eq(ordered(text, known), first, "seed %u, as others were", seed);
		searched = known_orders_count(known);
		cr_expect_str_eq(ordered(text, known), first, "seed %u, as it was", seed);
		cr_expect_eq(known_orders_count(known), searched, "seed %u is searched again", seed);
		text_init(&s, arena);
		for (i = 0; i < m->validate->nodes.n; i++)
			text_printf(&s, "%s ", m->validate->nodes.v[i]->path);
		moved += strcmp(s.s, first) != 0;
	}
	cr_assert_gt(moved, 5);
	cr_assert_gt(known_orders_count(known), moved - 1);
}

Test(order, an_order_is_known_for_the_same_window_alone)
{
	struct known_orders *known = known_orders_new(arena);
	struct known_order order = { .key = 7, .n = 3, .gain = 5, .node = (unsigned char[]){ 1, 0, 2 } };
	const struct known_order *found;

	cr_assert_null(known_orders_find(known, 7, 3));
	known_orders_keep(known, &order);
	order.node[0] = 2;
	cr_expect_null(known_orders_find(known, 8, 3));
	cr_expect_null(known_orders_find(known, 7, 4));
	found = known_orders_find(known, 7, 3);
	cr_assert_not_null(found);
	cr_expect_eq(found->gain, 5);
	cr_expect_eq(found->node[0], 1, "a copy is kept");
}

/* Puts the nodes into an order drawn from those that respect their edges. */
static void
shuffle(struct graph *g, unsigned seed)
{
	struct node **v = g->nodes.v, *other;
	int depth, i;

	for (depth = 0; depth < g->nodes.n; depth++) {
		do
			i = depth + (int)(draw(&seed) % (unsigned)(g->nodes.n - depth));
		while (!ready(v[i], v, depth));
		other = v[depth];
		v[depth] = v[i];
		v[i] = other;
	}
}

/* ---- statements ---- */

/* The definitions of a random network, in an order drawn from those in which each comes after what
 * it reads. */
static const char *
with_statements_shuffled(unsigned network, unsigned order, int count, const char *how)
{
	int from[16] = { 0 }, other[16] = { 0 }, width[16] = { 0 }, i, k, n, left[16];
	bool read[16] = { false }, there[16] = { true };
	const char *comma = "";
	struct text s;

	for (i = 1; i < count; i++) {
		from[i] = (int)(draw(&network) % (unsigned)i);
		other[i] = (int)(draw(&network) % (unsigned)i);
		width[i] = draw(&network) % 3 ? 16 << draw(&network) % 8 : 0;
		if (width[i])
			other[i] = from[i];
		read[from[i]] = read[other[i]] = true;
		left[i - 1] = i;
	}
	text_init(&s, arena);
	text_puts(&s, "network n { input v0 : f32[64] target t : f32[8]\n");
	for (n = count - 1; n > 0; n--) {
		do
			k = order ? (int)(draw(&order) % (unsigned)n) : 0;
		while (!there[from[left[k]]] || !there[other[left[k]]]);
		i = left[k];
		memmove(left + k, left + k + 1, (size_t)(n - 1 - k) * sizeof(*left));
		there[i] = true;
		if (width[i])
			text_printf(&s, "v%d = v%d -> dense(%d) -> relu\n", i, from[i], width[i]);
		else
			text_printf(&s, "v%d = concat(v%d, v%d)\n", i, from[i], other[i]);
	}
	text_puts(&s, "y = concat(");
	for (i = 0; i < count; i++)
		if (!read[i]) {
			text_printf(&s, "%sv%d", comma, i);
			comma = ", ";
		}
	text_printf(&s, ") -> dense(8)\n%s }\n", how);
	return s.s;
}

Test(order, statements_in_any_order_have_one_peak)
{
	static const char *const how[] = { "metric mse(y, t)",
	    "loss mse(y, t) } train { batch 64  optimizer sgd  data synthetic(64)" };
	unsigned network, order;
	size_t h;

	options.target = target_find("c");
	for (network = 1; network <= 40; network++)
		for (h = 0; h < 2; h++) {
			int64_t written = planned_text(arena, with_statements_shuffled(network, 0, 14, how[h]),
			    &options)->plan->arena_bytes;

			for (order = 1; order <= 3; order++) {
				const char *text = with_statements_shuffled(network, order, 14, how[h]);

				cr_assert_eq(planned_text(arena, text, &options)->plan->arena_bytes, written,
				    "network %u, not %lld:\n%s", network, (long long)written, text);
			}
		}
}

/* ---- parallel branches ---- */

#define MOST		24
#define LENGTH		6

struct branches {
	int n, length[MOST], width[MOST][LENGTH];
};

static const char *
network_of(const struct branches *b)
{
	struct text s;
	int i, k;

	text_init(&s, arena);
	text_puts(&s, "network n { input x : f32[64] target t : f32[8]\n");
	for (i = 0; i < b->n; i++) {
		text_printf(&s, "b%d = x", i);
		for (k = 0; k < b->length[i]; k++)
			text_printf(&s, " -> dense(%d, bias=false)", b->width[i][k]);
		text_puts(&s, "\n");
	}
	text_puts(&s, "y = concat(b0");
	for (i = 1; i < b->n; i++)
		text_printf(&s, ", b%d", i);
	text_puts(&s, ") -> dense(8)\nmetric mse(y, t) }\n");
	return s.s;
}

struct hill {
	int top, valley;	/* beside what was there before, as widths */
};

static int
by_fall(const void *x, const void *y)
{
	const struct hill *a = x, *b = y;

	return (b->top - b->valley) - (a->top - a->valley);
}

/* The lowest peak of the branches by Liu's merge (1987), as widths: x and t are there, and what has
 * run. */
static int
merged(const struct branches *b)
{
	struct hill hill[MOST * LENGTH];
	int n = 0, peak = 0, alive = 64 + 8, i, k, from, top, low;

	for (i = 0; i < b->n; i++) {
		const int *w = b->width[i];
		int before = 0;

		for (from = 0; from < b->length[i]; from = low + 1) {
			/* while node k runs, its input and output are there; after it, the
			 * output */
			for (top = k = from; k < b->length[i]; k++)
				if ((k ? w[k - 1] : 0) + w[k] >= (top ? w[top - 1] : 0) + w[top])
					top = k;
			for (low = k = top; k < b->length[i]; k++)
				if (w[k] <= w[low])
					low = k;
			hill[n++] = (struct hill){ (top ? w[top - 1] : 0) + w[top] - before, w[low] - before };
			before = w[low];
		}
	}
	qsort(hill, (size_t)n, sizeof(*hill), by_fall);
	for (i = 0; i < n; i++) {
		peak = alive + hill[i].top > peak ? alive + hill[i].top : peak;
		alive += hill[i].valley;
	}
	return peak;
}

/* As low as the merge, whatever order the nodes stood in; a window sees but 48 of up to 144. */
Test(order, branches_are_merged_from_any_order)
{
	static const char *const without[] = { "concat-in-place" };
	unsigned seed, draws;
	int i, k;

	options.without = without;
	options.nwithout = 1;
	for (seed = 1; seed <= 12; seed++) {
		struct branches b = { .n = 6 + (int)(2 * seed) % 19 };
		struct module *m;
		int64_t bytes;

		draws = seed;
		for (i = 0; i < b.n; i++) {
			b.length[i] = 3 + (int)(draw(&draws) % 4);
			for (k = 0; k < b.length[i] - 1; k++)
				b.width[i][k] = 16 << draw(&draws) % 8;
			b.width[i][k] = 16;
		}
		m = run_until(network_of(&b), "order");
		bytes = 4 * m->validate->batch * (int64_t)merged(&b);
		for (k = 0; k < 3; k++) {
			int64_t work = step_model(arena, m->validate, &options, STEP_ONCE)->node[0].work;

			cr_assert(pass_order.run(m, &options));
			cr_assert_eq(peak_of(m->validate), bytes + work, "seed %u: %lld, %lld merged", seed,
			    (long long)peak_of(m->validate), (long long)(bytes + work));
			shuffle(m->validate, seed + (unsigned)k);
		}
	}
}

/* Branches that are joined a few at a time: an earliest small set is not on the way to the lowest
 * peak, so many must be kept. That peak is from a search through all sets of nodes, by a program of
 * its own. */
Test(order, joined_branches_are_searched_widely)
{
	static const char *const without[] = { "concat-in-place" };
	const struct plan *plan;

	options.target = target_find("c");
	options.without = without;
	options.nwithout = 1;
	plan = planned_text(arena, "network n {\n"
	    "input x : f32[8, 8, 8]\n"
	    "target t : f32[4]\n"
	    "b0_0 = x -> conv(2, 1, bias=false) -> relu\n"
	    "b0_1 = b0_0 -> conv(32, 1, bias=false)\n"
	    "b0_2 = b0_1 -> conv(128, 1, bias=false)\n"
	    "b0_3 = b0_2 -> conv(32, 1, bias=false) -> relu\n"
	    "b1_0 = x -> conv(8, 1, bias=false) -> relu\n"
	    "b1_1 = b1_0 -> conv(2, 1, bias=false) -> relu\n"
	    "b2_0 = x -> conv(64, 1, bias=false)\n"
	    "b2_1 = b2_0 -> conv(4, 1, bias=false)\n"
	    "b2_2 = b2_1 -> conv(128, 1, bias=false)\n"
	    "b2_3 = b2_2 -> conv(2, 1, bias=false)\n"
	    "b2_4 = b2_3 -> conv(64, 1, bias=false)\n"
	    "b3_0 = x -> conv(16, 1, bias=false)\n"
	    "b3_1 = b3_0 -> sigmoid\n"
	    "b3_2 = b3_1 -> conv(32, 1, bias=false) -> relu\n"
	    "b3_3 = b3_2 -> conv(128, 1, bias=false)\n"
	    "b4_0 = x -> conv(32, 1, bias=false)\n"
	    "b5_0 = x -> conv(4, 1, bias=false)\n"
	    "b5_1 = b5_0 -> conv(64, 1, bias=false) -> relu\n"
	    "b5_2 = b5_1 -> sigmoid\n"
	    "b6_0 = x -> conv(128, 1, bias=false)\n"
	    "b6_1 = b6_0 -> sigmoid\n"
	    "b7_0 = x -> conv(32, 1, bias=false)\n"
	    "b7_1 = b7_0 -> sigmoid\n"
	    "b7_2 = b7_1 -> conv(32, 1, bias=false) -> relu\n"
	    "b8_0 = x -> conv(128, 1, bias=false)\n"
	    "b8_1 = b8_0 -> conv(4, 1, bias=false)\n"
	    "b8_2 = b8_1 -> conv(32, 1, bias=false) -> relu\n"
	    "j27 = concat(b3_3, b8_2) -> conv(32, 1, bias=false)\n"
	    "j28 = concat(b6_1, b2_4) -> conv(32, 1, bias=false)\n"
	    "j29 = concat(b7_2, j27, b4_0) -> conv(32, 1, bias=false)\n"
	    "j30 = concat(b5_2, b0_3, b1_1, j28, j29) -> conv(8, 1, bias=false)\n"
	    "y = j30 -> global_avgpool -> flatten -> dense(4)\n"
	    "metric mse(y, t)\n"
	    "}\n", &options)->plan;
	cr_assert_eq(plan->arena_bytes - plan->persistent_bytes, 3211776, "%lld",
	    (long long)(plan->arena_bytes - plan->persistent_bytes));
}

/* A segment p, a, b, and c reads p and a: once p has run, c is as near to being ready as b is. */
Test(order, a_reader_of_two_nodes_of_a_segment)
{
	struct module *m;
	int n, i;

	options.target = target_find("c");
	m = run_until("network n { input x : f32[1024] target t : f32[64]\n"
	    "p = x -> dense(4096)  a = p -> dense(16384)  b = a -> dense(16)  c = concat(p, a)\n"
	    "q = x -> dense(32768)  e = q -> dense(64)  r = x -> dense(32768)  f = r -> dense(64)\n"
	    "y = (c -> dense(64)) + e + f + (b -> dense(64))  loss mse(y, t) }\n"
	    "train { batch 32  optimizer sgd(lr=0.1)  data synthetic(samples=64) }\n"
	    "validate { data synthetic(samples=32) }", "order");
	n = m->validate->nodes.n;
	cr_assert(pass_order.run(m, &options));
	cr_assert_eq(m->validate->nodes.n, n);
	for (i = 0; i < n; i++)
		cr_assert(ready(m->validate->nodes.v[i], m->validate->nodes.v, i));
}

/* Bytes that are alive, summed over the nodes. */
static int64_t
area(const struct model *m)
{
	int64_t sum = 0;
	int i;

	for (i = 0; i < m->nnodes; i++)
		sum += m->trial->live[i];
	return sum;
}

Test(order, a_model_follows_its_graph)
{
	int moved = 0;
	unsigned seed;

	for (seed = 1; seed <= 60; seed++) {
		struct graph *g = run_until(random_network(seed, 12), "order")->validate;
		struct model *m = step_model(arena, g, &options, STEP_ONCE), *made;
		int64_t before;
		int i;

		cr_assert(step_try(m));
		before = area(m);
		shuffle(g, seed);
		made = step_model(arena, g, &options, STEP_ONCE);
		step_reorder(m);
		cr_assert(step_try(m) && step_try(made));
		for (i = 0; i < made->nnodes; i++) {
			cr_assert_eq(m->node[i].node, g->nodes.v[i]);
			cr_assert_eq(m->node[i].stage, made->node[i].stage);
			cr_assert_eq(m->trial->live[i], made->trial->live[i], "seed %u, node %d", seed, i);
		}
		cr_assert_eq(m->trial->peak, made->trial->peak);
		moved += area(made) != before;
	}
	cr_assert_gt(moved, 20);
}

/* 48 nodes, as many as a window has, of which each uses as many tensors as a node may, all of them
 * its own; the last one uses one more. */
static const char *
widest_window(void)
{
	struct text s;
	int i, k;

	text_init(&s, arena);
	text_puts(&s, "network n { target t : f32[3072]\n");
	for (i = 0; i < 48 * 23 + 1; i++)
		text_printf(&s, "input x%d : f32[64]\n", i);
	for (i = 0; i < 48; i++) {
		text_printf(&s, "c%d = concat(x%d", i, 23 * i);
		for (k = 1; k < 23 + (i == 47); k++)
			text_printf(&s, ", x%d", 23 * i + k);
		text_puts(&s, ")\n");
	}
	text_puts(&s, "f0 = x0 -> tanh\n");	/* so that no cut is better than after 48, and all stands as written */
	for (i = 0; i < 120; i++)
		text_printf(&s, "f%d = f%d -> tanh\n", i + 1, i);
	text_puts(&s, "s1 = c0 + c1\n");
	for (i = 2; i < 47; i++)
		text_printf(&s, "s%d = s%d + c%d\n", i, i - 1, i);
	text_puts(&s, "y = concat(s46, c47, f120)\nmetric mse(y, t) }\n");
	return s.s;
}

Test(order, a_window_of_too_many_tensors_is_not_searched)
{
	struct module *m = run_until(widest_window(), "order");
	const struct node *widest = m->validate->nodes.v[47];
	int64_t before = peak_of(m->validate);

	cr_assert_eq(widest->nin + widest->nout, 25);
	cr_assert(pass_order.run(m, &options));
	cr_assert_leq(peak_of(m->validate), before);	/* by merging: there is no room for its classes */
}

Test(order, training_computes_the_same)
{
	static const char text[] = "network n { input x : f32[64] target t : f32[8]\n"
	    "a = x -> dense(512) b = x -> dense(1024) c = a -> dense(8) d = b -> dense(8)\n"
	    "loss mse(c + d, t) }\ntrain { batch 64 data synthetic(128) }\n";
	struct module *m = run_until(text, "verify");

	cr_assert(plan_verify(m, m->plan, &diags));
}
