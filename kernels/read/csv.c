/*
 * csv.c - a table of numbers separated by commas: one sample a line, the inputs' values and then
 * the targets' (or the targets first: struct input says where). Parsed once, at start, in one pass,
 * behind which the text's pages are let go; each column is kept in the type in which the network
 * reads it, or in f32 where that has 16 bits, since values are scaled before they are rounded.
 *
 * How many lines there are is known when all are read. A column has room for as many as there could
 * be, of addresses alone: memory is taken for what is written, and the rest is given back.
 */
struct csv {
	struct mapped file;
	const char *at;		/* next byte */
	const char *let;	/* what lies before it was let go */
	int64_t line;		/* from 1, as an editor counts */
	int64_t fields;		/* of a line */
};

/* Puts the next line at LINE without its end; false at the end of the file. Blank lines count
 * for nothing. */
static bool
csv_line(struct csv *c, const char **line, const char **end)
{
	const char *stop = (const char *)c->file.bytes + c->file.size;

	while (c->at < stop) {
		const char *newline = (const char *)memchr(c->at, '\n', (size_t)(stop - c->at));

		*line = c->at;
		*end = newline ? newline : stop;
		c->at = newline ? newline + 1 : stop;
		c->line++;
		if (*end > *line && (*end)[-1] == '\r')
			(*end)--;
		if (*end > *line)
			return true;
	}
	return false;
}

/* Reads a number up to a comma or END; false when there is none. */
static bool
csv_number(const char **at, const char *end, double *x)
{
	const char *p = *at;
	char *stop;

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if (p == end || *p == ',')
		return false;
	*x = strtod(p, &stop);
	if (stop == p || stop > end)
		return false;
	p = stop;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	*at = p;
	return p == end || *p == ',';
}

static int64_t
csv_width(const char *line, const char *end)
{
	int64_t n = 1;

	for (; line < end; line++)
		n += *line == ',';
	return n;
}

static void
csv_store(const struct data *d, const struct input *in, int64_t i, double x)
{
	const struct column *c = &d->column[in->column];
	unsigned char *value = (unsigned char *)(uintptr_t)c->stretch[0].value;	/* of our own */

	if (c->type == TYPE_F32)
		((float *)value)[i] = (float)x;
	else if (c->type == TYPE_F64)
		((double *)value)[i] = x;
	else if (c->type == TYPE_I32)
		((int32_t *)value)[i] = (int32_t)x;
	else
		value[i] = (unsigned char)x;
}

/* A column of floats holds values before they are scaled. */
static bool
csv_holds(const struct data *d, const struct input *in, double x)
{
	return d->column[in->column].type != TYPE_F32 || isfinite((float)x);
}

/* Parses the values of one input out of row ROW, which lies from LINE to END. */
static void
csv_values(const struct data *d, const struct csv *c, const struct input *in, int64_t row,
    const char *line, const char *end)
{
	char legal[64];

	for (int64_t k = 0; k < in->field - d->first; k++)
		line = (const char *)memchr(line, ',', (size_t)(end - line)) + 1;
	for (int64_t i = 0; i < in->elements; i++) {
		const char *field = line;
		int shown = (int)strcspn(field, ",\r\n");
		double x;

		if (!csv_number(&line, end, &x))
			fail("%s:%lld: column %lld: expected a number, found \"%.*s\"%s", c->file.name,
			    (long long)c->line, (long long)(in->field - d->first + i + 1),
			    shown < 40 ? shown : 40, field,
			    c->line == 1 ? " (names are skipped by header=true in the spec)" : "");
		if (!value_fits(d, in, x) || !csv_holds(d, in, x))
			fail("%s:%lld: column %lld holds %g, expected %s for %s", c->file.name,
			    (long long)c->line, (long long)(in->field - d->first + i + 1), x,
			    value_legal(legal, sizeof(legal), in), in->name);
		csv_store(d, in, row * in->elements + i, x);
		if (line < end)
			line++;
	}
}

static void
csv_begin(struct csv *c, bool header)
{
	const char *line, *end;

	c->at = c->let = (const char *)c->file.bytes;
	if (c->file.size > 2 && !memcmp(c->at, "\xef\xbb\xbf", 3))	/* a byte order mark */
		c->at += 3;
	c->line = 0;
	if (header)
		csv_line(c, &line, &end);
}

/* Bytes of a column that holds that many rows; a file beyond all bounds ends here. */
static int64_t
csv_bytes(const struct csv *c, const struct input *in, int64_t rows)
{
	int64_t bytes;

	if (__builtin_mul_overflow(in->elements * type_table[in->type == TYPE_ELEM ? TYPE_F32 : in->type].bytes,
	    rows, &bytes) || bytes > INT64_MAX - 1)
		fail("%s: too large", c->file.name);
	return bytes;
}

/* Room for all rows that the file could hold: a number takes a digit, and a comma or the line's
 * end. */
static void
csv_room(struct data *d, const struct csv *c, const struct input *in, int64_t most)
{
	struct column *column = &d->column[in->column];
	void *room = mmap(NULL, (size_t)csv_bytes(c, in, most), PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (room == MAP_FAILED)
		fail("%s: no memory for its %s", c->file.name, in->name);
	column->type = in->type == TYPE_ELEM ? TYPE_F32 : in->type;
	column->step = in->elements * type_table[column->type].bytes;
	column->file = c->file.name;
	column_add(column, (const unsigned char *)room, most);
}

/* Gives back what no row has taken. */
static void
csv_trim(struct data *d, const struct csv *c, const struct input *in, int64_t most)
{
	struct stretch *p = &d->column[in->column].stretch[0];
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)p->value;
	uintptr_t used = (first + (uintptr_t)csv_bytes(c, in, d->rows) + page - 1) / page * page;
	uintptr_t end = (first + (uintptr_t)csv_bytes(c, in, most) + page - 1) / page * page;

	if (used < end)
		munmap((void *)used, end - used);
	p->rows = d->rows;
}

/* The fewest fields that a line can have. */
static int64_t
csv_least(const struct data *d)
{
	int64_t least = d->source->fields;

	for (int k = 0; k < d->inputs && d->may_lack; k++)
		least -= d->input[k].target ? d->input[k].elements : 0;
	return least > 0 ? least : 1;
}

/* A table of inputs alone, where nobody asks for targets. */
static void
csv_without_targets(struct data *d, struct csv *c, int64_t width)
{
	int64_t inputs = 0, first = c->fields;

	for (int k = 0; k < d->inputs; k++) {
		inputs += d->input[k].target ? 0 : d->input[k].elements;
		if (!d->input[k].target && d->input[k].field < first)
			first = d->input[k].field;
	}
	if (!d->may_lack || width != inputs)
		return;
	for (int k = 0; k < d->inputs; k++)
		data_lacks(d, k);
	c->fields = inputs;
	d->first = first;
}

static void
csv_row(struct data *d, struct csv *c, const char *line, const char *end)
{
	int64_t width = csv_width(line, end);

	if (d->rows == 0 && width != c->fields)
		csv_without_targets(d, c, width);
	if (width != c->fields)
		fail("%s:%lld: %lld column%s, expected %lld%s", c->file.name, (long long)c->line, (long long)width,
		    width == 1 ? "" : "s", (long long)c->fields, width == 1 && (memchr(line, ';', (size_t)(end - line)) ||
		    memchr(line, '\t', (size_t)(end - line))) ? ", with a comma between them" : "");
	for (int k = 0; k < d->inputs; k++)
		if (!d->absent[k])
			csv_values(d, c, &d->input[k], d->rows, line, end);
	d->rows++;
	if (c->at - c->let >= CHECKED) {
		data_let_go((const unsigned char *)c->let, (const unsigned char *)c->at);
		c->let = c->at;
	}
}

static void
csv_open(struct data *d)
{
	const char *line, *end;
	int64_t most;
	struct csv c;

	c.file = data_map(d->folder, d->source->file[0]);
	c.fields = d->source->fields;
	most = (c.file.size + 1) / (2 * csv_least(d)) + 1;
	for (int k = 0; k < d->inputs; k++)
		csv_room(d, &c, &d->input[k], most);
	for (csv_begin(&c, source_number(d->source, "header", 0, 0) != 0); csv_line(&c, &line, &end);)
		csv_row(d, &c, line, end);
	if (!d->rows)
		fail("%s: holds no samples", c.file.name);
	for (int k = 0; k < d->inputs; k++)
		csv_trim(d, &c, &d->input[k], most);
	data_unmap(&c.file);
}

const struct reader reader_csv = { csv_open, NULL, NULL };
