/* Searches that go on at a lower capacity from where they were: they answer as those that begin
 * there do. */
#include <criterion/criterion.h>

#include "base/chance.h"
#include "pack/packing_impl.h"
#include "extended.h"

enum { ITEMS = 13, A_LITTLE = 300, ENOUGH = 100000000 };

static struct arena *a;
static struct item item[ITEMS];
static struct instance *in;
static int64_t used;		/* visits of all searches */

/* A piece with few instants, so that what fits is seldom clear at once. */
static void
make(uint64_t seed)
{
	static const int64_t alignment[] = { 0, 1, 2, 3, 4, 8 };
	struct packing p = { item, ITEMS, 1 };
	struct pieces pieces;
	bool aligned = seed % 3 == 0;
	int i;

	for (i = 0; i < ITEMS; i++) {
		item[i] = (struct item){ .size = chance_below(&seed, 40) + 1, .lower = chance_below(&seed, 10) };
		item[i].upper = item[i].lower + 1 + chance_below(&seed, 6);
		item[i].alignment = aligned ? alignment[chance_below(&seed, 6)] : 0;
	}
	item[0].lower = 0;
	item[0].upper = 20;
	a = arena_new();
	pieces = packing_form(a, &p);
	cr_assert_eq(pieces.n, 1);
	in = &pieces.v[0];
}

static enum search_end
ask(struct search_turns *s, int64_t capacity, int64_t visits,
    enum search_end (*search)(struct search_turns *, int64_t, struct effort *))
{
	int64_t all = visits;
	struct effort e = { .visits = visits, .all = &all };
	enum search_end end = search(s, capacity, &e);

	used += visits - e.visits;
	if (end == SEARCH_FOUND)
		cr_assert_leq(packing_height(in), capacity);
	return end;
}

Test(packing_search, below_what_was_found_it_goes_on_and_ends_at_the_optimum)
{
	int64_t height = INT64_MAX, capacity, began = 0, went_on = 0;
	uint64_t seed;
	int above = 0;

	for (seed = 1; seed <= (extended() ? 200 : 80); seed++) {
		struct search_turns *anew, *below;

		make(seed);
		anew = packing_search_new(in, NULL);
		below = packing_search_below(in, anew);
		for (capacity = 40 * ITEMS; ; capacity = height - 1) {
			enum search_end end;

			used = 0;
			end = ask(below, capacity, ENOUGH, packing_search);
			went_on += used;
			used = 0;
			if (end == SEARCH_FOUND)
				height = packing_height(in);
			cr_assert_eq(ask(packing_search_below(in, anew), capacity, ENOUGH, packing_search), end);
			began += used;
			if (end != SEARCH_FOUND)
				break;
		}
		cr_assert_eq(ask(anew, height, ENOUGH, packing_search), SEARCH_FOUND, "seed %d", (int)seed);
		cr_assert_eq(ask(anew, height - 1, ENOUGH, packing_search), SEARCH_IMPOSSIBLE, "seed %d: %d is not the optimum", (int)seed,
		    (int)height);
		above += height > in->max_live;
		arena_free(a);
	}
	cr_assert_gt(above, extended() ? 20 : 8, "%d", above);
	cr_assert_lt(went_on, began);
}

/* Each is left somewhere on its way, in turns or in a way down, before the last is asked for to the
 * end. */
Test(packing_search, wherever_it_was_left_it_answers_as_one_that_begins)
{
	uint64_t seed, state;
	int found = 0, none = 0;

	for (seed = 1; seed <= (extended() ? 300 : 120); seed++) {
		struct search_turns *anew, *below;
		int64_t capacity, last;
		enum search_end end;
		int k;

		make(seed);
		state = seed;
		anew = packing_search_new(in, NULL);
		below = packing_search_below(in, anew);
		last = in->max_live + chance_below(&state, 3);
		for (k = 12; k > 0; k--) {
			capacity = last + k * chance_below(&state, 3);
			ask(below, capacity, 1 + chance_below(&state, A_LITTLE), chance_below(&state, 2) ? packing_search : packing_dives);
		}
		end = ask(below, last, ENOUGH, packing_search);
		cr_assert_neq(end, SEARCH_GIVEN_UP);
		cr_assert_eq(ask(anew, last, ENOUGH, packing_search), end, "seed %d", (int)seed);
		found += end == SEARCH_FOUND;
		none += end == SEARCH_IMPOSSIBLE;
		arena_free(a);
	}
	cr_assert_gt(found, extended() ? 50 : 20, "%d", found);
	cr_assert_gt(none, extended() ? 20 : 4, "%d", none);
}
