/*
 * bias.cu - the gradient of a bias: the sum of dy over samples and positions.
 *
 * db[c] = sum over b and p of dy[b,c,p]. A dense layer's bias has one position; local's bias, which
 * has one value per filter and position, is the same with its values as channels.
 */
#ifndef STOWAGE_BIAS_CU
#define STOWAGE_BIAS_CU

#include "kernel.h"
#include "columns.cu"
#include "sizes.cu"

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

/* One position: a warp's threads take neighbouring channels, the warps of a block rows in turn, and
 * PIECES blocks a channel, whose sums a second kernel adds up. */
#define BIAS_WARPS	(BLOCK / 32)

KERNEL(bias_column_kernel, (elem *db, double *piece, const elem *dy, int64_t b, int64_t channels,
    int64_t strips, int64_t pieces))
{
	__shared__ double sums[BIAS_WARPS][32];
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

	ROWS (r, strips * pieces) {
		int64_t p = r / strips, c = r % strips * 32 + lane;
		int64_t i = PART_FROM(b, p, pieces) + warp, end = PART_FROM(b, p + 1, pieces);
		real some = 0;
		double sum;

		for (; c < channels && i < end; i += BIAS_WARPS)
			some += VALUE(dy[i * channels + c]);
		__syncthreads();	/* the strip before has been read */
		sums[warp][lane] = some;
		__syncthreads();
		if (warp > 0 || c >= channels)
			continue;
		sum = some;
		for (int w = 1; w < BIAS_WARPS; w++)
			sum += sums[w][lane];
		if (pieces > 1)
			piece[p * channels + c] = sum;
		else
			db[c] = ELEM((real)sum);
	}
}

KERNEL(bias_pieces_kernel, (elem *db, const double *piece, int64_t channels, int64_t pieces))
{
	EACH (c, channels) {
		double sum = 0;

		for (int64_t p = 0; p < pieces; p++)
			sum += piece[p * channels + c];
		db[c] = ELEM((real)sum);
	}
}

/* Many rows of neighbouring channels: they are summed in parts, which lie in WORK. */
template <int WIDTH> KERNEL(bias_parts_kernel, (double *work, const elem *dy, int64_t rows,
    int64_t channels, int64_t parts))
{
	__shared__ double each[WIDTH][BLOCK];

	ROWS (r, column_strips(channels, WIDTH) * parts) {
		struct column_place at = column_place_of<WIDTH>(r, rows, channels, parts);
		double sum[WIDTH] = { 0 };
		int64_t i = at.row, far = (COLUMN_DEPTH - 1) * at.step;

		for (; i + far < at.end; i += COLUMN_DEPTH * at.step) {
			struct column_rows<WIDTH> v;

			v.load(dy + at.c, i, at.step, channels);
#pragma unroll
			for (int j = 0; j < WIDTH; j++) {
				real s = 0;

#pragma unroll
				for (int k = 0; k < COLUMN_DEPTH; k++)
					s += VALUE(v.at[k].at[j]);
				sum[j] += s;
			}
		}
		for (; i < at.end; i += at.step) {
			struct column_pack<WIDTH> v = column_load<WIDTH>(dy + i * channels + at.c);

#pragma unroll
			for (int j = 0; j < WIDTH; j++)
				sum[j] += VALUE(v.at[j]);
		}
#pragma unroll
		for (int j = 0; j < WIDTH; j++)
			each[j][threadIdx.x] = sum[j];
		column_sums<WIDTH, 1>(work, each, at, channels, parts);
	}
}

KERNEL(bias_total_kernel, (elem *db, const double *work, int64_t channels, int64_t parts))
{
	ROWS (c, channels) {
		double sum = 0;

		ALONG (p, parts)
			sum += work[c * parts + p];
		sum = ROW_SUM(sum);
		FIRST
			db[c] = ELEM((real)sum);
	}
}

/* dy is [rows, channels]. */
static void
bias_last_backward(elem *db, void *work, const elem *dy, int64_t rows, int64_t channels)
{
	int64_t parts = bias_parts(channels);

	LAUNCH_COLUMNS(bias_parts_kernel, channels, parts, ((double *)work, dy, rows, channels, parts));
	LAUNCH_ROWS(bias_total_kernel, channels, (db, (const double *)work, channels, parts));
}

/* WORK: bias_scratch_fixed() and so on, or NULL where sums are not long. */
static void
bias_backward(elem *db, const elem *dy, void *work, int64_t b, int64_t channels, int64_t positions)
{
	int64_t pieces = work ? parts(b, BIAS_ROWS) : 1, strips = parts(channels, 32);

	if (positions > 1) {
		LAUNCH_ROWS(bias_kernel, channels, (db, dy, b, channels, positions));
		return;
	}
	LAUNCH_ROWS(bias_column_kernel, strips * pieces,
	    (db, (double *)work, dy, b, channels, strips, pieces));
	if (pieces > 1)
		LAUNCH(bias_pieces_kernel, channels, (db, (const double *)work, channels, pieces));
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
bias_backward(elem *db, const elem *dy, void *work, int64_t b, int64_t channels, int64_t positions)
{
	(void)work;
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

static void
bias_last_backward(elem *db, void *work, const elem *dy, int64_t rows, int64_t channels)
{
	(void)work;
	bias_backward(db, dy, NULL, rows, channels, 1);
}

#endif

#endif
