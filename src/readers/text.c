/*
 * text: windows of one long text, whose bytes are tokens; what language models learn from. A target
 * is the same window further on.
 */
#include "readers/windows.h"

static const struct attr_spec attrs[] = { READER_WINDOWS("bytes"), ATTRS_END };

static bool
look(struct look *l)
{
	return windows_look(l, 0, LOOK_U8);
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
	.unfit = windows_unfit,
	.look = look,
	.apart = true,
};
