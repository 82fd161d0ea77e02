/* packing and the lower bound, against brute force on small instances. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "extended.h"
#include "rectangles.h"

static bool
overlaps(const struct item *a, const struct item *b)
{
	return a->lower < b->upper && b->lower < a->upper && a->offset < b->offset + b->size &&
	    b->offset < a->offset + a->size;
}

static void
random_instance(struct packing *p, uint64_t seed)
{
	int i;

	for (i = 0; i < p->n; i++) {
		p->item[i].size = chance_below(&seed, 1000) + 1;
		p->item[i].lower = chance_below(&seed, 50);
		p->item[i].upper = p->item[i].lower + 1 + chance_below(&seed, 20);
	}
}

static int64_t
bound_by_counting(const struct packing *p, int instants)
{
	int64_t most = 0, live;
	int t, i;

	for (t = 0; t < instants; t++) {
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
		cr_assert_eq(packing_lower_bound(a, &p), bound_by_counting(&p, 100));
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

/* Forward keeps an activation a layer; in backward gradients follow one another, each alive with
 * the next. */
Test(packing, many_short_lives_above_nested_ones_take_little_effort)
{
	enum { LAYERS = 10000, N = 3 * LAYERS };
	struct arena *a = arena_new();
	struct item *item = arena_array(a, N, sizeof(*item));
	struct packing p = { item, N, 64 };
	struct packing_result r;
	uint64_t seed = 1;
	int i;

	for (i = 0; i < LAYERS; i++) {
		int64_t size = 64 * (int64_t)(chance_below(&seed, 64) + 1);
		int back = 2 * LAYERS + 4 * (LAYERS - i);

		item[3 * i] = (struct item){ size, 2 * i, back, 0, 0 };
		item[3 * i + 1] = (struct item){ size, back - 2, back + 3, 0, 0 };
		item[3 * i + 2] = (struct item){ 64 * (int64_t)(chance_below(&seed, 256) + 1), back - 1, back + 1, 0, 0 };
	}
	r = packing_solve(a, &p, NULL);
	cr_assert_leq(r.height, r.bound + r.bound / 1000, "%.5f", (double)r.height / (double)r.bound);
	cr_assert_lt(r.visits, 100 * (int64_t)N);
	cr_assert_eq(packing_check(a, &p, r.height, &i, &i), PACKING_RIGHT);
	arena_free(a);
}

static int
by_birth(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return (x->lower > y->lower) - (x->lower < y->lower);
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
		item[i].size = chance_below(&seed, 1000) + 1;
		item[i].lower = chance_below(&seed, 5000);
		item[i].upper = item[i].lower + 1 + chance_below(&seed, 300);
	}
	cr_assert_geq(packing_solve(a, &p, NULL).height, packing_lower_bound(a, &p));
	qsort(item, N, sizeof(*item), by_birth);
	for (i = 0; i < N; i++)
		for (j = i + 1; j < N && item[j].lower < item[i].upper; j++)
			if (overlaps(&item[i], &item[j]))
				cr_assert_fail("%d and %d overlap", i, j);
	for (i = 0; i < N; i++)
		item[i] = (struct item){ 10 + i * 7 % 13, i, 2 * N - i, 0, 0 };
	cr_assert_eq(packing_solve(a, &p, NULL).height, packing_lower_bound(a, &p));
	arena_free(a);
}

/* A training step as long as a large model's, all of whose sizes are odd: what forward keeps, the
 * gradients of backward, and short-lived scratch. */
static int
long_step(struct item *item, int layers, uint64_t seed)
{
	int end = 4 * layers, n = 0, i;

	for (i = 0; i < 2 * layers; i++) {
		int64_t kept = 1000 + chance_below(&seed, 9000);
		int back = end - i, life = chance_below(&seed, 8);

		item[n++] = (struct item){ .size = kept, .lower = i, .upper = back };
		item[n++] = (struct item){ .size = kept, .lower = back - 1, .upper = back + life };
		item[n++] = (struct item){ .size = 1 + chance_below(&seed, 100000),
		    .lower = i, .upper = i + 1 + life };
		if (i % 8 == 0)		/* read again much later */
			item[n++] = (struct item){ .size = 100 * kept, .lower = i,
			    .upper = i + 1 + chance_below(&seed, end - i) };
	}
	return n;
}

Test(packing, long_steps_of_odd_sizes_come_within_two_percent)
{
	enum { LAYERS = 700 };
	static struct item item[8 * LAYERS], again[8 * LAYERS];
	struct packing p = { item, long_step(item, LAYERS, 1), 1 };
	struct packing q = { again, long_step(again, LAYERS, 1), 1 };
	struct packing_options o = { .visits = 1000000000 };
	struct arena *a = arena_new();
	struct packing_result r;
	int first, second, i;

	cr_assert_gt(p.n, 4000);
	o.capacity = bound_by_counting(&p, 6 * LAYERS) * 102 / 100;
	r = packing_solve(a, &p, &o);
	cr_assert_eq(r.max_live, bound_by_counting(&p, 6 * LAYERS));
	cr_assert_leq(r.height, o.capacity);
	cr_assert_eq(packing_check(a, &p, o.capacity, &first, &second), PACKING_RIGHT);
	packing_solve(a, &q, &o);
	for (i = 0; i < p.n; i++)
		cr_assert_eq(item[i].offset, again[i].offset);
	arena_free(a);
}

/* Forward keeps something of every layer, backward makes as much, and both have scratch: there is a
 * packing without a gap at the peak, which the search finds however many they are. */
Test(packing, thousands_of_nested_items_reach_the_bound)
{
	enum { LAYERS = 1500, N = 3 * LAYERS };
	static struct item item[N];
	struct packing p = { item, N, 1 };
	struct packing_options o = { .visits = 200000000 };
	struct packing_result r;
	struct arena *a = arena_new();
	uint64_t seed;
	int i, first, second;

	for (seed = 1; seed <= 2; seed++) {
		uint64_t state = seed;

		for (i = 0; i < LAYERS; i++) {
			int64_t kept = 1 + chance_below(&state, 9000);
			int back = 4 * LAYERS - 2 * i;

			item[3 * i] = (struct item){ .size = kept, .lower = i, .upper = back };
			item[3 * i + 1] = (struct item){ .size = kept, .lower = back - 2,
			    .upper = back + 1 + chance_below(&state, 5) };
			item[3 * i + 2] = (struct item){ .size = 1 + chance_below(&state, 9000), .lower = i,
			    .upper = i + 1 + chance_below(&state, 9) };
		}
		r = packing_solve(a, &p, &o);
		cr_assert(r.optimal, "seed %d: %.5f", (int)seed, (double)r.height / (double)r.bound);
		cr_assert_eq(packing_check(a, &p, bound_by_counting(&p, 6 * LAYERS), &first, &second), PACKING_RIGHT);
	}
	arena_free(a);
}

Test(packing, nothing_to_pack)
{
	struct packing p = { NULL, 0, 64 };
	struct arena *a = arena_new();

	cr_assert_eq(packing_solve(a, &p, NULL).height, 0);
	arena_free(a);
}

/* ---- the optimum, by trying everything ---- */

/* The lowest height over all orders of placing each item at the lowest place that is free for good:
 * any packing, pushed down, is met in the order of its offsets. */
static int64_t
lowest_by_brute_force(struct item *item, int n, unsigned placed, int64_t height, int64_t best)
{
	int i, k;

	if (height >= best)
		return best;
	if (placed == (1u << n) - 1)
		return height;
	for (i = 0; i < n; i++) {
		struct item *it = &item[i];
		int64_t at = 0, end;

		if (placed >> i & 1)
			continue;
		for (k = 0; k < n; k++)
			if (placed >> k & 1 && item[k].lower < it->upper && it->lower < item[k].upper &&
			    item[k].offset + item[k].size > at)
				at = item[k].offset + item[k].size;
		if (it->alignment > 1)
			at = (at + it->alignment - 1) / it->alignment * it->alignment;
		it->offset = at;
		end = at + it->size;
		best = lowest_by_brute_force(item, n, placed | 1u << i, end > height ? end : height,
		    best);
	}
	return best;
}

Test(packing, what_is_proved_optimal_is_the_optimum)
{
	static const int64_t alignment[][6] = { { 0, 1, 2, 3, 4, 6 }, { 1, 2, 4, 8, 16, 16 }, { 8, 8, 8, 8, 4, 8 } };
	uint64_t seed, state;
	int i, proved = 0, above_bound = 0, first, second;

	for (seed = 1; seed <= 600; seed++) {
		struct arena *a = arena_new();
		struct item item[7] = { { 0 } }, copy[7];
		struct packing p = { item, 3 + (int)(seed % 5), 1 };
		struct packing_result r;
		int64_t optimum;

		state = seed;
		for (i = 0; i < p.n; i++) {
			item[i].size = chance_below(&state, 9) + 1;
			item[i].lower = chance_below(&state, 9);
			item[i].upper = item[i].lower + 1 + chance_below(&state, 6);
			item[i].alignment = seed % 2 ? 0 : alignment[seed / 2 % 3][chance_below(&state, 6)];
		}
		memcpy(copy, item, sizeof(copy));
		optimum = lowest_by_brute_force(copy, p.n, 0, 0, INT64_MAX);
		r = packing_solve(a, &p, NULL);
		cr_assert_eq(packing_check(a, &p, r.height, &first, &second), PACKING_RIGHT);
		cr_assert_leq(r.max_live, optimum, "seed %d", (int)seed);
		cr_assert_leq(r.bound, optimum, "seed %d", (int)seed);
		cr_assert_geq(r.height, optimum, "seed %d", (int)seed);
		cr_assert_eq(r.optimal, r.height == r.bound);
		proved += r.optimal;
		above_bound += r.bound > r.max_live;
		arena_free(a);
	}
	cr_assert_eq(proved, 600, "%d of 600 proved", proved);
	cr_assert_gt(above_bound, 0);
}

/* With a time limit, too, where searches below what was found come between the turns. */
Test(packing, more_effort_never_gives_a_worse_answer)
{
	struct item item[300] = { { 0 } };
	struct packing p = { item, 300, 1 };
	int lower = 0;
	uint64_t seed;

	for (seed = 1; seed <= 4; seed++) {
		struct packing_options o = { .visits = 10000000, .seconds = seed % 2 ? 1e9 : 0 };
		int64_t height, last = INT64_MAX;
		int first, second;

		for (; o.visits < (sanitized() ? 20000000 : 200000000); o.visits *= 2) {
			struct arena *a = arena_new();

			random_instance(&p, seed);
			height = packing_solve(a, &p, &o).height;
			cr_assert_eq(packing_check(a, &p, height, &first, &second), PACKING_RIGHT);
			cr_assert_leq(height, last, "seed %d, %d visits", (int)seed, (int)o.visits);
			lower += height < last;
			last = height;
			arena_free(a);
		}
	}
	cr_assert(lower > 6 || sanitized(), "%d", lower);
}

/* A network's buffers have its alignment; a file says it of each, and then the topmost need not be
 * padded. */
Test(packing, one_alignment_of_all_is_no_worse_than_that_of_a_network)
{
	const struct packing_options more = { .visits = 10000000 };
	int64_t lower = 0;
	uint64_t seed;
	int i;

	for (seed = 1; seed <= 3; seed++) {
		struct arena *a = arena_new();
		struct item network[150], file[150];
		struct packing p = { network, 150, 64 }, q = { file, 150, 1 };
		int64_t height, bytes = 0;

		random_instance(&p, seed);
		for (i = 0; i < p.n; i++) {
			file[i] = network[i] = (struct item){ .size = network[i].size, .lower = network[i].lower,
				.upper = network[i].upper };
			file[i].alignment = 64;
		}
		height = packing_solve(a, &p, NULL).height;
		cr_assert_leq(packing_solve(a, &q, &more).height, height, "seed %d", (int)seed);
		for (i = 0; i < q.n; i++) {
			cr_assert_eq(file[i].offset % 64, 0);
			bytes = file[i].offset + file[i].size > bytes ? file[i].offset + file[i].size : bytes;
		}
		lower += height - bytes;
		arena_free(a);
	}
	cr_assert_gt(lower, 0, "what the topmost need not have is left out");
}

static int
ascending(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

/* All must lie at multiples of 64, but one or two, which fill one or two of the gaps between the
 * others. Without those gaps the bound would be 30 bytes an item too low. */
Test(packing, what_alignments_waste_is_in_the_bound)
{
	static struct item item[200];
	struct packing p = { item, 200, 1 };
	uint64_t seed, state;
	int64_t end, tail[200];
	int i, fine, n, first, second;

	for (seed = 1; seed <= 10; seed++) {
		struct arena *a = arena_new();
		struct packing_result r;

		state = seed;
		fine = seed % 2 ? 1 : 2;
		for (i = n = 0, end = 0; i < p.n; i++) {
			item[i] = (struct item){ .size = chance_below(&state, 900) + 64, .alignment = i < fine ? 1 : 64,
			    .lower = i < 100 ? 0 : 1 + (i - 100) / 50, .upper = i < 100 ? 1 : 2 + (i - 100) / 50 };
			if (i >= fine && i < 100)
				tail[n++] = (64 - item[i].size % 64) % 64;
			end += i < 100 ? item[i].size : 0;
		}
		qsort(tail, (size_t)n, sizeof(*tail), ascending);
		for (i = 0; i < n - 1 - fine; i++)	/* all but the topmost and those that are filled */
			end += tail[i];
		r = packing_solve(a, &p, NULL);
		cr_assert_eq(r.max_live, end, "seed %d: %lld, not %lld", (int)seed, (long long)r.max_live, (long long)end);
		cr_assert_eq(packing_check(a, &p, r.height, &first, &second), PACKING_RIGHT);
		cr_assert_leq(r.height - r.max_live, 128 * fine, "seed %d: %lld", (int)seed, (long long)r.height);
		arena_free(a);
	}
}

Test(packing, a_capacity_is_enough_or_refuted)
{
	uint64_t seed;
	int first, second;

	for (seed = 1; seed <= 200; seed++) {
		struct arena *a = arena_new();
		struct item item[6] = { { 0 } }, copy[6];
		struct packing p = { item, 6, 1 };
		struct packing_options o = { 0 };
		struct packing_result r;
		int64_t optimum;

		random_instance(&p, seed);
		memcpy(copy, item, sizeof(copy));
		optimum = lowest_by_brute_force(copy, p.n, 0, 0, INT64_MAX);
		o.capacity = optimum;
		r = packing_solve(a, &p, &o);
		cr_assert_eq(packing_check(a, &p, optimum, &first, &second), PACKING_RIGHT);
		o.capacity = optimum - 1;
		r = packing_solve(a, &p, &o);
		cr_assert_gt(r.bound, o.capacity, "seed %d", (int)seed);
		arena_free(a);
	}
}

Test(packing, the_check_finds_every_kind_of_fault)
{
	static struct item item[40];
	struct packing p = { item, 40, 1 };
	struct arena *a = arena_new();
	int i, first, second;

	cut_rectangle(item, p.n, 100000, 1, 7);
	packing_solve(a, &p, NULL);
	cr_assert_eq(packing_check(a, &p, 1 << 20, &first, &second), PACKING_RIGHT);
	cr_assert_eq(packing_check(a, &p, (1 << 20) - 1, &first, &second), PACKING_OUTSIDE);
	/* no gap anywhere: whatever moves, grows or lives longer meets a neighbour or the edge */
	for (i = 0; i < p.n; i++) {
		item[i].offset++;
		cr_assert_neq(packing_check(a, &p, 1 << 20, &first, &second), PACKING_RIGHT);
		item[i].offset -= 2;
		cr_assert_neq(packing_check(a, &p, 1 << 20, &first, &second), PACKING_RIGHT);
		item[i].offset++;
		item[i].size++;
		cr_assert_neq(packing_check(a, &p, 1 << 20, &first, &second), PACKING_RIGHT);
		item[i].size--;
		if (item[i].lower > 0) {
			item[i].lower--;
			cr_assert_eq(packing_check(a, &p, 1 << 20, &first, &second),
			    PACKING_OVERLAP);
			item[i].lower++;
		}
		item[i].alignment = item[i].offset + 1;
		cr_assert_eq(packing_check(a, &p, 1 << 20, &first, &second), item[i].offset ?
		    PACKING_MISALIGNED : PACKING_RIGHT);
		item[i].alignment = 0;
	}
	cr_assert_eq(packing_check(a, &p, 1 << 20, &first, &second), PACKING_RIGHT);
	arena_free(a);
}

Test(packing, the_same_offsets_every_time)
{
	static struct item item[200], again[200];
	struct packing p = { item, 200, 64 }, q = { again, 200, 64 };
	struct arena *a = arena_new();
	int i;

	random_instance(&p, 3);
	random_instance(&q, 3);
	packing_solve(a, &p, NULL);
	packing_solve(a, &q, NULL);
	for (i = 0; i < 200; i++)
		cr_assert_eq(item[i].offset, again[i].offset);
	arena_free(a);
}

/* What is found again must be what a search would have said: a byte, or an instant, is another
 * question. */
Test(packing, a_packing_is_found_again_only_as_it_was)
{
	struct arena *a = arena_new();
	struct item item[60], again[60];
	struct packing p = { item, 60, 64 }, q = { again, 60, 64 };
	struct packing_result r = { .height = 1, .visits = 1 }, found;
	struct placed *known = placed_new(a);
	int i;

	memset(item, 0, sizeof(item));
	random_instance(&p, 7);
	placed_keep(known, &p, &r);		/* costs less than to keep it */
	cr_assert_not(placed_find(known, &p, &found));
	r = packing_solve(a, &p, NULL);
	r.visits = 100000000;
	placed_keep(known, &p, &r);
	memcpy(again, item, sizeof(item));
	for (i = 0; i < q.n; i++)
		again[i].offset = -1;
	cr_assert(placed_find(known, &q, &found));
	cr_assert_eq(found.height, r.height);
	for (i = 0; i < q.n; i++)
		cr_assert_eq(again[i].offset, item[i].offset);
	again[59].size++;
	cr_assert_not(placed_find(known, &q, &found));
	again[59].size--;
	again[30].upper++;
	cr_assert_not(placed_find(known, &q, &found));
	again[30].upper--;
	q.alignment = 32;
	cr_assert_not(placed_find(known, &q, &found));
	q = (struct packing){ again, 59, 64 };
	cr_assert_not(placed_find(known, &q, &found));
	arena_free(a);
}

static void
add(struct packing *p, int64_t size, int lower, int upper)
{
	p->item[p->n++] = (struct item){ .size = size, .lower = lower, .upper = upper };
}

/* A layer's activation, kept or made again, its gradient, statistics, a workspace, and a gradient
 * that waits for the end. */
static void
add_layer(struct packing *p, int i, int end, uint64_t *seed)
{
	int lower = 2 * i, upper = end - 2 * i - 1;
	int64_t size = (int64_t)(1 + chance_below(seed, 12)) << 20;

	if (chance_below(seed, 4) == 0) {
		add(p, size, lower, lower + 2 + chance_below(seed, 4));
		add(p, size, upper - 3 - chance_below(seed, 3), upper);
	} else {
		add(p, size, lower, upper - chance_below(seed, 2));
	}
	add(p, size, upper - 2, upper);
	add(p, (int64_t)(1 + chance_below(seed, 4)) * 256, lower, upper);
	add(p, (int64_t)(1 + chance_below(seed, 4)) * 256, lower, upper);
	add(p, (int64_t)(1 + chance_below(seed, 8)) * 4096, lower, lower + 1);
	add(p, (int64_t)(1 + chance_below(seed, 64)) * 256, upper - 1, end + 2 + chance_below(seed, 2));
}

/* Two thirds are small and alive nearly always: a way down of all, which looks at them again and
 * again, takes twice as much. */
Test(packing, small_items_of_a_long_step_take_little_effort)
{
	const int layers = 200;
	uint64_t seed;
	int i, found = 0;

	for (seed = 1; seed <= 6; seed++) {
		struct arena *a = arena_new();
		struct packing p = { arena_array(a, 7 * (size_t)layers, sizeof(struct item)), 0, 256 };
		uint64_t drawn = seed;
		struct packing_result r;
		int first, second;

		for (i = 0; i < layers; i++)
			add_layer(&p, i, 4 * layers, &drawn);
		r = packing_solve(a, &p, NULL);
		cr_assert_eq(packing_check(a, &p, r.height, &first, &second), PACKING_RIGHT);
		found += r.optimal && r.visits < 3 * (int64_t)p.n * p.n;
		arena_free(a);
	}
	cr_expect_geq(found, 5, "%d of 6", found);
}
