/*
 * product/bias_c.cu - the gradient of a bias in C.
 */
#ifndef STOWAGE_PRODUCT_BIAS_C_CU
#define STOWAGE_PRODUCT_BIAS_C_CU

#include "kernel.h"
#include "sizes.h"

/* The sum of a row in a fixed order: sixteen lanes, emptied into a double now and then. */
static inline double
bias_row(const elem *x, int64_t n)
{
	double sum = 0;
	int64_t i = 0, end;

	while (i + 16 <= n) {
		real lane[16] = { 0 };

		end = n - i > 1024 ? i + 1024 : n;
		for (; i + 16 <= end; i += 16)
			for (int q = 0; q < 16; q++)
				lane[q] += VALUE(x[i + q]);
		for (int q = 0; q < 16; q++)
			sum += lane[q];
	}
	for (; i < n; i++)
		sum += VALUE(x[i]);
	return sum;
}

KERNEL(bias_kernel, (elem *db, const elem *dy, int64_t b, int64_t channels, int64_t positions))
{
	ROWS (c, channels) {
		double sum = 0;

		for (int64_t i = 0; i < b; i++)
			sum += bias_row(dy + (i * channels + c) * positions, positions);
		db[c] = ELEM((real)sum);
	}
}

/* Channels are neighbours. A thread's strip of them is as wide as may be, for memory is read in
 * the order in which it lies; of a few rows at a time sums stay in registers, and go into
 * doubles then. */
#define BIAS_LINES	16
#define BIAS_LANES	16
#define BIAS_STRIP	512

static inline void
bias_rows(double *sum, const elem *dy, int64_t step, int rows, int n)
{
	real lane[BIAS_LANES] = { 0 };

	if (n == BIAS_LANES)
		for (int i = 0; i < rows; i++)
			for (int q = 0; q < BIAS_LANES; q++)
				lane[q] += VALUE(dy[i * step + q]);
	else
		for (int i = 0; i < rows; i++)
			for (int q = 0; q < n; q++)
				lane[q] += VALUE(dy[i * step + q]);
	for (int q = 0; q < n; q++)
		sum[q] += lane[q];
}

KERNEL(bias_column_kernel, (elem *db, const elem *dy, int64_t rows, int64_t channels, int64_t wide))
{
	ROWS (strip, (channels + wide - 1) / wide) {
		int64_t first = strip * wide;
		int n = (int)least(wide, channels - first);
		double sum[BIAS_STRIP] = { 0 };

		for (int64_t i = 0; i < rows; i += BIAS_LINES)
			for (int c = 0; c < n; c += BIAS_LANES)
				bias_rows(sum + c, dy + i * channels + first + c, channels,
				    (int)least(BIAS_LINES, rows - i), (int)least(BIAS_LANES, n - c));
		for (int q = 0; q < n; q++)
			db[first + q] = ELEM((real)sum[q]);
	}
}

/* As many strips as threads, if they are not too narrow: that changes no channel's sum. */
static int64_t
bias_strip(int64_t channels)
{
	int64_t wide = (channels + team_size() - 1) / team_size();

	wide = (wide + BIAS_LANES - 1) / BIAS_LANES * BIAS_LANES;
	return most(4 * BIAS_LANES, least(BIAS_STRIP, wide));
}

static void
bias_rows_backward(elem *db, void *work, const elem *dy, int64_t rows, int64_t channels)
{
	(void)work;
	if (rows * channels < WORTH_THREADS)
		bias_column_kernel(db, dy, rows, channels, bias_strip(channels));
	else
		LAUNCH_ROWS(bias_column_kernel, channels, (db, dy, rows, channels, bias_strip(channels)));
}

static void
bias_backward(elem *db, void *work, const elem *dy, int64_t b, int64_t channels, int64_t positions)
{
	(void)work;
	if (b * channels * positions < WORTH_THREADS)
		bias_kernel(db, dy, b, channels, positions);
	else
		LAUNCH_ROWS(bias_kernel, channels, (db, dy, b, channels, positions));
}

#endif
