/*
 * Numbers of files, which a program reads when it starts (kernels/host/tables.c): a model and a
 * program that only infers have them within. The files are read here as strictly, and only below
 * the project's folder, since the spec that names them may be anyone's.
 */
#include "export/table_file.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "export/checkpoint.h"
#include "ops/from_file.h"

#define MOST_BYTES	((size_t)1 << 30)

struct table_file {
	struct arena *arena;
	const struct module *module;
	const struct node *node;
	const char *root;		/* the folder below which it must lie */
	const char *why;		/* it was refused; NULL: it was not */
	const char *name;
	const unsigned char *bytes;	/* with a NUL behind them */
	size_t size;
	int64_t rows, width;		/* what is expected: the first axis, and the rest */
	double *to;
};

static bool
refused(struct table_file *f, const char *why)
{
	f->why = arena_printf(f->arena, "%s: %s", f->name, why);
	return false;
}

/* ---- .npy ---- */

/* A number of KIND 'f', 'i', 'u' or 'b' and so many bytes. */
static double
number_at(const unsigned char *at, char kind, int width, bool big)
{
	uint64_t bits = 0;
	float single;
	double real;
	int i;

	for (i = 0; i < width; i++)
		bits |= (uint64_t)at[big ? width - 1 - i : i] << (8 * i);
	if (kind == 'f' && width == 4) {
		uint32_t half = (uint32_t)bits;

		memcpy(&single, &half, sizeof(single));
		return single;
	}
	if (kind == 'f') {
		memcpy(&real, &bits, sizeof(real));
		return real;
	}
	if (kind == 'i' && width < 8 && bits >> (8 * width - 1))
		return (double)((int64_t)bits - ((int64_t)1 << (8 * width)));
	return kind == 'i' ? (double)(int64_t)bits : (double)bits;
}

/* The value of a key of the header, behind its colon; NULL: there is none. */
static const char *
npy_value(const char *header, const char *key)
{
	const char *at = strstr(header, key);

	return at ? at + strlen(key) + strspn(at + strlen(key), " :") : NULL;
}

/* "(24, 10)": as many rows and numbers as expected? */
static bool
npy_shape_fits(const struct table_file *f, const char *at)
{
	int64_t first = -1, rest = 1;

	for (at += strspn(at, "( "); *at >= '0' && *at <= '9'; at += strspn(at, ", ")) {
		long long n = strtoll(at, (char **)(uintptr_t)&at, 10);

		if (first < 0)
			first = n;
		else if (__builtin_mul_overflow(rest, n, &rest))
			return false;
	}
	return *at == ')' && first == f->rows && rest == f->width;
}

static bool
read_npy(struct table_file *f)
{
	size_t from = f->size > 6 && f->bytes[6] > 1 ? 12 : 10, length;
	const char *header, *type, *order, *shape;
	int64_t i;
	int width;

	if (f->size < 12 || memcmp(f->bytes, "\x93NUMPY", 6) != 0)
		return refused(f, "it is no NPY file");
	length = (size_t)number_at(f->bytes + 8, 'u', from == 12 ? 4 : 2, false);
	if (length > f->size - from)
		return refused(f, "it is truncated");
	header = arena_strndup(f->arena, (const char *)f->bytes + from, length);
	type = npy_value(header, "'descr'");
	order = npy_value(header, "'fortran_order'");
	shape = npy_value(header, "'shape'");
	if (!type || !order || !shape || *type != '\'' || strlen(type) < 5 || strncmp(order, "False", 5) != 0)
		return refused(f, "its NPY header is none that is read here: numbers in C order");
	width = type[3] - '0';
	if (!strchr("fiub", type[2]) || !strchr("1248", type[3]) || type[4] != '\'' || (type[2] == 'f' && width < 4))
		return refused(f, "its numbers are of another type than f4, f8, i1, i2, i4, i8, u1, u2, u4 or b1");
	if (!npy_shape_fits(f, shape))
		return refused(f, "it has another shape");
	if ((uint64_t)(f->rows * f->width) > (f->size - from - length) / (size_t)width)
		return refused(f, "it is truncated");
	for (i = 0; i < f->rows * f->width; i++)
		f->to[i] = number_at(f->bytes + from + length + (size_t)(i * width), type[2], width, type[1] == '>');
	return true;
}

/* ---- .csv ---- */

/* A line of so many numbers; false: it is none. */
static bool
read_line(const struct table_file *f, const char **at, double *to)
{
	char *end;
	int64_t i;

	for (i = 0; i < f->width; i++, *at = end) {
		if (i > 0 && *(*at)++ != ',')
			return false;
		*at += strspn(*at, " \t");
		if (isspace((unsigned char)**at))	/* strtod would go on in the next line */
			return false;
		to[i] = strtod(*at, &end);
		if (end == *at)
			return false;
		end += strspn(end, " \t");
	}
	*at += strspn(*at, "\r");
	return **at == '\n' || **at == '\0';
}

static bool
read_csv(struct table_file *f)
{
	const char *at = (const char *)f->bytes;
	int64_t row = 0;

	if (strncmp(at, "\xef\xbb\xbf", 3) == 0)	/* a byte order mark */
		at += 3;
	for (;; row++) {
		at += strspn(at, "\r\n");
		if (!*at)
			break;
		if (row == f->rows || !read_line(f, &at, f->to + row * f->width))
			return refused(f, arena_printf(f->arena, "row %lld is not expected, or not %lld numbers", (long long)row + 1,
			    (long long)f->width));
	}
	if ((size_t)(at - (const char *)f->bytes) < f->size)
		return refused(f, arena_printf(f->arena, "a byte 0 stands before or in row %lld", (long long)row + 1));
	return row == f->rows || refused(f, "it has fewer rows");
}

/* ---- .safetensors ---- */

static bool
read_tensor(struct table_file *f)
{
	const char *why = NULL, *name = table_tensor(f->arena, f->node);
	const struct checkpoint *c = checkpoint_read(f->arena, f->bytes, f->size, &why);
	const struct numbers *n = c ? map_get(&c->tensors, name) : NULL;
	int64_t i;

	if (!n)
		return refused(f, c ? arena_printf(f->arena, "it has no tensor %s", name) : why);
	if (n->type == ELEMENT_OTHER)
		return refused(f, arena_printf(f->arena, "its tensor %s is of another type than F32, F64, F16, BF16, I8, I32, I64, U8 "
		    "or BOOL", name));
	if (n->rank == 0 || n->dim[0] != f->rows || n->count != f->rows * f->width)
		return refused(f, arena_printf(f->arena, "its tensor %s has another shape", name));
	for (i = 0; i < n->count; i++)
		f->to[i] = numbers_real(n, i);
	return true;
}

/* ---- files ---- */

/* Where a program finds it: here, or beside the spec. */
static bool
open_file(struct table_file *f)
{
	const char *spec = f->module->src ? f->module->src->path : "", *slash = strrchr(spec, '/');
	const char *path[] = { f->name, *f->name == '/' || !slash ? NULL : arena_printf(f->arena, "%.*s%s",
	    (int)(slash + 1 - spec), spec, f->name) };
	int64_t all = 0;
	int i;

	for (i = 0; i < 2 && path[i] && !f->bytes; i++) {
		f->bytes = source_part_below(f->arena, f->root, path[i], 0, 0, &f->size, &all);
		if (f->bytes && (uint64_t)all > MOST_BYTES)
			return refused(f, "it is larger than 1 GiB");
		if (f->bytes)
			f->bytes = source_part_below(f->arena, f->root, path[i], 0, (size_t)all, &f->size, &all);
	}
	return f->bytes || refused(f, "it cannot be read, or lies outside the project");
}

const double *
table_numbers(struct arena *a, const struct module *m, const struct node *n, const char *root, const char **why)
{
	const struct tensor *y = n->out[0];
	struct table_file f = { .arena = a, .module = m, .node = n, .root = root, .name = op_attr(n, "file")->text, .rows = y->dim[0],
		.width = 1 };
	const char *kind = table_reader(f.name);
	int64_t i;

	for (i = 1; i < y->rank; i++)
		f.width *= y->dim[i];
	f.to = arena_array(a, (size_t)(f.rows * f.width) + 1, sizeof(*f.to));
	if (open_file(&f) && (strcmp(kind, "npy") == 0 ? read_npy : strcmp(kind, "csv") == 0 ? read_csv : read_tensor)(&f))
		for (i = 0; i < f.rows * f.width && !f.why; i++)
			if (!isfinite((float)f.to[i]))
				refused(&f, "it holds a number that is not finite in f32");
	*why = f.why;
	return f.why ? NULL : f.to;
}
