/*
 * The model of TensorFlow's allocator against what TensorFlow itself printed when it ran out of
 * memory: the census of chunks in use on an 11,439 MiB card (design.md, section 7), once from a
 * list of requests and once from the network of that run alone.
 */
#include <criterion/criterion.h>


#include "target/target.h"
#include "frameworks/bfc.h"
#include "frameworks/keras_local.h"
#include "plan/plan.h"
#include "planned.h"

#define POOL	INT64_C(10373441024)	/* what the allocator had of the card */
#define WHOLE	INT64_C(2560000)	/* the locally-connected layer's input, batch 32 */
#define POSITIONS	5000

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

TestSuite(bfc, .init = setup, .fini = teardown);

static const struct {
	int64_t size, count;
} dump[] = {
	{ 256, 26 }, { 1280, 2 }, { 20224, 6 }, { 80128, 4 }, { 2097152, 1 }, { 2560000, 4033 },
	{ 2795008, 1 }, { 2834432, 1 }, { 3108864, 1 }, { 3268608, 1 }, { 3657728, 1 },
	{ 3661824, 1 }, { 3977216, 1 }, { 4194304, 1 }, { 4390912, 1 }, { 4407296, 1 },
	{ 4755456, 1 }, { 4763648, 1 },
};

/* The small ones (parameters, optimizer state, scalars), the input batch, then slices' gradients
 * until memory ends. */
static void
replay(struct bfc *b, bool one_by_one)
{
	int64_t served = 0;

	bfc_init(b, arena, POOL);
	cr_expect_eq(bfc_alloc_many(b, 4, 26), 26);
	cr_expect_eq(bfc_alloc_many(b, 1100, 2), 2);
	cr_expect_eq(bfc_alloc_many(b, 20000, 6), 6);
	cr_expect_eq(bfc_alloc_many(b, 80000, 4), 4);
	cr_expect(bfc_alloc(b, 1280000) >= 0);
	if (one_by_one)
		while (served < POSITIONS && bfc_alloc(b, WHOLE) >= 0)
			served++;
	else
		served = bfc_alloc_many(b, WHOLE, POSITIONS);
	cr_expect_eq(served, 4045, "%lld gradients held", (long long)served);
}

static void
compare(const struct bfc *b)
{
	size_t i;

	for (i = 0; i < sizeof(dump) / sizeof(*dump); i++)
		cr_expect_eq(bfc_census(b, dump[i].size), dump[i].count, "%lld chunks of %lld",
		    (long long)bfc_census(b, dump[i].size), (long long)dump[i].size);
	cr_expect_eq(b->in_use, INT64_C(10372843520));
	cr_expect_eq(b->regions, POOL);
}

Test(bfc, reproduces_the_dump)
{
	struct bfc b;

	replay(&b, true);
	compare(&b);
}

Test(bfc, runs_of_equal_requests_give_the_same)
{
	struct bfc b;

	replay(&b, false);
	compare(&b);
}

/* Requests of the same kind at another batch, in another pool: does all of it fit? */
static bool
fits(int64_t pool, int64_t batch)
{
	struct bfc b;

	bfc_init(&b, arena, pool);
	bfc_alloc_many(&b, 4, 26);
	bfc_alloc_many(&b, 20000, 6);
	bfc_alloc_many(&b, 80000, 4);
	bfc_alloc(&b, batch * 40000);
	return bfc_alloc_many(&b, batch * 80000, POSITIONS) == POSITIONS;
}

Test(bfc, largest_batch_is_25_in_that_pool_and_29_on_the_whole_card)
{
	const int64_t card = INT64_C(11439) << 20;

	cr_expect(fits(POOL, 25));
	cr_expect_not(fits(POOL, 26));
	cr_expect(fits(card, 29));
	cr_expect_not(fits(card, 30));
}

Test(bfc, freed_neighbours_join)
{
	struct bfc b;
	int x, y, z;

	bfc_init(&b, arena, INT64_C(8) << 20);
	x = bfc_alloc(&b, 1000);
	y = bfc_alloc(&b, 300000);
	z = bfc_alloc(&b, 1000);
	cr_expect(x >= 0 && y >= 0 && z >= 0);
	cr_expect_eq(b.regions, 1 << 20);
	bfc_free(&b, y);
	bfc_free(&b, x);
	bfc_free(&b, z);
	cr_expect_eq(b.in_use, 0);
	cr_expect(bfc_alloc(&b, 1 << 20) >= 0);	/* the whole first region again */
	cr_expect_eq(b.regions, 1 << 20);
}

Test(bfc, takes_the_smallest_that_serves_and_splits_by_the_rule)
{
	struct bfc b;
	int x, y;

	bfc_init(&b, arena, INT64_C(64) << 20);
	x = bfc_alloc(&b, 600 << 10);	/* of 1 MiB: 600 KiB is more than half, taken whole */
	cr_expect_eq(b.in_use, 1 << 20);
	y = bfc_alloc(&b, 900 << 10);	/* of 2 MiB: at least twice, split */
	cr_expect_eq(b.in_use, (1 << 20) + (900 << 10));
	bfc_free(&b, x);
	cr_expect(bfc_alloc(&b, 1 << 20) >= 0);	/* the 1 MiB region, not what is left of 2 MiB */
	cr_expect_eq(b.regions, 3 << 20);
	cr_expect(y >= 0);
}

Test(bfc, refuses_what_the_pool_cannot_hold)
{
	struct bfc b;

	bfc_init(&b, arena, 1 << 20);
	cr_expect_eq(bfc_alloc(&b, (1 << 20) + 1), -1);
	cr_expect_eq(bfc_alloc(&b, INT64_MAX), -1);
	cr_expect(bfc_alloc(&b, 1 << 20) >= 0);
	cr_expect_eq(bfc_alloc(&b, 1), -1);
}

/* ---- from the network ---- */

static struct module *
local_merge(struct keras_local *k)
{
	struct pass_options o = { .target = target_find("c"), .threads = 1 };
	struct module *m = planned_source(arena, spec_file(arena, "local_merge.nn"), NULL, &o);
	int i;

	for (i = 0; i < m->train->nodes.n; i++)
		if (keras_local(m, m->train->nodes.v[i], k))
			return m;
	cr_assert_fail("there is no locally-connected layer");
	return NULL;
}

/* No size of the dump is given to it: all 18 classes and the total follow from the spec. */
Test(bfc, the_network_alone_reproduces_the_dump)
{
	struct keras_local k;
	struct module *m = local_merge(&k);
	struct bfc b;

	cr_expect_eq(k.positions, POSITIONS);
	cr_expect_eq(affine_at(k.input, 32), WHOLE);
	cr_expect_eq(keras_local_replay(m, &k, 32, POOL, &b), 4045);
	compare(&b);
}

Test(bfc, the_network_alone_fits_at_25_in_that_pool_and_at_29_on_the_card)
{
	const int64_t card = INT64_C(11439) << 20;
	struct keras_local k;
	struct module *m = local_merge(&k);

	cr_expect_eq(keras_local_largest(m, &k, 25, POOL), 25);
	cr_expect_lt(keras_local_largest(m, &k, 26, POOL), 26);
	cr_expect_eq(keras_local_largest(m, &k, 29, card), 29);
	cr_expect_lt(keras_local_largest(m, &k, 30, card), 30);
	cr_expect_eq(keras_local_largest(m, &k, 1000, POOL), 25);
	cr_expect_eq(keras_local_largest(m, &k, 1000, card), 29);
}

/* ---- what TensorFlow itself does ---- */

/* TensorFlow 2.21 with tf-keras's implementation=1, two updates of Adam, its CPU allocator held to
 * so much (bench/keras.py --largest). */
static const struct trained {
	int positions, channels;
	int64_t mebibytes, batch;
	bool fits;
} trained[] = {
	{ 219, 8, 2247, 1473, true },
	{ 219, 8, 2247, 1502, true },
	{ 219, 8, 2247, 1503, false },
	{ 219, 8, 600, 398, true },
	{ 219, 8, 600, 399, false },
	{ 60, 16, 300, 1248, true },
	{ 60, 16, 300, 1249, false },
	{ 60, 16, 300, 1265, false },
	{ 60, 16, 300, 1280, false },
	{ 60, 16, 300, 1294, false },
	{ 40, 32, 256, 1191, true },
	{ 40, 32, 256, 1192, false },
	{ 40, 32, 256, 1230, false },
	{ 40, 32, 256, 1238, false },
};

Test(bfc, batches_that_tensorflow_trained_with_fit_and_others_do_not)
{
	struct pass_options o = { .target = target_find("c"), .threads = 1 };
	size_t i;
	int j;

	for (i = 0; i < sizeof(trained) / sizeof(*trained); i++) {
		const struct trained *t = &trained[i];
		struct module *m = planned_text(arena, arena_printf(arena, "network n {\n input x : f32[1, %d, 1]  target t : f32[1]\n"
		    " y = x -> conv(%d, (2, 1)) -> local(1, (1, 1)) -> flatten -> dense(1)\n loss mse(y, t) }\n"
		    "train { batch 32  optimizer adam  data synthetic(64) }\n", t->positions + 1, t->channels), &o);
		struct keras_local k;

		for (j = 0; j < m->train->nodes.n && !keras_local(m, m->train->nodes.v[j], &k); j++)
			;
		cr_assert_eq(k.positions, t->positions);
		cr_expect_eq(keras_local_largest(m, &k, t->batch, t->mebibytes << 20) == t->batch, t->fits, "%d positions, %d channels, batch %d",
		    t->positions, t->channels, (int)t->batch);
	}
}
