/*
 * A fuzzer of ONNX models, as `stowage import` takes them; see fuzz.h. Whatever the bytes, there is
 * a spec that was compiled, or a reason, or nodes that are named; and weights have as many numbers
 * as their shapes.
 */
#include "import/import.h"

#include "base/source.h"

#include "fuzz.h"

static const char *const words[] = {
	"Conv", "Gemm", "Relu", "Reshape", "Transpose", "Concat", "Slice", "Gather", "Shape", "Flatten", "Softmax", "MatMul",
	"Add", "Mul", "BatchNormalization", "MaxPool", "GlobalAveragePool", "Unsqueeze", "Squeeze", "ReduceMean", "Pad",
	"Constant", "Identity", "kernel_shape", "strides", "pads", "dilations", "group", "axis", "axes", "perm", "transB",
	"input", "head.weight", "\x08\x01", "\x10\x01", "\x12\x04", "\x1a\x02", "\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
	"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x80\x80\x80\x80\x08", "\x08", "\x0a", "\x12", "\x1a", "\x22", "\x2a",
	"\x3a", "\x4a", "\x7f", "\x80\x01",
};

static void
mutate(struct sample *t, const struct sample *from, int nfrom)
{
	int edits;

	for (edits = 1 + (int)fuzz_below(4); edits > 0; edits--)
		if (nfrom && fuzz_below(8) == 0)
			fuzz_borrow(t, fuzz_below(t->n + 1), &from[fuzz_below((uint64_t)nfrom)], 300);
		else if (fuzz_below(2) && t->n)	/* one for another, so that lengths still hold */
			t->text[fuzz_below(t->n)] = (char)fuzz_below(256);
		else
			fuzz_edit(t, words, COUNT_OF(words), 4);
}

static long
try(const struct sample *t)
{
	const char *const define[] = { "seq=8" };
	const struct import_options o = { .define = define, .ndefines = (int)(t->n / 2 % 2),	/* of no axis: refused */
		.partial = t->n % 2 };
	struct arena *a = fuzz_arena();
	const char *why = NULL;
	struct imported *m = import_onnx(a, "fuzzed.onnx", (const unsigned char *)t->text, t->n, &o, &why);
	FILE *f;
	bool ok;

	if (!m)
		fuzz_failed("nothing was returned");
	if (why || m->problems.n > 0) {
		import_end(m);
		return false;
	}
	if (!m->spec)
		fuzz_failed("no spec, and no reason");
	f = fopen("/dev/null", "w");
	ok = f && import_weights(a, f, m, &why);
	import_end(m);
	if (f)
		fclose(f);
	if (!ok)
		fuzz_failed("weights that cannot be written");
	return true;
}

const struct fuzzer fuzzer = {
	.name = "fuzz_import",
	.outcome = "models that became specs",
	.longest = 20000,
	.slow = 10,
	.mutate = mutate,
	.try = try,
};
