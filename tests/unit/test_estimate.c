/*
 * plan/estimate.c: what calls read and write by hand, the time of a step on one branch, and bounds of its time on
 * several.
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
	static const char *const spec[] = { "resnet18.nn", "lenet5.nn", "gpt2.nn" };
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
