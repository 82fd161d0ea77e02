/*
 * plan/estimate.c: what calls read and write by hand, the time of a step on one branch, and bounds
 * of its time on several.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "plan/estimate.h"
#include "plan/plan.h"
#include "target/gpu.h"
#include "target/target.h"
#include "ir/op.h"
#include "planned.h"

static struct arena *arena;
static struct module *module;

static const struct plan *
load(const char *name, bool branches)
{
	static const char *const without = "branches";
	const struct lang_options lang = { .device = "H100" };
	const struct pass_options options = { .threads = 2, .without = &without, .nwithout = !branches, .speed = true,
		.target = target_find("cuda") };

	arena = arena_new();
	module = planned_source(arena, spec_file(arena, name), &lang, &options);
	return module->plan;
}

Test(estimate, one_branch_is_one_after_the_other)
{
	const struct plan *p = load("resnet18.nn", false);
	struct card card = card_of(module);
	struct estimate e = plan_estimate(p, &card, arena, 0);

	/* 132 multiprocessors of 128 products at 1.83 GHz */
	cr_expect_float_eq(card.macs, 0.84 * 132 * 128 * 1.83, 1e-6);
	cr_expect_float_eq(card.bytes, 0.84 * 3352, 1e-6);
	cr_expect_float_eq(e.in_turn, e.work + 3000.0 * e.kernels, 1);
	cr_expect_float_eq(e.apart, e.in_turn, 1);
}

Test(estimate, branches_hide_what_is_beside_work)
{
	static const char *const spec[] = { "resnet18.nn", "lenet5.nn", "vgg16.nn" };
	size_t i;

	for (i = 0; i < sizeof(spec) / sizeof(*spec); i++) {
		const struct plan *p = load(spec[i], true);
		struct card card = card_of(module);
		struct estimate e = plan_estimate(p, &card, arena, 0);
		int calls, longest = plan_longest(p, arena, &calls);

		cr_expect_eq(e.calls, calls, "%s", spec[i]);
		cr_expect(e.apart < e.in_turn && e.apart >= e.work, "%s", spec[i]);
		cr_expect_geq(e.apart, KERNEL_NS * longest, "%s", spec[i]);
	}
}

/* The Nth call of training, from 0 on: its instant. No view is one. */
static int
nth_call(const struct plan *p, int n)
{
	int i;

	for (i = 0; i < p->instants; i += plan_together(p, i))
		if (!op_is_view(p->at[i].node->op) && n-- == 0)
			break;
	return i;
}

static double
work_of(const struct plan *p, const struct card *card, int i)
{
	return card_work(card, p->at[i].node, p->at[i].graph->batch);
}

/* By hand, of the first four calls:
 *
 *     first --> third -----> fourth	second and third begin when first is over, fourth behind both
 *         \--> second ----/
 *
 * The third begins with what is beside its work, 3 us; the second 1.5 us later, so that it works
 * from 4.5 us on, in halves with the third. Of what both take beside their work 3 us are hidden;
 * and the fourth waits 1.5 us more. */
Test(estimate, a_branch_by_hand)
{
	struct plan *p = (struct plan *)load("vgg16.nn", false);
	struct card card = card_of(module);
	struct estimate before = plan_estimate(p, &card, arena, 0), after;
	struct beside *beside = arena_array(arena, (size_t)p->instants, sizeof(*beside));
	int i, call[4];
	double second, third;

	for (i = 0; i < 4; i++)
		call[i] = nth_call(p, i);
	second = work_of(p, &card, call[1]);
	third = work_of(p, &card, call[2]);
	cr_assert(third > 1500 && second > third - 1500);	/* so that the third is over first */
	for (i = 1; i < 3; i++)
		cr_assert_eq(card_beside(p->at[call[i]].node, p->batch), KERNEL_NS);
	p->at[call[1]].branch = 1;
	p->at[call[1]].after[0] = call[0] + 1;
	p->at[call[3]].after[1] = call[1] + 1;
	after = plan_estimate(p, &card, arena, 0);
	cr_expect_float_eq(after.in_turn, before.in_turn, 1e-3);
	cr_expect_float_eq(before.apart - after.apart, 3000 - 1500, 1);

	plan_beside(plan_calls(p, &card, arena, 0), beside);
	cr_expect_float_eq(beside[call[1]].in_turn, 3000 + second + 3000 + third, 1);
	cr_expect_float_eq(beside[call[1]].took, 3000 + second + third + 1500, 1);
	cr_expect_float_eq(beside[call[0]].in_turn, beside[call[0]].took, 1e-3);
}

/* A T4 has 40 multiprocessors at 1.59 GHz; each does 512 products of f16 in a clock on its tensor
 * cores, which know no bf16, and 64 of f32. */
Test(estimate, tensor_cores_know_not_every_precision)
{
	static const struct { const char *precision; int products; } known[] = { { "f16", 512 }, { "bf16", 64 }, { "f32", 64 } };
	size_t k;

	for (k = 0; k < sizeof(known) / sizeof(*known); k++) {
		const struct pass_options options = { .threads = 2, .target = target_find("cuda") };

		arena = arena_new();
		module = planned_text(arena, arena_printf(arena, "network n {\n input x : f32[8]\n target t : f32[8]\n"
		    " loss mse(x -> dense(8), t)\n}\n"
		    "train { batch 8 precision %s data synthetic(8) }\ndevice { name \"T4\" }\n", known[k].precision), &options);
		cr_expect_float_eq(card_of(module).macs, 0.84 * 40 * 1.59 * known[k].products, 1e-6, "%s", known[k].precision);
	}
}

/* On an RTX 3060, of 360 GB/s and 28 multiprocessors of 128 products at 1.777 GHz, of which slow
 * kernels do a quarter: 64 images of 16 channels of 112 x 112 to 96 of them are 64 * 12544 * 16 *
 * 96 products, which take 0.92 ms, and 4 * 64 * 12544 * 112 bytes and the weights, which take 1.19
 * ms; 128 channels of 28 x 28 to 128 by 3 x 3 take 5.5 ms and 0.17 ms. */
Test(estimate, copies_pay_where_more_is_multiplied_than_moved)
{
	static const struct { const char *input, *conv; bool pays; } net[] = {
		{ "f32[16, 112, 112]", "conv(96, 1, bias=false)", false },
		{ "f32[128, 28, 28]", "conv(128, 3, pad=1, bias=false)", true } };
	double bytes = 0.84 * 360, macs = 0.25 * 0.84 * 28 * 128 * 1.777;
	size_t k;

	for (k = 0; k < sizeof(net) / sizeof(*net); k++) {
		const struct pass_options options = { .threads = 2, .speed = true, .target = target_find("cuda") };
		const struct node *conv;
		double gain;
		int i;

		arena = arena_new();
		module = planned_text(arena, arena_printf(arena, "network n {\n input x : %s\n target t : class[4]\n"
		    " loss cross_entropy(x -> %s -> global_avgpool -> flatten -> dense(4), t)\n}\n"
		    "train { batch 64 data synthetic(64) }\ndevice { name \"RTX 3060\" }\n", net[k].input, net[k].conv), &options);
		for (i = 0; strcmp(module->train->nodes.v[i]->op->name, "conv") != 0; i++)
			;
		conv = module->train->nodes.v[i];
		gain = k == 0 ? 0 : 64.0 * 784 * 128 * 1152 / macs - 4.0 * (2 * 64 * 784 * 128 + 128 * 1152) / bytes;
		cr_expect_float_eq((double)card_copies(&(struct card){ bytes, 1, macs / 0.25 }, conv, 64), gain * bytes / 2, 2);
		cr_expect_eq(plan_buffer(module->plan, conv->work)->bytes > (4 << 20), net[k].pays, "%s", net[k].conv);
	}
}

/* Where the card is not known, nothing is known of that. */
Test(estimate, copies_may_pay_on_a_card_that_is_not_known)
{
	load("resnet18.nn", true);
	cr_expect_eq(card_copies(&(struct card){ 1, 1, 0 }, module->train->nodes.v[1], 64), LARGEST_BYTES);
}

/* Of few samples a weight's gradient takes no longer than it is to launch; of many both it and its
 * input's, beside which it runs, read 512 MB and more, of whose time 3 us are less than 2 %.
 * (Beside them small calls may run, as that of the loss.) */
Test(estimate, a_branch_is_left_where_it_gains)
{
	static const struct { int samples; bool gains; } net[] = { { 64, true }, { 262144, false } };
	size_t k;

	for (k = 0; k < sizeof(net) / sizeof(*net); k++) {
		const struct pass_options options = { .threads = 2, .speed = true, .target = target_find("cuda") };
		const struct plan *p;
		struct card card;
		int i, branches = 0;

		arena = arena_new();
		module = planned_text(arena, arena_printf(arena, "network n {\n input x : f32[256]\n target t : f32[256]\n"
		    " loss mse(x -> dense(256) -> relu -> dense(256) -> relu -> dense(256), t)\n}\n"
		    "train { batch %d data synthetic(262144) }\n", net[k].samples), &options);
		p = module->plan;
		card = card_of(module);
		for (i = 0; i < p->instants && p->at[i].graph == module->train; i++)
			branches += p->at[i].branch > 0 && p->at[i].node->op->macs;
		cr_expect_eq(branches > 0, net[k].gains, "%d samples, %d on branches", net[k].samples, branches);
		if (net[k].gains)
			cr_expect_lt(plan_estimate(p, &card, arena, 0).apart, plan_estimate(p, &card, arena, 0).in_turn);
	}
}

/* Bytes at a batch of the tensor's elements. */
static int64_t
bytes(const struct tensor *t, int64_t batch)
{
	return affine_at(tensor_bytes(t), batch);
}

Test(estimate, batchnorm_reads_twice)
{
	const struct plan *p = load("resnet18.nn", true);
	int i, forward = 0, backward = 0;

	for (i = 0; i < p->instants && p->at[i].graph == module->train; i++) {
		const struct node *n = p->at[i].node;
		int64_t moved = plan_traffic(n, p->batch), x;

		if (strcmp(n->op->name, "batchnorm_then") == 0 && n->nin == 5) {	/* no skip */
			x = bytes(n->in[0], p->batch);	/* read twice, and y is as large; beside that, vectors */
			cr_expect(moved > 3 * x && moved < 3 * x + x / 100, "%s", n->path);
			forward++;
		}
		if (strcmp(n->op->name, "batchnorm_then_grad") == 0) {
			x = bytes(n->in[1], p->batch);	/* dy and x twice, and dx */
			cr_expect(moved > 5 * x && moved < 5 * x + x / 100, "%s", n->path);
			backward++;
		}
	}
	cr_expect(forward > 0 && backward > 0);
}

/* The table has 50,257 rows of 768, of which a step reads one for each token. */
Test(estimate, a_table_is_not_read_whole)
{
	const struct plan *p = load("gpt2.nn", true);
	int i, found = 0;

	for (i = 0; i < p->instants && p->at[i].graph == module->train; i++) {
		const struct node *n = p->at[i].node;

		if (strcmp(n->op->name, "embedding") != 0)
			continue;
		cr_expect_eq(plan_traffic(n, p->batch), 2 * bytes(n->out[0], p->batch) + bytes(n->in[0], p->batch));
		found++;
	}
	cr_expect_gt(found, 0);
}

static struct module *
plan_within(const char *name, bool speed, int64_t most)
{
	const struct lang_options lang = { .device = "RTX 3090" };
	const struct pass_options options = { .threads = 2, .speed = speed, .most_bytes = most, .target = target_find("cuda") };

	return planned_source(arena, spec_file(arena, name), &lang, &options);
}

/* In the bytes of the fewest, and in a few more, there is no room to keep what branches have apart.
 * What shares bytes then is a matter of what is made again and how buffers are packed: of these
 * specs some were over later for speed. */
Test(estimate, within_few_bytes_speed_takes_no_longer_than_the_fewest)
{
	static const char *const spec[] = { "digit_gan.nn", "dlrm.nn", "lenet5.nn" };
	size_t i;
	int more;

	arena = arena_new();
	for (i = 0; i < sizeof(spec) / sizeof(*spec); i++) {
		const struct module *least = plan_within(spec[i], false, 0);

		for (more = 0; more <= 5; more++) {
			int64_t most = least->plan->arena_bytes / 100 * (100 + more) + least->plan->arena_bytes % 100;
			const struct module *fast = plan_within(spec[i], true, most);

			cr_expect_leq(fast->plan->arena_bytes, most, "%s", spec[i]);
			cr_expect_leq(plan_step_takes(fast), plan_step_takes(least), "%s with %d %% more: %.0f, %.0f", spec[i], more,
			    plan_step_takes(fast), plan_step_takes(least));
		}
	}
}
