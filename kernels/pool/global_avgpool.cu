/*
 * pool/global_avgpool.cu - average over all places of [b, channels, n], or with _last of
 * [b, n, channels].
 */
#ifndef STOWAGE_POOL_GLOBAL_AVGPOOL_CU
#define STOWAGE_POOL_GLOBAL_AVGPOOL_CU

#include "kernel.h"

KERNEL(global_avgpool_kernel, (elem *out, const elem *in, int64_t planes, int64_t n))
{
	ROWS (r, planes) {
		double sum = 0;

		ALONG_ADD (j, n, sum)
			sum += VALUE(in[r * n + j]);
		sum = ROW_SUM(sum);
		FIRST
			out[r] = ELEM((real)(sum / (double)n));
	}
}

static void
global_avgpool_forward(elem *out, const elem *in, int64_t b, int64_t channels, int64_t n)
{
	LAUNCH_ROWS(global_avgpool_kernel, b * channels, (out, in, b * channels, n));
}

/* ---- channels-last ---- */

/* Channels are summed side by side, some at a time: with a thread each there are few threads, but
 * the images are small where they are averaged. */
#define POOL_COLUMNS	32

#ifdef __CUDACC__

KERNEL(global_avgpool_last_kernel, (elem *out, const elem *in, int64_t b, int64_t channels,
    int64_t n))
{
	__shared__ double part[BLOCK / POOL_COLUMNS][POOL_COLUMNS];
	int64_t strips = (channels + POOL_COLUMNS - 1) / POOL_COLUMNS;
	int lane = threadIdx.x % POOL_COLUMNS, first = threadIdx.x / POOL_COLUMNS;

	ROWS (r, b * strips) {
		int64_t c = r % strips * POOL_COLUMNS + lane, image = r / strips;
		double sum = 0;

		for (int64_t j = first; j < n && c < channels; j += BLOCK / POOL_COLUMNS)
			sum += VALUE(in[(image * n + j) * channels + c]);
		part[first][lane] = sum;
		__syncthreads();
		for (int i = 1; i < BLOCK / POOL_COLUMNS && first == 0; i++)
			sum += part[i][lane];
		if (first == 0 && c < channels)
			out[image * channels + c] = ELEM((real)(sum / (double)n));
		__syncthreads();
	}
}

#else

KERNEL(global_avgpool_last_kernel, (elem *out, const elem *in, int64_t b, int64_t channels,
    int64_t n))
{
	int64_t strips = (channels + POOL_COLUMNS - 1) / POOL_COLUMNS;

	ROWS (r, b * strips) {
		int64_t c = r % strips * POOL_COLUMNS, image = r / strips;
		int64_t count = channels - c < POOL_COLUMNS ? channels - c : POOL_COLUMNS;
		double sum[POOL_COLUMNS] = { 0 };

		for (int64_t j = 0; j < n; j++)
			for (int64_t q = 0; q < count; q++)
				sum[q] += VALUE(in[(image * n + j) * channels + c + q]);
		for (int64_t q = 0; q < count; q++)
			out[image * channels + c + q] = ELEM((real)(sum[q] / (double)n));
	}
}

#endif

static void
global_avgpool_last_forward(elem *out, const elem *in, int64_t b, int64_t channels, int64_t n)
{
	LAUNCH_ROWS(global_avgpool_last_kernel, b * ((channels + POOL_COLUMNS - 1) / POOL_COLUMNS),
	    (out, in, b, channels, n));
}

#endif
