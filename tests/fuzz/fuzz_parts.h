/*
 * What the fuzzers of descriptions of pictures share: the program's own files (kernels/host/),
 * which give up by going back to where the fuzzer is, read from a text in place of a file, and
 * leave nothing behind. What a reader has taken is held against what must hold of it, and all that
 * samples need of it is made, but for pictures themselves.
 */
#ifndef STOWAGE_TESTS_FUZZ_PARTS_H
#define STOWAGE_TESTS_FUZZ_PARTS_H

#define PROGRAM		"fuzz"
#define SPEC_FOLDER	""
#define INFERS			/* fail() is a longjmp() */
#define NARROW		0
#include "host/common.h"
#include <dirent.h>
#include <malloc.h>
#include <strings.h>

#include "fuzz.h"

#define MOST_BLOCKS	4096

static void *blocks[MOST_BLOCKS];	/* that the readers took for this text */
static int nblocks;

static void *
block_resize(void *old, size_t size)
{
	void *new;
	int i;

	for (i = 0; i < nblocks && blocks[i] != old; i++)
		;
	if (!old || i == nblocks)
		i = nblocks++;
	if (i == MOST_BLOCKS)
		fuzz_failed("the readers take more blocks than there should be");
	new = blocks[i] = realloc(old, size);
	if (!new)
		fuzz_failed("out of memory");
	return new;
}

static void
blocks_free(void)
{
	while (nblocks)
		free(blocks[--nblocks]);
}

#define malloc(size)		block_resize(NULL, size)
#define realloc(old, size)	block_resize(old, size)
#define free(block)		((void)(block))	/* together, behind the text */
#define munmap(at, size)	((void)0)
/* what a program says of itself ahead of these */
typedef float real, elem;
#define DEVICE_TOO	static inline
#define ELEM(x)		(x)
#define VALUE(x)	(x)
#define PERSISTENT	0
static unsigned char chunk[8];
static const int threads_wanted = 1;

static int
team_me(void)
{
	return 0;
}

static void
device_write(int64_t offset, const void *from, int64_t bytes)
{
	(void)offset, (void)from, (void)bytes;
}

static void
device_read(void *to, int64_t offset, int64_t bytes)
{
	(void)offset;
	memset(to, 0, (size_t)bytes);
}

#include "host/host.h"
static const struct persistent persistent[1];
#include "host/random.c"
#include "host/data_file.c"

static struct mapped parts_text;	/* in place of any file */

#define data_map(folder, name)		((void)(folder), (void)(name), parts_text)
#define data_map_found(name)		((void)(name), parts_text)

#define MOST		3		/* parts of a sample */
#define SIDE		24		/* pixels of the input */
#define MOST_DRAWN	((int64_t)1 << 14)	/* pixels of a picture whose masks are drawn */

static const struct argument arguments[][3] = {
	{ { NULL, 0 } }, { { "ids", 1 }, { NULL, 0 } }, { { "first", 0 }, { "empty", 0 }, { NULL, 0 } },
	{ { "difficult", 1 }, { "longer", 20 }, { NULL, 0 } },
};

/* A target has as many numbers as a sample of it. */
static struct input
target(const char *name, int type, int rank, int64_t a, int64_t b, int64_t c)
{
	return (struct input){ .name = name, .type = type, .target = true, .rank = rank, .dim = { a, b, c },
		.elements = a * (rank > 1 ? b : 1) * (rank > 2 ? c : 1) };
}

/* All that there is to ask for, or by the bits of CHOICE less. */
static int
inputs_of(struct input *in, unsigned choice, int classes)
{
	int n = 0;

	in[n] = target("image", TYPE_U8, 3, 3, SIDE, SIDE);
	in[n++].target = false;
	in[n++] = target("boxes", TYPE_F32, 2, MOST, 4, 0);
	in[n] = target("labels", TYPE_I32, 1, MOST, 0, 0);
	in[n++].classes = classes;
	if (choice & 1)
		in[n++] = target("masks", TYPE_U8, 3, MOST, SIDE, SIDE);
	if (choice & 2)
		in[n++] = target("truth", TYPE_F32, 2, MOST, 7, 0);
	in[n++] = target("size", TYPE_F32, 1, 4, 0, 0);
	in[n++] = target("count", TYPE_I32, 1, 1, 0, 0);
	return n;
}

/* A number of the text, past the first byte, becomes another: what is around it stays as the format
 * has it. */
static void
renumber(struct sample *t)
{
	static const char *const numbers[] = { "0", "1", "2", "3", "6", "7", "8", "20", "31", "0.5", "1.5", "-1", "48", "1e3", "65536",
		"16384", "16385", "1000000", "67108865", "2147483648", "9223372036854775807", "9223372036854775808", "1e308" };
	const char *number = numbers[fuzz_below(COUNT_OF(numbers))];
	size_t at = 1 + fuzz_below(t->n), end;

	while (at < t->n && (t->text[at] < '0' || t->text[at] > '9'))
		at++;
	for (end = at; end < t->n && strchr("0123456789.e", t->text[end]) && t->text[end]; end++)
		;
	if (at < t->n)
		fuzz_replace(t, at, end - at, number, strlen(number));
}

static void
mutate_parts(struct sample *t, const struct sample *from, int nfrom, const char *const *words, size_t nwords)
{
	int edits;

	for (edits = 1 + (int)fuzz_below(3); edits > 0; edits--)
		if (nfrom && fuzz_below(16) == 0)
			fuzz_borrow(t, fuzz_below(t->n + 1), &from[fuzz_below((uint64_t)nfrom)], 100);
		else if (fuzz_below(3))
			renumber(t);
		else
			fuzz_edit(t, words, nwords, 16);
}

/* The text as files are mapped: a NUL follows, and nothing behind that may be read. */
static void
parts_text_set(const char *text, size_t n)
{
	unsigned char *copy = (unsigned char *)malloc(n + 1);

	memcpy(copy, text, n);
	copy[n] = '\0';
	parts_text = (struct mapped){ "text", copy, (int64_t)n };
}

#endif
