/*
 * passes/formula_in_norm.c, on whole networks, since the text form of the IR does not say what a
 * gradient is of: the nodes that are left, what a plan takes with and without, and what is moved.
 */
#include <criterion/criterion.h>

#include "left_out.h"

static const struct plan *
load(const char *name, const char *target, bool joined)
{
	return load_without(name, target, joined ? NULL : "formula-in-norm");
}

/* Each joined node reads what passes once less, and writes it where dy was. */
Test(formula_in_norm, no_plan_gets_larger)
{
	static const char *const spec[] = { "resnet20.nn", "resnet50.nn", "resnet18.nn" };
	size_t i;

	for (i = 0; i < sizeof(spec) / sizeof(*spec); i++) {
		int64_t bytes = load(spec[i], "cuda", false)->arena_bytes, before = moved(module->plan), less = 0;
		int alone = count("batchnorm_grad"), masks = count("pointwise"), k;
		const struct plan *p = load(spec[i], "cuda", true);
		int joined = count("batchnorm_grad_of");

		cr_expect_gt(joined, 3, "%s: %d", spec[i], joined);
		cr_expect_eq(count("batchnorm_grad"), alone - joined, "%s", spec[i]);
		cr_expect_eq(count("pointwise"), masks - joined, "%s", spec[i]);
		cr_expect_leq(p->arena_bytes, bytes, "%s", spec[i]);
		for (k = 0; k < module->train->nodes.n; k++) {
			const struct node *n = module->train->nodes.v[k];

			if (strcmp(n->op->name, "batchnorm_grad_of") != 0)
				continue;
			less += affine_at(tensor_bytes(n->out[n->nout - 1]), p->batch);
			cr_expect_eq(tensor_root(n->out[n->nout - 1]), tensor_root(n->in[0]), "%s", n->path);
		}
		cr_expect_eq(before - moved(p), less, "%s", spec[i]);
	}
}

Test(formula_in_norm, nothing_is_joined_in_c)
{
	load("resnet20.nn", "c", true);
	cr_expect_eq(count("batchnorm_grad_of"), 0);
}
