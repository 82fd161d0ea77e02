/*
 * The model of PyTorch's caching allocator against series of requests worked out by hand from its
 * rules, and against a plain model of one pool in random series.
 */
#include <criterion/criterion.h>

#include "base/chance.h"
#include "frameworks/torch_cache.h"

#define KIB	INT64_C(1024)
#define MIB	(1024 * KIB)

static struct arena *arena;
static struct torch_cache cache;

static void
setup(void)
{
	arena = arena_new();
	cr_assert(arena);
	torch_cache_init(&cache, arena);
}

static void
teardown(void)
{
	arena_free(arena);
}

TestSuite(torch_cache, .init = setup, .fini = teardown);

static void
expect(int64_t allocated, int64_t reserved)
{
	cr_expect_eq(cache.allocated, allocated, "allocated %lld", (long long)cache.allocated);
	cr_expect_eq(cache.reserved, reserved, "reserved %lld", (long long)cache.reserved);
}

Test(torch_cache, rounds_and_reserves_by_size)
{
	cr_assert_geq(torch_cache_alloc(&cache, 1), 0);
	expect(512, 2 * MIB);			/* the first small segment */
	cr_assert_geq(torch_cache_alloc(&cache, MIB), 0);
	expect(512 + MIB, 2 * MIB);		/* still small, in its rest */
	cr_assert_geq(torch_cache_alloc(&cache, MIB), 0);
	expect(512 + 2 * MIB, 4 * MIB);		/* 512 B too little was left */
	cr_assert_geq(torch_cache_alloc(&cache, MIB + 1), 0);
	expect(1024 + 3 * MIB, 24 * MIB);	/* large: a segment of 20 MiB, split */
	cr_assert_geq(torch_cache_alloc(&cache, 10 * MIB), 0);
	expect(1024 + 13 * MIB, 24 * MIB);	/* in its rest of nearly 19 MiB */
	cr_assert_geq(torch_cache_alloc(&cache, 11 * MIB), 0);
	expect(1024 + 25 * MIB, 36 * MIB);	/* 12 MiB of its own, taken whole */
}

Test(torch_cache, a_large_block_keeps_up_to_a_mebibyte)
{
	cr_assert_geq(torch_cache_alloc(&cache, 19 * MIB), 0);	/* 20 MiB: 1 MiB is not more */
	expect(20 * MIB, 20 * MIB);
	cr_assert_geq(torch_cache_alloc(&cache, 21 * MIB - 512), 0);	/* 22 MiB: 1 MiB + 512 B */
	expect(41 * MIB - 512, 42 * MIB);
}

Test(torch_cache, freed_neighbours_join_and_stay_reserved)
{
	int x = torch_cache_alloc(&cache, 600 * KIB), y = torch_cache_alloc(&cache, 600 * KIB);
	int z = torch_cache_alloc(&cache, 600 * KIB);

	expect(1800 * KIB, 2 * MIB);
	torch_cache_free(&cache, x);
	torch_cache_free(&cache, z);
	cr_assert_geq(torch_cache_alloc(&cache, 900 * KIB), 0);
	expect(1500 * KIB, 4 * MIB);		/* 1448 KiB are free, in two pieces */
	torch_cache_free(&cache, y);
	cr_assert_geq(torch_cache_alloc(&cache, MIB), 0);
	expect(1924 * KIB, 4 * MIB);
	cr_expect_eq(cache.most_allocated, 1924 * KIB);
}

Test(torch_cache, the_smallest_that_serves)
{
	int a = torch_cache_alloc(&cache, 30 * MIB), b = torch_cache_alloc(&cache, 24 * MIB);

	torch_cache_free(&cache, a);
	torch_cache_free(&cache, b);
	cr_assert_geq(torch_cache_alloc(&cache, 22 * MIB), 0);	/* of 24, not of 30 */
	cr_assert_geq(torch_cache_alloc(&cache, 30 * MIB), 0);
	expect(52 * MIB, 54 * MIB);
}

Test(torch_cache, random_series_keep_their_sums)
{
	static int live[64];
	static int64_t bytes[64];
	uint64_t state = 7;
	int64_t sum = 0;
	int i, k;

	for (i = 0; i < 64; i++)
		live[i] = -1;
	for (i = 0; i < 20000; i++) {
		chance_bits(&state);
		k = (int)(state >> 40) % 64;
		if (live[k] >= 0) {
			torch_cache_free(&cache, live[k]);
			sum -= bytes[k];
			live[k] = -1;
			continue;
		}
		bytes[k] = 1 + (int64_t)((state >> 20) % (uint64_t)(state & 1 ? 40 * MIB : 2 * MIB));
		live[k] = torch_cache_alloc(&cache, bytes[k]);
		cr_assert_geq(live[k], 0);
		sum += bytes[k];
		cr_assert_geq(cache.allocated, sum);
		cr_assert_leq(cache.allocated, sum + 64 * MIB);	/* at most 1 MiB each is wasted */
		cr_assert_leq(cache.allocated, cache.reserved);
	}
}

Test(torch_cache, refuses_what_no_number_holds)
{
	cr_expect_eq(torch_cache_alloc(&cache, INT64_MAX), -1);
	cr_expect_eq(torch_cache_alloc(&cache, 0), -1);
}
