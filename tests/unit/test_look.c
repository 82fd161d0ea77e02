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
	cr_expect_str_eq(l.refused, "each sample in it is 2 numbers, and an input takes 3");
}

Test(look, part_of_a_row)
{
	struct data_source source = { .reader = &reader_idx };
	struct look l = { .arena = arena, .source = &source, .bytes = idx_bytes, .size = 17, .width = 2, .all_rows = -1,
		.part = true };

	cr_expect_not(reader_idx.look(&l), "more may be had");
	cr_assert_eq(l.wants, 16);
	l.more = idx_bytes + 16;
	l.more_at = 16;
	l.more_size = 1;
	l.wants = 0;
	cr_assert(reader_idx.look(&l));
	cr_expect(l.rows == 0 && l.all_rows == 2 && l.numbers == 1 && l.part_value[0] == 7);
	l.part = false;
	l.numbers = 0;
	cr_expect(reader_idx.look(&l) && l.rows == 0 && l.numbers == 0, "who asks for whole rows gets no other");
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
	cr_assert(look_at(&reader_csv, "\xef\xbb\xbf" "1,2\n", 7, 2, true, &l), "a byte order mark");
	cr_expect(l.rows == 1 && l.value[0] == 1);
}

static void
expect_refused(const char *text, int64_t width, const char *refused, const char *cure)
{
	struct look l;

	cr_assert_not(look_at(&reader_csv, text, strlen(text), width, true, &l));
	cr_expect_str_eq(l.refused, refused);
	cr_expect(!l.cure == !cure);
	if (l.cure && cure)
		cr_expect(strstr(l.cure, cure), "%s", l.cure);
}

Test(look, what_a_program_stops_at_is_said)
{
	expect_refused("a,b\n1,2\n", 2, "line 1 has no finite number in column 1", "header=true");
	expect_refused("1,a\n2,b\n", 2, "line 1 has no finite number in column 2", "number classes");
	expect_refused("1,2\n\n3, \n", 2, "line 3 has no value in column 2", "missing");
	expect_refused("1,2\n3, inf \n", 2, "line 2 has no finite number in column 2", "numbers alone");
	expect_refused("1,2,3\n", 2, "line 1 has 3 columns, and inputs and targets take 2", NULL);
	expect_refused("1;2\n", 2, "line 1 has 1 column, and inputs and targets take 2", "';'");
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

/* ---- readers that have each input's numbers apart ---- */

extern const struct reader reader_cifar, reader_safetensors, reader_text, reader_tokens, reader_images;

static struct tensor picture = { .kind = T_INPUT, .rank = 3, .dim = { 3, 32, 32 }, .name = "image" };
static struct tensor kind = { .kind = T_TARGET, .classes = 10, .name = "kind" };
static struct tensor fine = { .kind = T_TARGET, .classes = 100, .name = "fine" };
static struct tensor window = { .kind = T_INPUT, .rank = 1, .dim = { 4 }, .classes = 256, .name = "ids" };
static struct tensor next = { .kind = T_TARGET, .rank = 1, .dim = { 4 }, .classes = 256, .name = "next" };

/* The first FIRST bytes of the file, and what is asked for beyond them. */
static bool
look_apart(const struct reader *r, const void *file, size_t size, size_t first, struct tensor **staged, int nstaged,
    int which, struct look *l)
{
	static struct data_source source;
	unsigned char *copy = arena_array(arena, first + 1, 1), *more;
	int n = 0;

	source = (struct data_source){ .reader = r, .nfiles = 1 };
	while (r->attrs[n].name)
		n++;
	source.attr = arena_array(arena, (size_t)n + 1, sizeof(*source.attr));
	memcpy(copy, file, first);
	*l = (struct look){ .arena = arena, .source = &source, .bytes = copy, .size = first, .all = (int64_t)size,
		.whole = first == size, .all_rows = -1, .staged = staged, .nstaged = nstaged, .input = staged[which],
		.width = tensor_elements_per_sample(staged[which]) };
	if (r->look(l))
		return true;
	if (l->wants <= 0 || l->wants >= (int64_t)size)
		return false;
	more = arena_array(arena, size - (size_t)l->wants + 1, 1);
	memcpy(more, (const char *)file + l->wants, size - (size_t)l->wants);
	l->more = more;
	l->more_at = l->wants;
	l->more_size = size - (size_t)l->wants;
	l->wants = 0;
	return r->look(l);
}

Test(look, cifar)
{
	struct tensor *ten[] = { &picture, &kind }, *hundred[] = { &fine, &picture };
	unsigned char file[2 * 3074] = { 0 };
	struct look l;

	file[0] = 7;		/* records of CIFAR-10: a label, 3072 bytes */
	file[1] = 200;
	file[3073] = 9;
	file[3073 + 3072] = 50;
	cr_assert(look_apart(&reader_cifar, file, 2 * 3073, 2 * 3073, ten, 2, 1, &l));
	cr_expect(l.rows == 2 && l.all_rows == 2 && l.value[0] == 7 && l.value[1] == 9);
	cr_assert(look_apart(&reader_cifar, file, 2 * 3073, 4000, ten, 2, 0, &l));
	cr_expect(l.rows == 1 && l.all_rows == 2 && l.value[0] == 200);
	file[1] = 42;		/* of CIFAR-100: a coarse label, a fine one */
	file[2] = 13;
	file[3074 + 1] = 99;
	cr_assert(look_apart(&reader_cifar, file, 2 * 3074, 2 * 3074, hundred, 2, 0, &l));
	cr_expect(l.rows == 2 && l.value[0] == 42 && l.value[1] == 99);
	cr_assert(look_apart(&reader_cifar, file, 2 * 3074, 2 * 3074, hundred, 2, 1, &l));
	cr_expect(l.rows == 2 && l.value[0] == 13);
	cr_expect_not(look_apart(&reader_cifar, file, 2 * 3074, 2 * 3074, ten, 2, 0, &l), "no whole number of records");
}

/* As safetensors.numpy.save() orders them, but by hand: a header of 8 + 144 bytes. */
static size_t
tensors(unsigned char *to)
{
	static const char header[] = "{\"__metadata__\":{\"kind\":\"none\"},\"kindest\":{\"dtype\":\"F32\",\"shape\":[1],"
	    "\"data_offsets\":[0,4]},\"kind\":{\"dtype\":\"I16\",\"shape\":[3],\"data_offsets\":[4,10]}}";
	static const unsigned char data[] = { 1, 2, 3, 4, 7, 0, 0xff, 0xff, 0, 1 };
	size_t n = strlen(header);

	memset(to, 0, 8);
	to[0] = (unsigned char)n;
	memcpy(to + 8, header, n);
	memcpy(to + 8 + n, data, sizeof(data));
	return 8 + n + sizeof(data);
}

Test(look, safetensors)
{
	struct tensor *one[] = { &kind }, *other[] = { &fine };
	unsigned char file[400];
	size_t n = tensors(file), cut;
	struct look l;

	cr_assert(look_apart(&reader_safetensors, file, n, n, one, 1, 0, &l));
	cr_expect(l.rows == 3 && l.all_rows == 3 && l.value[0] == 7 && l.value[1] == -1 && l.value[2] == 256);
	cr_assert(look_apart(&reader_safetensors, file, n, n - 6, one, 1, 0, &l), "its bytes are asked for");
	cr_expect(l.rows == 3 && l.value[2] == 256);
	cr_expect_not(look_apart(&reader_safetensors, file, n, n, other, 1, 0, &l), "there is no 'fine'");
	for (cut = 0; cut < n - 10; cut++)
		cr_expect_not(look_apart(&reader_safetensors, file, n, cut, one, 1, 0, &l));
}

Test(look, windows)
{
	static const char text[] = "abcdefghijkl";
	struct tensor *staged[] = { &window, &next };
	struct look l;

	cr_assert(look_apart(&reader_text, text, 12, 12, staged, 2, 0, &l));
	cr_expect(l.rows == 2 && l.all_rows == 2 && l.value[0] == 'a' && l.value[4] == 'e');
	cr_assert(look_apart(&reader_text, text, 12, 12, staged, 2, 1, &l));
	cr_expect(l.rows == 2 && l.value[0] == 'b' && l.value[7] == 'i');
	cr_assert(look_apart(&reader_tokens, text, 12, 12, staged, 2, 1, &l));
	cr_expect(l.rows == 1 && l.value[0] == 'c' + 256 * 'd');
	cr_expect_not(look_apart(&reader_text, text, 4, 4, staged, 2, 0, &l), "a window and one ahead need 5");
}

Test(look, lists_of_pictures)
{
	static const char list[] = "a.png\t3\nb c.jpg\t0\r\n\nd.png\t12\n";
	struct tensor *staged[] = { &picture, &kind };
	struct look l;

	cr_assert(look_apart(&reader_images, list, strlen(list), strlen(list), staged, 2, 1, &l));
	cr_expect(l.rows == 3 && l.all_rows == 3 && l.value[0] == 3 && l.value[1] == 0 && l.value[2] == 12);
	cr_assert(look_apart(&reader_images, list, strlen(list), 9, staged, 2, 1, &l));
	cr_expect(l.rows == 1 && l.all_rows == -1, "a line that may go on is no row");
	cr_expect_not(look_apart(&reader_images, list, strlen(list), strlen(list), staged, 2, 0, &l));
	cr_expect_not(look_apart(&reader_images, "a.png\n", 6, 6, staged, 2, 1, &l));
}
