/*
 * product/tile_cuda.cu - a tile of a product on CUDA: slices of its operands in shared memory, and
 * the sums of a thread or a warp, by multiply-adds or on tensor cores. How they are used says
 * gemm_cuda.cu.
 */
#ifndef STOWAGE_PRODUCT_TILE_CUDA_CU
#define STOWAGE_PRODUCT_TILE_CUDA_CU

#include "kernel.h"
#include "sizes.h"

#include <cuda_pipeline_primitives.h>
#include <type_traits>

#if NARROW || defined(USE_TF32)
#include <mma.h>
#ifdef USE_TF32
#define ELEM_TENSOR_CORES	800
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= ELEM_TENSOR_CORES
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
	const int ahead = GPU_TENSORS ? all / MAP_PACK : 1;	/* without tensor cores sums take all registers */
	const bool turn = panel.TURNED != ALONG_K;
	int k, side;

#pragma unroll ahead
	for (int i = 0; packs && i < all / MAP_PACK; i++) {
		gpu_place<SIDE, ALONG_K, MAP_PACK>(i, &k, &side);
		const elem *from = side < sides && k < terms ? at(k, side) : NULL;

		if (!turn)
			gpu_copy<MAP_PACK>(panel.at(k, side), from);
		for (int j = 0; turn && j < MAP_PACK; j++)
			gpu_copy<1>(panel.at(k + j, side), from ? from + j : NULL);
	}
#pragma unroll 4
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

#pragma unroll 1
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

#endif
