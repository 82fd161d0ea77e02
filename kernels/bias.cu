/*
 * bias.cu - the gradient of a bias: the sum of dy over samples and positions.
 *
 * db[c] = sum over b and p of dy[b,c,p]. A dense layer's bias has one position; local's bias, which
 * has one value per filter and position, is the same with its values as channels.
 */
#ifndef STOWAGE_BIAS_CU
#define STOWAGE_BIAS_CU

#include "kernel.h"

#ifdef __CUDACC__

KERNEL(bias_kernel, (elem *db, const elem *dy, int64_t b, int64_t channels, int64_t positions))
{
	ROWS (c, channels) {
		double sum = 0;

		ALONG (j, b * positions)
			sum += VALUE(dy[(j / positions * channels + c) * positions +
			    j % positions]);
		sum = ROW_SUM(sum);
		FIRST
			db[c] = ELEM((real)sum);
	}
}

/* one position: neighbouring threads take neighbouring channels */
KERNEL(bias_column_kernel, (elem *db, const elem *dy, int64_t b, int64_t channels))
{
	EACH (c, channels) {
		double sum = 0;

		for (int64_t i = 0; i < b; i++)
			sum += VALUE(dy[i * channels + c]);
		db[c] = ELEM((real)sum);
	}
}

static void
bias_backward(elem *db, const elem *dy, int64_t b, int64_t channels, int64_t positions)
{
	if (positions == 1)
		LAUNCH(bias_column_kernel, channels, (db, dy, b, channels));
	else
		LAUNCH_ROWS(bias_kernel, channels, (db, dy, b, channels, positions));
}

#else

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

/* One position: channels are neighbours, so a strip of them is summed at a time. */
#define BIAS_STRIP	64

KERNEL(bias_column_kernel, (elem *db, const elem *dy, int64_t b, int64_t channels))
{
	ROWS (strip, (channels + BIAS_STRIP - 1) / BIAS_STRIP) {
		int64_t c = strip * BIAS_STRIP;
		int n = (int)(channels - c < BIAS_STRIP ? channels - c : BIAS_STRIP);
		double sum[BIAS_STRIP] = { 0 };

		for (int64_t i = 0; i < b; i++)
			for (int q = 0; q < n; q++)
				sum[q] += VALUE(dy[i * channels + c + q]);
		for (int q = 0; q < n; q++)
			db[c + q] = ELEM((real)sum[q]);
	}
}

static void
bias_backward(elem *db, const elem *dy, int64_t b, int64_t channels, int64_t positions)
{
	if (b * channels * positions < WORTH_THREADS) {
		if (positions == 1)
			bias_column_kernel(db, dy, b, channels);
		else
			bias_kernel(db, dy, b, channels, positions);
	} else if (positions == 1) {
		LAUNCH_ROWS(bias_column_kernel, channels, (db, dy, b, channels));
	} else {
		LAUNCH_ROWS(bias_kernel, channels, (db, dy, b, channels, positions));
	}
}

#endif

#endif
