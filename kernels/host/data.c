/*
 * data.c - the samples. Files are read whole at start, kept as compactly as they came, and checked
 * to the last value: training never meets a bad sample. One batch is converted at a time, straight
 * to where the step reads it.
 */
struct column {			/* one input or target of every sample */
	unsigned char *value;
	int type;
	const char *file;	/* as it was found; NULL: synthetic */
};

struct data {
	const struct source *source;
	const struct input *input;
	int inputs;
	struct column column[MAX_COLUMNS];	/* by input->column */
	int64_t rows;		/* in the files */
	int64_t samples;	/* of those, in use */
	int64_t bytes;		/* held in memory */
	struct sent sent[MAX_COLUMNS];	/* by input: what is written for the device */
	int64_t *row;		/* room for those of a batch */
};

struct loaded {			/* a file in memory */
	char *name;
	unsigned char *bytes;
	int64_t size;
};

static const char *data_folder;	/* --data */

static void	data_read_csv(struct data *);

static void *
data_alloc(uint64_t bytes, const char *file)
{
	void *p = bytes < INT64_MAX ? malloc((size_t)bytes + 1) : NULL;

	if (!p)
		fail("%s: no memory for its %llu bytes", file, (unsigned long long)bytes);
	return p;
}

/* FOLDER/NAME, or only NAME's last part in FOLDER; NULL when there is no such file. */
static char *
data_path(const char *folder, const char *name, bool last_part)
{
	size_t size = strlen(folder) + strlen(name) + 2;
	char *path = (char *)data_alloc(size, name);

	if (last_part && strrchr(name, '/'))
		name = strrchr(name, '/') + 1;
	if (*folder && *name != '/')
		snprintf(path, size, "%s/%s", folder, name);
	else
		snprintf(path, size, "%s", name);
	if (access(path, F_OK) == 0)
		return path;
	free(path);
	return NULL;
}

static char *
data_find(const char *name)
{
	char *path;

	if (data_folder) {
		path = data_path(data_folder, name, false);
		if (!path)
			path = data_path(data_folder, name, true);
		if (!path)
			fail("%s: no such file in %s", name, data_folder);
		return path;
	}
	path = data_path("", name, false);
	if (!path)
		path = data_path(SPEC_FOLDER, name, false);
	if (!path)
		fail("%s: no such file here or in %s; --data FOLDER says where it is", name,
		    *SPEC_FOLDER ? SPEC_FOLDER : ".");
	return path;
}

static struct loaded
data_read_file(const char *name)
{
	struct loaded f;
	struct stat st;
	int fd;

	f.name = data_find(name);
	fd = open(f.name, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		fail("%s: %s", f.name, strerror(errno));
	if (!S_ISREG(st.st_mode))
		fail("%s: expected a file, found a folder or a device", f.name);
	if (st.st_size < 1)
		fail("%s: the file is empty", f.name);
	f.size = st.st_size;
	f.bytes = (unsigned char *)data_alloc((uint64_t)f.size, f.name);
	for (int64_t at = 0; at < f.size;) {
		ssize_t n = read(fd, f.bytes + at, (size_t)(f.size - at));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			fail("%s: cannot be read beyond byte %lld: %s", f.name, (long long)at,
			    n ? strerror(errno) : "it was cut short");
		at += n;
	}
	f.bytes[f.size] = '\0';
	close(fd);
	if (f.size > 2 && f.bytes[0] == 0x1f && f.bytes[1] == 0x8b)
		fail("%s: is compressed; unpack it with gunzip first", f.name);
	return f;
}

/* "[60000, 28, 28]" */
static const char *
shape_text(char *buf, size_t size, int64_t first, int rank, const int64_t *dim)
{
	size_t n = 0;

	if (first >= 0)
		n += (size_t)snprintf(buf, size, "[%lld", (long long)first);
	else
		n += (size_t)snprintf(buf, size, "[N");
	for (int i = 0; i < rank && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, ", %lld", (long long)dim[i]);
	if (n < size)
		snprintf(buf + n, size - n, "]");
	return buf;
}

/* Do the dims of a file's samples match? Extents of 1 may be there or not. */
static void
data_check_shape(const char *file, const struct input *in, int64_t rows, int rank,
    const int64_t *dim)
{
	char want[160], have[160];
	int i = 0, j = 0;

	for (;;) {
		while (i < rank && dim[i] == 1)
			i++;
		while (j < in->rank && in->dim[j] == 1)
			j++;
		if (i == rank || j == in->rank || dim[i] != in->dim[j])
			break;
		i++;
		j++;
	}
	if (i < rank || j < in->rank)
		fail("%s: expected %s for %s, found %s", file,
		    shape_text(want, sizeof(want), -1, in->rank, in->dim), in->name,
		    shape_text(have, sizeof(have), rows, rank, dim));
}

/* Puts LENGTH bytes from FROM at the front of the file's memory, in this machine's byte order. */
static void
data_settle(struct loaded *f, const unsigned char *from, int64_t length, int width, bool big)
{
	const uint16_t probe = 1;
	bool here_big = *(const unsigned char *)&probe == 0;

	memmove(f->bytes, from, (size_t)length);
	if (width > 1 && big != here_big)
		for (int64_t at = 0; at < length; at += width)
			for (int i = 0; i < width / 2; i++) {
				unsigned char low = f->bytes[at + i];

				f->bytes[at + i] = f->bytes[at + width - 1 - i];
				f->bytes[at + width - 1 - i] = low;
			}
}

/* Takes a file's payload as a column: the part common to IDX and NPY. */
static void
data_take(struct data *d, const struct input *in, struct loaded *f, int64_t header, int type,
    bool big, int rank, const int64_t *dim)
{
	struct column *c = &d->column[in->column];
	int width = type_table[type].bytes;
	int64_t length = width;

	if (rank < 1)
		fail("%s: holds a single number, expected samples", f->name);
	for (int i = 0; i < rank; i++)
		if (__builtin_mul_overflow(length, dim[i], &length) || dim[i] < 0)
			fail("%s: its header claims impossible dimensions", f->name);
	if (f->size - header != length)
		fail("%s: %s: its header promises %lld bytes of data, found %lld", f->name,
		    f->size - header < length ? "truncated" : "corrupt", (long long)length,
		    (long long)(f->size - header));
	if (dim[0] == 0)
		fail("%s: holds no samples", f->name);
	data_check_shape(f->name, in, dim[0], rank - 1, dim + 1);
	if (d->rows && d->rows != dim[0])
		fail("%s: holds %lld samples, but the file before it %lld", f->name,
		    (long long)dim[0], (long long)d->rows);
	data_settle(f, f->bytes + header, length, width, big);
	d->rows = dim[0];
	d->bytes += length;
	c->value = f->bytes;
	c->type = type;
	c->file = f->name;
}

/*
 * IDX, the format of the MNIST files: 0 0 type rank, then an extent of four bytes a dimension,
 * then the values, all big-endian.
 */
static void
data_read_idx(struct data *d, const struct input *in)
{
	struct loaded f = data_read_file(d->source->file[in->column]);
	int64_t dim[255], header;
	int rank, type;

	if (f.size < 4)
		fail("%s: truncated: %lld bytes, an IDX header has at least 4", f.name,
		    (long long)f.size);
	if (f.bytes[0] || f.bytes[1])
		fail("%s: not an IDX file: begins with %02x %02x, expected 00 00", f.name, f.bytes[0],
		    f.bytes[1]);
	switch (f.bytes[2]) {
	case 0x08: type = TYPE_U8; break;
	case 0x09: type = TYPE_I8; break;
	case 0x0b: type = TYPE_I16; break;
	case 0x0c: type = TYPE_I32; break;
	case 0x0d: type = TYPE_F32; break;
	case 0x0e: type = TYPE_F64; break;
	default:
		fail("%s: corrupt: unknown IDX type 0x%02x", f.name, f.bytes[2]);
	}
	rank = f.bytes[3];
	header = 4 + 4 * (int64_t)rank;
	if (f.size < header)
		fail("%s: truncated: %lld bytes, its IDX header alone has %lld", f.name,
		    (long long)f.size, (long long)header);
	for (int i = 0; i < rank; i++) {
		const unsigned char *p = f.bytes + 4 + 4 * i;

		dim[i] = (int64_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
	}
	data_take(d, in, &f, header, type, true, rank, dim);
}

/* The value behind 'KEY': in the header of an NPY file. */
static const char *
npy_value(const struct loaded *f, const char *header, const char *key)
{
	const char *at = strstr(header, key);

	if (!at)
		fail("%s: corrupt: its NPY header has no %s", f->name, key);
	at += strlen(key);
	while (*at == ' ' || *at == ':')
		at++;
	return at;
}

static int
npy_type(const struct loaded *f, const char *at, bool *big)
{
	static const struct {
		const char *name;
		int type;
	} types[] = {
		{"f4'", TYPE_F32}, {"f8'", TYPE_F64}, {"i4'", TYPE_I32}, {"i8'", TYPE_I64},
		{"u1'", TYPE_U8}, {"i1'", TYPE_I8}, {"i2'", TYPE_I16}, {"b1'", TYPE_U8},
	};

	*big = at[0] == '\'' && at[1] == '>';
	if (at[0] == '\'' && at[1] && strchr("<>|=", at[1]))
		for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
			if (!strncmp(at + 2, types[i].name, 3))
				return types[i].type;
	fail("%s: holds values of type %.*s, expected f4, f8, i1, i2, i4, i8, u1 or b1", f->name,
	    (int)strcspn(at, ",}"), at);
}

/* The tuple of a header: "(60000, 28, 28)". Returns its length. */
static int
npy_shape(const struct loaded *f, const char *at, int64_t *dim)
{
	int rank = 0;

	if (*at++ != '(')
		fail("%s: corrupt: no shape in its NPY header", f->name);
	for (;;) {
		char *end;

		while (*at == ' ' || *at == ',')
			at++;
		if (*at == ')')
			return rank;
		if (rank == 32 || *at < '0' || *at > '9')
			fail("%s: corrupt: no shape in its NPY header", f->name);
		errno = 0;
		dim[rank++] = strtoll(at, &end, 10);
		if (errno)
			fail("%s: its header claims impossible dimensions", f->name);
		at = end;
	}
}

/*
 * NPY, NumPy's format: \x93NUMPY, two bytes of version, the header's length in two bytes (four
 * from version 2), and a Python dict of descr, fortran_order and shape.
 */
static void
data_read_npy(struct data *d, const struct input *in)
{
	struct loaded f = data_read_file(d->source->file[in->column]);
	int64_t dim[32], header, length;
	const unsigned char *p = f.bytes;
	char *text;
	bool big;
	int rank, type;

	if (f.size < 12 || memcmp(p, "\x93NUMPY", 6))
		fail("%s: not an NPY file: does not begin with \\x93NUMPY", f.name);
	if (p[6] < 1 || p[6] > 3)
		fail("%s: NPY version %d, expected 1, 2 or 3", f.name, p[6]);
	length = p[8] | p[9] << 8;
	header = 10;
	if (p[6] > 1) {
		length |= (int64_t)p[10] << 16 | (int64_t)p[11] << 24;
		header = 12;
	}
	if (header + length > f.size)
		fail("%s: truncated: %lld bytes, its NPY header alone has %lld", f.name,
		    (long long)f.size, (long long)(header + length));
	text = (char *)data_alloc((uint64_t)length, f.name);
	memcpy(text, p + header, (size_t)length);
	text[length] = '\0';
	type = npy_type(&f, npy_value(&f, text, "'descr'"), &big);
	if (strncmp(npy_value(&f, text, "'fortran_order'"), "False", 5))
		fail("%s: is in Fortran order; save it with numpy.ascontiguousarray", f.name);
	rank = npy_shape(&f, npy_value(&f, text, "'shape'"), dim);
	free(text);
	data_take(d, in, &f, header + length, type, big, rank, dim);
}

/* One value of a column, for checks; conversions of whole samples are below. */
static double
column_value(const struct column *c, int64_t i)
{
	switch (c->type) {
	case TYPE_F32: return ((const float *)c->value)[i];
	case TYPE_F64: return ((const double *)c->value)[i];
	case TYPE_I32: return ((const int32_t *)c->value)[i];
	case TYPE_I64: return (double)((const int64_t *)c->value)[i];
	case TYPE_I16: return ((const int16_t *)c->value)[i];
	case TYPE_I8: return ((const signed char *)c->value)[i];
	default: return c->value[i];
	}
}

/* Is this a value the input can take? */
static bool
value_fits(const struct input *in, double x)
{
	if (in->classes)
		return x >= 0 && x < in->classes && x == floor(x);
	if (in->type == TYPE_U8)
		return x >= 0 && x <= 255 && x == floor(x);
	if (in->type == TYPE_I32)
		return x >= -2147483648.0 && x <= 2147483647.0 && x == floor(x);
	return isfinite(x);
}

static const char *
value_legal(char *buf, size_t size, const struct input *in)
{
	if (in->classes)
		snprintf(buf, size, "a class from 0 to %d", in->classes - 1);
	else if (in->type == TYPE_U8)
		snprintf(buf, size, "a whole number from 0 to 255");
	else if (in->type == TYPE_I32)
		snprintf(buf, size, "a whole number of 32 bits");
	else
		snprintf(buf, size, "a finite number");
	return buf;
}

static void
data_check_values(const struct data *d, const struct input *in)
{
	const struct column *c = &d->column[in->column];
	char legal[64];

	if (in->type == TYPE_U8 && c->type == TYPE_U8 && !in->classes)
		return;
	for (int64_t i = 0; i < d->rows * in->elements; i++)
		if (!value_fits(in, column_value(c, i)))
			fail("%s: sample [%lld] holds %g, expected %s for %s", c->file,
			    (long long)(i / in->elements), column_value(c, i),
			    value_legal(legal, sizeof(legal), in), in->name);
}

/* Row of the files in which sample I is found. */
static int64_t
data_row(const struct source *s, int64_t i)
{
	if (s->keep_every)
		return i * s->keep_every;
	if (s->skip_every)
		return i + i / (s->skip_every - 1) + 1;
	return i;
}

static int64_t
data_count(const struct source *s, int64_t rows)
{
	if (s->keep_every)
		return (rows + s->keep_every - 1) / s->keep_every;
	if (s->skip_every)
		return rows - (rows + s->skip_every - 1) / s->skip_every;
	return rows;
}

/* How the values of an input are handed over: as it takes them, or as they are, where the device
 * converts them. */
static struct sent
data_sent(const struct data *d, const struct input *in)
{
	double scale = in->target || in->classes ? 1 : d->source->scale;
	int type = d->column[in->column].type;
	struct sent s;

	s.type = in->type;
	s.scale = 1;
	if (d->source->kind != SOURCE_SYNTHETIC && device_converts(in, type)) {
		s.type = type;
		s.scale = scale;
	}
	s.bytes = type_table[s.type].bytes;
	return s;
}

static void
data_open(struct data *d, const struct source *source, const struct input *input, int inputs,
    int64_t batch)
{
	memset(d, 0, sizeof *d);
	d->source = source;
	d->input = input;
	d->inputs = inputs;
	for (int k = 0; k < inputs; k++) {
		if (source->kind == SOURCE_IDX)
			data_read_idx(d, &input[k]);
		else if (source->kind == SOURCE_NPY)
			data_read_npy(d, &input[k]);
		if (source->kind == SOURCE_IDX || source->kind == SOURCE_NPY)
			data_check_values(d, &input[k]);
	}
	if (source->kind == SOURCE_CSV)
		data_read_csv(d);
	if (source->kind == SOURCE_SYNTHETIC)
		d->rows = source->samples;
	d->samples = data_count(source, d->rows);
	if (d->samples < 1)
		fail("no samples are left of %lld", (long long)d->rows);
	for (int k = 0; k < inputs; k++)
		d->sent[k] = data_sent(d, &input[k]);
	d->row = (int64_t *)data_alloc((uint64_t)batch * sizeof(*d->row), "a batch");
}

/* Converts N values from type S to type D; AS makes a D of a number. */
#define CONVERT(S, D, AS)	do {					\
	const S *from_ = (const S *)from;				\
	D *to_ = (D *)to;						\
	for (int64_t i = 0; i < n; i++)					\
		to_[i] = AS(from_[i] * factor);				\
} while (0)

#define CONVERT_TO(D, AS, factor_type)	do {				\
	const factor_type factor = (factor_type)scale;			\
	switch (type) {							\
	case TYPE_F32: CONVERT(float, D, AS); break;			\
	case TYPE_F64: CONVERT(double, D, AS); break;			\
	case TYPE_I32: CONVERT(int32_t, D, AS); break;			\
	case TYPE_I64: CONVERT(int64_t, D, AS); break;			\
	case TYPE_I16: CONVERT(int16_t, D, AS); break;			\
	case TYPE_I8: CONVERT(signed char, D, AS); break;		\
	default: CONVERT(uint8_t, D, AS); break;			\
	}								\
} while (0)

#define AS_ELEM(x)	ELEM((real)(x))

static void
data_convert(const struct input *in, void *to, const void *from, int type, int64_t n, double scale)
{
	if (in->type == TYPE_F32)
		CONVERT_TO(float, (float), double);
	else if (in->type == TYPE_F64)
		CONVERT_TO(double, (double), double);
	else if (in->type == TYPE_I32)
		CONVERT_TO(int32_t, (int32_t), int32_t);
	else if (in->type == TYPE_U8)
		CONVERT_TO(uint8_t, (uint8_t), int32_t);
	else
		CONVERT_TO(elem, AS_ELEM, double);
}

static void
data_synthetic(const struct input *in, void *to, int64_t row, uint64_t seed, double scale)
{
	uint64_t stream = seed_stream(in->name);

	for (int64_t i = 0; i < in->elements; i++) {
		uint64_t at = (uint64_t)(row * in->elements + i);

		if (in->type == TYPE_F32)
			((float *)to)[i] = (float)(scale * seed_normal(seed, stream, at));
		else if (in->type == TYPE_F64)
			((double *)to)[i] = scale * seed_normal(seed, stream, at);
		else if (in->type == TYPE_BF16 || in->type == TYPE_F16)
			((elem *)to)[i] = ELEM((real)(scale * seed_normal(seed, stream, at)));
		else if (in->type == TYPE_I32)
			((int32_t *)to)[i] = (int32_t)(seed_bits(seed, stream, at) %
			    (uint64_t)(in->classes ? in->classes : 256));
		else
			((uint8_t *)to)[i] = (uint8_t)seed_bits(seed, stream, at);
	}
}

/* Are the values of input K handed over as the files have them? */
static bool
data_copies(const struct data *d, int k)
{
	const struct input *in = &d->input[k];
	double scale = in->target || in->classes ? 1 : d->source->scale;

	return d->source->kind != SOURCE_SYNTHETIC && d->sent[k].scale == scale &&
	    d->sent[k].type == d->column[in->column].type;
}

/* Fills input K of one sample, which is in that row of the files. */
static void
data_load(const struct data *d, int k, void *to, int64_t row, uint64_t seed)
{
	const struct input *in = &d->input[k];
	const struct column *c = &d->column[in->column];
	double scale = in->target || in->classes ? 1 : d->source->scale;
	const unsigned char *from;

	if (d->source->kind == SOURCE_SYNTHETIC) {
		data_synthetic(in, to, row, seed, scale);
		return;
	}
	from = c->value + row * in->elements * type_table[c->type].bytes;
	if (data_copies(d, k))
		memcpy(to, from, (size_t)(in->elements * d->sent[k].bytes));
	else
		data_convert(in, to, from, c->type, in->elements, scale);
}

/* Bytes of a batch, where they are copied, below which waking other threads takes longer; making them
 * takes about so many times as long. */
#define DATA_WORTH	((int64_t)1 << 17)
#define DATA_MADE	8

static void
data_fill(const struct data *d, int k, char *to, int64_t batch, uint64_t seed)
{
	const struct input *in = &d->input[k];
	int64_t size = in->elements * d->sent[k].bytes;

	if (batch * size * (data_copies(d, k) ? 1 : DATA_MADE) < DATA_WORTH) {
		for (int64_t j = 0; j < batch; j++)
			data_load(d, k, to + j * size, d->row[j], seed);
		return;
	}
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
#endif
	for (int64_t j = 0; j < batch; j++)
		data_load(d, k, to + j * size, d->row[j], seed);
}

/* Fills all inputs with BATCH samples, from the FIRST of this epoch's order on. */
static void
data_batch(const struct data *d, int64_t first, int64_t batch, bool shuffle, uint64_t seed,
    int64_t epoch)
{
	for (int64_t j = 0; j < batch; j++)
		d->row[j] = data_row(d->source, shuffle ? shuffled(seed, epoch, first + j, d->samples) :
		    first + j);
	for (int k = 0; k < d->inputs; k++)
		data_fill(d, k, (char *)device_input(&d->input[k], d->sent[k], batch), batch, seed);
	device_inputs_ready(d->input, d->inputs, batch);
}
