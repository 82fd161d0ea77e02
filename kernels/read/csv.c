/*
 * csv.c - a table of numbers separated by commas: one sample a line, the inputs' values and
 * then the targets' (or the targets first: struct input says where). Parsed once, at start; each
 * column is kept in the type in which the network reads it, or in f32 where that has 16 bits, since
 * values are scaled before they are rounded.
 */
struct csv {
	struct loaded file;
	const char *at;		/* next byte */
	int64_t line;		/* from 1, as an editor counts */
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

	if (c->type == TYPE_F32)
		((float *)c->value)[i] = (float)x;
	else if (c->type == TYPE_F64)
		((double *)c->value)[i] = x;
	else if (c->type == TYPE_I32)
		((int32_t *)c->value)[i] = (int32_t)x;
	else
		c->value[i] = (unsigned char)x;
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

	for (int64_t k = 0; k < in->field; k++)
		line = (const char *)memchr(line, ',', (size_t)(end - line)) + 1;
	for (int64_t i = 0; i < in->elements; i++) {
		const char *field = line;
		int shown = (int)strcspn(field, ",\r\n");
		double x;

		if (!csv_number(&line, end, &x))
			fail("%s:%lld: column %lld: expected a number, found \"%.*s\"", c->file.name,
			    (long long)c->line, (long long)(in->field + i + 1),
			    shown < 40 ? shown : 40, field);
		if (!value_fits(d, in, x) || !csv_holds(d, in, x))
			fail("%s:%lld: column %lld holds %g, expected %s for %s", c->file.name,
			    (long long)c->line, (long long)(in->field + i + 1), x,
			    value_legal(legal, sizeof(legal), in), in->name);
		csv_store(d, in, row * in->elements + i, x);
		if (line < end)
			line++;
	}
}

static void
csv_rewind(struct csv *c, bool header)
{
	const char *line, *end;

	c->at = (const char *)c->file.bytes;
	if (c->file.size > 2 && !memcmp(c->at, "\xef\xbb\xbf", 3))	/* a byte order mark */
		c->at += 3;
	c->line = 0;
	if (header)
		csv_line(c, &line, &end);
}

static void
csv_open(struct data *d)
{
	const char *line, *end;
	struct csv c;

	c.file = data_read_file(d, d->source->file[0]);
	for (csv_rewind(&c, d->source->header); csv_line(&c, &line, &end);)
		d->rows++;
	if (!d->rows)
		fail("%s: holds no samples", c.file.name);
	for (int k = 0; k < d->inputs; k++) {
		const struct input *in = &d->input[k];
		struct column *column = &d->column[in->column];
		int64_t bytes;

		column->type = in->type == TYPE_ELEM ? TYPE_F32 : in->type;
		if (__builtin_mul_overflow(in->elements * type_table[column->type].bytes, d->rows, &bytes))
			fail("%s: too large", c.file.name);
		column->value = (unsigned char *)data_alloc((uint64_t)bytes, c.file.name);
		column->step = in->elements;
		column->file = c.file.name;
		d->bytes += bytes;
	}
	csv_rewind(&c, d->source->header);
	for (int64_t row = 0; csv_line(&c, &line, &end); row++) {
		if (csv_width(line, end) != d->source->fields)
			fail("%s:%lld: %lld columns, expected %lld", c.file.name, (long long)c.line,
			    (long long)csv_width(line, end), (long long)d->source->fields);
		for (int k = 0; k < d->inputs; k++)
			csv_values(d, &c, &d->input[k], row, line, end);
	}
	free(c.file.bytes);
}

const struct reader reader_csv = { csv_open, NULL };
