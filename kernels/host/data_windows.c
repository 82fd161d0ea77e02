/*
 * data_windows.c - samples that are windows of one long run of tokens. The file is mapped once; all
 * columns are windows of it.
 *
 *     tokens      h e l l o   w o r l d
 *     row 0       [---------]               of an input; a target's window lies AHEAD tokens further on
 *     row 1         stride -> [---------]
 */
struct token_windows {		/* the part of a file that is used, in tokens */
	struct mapped file;
	int64_t header;		/* bytes before the first token */
	int64_t from, to;
	int type;
};

/* The first token that an input cannot take; -1: it takes all. */
static int64_t
windows_wrong(const struct token_windows *w, const struct input *in)
{
	const unsigned char *tokens = w->file.bytes + w->header, *let = tokens;
	int bytes = type_table[w->type].bytes;

	for (int64_t i = w->from; i < w->to; i++) {
		double x = value_at(w->type, tokens, i);

		if (x >= in->classes && x != (double)in->ignored)
			return i;
		if (tokens + i * bytes - let >= CHECKED) {
			data_let_go(let, tokens + i * bytes);
			let = tokens + i * bytes;
		}
	}
	return -1;
}

/* From a file of tokens of that type behind HEADER bytes: which part, and how many windows. */
static struct token_windows
windows_open(struct data *d, int64_t header, int type)
{
	const struct source *s = d->source;
	struct token_windows w = { data_map(d->folder, s->file[0]), header, 0, 0, type };
	int64_t window = d->inputs ? d->input[0].elements : 1, past, tokens;
	int64_t ahead = (int64_t)source_number(s, "ahead", 0, 1), stride = (int64_t)source_number(s, "stride", 0, 0);

	if (w.file.size < header)
		fail("%s: %lld bytes, its header alone has %lld", w.file.name, (long long)w.file.size,
		    (long long)header);
	tokens = (w.file.size - header) / type_table[type].bytes;
	w.from = (int64_t)((double)tokens * source_number(s, "from", 0, 0));
	w.to = (int64_t)((double)tokens * source_number(s, "to", 0, 1));
	past = window + ahead;
	if (w.to - w.from < past)
		fail("%s: %lld %s, but a window of %lld and the %lld ahead of it need %lld", w.file.name,
		    (long long)(w.to - w.from), type == TYPE_U8 ? "bytes" : "tokens", (long long)window,
		    (long long)ahead, (long long)past);
	stride = stride ? stride : window;
	d->rows = (w.to - w.from - past) / stride + 1;
	for (int k = 0; k < d->inputs; k++) {
		const struct input *in = &d->input[k];
		struct column *c = &d->column[in->column];
		int bytes = type_table[type].bytes;

		column_add(c, w.file.bytes + header + (w.from + (in->target ? ahead : 0)) * bytes, d->rows);
		c->type = type;
		c->step = stride * bytes;
		c->file = w.file.name;
	}
	return w;
}
