/*
 * gemm_gpu.cu - the CUDA side of gemm.cu: one tiled product whose operands are functions.
 *
 * A block of 256 threads makes a tile of C, over slices of the sum that are kept in shared memory;
 * the next slice is fetched into registers while the last is multiplied. Where an element lies is a
 * function of three things, each found out once and kept in shared memory as well: its row or its
 * column, for the whole tile, and its term of the sum, for a slice. A job says:
 *
 *     rows, cols, depth                     of each of the products z
 *     term(z, k), row(z, m), col(z, n)      what is to be known of each
 *     a(row, term), b(term, col)            elements
 *     store(z, split, m, n, value)
 *     A_ALONG_K, B_ALONG_K                  whether neighbours in memory lie along the sum, which
 *                                           decides what neighbouring threads fetch
 *     C_ALONG_ROWS                          whether they lie along the rows of C, and not its columns
 *     SUMS_A                                whether the rows of A may be summed too; then also
 *     sums                                  where those sums go, in elements; NULL: they are not wanted
 *
 * Elements of 16 bits, and f32 where tf32 is allowed, are multiplied by tensor cores, with sums in f32:
 *
 *     8 warps, 64 x 32 of the tile of 128 x 128 each          f16 from sm_70 on, bf16 and tf32 from
 *                                                             sm_80 on
 *
 * Otherwise a thread multiplies 4 x 4 elements of 64 x 64 (or 8 x 8 of the larger tile) by itself.
 *
 * Tiles are numbered along blockIdx.x alone, whose limit, 2^31 - 1, is beyond any arena.
 *
 * No atomics: every element is summed by one thread, or one warp, in one order. A long sum over few
 * elements is split among blocks, each writing a partial result that a second kernel adds up.
 */
#ifndef STOWAGE_GEMM_GPU_CU
#define STOWAGE_GEMM_GPU_CU

#include "kernel.h"
#include "sizes.cu"

#ifdef __CUDACC__

#if NARROW || defined(USE_TF32)
#include <mma.h>
#define GPU_SIDE	128	/* of a tile */
#define GPU_SLICE	(NARROW ? 32 : 16)	/* terms */
#if defined(USE_F16) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
#define TENSOR_CORES
#elif !defined(USE_F16) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define TENSOR_CORES
#endif
#else
#define GPU_SIDE	64
#define GPU_SLICE	16
#endif
#define GPU_THREADS	256
#define GPU_PITCH	(GPU_SIDE + (NARROW ? 8 : 4))	/* rows in shared memory begin in other banks */
#define GPU_FETCH	(GPU_SIDE * GPU_SLICE / GPU_THREADS)	/* elements of each operand, by a thread */
#define GPU_EACH	(GPU_SIDE / 16)	/* elements of C along each side to a thread */

/* A slice of both operands, and what is known of rows, columns and terms. */
template <class Job> struct gpu_shared {
	elem a[GPU_SLICE][GPU_PITCH], b[GPU_SLICE][GPU_PITCH];
	typename Job::Row row[GPU_SIDE];
	typename Job::Col col[GPU_SIDE];
	typename Job::Term term[GPU_SLICE];
};

/* Where thread T's I-th element of a slice lies: its term, and its row or column. */
template <bool ALONG_K> DEVICE void
gpu_place(int t, int i, int *k, int *side)
{
	*k = ALONG_K ? t % GPU_SLICE : t / GPU_SIDE + i * (GPU_THREADS / GPU_SIDE);
	*side = ALONG_K ? t / GPU_SLICE + i * (GPU_THREADS / GPU_SLICE) : t % GPU_SIDE;
}

/* Terms [k, end), of which the shared ones are those of this slice. */
template <class Job> DEVICE void
gpu_fetch(const Job &job, const struct gpu_shared<Job> &s, int rows, int cols, int64_t terms,
    elem *a, elem *b)
{
	int k, side;

#pragma unroll
	for (int i = 0; i < GPU_FETCH; i++) {
		gpu_place<Job::A_ALONG_K>(threadIdx.x, i, &k, &side);
		a[i] = side < rows && k < terms ? job.a(s.row[side], s.term[k]) : ELEM(0);
		gpu_place<Job::B_ALONG_K>(threadIdx.x, i, &k, &side);
		b[i] = side < cols && k < terms ? job.b(s.term[k], s.col[side]) : ELEM(0);
	}
}

template <class Job> DEVICE void
gpu_keep(struct gpu_shared<Job> &s, const elem *a, const elem *b)
{
	int k, side;

#pragma unroll
	for (int i = 0; i < GPU_FETCH; i++) {
		gpu_place<Job::A_ALONG_K>(threadIdx.x, i, &k, &side);
		s.a[k][side] = a[i];
		gpu_place<Job::B_ALONG_K>(threadIdx.x, i, &k, &side);
		s.b[k][side] = b[i];
	}
}

/* The sums of a tile, as far as they are this thread's (or its warp's). */
#ifdef TENSOR_CORES

#ifdef USE_TF32
#define GPU_STEP	8	/* terms at a time */
typedef nvcuda::wmma::precision::tf32 gpu_factor;
#else
#define GPU_STEP	16
typedef elem gpu_factor;
#endif
#define GPU_OUT	20		/* pitch of a piece of 16 x 16 on its way to C */

struct gpu_sums {
	nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, GPU_STEP, float> at[4][2];

	DEVICE_METHOD void
	clear()
	{
		for (int i = 0; i < 4; i++)
			for (int j = 0; j < 2; j++)
				nvcuda::wmma::fill_fragment(at[i][j], 0.0f);
	}

	template <class Job> DEVICE_METHOD void
	add(const struct gpu_shared<Job> &s)
	{
		int row = threadIdx.x / 128 * 64, col = threadIdx.x / 32 % 4 * 32;
		nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, GPU_STEP, gpu_factor,
		    nvcuda::wmma::col_major> a;
		nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, GPU_STEP, gpu_factor,
		    nvcuda::wmma::row_major> b[2];

#pragma unroll
		for (int k = 0; k < GPU_SLICE; k += GPU_STEP) {
#pragma unroll
			for (int j = 0; j < 2; j++) {
				nvcuda::wmma::load_matrix_sync(b[j], &s.b[k][col + j * 16], GPU_PITCH);
				round(b[j]);
			}
#pragma unroll
			for (int i = 0; i < 4; i++) {
				nvcuda::wmma::load_matrix_sync(a, &s.a[k][row + i * 16], GPU_PITCH);
				round(a);
#pragma unroll
				for (int j = 0; j < 2; j++)
					nvcuda::wmma::mma_sync(at[i][j], a, b[j], at[i][j]);
			}
		}
	}

	/* f32 in shared memory, which tensor cores want rounded to tf32 */
	template <class Fragment> static DEVICE_METHOD void
	round(Fragment &f)
	{
#ifdef USE_TF32
		for (int i = 0; i < f.num_elements; i++)
			f.x[i] = nvcuda::wmma::__float_to_tf32(f.x[i]);
#else
		(void)f;
#endif
	}

	/* Which element of C a thread's part of a fragment belongs to is known once it was stored. */
	template <class Job> DEVICE_METHOD void
	store(const Job &job, int z, int split, int64_t row, int64_t col)
	{
		__shared__ __align__(32) float out[GPU_THREADS / 32][16 * GPU_OUT];
		float *mine = out[threadIdx.x / 32];

		row += threadIdx.x / 128 * 64, col += threadIdx.x / 32 % 4 * 32;
#pragma unroll
		for (int i = 0; i < 4; i++)
#pragma unroll
			for (int j = 0; j < 2; j++) {
				nvcuda::wmma::store_matrix_sync(mine, at[i][j], GPU_OUT,
				    nvcuda::wmma::mem_row_major);
				__syncwarp();
				for (int e = threadIdx.x % 32; e < 256; e += 32) {
					int y = Job::C_ALONG_ROWS ? e % 16 : e / 16;
					int x = Job::C_ALONG_ROWS ? e / 16 : e % 16;
					int64_t m = row + i * 16 + y, n = col + j * 16 + x;

					if (m < job.rows && n < job.cols)
						job.store(z, split, m, n, mine[y * GPU_OUT + x]);
				}
				__syncwarp();
			}
	}
};

#else

struct gpu_sums {
	real at[GPU_EACH][GPU_EACH];

	DEVICE_METHOD void
	clear()
	{
		for (int i = 0; i < GPU_EACH; i++)
			for (int j = 0; j < GPU_EACH; j++)
				at[i][j] = 0;
	}

	template <class Job> DEVICE_METHOD void
	add(const struct gpu_shared<Job> &s)
	{
		int ty = threadIdx.x / 16, tx = threadIdx.x % 16;

#pragma unroll
		for (int p = 0; p < GPU_SLICE; p++)
#pragma unroll
			for (int i = 0; i < GPU_EACH; i++)
#pragma unroll
				for (int j = 0; j < GPU_EACH; j++)
					at[i][j] += VALUE(s.a[p][ty * GPU_EACH + i]) *
					    VALUE(s.b[p][tx + j * 16]);
	}

	template <class Job> DEVICE_METHOD void
	store(const Job &job, int z, int split, int64_t row, int64_t col)
	{
		for (int i = 0; i < GPU_EACH; i++)
			for (int j = 0; j < GPU_EACH; j++) {
				int64_t m = row + threadIdx.x / 16 * GPU_EACH + i;
				int64_t n = col + threadIdx.x % 16 + j * 16;

				if (m < job.rows && n < job.cols)
					job.store(z, split, m, n, at[i][j]);
			}
	}
};

#endif

/*
 * The sum of a row of A: where A is dy', the gradient of a bias. All of A goes by in the blocks of the
 * first column of tiles, whose first threads each add up a row as it lies in shared memory.
 */
template <bool SUMS_A> struct gpu_row_sum {
	double sum;
	bool mine;

	template <class Job> DEVICE_METHOD void
	start(const Job &job, bool has_row)
	{
		sum = 0;
		mine = has_row && job.sums;
	}

	template <class Job> DEVICE_METHOD void
	add(const struct gpu_shared<Job> &s)
	{
		real some = 0;

#pragma unroll
		for (int k = 0; mine && k < GPU_SLICE; k++)
			some += VALUE(s.a[k][threadIdx.x]);
		sum += some;
	}

	template <class Job> DEVICE_METHOD void
	store(const Job &job, int64_t row) const
	{
		if (mine)
			job.sums[row + threadIdx.x] = ELEM((real)sum);
	}
};

template <> struct gpu_row_sum<false> {
	template <class Job> DEVICE_METHOD void start(const Job &, bool) { }
	template <class Job> DEVICE_METHOD void add(const struct gpu_shared<Job> &) { }
	template <class Job> DEVICE_METHOD void store(const Job &, int64_t) const { }
};

template <class Job> static __global__ void __launch_bounds__(GPU_THREADS)
gpu_product_kernel(Job job, int splits)
{
	__shared__ __align__(32) struct gpu_shared<Job> s;
	int64_t cols = (job.cols + GPU_SIDE - 1) / GPU_SIDE;
	int64_t rows = (job.rows + GPU_SIDE - 1) / GPU_SIDE;
	int64_t row = blockIdx.x / cols % rows * GPU_SIDE, col = blockIdx.x % cols * GPU_SIDE;
	int part = (int)(blockIdx.x / cols / rows), z = part / splits, split = part % splits;
	int64_t each = (job.depth + splits - 1) / splits;
	int64_t k = split * each, end = k + each < job.depth ? k + each : job.depth;
	int high = (int)(job.rows - row < GPU_SIDE ? job.rows - row : GPU_SIDE);
	int wide = (int)(job.cols - col < GPU_SIDE ? job.cols - col : GPU_SIDE), t = threadIdx.x;
	elem a[GPU_FETCH], b[GPU_FETCH];
	struct gpu_sums sums;
	struct gpu_row_sum<Job::SUMS_A> row_sum;

	if (t < high)
		s.row[t] = job.row(z, row + t);
	if (t >= GPU_SIDE && t - GPU_SIDE < wide)
		s.col[t - GPU_SIDE] = job.col(z, col + t - GPU_SIDE);
	if (t < GPU_SLICE && k + t < end)
		s.term[t] = job.term(z, k + t);
	__syncthreads();
	sums.clear();
	row_sum.start(job, col == 0 && t < high);
	gpu_fetch(job, s, high, wide, end - k, a, b);
	for (; k < end; k += GPU_SLICE) {
		__syncthreads();
		gpu_keep(s, a, b);
		if (t < GPU_SLICE && k + GPU_SLICE + t < end)
			s.term[t] = job.term(z, k + GPU_SLICE + t);
		__syncthreads();
		if (k + GPU_SLICE < end)
			gpu_fetch(job, s, high, wide, end - k - GPU_SLICE, a, b);
		sums.add(s);
		row_sum.add(s);
	}
	sums.store(job, z, split, row, col);
	row_sum.store(job, row);
}

template <class Job> static void
gpu_product(const Job &job, int products, int splits)
{
	int64_t blocks = parts(job.cols, GPU_SIDE) * parts(job.rows, GPU_SIDE) * products * splits;

	gpu_product_kernel<<<(unsigned)blocks, GPU_THREADS, 0, stream>>>(job, splits);
	LAUNCHED(gpu_product_kernel);
}

/* The sum of SPLITS partial results, in order. */
KERNEL(gpu_sum_kernel, (elem *c, const real *part, struct onto onto, int64_t n, int splits))
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
