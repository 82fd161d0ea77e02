/*
 * When the logits of a head are made in chunks, and what that leaves in the plan: bytes added up by
 * hand at the sizes of GPT-2 124M (64 sequences of 1024 tokens, 768 wide, 50,304 words).
 */
#include <criterion/criterion.h>

#include <string.h>

#include "target/target.h"
#include "ir/op.h"
#include "plan/plan.h"
#include "planned.h"

#define ROWS	((int64_t)64 * 1024)
#define CHUNK	((int64_t)1024)	/* rows made at a time */
#define WIDTH	768
#define WORDS	50304
#define SCRATCH	((int64_t)384 * 256 * 2)	/* elements for the products of two threads */
/* of 16 bits they are packed as f32, and beside them lie the sums of 256 rows */
#define NARROW_SCRATCH	((int64_t)(384 + 256) * 256 * 2)

static struct arena *arena;

static void
setup(void)
{
	arena = arena_new();
	cr_assert(arena);
}

static void
teardown(void)
{
	arena_free(arena);
}

TestSuite(chunk_loss, .init = setup, .fini = teardown);

static struct module *
planned_without(const char *text, const char *pass)
{
	struct pass_options o = { .target = target_table[0], .threads = 2,
		.without = &pass, .nwithout = pass != NULL };
	struct module *m = planned_text(arena, text, &o);

	cr_assert_eq(m->diags->all.n, 0, "%s", m->diags->all.n ? m->diags->all.v[0]->message : "");
	return m;
}

static struct module *
planned(const char *text)
{
	return planned_without(text, NULL);
}

/* The first joined head of a graph, or NULL. */
static const struct node *
joined(const struct graph *g)
{
	const struct op *op = op_find("dense_cross_entropy");
	int i;

	for (i = 0; i < g->nodes.n; i++)
		if (g->nodes.v[i]->op == op)
			return g->nodes.v[i];
	return NULL;
}

static int64_t
aligned(int64_t bytes)
{
	return (bytes + 63) / 64 * 64;
}

static const char *
gpt2(const char *settings)
{
	return arena_printf(arena,
	    "network n { input h : f32[1024, 768] target next : class[50304, 1024]\n"
	    "x = h -> dense(768)\n"
	    "loss cross_entropy(x -> head: dense(50304, bias=false), next) }\n"
	    "train { batch 64 optimizer sgd(lr=0.1) data synthetic(64) %s }\n", settings);
}

/* Alive all the time, or during the head at least: weights, their gradient, h, x. */
static int64_t
around_the_head(void)
{
	int64_t weight = (int64_t)WORDS * WIDTH * 4, dense = WIDTH * WIDTH * 4 + WIDTH * 4;

	return weight + dense + weight + 2 * ROWS * WIDTH * 4 + aligned(4);
}

Test(chunk_loss, all_logits_at_once)
{
	const struct module *m = planned(gpt2("chunk_loss none"));

	cr_assert_null(joined(m->train));
	/* the gradient of the logits lies over them; the product of the weights' has scratch */
	cr_expect_eq(m->plan->arena_bytes, around_the_head() + ROWS * WORDS * 4 + SCRATCH * 4);
}

Test(chunk_loss, chunks_of_them)
{
	const struct module *m = planned(gpt2(""));
	const struct node *n = joined(m->train);
	int64_t sums = 2 * (256 + CHUNK) * 8;

	cr_assert_not_null(n);
	cr_expect_eq(op_int(n, "rows"), CHUNK);
	cr_expect_eq(tensor_bytes(n->work).fixed, CHUNK * WORDS * 4 + sums + SCRATCH * 4);
	/* labels, and the gradient of x, live from forward on */
	cr_expect_eq(m->plan->arena_bytes, around_the_head() + tensor_bytes(n->work).fixed +
	    ROWS * 4 + ROWS * WIDTH * 4);
	cr_expect_null(n->out[1]);	/* training computes no accuracy */
	cr_expect_eq(m->plan->arena_bytes, planned(gpt2("chunk_loss 64"))->plan->arena_bytes);
}

Test(chunk_loss, logits_in_bf16)
{
	const struct node *n = joined(planned(gpt2("precision bf16"))->train);

	cr_assert_not_null(n);
	cr_expect_eq(ROWS * WORDS * 2, (int64_t)6288 << 20);
	cr_expect_eq(tensor_bytes(n->work).fixed, (CHUNK * WORDS * 2) +
	    2 * (256 + CHUNK) * 8 + NARROW_SCRATCH * 4);
}

Test(chunk_loss, can_be_left_out)
{
	cr_expect_null(joined(planned_without(gpt2("chunk_loss 16"), "chunk-loss")->train));
}

Test(chunk_loss, no_multiply_add_is_added)
{
	const struct module *whole = planned(gpt2("chunk_loss none")), *split = planned(gpt2(""));
	int64_t sum[2] = { 0, 0 };
	int i;

	for (i = 0; i < whole->train->nodes.n; i++)
		if (whole->train->nodes.v[i]->op->macs)
			sum[0] += affine_at(whole->train->nodes.v[i]->op->macs(
			    whole->train->nodes.v[i]), 64);
	for (i = 0; i < split->train->nodes.n; i++)
		if (split->train->nodes.v[i]->op->macs)
			sum[1] += affine_at(split->train->nodes.v[i]->op->macs(
			    split->train->nodes.v[i]), 64);
	/* the head three times, the first layer twice: its input is no parameter */
	cr_expect_eq(sum[0], 3 * ROWS * WORDS * WIDTH + 2 * ROWS * WIDTH * WIDTH);
	cr_expect_eq(sum[1], sum[0]);
}

Test(chunk_loss, small_heads_are_left_alone)
{
	const struct module *m = planned("network n { input x : f32[784] target t : class[10]\n"
	    "loss cross_entropy(x -> dense(300) -> relu -> dense(10), t) }\n"
	    "train { batch 8192 data synthetic(64) }\n");

	cr_expect_null(joined(m->train));	/* many rows, but of ten numbers */
	m = planned("network n { input x : f32[64] target t : class[100000]\n"
	    "loss cross_entropy(x -> dense(100000), t) }\n"
	    "train { batch 64 data synthetic(64) }\n");
	cr_expect_null(joined(m->train));	/* large rows, but too few to split */
}

/* What training keeps for backward is more than all the logits of validation. */
Test(chunk_loss, a_graph_below_the_peak_is_left_whole)
{
	const struct module *m = planned("network n { input x : f32[64, 100]\n"
	    "target t : class[2000, 64]\n"
	    "y = x -> 30 * (dense(100) -> gelu) -> dense(2000)\n"
	    "loss cross_entropy(y, t) metric accuracy(y, t) }\n"
	    "train { batch 64 data synthetic(64) } validate { batch 8 data synthetic(64) }\n");

	cr_expect_not_null(joined(m->train));
	cr_expect_null(joined(m->validate));
	m = planned("network n { input x : f32[64, 100] target t : class[2000, 64]\n"
	    "y = x -> dense(100) -> gelu -> dense(2000)\n"
	    "loss cross_entropy(y, t) metric accuracy(y, t) }\n"
	    "train { batch 4 data synthetic(64) } validate { batch 64 data synthetic(64) }\n");
	cr_expect_null(joined(m->train));
	cr_assert_not_null(joined(m->validate));
	cr_expect_not_null(joined(m->validate)->out[1]);	/* the accuracy comes with it */
}

/* The peak is far from the head, where two tensors of 313 MiB meet: splitting helps only once
 * recomputation has lowered what lies around it. */
static const struct module *
peak_elsewhere(const char *settings)
{
	return planned(arena_printf(arena,
	    "network n { input x : f32[64, 100] target t : class[2000, 64]\n"
	    "y = x -> dense(20000) -> relu -> dense(50) -> dense(2000)\n"
	    "loss cross_entropy(y, t) }\n"
	    "train { batch 64 data synthetic(64) %s\n", settings));
}

Test(chunk_loss, heads_are_split_before_a_budget_asks_for_recomputing)
{
	cr_expect_null(joined(peak_elsewhere("}")->train));
	cr_expect_null(joined(peak_elsewhere("recompute auto } device { memory 2GiB }")->train));
	cr_expect_not_null(joined(peak_elsewhere("recompute auto } device { memory 400MiB }")->train));
}

/* Ten logits of each sample are less than the 512 numbers that they are made of: split, the head
 * would have these and their gradient at once, and the budget could not be kept. */
Test(chunk_loss, a_budget_splits_no_head_that_needs_more_for_it)
{
	const struct module *m = planned("network n { input x : f32[256] target t : class[10]\n"
	    "y = x -> dense(64) -> relu -> dense(64) -> relu -> dense(512) -> relu -> dense(64) -> dense(512) -> dense(10)\n"
	    "loss cross_entropy(y, t) }\n"
	    "train { batch 512 optimizer sgd(lr=0.1) data synthetic(512) recompute auto(3574233B) }\n");

	cr_expect_null(joined(m->train));
	cr_expect_leq(m->plan->arena_bytes, 3574233);
}

Test(chunk_loss, only_gradients_that_are_wanted)
{
	const struct node *n = joined(planned("network n { input x : f32[9]\n"
	    "target t : class[5]\ny = x -> dense(8) -> head: dense(5)\nloss cross_entropy(y, t) }\n"
	    "train { batch 8 chunk_loss 2 freeze head.weight data synthetic(64) }\n")->train);

	cr_assert_not_null(n);
	cr_expect_not_null(n->out[2]);
	cr_expect_null(n->out[3]);
	cr_expect_not_null(n->out[4]);
	n = joined(planned("network n { input x : f32[9] target t : class[5]\n"
	    "y = x -> body: dense(8) -> head: dense(5)\nloss cross_entropy(y, t) }\n"
	    "train { batch 8 chunk_loss 2 freeze body data synthetic(64) }\n")->train);
	cr_assert_not_null(n);
	cr_expect_null(n->out[2]);
	cr_expect_not_null(n->out[3]);
}
