/* Numbers in files of one type. */
#include "readers/look.h"

#include <string.h>

static const int type_bytes[] = {
	[LOOK_U8] = 1, [LOOK_I8] = 1, [LOOK_I16] = 2, [LOOK_I32] = 4, [LOOK_I64] = 8,
	[LOOK_U16] = 2, [LOOK_U32] = 4, [LOOK_F32] = 4, [LOOK_F64] = 8,
};

static double
number_at(const unsigned char *p, enum look_type type, bool big)
{
	int n = type_bytes[type], i;
	uint64_t bits = 0;
	uint32_t low;
	double d;
	float f;

	for (i = 0; i < n; i++)
		bits |= (uint64_t)p[big ? n - 1 - i : i] << 8 * i;
	switch (type) {
	case LOOK_U8:
	case LOOK_U16:
	case LOOK_U32:
		return (double)bits;
	case LOOK_I8:
		return (int8_t)bits;
	case LOOK_I16:
		return (int16_t)bits;
	case LOOK_I32:
		return (int32_t)bits;
	case LOOK_I64:
		return (double)(int64_t)bits;
	case LOOK_F32:
		low = (uint32_t)bits;
		memcpy(&f, &low, sizeof(f));
		return f;
	case LOOK_F64:
		memcpy(&d, &bits, sizeof(d));
		return d;
	}
	return 0;
}

bool
look_numbers(struct look *l, size_t header, enum look_type type, bool big, int rank,
    const int64_t *dim)
{
	int64_t width = 1, there, i;
	int k;

	for (k = 1; k < rank; k++)
		if (__builtin_mul_overflow(width, dim[k], &width))
			return false;
	if (rank < 1 || dim[0] < 0 || width != l->width || header > l->size)
		return false;
	there = (int64_t)(l->size - header) / type_bytes[type] / width;
	l->all_rows = dim[0];
	l->rows = dim[0] < there ? dim[0] : there;
	l->value = arena_array(l->arena, (size_t)(l->rows * width) + 1, sizeof(*l->value));
	for (i = 0; i < l->rows * width; i++)
		l->value[i] = number_at(l->bytes + header + i * type_bytes[type], type, big);
	return true;
}
