/*
 * sweep/last_cuda.cu - the CUDA side of what goes by channels where these lie last: [rows,
 * channels].
 *
 * A warp takes neighbouring channels, WIDTH of them a thread in one access of 16 bytes where their
 * number allows, and goes down the rows; what it has to know of a channel it reads once. Rows are
 * cut into parts, whose number follows from the shape alone, so that few channels still fill the
 * card and sums have one order: down a thread's rows, then over the threads of a block, then over
 * the parts.
 *
 *     channels    0 .. W-1 | W .. 2W-1 | ...         a strip: up to 32 threads side by side,
 *     thread          0    |     1     | ...         256 / that many below one another
 */
#ifndef STOWAGE_SWEEP_LAST_CUDA_CU
#define STOWAGE_SWEEP_LAST_CUDA_CU

#include "kernel.h"

#define COLUMN_LANES	32	/* threads side by side, at most */
#define COLUMN_DEPTH	4	/* rows that a thread reads at once; their terms are added up as reals, the
				 * sums of these as doubles */
#define COLUMN_PAIR	2	/* rows that it reads at once where nothing is summed */
#define COLUMN_WIDTH	(16 / (int)sizeof(elem))

/* The elements that a thread takes at once. */
template <int WIDTH> struct alignas(WIDTH * sizeof(elem)) column_pack {
	elem at[WIDTH];
};

template <int WIDTH> DEVICE struct column_pack<WIDTH>
column_load(const elem *from)
{
	return *(const struct column_pack<WIDTH> *)from;
}

template <int WIDTH> DEVICE void
column_store(elem *to, const struct column_pack<WIDTH> &pack)
{
	*(struct column_pack<WIDTH> *)to = pack;
}

/* What is known of so many channels, as few accesses. */
template <int WIDTH> struct alignas(WIDTH * sizeof(real) < 16 ? WIDTH * sizeof(real) : 16) column_reals {
	real at[WIDTH];
};

template <int WIDTH> DEVICE struct column_reals<WIDTH>
column_known(const real *from)
{
	return *(const struct column_reals<WIDTH> *)from;
}

static __host__ __device__ __forceinline__ int
column_lanes(int64_t channels, int width)
{
	return channels / width < COLUMN_LANES ? (int)(channels / width) : COLUMN_LANES;
}

static __host__ __device__ __forceinline__ int64_t
column_strips(int64_t channels, int width)
{
	int64_t lanes = column_lanes(channels, width);

	return (channels / width + lanes - 1) / lanes;
}

/* Can it be cut into packs of COLUMN_WIDTH? */
static inline bool
column_is_wide(int64_t channels)
{
	return channels % COLUMN_WIDTH == 0;
}

/* Parts for a sweep that sums nothing: some rows a thread. */
static inline int64_t
column_parts(int64_t rows, int64_t channels, int width)
{
	int64_t tall = BLOCK / column_lanes(channels, width) * COLUMN_DEPTH;

	return (rows + tall - 1) / tall;
}

/* Rows ROW, ROW + STEP, .. of as many columns: COLUMN_DEPTH of them are on their way together. */
template <int WIDTH> struct column_rows {
	struct column_pack<WIDTH> at[COLUMN_DEPTH];

	DEVICE_METHOD void
	load(const elem *from, int64_t row, int step, int64_t channels)
	{
#pragma unroll
		for (int k = 0; k < COLUMN_DEPTH; k++)
			at[k] = column_load<WIDTH>(from + (row + k * step) * channels);
	}
};

/* What block R of strips * PARTS has this thread do: rows [row, end), every STEP-th, from channel C
 * on; none where it is one too many. */
struct column_place {
	int64_t part, strip, c, row, end;
	int step;
};

template <int WIDTH> DEVICE struct column_place
column_place_of(int64_t r, int64_t rows, int64_t channels, int64_t parts)
{
	int64_t strips = column_strips(channels, WIDTH);
	int lanes = column_lanes(channels, WIDTH);
	struct column_place at;

	at.part = r / strips, at.strip = r % strips;
	at.c = (at.strip * lanes + threadIdx.x % lanes) * WIDTH;
	at.step = BLOCK / lanes;
	at.row = PART_FROM(rows, at.part, parts) + threadIdx.x / lanes;
	at.end = PART_FROM(rows, at.part + 1, parts);
	if (at.c >= channels || (int)threadIdx.x / lanes >= at.step) {
		at.c = 0;
		at.end = at.row;
	}
	return at;
}

/* Rows that a thread still has from ROW on, of MOST that it takes at once. */
template <int MOST> DEVICE int
column_left(int64_t row, const struct column_place &at)
{
	int n = 1;

#pragma unroll
	for (int k = 1; k < MOST; k++)
		n += row + k * at.step < at.end;
	return n;
}

typedef double column_row[BLOCK];

/* Shared memory for N numbers of each thread, the same for all kernels that have so many. */
template <int N> DEVICE column_row *
column_room(void)
{
	__shared__ double each[N][BLOCK];

	return each;
}

/* The block's sums of its strip's channels, N numbers a channel: thread by thread in EACH, summed
 * up in WORK[(c * parts + part) * N + n]. */
template <int WIDTH, int N> DEVICE void
column_sums(double *work, double (*each)[BLOCK], const struct column_place &at, int64_t channels,
    int64_t parts)
{
	int lanes = column_lanes(channels, WIDTH);

	__syncthreads();
	for (int e = threadIdx.x; e < lanes * WIDTH * N; e += BLOCK) {
		int n = e % N, j = e / N % WIDTH, lane = e / N / WIDTH;
		int64_t c = (at.strip * lanes + lane) * WIDTH + j;
		double sum = 0;

		for (int y = 0; y < at.step; y++)
			sum += each[j * N + n][y * lanes + lane];
		if (c < channels)
			work[(c * parts + at.part) * N + n] = sum;
	}
	__syncthreads();
}

/* Calls the instance of a kernel for that many channels, over PARTS parts of their rows. */
#define LAUNCH_COLUMNS(name, channels, parts, args)	do {				\
	if (column_is_wide(channels))							\
		LAUNCH_ROWS(name<COLUMN_WIDTH>, column_strips(channels, COLUMN_WIDTH) * (parts), args);	\
	else										\
		LAUNCH_ROWS(name<1>, column_strips(channels, 1) * (parts), args);	\
} while (0)
/* The same of a sweep, whose last argument is the parts it is cut into. */
#define LAUNCH_SWEEP(name, rows, channels, ...)	do {					\
	int64_t cut_ = column_parts(rows, channels, column_is_wide(channels) ? COLUMN_WIDTH : 1);	\
	LAUNCH_COLUMNS(name, channels, cut_, (__VA_ARGS__, cut_));			\
} while (0)

#endif
