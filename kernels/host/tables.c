/*
 * tables.c - numbers of files that the network has beside its parameters: they are read at each
 * start by the readers of data, a row of the file being a place on the table's first axis, and
 * never written.
 */
/* What classes weigh: not below 0, and one of them above it. */
static void
table_check_weights(const struct table *t, const char *file)
{
	double most = 0;

	for (int64_t i = 0; i < t->rows * t->input.elements; i++) {
		if (t->values[i] < 0)
			fail("%s: class %lld weighs %g, expected at least 0", file, (long long)i, t->values[i]);
		most = t->values[i] > most ? t->values[i] : most;
	}
	if (most <= 0)
		fail("%s: all classes weigh 0, so nothing is learnt", file);
}

/* Row ROW, through a chunk because the arena may be on another device. */
static void
table_write(const struct table *t, const struct column *c, int64_t row)
{
	const struct input *in = &t->input;
	const unsigned char *from = column_at(c, row);
	int64_t size = type_table[in->type].bytes, most = (int64_t)sizeof(chunk) / size;

	for (int64_t at = 0; at < in->elements; at += most) {
		int64_t n = in->elements - at < most ? in->elements - at : most;

		data_convert(in, chunk, from + at * type_table[c->type].bytes, c->type, n, 1);
		device_write(in->offset + (row * in->elements + at) * size, chunk, n * size);
	}
}

/* The same, for the host. */
static void
table_keep(const struct table *t, const struct column *c, int64_t row)
{
	int64_t n = t->input.elements;

	for (int64_t i = 0; i < n; i++)
		t->values[row * n + i] = value_at(c->type, column_at(c, row), i);
}

static void
table_read(const struct table *t, const char *folder, void (*take)(const struct table *, const struct column *, int64_t))
{
	int before = data_mapped;
	struct data d;

	data_open(&d, folder, t->source, &t->input, 1, 1, false);
	if (d.rows != t->rows)
		fail("%s: holds %lld rows, expected %lld for %s", d.column[0].file, (long long)d.rows,
		    (long long)t->rows, t->input.name);
	for (int64_t row = 0; row < t->rows; row++)
		take(t, &d.column[0], row);
	if (t->values)
		table_check_weights(t, d.column[0].file);
	free(d.row);
	while (data_mapped > before) {
		struct mapped f = data_maps[data_mapped - 1];

		data_unmap(&f);
	}
}

/* What the host asks for. Calls of a step are given numbers that are made of it, and a step that is
 * captured keeps those: so it is read before the device is opened. */
static void
tables_keep(const char *folder)
{
	for (int k = 0; k < TABLES; k++)
		if (tables[k].values)
			table_read(&tables[k], folder, table_keep);
}

static void
tables_read(const char *folder)
{
	for (int k = 0; k < TABLES; k++)
		table_read(&tables[k], folder, table_write);
}
