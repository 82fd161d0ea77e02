/* Numbers in files of one type. */
#include "readers/look.h"

#include <stdarg.h>
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

/* The bytes from AT on, of which NEED are wanted at least, or all there are: *N of them. */
static const unsigned char *
bytes_from(struct look *l, int64_t at, int64_t need, int64_t *n)
{
	*n = (int64_t)l->size - at;
	if (*n >= need || l->whole)
		return *n >= 0 ? l->bytes + at : NULL;
	*n = (int64_t)l->more_size - (at - l->more_at);
	if (l->more && at >= l->more_at && *n > 0)
		return l->more + (at - l->more_at);
	if (!l->more) {
		l->wants = at;
		*n = (int64_t)l->size - at;
	}
	return *n > 0 ? l->bytes + at : NULL;
}

#define MOST_NUMBERS	((int64_t)1 << 16)	/* of rows that share bytes there may be many more than bytes */

/* Of a row that is not there whole. */
static void
take_part(struct look *l, const unsigned char *from, int64_t n, int64_t rows, enum look_type type, bool big)
{
	int64_t k;

	l->numbers = rows > 0 ? n / type_bytes[type] : 0;
	l->numbers = l->numbers > MOST_NUMBERS ? MOST_NUMBERS : l->numbers;
	l->part_value = arena_array(l->arena, (size_t)l->numbers + 1, sizeof(*l->part_value));
	for (k = 0; k < l->numbers; k++)
		l->part_value[k] = number_at(from + k * type_bytes[type], type, big);
}

bool
look_rows(struct look *l, int64_t at, int64_t step, int64_t rows, enum look_type type, bool big)
{
	const int64_t row = l->width > MOST_NUMBERS ? INT64_MAX : l->width * type_bytes[type];
	const unsigned char *from;
	int64_t n, there, i, k;

	if (at < 0 || rows < 0 || step < 1 || (l->width > MOST_NUMBERS && !l->part))
		return false;
	from = bytes_from(l, at, row, &n);
	if (l->part && from && n < row)
		take_part(l, from, n, rows, type, big);
	there = from && n >= row ? (n - row) / step + 1 : 0;
	there = there > MOST_NUMBERS / l->width ? MOST_NUMBERS / l->width : there;
	l->all_rows = rows;
	l->rows = rows < there ? rows : there;
	l->value = arena_array(l->arena, (size_t)(l->rows * l->width) + 1, sizeof(*l->value));
	for (i = 0; i < l->rows; i++)
		for (k = 0; k < l->width; k++)
			l->value[i * l->width + k] = number_at(from + i * step + k * type_bytes[type], type, big);
	return l->rows > 0 || !l->wants;
}

bool
look_refuse(struct look *l, const char *cure, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	l->refused = arena_vprintf(l->arena, fmt, ap);
	va_end(ap);
	l->cure = cure;
	return false;
}

bool
look_numbers(struct look *l, int64_t header, enum look_type type, bool big, int rank,
    const int64_t *dim)
{
	int64_t width = 1;
	int k;

	for (k = 1; k < rank; k++)
		if (__builtin_mul_overflow(width, dim[k], &width))
			return false;
	if (rank >= 1 && dim[0] >= 0 && width != l->width)
		return look_refuse(l, NULL, "each sample in it is %lld number%s, and %s takes %lld", (long long)width,
		    width == 1 ? "" : "s", l->input ? arena_printf(l->arena, "'%s'", l->input->name) : "an input", (long long)l->width);
	return rank >= 1 && dim[0] >= 0 &&
	    look_rows(l, header, width * type_bytes[type], dim[0], type, big);
}
