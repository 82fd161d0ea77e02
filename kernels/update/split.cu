/*
 * update/split.cu - what goes between layers that are split over ranks: sums of what each has,
 * which the step waits for, and columns of which a rank has its share of each block.
 */
#ifndef STOWAGE_UPDATE_SPLIT_CU
#define STOWAGE_UPDATE_SPLIT_CU

#include "update/all_reduce.cu"

KERNEL(split_bias_kernel, (elem *y, const elem *bias, int64_t n, int64_t units))
{
	EACH_PLACE (one, r, j, 1, n / units, units)
		y[one + r * units + j] = ELEM(VALUE(y[one + r * units + j]) + VALUE(bias[j]));
}

/* Y, which may be X, becomes the sum of the N elements X of all ranks, and of BIAS, of so many
 * UNITS; NULL: there is none. */
static void
split_sum(elem *y, const elem *x, const elem *bias, int64_t n, int64_t units)
{
	all_reduce_begin(y, x, n, (int)sizeof(elem), false);
	all_reduce_end(y);
	if (bias)
		LAUNCH(split_bias_kernel, n, (y, bias, n, units));
}

struct split_columns {		/* of a row: blocks of so many columns of each of the ranks */
	int64_t blocks, columns, ranks, rank;
};

KERNEL(split_join_kernel, (elem *y, const elem *x, int64_t n, struct split_columns c))
{
	EACH (i, n) {
		int64_t share = quotient(i, c.columns), column = i - share * c.columns, block = quotient(share, c.ranks);

		y[i] = share - block * c.ranks == c.rank ? x[block * c.columns + column] : ELEM(0);
	}
}

KERNEL(split_own_kernel, (elem *y, const elem *x, int64_t n, struct split_columns c))
{
	EACH (i, n) {
		int64_t block = quotient(i, c.columns);

		y[i] = x[(block * c.ranks + c.rank) * c.columns + i - block * c.columns];
	}
}

/* Rows Y of all columns, of which X has this rank's. */
static void
split_join(elem *y, const elem *x, int64_t rows, int64_t blocks, int64_t columns, int64_t size)
{
	int64_t n = rows * blocks * columns * size;

	LAUNCH(split_join_kernel, n, (y, x, n, (struct split_columns){ blocks, columns, size, ranks.rank }));
	all_reduce_begin(y, y, n, (int)sizeof(elem), false);
	all_reduce_end(y);
}

/* Rows Y of this rank's columns, of which X has all. */
static void
split_own(elem *y, const elem *x, int64_t rows, int64_t blocks, int64_t columns, int64_t size)
{
	int64_t n = rows * blocks * columns;

	LAUNCH(split_own_kernel, n, (y, x, n, (struct split_columns){ blocks, columns, size, ranks.rank }));
}

#endif
