/*
 * A fuzzer of Keras' models as JSON, as `stowage import` takes them; see fuzz.h. Whatever the
 * bytes, there is a spec that was compiled, or a reason, or layers that are named; and JSON alone
 * has no weights. What is put in are words of layers, and numbers for numbers, so that most texts
 * are still JSON.
 */
#include "import/import.h"

#include <ctype.h>

#include "base/source.h"

#include "fuzz.h"

static const char *const words[] = {
	"Conv2D", "Conv1D", "Conv3D", "DepthwiseConv2D", "SeparableConv2D", "Conv2DTranspose", "Dense", "Flatten", "Reshape",
	"Permute", "RepeatVector", "Activation", "ReLU", "LeakyReLU", "ELU", "Softmax", "BatchNormalization",
	"LayerNormalization", "GroupNormalization", "Normalization", "Rescaling", "Dropout", "SpatialDropout2D", "LayerScale",
	"MaxPooling2D", "AveragePooling2D", "MaxPooling1D", "GlobalAveragePooling2D", "GlobalMaxPooling2D", "ZeroPadding2D",
	"Cropping2D", "Cropping1D", "UpSampling2D", "Resizing", "Add", "Multiply", "Subtract", "Average", "Maximum",
	"Concatenate", "CustomScaleLayer", "Masking", "MultiHeadAttention", "GlobalAveragePooling1D", "NotEqual", "LogicalOr",
	"ExpandDims", "mask_zero", "return_sequences", "reset_after", "mask", "Embedding", "LSTM", "GRU", "SimpleRNN",
	"Bidirectional", "TimeDistributed",
	"InputLayer", "Sequential", "Functional", "TFOpLambda", "same", "valid", "causal", "channels_first", "relu", "gelu",
	"softmax", "hard_sigmoid", "null", "true", "false", "-1", "0", "1", "2", "1e308", "4611686018427387904", "[]", "{}",
	"[1, 1]", "[[1, 2], [0, 1]]", "[null, 1, 1, 4]", "\"_CONSTANT_VALUE\", -1, 3.0", "\"a\", 0, 0", "\"x\", 0, 0",
};

/* One number for another. */
static void
change_number(struct sample *t)
{
	static const char *const numbers[] = { "0", "1", "2", "3", "4", "7", "-1", "64", "0.5", "1099511627776",
		"9223372036854775807", "1e-3", "null" };
	size_t at = fuzz_below(t->n), n = 0;
	const char *s = numbers[fuzz_below(COUNT_OF(numbers))];

	while (at < t->n && !isdigit((unsigned char)t->text[at]))
		at++;
	while (at + n < t->n && isdigit((unsigned char)t->text[at + n]))
		n++;
	if (n > 0)
		fuzz_replace(t, at, n, s, strlen(s));
}

/* One text in quotes for another, of the list or of the model. */
static void
change_text(struct sample *t)
{
	size_t at = fuzz_below(t->n), n = 0, from = fuzz_below(t->n), m = 0;
	char other[64];
	const char *s = words[fuzz_below(COUNT_OF(words))];

	while (at < t->n && t->text[at] != '"')
		at++;
	while (at + 1 + n < t->n && t->text[at + 1 + n] != '"')
		n++;
	if (at + 1 + n >= t->n)
		return;
	while (from < t->n && t->text[from] != '"')
		from++;
	while (from + 1 + m < t->n && m < sizeof(other) - 1 && t->text[from + 1 + m] != '"')
		m++;
	if (fuzz_below(2) && m > 0 && from + 1 + m < t->n) {
		memcpy(other, t->text + from + 1, m);
		other[m] = '\0';
		s = other;
	}
	fuzz_replace(t, at + 1, n, s, strlen(s));
}

static void
mutate(struct sample *t, const struct sample *from, int nfrom)
{
	int edits;

	for (edits = 1 + (int)fuzz_below(3); edits > 0 && t->n > 0; edits--)
		switch (fuzz_below(12)) {
		case 0:
			fuzz_edit(t, words, COUNT_OF(words), 4);
			break;
		case 1:
			if (nfrom)
				fuzz_borrow(t, fuzz_below(t->n + 1), &from[fuzz_below((uint64_t)nfrom)], 300);
			break;
		case 2: case 3: case 4: case 5:
			change_text(t);
			break;
		default:
			change_number(t);
		}
}

static long
try(const struct sample *t)
{
	const char *const define[] = { "steps=8", "height=9" };
	const size_t first = t->n % 2;	/* any of them, or none: one that no axis has is refused */
	const struct import_options o = { .define = define + first, .ndefines = (int)(t->n / 2 % (3 - first)) };
	struct arena *a = fuzz_arena();
	const char *why = NULL;
	struct imported *m = import_keras(a, "fuzzed.json", (const unsigned char *)t->text, t->n, &o, &why);
	FILE *f;
	bool ok;

	if (!m)
		fuzz_failed("nothing was returned");
	import_end(m);
	if (why || m->problems.n > 0)
		return false;
	if (!m->spec)
		fuzz_failed("no spec, and no reason");
	f = fopen("/dev/null", "w");
	ok = f && import_weights(a, f, m, &why);
	if (f)
		fclose(f);
	if (ok != (m->parameters + m->frozen + m->statistics == 0))
		fuzz_failed("weights of a model that has none");
	return true;
}

const struct fuzzer fuzzer = {
	.name = "fuzz_keras",
	.outcome = "models that became specs",
	.longest = 8000,
	.slow = 10,
	.mutate = mutate,
	.try = try,
};
