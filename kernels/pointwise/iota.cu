/*
 * pointwise/iota.cu - what only the place of an element says: numbers that count along an axis,
 * triangles of ones.
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

/* How many places of the rows before ROW have column - row of at most D. */
DEVICE int64_t
iota_places(int64_t row, int64_t columns, int64_t d)
{
	int64_t first = d < 0 ? -d : 0, full = columns - 1 - d > first ? columns - 1 - d : first, sloped;

	if (first >= row)
		return 0;
	full = full < row ? full : row;
	sloped = full - first;
	return sloped * (first + d + 1) + sloped * (sloped - 1) / 2 + (row - full) * columns;
}

KERNEL(iota_lower_index_kernel, (int32_t *y, int64_t d, int64_t rows, int64_t columns))
{
	EACH (i, rows * columns) {
		int64_t row = quotient(i, columns), column = i - row * columns;

		if (column - row <= d)
			y[iota_places(row, columns, d) + column] = (int32_t)i;
	}
}

static void
iota_lower_index(int32_t *y, int64_t d, int64_t rows, int64_t columns)
{
	LAUNCH(iota_lower_index_kernel, rows * columns, (y, d, rows, columns));
}

/* Of those before a place that is above, the ones below are in its row or in rows before it. */
KERNEL(iota_upper_index_kernel, (int32_t *y, int64_t d, int64_t rows, int64_t columns))
{
	EACH (i, rows * columns) {
		int64_t row = quotient(i, columns), column = i - row * columns;

		if (column - row >= d)
			y[i - iota_places(row + 1, columns, d - 1)] = (int32_t)i;
	}
}

static void
iota_upper_index(int32_t *y, int64_t d, int64_t rows, int64_t columns)
{
	LAUNCH(iota_upper_index_kernel, rows * columns, (y, d, rows, columns));
}
