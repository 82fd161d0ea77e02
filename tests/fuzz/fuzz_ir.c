/*
 * A fuzzer of the reader of IR text; see fuzz.h. It edits modules at random. What is still read is
 * held against the invariants, and where those hold, it is printed and read once more.
 */
#include <stdlib.h>

#include "ir/ir.h"

#include "fuzz.h"

static const char *const words[] = {
	"%", "%1", "%2", "%31", "_", "+", " + 3 B", "[+ 3 B]", "[", "]", "B, ", ",", "-1", "0", "7",
	"9223372036854775807", "-9223372036854775808", "10000000", "nan", "1e999", "\n", "#", " ", "@",
	"\"", "(", ")", "{", "}", "=", " over %1", " using %5 u8[1 + 2 B]", " keep 0.5 first",
	" lands %9", " classes 10", " channels-last", "optimizer ", "optimizer %", "parameter ",
	"input ", "target ", "workspace ", "statistic ", "graph train batch 4\n", "result loss _ \"l\"\n",
	"loss %3\n", "loss _\n", "f32", "u8", "i32", "relu", "conv", "batchnorm", "sgd", "reshape", "forward",
	"backward", "update", " accumulates", " frozen", "set batch 0 accumulate 0 ", "\xff",
};

static void
mutate(struct sample *s, const struct sample *from, int nfrom)
{
	int edits;

	for (edits = (int)fuzz_below(5); edits > 0; edits--)
		if (fuzz_below(4))
			fuzz_edit(s, words, COUNT_OF(words), 20);
		else
			fuzz_borrow(s, fuzz_below(s->n + 1), &from[fuzz_below((uint64_t)nfrom)], 200);
}

static char *
printed(const struct module *m)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	ir_print(f, m);
	fclose(f);
	return text;
}

static struct module *
parse(struct arena *a, const char *text, size_t n)
{
	struct module *m;
	struct diags d;

	diags_init(&d, a);
	m = ir_parse(a, &d, source_from_text(a, "fuzz", text, n));
	if (!m && !d.errors)
		fuzz_failed("refused without a reason");
	return m && ir_verify(m) ? m : NULL;
}

static long
try(const struct sample *s)
{
	struct arena *a = arena_new();
	struct module *m = parse(a, s->text, s->n);
	bool right = m != NULL;
	char *text;

	if (m) {
		text = printed(m);
		parse(a, text, strlen(text));
		free(text);
	}
	arena_free(a);
	return right;
}

const struct fuzzer fuzzer = {
	.name = "fuzz_ir",
	.outcome = "of them were read",
	.longest = 20000,
	.one_in = 20,
	.mutate = mutate,
	.try = try,
};
