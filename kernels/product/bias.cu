/*
 * product/bias.cu - the gradient of a bias: the sum of dy over samples and positions.
 *
 * db[c] = sum over b and p of dy[b,c,p]. A dense layer's bias has one position; local's bias, which
 * has one value per filter and position, is the same with its values as channels.
 */
#ifndef STOWAGE_PRODUCT_BIAS_CU
#define STOWAGE_PRODUCT_BIAS_CU

#include "kernel.h"
#include "sweep/last_cuda.cu"
#include "sweep/first_cuda.cu"
#include "sizes.h"

#ifdef __CUDACC__

/* Planes of PACKS packs: the sum of each of a channel's parts, in WORK; of a single one in db. */
template <int WIDTH> KERNEL(bias_planes_kernel, (elem *db, double *work, const elem *dy, int64_t b,
    int64_t channels, int64_t parts, int64_t packs))
{
	ROWS (r, channels * parts) {
		int64_t c = quotient(r, parts), p = r - c * parts;
		struct plane_part part = plane_part_of(b * packs, p, parts);
		struct plane_walk walk(part.from, c, channels, packs);
		int64_t i = part.from, far = (PLANE_DEPTH - 1) * BLOCK;
		double sum = 0;

		for (; i + far < part.end; i += PLANE_DEPTH * BLOCK) {
			struct column_pack<WIDTH> v[PLANE_DEPTH];
			real some = 0;

#pragma unroll
			for (int k = 0; k < PLANE_DEPTH; k++, walk.next())
				v[k] = column_load<WIDTH>(dy + walk.at * WIDTH);
#pragma unroll
			for (int k = 0; k < PLANE_DEPTH * WIDTH; k++)
				some += VALUE(v[k / WIDTH].at[k % WIDTH]);
			sum += some;
		}
		for (; i < part.end; i += BLOCK, walk.next()) {
			struct column_pack<WIDTH> v = column_load<WIDTH>(dy + walk.at * WIDTH);

#pragma unroll
			for (int j = 0; j < WIDTH; j++)
				sum += VALUE(v.at[j]);
		}
		sum = ROW_SUM(sum);
		FIRST {
			if (parts > 1)
				work[r] = sum;
			else
				db[c] = ELEM((real)sum);
		}
	}
}

/* Few rows: a warp's threads take neighbouring channels, the warps of a block rows in turn. */
#define BIAS_WARPS	(BLOCK / 32)

KERNEL(bias_strip_kernel, (elem *db, const elem *dy, int64_t rows, int64_t channels))
{
	__shared__ double each[BIAS_WARPS][32];
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

	ROWS (strip, (channels + 31) / 32) {
		int64_t c = strip * 32 + lane, i = warp;
		real some = 0;
		double sum;

		for (; c < channels && i < rows; i += BIAS_WARPS)
			some += VALUE(dy[i * channels + c]);
		__syncthreads();	/* the strip before has been read */
		each[warp][lane] = some;
		__syncthreads();
		if (warp > 0 || c >= channels)
			continue;
		sum = some;
		for (int w = 1; w < BIAS_WARPS; w++)
			sum += each[w][lane];
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

/* dy is [rows, channels]; WORK has bias_parts() sums a channel. */
static void
bias_rows_backward(elem *db, void *work, const elem *dy, int64_t rows, int64_t channels)
{
	int64_t parts = bias_parts(channels);

	if (rows <= BIAS_ROWS) {
		LAUNCH_ROWS(bias_strip_kernel, (channels + 31) / 32, (db, dy, rows, channels));
		return;
	}
	LAUNCH_COLUMNS(bias_parts_kernel, channels, parts, ((double *)work, dy, rows, channels, parts));
	LAUNCH_ROWS(bias_total_kernel, channels, (db, (const double *)work, channels, parts));
}

/* dy is [b, channels, positions]; WORK has bias_plane_parts() sums a channel. A block alone is
 * quick enough with short sums, or where there are enough others. */
static void
bias_backward(elem *db, void *work, const elem *dy, int64_t b, int64_t channels, int64_t positions)
{
	int64_t parts = b * positions > BIAS_PLANES ? bias_plane_parts(channels) : 1;

	LAUNCH_PLANE_SUMS(bias_planes_kernel, channels, positions, parts, db, (double *)work, dy, b,
	    channels, parts);
	if (parts > 1)
		LAUNCH_ROWS(bias_total_kernel, channels, (db, (const double *)work, channels, parts));
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

#endif
