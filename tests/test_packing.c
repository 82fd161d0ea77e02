/* packing and the lower bound, against brute force on small instances. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "plan/packing.h"

static bool
overlaps(const struct item *a, const struct item *b)
{
	return a->lower < b->upper && b->lower < a->upper && a->offset < b->offset + b->size &&
	    b->offset < a->offset + a->size;
}

static uint64_t
next(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static void
random_instance(struct packing *p, uint64_t seed)
{
	int i;

	for (i = 0; i < p->n; i++) {
		p->item[i].size = (int64_t)(next(&seed) % 1000) + 1;
		p->item[i].lower = (int)(next(&seed) % 50);
		p->item[i].upper = p->item[i].lower + 1 + (int)(next(&seed) % 20);
	}
}

static int64_t
bound_by_brute_force(const struct packing *p)
{
	int64_t most = 0, live;
	int t, i;

	for (t = 0; t < 100; t++) {
		for (live = 0, i = 0; i < p->n; i++)
			if (p->item[i].lower <= t && t < p->item[i].upper)
				live += (p->item[i].size + p->alignment - 1) / p->alignment *
				    p->alignment;
		most = live > most ? live : most;
	}
	return most;
}

Test(packing, no_two_live_items_overlap_and_the_bound_holds)
{
	uint64_t seed;
	int i, j;

	for (seed = 1; seed <= 200; seed++) {
		struct arena *a = arena_new();
		struct item item[60] = { { 0 } };
		struct packing p = { item, 1 + (int)(seed % 60), seed % 2 ? 1 : 64 };
		int64_t height, top = 0;

		random_instance(&p, seed);
		height = packing_solve(a, &p, NULL).height;
		cr_assert_eq(packing_lower_bound(a, &p), bound_by_brute_force(&p));
		cr_assert_geq(height, packing_lower_bound(a, &p));
		for (i = 0; i < p.n; i++) {
			cr_assert_eq(item[i].offset % p.alignment, 0);
			if (item[i].offset + item[i].size > top)
				top = item[i].offset + item[i].size;
			for (j = 0; j < i; j++)
				cr_assert_not(overlaps(&item[i], &item[j]), "seed %d: %d and %d",
				    (int)seed, i, j);
		}
		cr_assert_leq(top, height);
		cr_assert_lt(height - top, p.alignment);
		arena_free(a);
	}
}

Test(packing, nested_lifetimes_reach_the_bound)
{
	struct item item[100] = { { 0 } };
	struct packing p = { item, 100, 1 };
	struct arena *a = arena_new();
	int i;

	for (i = 0; i < 100; i++)	/* what forward makes first, backward frees last */
		item[i] = (struct item){ 10 + i * 7 % 13, i, 200 - i, 0, 0 };
	cr_assert_eq(packing_solve(a, &p, NULL).height, packing_lower_bound(a, &p));
	arena_free(a);
}

Test(packing, many_items_do_not_overlap_and_nested_ones_reach_the_bound)
{
	enum { N = 30000 };
	struct arena *a = arena_new();
	struct item *item = arena_array(a, N, sizeof(*item));
	struct packing p = { item, N, 64 };
	uint64_t seed = 1;
	int i, j;

	for (i = 0; i < N; i++) {
		item[i].size = (int64_t)(next(&seed) % 1000) + 1;
		item[i].lower = (int)(next(&seed) % 5000);
		item[i].upper = item[i].lower + 1 + (int)(next(&seed) % 300);
	}
	cr_assert_geq(packing_solve(a, &p, NULL).height, packing_lower_bound(a, &p));
	for (i = 0; i < N; i++)
		for (j = 0; j < i; j++)
			if (overlaps(&item[i], &item[j]))
				cr_assert_fail("%d and %d overlap", i, j);
	for (i = 0; i < N; i++)
		item[i] = (struct item){ 10 + i * 7 % 13, i, 2 * N - i, 0, 0 };
	cr_assert_eq(packing_solve(a, &p, NULL).height, packing_lower_bound(a, &p));
	arena_free(a);
}

Test(packing, nothing_to_pack)
{
	struct packing p = { NULL, 0, 64 };
	struct arena *a = arena_new();

	cr_assert_eq(packing_solve(a, &p, NULL).height, 0);
	arena_free(a);
}
