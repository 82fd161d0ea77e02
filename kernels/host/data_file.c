/*
 * data_file.c - files of samples: mapped, so that they take no memory of their own, and checked to
 * the last value at start, so that training never meets a bad sample. What the readers of formats
 * (kernels/read/) have in common.
 */
#include "data_map.c"

struct stretch {			/* rows that lie one after the other */
	const unsigned char *value;
	int64_t rows;
};

struct column {			/* one input or target of every sample */
	struct stretch stretch[MAX_COLUMNS];	/* in their order */
	int stretches;
	int type;
	int64_t step;		/* bytes from one sample to the next */
	bool changed;		/* pages of it are no longer the file's */
	const char *file;	/* the first, as it was found */
};

struct data {
	const char *folder;	/* --data, or NULL */
	const struct source *source;
	const struct input *input;
	int inputs;
	struct column column[MAX_COLUMNS];	/* by input->column */
	int64_t rows;		/* in the files */
	int64_t samples;	/* of those, in use */
	struct sent sent[MAX_COLUMNS];	/* by input: what is written for the device */
	bool makes[MAX_COLUMNS];	/* by input: the reader makes its values */
	bool may_lack;		/* targets: for --predict */
	bool lacks;		/* some of them are absent: */
	bool absent[MAX_COLUMNS];	/* by input; it is 0 */
	int64_t first;		/* CSV: the field of the spec's row with which a line begins */
	int64_t *row;		/* room for those of a batch */
	bool alike;		/* what the reader makes of a row, and what finish() does to it, is alike in all epochs */
#ifdef __CUDACC__
	unsigned char *here;	/* all samples, where they stay on the device (samples.c); or NULL */
#endif
#ifdef DRAWS
	bool draws;		/* the device draws them (draw.h) */
#endif
	void *own;		/* the reader's */
	int32_t *made;		/* and for the labels of a sample, where they are made and counted */
};

#ifdef __CUDACC__
/* Does the device have all samples, or draw them? */
static bool
data_is_there(const struct data *d)
{
#ifdef DRAWS
	return d->here || d->draws;
#else
	return d->here;
#endif
}
#endif

/* Data lack input K: a target that nobody asks for. False: it is asked for. */
static bool
data_lacks(struct data *d, int k)
{
	if (!d->may_lack || !d->input[k].target)
		return false;
	return d->lacks = d->absent[k] = true;
}

/* Where each input has a file: is that of input K left out? */
static bool
data_lacks_file(struct data *d, int k)
{
	const char *name = d->source->file[d->input[k].column], *folder = d->folder;

	if (folder ? data_path(folder, name, false) || data_path(folder, name, true) :
	    data_path("", name, false) || data_path(SPEC_FOLDER, name, false))
		return false;
	return data_lacks(d, k);
}

/* What the spec gives an argument of the reader, at place I of a list. */
static double
source_number(const struct source *s, const char *name, int i, double otherwise)
{
	const struct argument *a = s->argument;

	for (; a->name; a++)
		if (!strcmp(a->name, name) && i-- == 0)
			return a->value;
	return otherwise;
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

/* Of a type, wherever it lies: data need not be aligned. */
#define VALUE_AT(T)	do {						\
	T x_;								\
	memcpy(&x_, from + i * (int64_t)sizeof(x_), sizeof(x_));	\
	return (double)x_;						\
} while (0)

static double
value_at(int type, const unsigned char *from, int64_t i)
{
	switch (type) {
	case TYPE_F32: VALUE_AT(float);
	case TYPE_F64: VALUE_AT(double);
	case TYPE_I32: VALUE_AT(int32_t);
	case TYPE_I64: VALUE_AT(int64_t);
	case TYPE_I16: VALUE_AT(int16_t);
	case TYPE_I8: VALUE_AT(signed char);
	case TYPE_U16: VALUE_AT(uint16_t);
	case TYPE_U32: VALUE_AT(uint32_t);
	default: return from[i];
	}
}

#define AS_ELEM(x)	ELEM((real)(x))

/* Where the values of a row begin. */
static const unsigned char *
column_at(const struct column *c, int64_t row)
{
	const struct stretch *p = c->stretch;

	for (; row >= p->rows; p++)
		row -= p->rows;
	return p->value + row * c->step;
}

/* Puts ROWS more behind those there are. */
static void
column_add(struct column *c, const unsigned char *value, int64_t rows)
{
	struct stretch *p = &c->stretch[c->stretches++];

	p->value = value;
	p->rows = rows;
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
		return (x >= 0 && x < in->classes && x == floor(x)) || x == (double)in->ignored;
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
	if (in->classes && in->ignored != INT64_MIN)
		snprintf(buf, size, "a class from 0 to %d, or %lld", in->classes - 1, (long long)in->ignored);
	else if (in->classes)
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

/* Can all numbers of the files' type be values of the input? */
static bool
data_takes_any(const struct data *d, const struct input *in, int type)
{
	return !in->classes && type == TYPE_U8 && value_fits(d, in, 0) && value_fits(d, in, 255);
}

#define CHECKED	((int64_t)4 << 20)	/* bytes that are checked before their pages are let go */

static void
data_check_values(const struct data *d, const struct input *in)
{
	const struct column *c = &d->column[in->column];
	const unsigned char *let = NULL;
	char legal[64];

	if (data_takes_any(d, in, c->type))
		return;
	for (int64_t row = 0; row < d->rows; row++) {
		const unsigned char *from = column_at(c, row);

		for (int64_t i = 0; i < in->elements; i++)
			if (!value_fits(d, in, value_at(c->type, from, i)))
				fail("%s: sample [%lld] holds %g, expected %s for %s", c->file, (long long)row,
				    value_at(c->type, from, i), value_legal(legal, sizeof(legal), in), in->name);
		if (!let || from < let)
			let = from;
		if (!c->changed && from - let >= CHECKED) {
			data_let_go(let, from);
			let = from;
		}
	}
}

static bool
data_big_endian(void)
{
	const uint16_t probe = 1;

	return *(const unsigned char *)&probe == 0;
}

/* Values in this machine's byte order: a copy of the file's pages, if they are not in it. */
static const unsigned char *
data_settle(const struct mapped *f, int64_t header, int64_t length, int width, bool big)
{
	unsigned char *value = f->bytes + header;

	if (width == 1 || big == data_big_endian())
		return value;
	for (int64_t at = 0; at < length; at += width)
		for (int i = 0; i < width / 2; i++) {
			unsigned char low = value[at + i];

			value[at + i] = value[at + width - 1 - i];
			value[at + width - 1 - i] = low;
		}
	return value;
}

/* Takes LENGTH bytes of a file as a column, if their shape and all values are right. */
static void
data_take_part(struct data *d, const struct input *in, const struct mapped *f, int64_t from, int64_t length,
    int type, bool big, int rank, const int64_t *dim)
{
	struct column *c = &d->column[in->column];
	int width = type_table[type].bytes;
	int64_t need = width;

	if (rank < 1)
		fail("%s: holds a single number for %s, expected samples", f->name, in->name);
	for (int i = 0; i < rank; i++)
		if (__builtin_mul_overflow(need, dim[i], &need) || dim[i] < 0)
			fail("%s: its header claims impossible dimensions", f->name);
	if (length != need)
		fail("%s: %s: its header promises %lld bytes of data, found %lld", f->name,
		    length < need ? "truncated" : "corrupt", (long long)need, (long long)length);
	if (dim[0] == 0)
		fail("%s: holds no samples", f->name);
	data_check_shape(f->name, in, dim[0], rank - 1, dim + 1);
	if (d->rows && d->rows != dim[0])
		fail("%s: holds %lld samples for %s, but %lld for what comes before", f->name,
		    (long long)dim[0], in->name, (long long)d->rows);
	d->rows = dim[0];
	c->stretches = 0;
	column_add(c, data_settle(f, from, length, width, big), dim[0]);
	c->type = type;
	c->step = in->elements * width;
	c->changed = width > 1 && big != data_big_endian();
	c->file = f->name;
	data_check_values(d, in);
}

/* Takes all of a file behind its header. */
static void
data_take(struct data *d, const struct input *in, const struct mapped *f, int64_t header, int type,
    bool big, int rank, const int64_t *dim)
{
	data_take_part(d, in, f, header, f->size - header, type, big, rank, dim);
}
