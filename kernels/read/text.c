/* text.c - the bytes of a file as tokens. */
#include "host/data_windows.c"

static int64_t
text_line(const struct mapped *f, int64_t at)
{
	int64_t line = 1;

	for (int64_t i = 0; i < at; i++)
		line += f->bytes[i] == '\n';
	return line;
}

static void
text_open(struct data *d)
{
	struct token_windows w = windows_open(d, 0, TYPE_U8);

	for (int k = 0; k < d->inputs; k++) {
		const struct input *in = &d->input[k];
		int64_t i = windows_wrong(&w, in);

		if (i >= 0)
			fail("%s:%lld: byte %lld is %d, expected one from 0 to %d for %s", w.file.name,
			    (long long)text_line(&w.file, i), (long long)i, w.file.bytes[i], in->classes - 1,
			    in->name);
	}
}

const struct reader reader_text = { text_open, NULL, NULL };
