/* tokens: windows of one long run of numbers of 16 or 32 bits, which tokenizers leave for language
 * models. */
#include "readers/windows.h"

static const struct attr_spec attrs[] = {
	READER_WINDOWS("tokens"),
	{ .name = "bits", .type = ATTR_INT, .preset = "16", .min = 16, .max = 32,
	  .doc = "of a token in the file: 16 or 32" },
	{ .name = "header", .type = ATTR_INT, .preset = "0", .min = 0, .max = READER_MOST,
	  .doc = "bytes of the file before its first token" },
	ATTRS_END
};

static const char *
unfit(struct arena *a, const struct data_source *d, struct tensor *const *staged, int n)
{
	int64_t bits = reader_int(d, "bits", 16);

	if (bits != 16 && bits != 32)
		return arena_printf(a, "tokens have 16 or 32 bits, not %lld", (long long)bits);
	return windows_unfit(a, d, staged, n);
}

static bool
look(struct look *l)
{
	return windows_look(l, reader_int(l->source, "header", 0), reader_int(l->source, "bits", 16) == 32 ? LOOK_U32 : LOOK_U16);
}

const struct reader reader_tokens = {
	.name = "tokens",
	.brief = "windows of a file of tokens",
	.doc = "One file of tokens that a tokenizer made, each a number without sign of 16 or 32 bits, low byte first, as "
	    "numpy.array(ids, dtype=numpy.uint16).tofile(\"train.bin\") writes them: a sample is a window of as many "
	    "tokens as the inputs have positions, and targets hold the tokens one further on. Windows follow one "
	    "another without a gap; with stride=1 there is one at every token. The file is mapped, and may be larger "
	    "than memory; at start it is read through once, since a token beyond the vocabulary stops the program.\n\n"
	    "to=0.9 in train and from=0.9 in validate hold back the last tenth.",
	.usage = "tokens(\"train.bin\", to=0.9)",
	.files = FILES_ONE,
	.attrs = attrs,
	.unfit = unfit,
	.look = look,
	.apart = true,
};
