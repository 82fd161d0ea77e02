/*
 * copy/permute.cu - images from one layout to the other: [b, rows, cols] to [b, cols, rows], rows
 * being channels and cols places, or the other way round.
 *
 * Either reading or writing jumps, so a tile is turned at a time: in C one that stays in the first
 * cache, on CUDA one in shared memory, whose rows are read, and whose columns are written, by
 * neighbouring threads.
 */
#include "kernel.h"

#define PERMUTE_TILE	32

#ifdef __CUDACC__

#define PERMUTE_STEP	(BLOCK / PERMUTE_TILE)

KERNEL(permute_kernel, (elem *y, const elem *x, int64_t tiles, int64_t rows, int64_t cols))
{
	__shared__ elem tile[PERMUTE_TILE][PERMUTE_TILE + 2];
	int64_t across = (cols + PERMUTE_TILE - 1) / PERMUTE_TILE;
	int64_t down = (rows + PERMUTE_TILE - 1) / PERMUTE_TILE;
	int lane = threadIdx.x % PERMUTE_TILE, first = threadIdx.x / PERMUTE_TILE;

	ROWS (t, tiles) {
		int64_t col = t % across * PERMUTE_TILE, row = t / across % down * PERMUTE_TILE;
		int64_t image = t / across / down * rows * cols;

		for (int i = first; i < PERMUTE_TILE; i += PERMUTE_STEP)
			if (row + i < rows && col + lane < cols)
				tile[i][lane] = x[image + (row + i) * cols + col + lane];
		__syncthreads();
		for (int i = first; i < PERMUTE_TILE; i += PERMUTE_STEP)
			if (col + i < cols && row + lane < rows)
				y[image + (col + i) * rows + row + lane] = tile[lane][i];
		__syncthreads();
	}
}

/* Few rows, as the channels of a picture, fill no tile: a thread takes a column of them. */
#define PERMUTE_FEW	8

KERNEL(permute_few_kernel, (elem *y, const elem *x, int64_t b, int64_t rows, int64_t cols))
{
	EACH (i, b * cols) {
		int64_t image = quotient(i, cols), from = image * (rows - 1) * cols + i;

		for (int64_t r = 0; r < rows; r++)
			y[i * rows + r] = x[from + r * cols];
	}
}

#else

KERNEL(permute_kernel, (elem *y, const elem *x, int64_t tiles, int64_t rows, int64_t cols))
{
	int64_t across = (cols + PERMUTE_TILE - 1) / PERMUTE_TILE;
	int64_t down = (rows + PERMUTE_TILE - 1) / PERMUTE_TILE;

	ROWS (t, tiles) {
		int64_t col = t % across * PERMUTE_TILE, row = t / across % down * PERMUTE_TILE;
		int64_t image = t / across / down * rows * cols;
		int64_t right = cols - col < PERMUTE_TILE ? cols : col + PERMUTE_TILE;
		int64_t bottom = rows - row < PERMUTE_TILE ? rows : row + PERMUTE_TILE;

		for (int64_t c = col; c < right; c++)
			for (int64_t r = row; r < bottom; r++)
				y[image + c * rows + r] = x[image + r * cols + c];
	}
}

#endif

static void
permute(elem *y, const elem *x, int64_t b, int64_t rows, int64_t cols)
{
	int64_t tiles = b * ((cols + PERMUTE_TILE - 1) / PERMUTE_TILE) *
	    ((rows + PERMUTE_TILE - 1) / PERMUTE_TILE);

#ifdef __CUDACC__
	if (rows <= PERMUTE_FEW) {
		LAUNCH(permute_few_kernel, b * cols, (y, x, b, rows, cols));
		return;
	}
#endif
	LAUNCH_ROWS(permute_kernel, tiles, (y, x, tiles, rows, cols));
}
