/*
 * A fuzzer for packing instances: edits a text at random, reads it, and where it was good places
 * the buffers, checks the offsets, writes the answer and reads that back. Files that are no
 * instances (specs) only lend their bytes. See fuzz.h.
 */
#include "pack/packing_csv.h"

#include "fuzz.h"

#define LONGEST		2000
#define MOST_VISITS	200000

/* A good instance, or the text as it is. */
static void
start_text(struct sample *t)
{
	static const struct header {
		const char *names;
		int columns, id, upper;
	} header[] = {
		{ "id,lower,upper,size", 4, 0, 2 },
		{ "size,id,alignment,upper,lower", 5, 1, 3 },
		{ "id,lower,upper,size,offset,note", 6, 0, 2 },
	};
	const struct header *h = &header[fuzz_below(3)];
	int rows = (int)fuzz_below(30), i, k;

	if (fuzz_below(3) == 0)
		return;
	t->n = (size_t)snprintf(t->text, LONGEST, "%s\n", h->names);
	for (i = 0; i < rows; i++)
		for (k = 0; k < h->columns; k++)
			t->n += (size_t)snprintf(t->text + t->n, LONGEST - t->n, "%d%c",
			    k == h->id ? i : 1 + (int)fuzz_below(20) + (k == h->upper) * 20,
			    k + 1 < h->columns ? ',' : '\n');
}

static const char *const words[] = { ",", "\n", "\"", "-", "9223372036854775807", "0", "\r\n",
	"\xef\xbb\xbf", "id", "size", "alignment", "gaps", "offset", "\xff", " ", "1" };

static void
mutate(struct sample *t, const struct sample *from, int nfrom)
{
	int edits = (int)fuzz_below(fuzz_below(3) ? 2 : 20);

	(void)from;
	(void)nfrom;
	start_text(t);
	while (edits-- > 0)
		fuzz_edit(t, words, COUNT_OF(words), 6);
}

/* Whether it was an instance. */
static long
try(const struct sample *sample)
{
	struct arena *a = arena_new();
	struct packing_options o = { .visits = MOST_VISITS, .capacity = (int64_t)fuzz_below(2) * 300 };
	struct source *src = source_from_text(a, "now", sample->text, sample->n);
	struct packing_csv csv, again;
	struct packing_result r;
	struct diags d;
	struct text t;
	int first, second;
	bool good;

	diags_init(&d, a);
	good = packing_csv_read(a, &d, src, &csv);
	if (good != (d.errors == 0))
		fuzz_failed("a file is refused, and nobody said why");
	if (good) {
		r = packing_solve(a, &csv.packing, &o);
		if (packing_check(a, &csv.packing, r.height, &first, &second) != PACKING_RIGHT)
			fuzz_failed("the offsets are wrong");
		if (r.bound < r.max_live || r.height < r.max_live)
			fuzz_failed("the bound is wrong");
		text_init(&t, a);
		packing_csv_write(&t, &csv);
		src = source_from_text(a, "answer", t.s, t.n);
		if (!packing_csv_read(a, &d, src, &again) ||
		    again.packing.n != csv.packing.n || again.offset_column < 0)
			fuzz_failed("the answer cannot be read");
	}
	arena_free(a);
	return good;
}

const struct fuzzer fuzzer = {
	.name = "fuzz_buffers",
	.outcome = "of them were instances",
	.longest = LONGEST,
	.one_in = 20,
	.mutate = mutate,
	.try = try,
};
