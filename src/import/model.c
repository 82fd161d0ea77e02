/* What a model's parts are asked. */
#include "import/model.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const struct model_attr *
model_attr(const struct model_node *n, const char *name)
{
	int i;

	for (i = 0; i < n->nattrs; i++)
		if (strcmp(n->attr[i].name, name) == 0)
			return &n->attr[i];
	return NULL;
}

size_t
element_bytes(enum element type)
{
	switch (type) {
	case ELEMENT_F64:
	case ELEMENT_I64:
		return 8;
	case ELEMENT_F32:
	case ELEMENT_I32:
		return 4;
	case ELEMENT_F16:
	case ELEMENT_BF16:
		return 2;
	default:
		return 1;
	}
}

double
float_decimal(float f)
{
	char text[32];
	double v = (double)f;
	int digits;

	for (digits = 6; digits < 9 && v - v == 0; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, (double)f);
		v = strtod(text, NULL);
		if ((float)v == f)
			return v;
	}
	return (double)f;
}

static double
half(uint16_t h)
{
	int e = h >> 10 & 31, m = h & 1023;
	double v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);

	return h & 0x8000 ? -v : v;
}

static double
brain(uint16_t b)
{
	uint32_t bits = (uint32_t)b << 16;
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

/* Elements lie anywhere in the file. */
#define READER(type)									\
	static type									\
	read_##type(const unsigned char *at)						\
	{										\
		type v;									\
											\
		memcpy(&v, at, sizeof(v));						\
		return v;								\
	}

READER(float)
READER(double)
READER(uint16_t)
READER(int64_t)
READER(int32_t)

int64_t
numbers_integer(const struct numbers *n, int64_t i)
{
	int64_t x;

	if (n->type != ELEMENT_I64)
		return (int64_t)numbers_real(n, i);
	memcpy(&x, n->data + (n->filled ? 0 : (size_t)i * sizeof(x)), sizeof(x));
	return x;
}

double
numbers_real(const struct numbers *n, int64_t i)
{
	const unsigned char *at = n->data + (n->filled ? 0 : (size_t)i * element_bytes(n->type));

	switch (n->type) {
	case ELEMENT_F32:
		return read_float(at);
	case ELEMENT_F64:
		return read_double(at);
	case ELEMENT_F16:
		return half(read_uint16_t(at));
	case ELEMENT_BF16:
		return brain(read_uint16_t(at));
	case ELEMENT_I64:
		return (double)read_int64_t(at);
	case ELEMENT_I32:
		return read_int32_t(at);
	case ELEMENT_I8:
		return (int8_t)*at;
	default:
		return *at;
	}
}

bool
numbers_are_real(const struct numbers *n)
{
	return n->type == ELEMENT_F32 || n->type == ELEMENT_F64 || n->type == ELEMENT_F16 || n->type == ELEMENT_BF16;
}

bool
numbers_are_finite(const struct numbers *n)
{
	int64_t i, count = n->filled && n->count > 1 ? 1 : n->count;

	if (!n->data || !numbers_are_real(n))
		return true;
	for (i = 0; i < count; i++)
		if (!(fabs(numbers_real(n, i)) <= FLT_MAX))
			return false;
	return true;
}

bool
numbers_are_one(const struct numbers *n, double *r)
{
	int64_t i;

	if (!n || !n->data || n->count < 1)
		return false;
	*r = numbers_real(n, 0);
	for (i = 1; !n->filled && i < n->count; i++)
		if (!(numbers_real(n, i) == *r))
			return false;
	return true;
}

static bool
lies_in(const unsigned char *file, size_t size, const unsigned char *data, size_t bytes)
{
	return data >= file && bytes <= size && data <= file + (size - bytes);
}

/* Of whole pages alone: what else is on the others may be read still. */
static void
advise(const struct model *m, const unsigned char *data, size_t bytes, int advice)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), first = (page - (uintptr_t)data % page) % page;
	bool mapped = m && m->mapped && lies_in(m->file, m->size, data, bytes);
	int i;

	for (i = 0; m && i < m->external.files.n; i++)
		mapped |= lies_in(m->external.files.v[i].at, m->external.files.v[i].size, data, bytes);
	if (mapped && bytes > first + page)
		madvise((void *)(uintptr_t)(data + first), (bytes - first) / page * page, advice);
}

void
model_take_up(const struct model *m, const unsigned char *data, size_t bytes)
{
	advise(m, data, bytes, MADV_SEQUENTIAL);
}

void
model_let_go(const struct model *m, const unsigned char *data, size_t bytes)
{
	advise(m, data, bytes, MADV_DONTNEED);
}

const struct view *
view_transposed(struct arena *a, int64_t rows, int64_t columns)
{
	struct view *v = ARENA_NEW(a, struct view);

	*v = (struct view){ .rank = 2, .dim = { columns, rows }, .stride = { 1, columns } };
	return v;
}

bool
numbers_is_weight(const struct numbers *n)
{
	return !n->computed && numbers_are_real(n) && strchr(n->name, '.');
}
