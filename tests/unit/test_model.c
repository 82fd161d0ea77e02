/*
 * The models behind the memory rules: Keras's locally-connected layers against hand-made sums, and
 * what-if plans against plans of specs that really say so.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "target/target.h"
#include "frameworks/keras_local.h"
#include "fit/largest.h"
#include "fit/whatif.h"
#include "plan/summary.h"
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

TestSuite(model, .init = setup, .fini = teardown);

static struct module *
planned(const char *text)
{
	struct pass_options o = { .target = target_table[0], .threads = 2 };

	return planned_text(arena, text, &o);
}

#define MERGE(optimizer)								\
	"network n { input x : f32[1, 2, 5000] target t : f32[1]\n"			\
	"y = x -> conv(4, (2, 1)) -> local(1, (1, 1)) -> flatten -> dense(1)\n"		\
	"loss mse(y, t) }\n"								\
	"train { batch 32 optimizer " optimizer " data synthetic(64) }\n"

static bool
first_local(const struct module *m, struct keras_local *k)
{
	int i;

	for (i = 0; i < m->train->nodes.n; i++)
		if (keras_local(m, m->train->nodes.v[i], k))
			return true;
	return false;
}

Test(model, costs_of_the_lowerings)
{
	struct module *m = planned(MERGE("sgd(lr=0.1)"));
	struct keras_local k;

	cr_assert(first_local(m, &k));
	cr_expect_eq(k.positions, 5000);
	cr_expect_eq(k.field, 4);	/* 1 x 1 x 4 channels */
	cr_expect_eq(k.filters, 1);
	cr_expect_eq(k.slots, 0);
	cr_expect_eq(affine_at(k.input, 32), 2560000);
	cr_expect_eq(affine_at(k.slices_forward, 32), 2 * 4 * 32 * 5000 * (4 + 1));
	cr_expect_eq(affine_at(k.slices_backward, 32), INT64_C(12800000000));
	/* 4 x 20000 x 5000 x (4 + 0), and a mask of 5000 x 5000 */
	cr_expect_eq(affine_at(k.masked, 32), INT64_C(1600000000) + 100000000);
	/* 20000 weights: (16 + 4 x 2) each, and 12 for each sample */
	cr_expect_eq(affine_at(k.sparse, 32), 20000 * 24 + 20000 * 12 * 32);
	cr_expect_eq(affine_at(k.ours_forward, 32), 32 * 5000 * 4);
	cr_expect_eq(affine_at(k.ours_backward, 32), 2560000);
}

Test(model, optimizer_slots_are_counted)
{
	struct keras_local k;

	cr_assert(first_local(planned(MERGE("sgd(lr=0.1, momentum=0.9)")), &k));
	cr_expect_eq(k.slots, 1);
	cr_assert(first_local(planned(MERGE("adam(lr=0.1)")), &k));
	cr_expect_eq(k.slots, 2);
}

Test(model, largest_batch_of_the_crash)
{
	struct module *m = planned(MERGE("adam(lr=0.1)"));
	struct keras_local k;

	cr_assert(first_local(m, &k));
	cr_expect_eq(keras_local_largest(m, &k, 32, INT64_C(10373441024)), 25);
	cr_expect_eq(keras_local_largest(m, &k, 32, INT64_C(11439) << 20), 29);
	cr_expect_eq(keras_local_largest(m, &k, 32, 1 << 20), 0);
}

Test(model, a_first_layer_has_no_input_gradient)
{
	struct module *m = planned("network n { input x : f32[4, 50, 50] target t : f32[1]\n"
	    "y = x -> local(1, (1, 1)) -> flatten -> dense(1)\nloss mse(y, t) }\n"
	    "train { batch 8 data synthetic(64) }\n");
	struct keras_local k;

	cr_assert(first_local(m, &k));
	cr_expect_null(k.backward);
	cr_expect_eq(affine_at(k.slices_backward, 8), 0);
}

Test(model, the_dense_variant_is_none)
{
	struct keras_local k;

	cr_expect_not(first_local(planned("network n { input x : f32[20] target t : f32[1]\n"
	    "y = x -> dense(5) -> dense(1)\nloss mse(y, t) }\n"
	    "train { batch 8 data synthetic(64) }\n"), &k));
}

/* ---- what-if ---- */

static const char *
conv_net(int batch, int accumulate)
{
	return arena_printf(arena,
	    "network n { input x : f32[3, 32, 32] target t : class[10]\n"
	    "y = x -> 3 * (conv(16, 3, pad=1) -> batchnorm -> relu) -> maxpool(2) -> flatten\n"
	    "      -> dense(10)\nloss cross_entropy(y, t) }\n"
	    "train { batch %d accumulate %d optimizer adam(lr=0.1) data synthetic(64) }\n",
	    batch, accumulate);
}

Test(model, a_what_if_plan_is_the_plan_of_the_spec_that_says_so)
{
	struct module *m = planned(conv_net(16, 1)), *other;
	const struct plan *before = m->plan;
	int64_t was = before->arena_bytes;
	struct settings set = m->set;
	static const int batch[] = { 1, 2, 7, 16, 33 };
	size_t i;

	for (i = 0; i < sizeof(batch) / sizeof(*batch); i++)
		cr_expect_eq(whatif_batch(m, batch[i]),
		    planned(conv_net(batch[i], 1))->plan->arena_bytes);
	set.accumulate = 4;
	set.validate_batch = 4;
	other = whatif(m, &set);
	cr_assert(other);
	cr_expect_eq(other->plan->arena_bytes, planned(conv_net(16, 4))->plan->arena_bytes);
	cr_expect_eq(m->plan, before);
	cr_expect_eq(m->plan->arena_bytes, was);
	cr_expect(plan_verify(m, m->plan, m->diags));
}

static const char *
split_net(int batch, int ranks, const char *device)
{
	return arena_printf(arena, "network n { input x : f32[64] target t : class[5]\n"
	    "y = x -> dense(256, split=ranks) -> gelu -> dense(64, split=ranks) -> relu -> dense(5)\n"
	    "loss cross_entropy(y, t) }\n"
	    "train { batch %d ranks %d precision f64 optimizer adam(lr=0.1) data synthetic(4096) }\n%s", batch, ranks, device);
}

/* A rank's part of a parameter is of the plan; what-ifs start from the parameter, whatever number
 * of ranks they have. */
Test(model, layers_that_are_split_are_split_anew_in_a_what_if)
{
	struct module *m = planned(split_net(64, 2, "")), *other;
	struct settings set = m->set;
	int i;

	for (set.ranks = 1; set.ranks <= 4; set.ranks *= 2) {
		int64_t bytes = planned(split_net(64, (int)set.ranks, ""))->plan->arena_bytes;

		for (i = 0; i < 2; i++) {
			other = whatif(m, &set);
			cr_assert(other);
			cr_expect_eq(other->plan->arena_bytes, bytes);
		}
	}
	for (i = 1; i <= 100; i += 33)
		cr_expect_eq(whatif_batch(m, i), planned(split_net(i, 2, ""))->plan->arena_bytes);
	cr_expect(plan_verify(m, m->plan, m->diags));
}

/* Where the plan is too large, another is tried, of a copy; and updates wait in no bytes of their
 * own, of which they may have a 256th elsewhere (passes/updates_together.c). */
Test(model, layers_that_are_split_are_trained_where_memory_is_scarce)
{
	struct module *free = planned(split_net(2048, 2, "")), *tight = planned(split_net(2048, 2, "device { memory 6MiB }\n"));

	cr_expect_leq(tight->plan->arena_bytes, free->plan->arena_bytes);
	cr_expect_geq(tight->plan->arena_bytes, free->plan->arena_bytes - free->plan->arena_bytes / 256);
	cr_expect_eq(tight->persistent.n, free->persistent.n);
}

Test(model, the_largest_batch_is_proven)
{
	struct module *m = planned(conv_net(16, 1)), *other;
	int64_t limit = m->plan->arena_bytes * 5 / 2;
	struct largest l;

	largest_batch(m, limit, &l);
	cr_expect(l.batch > 16 && l.proved && !l.endless);
	cr_expect(l.at.arena <= limit && l.next.bound > limit);
	cr_expect_eq(planned(conv_net((int)l.batch, 1))->plan->arena_bytes, l.at.arena);
	other = planned(conv_net((int)l.batch + 1, 1));
	cr_expect_eq(other->plan->arena_bytes, l.next.arena);
	cr_expect_eq(other->plan->lower_bound_bytes, l.next.bound);
	cr_expect(l.plans <= 4, "%d plans", l.plans);
	largest_batch(m, m->plan->persistent_bytes + 1, &l);
	cr_expect(l.batch == 0 && !l.fixed);
	cr_expect_eq(l.next.arena, planned(conv_net(1, 1))->plan->arena_bytes);
	largest_batch(m, m->plan->persistent_bytes - 1, &l);	/* no batch has a say in that */
	cr_expect(l.batch == 0 && l.fixed && l.proved && l.plans == 0);
	cr_expect_eq(l.next.bound, m->plan->persistent_bytes);
}

/* By trying them all. */
Test(model, the_largest_batch_is_the_largest)
{
	struct module *m = planned(conv_net(4, 2));
	struct largest l;
	int64_t at[41];
	int b, most;

	for (b = 1; b <= 40; b++)
		at[b] = planned(conv_net(2 * b, 2))->plan->arena_bytes;
	for (b = 1; b < 40; b++) {
		largest_batch(m, at[b], &l);
		for (most = 40; at[most] > at[b]; most--)
			;
		cr_expect_eq(l.batch, most, "%d: %lld, not %d", b, (long long)l.batch, most);
		largest_batch(m, at[b] - 1, &l);
		cr_expect(l.batch < b);
	}
}

Test(model, a_validation_batch_of_its_own_stays)
{
	const char *text = arena_printf(arena, "%svalidate { batch %d data synthetic(64) }\n",
	    conv_net(16, 1), 16);
	struct module *m = planned(text);
	int64_t validation = 0;
	struct largest l;
	int i;

	cr_assert(m->set.validate_fixed);
	cr_expect_eq(whatif_at(m, arena, 2)->plan->validate_batch, 16);
	for (i = 0; i < m->plan->instants; i++)
		if (m->plan->at[i].graph == m->validate && m->plan->at[i].live > validation)
			validation = m->plan->at[i].live;
	largest_batch(m, validation - 1, &l);
	cr_expect_eq(l.batch, 0, "validation alone takes more");
	largest_batch(m, validation * 2, &l);
	cr_expect(l.batch > 0);
}

Test(model, a_network_that_takes_any_batch)
{
	struct module *m = planned("network n { input x : u8[1] y = x -> cast -> flatten }\n");
	struct largest l;

	largest_batch(m, INT64_C(1) << 50, &l);
	cr_expect(l.endless && l.proved);
	cr_expect_eq(l.batch, INT32_MAX);
}

/* ---- summaries ---- */

Test(model, a_summary_adds_up)
{
	struct module *m = planned(conv_net(16, 1));
	const struct plan_summary *s = plan_summarise(m);
	int64_t by_kind = 0, by_line = 0;
	int i;

	for (i = 0; i < TENSOR_KINDS; i++)
		by_kind += s->at_peak[i];
	for (i = 0; i < s->lines.n; i++) {
		by_line += s->lines.v[i].bytes;
		cr_expect(i == 0 || s->lines.v[i].bytes <= s->lines.v[i - 1].bytes);
	}
	cr_expect_eq(by_kind, by_line);
	/* the live bytes of the peak, but for what alignment adds to each buffer */
	cr_expect(by_kind + m->plan->persistent_bytes <= m->plan->lower_bound_bytes);
	cr_expect(by_kind + m->plan->persistent_bytes + m->plan->buffers.n * m->plan->alignment >=
	    m->plan->lower_bound_bytes);
	/* conv 3->16, 16->16 twice, with biases; batchnorm's pairs; dense 4096->10 */
	cr_expect_eq(s->parameters, 448 + 2 * 2320 + 3 * 32 + 40970);
	cr_expect_eq(affine_at(s->macs, 1), 1024 * 27 * 16 + 2 * 1024 * 144 * 16 + 40960);
}

/* What training does not compute is no work of it: 4 x 3 and 3 x 2, but not 3 x 5. */
Test(model, work_is_that_of_training)
{
	struct module *m = planned("network n { input x : f32[4] target t : f32[2]\n"
	    "h = x -> dense(3)\nmore = h -> dense(5)\nloss mse(h -> dense(2), t) }\n"
	    "train { batch 8 data synthetic(64) }\nvalidate { data synthetic(64) predict more }\n");

	cr_expect_eq(affine_at(plan_summarise(m)->macs, 1), 12 + 6);
	cr_expect_eq(plan_summarise(m)->parameters, 15 + 20 + 8);
	m = planned("network n { input x : f32[4] h = x -> dense(3) more = h -> dense(5) }\n"
	    "validate { batch 8 data synthetic(64) predict more }\n");
	cr_expect_eq(affine_at(plan_summarise(m)->macs, 1), 12 + 15);
}
