/*
 * pointwise/iota.cu - what only the place of an element says: numbers that count along an axis, triangles of ones.
 */
#include "kernel.h"

/* Elements count along an axis of EXTENT, which has PLACES elements to each of its own. */
KERNEL(iota_kernel, (elem *y, real start, real step, int64_t n, int64_t extent, int64_t places))
{
	EACH (i, n) {
		int64_t at = quotient(i, places);

		y[i] = ELEM(start + step * (real)(at - quotient(at, extent) * extent));
	}
}

static void
iota(elem *y, real start, real step, int64_t n, int64_t extent, int64_t places)
{
	LAUNCH(iota_kernel, n, (y, start, step, n, extent, places));
}

/* 1 where SIGN * (column - row) is at most LIMIT */
KERNEL(iota_triangle_kernel, (elem *y, int64_t sign, int64_t limit, int64_t n, int64_t rows, int64_t columns))
{
	EACH (i, n) {
		int64_t row = quotient(i, columns), column = i - row * columns;

		row -= quotient(row, rows) * rows;
		y[i] = ELEM((real)(sign * (column - row) <= limit));
	}
}

static void
iota_lower(elem *y, int64_t diagonal, int64_t n, int64_t rows, int64_t columns)
{
	LAUNCH(iota_triangle_kernel, n, (y, 1, diagonal, n, rows, columns));
}

static void
iota_upper(elem *y, int64_t diagonal, int64_t n, int64_t rows, int64_t columns)
{
	LAUNCH(iota_triangle_kernel, n, (y, -1, -diagonal, n, rows, columns));
}
