/* Rectangles that were cut to pieces are put together again, with little or no gap. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pack/packing_impl.h"
#include "extended.h"
#include "rectangles.h"

Test(rectangles, rectangles_cut_to_pieces_are_put_together)
{
	static struct item item[40];
	struct packing p = { item, 40, 1 };
	uint64_t seed;
	int first, second;

	for (seed = 1; seed <= 40; seed++) {
		struct arena *a = arena_new();
		struct packing_result r;

		cut_rectangle(item, p.n, 100000, 1, seed);
		r = packing_solve(a, &p, NULL);
		cr_assert_eq(r.max_live, 1 << 20);
		cr_assert(r.optimal, "seed %d: %lld", (int)seed, (long long)r.height);
		cr_assert_eq(packing_check(a, &p, 1 << 20, &first, &second), PACKING_RIGHT);
		arena_free(a);
	}
}

/* Whatever is cut off, all before it is the same. */
Test(rectangles, more_effort_never_gives_a_worse_answer)
{
	static struct item item[300];
	struct packing p = { item, 300, 1 };
	int64_t millions, last, networks;
	uint64_t seed, state;
	int i;

	for (seed = 1; seed <= 2; seed++) {
		struct arena *a = arena_new();

		state = seed;
		for (i = 0; i < p.n; i++) {
			item[i].size = (int64_t)(chance_below(&state, 100) + 1) * 17;
			item[i].lower = chance_below(&state, 200);
			item[i].upper = item[i].lower + 1 + chance_below(&state, 60);
		}
		last = INT64_MAX;
		networks = packing_solve(a, &p, NULL).height;
		for (millions = 1; millions <= 63; millions = 2 * millions + 1) {
			struct packing_options o = { .visits = millions * 1000000 };
			int64_t height = packing_solve(a, &p, &o).height;

			cr_assert_leq(height, last, "seed %d, %d million", (int)seed, (int)millions);
			cr_assert(millions < 40 || height <= networks);
			last = height;
		}
		arena_free(a);
	}
}

/* From 64 bytes to a gigabyte, the small ones as often. */
static void
make_unlike(struct item *item, int n, uint64_t state)
{
	int i;

	for (i = 0; i < n; i++) {
		bool small = i >= n * 2 / 5;

		item[i] = (struct item){ .lower = chance_below(&state, 16) };
		item[i].upper = item[i].lower + 1 + (int64_t)((chance_bits(&state) >> 33) % (small ? 3 : 10));
		item[i].upper = item[i].upper < 16 ? item[i].upper : 16;
		item[i].size = small ? (int64_t)(chance_below(&state, 49) + 1) * 64 :
		    (int64_t)(chance_below(&state, 1000) + 1) * 1000000 + chance_below(&state, 64) * 64;
	}
}

/* Weights of such items differ by more than a double holds. What the bound is cannot be reached,
 * and a little below it nothing can. */
Test(rectangles, what_is_in_the_way_of_large_and_small_is_seen)
{
	struct item item[26];
	struct packing p = { item, 26, 1 };
	uint64_t seed;
	int i;

	for (seed = 1; seed <= 8; seed++) {
		struct arena *a = arena_new();
		int64_t all = 40000000;
		struct effort e = { .visits = all, .all = &all };
		struct pieces pieces;

		make_unlike(item, p.n, seed);
		pieces = packing_form(a, &p);
		for (i = 0; i < pieces.n; i++) {
			struct instance *in = &pieces.v[i];
			int64_t fit = packing_fit(in, INT64_MAX, in->max_live, 1, &e), lower;

			e.visits = all = 40000000;
			lower = packing_elastic(in, fit, in->max_live - in->max_live / 500, &e);
			cr_assert_geq(lower, in->max_live);
			cr_assert_leq(lower, fit, "seed %d: %lld, before %lld", (int)seed, (long long)lower, (long long)fit);
			cr_assert_eq(lower, packing_height(in));
		}
		arena_free(a);
	}
}

Test(rectangles, more_effort_for_large_and_small_is_never_worse)
{
	struct item item[26];
	struct packing p = { item, 26, 1 };
	uint64_t seed;
	int first, second, k;

	for (seed = 1; seed <= 6; seed++) {
		int64_t last = INT64_MAX;

		make_unlike(item, p.n, seed);
		for (k = 0; k < 3; k++) {
			struct arena *a = arena_new();
			struct packing_options o = { .visits = INT64_C(40000000) << 2 * k };
			struct packing_result r = packing_solve(a, &p, &o);

			cr_assert_leq(r.height, last, "seed %d", (int)seed);
			cr_assert_eq(packing_check(a, &p, r.height, &first, &second), PACKING_RIGHT);
			last = r.height;
			arena_free(a);
		}
	}
}

Test(rectangles, heights_between_become_ever_denser)
{
	static const int quarters[] = { 2, 1, 3 };
	int k;

	for (k = 1; k <= 3; k++)
		cr_assert_eq(packing_search_between(1000, 1400, k), 1000 + 100 * quarters[k - 1]);
	for (k = 1; k <= 100000; k++) {
		int64_t at = packing_search_between(7, 107, k);

		cr_assert(at >= 7 && at < 107, "%d: %lld", k, (long long)at);
	}
}

/* Sizes from a range of a thousand: what is free is in gaps above one another, each too small for
 * anything. ALIGNED: to few powers of four, so that what lies below decides how high something
 * lies. The height over the bound. */
static double
over_the_bound(bool aligned, uint64_t state)
{
	static struct item item[1000];
	struct packing p = { item, 1000, 1 };
	struct packing_options o = { .visits = 200000000 };
	struct packing_result r;
	struct arena *a = arena_new();
	int i, first, second;

	for (i = 0; i < p.n; i++) {
		item[i] = (struct item){ .size = chance_below(&state, 1000) + 1, .lower = chance_below(&state, 500) };
		item[i].upper = item[i].lower + 1 + chance_below(&state, 20);
		item[i].alignment = aligned ? 1 << chance_below(&state, 4) * 2 : 0;
	}
	r = packing_solve(a, &p, &o);
	cr_assert_eq(packing_check(a, &p, r.height, &first, &second), PACKING_RIGHT);
	arena_free(a);
	return (double)r.height / (double)r.bound;
}

/* Where places are fixed the first is 1.0018, and the others are 1.0195 on average. */
Test(rectangles, what_has_its_place_makes_room_for_others)
{
	double sum = 0;
	uint64_t seed;

	cr_assert_leq(over_the_bound(false, 1), 1.001);
	if (sanitized())
		return;
	for (seed = 1; seed <= 3; seed++)
		sum += over_the_bound(true, seed);
	cr_assert_leq(sum / 3, 1.016, "%.4f", sum / 3);
}

/* Nothing may be wasted: of a thousand pieces the last would find no place by chance. */
Test(rectangles, large_rectangles_cut_to_pieces_are_put_together)
{
	static const int pieces[] = { 700, 1000, 1000, 1000, 2000, 4100, 1000, 1000 };
	static struct item item[4100];
	int first, second, whole = 0;
	uint64_t seed;

	for (seed = 1; seed <= 8; seed++) {	/* the last with some cuts at the same instants */
		struct arena *a = arena_new();
		struct packing p = { item, pieces[seed - 1], 1 };
		struct packing_result r;

		cut_rectangle(item, p.n, seed < 7 ? 100000 : 10000, 1, seed);
		r = packing_solve(a, &p, NULL);
		cr_assert_eq(r.max_live, 1 << 20);
		cr_assert_eq(packing_check(a, &p, r.height, &first, &second), PACKING_RIGHT);
		whole += r.height == 1 << 20;
		arena_free(a);
	}
	cr_assert_geq(whole, 6, "%d of 8", whole);
}

Test(rectangles, rectangles_of_few_sizes_leave_a_twentieth_on_average)
{
	static struct item item[1000];
	struct packing p = { item, 1000, 1 };
	int first, second;
	double sum = 0;
	uint64_t seed;

	for (seed = 1; seed <= 6; seed++) {
		struct arena *a = arena_new();

		cut_rectangle(item, p.n, 1024, 1024, seed);
		sum += (double)packing_solve(a, &p, NULL).height / (1 << 20);
		cr_assert_eq(packing_check(a, &p, (1 << 20) * 3 / 2, &first, &second), PACKING_RIGHT);
		arena_free(a);
	}
	cr_assert_leq(sum / 6, 1.0 + 1.0 / 20, "%.4f", sum / 6);
}

/* The largest of eight of N items that are drawn, some of them maybe twice. */
static int
largest_of_eight(const struct item *item, int n, uint64_t *state)
{
	int64_t area, most = 0;
	int i, k, largest = 0;

	for (i = 0; i < 8; i++) {
		k = chance_below(state, n);
		area = item[k].size * (item[k].upper - item[k].lower);
		largest = area > most ? k : largest;
		most = area > most ? area : most;
	}
	return largest;
}

/* Is the rectangle whole again, which is 2^20 high? What is found is right in any case. */
static bool
put_together(struct arena *a, struct packing *p)
{
	struct packing_result r = packing_solve(a, p, NULL);
	int first, second;

	cr_assert_eq(r.max_live, 1 << 20);
	cr_assert_eq(packing_check(a, p, r.height, &first, &second), PACKING_RIGHT);
	return r.optimal;
}

/* Several cuts at most instants, in rows of about thirty: what ends at one is told apart by what
 * its sizes add up to. Beside them the second half in time, which no cut joins to the first, must
 * be put together too. */
Test(rectangles, rectangles_cut_at_few_instants_are_put_together)
{
	static struct item item[1200];
	int largest, whole = 0;
	uint64_t seed, state;

	for (seed = 1; seed <= 4; seed++) {
		struct arena *a = arena_new();
		struct packing p = { item, 2, 1 };

		state = seed;
		item[0] = (struct item){ .size = 1 << 20, .upper = 250 };
		item[1] = (struct item){ .size = 1 << 20, .lower = 250, .upper = 300 };
		while (p.n < 1200) {
			largest = largest_of_eight(item, p.n, &state);
			item[p.n] = item[largest];
			if (chance_below(&state, 2)) {
				int64_t part = 1 + (int64_t)((chance_bits(&state) >> 33) % (uint64_t)(item[largest].size - 1));

				item[p.n].size = part;
				item[largest].size -= part;
			} else if (item[largest].upper - item[largest].lower > 1) {
				item[largest].upper = item[largest].lower + 1 + (int64_t)((chance_bits(&state) >> 33) %
				    (uint64_t)(item[largest].upper - item[largest].lower - 1));
				item[p.n].lower = item[largest].upper;
			} else {
				continue;
			}
			p.n++;
		}
		whole += put_together(a, &p);
		arena_free(a);
	}
	cr_assert_geq(whole, 3, "%d of 4", whole);
}

static int64_t
between(uint64_t *state, int64_t low, int64_t high)	/* both are not in it */
{
	return low + 1 + (int64_t)((chance_bits(state) >> 33) % (uint64_t)(high - low - 1));
}

/* Cuts one off ITEM, or makes five of it, which no cut through it parts: four around the fifth. How
 * many new ones there are then at MADE. */
static int
cut_or_wheel(struct item *item, struct item *made, uint64_t *state)
{
	int64_t end = item->upper, height = item->size, from, to, low, high;

	if (chance_below(state, 4) == 0 && end - item->lower > 3 && height > 3) {
		from = between(state, item->lower, end - 1);
		to = between(state, from, end);
		low = between(state, 0, height - 1);
		high = between(state, low, height);
		made[0] = (struct item){ .size = high, .lower = to, .upper = end };
		made[1] = (struct item){ .size = height - high, .lower = from, .upper = end };
		made[2] = (struct item){ .size = height - low, .lower = item->lower, .upper = from };
		made[3] = (struct item){ .size = high - low, .lower = from, .upper = to };
		item->upper = to;
		item->size = low;
		return 4;
	}
	made[0] = *item;
	if (chance_below(state, 2) && height > 1)
		item->size -= made[0].size = between(state, 0, height);
	else if (end - item->lower > 1)
		item->upper = made[0].lower = between(state, item->lower, end);
	else
		return 0;
	return 1;
}

/* About ten end and ten begin at an instant, of sizes that seldom add up to the same by chance. */
Test(rectangles, wheels_cut_at_few_instants_are_put_together)
{
	static struct item item[1004];
	int largest, whole = 0;
	uint64_t seed, state;

	for (seed = 1; seed <= 4; seed++) {
		struct arena *a = arena_new();
		struct packing p = { item, 1, 1 };

		state = seed;
		item[0] = (struct item){ .size = 1 << 20, .upper = 100 };
		while (p.n < 1000) {
			largest = largest_of_eight(item, p.n, &state);
			p.n += cut_or_wheel(&item[largest], &item[p.n], &state);
		}
		whole += put_together(a, &p);
		arena_free(a);
	}
	cr_assert_geq(whole, 3, "%d of 4", whole);
}

/* Lanes side by side: now and then a few neighbours end together, and others begin in their
 * room, at an instant of their own. There is no cut through the whole, so nothing can be told by
 * cutting. */
static int
lay_lanes(struct item *item, int n, uint64_t seed)
{
	enum { MOST = 40 };	/* lanes */
	int64_t size[MOST], begun[MOST], room, part;
	int lanes = 20, made = 0, k, from, old, new, now;

	for (k = 0; k < lanes; k++) {
		size[k] = 1 + chance_below(&seed, 100000);
		begun[k] = 0;
	}
	for (now = 1; made < n - MOST; now++) {
		from = chance_below(&seed, lanes - 2);
		old = lanes < 13 ? 1 : 1 + chance_below(&seed, 3);
		for (room = 0, k = from; k < from + old; k++) {
			item[made++] = (struct item){ .size = size[k], .lower = begun[k], .upper = now, .offset = -1 };
			room += size[k];
		}
		new = lanes - old > MOST - 3 || room < 100 ? 1 : 1 + chance_below(&seed, 3);
		memmove(size + from + new, size + from + old, (size_t)(lanes - from - old) * sizeof(*size));
		memmove(begun + from + new, begun + from + old, (size_t)(lanes - from - old) * sizeof(*begun));
		lanes += new - old;
		for (k = from; k < from + new; k++) {
			part = k + 1 < from + new ? room / 8 + (int64_t)((chance_bits(&seed) >> 33) % (uint64_t)(room / 2)) : room;
			size[k] = part;
			begun[k] = now;
			room -= part;
		}
	}
	for (k = 0; k < lanes; k++)
		item[made++] = (struct item){ .size = size[k], .lower = begun[k], .upper = now, .offset = -1 };
	return made;
}

Test(rectangles, lanes_that_share_no_cut_are_put_together)
{
	static struct item item[1100];
	int first, second, whole = 0;
	uint64_t seed;

	for (seed = 1; seed <= 6; seed++) {
		struct arena *a = arena_new();
		struct packing p = { item, lay_lanes(item, 1000, seed), 1 };
		struct packing_result r;

		r = packing_solve(a, &p, NULL);
		cr_assert_eq(packing_check(a, &p, r.height, &first, &second), PACKING_RIGHT);
		whole += r.optimal;
		arena_free(a);
	}
	cr_assert_geq(whole, 5, "%d of 6", whole);
}

static int64_t
lower_by(struct instance *in, int64_t best, int64_t visits,
    int64_t (*method)(struct instance *, int64_t, int64_t, struct effort *), int64_t *left)
{
	int64_t all = visits, height;
	struct effort e = { .visits = visits, .all = &all };

	height = method(in, best, in->max_live, &e);
	cr_assert_leq(height, best);
	cr_assert_geq(height, in->max_live);
	cr_assert_eq(height, packing_height(in));
	*left = e.visits;
	return height;
}

static void
check_pieces(struct arena *a, struct packing *p, const struct pieces *pieces, int64_t height)
{
	int i, first, second;

	for (i = 0; i < pieces->jobs; i++)
		p->item[pieces->job[i].index].offset = pieces->job[i].offset;
	cr_assert_eq(packing_check(a, p, height, &first, &second), PACKING_RIGHT);
}

/* Of the exchange format: id, lower, upper, size; how many. */
static int
read_items(const char *name, struct item *item, int most)
{
	const char *top = getenv("top_srcdir");
	char path[1000], line[200];
	FILE *f;
	int n = 0;

	snprintf(path, sizeof(path), "%s/tests/packing/%s", top ? top : ".", name);
	f = fopen(path, "r");
	cr_assert(f, "%s", path);
	while (n < most && fgets(line, sizeof(line), f)) {
		long lower, upper, size;

		if (sscanf(line, "%*d,%ld,%ld,%ld", &lower, &upper, &size) == 3)
			item[n++] = (struct item){ .lower = lower, .upper = upper, .size = size };
	}
	fclose(f);
	return n;
}

/* The first comes to rest with much of its effort left, so more of it would not help. */
Test(rectangles, what_came_to_rest_is_made_lower)
{
	static struct item item[300];
	struct packing p = { item, read_items("D.1048576.csv", item, 300), 1 };
	struct arena *a = arena_new();
	struct pieces pieces = packing_form(a, &p);
	struct instance *in = &pieces.v[0];
	int64_t all = 10000000, part = sanitized() ? 20 : 1, fit, rest, moved, left;
	struct effort e = { .visits = all, .all = &all };

	cr_assert_eq(p.n, 213);
	cr_assert_eq(pieces.n, 1);
	fit = packing_fit(in, INT64_MAX, in->max_live, 1, &e);
	rest = lower_by(in, fit, 2000000000 / part, packing_elastic, &left);
	if (part == 1)
		cr_assert_gt(left, 500000000);
	moved = lower_by(in, rest, 1000000000 / part, packing_wander, &left);
	check_pieces(a, &p, &pieces, moved);
	if (part == 1)
		cr_assert_lt(moved, rest);
	arena_free(a);
}
