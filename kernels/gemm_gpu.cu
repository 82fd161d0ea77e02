/*
 * gemm_gpu.cu - the CUDA side of gemm.cu: one tiled product whose operands are functions.
 *
 * A block of 256 threads makes a tile of 64 x 64, four by four to a thread, over slices of 16 terms
 * kept in shared memory; the next slice is fetched into registers while the last is multiplied. A
 * job says how elements are found:
 *
 *     rows, cols, depth                     of each of the products z
 *     a(z, row, k), b(z, k, col)            elements
 *     store(z, row, col, value)
 *     A_ALONG_K, B_ALONG_K                  whether neighbours in memory lie along the sum, which
 *                                           decides what neighbouring threads fetch
 *
 * Tiles are numbered along blockIdx.x alone, whose limit, 2^31 - 1, is beyond any arena.
 *
 * No atomics: every element is summed by one thread in one order. A long sum over few elements is
 * split among blocks, each writing a partial result that a second kernel adds up.
 */
#ifndef STOWAGE_GEMM_GPU_CU
#define STOWAGE_GEMM_GPU_CU

#include "kernel.h"
#include "sizes.cu"

#ifdef __CUDACC__

#define GPU_SLICE	16
#define GPU_EACH	4	/* elements of C along each side to a thread, and fetched by it */

template <class Job> DEVICE void
gpu_fetch(const Job &job, int z, int64_t row, int64_t col, int64_t k, int64_t end, real *a, real *b)
{
	int t = threadIdx.x;

#pragma unroll
	for (int i = 0; i < GPU_EACH; i++) {
		int64_t m = row + (Job::A_ALONG_K ? t / GPU_SLICE + i * 16 : t % GPU_TILE);
		int64_t p = k + (Job::A_ALONG_K ? t % GPU_SLICE : t / GPU_TILE + i * 4);
		int64_t n = col + (Job::B_ALONG_K ? t / GPU_SLICE + i * 16 : t % GPU_TILE);
		int64_t q = k + (Job::B_ALONG_K ? t % GPU_SLICE : t / GPU_TILE + i * 4);

		a[i] = m < job.rows && p < end ? job.a(z, m, p) : 0;
		b[i] = n < job.cols && q < end ? job.b(z, q, n) : 0;
	}
}

template <class Job> static __global__ void __launch_bounds__(256)
gpu_product_kernel(Job job, int splits)
{
	__shared__ real as[GPU_SLICE][GPU_TILE + 4], bs[GPU_SLICE][GPU_TILE + 4];
	int t = threadIdx.x, ty = t / 16, tx = t % 16;
	int64_t cols = (job.cols + GPU_TILE - 1) / GPU_TILE;
	int64_t rows = (job.rows + GPU_TILE - 1) / GPU_TILE;
	int64_t row = blockIdx.x / cols % rows * GPU_TILE, col = blockIdx.x % cols * GPU_TILE;
	int part = (int)(blockIdx.x / cols / rows), z = part / splits, split = part % splits;
	int64_t each = (job.depth + splits - 1) / splits;
	int64_t k = split * each, end = k + each < job.depth ? k + each : job.depth;
	real a[GPU_EACH], b[GPU_EACH], sum[GPU_EACH][GPU_EACH] = {};

	gpu_fetch(job, z, row, col, k, end, a, b);
	for (; k < end; k += GPU_SLICE) {
		__syncthreads();
#pragma unroll
		for (int i = 0; i < GPU_EACH; i++) {
			if (Job::A_ALONG_K)
				as[t % GPU_SLICE][t / GPU_SLICE + i * 16] = a[i];
			else
				as[t / GPU_TILE + i * 4][t % GPU_TILE] = a[i];
			if (Job::B_ALONG_K)
				bs[t % GPU_SLICE][t / GPU_SLICE + i * 16] = b[i];
			else
				bs[t / GPU_TILE + i * 4][t % GPU_TILE] = b[i];
		}
		__syncthreads();
		if (k + GPU_SLICE < end)
			gpu_fetch(job, z, row, col, k + GPU_SLICE, end, a, b);
#pragma unroll
		for (int p = 0; p < GPU_SLICE; p++)
#pragma unroll
			for (int i = 0; i < GPU_EACH; i++)
#pragma unroll
				for (int j = 0; j < GPU_EACH; j++)
					sum[i][j] += as[p][ty * 4 + i] * bs[p][tx + j * 16];
	}
	for (int i = 0; i < GPU_EACH; i++)
		for (int j = 0; j < GPU_EACH; j++) {
			int64_t m = row + ty * 4 + i, n = col + tx + j * 16;

			if (m < job.rows && n < job.cols)
				job.store(z, split, m, n, sum[i][j]);
		}
}

template <class Job> static void
gpu_product(const Job &job, int products, int splits)
{
	int64_t blocks = parts(job.cols, GPU_TILE) * parts(job.rows, GPU_TILE) * products * splits;

	gpu_product_kernel<<<(unsigned)blocks, 256, 0, stream>>>(job, splits);
	LAUNCHED(gpu_product_kernel);
}

/* The sum of SPLITS partial results, in order. */
KERNEL(gpu_sum_kernel, (real *c, const real *part, struct onto onto, int64_t n, int splits))
{
	real keep = onto_keep(onto);

	EACH (i, n) {
		real sum = part[i];

		for (int s = 1; s < splits; s++)
			sum += part[s * n + i];
		onto_store(&c[i], sum, keep);
	}
}

#endif

#endif
