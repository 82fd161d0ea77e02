/*
 * A fuzzer of .keras archives, as `stowage import` takes them without their weights; see fuzz.h.
 * Whatever the bytes, there is a spec, or a reason, or layers that are named. It begins with models
 * of two layers. HDF5 files are not among what it makes: libhdf5 ends in a segmentation fault on
 * some of those that are broken (SECURITY.md).
 */
#include "import/import.h"

#include "base/source.h"

#include "fuzz.h"

static const char *const words[] = {
	"PK\003\004", "PK\001\002", "PK\005\006", "config.json", "metadata.json", "model.weights.h5", "{", "\377\377\377\377\377\377\377\377", "\377\377\377\377", "\1", "\10", "\377",
};

/* A byte for another, so that lengths still hold; seldom anything else. */
static void
mutate(struct sample *t, const struct sample *from, int nfrom)
{
	int edits;

	for (edits = 1 + (int)fuzz_below(6); edits > 0; edits--)
		if (t->n && fuzz_below(8))
			t->text[fuzz_below(t->n)] = (char)fuzz_below(256);
		else if (nfrom && fuzz_below(2))
			fuzz_borrow(t, fuzz_below(t->n + 1), &from[fuzz_below((uint64_t)nfrom)], 300);
		else
			fuzz_edit(t, words, COUNT_OF(words), 4);
}

static long
try(const struct sample *t)
{
	const struct import_options o = { .partial = t->n % 2 };
	struct arena *a = fuzz_arena();
	const char *why = NULL;
	struct imported *m;

	if (t->n < 2 || t->text[0] != 'P')	/* another container */
		return false;
	m = import_keras(a, "fuzzed.keras", (const unsigned char *)t->text, t->n, &o, &why);
	if (!m)
		fuzz_failed("nothing was returned");
	import_end(m);
	if (!why && m->problems.n == 0 && !m->spec)
		fuzz_failed("no spec, and no reason");
	return !why && m->problems.n == 0;
}

const struct fuzzer fuzzer = {
	.name = "fuzz_archive",
	.outcome = "models that became specs",
	.longest = 20000,
	.slow = 10,
	.mutate = mutate,
	.try = try,
};
