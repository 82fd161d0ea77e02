/*
 * Mixed precision as it is planned: what is kept in which type, counted by hand from the parameters
 * and the shapes, and when gradients are there.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "plan/plan.h"
#include "target/target.h"
#include "ir/op.h"
#include "planned.h"

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

TestSuite(precision, .init = setup, .fini = teardown);

#define WEIGHTS		(8 * 3 * 9 + 4 * 2048)	/* of conv and dense */
#define VECTORS		(8 + 8 + 4)		/* batchnorm's two, dense's bias */
#define STATISTICS	(8 + 8)

static struct module *
planned(const char *train)
{
	struct pass_options o = { .target = target_table[1], .threads = 1 };
	const char *text = arena_printf(arena,
	    "network n { input x : f32[3, 16, 16] target t : class[4]\n"
	    "y = x -> conv(8, 3, pad=1, bias=false) -> batchnorm -> relu -> flatten -> dense(4)\n"
	    "loss cross_entropy(y, t) }\n"
	    "train { %s data synthetic(samples=64) }\n", train);

	return planned_text(arena, text, &o);
}

static int64_t
kept(const struct module *m, enum tensor_kind kind)
{
	int64_t sum = 0;
	int i;

	for (i = 0; i < m->plan->buffers.n; i++)
		if (m->plan->buffers.v[i].persistent && m->plan->buffers.v[i].root->kind == kind)
			sum += m->plan->buffers.v[i].bytes;
	return sum;
}

static const struct node *
node_of(const struct graph *g, const char *op, int *at)
{
	int i;

	for (i = 0; i < g->nodes.n; i++)
		if (strcmp(g->nodes.v[i]->op->name, op) == 0) {
			if (at)
				*at = i;
			return g->nodes.v[i];
		}
	return NULL;
}

Test(precision, what_bf16_keeps)
{
	struct module *m = planned("batch 8 precision bf16 optimizer adam(lr=1e-3)");

	cr_expect_eq(kept(m, T_PARAM), 2 * (WEIGHTS + VECTORS));
	/* two moments and the master weights, all f32 */
	cr_expect_eq(kept(m, T_OPTIMIZER), 3 * 4 * (WEIGHTS + VECTORS));
	cr_expect_eq(kept(m, T_STATISTIC), 4 * STATISTICS);
	cr_expect_eq(kept(m, T_GRADIENT), 0);
	cr_expect_eq(node_of(m->train, "conv", NULL)->out[0]->dtype, &dtype_bf16);
	cr_expect_eq(node_of(m->train, "batchnorm_then", NULL)->out[1]->dtype, DT_F32);
	cr_expect_eq(node_of(m->train, "cross_entropy_with_grad", NULL)->out[1]->dtype, DT_F32);
	cr_expect_null(node_of(m->train, "loss_scale", NULL));
}

Test(precision, gradients_accumulate_in_f32)
{
	cr_expect_eq(kept(planned("batch 8 accumulate 2 precision bf16"), T_GRADIENT),
	    4 * (WEIGHTS + VECTORS));
	cr_expect_eq(kept(planned("batch 8 accumulate 2 precision f64"), T_GRADIENT),
	    8 * (WEIGHTS + VECTORS));
}

/* Of f16 no update may run before every gradient was looked at. */
Test(precision, f16_scales_the_loss)
{
	struct module *m = planned("batch 8 precision f16");
	const struct node *n;
	int at = 0, i, updates = 0;

	cr_expect_eq(kept(m, T_OPTIMIZER), 4 * (WEIGHTS + VECTORS) + 4 + 8);
	n = node_of(m->train, "loss_scale", &at);
	cr_assert(n);
	cr_expect_eq(n->nin, 2 + 5);
	cr_expect_eq(node_of(m->train, "cross_entropy_with_grad", NULL)->in[2], n->in[0]);
	cr_expect_eq(tensor_root(n->out[1]), n->in[0]);
	for (i = 0; i < m->train->nodes.n; i++)
		if (m->train->nodes.v[i]->phase == PHASE_UPDATE && i != at) {
			cr_expect(i > at, "an update runs before the gradients are known");
			cr_expect_eq(m->train->nodes.v[i]->in[2], n->out[0]);
			updates++;
		}
	cr_expect_eq(updates, 5);
	cr_expect_geq(m->plan->at[at].live, m->plan->persistent_bytes + 2 * (WEIGHTS + VECTORS));
}

Test(precision, f16_with_clip_and_accumulation)
{
	struct module *m = planned("batch 8 accumulate 4 clip 1 precision f16");
	const struct node *n = node_of(m->update, "loss_scale", NULL);

	cr_assert(n);
	cr_expect_eq(op_real(n, "limit"), 1);
	cr_expect_null(node_of(m->update, "clip_scale", NULL));
	cr_expect_null(node_of(m->train, "loss_scale", NULL));
	cr_expect_eq(kept(m, T_GRADIENT), 4 * (WEIGHTS + VECTORS));
}
