/* marks, against an array of bools. */
#include <criterion/criterion.h>

#include "base/chance.h"
#include "base/marks.h"

static int
nearest(const bool *set, int n, int i, int step)
{
	for (; i >= 0 && i < n; i += step)
		if (set[i])
			return i;
	return -1;
}

Test(marks, neighbours_are_those_of_an_array)
{
	static const int sizes[] = { 1, 63, 64, 65, 4095, 4096, 4097, 20000 };
	static bool set[20000];
	uint64_t seed = 1;
	size_t s;
	int k, i, n;

	for (s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		struct arena *a = arena_new();
		struct marks m;

		n = sizes[s];
		marks_init(&m, a, n);
		for (i = 0; i < n; i++)
			set[i] = false;
		for (k = 0; k < 4000; k++) {
			i = chance_below(&seed, n);
			set[i] = seed >> 62 == 0;
			if (set[i])
				marks_set(&m, i);
			else
				marks_clear(&m, i);
			i = (int)((seed >> 20) % (uint64_t)n);
			cr_assert_eq(marks_next(&m, i), nearest(set, n, i, 1));
			cr_assert_eq(marks_prev(&m, i), nearest(set, n, i, -1));
		}
		cr_assert_eq(marks_next(&m, n), -1);
		cr_assert_eq(marks_prev(&m, -1), -1);
		arena_free(a);
	}
}
