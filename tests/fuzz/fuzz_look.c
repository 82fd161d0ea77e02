/*
 * A fuzzer of data files as rules look at them; see fuzz.h. The first four bytes of a text choose
 * the reader, how many numbers a row has and whether these are all bytes of the file; the rest are
 * those bytes. What is read lies within them, and the first half of the file has nothing that the
 * whole has not.
 */
#include <stdlib.h>

#include "ir/op.h"
#include "readers/look.h"

#include "fuzz.h"

#define CHOICE	4

static const char *const words[] = {
	"1", "-2.5", "3e9", "nan", "inf", "0x1p3", ",", " ", "\t", "\n", "\r\n", "\n\n", "1,2\n", "a,b\n", "1e999",
	"\x93NUMPY\x01", "\x93NUMPY\x02", "'descr': '<f4', ", "'descr': '>f8', ", "'descr': '|u1', ", "'descr': '|b1', ",
	"'fortran_order': False, ", "'fortran_order': True, ", "'shape': (2,), ", "'shape': (1, 2), ", "'shape': ()",
	"'shape': (9223372036854775807, 4)", "(", ")", "{", "}", "9223372036854775808", "\x7f\xff\xff\xff", "\xff",
	"\x01", "\x08", "\x0d", "\x0e",
};

static void
mutate(struct sample *t, const struct sample *from, int nfrom)
{
	int edits;

	for (edits = 1 + (int)fuzz_below(5); edits > 0; edits--)
		if (nfrom && fuzz_below(16) == 0)
			fuzz_borrow(t, fuzz_below(t->n + 1), &from[fuzz_below((uint64_t)nfrom)], 100);
		else
			fuzz_edit(t, words, COUNT_OF(words), 8);
}

/* Of a copy of just these bytes and a NUL, so that a sanitizer sees what is read beyond them. */
static bool
look_at(struct arena *a, const struct data_source *source, const char *bytes, size_t n, bool whole, size_t all,
    int64_t width, struct look *l)
{
	struct tensor *t = ARENA_NEW(a, struct tensor), **staged = ARENA_NEW(a, struct tensor *);
	unsigned char *copy = malloc(n + 1);
	bool ok;

	if (!copy)
		fuzz_failed("out of memory");
	memcpy(copy, bytes, n);
	copy[n] = '\0';
	*l = (struct look){ .arena = a, .source = source, .bytes = copy, .size = n, .whole = whole, .width = width,
		.all = (int64_t)all, .all_rows = -1, .staged = staged, .nstaged = 1, .input = t };
	*t = (struct tensor){ .kind = T_TARGET, .classes = 10, .rank = width > 1, .dim = { width }, .name = "kind" };
	*staged = t;
	ok = source->reader->look(l);
	free(copy);
	if (!ok)
		return false;
	if (l->rows < 0 || l->rows > (int64_t)n || l->rows * width > (int64_t)n)
		fuzz_failed("more numbers than bytes");
	if (l->all_rows >= 0 && l->all_rows < l->rows)
		fuzz_failed("more rows than there are");
	if (l->all_rows >= 0 && reader_samples(source, l->all_rows) > l->all_rows)
		fuzz_failed("more samples than rows");
	return true;
}

/* The attributes as a spec would set them, by the bits of CHOICE. */
static struct attr *
attrs_of(struct arena *a, const struct reader *r, unsigned choice)
{
	struct attr *attr;
	int n = 0, i;

	while (r->attrs[n].name)
		n++;
	attr = arena_array(a, (size_t)n + 1, sizeof(*attr));
	for (i = 0; i < n; i++)
		if (strcmp(r->attrs[i].name, "header") == 0)
			attr[i] = (struct attr){ .given = true, .i = choice & 1 };
		else if (strcmp(r->attrs[i].name, "label_first") == 0)
			attr[i] = (struct attr){ .given = true, .i = choice >> 1 & 1 };
	return attr;
}

static long
try(const struct sample *t)
{
	struct arena *a = fuzz_arena();
	struct data_source source = { .scale = 1 };
	const unsigned char *choice = (const unsigned char *)t->text;
	struct look l, half;
	int64_t width, i;
	size_t n;
	bool all;

	if (t->n < CHOICE)
		return false;
	source.reader = reader_table[choice[0] % (unsigned)reader_count];
	if (!source.reader->look)
		return false;
	source.attr = attrs_of(a, source.reader, choice[1] >> 1);
	source.keep_every = choice[1] >> 3 & 3;
	source.skip_every = choice[1] >> 5 & 3;
	width = choice[3] < 250 ? 1 + choice[2] % 8 : 1 + choice[2] * 250;
	all = choice[1] & 1;
	n = t->n - CHOICE;
	if (!look_at(a, &source, t->text + CHOICE, n, all, all ? n : 2 * n, width, &l))
		return false;
	if (!look_at(a, &source, t->text + CHOICE, n / 2, false, all ? n : 2 * n, width, &half))
		return l.rows > 0;
	if (half.rows > l.rows)
		fuzz_failed("the first half has more rows");
	for (i = 0; i < half.rows * width; i++)
		if (memcmp(&half.value[i], &l.value[i], sizeof(*l.value)) != 0)
			fuzz_failed("the first half has other numbers");
	return l.rows > 0;
}

const struct fuzzer fuzzer = {
	.name = "fuzz_look",
	.outcome = "files with rows",
	.longest = 2000,
	.mutate = mutate,
	.try = try,
};
