/*
 * product/gemm_cuda.cu - the CUDA side of product/gemm_c.cu: one tiled product whose operands are
 * functions.
 *
 * A block of 256 threads makes a tile of C, over slices of the sum that are kept in shared memory:
 * one is multiplied while the next arrives beside it, past the registers from sm_80 on (cp.async).
 * Where an element lies is a function of three things, each found out once and kept in shared
 * memory as well: its row or its column, for the whole tile, and its term of the sum, for a slice.
 * A job says:
 *
 *     rows, cols, depth                     of each of the products z
 *     term(z, k), row(z, m), col(z, n)      what is to be known of each
 *     a(row, term), b(term, col)            where elements lie; NULL: that one is 0
 *     store(z, split, m, n, value)
 *     A_ALONG_K, B_ALONG_K                  whether neighbours in memory lie along the sum, which
 *                                           decides what neighbouring threads copy
 *     a_packs, b_packs                      whether they do so by 16 bytes that begin at a multiple
 *                                           of 16, which a thread then copies at once
 *     C_ALONG_ROWS                          whether they lie along the rows of C, and not its columns
 *     SUMS_A                                whether the rows of A may be summed too; then also
 *     sums                                  where those sums go, in elements; NULL: they are not wanted
 *
 * A tile is 128 x 128, or 64 x 64 where there would be too few of the former to go round. A warp
 * has
 *
 *     64 x 32 or 32 x 16 of it      on tensor cores: elements of 16 bits, and f32 where tf32 is allowed,
 *                                   with sums in f32; f16 from sm_75 on, bf16 and tf32 from sm_80 on
 *     32 x 64 or 16 x 32            otherwise: 8 x 8 or 4 x 4 a thread, by fours in each direction, so
 *                                   that it reads 16 bytes at a time, and eight threads 128
 *
 * Whatever the tile, an element is summed in the same order, and comes out the same to the bit.
 *
 * Tiles are numbered along blockIdx.x alone, whose limit, 2^31 - 1, is beyond any arena.
 *
 * No atomics: every element is summed by one thread, or one warp, in one order. A long sum over few
 * elements is split among blocks, each writing a partial result that a second kernel adds up.
 */
#ifndef STOWAGE_PRODUCT_GEMM_CUDA_CU
#define STOWAGE_PRODUCT_GEMM_CUDA_CU

#include "kernel.h"
#include "sizes.h"

#ifdef __CUDACC__

#include <cuda_pipeline_primitives.h>
#include <type_traits>

#if NARROW || defined(USE_TF32)
#include <mma.h>
#if defined(USE_F16) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
#define TENSOR_CORES
#elif !defined(USE_F16) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define TENSOR_CORES
#endif
#endif

#define GPU_THREADS	256
#define GPU_SLICE	(NARROW ? 32 : 16)	/* terms */
#define GPU_SMALL	64	/* sides of tiles */
#ifdef USE_DOUBLE
#define GPU_LARGE	64	/* the sums of a larger one would take all registers */
#else
#define GPU_LARGE	128
#endif
#ifdef TENSOR_CORES
#define GPU_TENSORS	true
#else
#define GPU_TENSORS	false
#endif
#define GPU_HIGH	16	/* rows of a piece of C, which a warp stores at a time */
#define GPU_WIDE	(GPU_TENSORS ? 16 : 32)
#define GPU_OUT		(GPU_WIDE + 4)	/* its pitch in shared memory */

/*
 * A slice of an operand: SIDE rows or columns of it. Tensor cores read it in either direction, so
 * it lies as in memory, without being turned around; otherwise term by term. Its pitch leaves room,
 * so that what a warp reads or writes at a time lies in different banks.
 */
template <int SIDE, bool ALONG_K> struct gpu_panel {
	static const bool TURNED = GPU_TENSORS && ALONG_K;
#ifdef USE_TF32
	static const int PITCH = TURNED ? GPU_SLICE + 4 : SIDE + 8;
#else
	static const int PITCH = (TURNED ? GPU_SLICE : SIDE) + MAP_PACK;
#endif
	elem all[(TURNED ? SIDE : GPU_SLICE) * PITCH];

	/* term K of row or column I */
	DEVICE_METHOD elem *
	at(int k, int i)
	{
		return &all[TURNED ? i * PITCH + k : k * PITCH + i];
	}

	DEVICE_METHOD const elem *
	at(int k, int i) const
	{
		return &all[TURNED ? i * PITCH + k : k * PITCH + i];
	}
};

template <int SIDE, class Job> struct gpu_slice {
	struct gpu_panel<SIDE, Job::A_ALONG_K> a;
	struct gpu_panel<SIDE, Job::B_ALONG_K> b;
};

/* Which tile a block makes. It lies in shared memory too: the sums need the registers. */
struct gpu_tile {
	int64_t row, col;	/* its first */
	int64_t from;		/* its first term */
	int high, wide;		/* as far as there are rows and columns */
	int slices;		/* of its sum */
	int z, split;
};

/* The slice that is multiplied and the next, and what is known of rows, columns and terms; at the
 * end, each warp's piece on its way to C. */
template <int SIDE, class Job> struct gpu_shared {
	union {
		struct gpu_slice<SIDE, Job> slice[2];
		real out[GPU_THREADS / 32][GPU_HIGH * GPU_OUT];
	};
	struct gpu_tile tile;
	typename Job::Row row[SIDE];
	typename Job::Col col[SIDE];
	typename Job::Term term[2][GPU_SLICE];
};

/* Where this thread's I-th WIDTH elements of a slice begin: their term, and their row or column. */
template <int SIDE, bool ALONG_K, int WIDTH> DEVICE void
gpu_place(int i, int *k, int *side)
{
	const int along = (ALONG_K ? GPU_SLICE : SIDE) / WIDTH;
	int on = threadIdx.x % along * WIDTH, off = threadIdx.x / along + i * (GPU_THREADS / along);

	*k = ALONG_K ? on : off;
	*side = ALONG_K ? off : on;
}

/* Elements to shared memory; FROM is NULL for zeros. They may arrive as late as gpu_wait(). */
template <int WIDTH> DEVICE void
gpu_copy(elem *to, const elem *from)
{
	const size_t bytes = WIDTH * sizeof(elem);

	if (bytes < 4)
		*to = from ? *from : ELEM(0);
	else
		__pipeline_memcpy_async(to, from, bytes, from ? 0 : bytes);
}

DEVICE void
gpu_wait(void)
{
	__pipeline_commit();
	__pipeline_wait_prior(0);
}

/* A slice of SIDES rows or columns and TERMS terms, whose elements lie AT(k, side). */
template <int SIDE, bool ALONG_K, class At> DEVICE void
gpu_fetch(struct gpu_panel<SIDE, ALONG_K> &panel, bool packs, int sides, int64_t terms, const At &at)
{
	const int all = SIDE * GPU_SLICE / GPU_THREADS;
	const bool turn = panel.TURNED != ALONG_K;
	int k, side;

#pragma unroll
	for (int i = 0; packs && i < all / MAP_PACK; i++) {
		gpu_place<SIDE, ALONG_K, MAP_PACK>(i, &k, &side);
		const elem *from = side < sides && k < terms ? at(k, side) : NULL;

		if (!turn)
			gpu_copy<MAP_PACK>(panel.at(k, side), from);
		for (int j = 0; turn && j < MAP_PACK; j++)
			gpu_copy<1>(panel.at(k + j, side), from ? from + j : NULL);
	}
#pragma unroll
	for (int i = 0; !packs && i < all; i++) {
		gpu_place<SIDE, ALONG_K, 1>(i, &k, &side);
		gpu_copy<1>(panel.at(k, side), side < sides && k < terms ? at(k, side) : NULL);
	}
}

/*
 * The sums of a tile, as far as they are this thread's (or its warp's): ROWS x COLS pieces of a
 * warp's part of it, which begins at row() and col().
 */
#ifdef TENSOR_CORES

#ifdef USE_TF32
#define GPU_STEP	8	/* terms at a time */
typedef nvcuda::wmma::precision::tf32 gpu_factor;
#else
#define GPU_STEP	16
typedef elem gpu_factor;
#endif

template <class Use, bool BY_ROWS> using gpu_fragment = nvcuda::wmma::fragment<Use, 16, 16, GPU_STEP,
    gpu_factor, typename std::conditional<BY_ROWS, nvcuda::wmma::row_major,
    nvcuda::wmma::col_major>::type>;

template <int SIDE> struct gpu_sums {
	static const int ROWS = SIDE / 32, COLS = SIDE / 64;
	nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, GPU_STEP, float> sum[ROWS][COLS];

	static DEVICE_METHOD int
	row()
	{
		return threadIdx.x / 128 * (SIDE / 2);
	}

	static DEVICE_METHOD int
	col()
	{
		return threadIdx.x / 32 % 4 * (SIDE / 4);
	}

	DEVICE_METHOD void
	clear()
	{
#pragma unroll
		for (int i = 0; i < ROWS; i++)
#pragma unroll
			for (int j = 0; j < COLS; j++)
				nvcuda::wmma::fill_fragment(sum[i][j], 0.0f);
	}

	template <class Job> DEVICE_METHOD void
	add(const struct gpu_slice<SIDE, Job> &s)
	{
		gpu_fragment<nvcuda::wmma::matrix_a, s.a.TURNED> a;
		gpu_fragment<nvcuda::wmma::matrix_b, !s.b.TURNED> b[COLS];

#pragma unroll
		for (int k = 0; k < GPU_SLICE; k += GPU_STEP) {
#pragma unroll
			for (int j = 0; j < COLS; j++) {
				nvcuda::wmma::load_matrix_sync(b[j], s.b.at(k, col() + j * 16), s.b.PITCH);
				round(b[j]);
			}
#pragma unroll
			for (int i = 0; i < ROWS; i++) {
				nvcuda::wmma::load_matrix_sync(a, s.a.at(k, row() + i * 16), s.a.PITCH);
				round(a);
#pragma unroll
				for (int j = 0; j < COLS; j++)
					nvcuda::wmma::mma_sync(sum[i][j], a, b[j], sum[i][j]);
			}
		}
	}

	/* f32 in shared memory, which tensor cores want rounded to tf32 */
	template <class Fragment> static DEVICE_METHOD void
	round(Fragment &f)
	{
#ifdef USE_TF32
#pragma unroll
		for (int i = 0; i < f.num_elements; i++)
			f.x[i] = nvcuda::wmma::__float_to_tf32(f.x[i]);
#else
		(void)f;
#endif
	}

	/* Which element of C a thread's part of a fragment belongs to is known once it was
	 * stored. */
	DEVICE_METHOD void
	put(real *out, int i, int j) const
	{
		nvcuda::wmma::store_matrix_sync(out, sum[i][j], GPU_OUT, nvcuda::wmma::mem_row_major);
	}
};

#else

struct alignas(4 * sizeof(elem) < 16 ? 4 * sizeof(elem) : 16) gpu_four {
	elem at[4];
};

template <int SIDE> struct gpu_sums {
	static const int ROWS = SIDE / 64, COLS = SIDE / 64;
	real sum[ROWS * 4][COLS * 4];

	static DEVICE_METHOD int
	row()
	{
		return threadIdx.x / 64 * (SIDE / 4);
	}

	static DEVICE_METHOD int
	col()
	{
		return threadIdx.x / 32 % 2 * (SIDE / 2);
	}

	/* Where the thread's four rows of a piece begin, and its four columns. */
	static DEVICE_METHOD int
	high()
	{
		return threadIdx.x % 32 / 8 * 4;
	}

	static DEVICE_METHOD int
	wide()
	{
		return threadIdx.x % 8 * 4;
	}

	DEVICE_METHOD void
	clear()
	{
#pragma unroll
		for (int i = 0; i < ROWS * 4; i++)
#pragma unroll
			for (int j = 0; j < COLS * 4; j++)
				sum[i][j] = 0;
	}

	template <class Job> DEVICE_METHOD void
	add(const struct gpu_slice<SIDE, Job> &s)
	{
		struct gpu_four a[ROWS], b[COLS];

#pragma unroll
		for (int k = 0; k < GPU_SLICE; k++) {
#pragma unroll
			for (int i = 0; i < ROWS; i++)
				a[i] = *(const struct gpu_four *)s.a.at(k, row() + i * GPU_HIGH + high());
#pragma unroll
			for (int j = 0; j < COLS; j++)
				b[j] = *(const struct gpu_four *)s.b.at(k, col() + j * GPU_WIDE + wide());
#pragma unroll
			for (int i = 0; i < ROWS * 4; i++)
#pragma unroll
				for (int j = 0; j < COLS * 4; j++)
					sum[i][j] += VALUE(a[i / 4].at[i % 4]) * VALUE(b[j / 4].at[j % 4]);
		}
	}

	DEVICE_METHOD void
	put(real *out, int i, int j) const
	{
#pragma unroll
		for (int y = 0; y < 4; y++)
#pragma unroll
			for (int x = 0; x < 4; x++)
				out[(high() + y) * GPU_OUT + wide() + x] = sum[i * 4 + y][j * 4 + x];
	}
};

#endif

/* Piece by piece by way of OUT, so that what a warp stores at a time lies side by side in C. */
template <int SIDE, class Job> DEVICE void
gpu_store(const Job &job, const struct gpu_sums<SIDE> &sums, real *out, const struct gpu_tile &tile)
{
#pragma unroll
	for (int i = 0; i < sums.ROWS; i++)
#pragma unroll
		for (int j = 0; j < sums.COLS; j++) {
			sums.put(out, i, j);
			__syncwarp();
#pragma unroll 2
			for (int e = threadIdx.x % 32; e < GPU_HIGH * GPU_WIDE; e += 32) {
				int y = Job::C_ALONG_ROWS ? e % GPU_HIGH : e / GPU_WIDE;
				int x = Job::C_ALONG_ROWS ? e / GPU_HIGH : e % GPU_WIDE;
				int m = sums.row() + i * GPU_HIGH + y, n = sums.col() + j * GPU_WIDE + x;

				if (m < tile.high && n < tile.wide)
					job.store(tile.z, tile.split, tile.row + m, tile.col + n,
					    out[y * GPU_OUT + x]);
			}
			__syncwarp();
		}
}

/*
 * The sum of a row of A: where A is dy', the gradient of a bias. All of A goes by in the blocks of
 * the first column of tiles, whose first threads each add up a row as it lies in shared memory.
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

	template <class Panel> DEVICE_METHOD void
	add(const Panel &a)
	{
		real some = 0;

#pragma unroll
		for (int k = 0; mine && k < GPU_SLICE; k++)
			some += VALUE(*a.at(k, threadIdx.x));
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
	template <class Panel> DEVICE_METHOD void add(const Panel &) { }
	template <class Job> DEVICE_METHOD void store(const Job &, int64_t) const { }
};

template <int SIDE, class Job> DEVICE struct gpu_tile
gpu_tile_of(const Job &job, int splits)
{
	int64_t cols = (job.cols + SIDE - 1) / SIDE, rows = (job.rows + SIDE - 1) / SIDE;
	int64_t slices = (job.depth + GPU_SLICE - 1) / GPU_SLICE, each = (slices + splits - 1) / splits;
	int64_t row = quotient(blockIdx.x, cols), part = quotient(row, rows);
	struct gpu_tile t;

	t.col = (blockIdx.x - row * cols) * SIDE, t.row = (row - part * rows) * SIDE;
	t.z = (int)part / splits, t.split = (int)part % splits;
	t.high = (int)(job.rows - t.row < SIDE ? job.rows - t.row : SIDE);
	t.wide = (int)(job.cols - t.col < SIDE ? job.cols - t.col : SIDE);
	t.from = t.split * each * GPU_SLICE;
	t.slices = (int)(slices - t.split * each < each ? slices - t.split * each : each);
	return t;
}

/* What is known of the terms of slice I, which is half I % 2 of s.term. */
template <int SIDE, class Job> DEVICE void
gpu_terms(const Job &job, struct gpu_shared<SIDE, Job> &s, int i)
{
	int64_t k = s.tile.from + (int64_t)i * GPU_SLICE + threadIdx.x;

	if (i < s.tile.slices && threadIdx.x < GPU_SLICE && k < job.depth)
		s.term[i & 1][threadIdx.x] = job.term(s.tile.z, k);
}

/* Two blocks to a multiprocessor, so that one works while the other waits. */
template <int SIDE, class Job> static __global__ void __launch_bounds__(GPU_THREADS, 2)
gpu_product_kernel(Job job, int splits)
{
	__shared__ __align__(32) struct gpu_shared<SIDE, Job> s;
	int t = threadIdx.x, n = t - (GPU_THREADS - SIDE);	/* whose row and whose column */
	struct gpu_sums<SIDE> sums;
	struct gpu_row_sum<Job::SUMS_A> row_sum;

	if (t == 0)
		s.tile = gpu_tile_of<SIDE>(job, splits);
	__syncthreads();
	if (t < s.tile.high)
		s.row[t] = job.row(s.tile.z, s.tile.row + t);
	if (n >= 0 && n < s.tile.wide)
		s.col[n] = job.col(s.tile.z, s.tile.col + n);
	gpu_terms(job, s, 0);
	sums.clear();
	row_sum.start(job, s.tile.col == 0 && t < s.tile.high);
	__syncthreads();
	/* multiplies slice I while the next arrives; the first time, there is only that */
	for (int i = -1; i < s.tile.slices; i++) {
		struct gpu_slice<SIDE, Job> &now = s.slice[i & 1], &next = s.slice[~i & 1];
		const typename Job::Term *term = s.term[~i & 1];

		if (i + 1 < s.tile.slices) {
			int64_t left = job.depth - s.tile.from - (int64_t)(i + 1) * GPU_SLICE;

			gpu_fetch(next.a, job.a_packs, s.tile.high, left,
			    [&](int k, int m) { return job.a(s.row[m], term[k]); });
			gpu_fetch(next.b, job.b_packs, s.tile.wide, left,
			    [&](int k, int m) { return job.b(term[k], s.col[m]); });
		}
		if (i >= 0) {
			sums.add(now);
			row_sum.add(now.a);
		}
		gpu_terms(job, s, i + 2);
		gpu_wait();
		__syncthreads();
	}
	gpu_store(job, sums, s.out[t / 32], s.tile);
	row_sum.store(job, s.tile.row);
}

/* May rows of N elements from P on be copied by packs? */
static inline bool
gpu_packs(const elem *p, int64_t n)
{
	return n % MAP_PACK == 0 && (uintptr_t)p % sizeof(struct map_pack) == 0;
}

template <class Job> static int64_t
gpu_tiles(const Job &job, int side, int blocks)
{
	return parts(job.cols, side) * parts(job.rows, side) * blocks;
}

template <int SIDE, class Job> static void
gpu_product_by(const Job &job, int products, int splits)
{
	int64_t blocks = gpu_tiles(job, SIDE, products * splits);

	gpu_product_kernel<SIDE><<<(unsigned)blocks, GPU_THREADS, 0, stream>>>(job, splits);
	LAUNCHED(gpu_product_kernel);
}

/* A large tile takes about five halves of the time of a small one, for four times its elements;
 * what counts is the multiprocessor with most of them. */
static bool
gpu_is_large(int64_t large, int64_t small)
{
	int device = 0, processors = 1;

	cudaGetDevice(&device);
	cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
	return 5 * parts(large, processors) < 2 * parts(small, processors);
}

template <class Job> static void
gpu_product(const Job &job, int products, int splits)
{
	int blocks = products * splits;

	if (gpu_is_large(gpu_tiles(job, GPU_LARGE, blocks), gpu_tiles(job, GPU_SMALL, blocks)))
		gpu_product_by<GPU_LARGE>(job, products, splits);
	else
		gpu_product_by<GPU_SMALL>(job, products, splits);
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
