/*
 * passes/formula_in_bias.c and passes/pooled_biases.c, on whole networks: the nodes that are left,
 * what a plan takes with and without, and what is moved.
 */
#include <criterion/criterion.h>

#include "left_out.h"

static const struct plan *
load(const char *name, const char *target, bool joined)
{
	return load_without(name, target, joined ? NULL : "formula-in-bias");
}

/* Each joined node reads what passes once less, and writes it where dy was. */
Test(formula_in_bias, no_plan_gets_larger)
{
	static const char *const spec[] = { "vgg16.nn", "unet.nn", "alexnet.nn" };
	size_t i;

	for (i = 0; i < sizeof(spec) / sizeof(*spec); i++) {
		int64_t bytes = load(spec[i], "cuda", false)->arena_bytes, before = moved(module->plan), less = 0;
		int alone = count("bias_grad"), masks = count("pointwise"), k;
		const struct plan *p = load(spec[i], "cuda", true);
		int joined = count("bias_grad_of");

		cr_expect_gt(joined, 1, "%s: %d", spec[i], joined);
		cr_expect_eq(count("bias_grad"), alone - joined, "%s", spec[i]);
		cr_expect_eq(count("pointwise"), masks - joined, "%s", spec[i]);
		cr_expect_leq(p->arena_bytes, bytes, "%s", spec[i]);
		for (k = 0; k < module->train->nodes.n; k++) {
			const struct node *n = module->train->nodes.v[k];

			if (strcmp(n->op->name, "bias_grad_of") != 0)
				continue;
			less += affine_at(tensor_bytes(n->out[1]), p->batch);
			cr_expect(tensor_root(n->out[1]) == tensor_root(n->in[0]) ||
			    tensor_root(n->out[1]) == tensor_root(n->in[1]), "%s", n->path);
		}
		cr_expect_eq(before - moved(p), less, "%s", spec[i]);
	}
}

/* Of a window of 2 x 2 a byte and an element are read in place of four elements. */
Test(formula_in_bias, of_a_pool_a_quarter_is_read)
{
	static const char *const spec[] = { "vgg16.nn", "lenet5.nn" };
	size_t i;

	for (i = 0; i < sizeof(spec) / sizeof(*spec); i++) {
		int64_t bytes = load_without(spec[i], "cuda", "pooled-biases")->arena_bytes, before = moved(module->plan), less = 0;
		const struct plan *p = load(spec[i], "cuda", true);
		int k;

		cr_expect_gt(count("bias_grad_pooled"), 0, "%s", spec[i]);
		cr_expect_leq(p->arena_bytes, bytes, "%s", spec[i]);
		for (k = 0; k < module->train->nodes.n; k++) {
			const struct node *n = module->train->nodes.v[k];

			if (strcmp(n->op->name, "bias_grad_pooled") == 0)
				less += 4 * affine_at(tensor_bytes(n->in[0]), p->batch) -
				    affine_at(tensor_bytes(n->in[0]), p->batch) - affine_at(tensor_bytes(n->in[1]), p->batch);
		}
		cr_expect_eq(before - moved(p), less, "%s", spec[i]);
	}
}

Test(formula_in_bias, nothing_is_joined_in_c)
{
	load("vgg16.nn", "c", true);
	cr_expect_eq(count("bias_grad_of") + count("bias_grad_pooled"), 0);
}
