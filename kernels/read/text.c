/*
 * text.c - the bytes of a file as tokens. The file is in memory once; all columns are windows of it.
 *
 *     bytes       h e l l o   w o r l d
 *     row 0       [---------]               of an input; a target's window lies AHEAD bytes further on
 *     row 1         stride -> [---------]
 */
static int64_t
text_line(const struct loaded *f, int64_t at)
{
	int64_t line = 1;

	for (int64_t i = 0; i < at; i++)
		line += f->bytes[i] == '\n';
	return line;
}

static void
text_open(struct data *d)
{
	const struct source *s = d->source;
	struct loaded f = data_read_file(d, s->file[0]);
	int64_t from = (int64_t)((double)f.size * s->from), to = (int64_t)((double)f.size * s->to);
	int64_t window = d->inputs ? d->input[0].elements : 1, stride = s->stride ? s->stride : window;
	int64_t past = window + s->ahead;

	if (to - from < past)
		fail("%s: %lld bytes, but a window of %lld and the %lld ahead of it need %lld", f.name,
		    (long long)(to - from), (long long)window, (long long)s->ahead, (long long)past);
	d->rows = (to - from - past) / stride + 1;
	d->bytes += f.size;
	for (int k = 0; k < d->inputs; k++) {
		const struct input *in = &d->input[k];
		struct column *c = &d->column[in->column];

		for (int64_t i = from; i < to; i++)
			if (f.bytes[i] >= in->classes)
				fail("%s:%lld: byte %lld is %d, expected one from 0 to %d for %s", f.name,
				    (long long)text_line(&f, i), (long long)i, f.bytes[i], in->classes - 1, in->name);
		c->value = f.bytes + from + (in->target ? s->ahead : 0);
		c->type = TYPE_U8;
		c->step = stride;
		c->file = f.name;
	}
}

const struct reader reader_text = { text_open, NULL };
