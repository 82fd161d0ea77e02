/*
 * product/bias_cuda.cu - the gradient of a bias on CUDA.
 */
#ifndef STOWAGE_PRODUCT_BIAS_CUDA_CU
#define STOWAGE_PRODUCT_BIAS_CUDA_CU

#include "sweep/last_cuda.cu"
#include "sweep/first_cuda.cu"
#include "sizes.h"

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

#endif
