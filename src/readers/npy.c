/* npy: arrays of NumPy, a file each. */
#include "readers/look.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_RANK	32

static const struct attr_spec attrs[] = { READER_ROWS, ATTRS_END };

/* The value behind 'KEY': in the header; NULL: there is none. */
static const char *
value_of(const char *header, const char *key)
{
	const char *at = strstr(header, key);

	for (at = at ? at + strlen(key) : NULL; at && (*at == ' ' || *at == ':'); at++)
		;
	return at;
}

static bool
type_of(const char *at, enum look_type *type, bool *big)
{
	static const struct {
		const char *name;
		enum look_type type;
	} types[] = {
		{ "f4'", LOOK_F32 }, { "f8'", LOOK_F64 }, { "i4'", LOOK_I32 }, { "i8'", LOOK_I64 },
		{ "u1'", LOOK_U8 }, { "i1'", LOOK_I8 }, { "i2'", LOOK_I16 }, { "b1'", LOOK_U8 },
		{ "u2'", LOOK_U16 }, { "u4'", LOOK_U32 },
	};
	size_t i;

	if (!at || at[0] != '\'' || !at[1] || !strchr("<>|=", at[1]))
		return false;
	*big = at[1] == '>';
	for (i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strncmp(at + 2, types[i].name, 3) == 0) {
			*type = types[i].type;
			return true;
		}
	return false;
}

/* The tuple "(60000, 28, 28)": its length; -1: it is none. */
static int
shape_of(const char *at, int64_t *dim)
{
	int rank = 0;
	char *end;

	if (!at || *at++ != '(')
		return -1;
	for (;; at = end) {
		at += strspn(at, " ,");
		if (*at == ')')
			return rank;
		if (rank == MOST_RANK || *at < '0' || *at > '9')
			return -1;
		errno = 0;
		dim[rank++] = strtoll(at, &end, 10);
		if (errno)
			return -1;
	}
}

static bool
look(struct look *l)
{
	const unsigned char *p = l->bytes;
	size_t header, length;
	int64_t dim[MOST_RANK];
	enum look_type type;
	const char *text, *order;
	bool big;
	int rank;

	if (l->size < 12 || memcmp(p, "\x93NUMPY", 6) != 0 || p[6] < 1 || p[6] > 3)
		return false;
	header = p[6] > 1 ? 12 : 10;
	length = p[8] | (size_t)p[9] << 8;
	if (p[6] > 1)
		length |= (size_t)p[10] << 16 | (size_t)p[11] << 24;
	if (length > l->size - header)
		return false;
	text = arena_strndup(l->arena, (const char *)p + header, length);
	order = value_of(text, "'fortran_order'");
	rank = shape_of(value_of(text, "'shape'"), dim);
	if (order && strncmp(order, "True", 4) == 0)
		return look_refuse(l, "numpy.ascontiguousarray(x) puts it into C order", "it is in Fortran order");
	return order && strncmp(order, "False", 5) == 0 && rank > 0 &&
	    type_of(value_of(text, "'descr'"), &type, &big) &&
	    look_numbers(l, header + length, type, big, rank, dim);
}

const struct reader reader_npy = {
	.name = "npy",
	.brief = "NumPy arrays",
	.doc = "NumPy arrays, one file for each input and then each target, in the order in which "
	    "the network declares them; name=file assigns one by name. The first axis counts the "
	    "samples.",
	.usage = "npy(\"x.npy\", \"y.npy\")",
	.files = FILES_EACH,
	.attrs = attrs,
	.look = look,
};
