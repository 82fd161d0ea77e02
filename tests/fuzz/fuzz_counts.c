/*
 * A fuzzer of descriptions of pictures as rules look at them, JSON and XML; see fuzz.h. Each text
 * is given to both readers, behind its first byte, which the fuzzers of programs' readers choose
 * by: no more parts are counted than there are bytes to say so, and with crowds no fewer.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "readers/parts_look.h"

extern const struct reader reader_coco, reader_voc;

static const char *const words[] = {
	"\"images\":[", "\"annotations\":[", "{\"id\":1,", "\"width\":8,", "\"height\":6", "},{", "\"image_id\":1,",
	"\"bbox\":[1,1,3,2],", "\"iscrowd\":1,", "0", "1", "-1", "1e9", "9223372036854775807", "1e308", "null", "[", "]", "{",
	"}", ",", ":", "\"", "\\\"", "\\", "\n", "<annotation>", "</annotation>", "<size>", "</size>", "<width>20</width>",
	"<height>30</height>", "<object>", "</object>", "<bndbox>", "</bndbox>", "<xmin>1</xmin>", "<ymin>2</ymin>",
	"<xmax>9</xmax>", "<ymax>11</ymax>", "<difficult>1</difficult>", "<object/>", "<!--", "-->", "<!DOCTYPE", "/>", "=\"",
};

static void
mutate(struct sample *t, const struct sample *from, int nfrom)
{
	int edits;

	for (edits = 1 + (int)fuzz_below(3); edits > 0; edits--)
		if (nfrom && fuzz_below(16) == 0)
			fuzz_borrow(t, fuzz_below(t->n + 1), &from[fuzz_below((uint64_t)nfrom)], 100);
		else
			fuzz_edit(t, words, COUNT_OF(words), 8);
}

struct described {
	char *bytes;
	size_t size;
};

static const unsigned char *
file(void *of, const char *path, size_t *size)
{
	const struct described *t = of;

	(void)path;
	*size = t->size;
	return (const unsigned char *)t->bytes;
}

static char *const *
names(void *of, const char *folder, const char *end, int *n)
{
	static char *const one[] = { (char *)"one.xml" };

	(void)of, (void)folder, (void)end;
	*n = 1;
	return one;
}

/* How many parts there are in all; -1: nothing is known. Just these bytes may be read, and a NUL
 * behind them. */
static int64_t
count(struct arena *a, const struct reader *r, const char *from, size_t n, bool crowds)
{
	struct data_source source = { .reader = r };
	struct described text = { malloc(n + 1), n };
	struct parts_look l = { .arena = a, .source = &source, .place = "text", .crowds = crowds, .file = file, .names = names,
		.of = &text };
	int64_t sum = 0, i;
	bool known;

	if (!text.bytes)
		fuzz_failed("out of memory");
	memcpy(text.bytes, from, n);
	text.bytes[n] = '\0';
	known = r->parts(&l);
	for (i = 0; known && i < l.pictures; i++) {
		if (l.parts[i] < 0)
			fuzz_failed("fewer parts than none");
		sum += l.parts[i];
	}
	free(text.bytes);
	return known ? sum : -1;
}

static long
try(const struct sample *t)
{
	const struct reader *readers[] = { &reader_coco, &reader_voc };
	struct arena *a = fuzz_arena();
	long known = 0;
	size_t i;

	for (i = 0; i < 2 && t->n > 1; i++) {
		int64_t parts = count(a, readers[i], t->text + 1, t->n - 1, false);
		int64_t all = count(a, readers[i], t->text + 1, t->n - 1, true);

		if (parts > (int64_t)t->n || (parts < 0) != (all < 0) || all < parts)
			fuzz_failed("more parts than the text says");
		known += parts >= 0;
	}
	return known;
}

const struct fuzzer fuzzer = {
	.name = "fuzz_counts",
	.outcome = "texts counted",
	.longest = 2000,
	.mutate = mutate,
	.try = try,
};
