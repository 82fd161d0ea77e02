/*
 * A fuzzer for the reader of baselines: edits baselines at random. What is still read must be
 * written so that it reads the same, and so must what is left of it when findings are gone; and
 * stale entries must be mended by their edits into a baseline that has none.
 * See fuzz.h.
 */
#include "lint/baseline.h"

#include "fuzz.h"

static const char *const words[] = {
	"stowage baseline 1\n", "stowage baseline 2", "\n", "\r\n", " ", "1", "0", "99999999999",
	"8c1f0a0b2d3e4f55 1 last-batch a.nn\n", "8c1f0a0b2d3e4f55 3 oom specs/a b.nn\n",
	"0000000000000000 2 dead-layer ../x.nn\n", "oom", "\\x0a", "\\x00", "\\", "/", "..",
	"\xff", "\xc3\xa9", "<<<<<<< HEAD\n", "-", "8c1f0a0b2d3e4f55",
};

static void
mutate(struct sample *t, const struct sample *from, int nfrom)
{
	int edits;

	(void)from;
	(void)nfrom;
	for (edits = (int)fuzz_below(4); edits > 0; edits--)
		fuzz_edit(t, words, COUNT_OF(words), 20);
}

static struct baseline *
read_text(struct arena *a, const char *s, size_t n)
{
	struct baseline *b = ARENA_NEW(a, struct baseline);
	const char *why = NULL;
	int line = 0;

	b->arena = a;
	b->path = "/nowhere/at/all/base";
	b->folder = "/nowhere/at/all";
	if (baseline_parse(b, source_from_text(a, "base", s, n), &line, &why))
		return b;
	if (!why || line < 1)
		fuzz_failed("no reason is given");
	return NULL;
}

static void
write_and_read(struct arena *a, const struct baseline *b, int entries)
{
	struct baseline *again;
	struct text t, second;

	text_init(&t, a);
	baseline_text(b, &t);
	again = read_text(a, t.s, t.n);
	if (!again || again->old.all.n != entries)
		fuzz_failed("what was written is read otherwise");
	text_init(&second, a);
	baseline_text(again, &second);
	if (t.n != second.n || memcmp(t.s, second.s, t.n) != 0)
		fuzz_failed("what was read is written otherwise");
}

/* Some findings are gone: the edits of stale entries, all at once, leave the others. */
static void
lose(struct arena *a, struct baseline *b)
{
	struct edits *all = edits_new(a, b->src);
	const struct baseline *mended;
	const struct source *text;
	int i, k, stale = 0, left = 0;
	struct diags d;

	for (i = 0; i < b->old.all.n; i++) {
		struct baseline_entry *e = &b->old.all.v[i];

		e->found = (int)fuzz_below((uint64_t)e->count + 1);
		e->judged = fuzz_below(2) == 0;
		stale += e->judged && e->found < e->count;
		left += !e->judged || e->found > 0;
	}
	diags_init(&d, a);
	baseline_stale(b, &d);
	if (d.all.n != stale)
		fuzz_failed("another number of stale entries");
	for (i = 0; i < d.all.n; i++)
		for (k = 0; k < d.all.v[i]->fix->edits->all.n; k++) {
			const struct edit *one = &d.all.v[i]->fix->edits->all.v[k];

			if (!edits_add(all, one->beg, one->end, one->text))
				fuzz_failed("edits of stale entries meet");
		}
	text = edits_apply(all);
	mended = read_text(a, text->text, (size_t)text->size);
	/* of entries that stood twice, one was mended, and the other counts now */
	if (!mended || mended->old.all.n < left)
		fuzz_failed("a mended baseline is none");
	write_and_read(a, b, left);
}

static long
try(const struct sample *t)
{
	struct arena *a = arena_new();
	struct baseline *b = read_text(a, t->text, t->n);

	if (b) {
		write_and_read(a, b, b->old.all.n);
		lose(a, b);
	}
	arena_free(a);
	return b != NULL;
}

const struct fuzzer fuzzer = {
	.name = "fuzz_baseline",
	.outcome = "of them were read",
	.longest = 8000,
	.one_in = 100,
	.mutate = mutate,
	.try = try,
};
