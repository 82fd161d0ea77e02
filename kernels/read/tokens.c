/*
 * tokens.c - numbers of 16 or 32 bits, low byte first, one after the other: what tokenizers leave
 * for language models. Nothing in such a file says how wide they are: the spec does.
 */
#include "host/data_windows.c"

static void
tokens_open(struct data *d)
{
	bool wide = source_number(d->source, "bits", 0, 16) > 16;
	struct token_windows w;
	int bytes = wide ? 4 : 2;

	w = windows_open(d, (int64_t)source_number(d->source, "header", 0, 0), wide ? TYPE_U32 : TYPE_U16);
	if ((w.file.size - w.header) % bytes)
		fail("%s: %lld bytes behind its header are no whole number of tokens of %d bits", w.file.name,
		    (long long)(w.file.size - w.header), 8 * bytes);
	for (int k = 0; k < d->inputs; k++) {
		const struct input *in = &d->input[k];
		int64_t i = windows_wrong(&w, in);

		if (i >= 0)
			fail("%s: token %lld is %.0f, expected one from 0 to %d for %s", w.file.name, (long long)i,
			    value_at(w.type, w.file.bytes + w.header, i), in->classes - 1, in->name);
	}
}

const struct reader reader_tokens = { tokens_open, NULL, NULL };
