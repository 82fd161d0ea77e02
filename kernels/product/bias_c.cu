/*
 * product/bias_c.cu - the gradient of a bias in C.
 */
#ifndef STOWAGE_PRODUCT_BIAS_C_CU
#define STOWAGE_PRODUCT_BIAS_C_CU

#include "kernel.h"

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

/* Channels are neighbours, so a strip of them is summed at a time. */
#define BIAS_STRIP	64

KERNEL(bias_column_kernel, (elem *db, const elem *dy, int64_t rows, int64_t channels))
{
	ROWS (strip, (channels + BIAS_STRIP - 1) / BIAS_STRIP) {
		int64_t c = strip * BIAS_STRIP;
		int n = (int)(channels - c < BIAS_STRIP ? channels - c : BIAS_STRIP);
		double sum[BIAS_STRIP] = { 0 };

		for (int64_t i = 0; i < rows; i++)
			for (int q = 0; q < n; q++)
				sum[q] += VALUE(dy[i * channels + c + q]);
		for (int q = 0; q < n; q++)
			db[c + q] = ELEM((real)sum[q]);
	}
}

static void
bias_rows_backward(elem *db, void *work, const elem *dy, int64_t rows, int64_t channels)
{
	(void)work;
	if (rows * channels < WORTH_THREADS)
		bias_column_kernel(db, dy, rows, channels);
	else
		LAUNCH_ROWS(bias_column_kernel, channels, (db, dy, rows, channels));
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
