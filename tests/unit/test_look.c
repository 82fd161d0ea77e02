/*
 * What readers say of the first bytes of a file. Files are written out here byte by byte, from the
 * formats' descriptions (yann.lecun.com's of IDX, NumPy's NEP 1), or by Python's struct where a
 * comment says so; then every file is cut off at every length and every byte of it is changed, and
 * each must be taken apart or refused, within its bytes (the sanitizers look).
 */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "readers/look.h"

extern const struct reader reader_idx, reader_npy, reader_csv;

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

TestSuite(look, .init = setup, .fini = teardown);

/* A copy of just these bytes and a NUL, so that a sanitizer sees what is read beyond them. */
static bool
look_at(const struct reader *r, const void *bytes, size_t size, int64_t width, bool whole,
    struct look *l)
{
	struct data_source source = { .reader = r };
	unsigned char *copy = malloc(size + 1);
	bool ok;

	cr_assert(copy);
	memcpy(copy, bytes, size);
	copy[size] = '\0';
	*l = (struct look){ .arena = arena, .source = &source, .bytes = copy, .size = size,
		.whole = whole, .width = width, .all_rows = -1 };
	ok = r->look(l);
	free(copy);
	return ok;
}

/* Two rows of 2x1 bytes; labels of two rows in 16 bits, -2 and 515. */
static const unsigned char idx_bytes[] = { 0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1,
	7, 255, 0, 128 };
static const unsigned char idx_shorts[] = { 0, 0, 0x0b, 1, 0, 0, 0, 2, 0xff, 0xfe, 2, 3 };

Test(look, idx)
{
	struct look l;

	cr_assert(look_at(&reader_idx, idx_bytes, sizeof(idx_bytes), 2, true, &l));
	cr_expect(l.rows == 2 && l.all_rows == 2);
	cr_expect(l.value[0] == 7 && l.value[1] == 255 && l.value[2] == 0 && l.value[3] == 128);
	cr_assert(look_at(&reader_idx, idx_shorts, sizeof(idx_shorts), 1, true, &l));
	cr_expect(l.value[0] == -2 && l.value[1] == 515);
	cr_expect_not(look_at(&reader_idx, idx_bytes, sizeof(idx_bytes), 3, true, &l));
}

Test(look, idx_that_is_cut_off_has_the_rows_that_are_whole)
{
	struct look l;

	cr_assert(look_at(&reader_idx, idx_bytes, sizeof(idx_bytes) - 1, 2, false, &l));
	cr_expect(l.rows == 1 && l.all_rows == 2 && l.value[1] == 255);
}

/* struct.pack("<3f", 0.5, -2, 1e9) and struct.pack(">2d", 0.25, -3) */
static const unsigned char floats[] = { 0, 0, 0, 0x3f, 0, 0, 0, 0xc0, 0x28, 0x6b, 0x6e, 0x4e };
static const unsigned char doubles[] = { 0x3f, 0xd0, 0, 0, 0, 0, 0, 0, 0xc0, 8, 0, 0, 0, 0, 0, 0 };

static size_t
npy_of(unsigned char *to, const char *header, const void *data, size_t size)
{
	size_t n = strlen(header);

	memcpy(to, "\x93NUMPY\x01\x00", 8);
	to[8] = (unsigned char)n;
	to[9] = 0;
	memcpy(to + 10, header, n);
	memcpy(to + 10 + n, data, size);
	return 10 + n + size;
}

Test(look, npy)
{
	unsigned char file[200];
	struct look l;
	size_t n;

	n = npy_of(file, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n", floats,
	    sizeof(floats));
	cr_assert(look_at(&reader_npy, file, n, 1, true, &l));
	cr_expect(l.rows == 3 && l.value[0] == 0.5 && l.value[1] == -2 && l.value[2] == 1e9);
	cr_expect_not(look_at(&reader_npy, file, n, 3, true, &l));
	n = npy_of(file, "{'descr': '>f8', 'fortran_order': False, 'shape': (1, 2, 1), }\n", doubles,
	    sizeof(doubles));
	cr_assert(look_at(&reader_npy, file, n, 2, true, &l));
	cr_expect(l.rows == 1 && l.value[0] == 0.25 && l.value[1] == -3);
	n = npy_of(file, "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 1), }\n", floats,
	    sizeof(floats));
	cr_expect_not(look_at(&reader_npy, file, n, 1, true, &l));
	n = npy_of(file, "{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }\n", floats,
	    sizeof(floats));
	cr_expect_not(look_at(&reader_npy, file, n, 1, true, &l));
	n = npy_of(file, "{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776, "
	    "1099511627776), }\n", floats, sizeof(floats));
	cr_expect_not(look_at(&reader_npy, file, n, 1, true, &l));
}

Test(look, csv)
{
	static const char text[] = "1, 2.5,-3\r\n\n 4e2 ,5,6\n7,8,9";
	struct look l;

	cr_assert(look_at(&reader_csv, text, strlen(text), 3, true, &l));
	cr_expect(l.rows == 3 && l.all_rows == 3);
	cr_expect(l.value[1] == 2.5 && l.value[2] == -3 && l.value[3] == 400 && l.value[8] == 9);
	cr_assert(look_at(&reader_csv, text, strlen(text), 3, false, &l));
	cr_expect(l.rows == 2 && l.all_rows == -1, "a line that may go on is no row");
	cr_expect_not(look_at(&reader_csv, text, strlen(text), 2, true, &l));
	cr_expect_not(look_at(&reader_csv, text, strlen(text), 4, true, &l));
	cr_expect_not(look_at(&reader_csv, "a,b\n1,2\n", 8, 2, true, &l));
	cr_expect_not(look_at(&reader_csv, "1,\n2,3\n", 7, 2, true, &l));
}

/* Every beginning of a file, and every byte of it changed. */
static void
mangle(const struct reader *r, const void *bytes, size_t size, int64_t width)
{
	static const unsigned char other[] = { 0, 1, '(', ',', '9', '-', 0x7f, 0xff };
	unsigned char *copy = malloc(size);
	struct look l;
	size_t i, k;

	cr_assert(copy);
	for (i = 0; i <= size; i++)
		if (look_at(r, bytes, i, width, i % 2 == 0, &l))
			cr_expect(l.rows >= 0 && l.rows * width <= (int64_t)size);
	for (i = 0; i < size; i++)
		for (k = 0; k < sizeof(other); k++) {
			memcpy(copy, bytes, size);
			copy[i] = other[k];
			if (look_at(r, copy, size, width, k % 2 == 0, &l))
				cr_expect(l.rows >= 0 && l.rows * width <= (int64_t)size);
		}
	free(copy);
}

Test(look, files_that_are_cut_off_or_changed)
{
	static const char text[] = "1, 2.5,-3\r\n\n 4e2 ,5,6\n7,8,9";
	unsigned char file[200];
	size_t n = npy_of(file, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n",
	    floats, sizeof(floats));

	mangle(&reader_idx, idx_bytes, sizeof(idx_bytes), 2);
	mangle(&reader_idx, idx_shorts, sizeof(idx_shorts), 1);
	mangle(&reader_npy, file, n, 1);
	mangle(&reader_csv, text, strlen(text), 3);
}
