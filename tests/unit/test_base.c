/* The room everything stands in: arenas, text, sizes, places. */
#include <criterion/criterion.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/map.h"
#include "base/text.h"
#include "base/vec.h"

Test(arena, memory_is_zeroed_aligned_and_disjoint)
{
	struct arena *a = arena_new();
	char *before = NULL;
	int i, j;

	for (i = 1; i < 3000; i++) {
		char *p = arena_alloc(a, (size_t)i);

		cr_assert_eq((uintptr_t)p % 8, 0);
		for (j = 0; j < i; j++)
			cr_assert_eq(p[j], 0);
		memset(p, 0xff, (size_t)i);
		if (before)
			cr_assert_eq((unsigned char)before[0], 0xff);
		before = p;
	}
	arena_free(a);
}

/* Sizes of every kind, small ones most often, up to arrays that get a block of their own. */
static size_t
some_size(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return 1 + (*state >> 8) % ((size_t)1 << (4 + (*state >> 3) % 15));
}

static bool
is_filled(const unsigned char *p, size_t n, int byte)
{
	return p[0] == byte && memcmp(p, p + 1, n - 1) == 0;
}

static void
check_fresh(struct arena *a, unsigned seed, int count)
{
	unsigned char *p, *all[400];
	size_t size[400], n;
	int i;

	cr_assert(count <= 400);
	for (i = 0; i < count; i++) {
		n = some_size(&seed);
		p = arena_alloc(a, n);
		cr_assert_eq((uintptr_t)p % 8, 0);
		cr_assert(is_filled(p, n, 0), "an old byte in allocation %d of %zu", i, n);
		memset(p, i % 255 + 1, n);
		all[i] = p;
		size[i] = n;
	}
	for (i = 0; i < count; i++)
		cr_assert(is_filled(all[i], size[i], i % 255 + 1), "allocations overlap");
}

Test(arena, memory_used_again_is_zeroed)
{
	struct arena *a = arena_new(), *child;
	unsigned seed;

	for (seed = 0; seed < 40; seed++) {
		check_fresh(a, seed, 100 + (int)seed * 7);
		child = arena_child(a);
		check_fresh(child, seed + 1000, 300);
		arena_child(child);	/* goes with it */
		if (seed % 3)
			arena_free(child);
		check_fresh(a, seed + 2000, 50);
		if (seed % 2)
			arena_reset(a);
	}
	arena_free(a);
}

Test(arena, a_vector_grows_after_a_reset)
{
	struct arena *a = arena_new();
	VEC(int) v;
	int i, round;

	for (round = 0; round < 3; round++) {
		v.v = NULL;
		v.n = v.cap = 0;
		for (i = 0; i < 100000; i++)
			vec_push(a, &v, i ^ round);
		for (i = 0; i < v.n; i++)
			cr_assert_eq(v.v[i], i ^ round);
		arena_reset(a);
	}
	arena_free(a);
}

Test(arena, failure_jumps_to_the_handler)
{
	struct arena *a = arena_new();
	jmp_buf failed;

	arena_on_failure(a, &failed);
	if (setjmp(failed) == 0) {
		arena_alloc(a, SIZE_MAX / 2);
		cr_assert_fail("an impossible allocation came back");
	}
	arena_free(a);
}

/* A count that no int holds is no memory, long before there would be any. */
Test(arena, a_vector_too_long_to_count_fails)
{
	struct arena *a = arena_new();
	VEC(char) v = { 0 };
	jmp_buf failed;

	v.n = v.cap = INT_MAX / 2 + 1;
	arena_on_failure(a, &failed);
	if (setjmp(failed) == 0) {
		vec_push(a, &v, 'x');
		cr_assert_fail("a vector of more items than an int counts");
	}
	arena_free(a);
}

/* Beside other arrays, and through the sizes at which the text gets a block of its own and that
 * block moves. */
Test(text, a_large_text_keeps_what_it_says)
{
	struct arena *a = arena_new();
	struct text t;
	size_t i, said = 1 << 20;
	char c;

	text_init(&t, a);
	for (i = 0; i < said; i++) {
		c = (char)('a' + i % 26);
		text_add(&t, &c, 1);
		if (i % 4096 == 0)
			memset(arena_alloc(a, 48 << 10), '#', 48 << 10);
	}
	text_insert(&t, 0, "before", 6);
	text_insert(&t, 7, "-", 1);
	cr_assert_eq(t.n, said + 7);
	cr_assert(strncmp(t.s, "beforea-b", 9) == 0);
	for (i = 1; i < said; i++)
		cr_assert_eq(t.s[i + 7], (char)('a' + i % 26));
	cr_assert_eq(t.s[t.n], '\0');
	arena_free(a);
}

Test(text, units_of_sizes)
{
	cr_assert_eq(size_unit("B"), 1);
	cr_assert_eq(size_unit("KiB"), 1024);
	cr_assert_eq(size_unit("TiB"), INT64_C(1) << 40);
	cr_assert_eq(size_unit("kB"), 1000);
	cr_assert_eq(size_unit("TB"), INT64_C(1000000000000));
	cr_assert_eq(size_unit("KB"), 0);
	cr_assert_eq(size_unit("PiB"), 0);
	cr_assert_eq(size_unit(""), 0);
	cr_assert_str_eq(size_unit_name(0), "B");
	cr_assert_str_eq(size_unit_name(SIZE_UNITS - 1), "EiB");
}

/* Whatever was put in and taken out before, a map holds what a new one of the same names would. */
Test(map, what_is_cut_was_never_there)
{
	struct arena *a = arena_new();
	struct map m = { NULL, 0, 0, NULL, 0 };
	char *name[500];
	int i, round, n;

	for (i = 0; i < 500; i++)
		name[i] = arena_printf(a, "n%d", i);
	for (round = 0; round < 200; round++) {
		n = round * 37 % 401;
		for (i = m.n; i < n + 99; i++)
			map_put(a, &m, name[i], name[i]);
		map_cut(&m, n);
		cr_assert_eq(m.n, n);
		for (i = 0; i < 500; i++)
			cr_assert_eq(map_get(&m, name[i]), i < n ? name[i] : NULL, "%d of %d", i, n);
	}
	arena_free(a);
}

Test(text, sizes_as_people_read_them)
{
	char buf[SIZE_TEXT];

	cr_assert_str_eq(size_human(buf, 0), "0 B");
	cr_assert_str_eq(size_human(buf, 1023), "1023 B");
	cr_assert_str_eq(size_human(buf, 1024), "1.00 KiB");
	cr_assert_str_eq(size_human(buf, 12800000000), "11.92 GiB");
	cr_assert_str_eq(size_human(buf, 10373441024), "9.66 GiB");
	cr_assert_str_eq(size_human(buf, 1048575), "1.00 MiB");
	cr_assert_str_eq(size_human(buf, INT64_MAX), "8.00 EiB");
	cr_assert_str_eq(size_commas(buf, 10373441024), "10,373,441,024");
	cr_assert_str_eq(size_commas(buf, -1000), "-1,000");
	cr_assert_str_eq(size_commas(buf, 7), "7");
}

Test(text, the_nearest_name)
{
	static const char *const names[] = { "maxpool", "avgpool", "relu", "gelu", "conv" };

	cr_assert_str_eq(text_nearest("maxpol", names, 5), "maxpool");
	cr_assert_str_eq(text_nearest("ocnv", names, 5), "conv");
	cr_assert_str_eq(text_nearest("rleu", names, 5), "relu");
	cr_assert_null(text_nearest("transformer", names, 5));
	cr_assert_eq(text_distance("abcd", "abdc", 3), 1);
	cr_assert_eq(text_distance("kitten", "sitting", 5), 3);
}

Test(source, lines_and_columns)
{
	static const char text[] = "ab\n\xc3\xa9x\r\nlast";
	struct arena *a = arena_new();
	struct source *s = source_from_text(a, "t.nn", text, sizeof(text) - 1);
	struct loc x = { s, 5, 6 };
	int n;

	cr_assert_eq(loc_line(x), 2);
	cr_assert_eq(loc_column(x), 3);
	cr_assert_eq(loc_column_chars(x), 2);
	source_line(s, 2, &n);
	cr_assert_eq(n, 3, "the carriage return is no part of the line");
	cr_assert_eq(loc_line((struct loc){ s, 12, 12 }), 3);
	arena_free(a);
}

/* As a fixer does, beside others: writes the file beside it, then in its place. */
static void
put_in_place(const char *path)
{
	char beside[64];
	FILE *f;

	snprintf(beside, sizeof(beside), "%s.new", path);
	for (;;) {
		if (!(f = fopen(beside, "w")) || fputs("network n { }\n", f) < 0 || fclose(f) || rename(beside, path))
			_exit(1);
	}
}

Test(source, a_file_that_another_replaces_is_read)
{
	char folder[] = "/tmp/test_base.XXXXXX", path[64], beside[70];
	struct arena *a = arena_new();
	const char *why = NULL;
	int i, read = 0;
	pid_t child;

	cr_assert(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/a.nn", folder);
	snprintf(beside, sizeof(beside), "%s.new", path);
	cr_assert((child = fork()) >= 0);
	if (child == 0)
		put_in_place(path);
	for (i = 0; i < 100000 && access(path, F_OK); i++)
		usleep(100);
	for (i = 0; i < 3000; i++)
		read += source_read_below(a, folder, path, &why) != NULL;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	remove(beside);
	remove(path);
	remove(folder);
	cr_expect_eq(read, 3000, "%d of 3000: %s", read, why ? why : "");
	arena_free(a);
}

Test(diag, repeats_are_dropped_and_places_sorted)
{
	struct arena *a = arena_new();
	struct source *s = source_from_text(a, "t.nn", "one\ntwo\n", 8);
	struct diags d;

	diags_init(&d, a);
	diag_error(&d, "type", (struct loc){ s, 4, 7 }, "second");
	diag_error(&d, "type", (struct loc){ s, 0, 3 }, "first");
	diag_error(&d, "type", (struct loc){ s, 4, 7 }, "second");
	cr_assert_eq(d.all.n, 2);
	cr_assert_eq(d.errors, 2);
	diags_sort(&d);
	cr_assert_str_eq(d.all.v[0]->message, "first");
	arena_free(a);
}

Test(text, sizes_as_people_write_them)
{
	static const struct {
		const char *text;
		int64_t bytes;
	} good[] = {
		{ "0", 0 }, { "4096", 4096 }, { "512 B", 512 }, { "8GiB", INT64_C(8) << 30 },
		{ "11GB", INT64_C(11000000000) }, { "11439MiB", INT64_C(11439) << 20 },
		{ "1.5 KiB", 1536 }, { "0.5TiB", INT64_C(1) << 39 }, { "2kB", 2000 },
		{ "10.76GiB", INT64_C(11553462026) },	/* 10.76 * 2^30 = 11553462026.24 */
		{ "9223372036854775807", INT64_MAX },
	};
	static const char *const bad[] = {
		"", "B", "8G", "8 gib", "-1", "1e9", "0x10", ".5GiB", "1.", "1.GiB", " 8GiB",
		"8GiB ", "9223372036854775808", "8388608TiB", "99999999999999999999", "8 GiB B",
	};
	int64_t bytes = 7;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		cr_expect(!size_parse(bad[i], &bytes) && bytes == 7, "%s", bad[i]);
	for (i = 0; i < sizeof(good) / sizeof(*good); i++)
		cr_expect(size_parse(good[i].text, &bytes) && bytes == good[i].bytes, "%s: %lld",
		    good[i].text, (long long)bytes);
}
