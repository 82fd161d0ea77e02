/* Things that are the same are kept once, whatever their hashes are. */
#include <criterion/criterion.h>

#include "base/intern.h"

#define MANY	1000

static bool
same_number(const void *a, const void *b)
{
	return *(const int *)a == *(const int *)b;
}

/* Keeps MANY numbers of which each occurs three times; the hash of a number is that of its
 * remainder. */
static void
keep(int remainder)
{
	struct arena *a = arena_new();
	struct intern set = { 0 };
	const void *first[MANY] = { NULL };
	int i;

	for (i = 0; i < 3 * MANY; i++) {
		int number = i % MANY;
		void **at = intern_place(&set, a, &number, intern_end(intern_mix(0, (uint64_t)(number % remainder))),
		    same_number);

		if (i < MANY) {
			int *copy = ARENA_NEW(a, int);

			cr_assert_null(*at, "%d has not been kept before", number);
			*copy = number;
			first[number] = *at = copy;
		}
		cr_assert(*at == first[number] && *(const int *)*at == number, "%d", number);
	}
	cr_assert(set.n == MANY && 2 * set.n <= set.room);
	arena_free(a);
}

Test(intern, keeps_one_of_each)
{
	keep(MANY);
}

Test(intern, tells_apart_what_has_one_hash)
{
	keep(7);
}
