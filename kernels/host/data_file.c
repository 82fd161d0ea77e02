/*
 * data_file.c - files of samples, in memory: read whole at start, kept as compactly as they came,
 * and checked to the last value, so that training never meets a bad sample. What the readers of
 * formats (kernels/read/) have in common.
 */
struct column {			/* one input or target of every sample */
	unsigned char *value;
	int type;
	int64_t step;		/* values from one sample to the next */
	const char *file;	/* as it was found; NULL: synthetic */
};

struct data {
	const char *folder;	/* --data, or NULL */
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
data_find(const char *folder, const char *name)
{
	char *path;

	if (folder) {
		path = data_path(folder, name, false);
		if (!path)
			path = data_path(folder, name, true);
		if (!path)
			fail("%s: no such file in %s", name, folder);
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
data_read_file(const struct data *d, const char *name)
{
	struct loaded f;
	struct stat st;
	int fd;

	f.name = data_find(d->folder, name);
	fd = open(f.name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);	/* of a pipe, only to see what it is */
	if (fd < 0 || fstat(fd, &st))
		fail("%s: %s", f.name, strerror(errno));
	if (!S_ISREG(st.st_mode))
		fail("%s: expected a file, found a folder, a device or a pipe", f.name);
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

/* What an input's values are multiplied by. */
static double
data_scale(const struct data *d, const struct input *in)
{
	return in->target || in->classes ? 1 : d->source->scale;
}

/* Is this a value the input can take? */
static bool
value_fits(const struct data *d, const struct input *in, double x)
{
	double scaled = x * data_scale(d, in);

	if (in->classes)
		return x >= 0 && x < in->classes && x == floor(x);
	if (in->type == TYPE_U8)
		return x >= 0 && x <= 255 && x == floor(x);
	if (in->type == TYPE_I32)
		return x >= -2147483648.0 && x <= 2147483647.0 && x == floor(x);
	if (in->type == TYPE_F64)
		return isfinite(scaled);
	if (in->type == TYPE_F32)
		return isfinite((float)scaled);
	return isfinite((double)VALUE(ELEM((real)scaled)));
}

static const char *
value_legal(char *buf, size_t size, const struct input *in)
{
	if (in->classes)
		snprintf(buf, size, "a %s from 0 to %d", in->target ? "class" : "whole number",
		    in->classes - 1);
	else if (in->type == TYPE_U8)
		snprintf(buf, size, "a whole number from 0 to 255");
	else if (in->type == TYPE_I32)
		snprintf(buf, size, "a whole number of 32 bits");
	else
		snprintf(buf, size, "a number that is finite in %s", type_table[in->type].name);
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
		if (!value_fits(d, in, column_value(c, i)))
			fail("%s: sample [%lld] holds %g, expected %s for %s", c->file,
			    (long long)(i / in->elements), column_value(c, i),
			    value_legal(legal, sizeof(legal), in), in->name);
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

/* Takes a file's payload as a column, if its shape and all its values are right. */
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
	c->step = in->elements;
	c->file = f->name;
	data_check_values(d, in);
}
