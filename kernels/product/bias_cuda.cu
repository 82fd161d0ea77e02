/*
 * product/bias_cuda.cu - the gradient of a bias on CUDA.
 */
#ifndef STOWAGE_PRODUCT_BIAS_CUDA_CU
#define STOWAGE_PRODUCT_BIAS_CUDA_CU

#include "pointwise/pack_cuda.cu"
#include "pool/window.cu"
#include "sweep/last_cuda.cu"
#include "sweep/first_cuda.cu"
#include "sizes.h"

/*
 * Where sums take elements from: fetch() loads the pack at AT, the K-th of those that a thread has
 * at once, and take() says what its elements are.
 */

template <int WIDTH, int DEPTH> struct bias_given {
	const elem *dy;
	struct column_pack<WIDTH> from[DEPTH];

	DEVICE_METHOD void
	fetch(int k, int64_t at)
	{
		from[k] = column_load<WIDTH>(dy + at);
	}

	DEVICE_METHOD void
	take(real *value, int k, int64_t) const
	{
#pragma unroll
		for (int j = 0; j < WIDTH; j++)
			value[j] = VALUE(from[k].at[j]);
	}
};

/* What THEN makes of dy and of what lies beside it, as it is stored in MADE, which may be either of
 * them. */
template <int WIDTH, int DEPTH> struct bias_made {
	elem *made;
	const elem *dy;
	struct epilogue then;
	struct column_pack<WIDTH> from[DEPTH], beside[DEPTH];

	DEVICE_METHOD void
	fetch(int k, int64_t at)
	{
		from[k] = column_load<WIDTH>(dy + at);
		beside[k] = column_load<WIDTH>(then.saved + at);
	}

	DEVICE_METHOD void
	take(real *value, int k, int64_t at) const
	{
		pack_make<WIDTH>(made + at, value, from[k], then.kind, beside[k]);
#pragma unroll
		for (int j = 0; j < WIDTH; j++)
			value[j] = VALUE(ELEM(value[j]));
	}
};

/* Of dy of a pool's maxima, what passes to where these were: to nowhere (pool/maxpool.cu)
 * nothing. */
template <int WIDTH, int DEPTH> struct bias_pooled {
	struct alignas(WIDTH) places {
		uint8_t at[WIDTH];
	};
	const elem *dy;
	const uint8_t *place;
	struct column_pack<WIDTH> from[DEPTH];
	struct places of[DEPTH];

	DEVICE_METHOD void
	fetch(int k, int64_t at)
	{
		from[k] = column_load<WIDTH>(dy + at);
		of[k] = *(const struct places *)(place + at);
	}

	DEVICE_METHOD void
	take(real *value, int k, int64_t) const
	{
#pragma unroll
		for (int j = 0; j < WIDTH; j++)
			value[j] = of[k].at[j] == (uint8_t)POOL_NOWHERE ? 0 : VALUE(from[k].at[j]);
	}
};

/* Planes of PACKS packs: the sum of each of a channel's parts, in WORK; of a single one in db. */
template <int WIDTH, typename From> DEVICE void
bias_planes(From from, elem *db, double *work, int64_t b, int64_t channels, int64_t parts, int64_t packs)
{
	ROWS (r, channels * parts) {
		int64_t c = quotient(r, parts), p = r - c * parts;
		struct plane_part part = plane_part_of(b * packs, p, parts);
		struct plane_walk walk(part.from, c, channels, packs);
		int64_t i = part.from, far = (PLANE_DEPTH - 1) * BLOCK;
		real v[WIDTH];
		double sum = 0;

		for (; i + far < part.end; i += PLANE_DEPTH * BLOCK) {
			int64_t at[PLANE_DEPTH];
			real some = 0;

#pragma unroll
			for (int k = 0; k < PLANE_DEPTH; k++, walk.next())
				from.fetch(k, at[k] = walk.at * WIDTH);
#pragma unroll
			for (int k = 0; k < PLANE_DEPTH; k++) {
				from.take(v, k, at[k]);
#pragma unroll
				for (int j = 0; j < WIDTH; j++)
					some += v[j];
			}
			sum += some;
		}
		for (; i < part.end; i += BLOCK, walk.next()) {
			from.fetch(0, walk.at * WIDTH);
			from.take(v, 0, walk.at * WIDTH);
#pragma unroll
			for (int j = 0; j < WIDTH; j++)
				sum += v[j];
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

COLUMN_KERNEL(bias_planes_kernel, (elem *db, double *work, const elem *dy, int64_t b,
    int64_t channels, int64_t parts, int64_t packs))
{
	struct bias_given<WIDTH, PLANE_DEPTH> from;

	from.dy = dy;
	bias_planes<WIDTH>(from, db, work, b, channels, parts, packs);
}

COLUMN_KERNEL(bias_made_planes_kernel, (elem *db, double *work, elem *made, const elem *dy,
    struct epilogue then, int64_t b, int64_t channels, int64_t parts, int64_t packs))
{
	struct bias_made<WIDTH, PLANE_DEPTH> from;

	from.made = made, from.dy = dy, from.then = then;
	bias_planes<WIDTH>(from, db, work, b, channels, parts, packs);
}

COLUMN_KERNEL(bias_pooled_planes_kernel, (elem *db, double *work, const elem *dy, const uint8_t *place,
    int64_t b, int64_t channels, int64_t parts, int64_t packs))
{
	struct bias_pooled<WIDTH, PLANE_DEPTH> from;

	from.dy = dy, from.place = place;
	bias_planes<WIDTH>(from, db, work, b, channels, parts, packs);
}

/* Few rows: a warp's threads take neighbouring channels, the warps of a block rows in turn. */
#define BIAS_WARPS	(BLOCK / 32)

template <typename From> DEVICE void
bias_strip(From from, elem *db, int64_t rows, int64_t channels)
{
	__shared__ double each[BIAS_WARPS][32];
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

	ROWS (strip, (channels + 31) / 32) {
		int64_t c = strip * 32 + lane, i = warp;
		real some = 0, v;
		double sum;

		for (; c < channels && i < rows; i += BIAS_WARPS) {
			from.fetch(0, i * channels + c);
			from.take(&v, 0, i * channels + c);
			some += v;
		}
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

KERNEL(bias_strip_kernel, (elem *db, const elem *dy, int64_t rows, int64_t channels))
{
	struct bias_given<1, 1> from;

	from.dy = dy;
	bias_strip(from, db, rows, channels);
}

KERNEL(bias_made_strip_kernel, (elem *db, elem *made, const elem *dy, struct epilogue then, int64_t rows,
    int64_t channels))
{
	struct bias_made<1, 1> from;

	from.made = made, from.dy = dy, from.then = then;
	bias_strip(from, db, rows, channels);
}

KERNEL(bias_pooled_strip_kernel, (elem *db, const elem *dy, const uint8_t *place, int64_t rows, int64_t channels))
{
	struct bias_pooled<1, 1> from;

	from.dy = dy, from.place = place;
	bias_strip(from, db, rows, channels);
}

/* Many rows of neighbouring channels: they are summed in parts, which lie in WORK. */
template <int WIDTH, typename From> DEVICE void
bias_columns(From from, double *work, int64_t rows, int64_t channels, int64_t parts)
{
	column_row *each = column_room<WIDTH>();

	ROWS (r, column_strips(channels, WIDTH) * parts) {
		struct column_place at = column_place_of<WIDTH>(r, rows, channels, parts);
		double sum[WIDTH] = { 0 };
		real v[WIDTH];
		int64_t i = at.row, far = (COLUMN_DEPTH - 1) * at.step;

		for (; i + far < at.end; i += COLUMN_DEPTH * at.step) {
			real some[WIDTH] = { 0 };

#pragma unroll
			for (int k = 0; k < COLUMN_DEPTH; k++)
				from.fetch(k, (i + k * at.step) * channels + at.c);
#pragma unroll
			for (int k = 0; k < COLUMN_DEPTH; k++) {
				from.take(v, k, (i + k * at.step) * channels + at.c);
#pragma unroll
				for (int j = 0; j < WIDTH; j++)
					some[j] += v[j];
			}
#pragma unroll
			for (int j = 0; j < WIDTH; j++)
				sum[j] += some[j];
		}
		for (; i < at.end; i += at.step) {
			from.fetch(0, i * channels + at.c);
			from.take(v, 0, i * channels + at.c);
#pragma unroll
			for (int j = 0; j < WIDTH; j++)
				sum[j] += v[j];
		}
#pragma unroll
		for (int j = 0; j < WIDTH; j++)
			each[j][threadIdx.x] = sum[j];
		column_sums<WIDTH, 1>(work, each, at, channels, parts);
	}
}

COLUMN_KERNEL(bias_columns_kernel, (double *work, const elem *dy, int64_t rows, int64_t channels,
    int64_t parts))
{
	struct bias_given<WIDTH, COLUMN_DEPTH> from;

	from.dy = dy;
	bias_columns<WIDTH>(from, work, rows, channels, parts);
}

COLUMN_KERNEL(bias_made_columns_kernel, (double *work, elem *made, const elem *dy, struct epilogue then,
    int64_t rows, int64_t channels, int64_t parts))
{
	struct bias_made<WIDTH, COLUMN_DEPTH> from;

	from.made = made, from.dy = dy, from.then = then;
	bias_columns<WIDTH>(from, work, rows, channels, parts);
}

COLUMN_KERNEL(bias_pooled_columns_kernel, (double *work, const elem *dy, const uint8_t *place, int64_t rows,
    int64_t channels, int64_t parts))
{
	struct bias_pooled<WIDTH, COLUMN_DEPTH> from;

	from.dy = dy, from.place = place;
	bias_columns<WIDTH>(from, work, rows, channels, parts);
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
	LAUNCH_COLUMNS(bias_columns_kernel, channels, parts, ((double *)work, dy, rows, channels, parts));
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

/* The same two of what FROM makes of elements of dy and of what lies beside them, which is stored
 * in MADE: that may lie in either's place. */
static void
bias_rows_backward_of(elem *db, elem *made, void *work, const elem *dy, struct epilogue from, int64_t rows,
    int64_t channels)
{
	int64_t parts = bias_parts(channels);

	if (rows <= BIAS_ROWS) {
		LAUNCH_ROWS(bias_made_strip_kernel, (channels + 31) / 32, (db, made, dy, from, rows, channels));
		return;
	}
	LAUNCH_COLUMNS(bias_made_columns_kernel, channels, parts,
	    ((double *)work, made, dy, from, rows, channels, parts));
	LAUNCH_ROWS(bias_total_kernel, channels, (db, (const double *)work, channels, parts));
}

static void
bias_backward_of(elem *db, elem *made, void *work, const elem *dy, struct epilogue from, int64_t b, int64_t channels,
    int64_t positions)
{
	int64_t parts = b * positions > BIAS_PLANES ? bias_plane_parts(channels) : 1;

	LAUNCH_PLANE_SUMS(bias_made_planes_kernel, channels, positions, parts, db, (double *)work, made, dy, from, b,
	    channels, parts);
	if (parts > 1)
		LAUNCH_ROWS(bias_total_kernel, channels, (db, (const double *)work, channels, parts));
}

/* And of what passes to the PLACEs of a pool's maxima, of whose gradient dy is. */
static void
bias_rows_backward_pooled(elem *db, void *work, const elem *dy, const uint8_t *place, int64_t rows, int64_t channels)
{
	int64_t parts = bias_parts(channels);

	if (rows <= BIAS_ROWS) {
		LAUNCH_ROWS(bias_pooled_strip_kernel, (channels + 31) / 32, (db, dy, place, rows, channels));
		return;
	}
	LAUNCH_COLUMNS(bias_pooled_columns_kernel, channels, parts, ((double *)work, dy, place, rows, channels, parts));
	LAUNCH_ROWS(bias_total_kernel, channels, (db, (const double *)work, channels, parts));
}

static void
bias_backward_pooled(elem *db, void *work, const elem *dy, const uint8_t *place, int64_t b, int64_t channels,
    int64_t positions)
{
	int64_t parts = b * positions > BIAS_PLANES ? bias_plane_parts(channels) : 1;

	LAUNCH_PLANE_SUMS(bias_pooled_planes_kernel, channels, positions, parts, db, (double *)work, dy, place, b, channels,
	    parts);
	if (parts > 1)
		LAUNCH_ROWS(bias_total_kernel, channels, (db, (const double *)work, channels, parts));
}

#endif
