/*
 * text: windows of one long text, whose bytes are tokens; what language models learn from. A target is the same
 * window further on.
 */
#include "readers/reader.h"

static const struct attr_spec attrs[] = {
	{ .name = "from", .type = ATTR_REAL, .preset = "0", .min = 0, .max = 1,
	  .doc = "the share of the file before which nothing is used" },
	{ .name = "to", .type = ATTR_REAL, .preset = "1", .min = 0, .max = 1,
	  .doc = "the share of the file up to which it is used, so that training and validation can share a file" },
	{ .name = "stride", .type = ATTR_INT, .preset = "0", .min = 0, .max = READER_MOST,
	  .doc = "bytes from one window to the next; 0: as long as a window" },
	{ .name = "ahead", .type = ATTR_INT, .preset = "1", .min = 0, .max = READER_MOST,
	  .doc = "how many bytes a target is ahead of the inputs" },
	ATTRS_END
};

static const char *
unfit(struct arena *a, const struct data_source *d, struct tensor *const *staged, int n)
{
	int i;

	if (reader_real(d, "from", 0) >= reader_real(d, "to", 1))
		return arena_printf(a, "from=%g to=%g leaves nothing of the file", reader_real(d, "from", 0),
		    reader_real(d, "to", 1));
	for (i = 0; i < n; i++) {
		if (!staged[i]->classes)
			return arena_printf(a, "the bytes of a text are tokens, for tokens[T, vocab=256], and '%s' is %s of %s", staged[i]->name, tensor_type_text(a, staged[i]),
			    dtype_name(staged[i]->dtype));
		if (tensor_elements_per_sample(staged[i]) != tensor_elements_per_sample(staged[0]))
			return arena_printf(a, "windows of a text are of one length, but '%s' has %lld positions and "
			    "'%s' has %lld", staged[0]->name, (long long)tensor_elements_per_sample(staged[0]),
			    staged[i]->name, (long long)tensor_elements_per_sample(staged[i]));
	}
	return NULL;
}

const struct reader reader_text = {
	.name = "text",
	.brief = "windows of a text, byte by byte",
	.doc = "One file of any text, whose bytes are the tokens: a sample is a window of as many bytes as the inputs "
	    "have positions, and targets hold the bytes one further on, which is what a language model is to foresee: "
	    "input ids : tokens[64, vocab=256] and target next : tokens[64, vocab=256]. Windows follow one another without "
	    "a gap; with stride=1 there is one at every byte. A vocabulary of 128 takes plain ASCII; a byte beyond the "
	    "vocabulary stops the program, which names its line.\n\n"
	    "to=0.9 in train and from=0.9 in validate hold back the last tenth. The file is cut at the same byte for "
	    "both, and no window or target reaches across.",
	.usage = "text(\"book.txt\", to=0.9)",
	.files = FILES_ONE,
	.attrs = attrs,
	.bytes = true,
	.unfit = unfit,
};
