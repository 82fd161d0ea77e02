/*
 * raw.c - files that are nothing but bytes, sample after sample. A file's size says how many
 * samples it holds.
 */
static void
raw_read(struct data *d, const struct input *in)
{
	struct mapped f = data_map(d->folder, d->source->file[in->column]);
	int64_t dim[1 + MAX_DIMS] = { f.size / in->elements };

	if (f.size % in->elements)
		fail("%s: its %lld bytes are no whole number of samples of %lld", f.name,
		    (long long)f.size, (long long)in->elements);
	memcpy(dim + 1, in->dim, (size_t)in->rank * sizeof(*dim));
	data_take(d, in, &f, 0, TYPE_U8, true, in->rank + 1, dim);
}

static void
raw_open(struct data *d)
{
	for (int k = 0; k < d->inputs; k++)
		raw_read(d, &d->input[k]);
}

const struct reader reader_raw = { raw_open, NULL, NULL };
